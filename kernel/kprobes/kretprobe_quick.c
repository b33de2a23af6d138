// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The entry of a probed function, for detours that call no handler but kretprobe_entry().
 *
 * That reads and writes the return address, and nobody sees registers. To save and restore
 * them all takes longer than everything else. So such a detour first calls a function that
 * keeps them, and saves registers only if it must leave the hit to the usual way.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "frame.h"
#include "kretprobe.h"
#include "kretprobe_call.h"
#include "kretprobe_pool.h"

#ifdef ARCH_KPROBE_OWN_DETOURS

/* GCC has it since version 7. Without it the macro is empty. */
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
 * Unwinders by frame pointers would not find the caller of the probed function.
 *
 * Context: As arch_kprobe_emit_detour().
 * Return: True if there is one return probe, without an entry handler, and nothing else.
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
 * kretprobe_enter_quickly() - do what a hit does that calls kretprobe_entry() only
 * @entry: from a detour's code
 * @fp:    as for kretprobe_return()
 *
 * Context: That of the probed code.
 * Return: False if nothing was done, and handlers must be called as for any hit.
 */
bool ARCH_KPROBE_KEEPS_REGISTERS
kretprobe_enter_quickly(const struct kretprobe_quick_entry *entry, void *fp)
{
	unsigned long ret_addr = *(unsigned long *)fp;
	struct kretprobe_instance *ri = NULL;

	preempt_disable_notrace();
	if (likely(!kprobe_frame_is_used() && ret_addr != KRETPROBE_TRAMPOLINE)) {
		struct kprobe_frame *frame = kprobe_first_frame();

		/* As in kprobe_frame_begin(), but nothing can be hit in this context. */
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
