// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common code of all files in /sys/kernel/debug/kprobes: a file shows addresses only to
 * readers who may see them.
 */
#include <linux/kallsyms.h>
#include <linux/seq_file.h>

#include "debugfs_file.h"

/**
 * kprobe_file_open() - open a file whose lines have addresses
 * @file: the file
 * @ops:  the file's sequence of lines
 * @size: size of its private data, which begin with a struct kprobe_reader
 *
 * Whether addresses are shown is decided here, as in /proc/kallsyms: by the credentials
 * of the task that opens the file, not of one that reads it later.
 *
 * Context: Process context, may sleep.
 * Return: 0 or a negative errno.
 */
int kprobe_file_open(struct file *file, const struct seq_operations *ops,
		     int size)
{
	struct kprobe_reader *reader = __seq_open_private(file, ops, size);

	if (!reader)
		return -ENOMEM;
	reader->sees_addresses = kallsyms_show_value(file->f_cred);
	return 0;
}

/**
 * kprobe_shown() - hide an address from readers who may not see it
 * @m:    a file that kprobe_file_open() has opened
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
