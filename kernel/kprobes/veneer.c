// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Veneers: where short jumps lead, if a jump of full length does not fit because a branch leads to
 * one of the bytes that it would cover, or another subsystem patches them.
 *
 * A veneer is a jump to a detour, in the prefix of a function: bytes in front of its entry that
 * nothing executes, and that have a symbol of their own. A free veneer is nops. A veneer is
 * freed with its detour, after a Tasks RCU grace period, as a task can be preempted before it
 * executes the veneer.
 *
 * Of the points of x86_64's run kernel that can have a jump, 2.6 % (521 of 19,981) at any
 * instruction and 0.5 % at an entry need a short one: the suite kprobes_share.
 *
 * No function is called *_veneer: scripts/mksysmap keeps such names, which linkers make up, out of
 * kallsyms.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "patch.h"
#include "place.h"
#include "veneer.h"

unsigned long kprobe_veneers_first = ULONG_MAX;
unsigned long kprobe_veneers_last;

/* Finds a free veneer that a short jump at @site reaches; 0 if there is none. */
unsigned long kprobe_veneer_find(unsigned long site)
{
	unsigned long next = site + KPROBE_SHORT_JUMP_SIZE;
	unsigned long addr = next + S8_MIN, last = next + S8_MAX;
	const u8 *nops = arch_kprobe_unused_prefix();
	struct kprobe_function f;

	lockdep_assert_held(&kprobe_mutex);
	/* No veneers in modules: their text may be freed while a detour is still there. */
	if (!nops || !__is_kernel_text(site))
		return 0;
	for (; addr <= last && kprobe_find_function(addr, &f); addr = f.end) {
		if (f.kind != KPROBE_SYMBOL_PREFIX)
			continue;
		/* A call at the end of the function before seems to return to the first byte. */
		for (addr = max(addr, f.start + 1);
		     addr <= min(last, f.end - KPROBE_JUMP_SIZE); addr++)
			if (!memcmp((void *)addr, nops, KPROBE_JUMP_SIZE))
				return addr;
	}
	return 0;
}

/* Makes the veneer of a new detour, before a short jump leads there. */
enum kprobe_reason kprobe_veneer_make(struct kprobe_detour *detour)
{
	unsigned long addr = kprobe_veneer_find(detour->point->site);
	u8 jump[KPROBE_JUMP_SIZE];
	struct kprobe_code code = { .buf = jump, .size = sizeof(jump), .base = addr };

	if (!addr)
		return KPROBE_REASON_OUT_OF_REACH;
	arch_kprobe_isa->jump(&code, (unsigned long)detour->slot, 0);
	if (code.far)
		return KPROBE_REASON_OUT_OF_REACH;
	detour->veneer = addr - (unsigned long)detour->slot;
	WRITE_ONCE(kprobe_veneers_first, min(kprobe_veneers_first, addr));
	WRITE_ONCE(kprobe_veneers_last, max(kprobe_veneers_last, addr));
	kprobe_patch_unused(addr, jump);
	return KPROBE_REASON_NONE;
}

/* The detour, which nobody executes, need not have a veneer. */
void kprobe_veneer_free(struct kprobe_detour *detour)
{
	lockdep_assert_held(&kprobe_mutex);
	if (detour->veneer)
		kprobe_patch_unused(kprobe_veneer_of(detour), arch_kprobe_unused_prefix());
	detour->veneer = 0;
}
