// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common code of all files in /sys/kernel/debug/kprobes: a file shows addresses only to
 * readers who may see them.
 */
#include <linux/kallsyms.h>
#include <linux/seq_file.h>

#include "debugfs_file.h"

/*
 * Whether addresses are shown is decided here, as in /proc/kallsyms: by the credentials
 * of the task that opens the file, not of one that reads it later.
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

/**
 * kprobe_shown() - hide an address from readers who may not see it
 * @m:    an open file with kprobe_file_fops
 * @addr: the address
 *
 * Return: The address, for %px; NULL where kptr_restrict or a lack of rights
 * hides it.
 */
void *kprobe_shown(const struct seq_file *m, unsigned long addr)
{
	const struct kprobe_reader *reader = m->private;

	return reader->sees_addresses ? (void *)addr : NULL;
}
