/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_POINTS_H
#define _KERNEL_KPROBES_POINTS_H

/* points.c: the walk over all points for files in debugfs */
#include <linux/kallsyms.h>
#include <linux/kprobe_point.h>
#include <linux/seq_file.h>

#include "debugfs_file.h"

/**
 * struct kprobe_position - how far a reader has got
 * @reader:     who reads
 * @addr:       probed address of the point to show next
 * @gone:       address of its struct kprobe_point, if the point is gone
 * @among_gone: the points that are not gone have been shown
 *
 * Points may come and go between two calls that read a file. The reader therefore finds its
 * point again by address, and compares @gone but never dereferences it.
 */
struct kprobe_position {
	struct kprobe_reader reader;
	unsigned long addr;
	unsigned long gone;
	bool among_gone;
};

void *kprobe_points_start(struct seq_file *m, loff_t *pos);
void *kprobe_points_next(struct seq_file *m, void *v, loff_t *pos);
void kprobe_points_stop(struct seq_file *m, void *v);

/**
 * struct kprobe_place - where a point is, in names
 * @symbol: the symbol, NULL if there is none
 * @offset: distance from it
 * @module: the module, NULL if it is in none
 * @name:   room for the symbol
 */
struct kprobe_place {
	const char *symbol;
	unsigned long offset;
	char *module;
	char name[KSYM_NAME_LEN];
};

void kprobe_point_place(const struct kprobe_point *point,
			struct kprobe_place *place);
void kprobe_show_place(struct seq_file *m, const struct kprobe_point *point,
		       const struct kprobe_place *place);

extern const struct kprobe_file kprobe_points_file;

#endif /* _KERNEL_KPROBES_POINTS_H */
