// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The detours of 64-bit kernels, which call handlers by themselves.
 *
 * This is a detour that calls all handlers itself, with one pre-handler:
 *
 *	return probe alone? done without saving -> run	kretprobe_enter_quickly()
 *	save registers as a trap would		kprobe_detour_save_template
 *	%rbx = point, %r15 = offset of the CPU's data
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
 *	run_post: the same with post-handlers: first, call kprobe_post_trampoline, jmp to others
 */
#include <linux/cpufeature.h>
#include <linux/kprobe_arch.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <asm/current.h>
#include <asm/ptrace.h>

#include "kprobes-insn.h"
#include "kprobes-opt.h"

/* Offset of what the push of the instruction pointer pushes: after its opcode. */
#define SAVE_IP		(kprobe_detour_save_template_ip + 1 - kprobe_detour_save_template)

#define BYTES(...)	((const u8 []){ __VA_ARGS__ })
#define PUT(c, ...)	kprobe_code_put(c, BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)))
#define COND_NE		0x5

static void put32(struct kprobe_code *c, s32 value)
{
	kprobe_code_put(c, &value, sizeof(value));
}

/* What is called directly needs no landing pad. */
static void put_call(struct kprobe_code *c, const void *function)
{
	bool on_entry;

	x86_put_call(c, (unsigned long)arch_kprobe_entry((unsigned long)function, 0, &on_entry));
}

#ifdef CONFIG_SMP
#define PERCPU_PREFIX	0x65,	/* %gs */
#else
#define PERCPU_PREFIX
#endif

#define PREEMPT_COUNT	((unsigned long)&pcpu_hot.preempt_count)

static void put_percpu(struct kprobe_code *c, unsigned long addr, const u8 *bytes,
		       unsigned int len)
{
	kprobe_code_put(c, bytes, len);
	x86_put_target(c, addr);
}

/* An instruction up to its per-CPU operand, which is relative to the end. */
#define PUT_PERCPU(c, addr, bytes_after, ...)					\
	put_percpu(c, (addr) - (bytes_after), BYTES(PERCPU_PREFIX __VA_ARGS__),	\
		   sizeof(BYTES(PERCPU_PREFIX __VA_ARGS__)))

/*
 * %r15 has the CPU's offset from before the frame is claimed until it is released. Handlers must
 * not sleep. One that does may return on another CPU, where %r15 still leads to the frame.
 */
#ifdef CONFIG_SMP
#define PUT_FRAME_BASE(c)							\
	PUT_PERCPU(c, (unsigned long)&this_cpu_off, 0, 0x4c, 0x8b, 0x3d) /* mov to %r15 */
#else
#define PUT_FRAME_BASE(c)	PUT(c, 0x45, 0x31, 0xff)	/* xor %r15d, %r15d */
#endif

#define FRAME_BASE_REGISTER	15

static void put_frame(struct kprobe_code *c, unsigned long offset, const u8 *bytes,
		      unsigned int len)
{
	kprobe_code_put(c, bytes, len);
	put32(c, offset);
}

/* An instruction up to the offset of its operand in the frame. */
#define PUT_FRAME(c, field, ...)						\
	put_frame(c, (unsigned long)&kprobe_cpu.frame[0].field,			\
		  BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__)))

/* Clears the flags that C code expects to be clear, where probed code may have set them. */
static void put_c_flags(struct kprobe_code *c, const struct kprobe_detour *detour)
{
	if (boot_cpu_has(X86_FEATURE_SMAP))
		PUT(c, 0x0f, 0x01, 0xca);			/* clac */
	/* Of the function nothing is known if no jump leads here. */
	if (detour->alone)
		PUT(c, 0xfc);					/* cld */
}

