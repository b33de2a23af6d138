/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_BATCH_H
#define _KERNEL_KPROBES_BATCH_H

/* batch.c: arms and disarms many points at once */
#include <linux/jiffies.h>
#include <linux/kprobe_reason.h>
#include <linux/list.h>

struct kprobe_point;

/* How long points stay in the text after they are not wanted any more, in jiffies. */
#define KPROBE_DISARM_DELAY	msecs_to_jiffies(50)

enum kprobe_reason kprobe_batch_commit(struct list_head *batch);
void kprobe_batch_defer_disarm(struct list_head *batch);
void kprobe_batch_use_ftrace(struct kprobe_point *point);
void kprobe_batch_restore(struct list_head *points);
void kprobe_batch_drop(struct list_head *points);
bool kprobe_disarm_chunk(void);
void kprobe_disarm_pending(void);
enum kprobe_reason kprobe_commit_all(void);
enum kprobe_reason kprobe_arm_all(bool arm);

#endif /* _KERNEL_KPROBES_BATCH_H */
