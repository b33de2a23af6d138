// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Detours: what a jump at a probe's site goes to.
 *
 * A detour that knows all handlers reads, for one pre-handler:
 *
 *	save registers as a trap would		kprobe_detour_save
 *	%rbx = point
 *	frame in use? -> kprobe_detour_slow
 *	claim the frame, publish the point
 *	has it changed? -> kprobe_detour_stale
 *	call handler; diverted? -> kprobe_detour_divert
 *	give the frame back
 *	restore registers			kprobe_detour_restore
 *	displaced instructions
 *	jmp back
 *
 * With post-handlers all of that up to the restoring, for these, comes once more
 * behind the first displaced instruction. Behind a function's entry nop they are
 * called together with the pre-handlers: probed is the nop.
 *
 * Whatever goes another way ends as a trap would, with the registers' instruction
 * pointer at one of the copies that follow:
 *
 *	run:      displaced instructions, jmp back
 *	run_post: the first of them, pushf, call kprobe_post_trampoline, popf,
 *	          jmp to the others
 */
#include <linux/errno.h>
#include <linux/kprobe_arch.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/current.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

#include "kprobes-detour.h"
#include "kprobes-insn.h"

#define SAVE_SIZE	(kprobe_detour_save_end - kprobe_detour_save)
/* Behind the opcode of the push. */
#define SAVE_IP		(kprobe_detour_save_ip + 1 - kprobe_detour_save)
#define RESTORE_SIZE	(kprobe_detour_restore_end - kprobe_detour_restore)

/**
 * struct code - a buffer being written to
 * @buf:  the buffer
 * @len:  how much has been written
 * @base: the address that it will run from
 * @far:  something was out of reach
 */
struct code {
	u8 *buf;
	unsigned int len;
	unsigned long base;
	bool far;
};

static void put(struct code *c, const void *bytes, unsigned int n)
{
	if (c->len + n <= KPROBE_DETOUR_MAX_SIZE)
		memcpy(c->buf + c->len, bytes, n);
	c->len += n;
}

#define PUT(c, ...)						\
	do {							\
		static const u8 bytes[] = { __VA_ARGS__ };	\
								\
		put(c, bytes, sizeof(bytes));			\
	} while (0)

static void put32(struct code *c, long value)
{
	s32 imm = value;

	if (imm != value)
		c->far = true;
	put(c, &imm, sizeof(imm));
}

static void put64(struct code *c, u64 value)
{
	put(c, &value, sizeof(value));
}

static unsigned long here(const struct code *c)
{
	return c->base + c->len;
}

/* Folded into a caller, it would name an address that objtool finds odd. */
static noinline void put_relative(struct code *c, unsigned long target)
{
	put32(c, target - (here(c) + sizeof(s32)));
}

static void put_call(struct code *c, unsigned long target)
{
	PUT(c, CALL_INSN_OPCODE);
	put_relative(c, target);
}

static void put_jmp(struct code *c, unsigned long target)
{
	PUT(c, JMP32_INSN_OPCODE);
	put_relative(c, target);
}

static void put_jne(struct code *c, unsigned long target)
{
	PUT(c, 0x0f, 0x85);
	put_relative(c, target);
}

/* The rest of an instruction whose operand is this CPU's: SIB, displacement. */
static void put_percpu(struct code *c, unsigned long offset)
{
	PUT(c, 0x25);
	put32(c, (long)offset);
}

#ifdef CONFIG_SMP
#define PERCPU_PREFIX	0x65,	/* %gs */
#else
#define PERCPU_PREFIX
#endif

#define FRAME(field)	((unsigned long)&kprobe_cpu.frame[0].field)

static void put_preempt_disable(struct code *c)
{
#ifdef CONFIG_PREEMPT_COUNT
	PUT(c, PERCPU_PREFIX 0xff, 0x04);			/* incl */
	put_percpu(c, (unsigned long)&pcpu_hot.preempt_count);
#endif
}

static void put_preempt_enable(struct code *c)
{
#ifdef CONFIG_PREEMPT_COUNT
	PUT(c, PERCPU_PREFIX 0xff, 0x0c);			/* decl */
	put_percpu(c, (unsigned long)&pcpu_hot.preempt_count);
	PUT(c, 0x75, CALL_INSN_SIZE);				/* jne */
	put_call(c, (unsigned long)kprobe_detour_resched);
#endif
}

