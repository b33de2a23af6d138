// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What detours call when they cannot go on by themselves. A detour claims the
 * CPU's first frame, looks whether the point is as it was when the detour was
 * made, calls the handlers, and gives the frame back: all that without coming
 * here.
 *
 * The rules of hit.c hold here as well.
 */
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "frame.h"
#include "hit.h"

/**
 * kprobe_detour_hit() - a detour was entered that leaves the hit to others
 * @point: its point
 * @regs:  registers at the hit, as a breakpoint would give them
 *
 * There are too many handlers for it, or the hit is a nested one. What remains
 * of the displaced instructions is set up in @regs.
 *
 * Context: That of the probed code, but with preemption disabled.
 */
void kprobe_detour_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	kmsan_unpoison_entry_regs(regs);
	kprobe_hit(point, regs, 0);
}
NOKPROBE_SYMBOL(kprobe_detour_hit);

static struct kprobe_frame *claimed_frame(void)
{
	return raw_cpu_ptr(&kprobe_cpu.frame[0]);
}
NOKPROBE_SYMBOL(claimed_frame);

/**
 * kprobe_detour_changed() - the handlers have changed since a detour was made
 * @point: its point, published in the frame that the detour has claimed
 * @regs:  as for kprobe_detour_hit()
 *
 * Context: As kprobe_detour_hit().
 */
void kprobe_detour_changed(struct kprobe_point *point, struct pt_regs *regs)
{
	kprobe_frame_exit(claimed_frame());
	kprobe_hit(point, regs, 0);
}
NOKPROBE_SYMBOL(kprobe_detour_changed);

/**
 * kprobe_detour_post_changed() - the same, found when the instruction has run
 * @point: as for kprobe_detour_changed()
 * @regs:  registers after the instruction
 *
 * Context: As kprobe_detour_hit().
 */
void kprobe_detour_post_changed(struct kprobe_point *point, struct pt_regs *regs)
{
	kprobe_frame_exit(claimed_frame());
	kprobe_post_hit(point, regs);
}
NOKPROBE_SYMBOL(kprobe_detour_post_changed);

/**
 * kprobe_detour_diverted() - a handler called by a detour has diverted the hit
 * @point: the detour's point, published in the frame that it has claimed
 * @regs:  registers as the handler has left them
 *
 * Context: As kprobe_detour_hit().
 */
void kprobe_detour_diverted(struct kprobe_point *point, struct pt_regs *regs)
{
	struct kprobe_frame *frame = claimed_frame();

	kprobe_miss_rest(point, READ_ONCE(frame->probe));
	kprobe_go_on(point, regs);
	kprobe_frame_exit(frame);
}
NOKPROBE_SYMBOL(kprobe_detour_diverted);

/**
 * kprobe_detour_done() - a detour is through with its handlers
 *
 * Context: As kprobe_detour_hit(); enables preemption.
 */
void kprobe_detour_done(void)
{
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_detour_done);

/**
 * kprobe_detour_resched() - the last reason against preemption has gone
 *
 * For detours that count by themselves, when another task was due meanwhile.
 *
 * Context: That of the probed code.
 */
void kprobe_detour_resched(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_detour_resched);