static void put_save(struct kprobe_code *c, const struct kprobe_detour *detour, s32 ip)
{
	unsigned int start = c->len;

	kprobe_code_put(c, kprobe_detour_save_template, X86_DETOUR_SAVE_SIZE);
	c->len = start + SAVE_IP;
	put32(c, ip);
	c->len = start + X86_DETOUR_SAVE_SIZE;
	put_c_flags(c, detour);
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		PUT_PERCPU(c, PREEMPT_COUNT, 0, 0xff, 0x05);	/* incl */
	PUT(c, 0x48, 0xbb);					/* mov $, %rbx */
	kprobe_code_put(c, &detour->point, sizeof(detour->point));
}

/* Jumps to @busy if the frame is in use. Jumps to @changed with the frame claimed. */
static void put_claim(struct kprobe_code *c, const struct kprobe_detour *detour,
		      void (*busy)(void), void (*changed)(void))
{
	PUT_FRAME_BASE(c);
	PUT_FRAME(c, hazard, 0x49, 0x83, 0xbf);			/* cmpq $0 */
	PUT(c, 0);
	x86_put_cond(c, COND_NE, (unsigned long)busy);
	PUT_FRAME(c, hazard, 0x49, 0x89, 0x9f);			/* mov %rbx */
	PUT_PERCPU(c, PREEMPT_COUNT, 0, 0x8b, 0x05);		/* mov to %eax */
	PUT_FRAME(c, context, 0x41, 0x89, 0x87);		/* mov %eax */
	static_assert(!offsetof(struct kprobe_point, generation));
	PUT(c, 0x81, 0x3b);					/* cmpl $, (%rbx) */
	put32(c, detour->generation);
	x86_put_cond(c, COND_NE, (unsigned long)changed);
}

/* Releases the frame, and restores the registers. */
static void put_leave(struct kprobe_code *c, u16 *restore)
{
	PUT_FRAME(c, context, 0x41, 0x83, 0x8f);		/* orl $KPROBE_CONTEXT_NONE */
	PUT(c, KPROBE_CONTEXT_NONE & 0xff);
	PUT_FRAME(c, hazard, 0x49, 0x83, 0xa7);			/* andq $0 */
	PUT(c, 0);
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT)) {
		PUT_PERCPU(c, PREEMPT_COUNT, 0, 0xff, 0x0d);	/* decl */
		PUT(c, 0x75, CALL_INSN_SIZE);			/* jne */
		put_call(c, kprobe_detour_resched);
	}
	*restore = c->len;
	kprobe_code_put(c, kprobe_detour_restore_template, X86_DETOUR_RESTORE_SIZE);
}

/* handler(probe, registers, ...) */
static void put_handler(struct kprobe_code *c, const struct kprobe *p, const void *handler)
{
	PUT(c, 0x48, 0xbf);					/* mov $, %rdi */
	kprobe_code_put(c, &p, sizeof(p));
	PUT_FRAME(c, probe, 0x49, 0x89, 0xbf);			/* mov %rdi */
	PUT(c, 0x48, 0x89, 0xe6);				/* mov %rsp, %rsi */
	put_call(c, handler);
}

static void put_pre_handlers(struct kprobe_code *c, const struct kprobe_point *point)
{
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list) {
		if (!p->pre_handler || kprobe_disabled(p))
			continue;
		put_handler(c, p, p->pre_handler);
		if (kprobe_is_return_probe(p))
			continue;
		PUT(c, 0x85, 0xc0);				/* test %eax, %eax */
		x86_put_cond(c, COND_NE, (unsigned long)kprobe_detour_divert);
	}
}

static void put_post_handlers(struct kprobe_code *c, const struct kprobe_point *point)
{
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list) {
		if (!p->post_handler || kprobe_disabled(p))
			continue;
		PUT(c, 0x31, 0xd2);				/* xor %edx, %edx */
		put_handler(c, p, p->post_handler);
	}
}

static bool has_post_handlers(const struct kprobe_point *point)
{
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list)
		if (p->post_handler && !kprobe_disabled(p))
			return true;
	return false;
}