static void put_save(struct code *c, const struct x86_detour_spec *spec,
		     unsigned long ip)
{
	unsigned int start = c->len;

	put(c, kprobe_detour_save, SAVE_SIZE);
	c->len = start + SAVE_IP;
	put32(c, (long)ip);
	c->len = start + SAVE_SIZE;
	if (spec->clac)
		PUT(c, 0x0f, 0x01, 0xca);			/* clac */
	put_preempt_disable(c);
	PUT(c, 0x48, 0xbb);					/* mov $, %rbx */
	put64(c, spec->point);
}

/* To @busy with nothing done, to @changed with the frame claimed. */
static void put_claim(struct code *c, const struct x86_detour_spec *spec,
		      unsigned long busy, unsigned long changed)
{
	PUT(c, PERCPU_PREFIX 0x48, 0x83, 0x3c);			/* cmpq $0 */
	put_percpu(c, FRAME(held));
	PUT(c, 0);
	put_jne(c, busy);
	PUT(c, PERCPU_PREFIX 0x48, 0x89, 0x1c);			/* mov %rbx */
	put_percpu(c, FRAME(held));
	PUT(c, PERCPU_PREFIX 0x8b, 0x04);			/* mov to %eax */
	put_percpu(c, (unsigned long)&pcpu_hot.preempt_count);
	PUT(c, PERCPU_PREFIX 0x89, 0x04);			/* mov %eax */
	put_percpu(c, FRAME(context));
	PUT(c, PERCPU_PREFIX 0x48, 0x89, 0x24);			/* mov %rsp */
	put_percpu(c, FRAME(stack));
	PUT(c, 0x81, 0x7b, offsetof(struct kprobe_point, generation));
	put32(c, (s32)spec->generation);			/* cmpl $, (%rbx) */
	put_jne(c, changed);
}

static void put_release(struct code *c)
{
	PUT(c, PERCPU_PREFIX 0xc7, 0x04);			/* movl $ */
	put_percpu(c, FRAME(context));
	put32(c, (s32)KPROBE_CONTEXT_NONE);
	PUT(c, PERCPU_PREFIX 0x48, 0xc7, 0x04);			/* movq $0 */
	put_percpu(c, FRAME(held));
	put32(c, 0);
}

/* handler(probe, registers, ...) */
static void put_handler(struct code *c, const struct x86_detour_call *call)
{
	PUT(c, 0x48, 0xbf);					/* mov $, %rdi */
	put64(c, call->probe);
	PUT(c, PERCPU_PREFIX 0x48, 0x89, 0x3c);			/* mov %rdi */
	put_percpu(c, FRAME(probe));
	PUT(c, 0x48, 0x89, 0xe6);				/* mov %rsp, %rsi */
	put_call(c, call->handler);
}

static void put_pre_handlers(struct code *c, const struct x86_detour_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr_pre; i++) {
		put_handler(c, &spec->pre[i]);
		if (!spec->pre[i].diverts)
			continue;
		PUT(c, 0x85, 0xc0);				/* test %eax, %eax */
		put_jne(c, (unsigned long)kprobe_detour_divert);
	}
}

static void put_post_handlers(struct code *c, const struct x86_detour_spec *spec)
{
	unsigned int i;

	for (i = 0; i < spec->nr_post; i++) {
		PUT(c, 0x31, 0xd2);				/* xor %edx, %edx */
		put_handler(c, &spec->post[i]);
	}
}

static void put_restore(struct code *c, u16 *restore)
{
	put_preempt_enable(c);
	*restore = c->len;
	put(c, kprobe_detour_restore, RESTORE_SIZE);
}

static bool is_behind_entry(const struct x86_detour_spec *spec)
{
	return spec->site != spec->addr;
}

/* The entry nop has taken effect when its post-handlers run. */
static void put_entry_post_handlers(struct code *c,
				    const struct x86_detour_spec *spec)
{
	PUT(c, 0x48, 0xc7, 0x84, 0x24);				/* movq $, (%rsp) */
	put32(c, offsetof(struct pt_regs, ip));
	put32(c, (long)spec->site);
	put_post_handlers(c, spec);
}

