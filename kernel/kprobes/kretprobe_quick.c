// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handles the entry of a probed function for detours that call no handler but kretprobe_entry().
 *
 * kretprobe_entry() reads and writes the return address, and no user sees registers. Saving and
 * restoring all registers would take longer than everything else. The detour therefore first calls
 * kretprobe_enter_quickly(), which keeps all registers, and saves registers only if that has done
 * nothing.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "frame.h"
#include "kretprobe.h"
#include "kretprobe_call.h"
#include "kretprobe_pool.h"

#ifdef ARCH_KPROBE_OWN_DETOURS

/* GCC has the attribute since version 7. Without it ARCH_KPROBE_KEEPS_REGISTERS is empty. */
#if __has_attribute(__no_caller_saved_registers__)
#define KEEPS_REGISTERS	true
#else
#define KEEPS_REGISTERS	false
#endif

/**
 * kretprobe_enters_quickly() - check whether a detour may call kretprobe_enter_quickly()
 * @detour: the detour
 * @entry:  filled in for it
 *
 * Never with CONFIG_FRAME_POINTER: the unwinder would not find the caller of the probed function.
 *
 * Context: As arch_kprobe_emit_detour().
 * Return: True if the point has one return probe, without an entry handler, and no other probe.
 */
bool kretprobe_enters_quickly(const struct kprobe_detour *detour,
			      struct kretprobe_quick_entry *entry)
{
	const struct kprobe_point *point = detour->point;
	struct kprobe *p = list_first_entry(&point->probes, struct kprobe, list);

	if (!KEEPS_REGISTERS || IS_ENABLED(CONFIG_FRAME_POINTER) ||
	    IS_ENABLED(CONFIG_ZERO_CALL_USED_REGS) || !list_is_singular(&point->probes) ||
	    kprobe_disabled(p) || p->pre_handler != kretprobe_entry)
		return false;
	*entry = (struct kretprobe_quick_entry){
		.rp = container_of(p, struct kretprobe, kp),
		.point = point,
		.generation = detour->generation,
	};
	return true;
}
NOKPROBE_SYMBOL(kretprobe_enters_quickly);

/**
 * kretprobe_enter_quickly() - handle a hit that calls kretprobe_entry() only
 * @entry: filled in when the detour was made
 * @fp:    as for kretprobe_return()
 *
 * Context: That of the probed code.
 * Return: False if nothing was done: the detour must call handlers as for any hit.
 */
bool ARCH_KPROBE_KEEPS_REGISTERS
kretprobe_enter_quickly(const struct kretprobe_quick_entry *entry, void *fp)
{
	unsigned long ret_addr = *(unsigned long *)fp;
	struct kretprobe_instance *ri = NULL;

	preempt_disable_notrace();
	if (likely(!kprobe_frame_is_used() && ret_addr != KRETPROBE_TRAMPOLINE)) {
		struct kprobe_frame *frame = kprobe_first_frame();

		/* Like kprobe_frame_begin(), but no code here can be hit in this context. */
		WRITE_ONCE(frame->hazard, entry->point);
		barrier();
		if (likely(READ_ONCE(entry->point->generation) == entry->generation))
			ri = kretprobe_pool_pop_spare(entry->rp);
		if (likely(ri)) {
			kretprobe_identify(ri, fp, ret_addr);
			kretprobe_hijack(ri, NULL, fp);
		}
		smp_store_release(&frame->hazard, NULL);	/* as in kprobe_frame_exit() */
	}
	preempt_enable_notrace();
	return ri;
}
NOKPROBE_SYMBOL(kretprobe_enter_quickly);

#endif /* ARCH_KPROBE_OWN_DETOURS */
