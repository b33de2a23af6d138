// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The detours of 64-bit kernels, which call handlers by themselves: what the core asks
 * for. kprobes-detour.c writes them.
 */
#include <linux/cpufeature.h>
#include <linux/kprobe_arch.h>

#include "kprobes-detour.h"
#include "kprobes-insn.h"

/* Sets @post. Returns whether no more handlers are to be called than a detour calls. */
static bool has_few_handlers(const struct kprobe_point *point, bool *post)
{
	unsigned int nr_pre = 0, nr_post = 0;
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list) {
		if (kprobe_disabled(p))
			continue;
		nr_pre += !!p->pre_handler;
		nr_post += !!p->post_handler;
	}
	*post = nr_post;
	return max(nr_pre, nr_post) <= X86_DETOUR_HANDLERS;
}

static void fill_in_spec(struct x86_detour_spec *spec, const struct kprobe_detour *detour,
			 const struct kprobe_region *region)
{
	const struct kprobe_point *point = detour->point;

	*spec = (struct x86_detour_spec){
		.point = point,
		.region = region,
		.clac = boot_cpu_has(X86_FEATURE_SMAP),
		/* Of the function nothing is known. */
		.cld = detour->alone,
	};
	spec->direct = has_few_handlers(point, &spec->post);
	/* KMSAN has to be told of the registers first. */
	if (IS_ENABLED(CONFIG_KMSAN))
		spec->direct = false;
	/* What an emulated branch does to the registers is not for a detour. */
	if (spec->post && point->emulated && !kprobe_point_skips_nop(point) &&
	    point->plan.action != KPROBE_NOP)
		spec->direct = false;
}

enum kprobe_reason arch_kprobe_emit_detour(struct kprobe_detour *detour,
					   const struct kprobe_region *region,
					   struct kprobe_code *code)
{
	struct x86_detour_spec spec;

	fill_in_spec(&spec, detour, region);
	detour->direct = spec.direct;
	/* Calling nobody, it is no more than a longer way out of the trap. */
	if (detour->alone && !spec.direct && !kprobe_point_skips_nop(detour->point))
		return KPROBE_REASON_NOT_DISPLACED;
	x86_emit_detour(&spec, code, detour);
	return KPROBE_REASON_NONE;
}
NOKPROBE_SYMBOL(arch_kprobe_emit_detour);

/* Does an offset lie in a copy of a template? */
static bool is_in(unsigned long offset, u16 start, unsigned long size)
{
	return start != 0xffff && offset >= start && offset < start + size;
}
NOKPROBE_SYMBOL(is_in);

/*
 * For everything that is executed with the probed code's registers. A call is displaced as
 * a push of its return address and a jump.
 */
static unsigned long copied_ip(const struct kprobe_detour *detour,
			       unsigned long offset, unsigned int *pushed)
{
	unsigned int i = kprobe_detour_index(detour, offset);

	if ((detour->arch.calls & BIT(i)) && offset < detour->copies &&
	    offset >= detour->insn[i] + X86_PUSH32_INSN_SIZE)
		*pushed = sizeof(long);
	return kprobe_detour_original(detour, offset);
}
NOKPROBE_SYMBOL(copied_ip);

/* Registers are restored for what comes next. */
static unsigned long restore_ip(const struct kprobe_detour *detour,
				unsigned long start, unsigned long offset,
				unsigned int *pushed)
{
	unsigned long ip = copied_ip(detour, start + X86_DETOUR_RESTORE_SIZE, pushed);

	*pushed = kprobe_detour_restore_pushed[offset - start];
	return ip;
}
NOKPROBE_SYMBOL(restore_ip);

/* Where a detour's own code shows, as the return address of a call there. */
static unsigned long saved_ip(bool post)
{
	return (unsigned long)(post ? kprobe_detour_saved_post : kprobe_detour_saved) + 1;
}
NOKPROBE_SYMBOL(saved_ip);

unsigned long arch_kprobe_detour_ip(const struct kprobe_detour *detour,
				    unsigned long addr, unsigned int *pushed)
{
	unsigned long offset = addr - (unsigned long)detour->entry;
	const struct arch_kprobe_detour *at = &detour->arch;
	unsigned int i;

	if (offset == at->pushed[0] || offset == at->pushed[1])
		return (unsigned long)kprobe_detour_pushed + 1;
	for (i = 0; i < ARRAY_SIZE(at->save); i++) {
		if (is_in(offset, at->save[i], X86_DETOUR_SAVE_SIZE)) {
			*pushed = kprobe_detour_save_pushed[offset - at->save[i]];
			return detour->point->site + detour->from[i];
		}
		if (detour->direct && is_in(offset, at->restore[i], X86_DETOUR_RESTORE_SIZE))
			return restore_ip(detour, at->restore[i], offset, pushed);
		if (at->save[i] != 0xffff && offset >= at->save[i] &&
		    offset < at->restore[i])
			return saved_ip(i);
	}
	return copied_ip(detour, offset, pushed);
}
NOKPROBE_SYMBOL(arch_kprobe_detour_ip);
