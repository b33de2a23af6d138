// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Veneers: where short jumps lead.
 *
 * A jump that reaches a detour may not fit, because a branch leads to one of the bytes that
 * it would cover, or because another subsystem patches them. A short jump may still fit.
 * It leads to a veneer, which is a jump to the detour.
 *
 * A veneer is in the prefix of a function: bytes in front of its entry that nothing
 * executes. These bytes are nops unless this kernel has a use for them. They cannot be
 * probed, and no region contains them, as the prefix has a symbol of its own.
 *
 * A veneer belongs to a detour. It is written before a short jump leads there. It is
 * freed with the detour, after a Tasks RCU grace period, as a task can be preempted
 * before it executes the veneer. The text tells which veneers are in use: a free one is nops.
 *
 * On the run kernel of x86_64, of the points that can have a jump a short one is all that fits for
 * 2.6 % at any instruction (521 of 19,981), for 1.6 % at the second instruction of a function, and
 * for 0.5 % at an entry. The suite kprobes_share prints these numbers.
 *
 * Everything here runs under kprobe_mutex. No function is called *_veneer: scripts/mksysmap
 * keeps such names, which linkers make up, out of kallsyms.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "function.h"
#include "patch.h"
#include "veneer.h"

unsigned long kprobe_veneers_first = ULONG_MAX;
unsigned long kprobe_veneers_last;

/*
 * Finds a free veneer in a prefix, from @addr to @last. It must not begin at the first byte: if the
 * function before ends in a call, that is the address where the call seems to return to.
 */
static unsigned long find_in_prefix(const struct kprobe_function *prefix, unsigned long addr,
				    unsigned long last, const u8 *nops)
{
	last = min(last, prefix->end - KPROBE_JUMP_SIZE);
	for (addr = max(addr, prefix->start + 1); addr <= last; addr++)
		if (!memcmp((void *)addr, nops, KPROBE_JUMP_SIZE))
			return addr;
	return 0;
}

/* Finds a free veneer that a short jump at @site reaches; 0 if there is none. */
static unsigned long find_free(unsigned long site)
{
	unsigned long next = site + KPROBE_SHORT_JUMP_SIZE;
	unsigned long addr = next + S8_MIN, last = next + S8_MAX, found = 0;
	const u8 *nops = arch_kprobe_unused_prefix();
	struct kprobe_function f;

	/* No veneers in modules: their text may be freed while a detour is still there. */
	if (!nops || !__is_kernel_text(site))
		return 0;
	for (; !found && addr <= last && kprobe_find_function(addr, &f); addr = f.end)
		if (f.kind == KPROBE_SYMBOL_PREFIX)
			found = find_in_prefix(&f, addr, last, nops);
	return found;
}

/* Is a veneer free that a short jump at @site can lead to? */
bool kprobe_veneer_in_reach(unsigned long site)
{
	lockdep_assert_held(&kprobe_mutex);
	return find_free(site);
}

/*
 * Makes the veneer of a new detour, which a short jump will lead to. KPROBE_REASON_OUT_OF_REACH if
 * no veneer that the short jump reaches is free.
 */
enum kprobe_reason kprobe_veneer_make(struct kprobe_detour *detour)
{
	unsigned long addr = find_free(detour->point->site);
	u8 jump[KPROBE_JUMP_SIZE];
	struct kprobe_code code = { .buf = jump, .size = sizeof(jump), .base = addr };

	lockdep_assert_held(&kprobe_mutex);
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

/* Nobody executes the detour, which need not have a veneer. */
void kprobe_veneer_free(struct kprobe_detour *detour)
{
	lockdep_assert_held(&kprobe_mutex);
	if (detour->veneer)
		kprobe_patch_unused(kprobe_veneer_of(detour), arch_kprobe_unused_prefix());
	detour->veneer = 0;
}