/* Calls post-handlers in the frame of the pre-handlers. They see @ip. */
static void put_post_handlers_at(struct kprobe_code *c, const struct kprobe_point *point,
				 unsigned long ip)
{
	PUT(c, 0x48, 0xc7, 0x84, 0x24);				/* movq $, (%rsp) */
	put32(c, offsetof(struct pt_regs, ip));
	put32(c, ip);
	put_post_handlers(c, point);
}

/* The address after the first displaced instruction. */
static unsigned long after_first(const struct kprobe_detour *detour)
{
	return detour->point->site + detour->from[1];
}

static void put_enter(struct kprobe_code *c, struct kprobe_detour *detour)
{
	detour->arch.save[0] = c->len;
	put_save(c, detour, detour->point->addr + INT3_INSN_SIZE);
	if (!detour->direct) {
		x86_put_jump(c, (unsigned long)kprobe_detour_slow, 0);
		detour->arch.restore[0] = c->len;
		return;
	}
	put_claim(c, detour, kprobe_detour_slow, kprobe_detour_stale);
	put_pre_handlers(c, detour->point);
}

/*
 * What is on the stack, in words, at each byte of what put_quick_entry() puts. The push and
 * pop of %rdi and %rsi are for the arguments.
 */
static const u8 quick_pushed[] = {
	0, [1 ... 4] = 1, 2, 3, [7 ... 26] = 4, 3, 2, [29 ... 31] = 1,
	[37 + sizeof(struct kretprobe_quick_entry)] = 1,
};

/* Returns the offset of a jump for hits that are done with, which the caller must direct. */
static unsigned int put_quick_entry(struct kprobe_code *c, const struct kprobe_detour *detour)
{
	struct kretprobe_quick_entry entry;
	unsigned int jmp;

	if (!detour->direct || !kretprobe_enters_quickly(detour, &entry))
		return 0;
	PUT(c, 0x9c);						/* pushfq */
	if (boot_cpu_has(X86_FEATURE_SMAP))
		PUT(c, 0x0f, 0x01, 0xca);			/* clac: it may reschedule */
	else
		PUT(c, BYTES_NOP3);
	PUT(c, 0x50, 0x57, 0x56);				/* push %rax, %rdi, %rsi */
	PUT(c, 0x48, 0x8d, 0x3d, 23, 0, 0, 0);			/* lea (%rip), %rdi: @entry */
	PUT(c, 0x48, 0x8d, 0x74, 0x24, 4 * sizeof(long));	/* lea (%rsp), %rsi */
	put_call(c, kretprobe_enter_quickly);
	PUT(c, 0x84, 0xc0, 0x5e, 0x5f, 0x58);			/* test %al, %al; pop */
	PUT(c, 0x74, 1 + JMP32_INSN_SIZE + sizeof(entry));	/* je */
	PUT(c, 0x9d);						/* popfq */
	jmp = c->len;
	x86_put_jump(c, c->base, 0);
	kprobe_code_put(c, &entry, sizeof(entry));
	PUT(c, 0x9d);						/* popfq */
	return jmp;
}

