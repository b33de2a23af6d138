// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The detours of 64-bit kernels, which call handlers by themselves.
 *
 * This is a detour that calls all handlers itself, with one pre-handler:
 *
 *	save registers as a trap would		kprobe_detour_save_template
 *	%rbx = point
 *	frame in use? -> kprobe_detour_slow
 *	claim the frame, publish the point
 *	has it changed? -> kprobe_detour_stale
 *	call handler; diverted? -> kprobe_detour_divert
 *	give the frame back
 *	restore registers			kprobe_detour_restore_template
 *	displaced instructions
 *	jmp back
 *
 * A detour that only a breakpoint leads to has one displaced instruction.
 *
 * If there are post-handlers, the code from saving to restoring registers comes a
 * second time after the first displaced instruction, and calls them. Two kinds of
 * detours do without that:
 *
 * - The first displaced instruction works on a few registers alone. It is executed
 *   while the frame is claimed: its registers are loaded from where they are saved, and
 *   stored there again. The post-handlers are called after that, in the same frame.
 * - The probed instruction is a function's entry nop. The post-handlers are called
 *   right after the pre-handlers.
 *
 * A hit that the detour does not handle itself ends like a trap: by an iret, with the
 * instruction pointer in the saved registers after the first displaced instruction, if
 * that was executed, or at one of the copies that follow:
 *
 *	run:      displaced instructions, jmp back
 *	run_post: the first of them, call kprobe_post_trampoline, jmp to the others
 */
#include <linux/cpufeature.h>
#include <linux/kprobe_arch.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/current.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

#include "kprobes-insn.h"
#include "kprobes-opt.h"

/* Offset of what the push of the instruction pointer pushes: after its opcode. */
#define SAVE_IP		(kprobe_detour_save_template_ip + 1 - kprobe_detour_save_template)

#define PUT(c, ...)						\
	do {							\
		static const u8 bytes[] = { __VA_ARGS__ };	\
								\
		kprobe_code_put(c, bytes, sizeof(bytes));			\
	} while (0)

static void put32(struct kprobe_code *c, long value)
{
	s32 imm = value;

	if (imm != value)
		c->far = true;
	kprobe_code_put(c, &imm, sizeof(imm));
}

static void put64(struct kprobe_code *c, u64 value)
{
	kprobe_code_put(c, &value, sizeof(value));
}

static void put_call(struct kprobe_code *c, unsigned long target)
{
	x86_kprobe_isa.enter(c, target);
}

static void put_jmp(struct kprobe_code *c, unsigned long target)
{
	x86_kprobe_isa.jump(c, target, 0);
}

static void put_jne(struct kprobe_code *c, unsigned long target)
{
	const struct kprobe_insn jne = {
		.flow = KPROBE_FLOW_COND, .target = target, .arch.cond = 5,
	};

	x86_kprobe_isa.emit(c, &jne, NULL, 0);
}

/* SIB byte and displacement of a per-CPU operand. */
static void put_percpu(struct kprobe_code *c, unsigned long offset)
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

static void put_preempt_disable(struct kprobe_code *c)
{
#ifdef CONFIG_PREEMPT_COUNT
	PUT(c, PERCPU_PREFIX 0xff, 0x04);			/* incl */
	put_percpu(c, (unsigned long)&pcpu_hot.preempt_count);
#endif
}

static void put_preempt_enable(struct kprobe_code *c)
{
#ifdef CONFIG_PREEMPT_COUNT
	PUT(c, PERCPU_PREFIX 0xff, 0x0c);			/* decl */
	put_percpu(c, (unsigned long)&pcpu_hot.preempt_count);
	PUT(c, 0x75, CALL_INSN_SIZE);				/* jne */
	put_call(c, (unsigned long)kprobe_detour_resched);
#endif
}

/* Clears the flags that C code expects to be clear, where probed code may have set them. */
static void put_c_flags(struct kprobe_code *c, const struct x86_detour_spec *spec)
{
	if (spec->clac)
		PUT(c, 0x0f, 0x01, 0xca);			/* clac */
	if (spec->cld)
		PUT(c, 0xfc);					/* cld */
}

static void put_save(struct kprobe_code *c, const struct x86_detour_spec *spec,
		     unsigned long ip)
{
	unsigned int start = c->len;

	kprobe_code_put(c, kprobe_detour_save_template, X86_DETOUR_SAVE_SIZE);
	c->len = start + SAVE_IP;
	put32(c, (long)ip);
	c->len = start + X86_DETOUR_SAVE_SIZE;
	put_c_flags(c, spec);
	put_preempt_disable(c);
	PUT(c, 0x48, 0xbb);					/* mov $, %rbx */
	put64(c, (unsigned long)spec->point);
}

