/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_FRAME_H
#define _KERNEL_KPROBES_FRAME_H

/* frame.c: the hits under way on a CPU; synchronize.c: waits for them */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kprobe_arch.h>
#include <linux/smp.h>

static __always_inline unsigned int kprobe_context(void)
{
	return preempt_count() & KPROBE_CONTEXT_MASK;
}

static __always_inline struct kprobe_frame *kprobe_first_frame(void)
{
	return raw_cpu_ptr(&kprobe_cpu.frame[0]);
}

/* Is a hit under way on this CPU? Some architectures do this in one instruction. */
static __always_inline bool kprobe_frame_is_used(void)
{
	return raw_cpu_read(kprobe_cpu.frame[0].hazard);
}

/*
 * Queues irq_work in a handler. Returns false on a CPU that comes up or goes offline: it may not
 * serve the work any more, and others do when it has come or gone. See cpu_has_changed().
 */
static __always_inline bool kprobe_irq_work_queue(struct irq_work *work)
{
	bool online = cpu_online(raw_smp_processor_id());

	if (likely(online))
		irq_work_queue(work);
	return online;
}

extern const char kprobe_offline_hazard;

void kprobe_frame_init(void);
struct kprobe_frame *kprobe_running_frame(void);
struct kprobe_frame *kprobe_frame_enter_nested(const void *hazard, unsigned int entered);

typedef bool (*kprobe_uses_t)(const void *hazard, const void *arg);
void kprobe_synchronize(kprobe_uses_t uses, const void *arg);

static __always_inline struct kprobe_frame *
kprobe_frame_begin(struct kprobe_frame *frame, const void *hazard)
{
	WRITE_ONCE(frame->hazard, hazard);	/* A in synchronize.c */
	/*
	 * The frame is claimed: an interrupt from here on takes the next one. Reads of the probes
	 * come later. The CPU is made to order them by an interrupt: pairs with pass_barrier().
	 */
	barrier();
	WRITE_ONCE(frame->context, arch_kprobe_preempt_count());
	return frame;
}

/*
 * Begins a hit; preemption is disabled. @hazard is the point or pool that leads to the probes, and
 * @entered what the hit's trap has added to the preemption count. Returns NULL if handlers must not
 * run: kprobe_miss_cause() tells why.
 */
static __always_inline struct kprobe_frame *
kprobe_frame_enter(const void *hazard, unsigned int entered)
{
	struct kprobe_frame *frame = kprobe_first_frame();

	if (unlikely(kprobe_frame_is_used()))
		return kprobe_frame_enter_nested(hazard, entered);
	kprobe_frame_begin(frame, hazard);
	/* With -fno-delete-null-pointer-checks callers would check for NULL needlessly. */
	if (!frame)
		__builtin_unreachable();
	return frame;
}

/* Why kprobe_frame_enter() has just returned NULL. */
static __always_inline enum kprobe_miss kprobe_miss_cause(void)
{
	const void *last = raw_cpu_read(kprobe_cpu.frame[KPROBE_FRAMES - 1].hazard);

	if (!last)
		return KPROBE_MISS_NESTED;
	return last == &kprobe_offline_hazard ? KPROBE_MISS_OFFLINE : KPROBE_MISS_DEPTH;
}

/* Releases a frame: the handlers have returned. */
static __always_inline void kprobe_frame_exit(struct kprobe_frame *frame)
{
	WRITE_ONCE(frame->context, KPROBE_CONTEXT_NONE);
	/* Context first: a free frame has none. D in synchronize.c: pairs with C in is_used(). */
	smp_store_release(&frame->hazard, NULL);
}

#endif /* _KERNEL_KPROBES_FRAME_H */
