// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common code of the files in /sys/kernel/debug/kprobes whose lines have addresses: a file
 * shows addresses only to readers who may see them.
 */
#include <linux/kallsyms.h>
#include <linux/seq_file.h>

#include "debugfs_file.h"

/*
 * Decides whether this open file shows addresses: by the credentials of the task that opens it,
 * not of one that reads it later, as /proc/kallsyms does.
 */
static int open_file(struct inode *inode, struct file *file)
{
	const struct kprobe_file *f = inode->i_private;
	struct kprobe_reader *reader = __seq_open_private(file, f->ops, f->size);

	if (!reader)
		return -ENOMEM;
	reader->sees_addresses = kallsyms_show_value(file->f_cred);
	return 0;
}

const struct file_operations kprobe_file_fops = {
	.open = open_file,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* The address, for %px, or NULL if the task that opened @m may not see addresses. */
void *kprobe_shown(const struct seq_file *m, unsigned long addr)
{
	const struct kprobe_reader *reader = m->private;

	return reader->sees_addresses ? (void *)addr : NULL;
}
