// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Detours: stubs, or what the code of an architecture's own detours calls.
 *
 * The code of an architecture's own detour claims the CPU's first frame, checks by the point's
 * generation that the point's handlers are still those that it was made for, calls them, and
 * releases the frame. It calls a function here if the frame is in use, if the handlers have changed
 * or are too many, or if a handler diverts the hit. The rules at the top of hit.c hold here too.
 */
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "frame.h"
#include "hit.h"

#ifdef ARCH_KPROBE_OWN_DETOURS
/**
 * kprobe_detour_hit() - handle a hit that is nested or has more handlers than a detour calls
 * @point: its point
 * @regs:  registers at the hit, as a breakpoint would give them; the instruction pointer is set
 *         to the displaced instructions that are left to execute
 *
 * Context: That of the probed code, but with preemption disabled. Enables preemption.
 */
__kprobes void kprobe_detour_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	kmsan_unpoison_entry_regs(regs);
	kprobe_hit(point, regs, 0);
	preempt_enable_notrace();
}

/* The frame that a detour has claimed; another CPU's if a handler has slept and migrated. */
static __kprobes struct kprobe_frame *claimed_frame(unsigned long cpu_offset)
{
	return RELOC_HIDE((struct kprobe_frame __force __kernel *)&kprobe_cpu.frame[0],
			  cpu_offset);
}

/**
 * kprobe_detour_changed() - handle a hit whose detour was made for other handlers
 * @point: its point, published in the frame that the detour has claimed
 * @regs:  as for kprobe_detour_hit()
 * @cpu_offset: per_cpu_offset() of the CPU whose frame the detour has claimed
 *
 * Context: As kprobe_detour_hit().
 */
__kprobes void kprobe_detour_changed(struct kprobe_point *point, struct pt_regs *regs,
				     unsigned long cpu_offset)
{
	kprobe_frame_exit(claimed_frame(cpu_offset));
	kprobe_detour_hit(point, regs);
}

/**
 * kprobe_detour_post_hit() - call post-handlers for a detour that finds its frame in use
 * @point: its point
 * @regs:  registers after the first displaced instruction; the instruction pointer is set to what
 *         comes after that
 *
 * Context: As kprobe_detour_hit().
 */
__kprobes void kprobe_detour_post_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	kprobe_post_hit(point, regs);
	/* Post-handlers cannot divert a hit. The next instruction may be in the detour. */
	instruction_pointer_set(regs, point->site + point->len);
	kprobe_go_on(point, regs);
	preempt_enable_notrace();
}

/**
 * kprobe_detour_post_changed() - call post-handlers for a detour that was made for others
 * @point: as for kprobe_detour_changed()
 * @regs:  as for kprobe_detour_post_hit()
 * @cpu_offset: as for kprobe_detour_changed()
 *
 * Context: As kprobe_detour_hit().
 */
__kprobes void kprobe_detour_post_changed(struct kprobe_point *point,
					  struct pt_regs *regs, unsigned long cpu_offset)
{
	kprobe_frame_exit(claimed_frame(cpu_offset));
	kprobe_detour_post_hit(point, regs);
}

/**
 * kprobe_detour_diverted() - end a hit that a handler called by a detour has diverted
 * @point: as for kprobe_detour_changed()
 * @regs:  registers as the handler has left them
 * @cpu_offset: as for kprobe_detour_changed()
 *
 * Context: As kprobe_detour_hit().
 */
__kprobes void kprobe_detour_diverted(struct kprobe_point *point, struct pt_regs *regs,
				      unsigned long cpu_offset)
{
	struct kprobe_frame *frame = claimed_frame(cpu_offset);

	kprobe_miss_rest(point, READ_ONCE(frame->probe));
	kprobe_go_on(point, regs);
	kprobe_frame_exit(frame);
	preempt_enable_notrace();
}

/**
 * kprobe_detour_resched() - reschedule when a detour has enabled preemption
 *
 * A detour's code decrements the preemption count itself, and calls this if the count
 * is then 0 and a reschedule is due.
 *
 * Context: That of the probed code.
 */
__kprobes void kprobe_detour_resched(void)
{
	preempt_disable_notrace();
	preempt_enable_notrace();
}

#else /* !ARCH_KPROBE_OWN_DETOURS */
/*
 * A stub:
 *
 *			address of the struct kprobe_detour: the slot's owner
 *	entry:		call of kprobe_detour_common
 *	run:		displaced instructions
 *			jump back
 *			what restores the stack after the call above
 *	run_post:	the first displaced instruction, if it is copied and does not branch
 *			call of kprobe_post_trampoline
 *			jump to the second one above, or back
 *
 * kprobe_detour_common belongs to the architecture. It saves the registers as a trap would, and
 * calls kprobe_detour_enter() with the detour, which it finds by its return address. It then goes
 * on where that function says: mostly it returns to "run" or "run_post", as the same code restores
 * the stack in front of both. A stub knows no handlers, so it outlives all changes of them.
 */
enum kprobe_reason arch_kprobe_emit_detour(struct kprobe_detour *detour,
					   const struct kprobe_region *region,
					   struct kprobe_code *code)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	struct kprobe_point *point = detour->point;

	detour->direct = true;
	isa->enter(code, (unsigned long)kprobe_detour_common);
	kprobe_code_leave(code, isa);
	detour->route.run = (void *)kprobe_code_here(code);
	kprobe_emit_region(isa, code, region, 0, (u8 *)point->insn, point->site,
			   detour->insn);
	detour->copies = code->len;
	detour->route.run_post = NULL;
	if (region->insn[0].action != KPROBE_RUN || region->insn[0].branches)
		return KPROBE_REASON_NONE;
	kprobe_code_leave(code, isa);
	detour->route.run_post = (void *)kprobe_code_here(code);
	isa->emit(code, &region->insn[0], (u8 *)point->insn, point->site);
	isa->enter(code, (unsigned long)kprobe_post_trampoline);
	kprobe_code_leave(code, isa);
	isa->jump(code, region->nr > 1 ? code->base + detour->insn[1] : point->site + point->len,
		  region->scratch);
	return KPROBE_REASON_NONE;
}
#endif /* ARCH_KPROBE_OWN_DETOURS */
