// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The detours of 64-bit kernels, which call handlers by themselves: what the core asks
 * for. kprobes-detour.c writes them.
 */
#include <linux/cpufeature.h>
#include <linux/kallsyms.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/ibt.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "kprobes-detour.h"
#include "kprobes-insn.h"

/* What is called directly needs no landing pad. */
static unsigned long after_endbr(unsigned long addr)
{
	u32 first;

	if (!get_kernel_nofault(first, (u32 *)addr) && is_endbr(first))
		addr += ENDBR_INSN_SIZE;
	return addr;
}

static void add_call(struct x86_detour_spec *spec, u8 *nr,
		     struct x86_detour_call *calls, struct kprobe *p, void *handler)
{
	if (!handler)
		return;
	if (*nr == X86_DETOUR_HANDLERS) {
		spec->direct = false;
		return;
	}
	calls[*nr].probe = (unsigned long)p;
	calls[*nr].handler = after_endbr((unsigned long)handler);
	calls[*nr].diverts = !kprobe_is_return_probe(p);
	++*nr;
}

static void fill_in_spec(struct x86_detour_spec *spec, struct kprobe_point *point,
			 const struct kprobe_region *region)
{
	struct kprobe *p;

	*spec = (struct x86_detour_spec){
		.point = (unsigned long)point,
		.generation = point->generation,
		.addr = point->addr,
		.site = point->site,
		.region = region,
		.insns = point->insn,
		/* KMSAN has to be told of the registers first. */
		.direct = !IS_ENABLED(CONFIG_KMSAN),
		.clac = boot_cpu_has(X86_FEATURE_SMAP),
	};
	list_for_each_entry(p, &point->probes, list) {
		if (kprobe_disabled(p))
			continue;
		add_call(spec, &spec->nr_pre, spec->pre, p, p->pre_handler);
		add_call(spec, &spec->nr_post, spec->post, p, p->post_handler);
	}
	/* What an emulated branch does to the registers is not for a detour. */
	if (spec->nr_post && point->emulated && !kprobe_point_skips_nop(point) &&
	    point->plan.action != KPROBE_NOP)
		spec->direct = false;
}

/* The code for a slot of a size; returns how long it is. */
static int emit_for(const struct x86_detour_spec *spec, u8 *buf,
		    struct kprobe_detour *detour, size_t size)
{
	detour->entry = kprobe_detour_slot_alloc(detour, size);
	return detour->entry ? x86_emit_detour(spec, buf, detour) : -ENOMEM;
}

/* Few do not fit into the smaller of the slots. */
static enum kprobe_reason emit(const struct x86_detour_spec *spec, u8 *buf,
			       struct kprobe_detour *detour)
{
	int n = emit_for(spec, buf, detour, KPROBE_DETOUR_SIZE);

	detour->direct = spec->direct;
	if (n > KPROBE_DETOUR_SIZE) {
		kprobe_slot_free(detour->entry);
		n = emit_for(spec, buf, detour, n);
	}
	if (n == -ENOMEM)
		return KPROBE_REASON_NO_MEMORY;
	if (n < 0)
		return KPROBE_REASON_OUT_OF_REACH;
	kprobe_slot_write(detour->entry, buf, n);
	return KPROBE_REASON_NONE;
}

enum kprobe_reason arch_kprobe_make_detour(struct kprobe_detour *detour,
					   const struct kprobe_region *region)
{
	struct x86_detour_spec spec;
	enum kprobe_reason reason;
	u8 *buf;

	fill_in_spec(&spec, detour->point, region);
	/* Of the function nothing is known. */
	spec.cld = detour->alone;
	/* Calling nobody, it is no more than a longer way out of the trap. */
	if (detour->alone && !spec.direct && !kprobe_point_skips_nop(detour->point))
		return KPROBE_REASON_NOT_DISPLACED;
	buf = kmalloc(KPROBE_DETOUR_MAX_SIZE, GFP_KERNEL);
	if (!buf)
		return KPROBE_REASON_NO_MEMORY;
	reason = emit(&spec, buf, detour);
	kfree(buf);
	return reason;
}
NOKPROBE_SYMBOL(arch_kprobe_make_detour);

/* Does an offset lie in a copy of a template? */
static bool is_in(unsigned long offset, u16 start, unsigned long size)
{
	return start != 0xffff && offset >= start && offset < start + size;
}
NOKPROBE_SYMBOL(is_in);

/*
 * Where a displaced instruction comes from; for what follows, the region's end.
 * A call is displaced as a push of its return address and a jump.
 */
static unsigned long displaced_ip(const struct kprobe_detour *detour,
				  unsigned long offset, unsigned int *pushed)
{
	unsigned int i = kprobe_detour_index(detour, offset);

	if ((detour->arch.calls & BIT(i)) &&
	    offset >= detour->insn[i] + X86_PUSH32_INSN_SIZE)
		*pushed = sizeof(long);
	return detour->point->site + detour->from[i];
}
NOKPROBE_SYMBOL(displaced_ip);

/* Likewise, for everything that is executed with the probed code's registers. */
static unsigned long copied_ip(const struct kprobe_detour *detour,
			       unsigned long offset, unsigned int *pushed)
{
	unsigned long addr = (unsigned long)detour->entry + offset;
	const struct kprobe_point *point = detour->point;

	if (kprobe_detour_has_insn_at(detour, addr))
		return point->site;
	if (offset < detour->copies)
		return displaced_ip(detour, offset, pushed);
	return point->site + point->len;
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
	if (offset >= at->saved)
		return saved_ip(true);
	return copied_ip(detour, offset, pushed);
}
NOKPROBE_SYMBOL(arch_kprobe_detour_ip);