/* Jumps to @busy if the frame is in use. Jumps to @changed with the frame claimed. */
static void put_claim(struct kprobe_code *c, const struct x86_detour_spec *spec,
		      void (*busy)(void), void (*changed)(void))
{
	PUT(c, PERCPU_PREFIX 0x48, 0x83, 0x3c);			/* cmpq $0 */
	put_percpu(c, FRAME(hazard));
	PUT(c, 0);
	put_jne(c, (unsigned long)busy);
	PUT(c, PERCPU_PREFIX 0x48, 0x89, 0x1c);			/* mov %rbx */
	put_percpu(c, FRAME(hazard));
	PUT(c, PERCPU_PREFIX 0x8b, 0x04);			/* mov to %eax */
	put_percpu(c, (unsigned long)&pcpu_hot.preempt_count);
	PUT(c, PERCPU_PREFIX 0x89, 0x04);			/* mov %eax */
	put_percpu(c, FRAME(context));
	PUT(c, 0x81, 0x7b, offsetof(struct kprobe_point, generation));
	put32(c, (s32)spec->point->generation);			/* cmpl $, (%rbx) */
	put_jne(c, (unsigned long)changed);
}

/* Releases the frame, and restores the registers. */
static void put_leave(struct kprobe_code *c, u16 *restore)
{
	PUT(c, PERCPU_PREFIX 0xc7, 0x04);			/* movl $ */
	put_percpu(c, FRAME(context));
	put32(c, (s32)KPROBE_CONTEXT_NONE);
	PUT(c, PERCPU_PREFIX 0x48, 0xc7, 0x04);			/* movq $0 */
	put_percpu(c, FRAME(hazard));
	put32(c, 0);
	put_preempt_enable(c);
	*restore = c->len;
	kprobe_code_put(c, kprobe_detour_restore_template, X86_DETOUR_RESTORE_SIZE);
}

/* handler(probe, registers, ...) */
static void put_handler(struct kprobe_code *c, const struct kprobe *p, const void *handler)
{
	bool on_entry;

	PUT(c, 0x48, 0xbf);					/* mov $, %rdi */
	put64(c, (unsigned long)p);
	PUT(c, PERCPU_PREFIX 0x48, 0x89, 0x3c);			/* mov %rdi */
	put_percpu(c, FRAME(probe));
	PUT(c, 0x48, 0x89, 0xe6);				/* mov %rsp, %rsi */
	/* What is called directly needs no landing pad. */
	put_call(c, (unsigned long)arch_kprobe_entry((unsigned long)handler, 0, &on_entry));
}

static void put_pre_handlers(struct kprobe_code *c, const struct x86_detour_spec *spec)
{
	struct kprobe *p;

	list_for_each_entry(p, &spec->point->probes, list) {
		if (!p->pre_handler || kprobe_disabled(p))
			continue;
		put_handler(c, p, p->pre_handler);
		if (kprobe_is_return_probe(p))
			continue;
		PUT(c, 0x85, 0xc0);				/* test %eax, %eax */
		put_jne(c, (unsigned long)kprobe_detour_divert);
	}
}

static void put_post_handlers(struct kprobe_code *c, const struct x86_detour_spec *spec)
{
	struct kprobe *p;

	list_for_each_entry(p, &spec->point->probes, list) {
		if (!p->post_handler || kprobe_disabled(p))
			continue;
		PUT(c, 0x31, 0xd2);				/* xor %edx, %edx */
		put_handler(c, p, p->post_handler);
	}
}

/* Calls post-handlers in the frame of the pre-handlers. They see @ip. */
static void put_post_handlers_at(struct kprobe_code *c, const struct x86_detour_spec *spec,
				 unsigned long ip)
{
	PUT(c, 0x48, 0xc7, 0x84, 0x24);				/* movq $, (%rsp) */
	put32(c, offsetof(struct pt_regs, ip));
	put32(c, (long)ip);
	put_post_handlers(c, spec);
}

/* The address after the first displaced instruction. */
static unsigned long after_first(const struct x86_detour_spec *spec)
{
	return spec->point->site + spec->region->insn[0].len;
}

static void put_enter(struct kprobe_code *c, const struct x86_detour_spec *spec,
		      struct arch_kprobe_detour *at)
{
	at->save[0] = c->len;
	put_save(c, spec, spec->point->addr + INT3_INSN_SIZE);
	if (!spec->direct) {
		put_jmp(c, (unsigned long)kprobe_detour_slow);
		at->restore[0] = c->len;
		return;
	}
	put_claim(c, spec, kprobe_detour_slow, kprobe_detour_stale);
	put_pre_handlers(c, spec);
}