static void put_pre_part(struct kprobe_code *c, struct kprobe_detour *detour)
{
	const struct kprobe_point *point = detour->point;

	put_enter(c, detour);
	if (!detour->direct)
		return;
	/* The entry nop has no effect that its post-handlers would have to wait for. */
	if (kprobe_point_skips_nop(point) && has_post_handlers(point))
		put_post_handlers_at(c, point, point->site);
	put_leave(c, &detour->arch.restore[0]);
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

/* Notes for unwinders whether the instruction has been executed. */
static void put_post(struct kprobe_code *c, bool post)
{
	PUT_FRAME(c, post, 0x41, 0xc6, 0x87);			/* movb $ */
	PUT(c, post);
}

static void put_post_part(struct kprobe_code *c, struct kprobe_detour *detour)
{
	detour->arch.save[1] = c->len;
	put_save(c, detour, after_first(detour));
	put_claim(c, detour, kprobe_detour_post_slow, kprobe_detour_post_stale);
	put_post(c, true);
	put_post_handlers(c, detour->point);
	put_post(c, false);
	put_leave(c, &detour->arch.restore[1]);
}

/* The region's instructions from number @first on, and the jump back. */
static void put_region(struct kprobe_code *c, const struct kprobe_region *region,
		       unsigned int first, struct kprobe_detour *detour)
{
	kprobe_emit_region(&x86_kprobe_isa, c, region, first, detour->point->insn,
			   detour->point->site, detour->insn);
}

/* The first displaced instruction alone, which is not emulated. */
static void put_first(struct kprobe_code *c, const struct kprobe_region *region,
		      const struct kprobe_point *point)
{
	x86_kprobe_isa.emit(c, &region->insn[0], point->insn, point->site);
}

/* That, and a jump to what comes next: in the detour if there are more. */
static void *put_copy(struct kprobe_code *c, const struct kprobe_region *region,
		      const struct kprobe_detour *detour, bool post)
{
	unsigned long start = kprobe_code_here(c);
	unsigned long next = region->nr > 1 ? c->base + detour->insn[1] : after_first(detour);

	/* The point's first post-handler renews the detour: kprobe_leave_detour(). */
	if (post && !detour->point->text.run_post)
		return NULL;
	put_first(c, region, detour->point);
	if (post)
		put_call(c, kprobe_post_trampoline);
	x86_put_jump(c, next, 0);
	return (void *)start;
}

/* The registers that the first instruction works on; 0 if all must be restored for it. */
static u16 registers_of_first(const struct kprobe_detour *detour)
{
	u16 registers = x86_kprobe_registers(detour->point->insn, detour->from[1]);

	/* rsp leads to the saved registers, and rbp is for unwinding. */
	return registers & (BIT(4) | BIT(5) | BIT(FRAME_BASE_REGISTER)) ? 0 : registers;
}

static void emit_plain(struct kprobe_code *c, const struct kprobe_region *region,
		       struct kprobe_detour *detour)
{
	unsigned int jmp = put_quick_entry(c, detour), end;

	put_pre_part(c, detour);
	detour->route.run = (void *)kprobe_code_here(c);
	end = c->len;
	if (jmp) {
		c->len = jmp;
		x86_put_jump(c, (unsigned long)detour->route.run, 0);
		c->len = end;
	}
	put_region(c, region, 0, detour);
	detour->copies = c->len;
	detour->route.run_post = put_copy(c, region, detour, true);
}

/* After the first instruction: the others, and copies for hits that do not end here. */
static void put_rest(struct kprobe_code *c, const struct kprobe_region *region,
		     struct kprobe_detour *detour)
{
	put_region(c, region, 1, detour);
	detour->copies = c->len;
	detour->route.run = put_copy(c, region, detour, false);
	detour->route.run_post = put_copy(c, region, detour, true);
}

/* Executes the first instruction on the saved registers. */
static void put_first_in_frame(struct kprobe_code *c, const struct kprobe_region *region,
			       struct kprobe_detour *detour)
{
	u16 registers = registers_of_first(detour);

	put_moves(c, 0x8b, registers);
	put_flags_in(c, &detour->arch);
	put_first(c, region, detour->point);
	put_flags_out(c, &detour->arch);
	put_c_flags(c, detour);
	put_moves(c, 0x89, registers);
}

/* An instruction that is executed in the frame cannot fault: its address is not noted. */
static void emit_post_in_frame(struct kprobe_code *c, const struct kprobe_region *region,
			       struct kprobe_detour *detour)
{
	put_enter(c, detour);
	if (region->insn[0].action != KPROBE_NOP)
		put_first_in_frame(c, region, detour);
	put_post_handlers_at(c, detour->point, after_first(detour));
	put_leave(c, &detour->arch.restore[0]);
	detour->insn[0] = c->len;
	put_rest(c, region, detour);
}

static void emit_post(struct kprobe_code *c, const struct kprobe_region *region,
		      struct kprobe_detour *detour)
{
	/* Also without pre-handlers: the check for changes finds one that is added later. */
	put_pre_part(c, detour);
	detour->insn[0] = c->len;
	detour->inlined = c->len;
	put_first(c, region, detour->point);
	put_post_part(c, detour);
	put_rest(c, region, detour);
}

void x86_emit_detour(struct kprobe_detour *detour, const struct kprobe_region *region,
		     struct kprobe_code *code)
{
	enum kprobe_action action = region->insn[0].action;

	memset(&detour->arch, 0xff, sizeof(detour->arch));
	detour->inlined = 0;
	if (!detour->direct || !has_post_handlers(detour->point) ||
	    kprobe_point_skips_nop(detour->point) || action == KPROBE_EMULATE)
		emit_plain(code, region, detour);
	else if (action == KPROBE_NOP || registers_of_first(detour))
		emit_post_in_frame(code, region, detour);
	else
		emit_post(code, region, detour);
}
NOKPROBE_SYMBOL(x86_emit_detour);

/* May it call all handlers itself? */
static bool is_direct(const struct kprobe_point *point)
{
	unsigned int nr_pre = 0, nr_post = 0;
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list) {
		if (kprobe_disabled(p))
			continue;
		nr_pre += !!p->pre_handler;
		nr_post += !!p->post_handler;
	}
	/* What an emulated branch does to the registers is not for a detour. */
	if (nr_post && point->emulated && !kprobe_point_skips_nop(point) &&
	    point->emulated->action != KPROBE_NOP)
		return false;
	/* KMSAN has to be told of the registers first. */
	return max(nr_pre, nr_post) <= X86_DETOUR_HANDLERS && !IS_ENABLED(CONFIG_KMSAN);
}

