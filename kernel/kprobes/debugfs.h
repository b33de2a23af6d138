/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_DEBUGFS_H
#define _KERNEL_KPROBES_DEBUGFS_H

/* debugfs.c: files in /sys/kernel/debug/kprobes; tests read two of them without a file system */
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

extern const struct kprobe_file kprobe_list_file;
extern const struct kprobe_file kprobe_points_file;

#endif /* _KERNEL_KPROBES_DEBUGFS_H */
