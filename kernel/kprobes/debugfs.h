/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_DEBUGFS_H
#define _KERNEL_KPROBES_DEBUGFS_H

/* debugfs.c: files in debugfs, and the sysctl; tests read two of them without a file system */
#include <linux/seq_file.h>
#include <linux/types.h>

#include "reason.h"

/**
 * struct kprobe_reader - how far the reader of a file has got
 * @sees_addresses: the task that opened the file may see addresses
 * @addr:    what to show next: probed address of a point, or start of a range of "blacklist"
 * @gone:    the point's @order, if it is gone
 * @among_gone: the points that are not gone have been shown
 * @end:     the byte after the range
 * @refusal: copy of the record of "refused" that is shown
 */
struct kprobe_reader {
	bool sees_addresses;
	unsigned long addr;
	unsigned long gone;
	bool among_gone;
	unsigned long end;
	struct kprobe_refusal refusal;
};

extern const struct seq_operations kprobe_list_ops;
extern const struct seq_operations kprobe_points_ops;

#endif /* _KERNEL_KPROBES_DEBUGFS_H */
