/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_MOVE_H
#define _KERNEL_KPROBES_MOVE_H

/* move.c: switches points from a breakpoint to ftrace */
#include <linux/kprobe_point.h>

#ifdef CONFIG_KPROBES_ON_FTRACE
enum kprobe_reason kprobe_move_prepare(struct list_head *points);
void kprobe_move_cancel(struct list_head *points);
void kprobe_move_begin(struct list_head *points, void (*ended)(struct kprobe_point *point));
void kprobe_move_end(struct kprobe_point *point);
void kprobe_move_join(struct kprobe_point *next);
void kprobe_move_leave(struct kprobe_point *next);
bool kprobe_moves(void);
unsigned int kprobe_moves_ended(void);
void kprobe_move_wait(unsigned int ended);
#else
static inline void kprobe_move_join(struct kprobe_point *next) { }
static inline void kprobe_move_leave(struct kprobe_point *next) { }

static inline bool kprobe_moves(void)
{
	return false;
}
#endif

#endif /* _KERNEL_KPROBES_MOVE_H */