static void put_pre_part(struct code *c, const struct x86_detour_spec *spec,
			 struct arch_kprobe_detour *at)
{
	at->save[0] = c->len;
	put_save(c, spec, spec->addr + INT3_INSN_SIZE);
	if (!spec->direct) {
		put_jmp(c, (unsigned long)kprobe_detour_slow);
		at->restore[0] = c->len;
		return;
	}
	put_claim(c, spec, (unsigned long)kprobe_detour_slow,
		  (unsigned long)kprobe_detour_stale);
	put_pre_handlers(c, spec);
	if (is_behind_entry(spec) && spec->nr_post)
		put_entry_post_handlers(c, spec);
	put_release(c);
	put_restore(c, &at->restore[0]);
}

/* Out of line, behind all else: nothing follows from a post-handler missed. */
#define POST_STUB_SIZE	(3 + 3 + CALL_INSN_SIZE + JMP32_INSN_SIZE)

static void put_post_stub(struct code *c, void *function, unsigned long back)
{
	PUT(c, 0x48, 0x89, 0xdf);				/* mov %rbx, %rdi */
	PUT(c, 0x48, 0x89, 0xe6);				/* mov %rsp, %rsi */
	put_call(c, (unsigned long)function);
	put_jmp(c, back);
}

/* @stubs is where the two stubs will be. Returns where they go on. */
static unsigned long put_post_part(struct code *c,
				   const struct x86_detour_spec *spec,
				   struct arch_kprobe_detour *at,
				   unsigned long stubs)
{
	unsigned long back;

	at->save[1] = c->len;
	put_save(c, spec, spec->site + spec->region->plan[0].len);
	put_claim(c, spec, stubs, stubs + POST_STUB_SIZE);
	put_post_handlers(c, spec);
	put_release(c);
	back = here(c);
	put_restore(c, &at->restore[1]);
	return back;
}

/* The region's instructions from the one with number @first on, and back. */
static void put_region(struct code *c, const struct x86_detour_spec *spec,
		       unsigned int first, struct arch_kprobe_detour *at)
{
	u8 copy[X86_KPROBE_REGION_COPY_MAX], offset[KPROBE_JUMP_SIZE];
	unsigned int i, nr = spec->region->nr;
	int n;

	n = x86_kprobe_emit_region(spec->region, first, spec->insns, spec->site,
				   copy, here(c), offset);
	if (n < 0) {
		c->far = true;
		return;
	}
	for (i = first; i < nr; i++)
		at->insn[i] = c->len + offset[i - first];
	for (; i <= KPROBE_JUMP_SIZE; i++)
		at->insn[i] = c->len + n;
	put(c, copy, n);
}

/* The first displaced instruction alone: one that needs no emulation, or a nop. */
static void put_first(struct code *c, const struct x86_detour_spec *spec)
{
	const struct x86_kprobe_plan *plan = &spec->region->plan[0];
	u8 copy[MAX_INSN_SIZE];
	int n;

	if (plan->action != X86_KPROBE_RUN)
		return;
	n = x86_kprobe_emit(plan, spec->insns, spec->site, copy, here(c));
	if (n < 0)
		c->far = true;
	else
		put(c, copy, n);
}

static void *put_run(struct code *c, const struct x86_detour_spec *spec,
		     const void *resume)
{
	unsigned long start = here(c);

	put_first(c, spec);
	put_jmp(c, (unsigned long)resume);
	return (void *)start;
}

static void *put_run_post(struct code *c, const struct x86_detour_spec *spec,
			  const void *resume)
{
	unsigned long start = here(c);

	if (spec->region->plan[0].action != X86_KPROBE_RUN)
		return NULL;
	put_first(c, spec);
	PUT(c, 0x9c);						/* pushf */
	put_call(c, (unsigned long)kprobe_post_trampoline);
	PUT(c, 0x9d);						/* popf */
	put_jmp(c, (unsigned long)resume);
	return (void *)start;
}

/* Behind the first displaced instruction: in the detour if more were displaced. */
static void *resume_at(struct code *c, const struct x86_detour_spec *spec,
		       const struct arch_kprobe_detour *at)
{
	if (spec->region->nr > 1)
		return (void *)c->base + at->insn[1];
	return (void *)spec->site + spec->region->plan[0].len;
}

static bool calls_post_inline(const struct x86_detour_spec *spec)
{
	enum x86_kprobe_action action = spec->region->plan[0].action;

	return spec->direct && spec->nr_post && !is_behind_entry(spec) &&
	       (action == X86_KPROBE_RUN || action == X86_KPROBE_NOP);
}

