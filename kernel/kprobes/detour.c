// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that the code of an architecture's own detours calls for hits that it does not
 * handle.
 *
 * The code of a detour claims the CPU's first frame, checks by the point's generation that the
 * point's handlers are still those that it was made for, calls them, and releases the frame. It
 * calls these functions instead if the frame is in use, if the handlers have changed or are too
 * many, or if a handler diverts the hit.
 *
 * This is part of the hit path: the rules at the top of hit.c hold here as well.
 */
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "frame.h"
#include "hit.h"

/**
 * kprobe_detour_hit() - handle a hit that a detour does not handle itself
 * @point: its point
 * @regs:  registers at the hit, as a breakpoint would give them
 *
 * The point has more handlers than a detour calls, or the hit is nested. Sets the instruction
 * pointer in @regs to the displaced instructions that are left to execute.
 *
 * Context: That of the probed code, but with preemption disabled.
 */
void kprobe_detour_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	kmsan_unpoison_entry_regs(regs);
	kprobe_hit(point, regs, 0);
}
NOKPROBE_SYMBOL(kprobe_detour_hit);

/* The frame that a detour has claimed; another CPU's if a handler has slept and migrated. */
static struct kprobe_frame *claimed_frame(unsigned long cpu_offset)
{
	return RELOC_HIDE((struct kprobe_frame __force __kernel *)&kprobe_cpu.frame[0],
			  cpu_offset);
}
NOKPROBE_SYMBOL(claimed_frame);

/**
 * kprobe_detour_changed() - handle a hit whose detour was made for other handlers
 * @point: its point, published in the frame that the detour has claimed
 * @regs:  as for kprobe_detour_hit()
 * @cpu_offset: per_cpu_offset() of the CPU whose frame the detour has claimed
 *
 * Context: As kprobe_detour_hit().
 */
void kprobe_detour_changed(struct kprobe_point *point, struct pt_regs *regs,
			   unsigned long cpu_offset)
{
	kprobe_frame_exit(claimed_frame(cpu_offset));
	kprobe_hit(point, regs, 0);
}
NOKPROBE_SYMBOL(kprobe_detour_changed);

/**
 * kprobe_detour_post_hit() - call post-handlers for a detour that finds its frame in use
 * @point: its point
 * @regs:  registers after the first displaced instruction
 *
 * Sets the instruction pointer in @regs to what comes after that instruction.
 *
 * Context: As kprobe_detour_hit().
 */
void kprobe_detour_post_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	kprobe_post_hit(point, regs);
	/* Post-handlers cannot divert a hit. The next instruction may be in the detour. */
	instruction_pointer_set(regs, point->site + point->len);
	kprobe_go_on(point, regs);
}
NOKPROBE_SYMBOL(kprobe_detour_post_hit);

/**
 * kprobe_detour_post_changed() - call post-handlers for a detour that was made for others
 * @point: as for kprobe_detour_changed()
 * @regs:  as for kprobe_detour_post_hit()
 * @cpu_offset: as for kprobe_detour_changed()
 *
 * Context: As kprobe_detour_hit().
 */
void kprobe_detour_post_changed(struct kprobe_point *point, struct pt_regs *regs,
				unsigned long cpu_offset)
{
	kprobe_frame_exit(claimed_frame(cpu_offset));
	kprobe_detour_post_hit(point, regs);
}
NOKPROBE_SYMBOL(kprobe_detour_post_changed);

/**
 * kprobe_detour_diverted() - end a hit that a handler called by a detour has diverted
 * @point: the detour's point, published in the frame that the detour has claimed
 * @regs:  registers as the handler has left them
 * @cpu_offset: as for kprobe_detour_changed()
 *
 * Context: As kprobe_detour_hit().
 */
void kprobe_detour_diverted(struct kprobe_point *point, struct pt_regs *regs,
			    unsigned long cpu_offset)
{
	struct kprobe_frame *frame = claimed_frame(cpu_offset);

	kprobe_miss_rest(point, READ_ONCE(frame->probe));
	kprobe_go_on(point, regs);
	kprobe_frame_exit(frame);
}
NOKPROBE_SYMBOL(kprobe_detour_diverted);

/**
 * kprobe_detour_done() - enable preemption after one of the functions above
 *
 * Context: As kprobe_detour_hit(); enables preemption.
 */
void kprobe_detour_done(void)
{
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_detour_done);

/**
 * kprobe_detour_resched() - reschedule when a detour has enabled preemption
 *
 * A detour's code decrements the preemption count itself, and calls this if the count
 * is then 0 and a reschedule is due.
 *
 * Context: That of the probed code.
 */
void kprobe_detour_resched(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_detour_resched);
