/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_ARCH_UNWIND_H
#define _LINUX_KPROBE_ARCH_UNWIND_H

/*
 * The part of the contract with architectures that is for unwinders: what an address in a slot, in
 * a detour or in a stub stands for, and how much more is on the stack there than at the original.
 * linux/kprobe_arch.h includes this; unwind.c asks it.
 */

#ifndef KPROBE_STUB_ROOM
#define KPROBE_STUB_ROOM	KPROBE_STUB_SAVED
#endif

/* A stub's frame is there, but the link register is not in it yet: added to the frame's size. */
#define KPROBE_FRAME_IS_EMPTY	BIT(0)

/**
 * kprobe_call_pushed() - has a call in a slot or stub saved the link register?
 * @addr: an address
 * @ret:  where the call returns to
 *
 * For architectures with a link register, which define in asm/kprobes.h how long the code of
 * kprobe_isa.enter() (%KPROBE_STUB_ENTER) and kprobe_isa.leave() (%KPROBE_STUB_LEAVE) is, how
 * many bytes of the former come after the instruction that saves the link register
 * (%KPROBE_STUB_SAVED), how large the frame is (%KPROBE_STUB_FRAME) and where in it the
 * register is (%KPROBE_STUB_LINK). Where unwinders know frames by the stack pointer, also how
 * many bytes of the former come after the instruction that makes room (%KPROBE_STUB_ROOM).
 *
 * Context: Any.
 * Return: The size of the frame from when there is room for it until it is removed, with
 * %KPROBE_FRAME_IS_EMPTY until the register is in it; else 0.
 */
#ifdef KPROBE_STUB_FRAME
static __always_inline unsigned int kprobe_call_pushed(unsigned long addr, unsigned long ret)
{
	if (addr - ret + KPROBE_STUB_SAVED < KPROBE_STUB_SAVED + KPROBE_STUB_LEAVE)
		return KPROBE_STUB_FRAME;
	return addr - ret + KPROBE_STUB_ROOM < KPROBE_STUB_ROOM - KPROBE_STUB_SAVED ?
	       KPROBE_STUB_FRAME | KPROBE_FRAME_IS_EMPTY : 0;
}
#else
#define KPROBE_STUB_ENTER	0
#define KPROBE_STUB_LEAVE	0

static __always_inline unsigned int kprobe_call_pushed(unsigned long addr, unsigned long ret)
{
	return 0;
}
#endif

#ifndef arch_kprobe_copy_pushed
/**
 * arch_kprobe_copy_pushed() - how much is on the stack in a copy of several instructions?
 * @insn:   the bytes of the original
 * @offset: where in its copy, or behind that
 *
 * Context: Any.
 * Return: How many bytes the copy itself has pushed there, and will pop.
 */
static __always_inline unsigned int arch_kprobe_copy_pushed(const void *insn, unsigned int offset)
{
	return 0;
}
#endif

/* Likewise, as kprobe_call_pushed() has it: the link register is what it was. */
static __always_inline unsigned int kprobe_copy_pushed(const void *insn, unsigned int offset)
{
	unsigned int pushed = arch_kprobe_copy_pushed(insn, offset);

	return pushed ? pushed | KPROBE_FRAME_IS_EMPTY : 0;
}

/**
 * arch_kprobe_detour_ip() - where code of a detour comes from
 * @detour: the detour
 * @addr:   an address in it
 * @pushed: set to how many bytes more are on the stack at @addr; 0 to begin with. Of a stub
 *          what kprobe_call_pushed() returns
 *
 * Context: Any.
 * Return: An address of the kernel's text from which unwinding goes the same
 * way: the original of a displaced instruction, or for the detour's own code
 * one that is like it.
 */
#ifdef ARCH_KPROBE_OWN_DETOURS
unsigned long arch_kprobe_detour_ip(const struct kprobe_detour *detour,
				    unsigned long addr, unsigned int *pushed);
#else
/* The first call ends before @run. A copy of its end is before @run_post, another call after. */
static __always_inline unsigned int
kprobe_stub_pushed(const struct kprobe_detour *detour, unsigned long addr)
{
	unsigned long offset = addr - (unsigned long)detour->slot;
	unsigned long run = (unsigned long)detour->route.run;
	unsigned long post = (unsigned long)detour->route.run_post;
	const void *text = detour->point->insn;
	unsigned int i;

	if (addr < run)
		return kprobe_call_pushed(addr, run - KPROBE_STUB_LEAVE);
	if (offset < detour->copies) {
		i = kprobe_detour_index(detour, offset);
		return kprobe_copy_pushed(text + detour->from[i], offset - detour->insn[i]);
	}
	if (addr < post)
		return kprobe_call_pushed(addr, post - KPROBE_STUB_LEAVE);
	offset = detour->insn[1] - detour->insn[0];
	if (addr < post + offset)
		return kprobe_copy_pushed(text, addr - post);
	return kprobe_call_pushed(addr, post + offset + KPROBE_STUB_ENTER);
}

static __always_inline unsigned long
arch_kprobe_detour_ip(const struct kprobe_detour *detour, unsigned long addr,
		      unsigned int *pushed)
{
	unsigned long offset = addr - (unsigned long)detour->slot;

	*pushed = kprobe_stub_pushed(detour, addr);
	/* The stub's own code in front of an instruction counts as the first displaced one. */
	if (offset >= detour->copies && addr < (unsigned long)detour->route.run_post)
		return detour->point->site;
	return kprobe_detour_original(detour, offset);
}
#endif

#endif /* _LINUX_KPROBE_ARCH_UNWIND_H */
