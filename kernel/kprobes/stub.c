// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stubs: the detours of architectures that write none of their own.
 *
 *	entry:		call of kprobe_detour_common
 *	run:		displaced instructions
 *			jump back
 *	run_post:	the first displaced instruction
 *			call of kprobe_post_trampoline
 *			jump to the second one above, or back
 *
 * kprobe_detour_common is the architecture's: it saves the registers as a trap would,
 * calls kprobe_detour_enter(), and goes on where that says. A stub knows no handlers,
 * so it outlives all changes of them.
 */
#include <linux/bits.h>
#include <linux/extable.h>
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "hit.h"
#include "slot.h"

#ifndef ARCH_KPROBE_OWN_DETOURS

/**
 * kprobe_detour_enter() - a stub was entered
 * @regs:  registers as the probed code has them; the instruction pointer is set
 * @where: the address that the stub's call returns to
 *
 * Context: That of the probed code.
 * Return: True when @where is where to go on, with @regs; false when that is the
 * instruction pointer in @regs.
 */
bool kprobe_detour_enter(struct pt_regs *regs, unsigned long where)
{
	struct kprobe_detour *detour = kprobe_detour_running(where);

	kmsan_unpoison_entry_regs(regs);
	preempt_disable_notrace();
	arch_kprobe_enter(detour->point, regs);
	kprobe_hit(detour->point, regs, 0);
	preempt_enable_notrace();
	return instruction_pointer(regs) == (unsigned long)detour->route.run;
}
NOKPROBE_SYMBOL(kprobe_detour_enter);

/* After the first displaced instruction: in the stub if more were displaced. */
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
	void *start = (void *)kprobe_code_here(code);

	if (region->insn[0].action != KPROBE_RUN)
		return NULL;
	isa->emit(code, &region->insn[0], (u8 *)point->insn, point->site);
	isa->enter(code, (unsigned long)kprobe_post_trampoline);
	isa->leave(code);
	isa->jump(code, resume_at(code, region, point, at), region->scratch);
	return start;
}

static void note_origins(struct arch_kprobe_detour *at, const struct kprobe_region *region)
{
	at->nr = region->nr;
	memcpy(at->from, region->from, region->nr + 1);
}

static unsigned int emit(struct kprobe_code *code, const struct kprobe_region *region,
			 struct kprobe_detour *detour)
{
	const struct kprobe_isa *isa = arch_kprobe_isa;
	struct kprobe_point *point = detour->point;
	struct arch_kprobe_detour *at = &detour->arch;

	note_origins(at, region);
	isa->enter(code, (unsigned long)kprobe_detour_common);
	isa->leave(code);
	detour->route.run = (void *)kprobe_code_here(code);
	kprobe_emit_region(isa, code, region, 0, (u8 *)point->insn, point->site, at->insn);
	at->copies = code->len;
	detour->route.run_post = emit_post(code, region, point, at->insn);
	return code->len;
}

static enum kprobe_reason plan_region(struct kprobe_region *region,
				      const struct kprobe_detour *detour)
{
	const struct kprobe_point *point = detour->point;
	enum kprobe_reason reason;

	if (!detour->alone) {
		reason = kprobe_plan_region(arch_kprobe_isa, region, (u8 *)point->insn,
					    sizeof(point->insn), point->site);
		kprobe_region_set_scratch(region,
					  point->scratch ? BIT(point->scratch - 1) : 0);
		return reason;
	}
	/*
	 * Of the function nothing is known. Its task may sleep in an instruction that
	 * may fault, to Tasks RCU that looks like having left it.
	 */
	if (search_exception_tables(point->site))
		return KPROBE_REASON_EXTABLE;
	return kprobe_region_of_one(region, &point->plan);
}

enum kprobe_reason arch_kprobe_make_detour(struct kprobe_detour *detour)
{
	u8 buf[KPROBE_DETOUR_MAX_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf) };
	enum kprobe_reason reason = arch_kprobe_refuses_detours();
	struct kprobe_region region;

	if (!reason)
		reason = plan_region(&region, detour);
	if (reason)
		return reason;
	detour->entry = kprobe_detour_slot_alloc(detour, KPROBE_DETOUR_MAX_SIZE);
	if (!detour->entry)
		return KPROBE_REASON_NO_MEMORY;
	detour->direct = true;
	code.base = (unsigned long)detour->entry;
	if (WARN_ON_ONCE(emit(&code, &region, detour) > sizeof(buf)) || code.far)
		return KPROBE_REASON_OUT_OF_REACH;
	kprobe_slot_write(detour->entry, buf, code.len);
	return KPROBE_REASON_NONE;
}
NOKPROBE_SYMBOL(arch_kprobe_make_detour);

unsigned long arch_kprobe_detour_ip(const struct kprobe_detour *detour,
				    unsigned long addr, unsigned int *pushed)
{
	unsigned long offset = addr - (unsigned long)detour->entry;
	const struct arch_kprobe_detour *at = &detour->arch;
	const struct kprobe_point *point = detour->point;
	unsigned int i = 0;

	/* A call's return address tells the instruction before. */
	if (offset < at->insn[0] || kprobe_detour_has_insn_at(detour, addr))
		return point->site;
	if (offset >= at->copies)
		return point->site + point->len;
	while (i < at->nr && at->insn[i + 1] <= offset)
		i++;
	return point->site + at->from[i];
}
NOKPROBE_SYMBOL(arch_kprobe_detour_ip);

unsigned long arch_kprobe_detour_copy(const struct kprobe_detour *detour,
				      unsigned long addr)
{
	const struct arch_kprobe_detour *at = &detour->arch;
	unsigned int i;

	for (i = 1; i < at->nr; i++)
		if (addr == detour->point->site + at->from[i])
			return (unsigned long)detour->entry + at->insn[i];
	return addr;
}
NOKPROBE_SYMBOL(arch_kprobe_detour_copy);

#endif /* ARCH_KPROBE_OWN_DETOURS */
