// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The detours of 64-bit kernels, which call handlers by themselves. One with one pre-handler:
 *
 *	return probe alone? done without saving -> run	kretprobe_enter_quickly()
 *	save registers as a trap would		kprobe_detour_save_template
 *	%rbx = point, %r15 = offset of the CPU's data
 *	frame in use? -> kprobe_detour_slow
 *	claim the frame, publish the point
 *	has it changed? -> kprobe_detour_stale
 *	count the hit, while hits are counted
 *	call handler; diverted? -> kprobe_detour_divert
 *	give the frame back
 *	restore registers			kprobe_detour_restore_template
 *	displaced instructions
 *	jmp back
 *
 * A detour that only a breakpoint leads to has one displaced instruction. If there are
 * post-handlers, the code from saving to restoring registers comes a second time after the
 * first displaced instruction, and calls them.
 *
 * A hit that the detour does not handle itself ends like a trap: by an iret, with the
 * instruction pointer in the saved registers at one of the copies of the first displaced
 * instruction, or after it if that was executed. The copy above is one of them if there are
 * no post-handlers. Others come after the jump back, and jump to the second instruction:
 *
 *	run:      the first instruction
 *	run_post: the same, and a call of kprobe_post_trampoline
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

#define BYTES		X86_BYTES
#define PUT		X86_PUT
#define COND_NE		0x5

static void put32(struct kprobe_code *c, s32 value)
{
	kprobe_code_put(c, &value, sizeof(value));
}

/* Calls a function after its landing pad. */
static void put_call(struct kprobe_code *c, const void *function)
{
	x86_put_call(c, kprobe_entry_of((unsigned long)function));
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

/* An instruction whose per-CPU operand is the last, and relative to the end. */
#define PUT_PERCPU(c, addr, ...)						\
	put_percpu(c, addr, BYTES(PERCPU_PREFIX __VA_ARGS__),			\
		   sizeof(BYTES(PERCPU_PREFIX __VA_ARGS__)))

/*
 * %r15 has the CPU's offset from before the frame is claimed until it is released. Handlers must
 * not sleep. One that does may return on another CPU, where %r15 still leads to the frame.
 */
#ifdef CONFIG_SMP
#define PUT_FRAME_BASE(c)							\
	PUT_PERCPU(c, (unsigned long)&this_cpu_off, 0x4c, 0x8b, 0x3d) /* mov to %r15 */
#else
#define PUT_FRAME_BASE(c)	PUT(c, 0x45, 0x31, 0xff)	/* xor %r15d, %r15d */
#endif

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

static void put_save(struct kprobe_code *c, const struct kprobe_detour *detour, s32 ip)
{
	unsigned int start = c->len;

	kprobe_code_put(c, kprobe_detour_save_template, X86_DETOUR_SAVE_SIZE);
	c->len = start + SAVE_IP;
	put32(c, ip);
	c->len = start + X86_DETOUR_SAVE_SIZE;
	/* Flags that C code expects to be clear, where probed code may have set them. */
	if (boot_cpu_has(X86_FEATURE_SMAP))
		PUT(c, 0x0f, 0x01, 0xca);			/* clac */
	/* Of the function nothing is known if no jump leads here. */
	if (detour->alone)
		PUT(c, 0xfc);					/* cld */
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		PUT_PERCPU(c, PREEMPT_COUNT, 0xff, 0x05);	/* incl */
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
	PUT_PERCPU(c, PREEMPT_COUNT, 0x8b, 0x05);		/* mov to %eax */
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
		PUT_PERCPU(c, PREEMPT_COUNT, 0xff, 0x0d);	/* decl */
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
	unsigned int left = X86_DETOUR_HANDLERS;
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list) {
		if (!p->pre_handler || kprobe_disabled(p))
			continue;
		/* A handler has enabled more since is_direct(), so the detour is stale. */
		if (!left--)
			break;
		put_handler(c, p, p->pre_handler);
		if (kprobe_is_return_probe(p))
			continue;
		PUT(c, 0x85, 0xc0);				/* test %eax, %eax */
		x86_put_cond(c, COND_NE, (unsigned long)kprobe_detour_divert);
	}
}

static void put_count(struct kprobe_code *c)
{
	PUT(c, 0xf0, 0x48, 0xff, 0x83);				/* lock incq (%rbx) */
	put32(c, offsetof(struct kprobe_point, hits));
}

/* Calls the pre-handlers, also if there are none now: the check for changes finds a later one. */
static void put_hit(struct kprobe_code *c, struct kprobe_detour *detour)
{
	struct arch_kprobe_detour *at = &detour->arch;

	at->save[0] = c->len;
	at->save[1] = U16_MAX;
	put_save(c, detour, detour->point->addr + INT3_INSN_SIZE);
	if (detour->direct) {
		put_claim(c, detour, kprobe_detour_slow, kprobe_detour_stale);
		if (detour->counts)
			put_count(c);
		put_pre_handlers(c, detour->point);
		put_leave(c, &at->restore[0]);
	} else {
		x86_put_jump(c, (unsigned long)kprobe_detour_slow, 0);
		at->restore[0] = c->len;
	}
}