static void put_pre_part(struct kprobe_code *c, const struct x86_detour_spec *spec,
			 struct arch_kprobe_detour *at)
{
	put_enter(c, spec, at);
	if (!spec->direct)
		return;
	/* The entry nop has no effect that its post-handlers would have to wait for. */
	if (kprobe_point_skips_nop(spec->point) && spec->post)
		put_post_handlers_at(c, spec, spec->point->site);
	put_leave(c, &at->restore[0]);
}

/* Loads registers from where they are saved (opcode 8b), or stores them there (89). */
static void put_moves(struct kprobe_code *c, u8 opcode, u16 registers)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		u8 mov[] = { i < 8 ? 0x48 : 0x4c, opcode, 0x44 | (i & 7) << 3,
			     0x24, x86_kprobe_reg_offset[i] };

		if (registers & BIT(i))
			kprobe_code_put(c, mov, sizeof(mov));
	}
}

static void put_flags_in(struct kprobe_code *c, struct arch_kprobe_detour *at)
{
	PUT(c, 0xff, 0xb4, 0x24);				/* pushq (%rsp) */
	put32(c, offsetof(struct pt_regs, flags));
	at->pushed[0] = c->len;
	PUT(c, 0x9d);						/* popfq */
}

static void put_flags_out(struct kprobe_code *c, struct arch_kprobe_detour *at)
{
	PUT(c, 0x9c);						/* pushfq */
	at->pushed[1] = c->len;
	PUT(c, 0x8f, 0x84, 0x24);				/* popq (%rsp) */
	/* The CPU computes the operand's address after the pop. */
	put32(c, offsetof(struct pt_regs, flags));
}

static void put_post_part(struct kprobe_code *c, const struct x86_detour_spec *spec,
			  struct arch_kprobe_detour *at)
{
	at->save[1] = c->len;
	put_save(c, spec, after_first(spec));
	put_claim(c, spec, kprobe_detour_post_slow, kprobe_detour_post_stale);
	put_post_handlers(c, spec);
	put_leave(c, &at->restore[1]);
}

/* The region's instructions from number @first on, and the jump back. */
static void put_region(struct kprobe_code *c, const struct x86_detour_spec *spec,
		       unsigned int first, struct kprobe_detour *detour)
{
	kprobe_emit_region(&x86_kprobe_isa, c, spec->region, first, spec->point->insn,
			   spec->point->site, detour->insn);
}

/* The first displaced instruction alone, which is not emulated. */
static void put_first(struct kprobe_code *c, const struct x86_detour_spec *spec)
{
	x86_kprobe_isa.emit(c, &spec->region->insn[0], spec->point->insn, spec->point->site);
}

/* That, and a jump to what comes next: in the detour if there are more. */
static void *put_copy(struct kprobe_code *c, const struct x86_detour_spec *spec,
		      const struct kprobe_detour *detour, bool post)
{
	unsigned long start = kprobe_code_here(c);
	unsigned long next = spec->region->nr > 1 ? c->base + detour->insn[1] :
						    after_first(spec);

	if (post && spec->region->insn[0].action != KPROBE_RUN)
		return NULL;
	put_first(c, spec);
	if (post)
		put_call(c, (unsigned long)kprobe_post_trampoline);
	put_jmp(c, next);
	return (void *)start;
}

/* The registers that the first instruction works on; 0 if all must be restored for it. */
static u16 registers_of_first(const struct x86_detour_spec *spec)
{
	u16 registers = x86_kprobe_registers(spec->point->insn,
					     spec->region->insn[0].len);

	/* rsp leads to the saved registers, and rbp is for unwinding. */
	return registers & (BIT(4) | BIT(5)) ? 0 : registers;
}

static bool takes_effect_in_frame(const struct x86_detour_spec *spec)
{
	return spec->region->insn[0].action == KPROBE_NOP ||
	       registers_of_first(spec);
}

static bool calls_post_inline(const struct x86_detour_spec *spec)
{
	return spec->direct && spec->post && !kprobe_point_skips_nop(spec->point) &&
	       spec->region->insn[0].action != KPROBE_EMULATE;
}

static void emit_plain(struct kprobe_code *c, const struct x86_detour_spec *spec,
		       struct kprobe_detour *detour)
{
	put_pre_part(c, spec, &detour->arch);
	detour->route.run = (void *)kprobe_code_here(c);
	put_region(c, spec, 0, detour);
	detour->copies = c->len;
	detour->route.run_post = put_copy(c, spec, detour, true);
}