enum kprobe_reason arch_kprobe_emit_detour(struct kprobe_detour *detour,
					   const struct kprobe_region *region,
					   struct kprobe_code *code)
{
	u8 flow = region->insn[region->nr - 1].flow;

	/* Indirect Target Selection: where in a cache line the copy would be matters. */
	if (boot_cpu_has(X86_FEATURE_INDIRECT_THUNK_ITS) &&
	    (flow == KPROBE_FLOW_JUMP_INDIRECT || flow == KPROBE_FLOW_RETURN))
		return KPROBE_REASON_NOT_DISPLACED;
	/* Spectre v2: an lfence is in front of the jump, and nothing may come between. */
	if (boot_cpu_has(X86_FEATURE_RETPOLINE_LFENCE) && flow == KPROBE_FLOW_JUMP_INDIRECT)
		return KPROBE_REASON_NOT_DISPLACED;
	detour->direct = detour->direct && is_direct(detour->point);
	/* Calling nobody, it is no more than a longer way out of the trap. */
	if (detour->alone && !detour->direct && !kprobe_point_skips_nop(detour->point))
		return KPROBE_REASON_NOT_DISPLACED;
	x86_emit_detour(detour, region, code);
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
	    *(u8 *)(detour->slot + copy) == X86_PUSH32_INSN_OPCODE)
		*pushed = sizeof(long);
	return kprobe_detour_original(detour, offset);
}
NOKPROBE_SYMBOL(copied_ip);

unsigned long arch_kprobe_detour_ip(const struct kprobe_detour *detour,
				    unsigned long addr, unsigned int *pushed)
{
	unsigned long ip, offset = addr - (unsigned long)detour->slot;
	const struct arch_kprobe_detour *at = &detour->arch;
	unsigned int i;

	if (offset == at->pushed[0] || offset == at->pushed[1])
		return (unsigned long)kprobe_detour_pushed + 1;
	if (offset < at->save[0]) {
		*pushed = quick_pushed[offset] * sizeof(long);
		return detour->point->site;
	}
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
