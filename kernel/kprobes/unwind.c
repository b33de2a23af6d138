// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tells unwinders about a hit's registers: whether a probe is there, whether the function has made
 * its frame, where displaced code comes from, and, where detours are stubs, what a stub's call has
 * saved. Where RCU is not watching, nothing is known of probes.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/uaccess.h>

#include "frame.h"
#include "point.h"
#include "slot.h"
#include "table.h"
#include "veneer.h"

/**
 * kprobe_is_site() - is a probe's mechanism in the text here?
 * @addr: any address
 *
 * Context: Any.
 * Return: True if there is a point with that site, and ftrace does not call kprobes for it.
 */
__kprobes bool kprobe_is_site(unsigned long addr)
{
	guard(preempt_notrace)();
	return kprobe_rcu_is_watching() && kprobe_table_find(addr);
}

/**
 * kprobe_is_entry() - was a function hit at its entry, before it has made a frame?
 * @ip: instruction pointer of registers, as handlers see it
 *
 * Pre-handlers see the address that is %KPROBE_HIT_OFFSET after the probed one, post-handlers that
 * of the next instruction. If the first instruction is no longer than that, both addresses are the
 * same. The instruction may be a push that has made a frame, so this returns false then.
 *
 * Context: Any.
 * Return: True when the caller's frame is the innermost.
 */
__kprobes bool kprobe_is_entry(unsigned long ip)
{
	struct kprobe_point *point;

	guard(preempt_notrace)();
	if (!kprobe_rcu_is_watching())
		return false;
	point = kprobe_point_lookup(ip - KPROBE_HIT_OFFSET);
	if (point)
		return point->on_func_entry && (point->site != point->addr ||
						point->len > KPROBE_HIT_OFFSET);
	point = kprobe_table_find(ip);
	return point && point->site != point->addr;
}

/**
 * kprobe_is_before() - is the probed instruction in front of an address not executed yet?
 * @ip: instruction pointer of registers, as handlers see it
 *
 * If the instruction is no longer than %KPROBE_HIT_OFFSET, pre-handlers, post-handlers and the text
 * after it see the same address, but the instruction may have changed the stack.
 *
 * Context: Any.
 * Return: True while pre-handlers of that probe run in the caller's context.
 */
__kprobes bool kprobe_is_before(unsigned long ip)
{
	struct kprobe_frame *frame;
	struct kprobe_point *point;

	guard(preempt_notrace)();
	if (!kprobe_rcu_is_watching())
		return false;
	point = kprobe_point_lookup(ip - KPROBE_HIT_OFFSET);
	frame = kprobe_running_frame();
	return point && frame && READ_ONCE(frame->hazard) == point && !READ_ONCE(frame->post);
}

/**
 * kprobe_is_after_entry() - has a function executed its first instruction and no other?
 * @ip: instruction pointer of registers, as post-handlers see it
 *
 * For architectures where that instruction neither makes a frame nor overwrites the return address.
 *
 * Context: Any.
 * Return: True when @ip is after a probed instruction at a function's entry.
 */
__kprobes bool kprobe_is_after_entry(unsigned long ip)
{
	struct kprobe_point *point;
	unsigned int len;

	guard(preempt_notrace)();
	if (!kprobe_rcu_is_watching())
		return false;
	for (len = KPROBE_INSN_ALIGN; len <= KPROBE_INSN_MAX; len += KPROBE_INSN_ALIGN) {
		point = kprobe_table_find(ip - len);
		if (point && point->len == len)
			return point->on_func_entry;
	}
	return false;
}

/**
 * kprobe_displaced_frame() - where displaced code comes from, for unwinding
 * @addr:   an instruction pointer
 * @pushed: set to how many bytes more are on the stack at @addr
 *
 * An unwinder uses what it knows about the returned address: the probed instruction if its copy at
 * @addr has not come further than to what can fault, else the instruction after that. The slot's
 * own code has pushed @pushed bytes, which come in addition. On architectures with a link register,
 * @pushed is what kprobe_call_pushed() returns: see kprobe_unwind_stub().
 *
 * Context: Any. Where RCU is not watching, nothing is known of slots.
 * Return: The address in the kernel's or a module's text that @addr stands
 * for; @addr itself when that is neither in a slot nor a veneer.
 */
