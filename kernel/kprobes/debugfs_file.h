/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_DEBUGFS_FILE_H
#define _KERNEL_KPROBES_DEBUGFS_FILE_H

/* debugfs_file.c: what the files in debugfs share */
#include <linux/seq_file.h>
#include <linux/types.h>

/**
 * struct kprobe_reader - who has opened a file
 * @sees_addresses: addresses are shown
 *
 * The private data of each file begin with it.
 */
struct kprobe_reader {
	bool sees_addresses;
};

int kprobe_file_open(struct file *file, const struct seq_operations *ops,
		     int size);
void *kprobe_shown(const struct seq_file *m, unsigned long addr);

#endif /* _KERNEL_KPROBES_DEBUGFS_FILE_H */