/* Executes the first instruction on the saved registers. */
static void put_first_in_frame(struct kprobe_code *c, const struct x86_detour_spec *spec,
			       struct arch_kprobe_detour *at)
{
	u16 registers = registers_of_first(spec);

	if (spec->region->insn[0].action == KPROBE_NOP)
		return;
	put_moves(c, 0x8b, registers);
	put_flags_in(c, at);
	put_first(c, spec);
	put_flags_out(c, at);
	put_c_flags(c, spec);
	put_moves(c, 0x89, registers);
}

static void put_copies(struct kprobe_code *c, const struct x86_detour_spec *spec,
		       struct kprobe_detour *detour)
{
	detour->copies = c->len;
	detour->route.run = put_copy(c, spec, detour, false);
	detour->route.run_post = put_copy(c, spec, detour, true);
}

/* An instruction that is executed in the frame cannot fault: its address is not noted. */
static void emit_post_in_frame(struct kprobe_code *c, const struct x86_detour_spec *spec,
			       struct kprobe_detour *detour)
{
	struct arch_kprobe_detour *at = &detour->arch;

	put_enter(c, spec, at);
	put_first_in_frame(c, spec, at);
	put_post_handlers_at(c, spec, after_first(spec));
	put_leave(c, &at->restore[0]);
	detour->insn[0] = c->len;
	put_region(c, spec, 1, detour);
	put_copies(c, spec, detour);
}

static void emit_post(struct kprobe_code *c, const struct x86_detour_spec *spec,
		      struct kprobe_detour *detour)
{
	/* Also without pre-handlers: the check for changes finds one that is added later. */
	put_pre_part(c, spec, &detour->arch);
	detour->insn[0] = c->len;
	detour->inlined = (void *)kprobe_code_here(c);
	put_first(c, spec);
	put_post_part(c, spec, &detour->arch);
	put_region(c, spec, 1, detour);
	put_copies(c, spec, detour);
}

void x86_emit_detour(const struct x86_detour_spec *spec, struct kprobe_code *c,
		     struct kprobe_detour *detour)
{
	memset(&detour->arch, 0xff, sizeof(detour->arch));
	detour->inlined = NULL;
	if (!calls_post_inline(spec))
		emit_plain(c, spec, detour);
	else if (takes_effect_in_frame(spec))
		emit_post_in_frame(c, spec, detour);
	else
		emit_post(c, spec, detour);
}
NOKPROBE_SYMBOL(x86_emit_detour);

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

/*
 * For everything that is executed with the probed code's registers. A call is displaced as
 * a push of its return address and a jump; nothing else has code after such a push.
 */
static unsigned long copied_ip(const struct kprobe_detour *detour,
			       unsigned long offset, unsigned int *pushed)
{
	unsigned int copy = detour->insn[kprobe_detour_index(detour, offset)];

	if (offset < detour->copies && offset >= copy + X86_PUSH32_INSN_SIZE &&
	    *(u8 *)(detour->entry + copy) == X86_PUSH32_INSN_OPCODE)
		*pushed = sizeof(long);
	return kprobe_detour_original(detour, offset);
}
NOKPROBE_SYMBOL(copied_ip);

unsigned long arch_kprobe_detour_ip(const struct kprobe_detour *detour,
				    unsigned long addr, unsigned int *pushed)
{
	unsigned long ip, offset = addr - (unsigned long)detour->entry;
	const struct arch_kprobe_detour *at = &detour->arch;
	unsigned int i;

	if (offset == at->pushed[0] || offset == at->pushed[1])
		return (unsigned long)kprobe_detour_pushed + 1;
	for (i = 0; i < ARRAY_SIZE(at->save) && offset >= at->save[i]; i++) {
		if (offset < at->save[i] + X86_DETOUR_SAVE_SIZE) {
			*pushed = kprobe_detour_save_pushed[offset - at->save[i]];
			return detour->point->site + detour->from[i];
		}
		/* The detour's own code shows as the return address of a call there. */
		if (offset < at->restore[i])
			return (unsigned long)(i ? kprobe_detour_saved_post :
						   kprobe_detour_saved) + 1;
		/* Registers are restored for what comes next. */
		if (detour->direct && offset < at->restore[i] + X86_DETOUR_RESTORE_SIZE) {
			ip = copied_ip(detour, at->restore[i] + X86_DETOUR_RESTORE_SIZE, pushed);
			*pushed = kprobe_detour_restore_pushed[offset - at->restore[i]];
			return ip;
		}
	}
	return copied_ip(detour, offset, pushed);
}
NOKPROBE_SYMBOL(arch_kprobe_detour_ip);