static void emit_plain(struct code *c, const struct x86_detour_spec *spec,
		       struct kprobe_detour *detour)
{
	put_pre_part(c, spec, &detour->arch);
	detour->run = (void *)here(c);
	put_region(c, spec, 0, &detour->arch);
	detour->resume = resume_at(c, spec, &detour->arch);
	detour->arch.copies = c->len;
	detour->run_post = put_run_post(c, spec, detour->resume);
	detour->arch.saved = c->len;
}

static void emit_post(struct code *c, const struct x86_detour_spec *spec,
		      struct kprobe_detour *detour, unsigned long stubs)
{
	struct arch_kprobe_detour *at = &detour->arch;
	unsigned long back;

	/* Even if there are no pre-handlers now: there may be by the next hit. */
	put_pre_part(c, spec, at);
	at->insn[0] = c->len;
	detour->inlined = (void *)here(c);
	put_first(c, spec);
	back = put_post_part(c, spec, at, stubs);
	put_region(c, spec, 1, at);
	detour->resume = resume_at(c, spec, at);
	at->copies = c->len;
	detour->run = put_run(c, spec, detour->resume);
	detour->run_post = put_run_post(c, spec, detour->resume);
	at->saved = c->len;
	put_post_stub(c, kprobe_post_hit, back);
	put_post_stub(c, kprobe_detour_post_changed, back);
}

int x86_emit_detour(const struct x86_detour_spec *spec, u8 *buf,
		    struct kprobe_detour *detour)
{
	struct code c = { .buf = buf, .base = (unsigned long)detour->entry };
	unsigned long stubs = c.base;

	memset(&detour->arch, 0xff, sizeof(detour->arch));
	detour->inlined = NULL;
	if (calls_post_inline(spec)) {
		/* Once to see where the stubs come to lie, which moves nothing. */
		emit_post(&c, spec, detour, stubs);
		stubs = c.base + detour->arch.saved;
		c.len = 0;
		c.far = false;
		emit_post(&c, spec, detour, stubs);
	} else {
		emit_plain(&c, spec, detour);
	}
	if (WARN_ON_ONCE(c.len > KPROBE_DETOUR_MAX_SIZE))
		return -ERANGE;
	return c.far ? -ERANGE : c.len;
}
NOKPROBE_SYMBOL(x86_emit_detour);

/* Does an offset lie in a copy of a template? */
static bool is_in(unsigned long offset, u16 start, unsigned long size)
{
	return start != 0xffff && offset >= start && offset < start + size;
}

/* Where a displaced instruction comes from; for what follows, the region's end. */
static unsigned long displaced_ip(const struct kprobe_point *point,
				  const u16 *insn, unsigned long offset)
{
	const struct x86_kprobe_region *region = &point->arch.region;
	unsigned long ip = point->site;
	unsigned int i;

	for (i = 0; i < region->nr && insn[i + 1] <= offset; i++)
		ip += region->plan[i].len;
	return ip;
}

unsigned long arch_kprobe_detour_ip(const struct kprobe_detour *detour,
				    unsigned long addr)
{
	unsigned long offset = addr - (unsigned long)detour->entry;
	const struct arch_kprobe_detour *at = &detour->arch;
	const struct kprobe_point *point = detour->point;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at->save); i++) {
		if (is_in(offset, at->save[i], SAVE_SIZE))
			return (unsigned long)kprobe_detour_save + offset - at->save[i];
		if (is_in(offset, at->restore[i], RESTORE_SIZE))
			return (unsigned long)kprobe_detour_restore + offset -
			       at->restore[i];
		if (at->save[i] != 0xffff && offset >= at->save[i] &&
		    offset < at->restore[i])
			return (unsigned long)kprobe_detour_saved;
	}
	if (offset >= at->saved)
		return (unsigned long)kprobe_detour_saved;
	if (kprobe_detour_has_insn_at(detour, addr))
		return point->site;
	if (offset >= at->copies)
		return point->site + point->len;
	return displaced_ip(point, at->insn, offset);
}
NOKPROBE_SYMBOL(arch_kprobe_detour_ip);

unsigned long arch_kprobe_detour_copy(const struct kprobe_detour *detour,
				      unsigned long addr)
{
	const struct x86_kprobe_region *region = &detour->point->arch.region;
	unsigned long ip = detour->point->site;
	unsigned int i;

	for (i = 0; i + 1 < region->nr; i++) {
		ip += region->plan[i].len;
		if (ip == addr)
			return (unsigned long)detour->entry + detour->arch.insn[i + 1];
	}
	return addr;
}
NOKPROBE_SYMBOL(arch_kprobe_detour_copy);