/* Calls the post-handlers, after the first displaced instruction. */
static void put_post_hit(struct kprobe_code *c, struct kprobe_detour *detour)
{
	const struct kprobe_point *point = detour->point;
	unsigned int left = X86_DETOUR_HANDLERS;
	struct kprobe *p;

	detour->arch.save[1] = c->len;
	put_save(c, detour, point->site + detour->from[1]);
	put_claim(c, detour, kprobe_detour_post_slow, kprobe_detour_post_stale);
	/* Notes for unwinders that the displaced instruction has been executed. */
	PUT_FRAME(c, post, 0x41, 0xc6, 0x87);			/* movb $ */
	PUT(c, true);
	list_for_each_entry(p, &point->probes, list) {
		if (!p->post_handler || kprobe_disabled(p))
			continue;
		if (!left--)
			break;
		PUT(c, 0x31, 0xd2);				/* xor %edx, %edx */
		put_handler(c, p, p->post_handler);
	}
	PUT_FRAME(c, post, 0x41, 0xc6, 0x87);			/* movb $ */
	PUT(c, false);
	put_leave(c, &detour->arch.restore[1]);
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

	/* It does not count. */
	if (!detour->direct || detour->counts || !kretprobe_enters_quickly(detour, &entry))
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

/* The first one once more, and a jump to what comes next: in the detour if there are more. */
static void *put_copy(struct kprobe_code *c, const struct kprobe_region *region,
		      const struct kprobe_detour *detour, bool post)
{
	const struct kprobe_point *point = detour->point;
	unsigned long start = kprobe_code_here(c);

	/* The point's first post-handler renews the detour: kprobe_leave_detour(). */
	if (post && !point->text.run_post)
		return NULL;
	x86_kprobe_isa.emit(c, &region->insn[0], point->insn, point->site);
	if (post)
		put_call(c, kprobe_post_trampoline);
	x86_put_jump(c, region->nr > 1 ? c->base + detour->insn[1] :
					 point->site + detour->from[1], 0);
	return (void *)start;
}

static unsigned int count_handlers(const struct kprobe_point *point, bool post)
{
	unsigned int nr = 0;
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list)
		nr += !kprobe_disabled(p) && (post ? !!p->post_handler : !!p->pre_handler);
	return nr;
}

void x86_emit_detour(struct kprobe_detour *detour, const struct kprobe_region *region,
		     struct kprobe_code *code)
{
	const struct kprobe_point *point = detour->point;
	bool post = detour->direct && count_handlers(point, true);
	unsigned int jmp = put_quick_entry(code, detour), end;
	struct kprobe_route *route = &detour->route;
	void *start;

	put_hit(code, detour);
	end = code->len;
	start = (void *)kprobe_code_here(code);
	if (jmp) {
		code->len = jmp;
		x86_put_jump(code, (unsigned long)start, 0);
		code->len = end;
	}
	detour->insn[0] = end;
	if (post) {
		x86_kprobe_isa.emit(code, &region->insn[0], point->insn, point->site);
		put_post_hit(code, detour);
	}
	kprobe_emit_region(&x86_kprobe_isa, code, region, post, point->insn, point->site,
			   detour->insn);
	detour->copies = code->len;
	route->run = post ? put_copy(code, region, detour, false) : start;
	route->run_post = put_copy(code, region, detour, true);
}

/* May it call all handlers itself? */
static bool is_direct(const struct kprobe_point *point)
{
	unsigned int nr_post = count_handlers(point, true);

	/* C code calls post-handlers of entry nops and of emulated instructions. */
	if (nr_post && (point->emulated || kprobe_point_skips_nop(point)))
		return false;
	/* KMSAN has to be told of the registers first. */
	return max(count_handlers(point, false), nr_post) <= X86_DETOUR_HANDLERS &&
	       !IS_ENABLED(CONFIG_KMSAN);
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

/*
 * For everything that is executed with the probed code's registers. A call is displaced as
 * a push of its return address and a jump; nothing else has code after such a push.
 */
static __kprobes unsigned long copied_ip(const struct kprobe_detour *detour,
					 unsigned long offset, unsigned int *pushed)
{
	unsigned int copy = detour->insn[kprobe_detour_index(detour, offset)];

	if (offset < detour->copies && offset >= copy + X86_PUSH32_INSN_SIZE &&
	    *(u8 *)(detour->slot + copy) == X86_PUSH32_INSN_OPCODE)
		*pushed = sizeof(long);
	return kprobe_detour_original(detour, offset);
}

__kprobes unsigned long arch_kprobe_detour_ip(const struct kprobe_detour *detour,
					      unsigned long addr, unsigned int *pushed)
{
	unsigned long ip, offset = addr - (unsigned long)detour->slot;
	const struct arch_kprobe_detour *at = &detour->arch;
	unsigned int i;

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
