// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stubs: the detours of architectures that write none of their own.
 *
 *			address of the struct kprobe_detour: the slot's owner
 *	entry:		call of kprobe_detour_common
 *	run:		displaced instructions
 *			jump back
 *			what restores the stack after the call above
 *	run_post:	the first displaced instruction
 *			call of kprobe_post_trampoline
 *			jump to the second one above, or back
 *
 * kprobe_detour_common belongs to the architecture. It saves the registers as a trap would, and
 * calls kprobe_detour_enter() with the detour, which it finds by its return address. Then it
 * goes on where that function says. In most cases that is "run" or "run_post": it just returns
 * there, as the same code restores the stack in front of both. A stub knows no handlers, so it
 * outlives all changes of them.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#ifndef ARCH_KPROBE_OWN_DETOURS

/* Where to go on after the first instruction: in the stub if it has more, else in the text. */
static unsigned long resume_at(const struct kprobe_code *code,
			       const struct kprobe_region *region,
			       const struct kprobe_point *point, const u16 *at)
{
	return region->nr > 1 ? code->base + at[1] : point->site + region->insn[0].len;
}

static void *emit_post(struct kprobe_code *code, const struct kprobe_region *region,
		       const struct kprobe_point *point, const u16 *at)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	void *start;

	if (region->insn[0].action != KPROBE_RUN)
		return NULL;
	kprobe_code_leave(code, isa);
	start = (void *)kprobe_code_here(code);
	isa->emit(code, &region->insn[0], (u8 *)point->insn, point->site);
	isa->enter(code, (unsigned long)kprobe_post_trampoline);
	kprobe_code_leave(code, isa);
	isa->jump(code, resume_at(code, region, point, at), region->scratch);
	return start;
}

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
	detour->route.run_post = emit_post(code, region, point, detour->insn);
	return KPROBE_REASON_NONE;
}

#ifdef KPROBE_STUB_FRAME
/**
 * kprobe_saves_regs() - is this code of kprobes that saves registers as a trap does?
 * @pc: a return address found on a stack
 *
 * Context: Any.
 * Return: True when the registers are where the caller's frame ends.
 */
bool kprobe_saves_regs(unsigned long pc)
{
	return pc > (unsigned long)kprobe_post_trampoline &&
	       pc < (unsigned long)kprobe_trampolines_end;
}
NOKPROBE_SYMBOL(kprobe_saves_regs);

/*
 * The address that a trampoline returns to if that is in a slot or stub, else 0. The trampoline
 * keeps the address in a register of its own (@kept). Before it has moved the address there, and
 * after it has restored the link register, it has not called anything: the link register has the
 * address.
 */
static __always_inline unsigned long returns_to(const struct kprobe_unwind *at)
{
	if (is_kprobe_insn_slot(at->kept))
		return at->kept;
	return is_kprobe_insn_slot(at->link) ? at->link : 0;
}

/**
 * kprobe_unwind_stub() - undo a stub's call in registers that unwinding begins with
 * @at: registers of a trap or interrupt, which need not be kprobes' own; changed to those of
 *      the probed code
 *
 * A stub's call overwrites the link register. The stub has saved the register in a frame, which
 * trampolines then fill with all registers. The address of displaced code becomes that of the
 * original, as by kprobe_displaced_ip().
 *
 * Must not be called for the registers that a trampoline has saved: these are the probed code's.
 *
 * Context: Any. Where RCU is not watching, nothing is known of slots.
 * Return: True if there is such a frame, which then ends at the stack pointer in @at.
 */
bool kprobe_unwind_stub(struct kprobe_unwind *at)
{
	bool called = at->ip == (unsigned long)kprobe_post_trampoline ||
		      kprobe_saves_regs(at->ip);
	unsigned long ip = called ? returns_to(at) : at->ip, link;
	unsigned int pushed;

	ip = kprobe_displaced_frame(ip, &pushed);
	if (pushed) {
		__get_kernel_nofault(&link, (void *)(at->sp + KPROBE_STUB_LINK), unsigned long,
				     unreadable);
		at->link = link;
		at->sp += pushed;
	}
	if (pushed || !called)
		at->ip = ip;
	return pushed;
unreadable:
	return false;
}
NOKPROBE_SYMBOL(kprobe_unwind_stub);
#endif /* KPROBE_STUB_FRAME */

#endif /* ARCH_KPROBE_OWN_DETOURS */
