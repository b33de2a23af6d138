/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_BATCH_H
#define _KERNEL_KPROBES_BATCH_H

/* batch.c: arms, disarms and frees points; calls of the API that a handler makes */
#include <linux/jiffies.h>
#include <linux/kprobe_reason.h>
#include <linux/list.h>
#include <linux/types.h>

struct kprobe;
struct kprobe_point;

/* How long points stay in the text after they are not wanted any more, in jiffies. */
#define KPROBE_DISARM_DELAY	msecs_to_jiffies(50)

extern bool kprobe_armed_globally;

enum kprobe_reason kprobe_batch_commit(struct list_head *batch);
void kprobe_batch_defer_disarm(struct list_head *batch);
void kprobe_batch_use_ftrace(struct kprobe_point *point);
void kprobe_batch_restore(struct list_head *points);
void kprobe_batch_drop(struct list_head *points);
bool kprobe_disarm_chunk(void);
void kprobe_disarm_pending(void);
enum kprobe_reason kprobe_arm_all(bool arm);
void kprobe_point_put(struct kprobe_point *point);
void kprobe_point_free(struct kprobe_point *point);
void kprobe_point_kill(struct kprobe_point *point);
bool kprobe_in_handler(void);
int kprobe_set_disabled_in_handler(struct kprobe *kp, bool disabled);
void kprobe_flush_requests(void);

#endif /* _KERNEL_KPROBES_BATCH_H */