__kprobes unsigned long kprobe_displaced_frame(unsigned long addr, unsigned int *pushed)
{
	/* At a veneer registers and stack are those at the start of the detour. */
	unsigned long slot = kprobe_veneer_target(addr);
	struct kprobe_point *point;
	unsigned long owner;
	unsigned int offset;

	*pushed = 0;
	guard(preempt_notrace)();
	owner = kprobe_slot_owner_at(slot, &offset);
	if (!owner)
		return addr;
	if (kprobe_owner_detour(owner))
		return arch_kprobe_detour_ip(kprobe_owner_detour(owner), slot, pushed);
	point = kprobe_owner_point(owner);
	if ((void *)slot - offset == kprobe_point_pass(point))
		return point->site;
	if ((void *)slot - offset == READ_ONCE(point->text.run_post))
		*pushed = kprobe_call_pushed(offset,
					     arch_kprobe_copy_len(point) + KPROBE_STUB_ENTER);
	if (!*pushed)
		*pushed = kprobe_copy_pushed(point->insn, offset);
	return point->site + (offset > kprobe_point_fault(point) ? point->len : 0);
}

/**
 * kprobe_displaced_ip() - where displaced code comes from
 * @addr: an instruction pointer
 *
 * Context: As kprobe_displaced_frame().
 * Return: As kprobe_displaced_frame().
 */
__kprobes unsigned long kprobe_displaced_ip(unsigned long addr)
{
	unsigned int pushed;

	return kprobe_displaced_frame(addr, &pushed);
}

#if defined(KPROBE_STUB_FRAME) && !defined(ARCH_KPROBE_OWN_DETOURS)
/**
 * kprobe_saves_regs() - is this code of kprobes that saves registers as a trap does?
 * @pc: a return address found on a stack
 *
 * Context: Any.
 * Return: True when the registers are where the caller's frame ends.
 */
__kprobes bool kprobe_saves_regs(unsigned long pc)
{
	return pc > (unsigned long)kprobe_post_trampoline &&
	       pc < (unsigned long)kprobe_trampolines_end;
}

/*
 * Undoes what the return trampoline has done to the stack. Between its first instruction and its
 * call registers are not saved yet, so unwinding begins at its start. At its last instruction they
 * are restored. Elsewhere they are saved.
 */
static __kprobes void leave_return_trampoline(struct kprobe_unwind *at)
{
#ifdef KRETPROBE_TRAMPOLINE_MARKS
	unsigned long start = (unsigned long)kretprobe_trampoline;

	if (at->ip > start && at->ip <= kretprobe_trampoline_marks[0]) {
		at->ip = start;
		at->sp += sizeof(struct pt_regs);
	} else if (at->ip == kretprobe_trampoline_marks[1]) {
		at->ip = at->link;
	}
#endif
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
 * Context: Any.
 * Return: True if there is such a frame, which then ends at the stack pointer in @at.
 */
__kprobes bool kprobe_unwind_stub(struct kprobe_unwind *at)
{
	unsigned long ip, link;
	unsigned int pushed;
	bool called;

	leave_return_trampoline(at);
	ip = at->ip;
	/* At the start of the return trampoline nothing is called yet. */
	called = ip != (unsigned long)kretprobe_trampoline &&
		 (ip == (unsigned long)kprobe_post_trampoline || kprobe_saves_regs(ip));
	/*
	 * A trampoline keeps the address in the slot that it returns to in a register of its own.
	 * While it is not there, nothing was called that overwrites the link register.
	 */
	if (called && is_kprobe_insn_slot(at->kept))
		ip = at->kept;
	else if (called)
		ip = is_kprobe_insn_slot(at->link) ? at->link : 0;
	ip = kprobe_displaced_frame(ip, &pushed);
	if (pushed & KPROBE_FRAME_IS_EMPTY) {
		/* The link register is still what it was. */
		at->sp += pushed & ~KPROBE_FRAME_IS_EMPTY;
	} else if (pushed) {
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
#endif
