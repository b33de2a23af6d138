/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_ARCH_OPTIONAL_H
#define _LINUX_KPROBE_ARCH_OPTIONAL_H

/*
 * The part of the contract with architectures that is for x86, and arch_kprobe_is_thunk() for s390
 * as well. An architecture with instructions of fixed length, and with the stubs of detour.c for
 * detours, needs none of it. linux/kprobe_arch.h includes this.
 */

#ifndef arch_kprobe_preempt_count
/**
 * arch_kprobe_preempt_count() - read what context this is
 *
 * Context: Hit path.
 * Return: preempt_count(), of which only %KPROBE_CONTEXT_MASK has to be right.
 */
static __always_inline unsigned int arch_kprobe_preempt_count(void)
{
	return preempt_count();
}
#endif

/*
 * Where RCU is not watching, hits that no trap has reported have RCU watch before they call
 * handlers. An architecture where no such code can be probed, because all of it is noinstr,
 * need not look for that: it defines ARCH_KPROBE_RCU_WATCHES in asm/kprobes.h. Detours of
 * its own must be so, as they do not look.
 */
#if defined(ARCH_KPROBE_OWN_DETOURS) && !defined(ARCH_KPROBE_RCU_WATCHES)
#error "detours of an architecture's own need ARCH_KPROBE_RCU_WATCHES"
#endif

#ifndef arch_kprobe_way_out
/**
 * arch_kprobe_way_out() - what functions return through, if not by a return
 *
 * Context: Any.
 * Return: Its address, 0 when there is no such thing.
 */
static inline unsigned long arch_kprobe_way_out(void)
{
	return 0;
}
#endif

#ifndef arch_kprobe_is_thunk
/**
 * arch_kprobe_is_thunk() - does it jump to an unknown target?
 * @addr: a place outside of a function, that the function jumps to
 *
 * Context: Process context.
 * Return: True when it may come back into the function's middle.
 */
static inline bool arch_kprobe_is_thunk(unsigned long addr)
{
	return false;
}
#endif

#ifndef arch_kprobe_refuses_detours
/**
 * arch_kprobe_refuses_detours() - is this a machine where detours cannot run?
 *
 * Context: Any.
 * Return: %KPROBE_REASON_NONE, or why.
 */
static inline enum kprobe_reason arch_kprobe_refuses_detours(void)
{
	return KPROBE_REASON_NONE;
}
#endif

/*
 * An architecture where a shorter jump has less reach, and where functions have prefixes,
 * bytes in front of their entries that nothing executes, may define KPROBE_SHORT_JUMP_SIZE
 * in asm/kprobe_point.h. The short jump must reach 128 bytes back and 127 ahead from its
 * end, and the jump of arch_kprobe_isa must need no register. Prefixes must have symbols
 * that begin with __pfx_ or __cfi_: veneer.c is built with CONFIG_PREFIX_SYMBOLS. The
 * architecture supplies there as well:
 *
 *   arch_kprobe_short_isa
 *	the instruction set with that jump
 *   unsigned long arch_kprobe_jump_target(unsigned long addr)
 *	where the jump at addr leads, or addr if no jump is there; inline, called in
 *	any context
 *
 * and arch_kprobe_unused_prefix().
 */
#ifndef KPROBE_SHORT_JUMP_SIZE
#define KPROBE_SHORT_JUMP_SIZE	0
#define arch_kprobe_short_isa	arch_kprobe_isa
#endif

/**
 * arch_kprobe_unused_prefix() - may the core write to prefixes of the kernel's functions?
 *
 * Context: Process context.
 * Return: What unused prefixes contain, %KPROBE_JUMP_SIZE bytes of it, starting at any of
 * their bytes. NULL if this kernel has a use for prefixes.
 */
const u8 *arch_kprobe_unused_prefix(void);

/* Only a short jump fits if the region is shorter than any other jump. */
static inline bool kprobe_point_jumps_short(const struct kprobe_point *point)
{
	return KPROBE_SHORT_JUMP_SIZE && point->region_len < KPROBE_JUMP_SIZE;
}

/* The instruction set with the jump that fits. */
static inline const struct kprobe_isa *kprobe_point_isa(const struct kprobe_point *point)
{
	return kprobe_point_jumps_short(point) ? arch_kprobe_short_isa : arch_kprobe_isa;
}

/* Where the short jump to a detour leads. */
static inline unsigned long kprobe_veneer_of(const struct kprobe_detour *detour)
{
	return (unsigned long)detour->slot + detour->veneer;
}

/* Where a point's jump leads. */
static inline unsigned long kprobe_point_jump_target(const struct kprobe_point *point)
{
	return kprobe_point_jumps_short(point) ? kprobe_veneer_of(point->detour) :
	       (unsigned long)point->detour->slot;
}

/* What detours of an architecture's own call: detour.c, and kretprobe.c for a quick entry. */
void kprobe_detour_hit(struct kprobe_point *point, struct pt_regs *regs);
void kprobe_detour_changed(struct kprobe_point *point, struct pt_regs *regs,
			   unsigned long cpu_offset);
void kprobe_detour_diverted(struct kprobe_point *point, struct pt_regs *regs,
			    unsigned long cpu_offset);
void kprobe_detour_post_hit(struct kprobe_point *point, struct pt_regs *regs);
void kprobe_detour_post_changed(struct kprobe_point *point, struct pt_regs *regs,
				unsigned long cpu_offset);
void kprobe_detour_resched(void);

#ifdef ARCH_KPROBE_OWN_DETOURS
/**
 * struct kretprobe_quick_entry - for a detour that calls kretprobe_enter_quickly()
 * @rp:         the return probe
 * @point:      its point
 * @generation: the point's when the detour is made
 */
struct kretprobe_quick_entry {
	struct kretprobe *rp;
	const struct kprobe_point *point;
	u32 generation;
};

/*
 * To be compiled so that it keeps all registers but those of its arguments and result, which
 * clang takes from its caller, and flags. The return address must be at @fp:
 * arch_kretprobe_set_return_address() is called with NULL for its registers.
 */
bool ARCH_KPROBE_KEEPS_REGISTERS
kretprobe_enter_quickly(const struct kretprobe_quick_entry *entry, void *fp);
bool kretprobe_enters_quickly(const struct kprobe_detour *detour,
			      struct kretprobe_quick_entry *entry);
#endif

#endif /* _LINUX_KPROBE_ARCH_OPTIONAL_H */
