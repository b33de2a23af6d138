/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_DEBUGFS_FILE_H
#define _KERNEL_KPROBES_DEBUGFS_FILE_H

/* debugfs_file.c: common code of the files in debugfs */
#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/types.h>

/**
 * struct kprobe_reader - what the task that opened a file may see
 * @sees_addresses: it may see addresses
 *
 * The private data of each open file begin with it.
 */
struct kprobe_reader {
	bool sees_addresses;
};

/**
 * struct kprobe_file - a file whose lines have addresses
 * @ops:  the sequence of lines
 * @size: size of the private data of an open file
 *
 * It is the private data of the file's inode.
 */
struct kprobe_file {
	const struct seq_operations *ops;
	int size;
};

extern const struct file_operations kprobe_file_fops;
void *kprobe_shown(const struct seq_file *m, unsigned long addr);

#endif /* _KERNEL_KPROBES_DEBUGFS_FILE_H */
