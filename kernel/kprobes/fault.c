// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Faults in kernel mode, which are offered to the fault handlers of probes: faults of displaced
 * instructions, which look as if the original instruction had faulted, and faults in handlers.
 * The rules at the top of hit.c hold here as well.
 */
#include <linux/extable.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "frame.h"
#include "hit.h"
#include "point.h"
#include "slot.h"

/* Calls a probe's fault handler, unless the fault is that handler's own. */
static __kprobes int call_fault_handler(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	struct kprobe_frame *frame = kprobe_running_frame();
	int handled;

	if (!p->fault_handler || !frame || READ_ONCE(frame->faulting))
		return 0;
	WRITE_ONCE(frame->faulting, true);
	handled = p->fault_handler(p, regs, trapnr);
	WRITE_ONCE(frame->faulting, false);
	return handled;
}

/* Offers a fault of the displaced instruction to the probes of its point. */
static __kprobes int displaced_fault(struct kprobe_point *point, struct pt_regs *regs, int trapnr)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, 0);
	struct kprobe *p;
	int handled = 0;

	if (!frame)
		return 0;
	list_for_each_entry_rcu(p, &point->probes, list, true) {
		if (kprobe_disabled(p))
			continue;
		WRITE_ONCE(frame->probe, p);
		handled = call_fault_handler(p, regs, trapnr);
		if (handled)
			break;
	}
	kprobe_frame_exit(frame);
	return handled;
}

/* Offers a fault to the probe in whose handler it happened, if it was in one. */
static __kprobes int handler_fault(struct pt_regs *regs, int trapnr)
{
	struct kprobe *p = preemptible() ? NULL : kprobe_running();

	return p ? call_fault_handler(p, regs, trapnr) : 0;
}

/* A fault of a copy. In the text @original would have faulted. */
static __kprobes int slot_fault(struct kprobe_point *point, unsigned long original,
				struct pt_regs *regs, int trapnr)
{
	unsigned long slot_ip = instruction_pointer(regs), next = arch_kprobe_next_ip(regs);
	int handled = 0;

	preempt_disable_notrace();
	instruction_pointer_set(regs, original);
	/* The copy is not of a probed entry nop, but of the instruction after it. */
	if (!kprobe_point_skips_nop(point))
		handled = displaced_fault(point, regs, trapnr);
	handled = handled ?: handler_fault(regs, trapnr);
	/* To try again, or be fixed up, in the copy: another hit would run the handlers twice. */
	if (instruction_pointer(regs) == original) {
		instruction_pointer_set(regs, slot_ip);
		arch_kprobe_set_next_ip(regs, next);
	} else if (handled) {
		kprobe_go_on(point, regs);
	}
	preempt_enable_notrace();
	return handled;
}

/**
 * kprobe_fault_handler() - a fault happened in kernel mode
 * @regs:   registers at the fault
 * @trapnr: the architecture's number of the trap
 *
 * Context: Any.
 * Return: What a probe's fault handler has returned if that has dealt with it, else 0.
 */
__kprobes int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	unsigned long original;
	struct kprobe_point *point = kprobe_slot_fault(instruction_pointer(regs), &original);

	if (unlikely(point))
		return slot_fault(point, original, regs, trapnr);
	return handler_fault(regs, trapnr);
}

/**
 * kprobe_search_exception_tables() - find the exception table entry of displaced code
 * @addr: an address
 *
 * Context: Any.
 * Return: The entry of the original when @addr is where a copy faults, else NULL.
 */
__kprobes const struct exception_table_entry *
kprobe_search_exception_tables(unsigned long addr)
{
	unsigned long original;

	guard(preempt_notrace)();
	return kprobe_slot_fault(addr, &original) ? search_exception_tables(original) : NULL;
}
