// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on SPARC V9: traps, text, emulation of branches, and text that must not be probed.
 *
 * A point's instruction becomes ta 0x70, whose trap has a register window of its own: the probed
 * code's %o registers are %i registers there, and in struct pt_regs. Its %l and %i registers are in
 * windows of the CPU, or on the stack once these were flushed.
 *
 * The trap restores two instruction pointers, so that a branch is emulated by setting both: its
 * delay slot runs in the text. All else runs from slots. They are in the kernel's text, which
 * branches from modules do not reach, and in memory of modules.
 */
#include <linux/array_size.h>
#include <linux/bitops.h>
#include <linux/cacheflush.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/asi.h>
#include <asm/hypervisor.h>
#include <asm/sections.h>

#include "entry.h"

#define WORD		4
#define TRAP_TYPE	0x170

/* A stub's window is that of common code, which makes a frame as a trap does. */
static_assert(sizeof(struct sparc_stackf) + sizeof(struct pt_regs) == KPROBE_STUB_FRAME);
static_assert(STACK_BIAS + offsetof(struct reg_window, ins[7]) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/*
 * The text of the kernel and of modules is writable. "flush" takes 8 bytes. It must run on the CPU
 * that has stored: an UltraSPARC's instruction cache does not see its own stores.
 */
void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	size_t at;

	guard(preempt)();
	memcpy(slot, code, len);
	for (at = 0; at < len; at += 2 * WORD)
		flushi(slot + at);
	flushi(slot + len - 1);
}

/*
 * A word is written by one store, so a CPU fetches the old one or the new one. A CPU may have
 * fetched some words ahead, until it takes a trap: the interrupt of kick_all_cpus_sync(), which
 * waits for breakpoints' traps, as they mask it.
 */
void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i++) {
		guard(preempt)();
		WRITE_ONCE(*(u32 *)patches[i].addr, get_unaligned((const u32 *)patches[i].new));
		flushi(patches[i].addr);
	}
	kick_all_cpus_sync();
}

/* The probed code's %l and %i registers are in its window, on the stack once that was flushed. */
static __always_inline unsigned long *flushed_reg(struct pt_regs *regs, unsigned int reg)
{
	struct reg_window *window = (struct reg_window *)(regs->u_regs[UREG_FP] + STACK_BIAS);

	flushw_all();
	return reg < 24 ? &window->locals[reg - 16] : &window->ins[reg - 24];
}

static __kprobes unsigned long get_reg(struct pt_regs *regs, unsigned int reg)
{
	if (reg < 16)
		return reg ? regs->u_regs[reg] : 0;
	return READ_ONCE(*flushed_reg(regs, reg));
}

/* The trap's return fills the window from there. */
static __kprobes void set_reg(struct pt_regs *regs, unsigned int reg, unsigned long value)
{
	if (reg >= 16)
		WRITE_ONCE(*flushed_reg(regs, reg), value);
	else if (reg)
		regs->u_regs[reg] = value;
}

/* jmpl and branches that compare have a register, and another one or a number. */
static __kprobes unsigned long second_operand(struct pt_regs *regs, u32 word, unsigned int bits)
{
	return word & BIT(13) ? sign_extend64(word, bits - 1) : get_reg(regs, word & 0x1f);
}

/* Of a condition the highest bit inverts the others. @flags: N, Z, V and C, from bit 3 on. */
static __always_inline bool flags_hold(unsigned int condition, unsigned int flags)
{
	bool n = flags & 8, z = flags & 4, v = flags & 2, c = flags & 1, holds;

	switch (condition & 7) {
	case 0:
		holds = false;
		break;
	case 1:
		holds = z;
		break;
	case 2:
		holds = z || n != v;
		break;
	case 3:
		holds = n != v;
		break;
	case 4:
		holds = c || z;
		break;
	case 5:
		holds = c;
		break;
	case 6:
		holds = n;
		break;
	default:
		holds = v;
	}
	return holds ^ (condition >> 3);
}

/* The flags of a subtraction. */
static __kprobes unsigned int compare(unsigned long a, unsigned long b, bool wide)
{
	unsigned long sub;
	bool overflow;

	if (!wide) {
		/* In the upper half flags are the same. */
		a <<= 32;
		b <<= 32;
	}
	sub = a - b;
	overflow = (long)((a ^ b) & (a ^ sub)) < 0;
	return ((long)sub < 0) << 3 | !sub << 2 | overflow << 1 | (a < b);
}

/* Bit 2 inverts the others. */
static __always_inline bool register_holds(unsigned int condition, long value)
{
	bool holds = condition & 1 ? value == 0 : false;

	if (condition & 2)
		holds = condition & 1 ? value < 0 : value <= 0;
	return holds ^ (condition >> 2 & 1);
}

/* Compare and branch, branches on a register, on %icc, and on either half of %ccr. */
static __kprobes bool condition_holds(struct pt_regs *regs, u32 word)
{
	unsigned int op2 = word >> 22 & 7, condition = word >> 25 & 0xf;
	unsigned long rs1;

	if (op2 != 3)
		return flags_hold(condition, regs->tstate >> 32 >>
					     (op2 == 1 && word & BIT(21) ? 4 : 0));
	rs1 = get_reg(regs, word >> 14 & 0x1f);
	if (!(word & BIT(28)))
		return register_holds(condition & 7, rs1);
	condition = (word >> 29 & 1) << 3 | (condition & 7);
	return flags_hold(condition, compare(rs1, second_operand(regs, word, 5), word & BIT(21)));
}

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long next = point->site + WORD, to = insn->target;
	bool taken = insn->flow != KPROBE_FLOW_NEXT;
	u32 word = point->insn[0];

	/* "return" runs in its slot: the CPU restores the window. */
	if (insn->may_fault) {
		instruction_pointer_set(regs, (unsigned long)kprobe_point_slot(point));
		return true;
	}
	switch (insn->flow) {
	case KPROBE_FLOW_NEXT:
		if (insn->action != KPROBE_NOP)
			set_reg(regs, word >> 25 & 0x1f, point->site);
		break;
	case KPROBE_FLOW_JUMP:
		break;
	case KPROBE_FLOW_COND:
		taken = condition_holds(regs, word);
		/* It may annul its delay slot. */
		if (!taken && insn->bundle && word & BIT(29))
			next += WORD;
		break;
	case KPROBE_FLOW_CALL:
		set_reg(regs, UREG_I7, point->site);
		break;
	default:
		to = get_reg(regs, word >> 14 & 0x1f) + second_operand(regs, word, 13);
		set_reg(regs, word >> 25 & 0x1f, point->site);
	}
	if (taken && !insn->bundle)
		next = to;
	instruction_pointer_set(regs, next);
	if (taken && insn->bundle)
		regs->tnpc = to;
	return true;
}

/* The trap does not tell lockdep that interrupts are masked: most of them leave for a detour. */
static __kprobes bool hit(struct pt_regs *regs)
{
	bool irqs_on = lockdep_hardirqs_enabled() && rcu_is_watching();
	bool handled;

	if (irqs_on)
		lockdep_hardirqs_off(CALLER_ADDR0);
	handled = kprobe_trap_hit(regs->tpc, regs);
	if (irqs_on) {
		lockdep_hardirqs_on_prepare();
		lockdep_hardirqs_on(CALLER_ADDR0);
	}
	return handled;
}

/*
 * The trap of a breakpoint, with interrupts masked. Handlers read user memory as the rest of the
 * kernel does; the trap's return restores %asi.
 */
asmlinkage __kprobes void kprobe_trap(struct pt_regs *regs)
{
	void *detour = user_mode(regs) ? NULL : kprobe_breakpoint_detour(regs->tpc);

	if (detour) {
		/* It is to call the handlers instead of the trap. */
		instruction_pointer_set(regs, (unsigned long)detour);
		return;
	}
	asm volatile("wr %%g0, %0, %%asi" : : "i" (ASI_AIUS));
	if (user_mode(regs))
		arch_local_irq_enable();
	else if (hit(regs))
		return;
	bad_trap(regs, TRAP_TYPE);
}

#ifdef CONFIG_FUNCTION_ERROR_INJECTION
/* At a function's entry: before it has a window of its own. */
void override_function_with_return(struct pt_regs *regs)
{
	instruction_pointer_set(regs, arch_kretprobe_return_address(regs));
}
NOKPROBE_SYMBOL(override_function_with_return);
#endif

/* Symbols that a configuration does not have are passed over. */
static const char * const no_go[] __initconst = {
	/* Window fills of a return to user space that have failed, with the globals of traps. */
	"user_rtt_fill_fixup_common",
	/* Stack, windows and thread are those of different tasks. */
	"switch_to_begin",
	/* The firmware runs, or calls. */
	"prom_cif_direct", "prom_cif_callback", "p1275_cmd_direct",
	/* ftrace patches its own calls of tracers without a record of the place. */
	"_mcount", "mcount", "ftrace_stub", "ftrace_caller", "ftrace_call", "ftrace_graph_call",
	"ftrace_graph_caller", "return_to_handler",
	/* A CPU comes up, without the kernel's trap table or its thread. */
	"hv_cpu_startup", "init_irqwork_curcpu", "sun4v_register_mondo_queues",
	"register_one_mondo", "init_cur_cpu_trap", "smp_callin",
	/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
	"cpu_play_dead", "sun4v_cpu_qconf",
	/* With interrupts masked, another MMU context, and on Cheetah at trap level 1. */
	"__flush_tlb_mm", "__flush_tlb_page", "__flush_tlb_pending",
	/* Interrupts are masked by PSTATE.IE, longer or by another way than rows of wrpr tell. */
	"arch_cpu_idle", "sun4v_cpu_yield", "flush_signal_insns", "cheetah_xcall_deliver",
	"spitfire_xcall_deliver",
	/* They begin with the delay slot of a branch. */
	"GENbzero_medium", "NGbzero_medium",
	/* As what no_go_text[] has from xcall_flush_tlb_mm on. */
	"xcall_kgdb_capture",
	/* Functions in assembly that a hit calls. */
	"__ffs", "__fls",
	"arch_atomic_add", "arch_atomic_add_return", "arch_atomic_fetch_add",
	"arch_atomic_sub", "arch_atomic_sub_return", "arch_atomic_fetch_sub",
	"arch_atomic64_add", "arch_atomic64_add_return", "arch_atomic64_fetch_add",
	"arch_atomic64_sub", "arch_atomic64_sub_return", "arch_atomic64_fetch_sub",
	"arch_atomic_and", "arch_atomic_or", "arch_atomic_xor",
	"arch_atomic_fetch_and", "arch_atomic_fetch_or", "arch_atomic_fetch_xor",
	"arch_atomic64_and", "arch_atomic64_or", "arch_atomic64_xor",
	"arch_atomic64_fetch_and", "arch_atomic64_fetch_or", "arch_atomic64_fetch_xor",
};

/* From one symbol to the end of another. */
static const char * const no_go_text[][2] __initconst = {
	/* Interrupts from other CPUs, which are handled at trap level 1. */
	{ "xcall_flush_tlb_mm", "xcall_capture" },
	/* Hibernation overwrites the kernel. */
	{ "swsusp_arch_suspend", "fill_itlb" },
};

int __init arch_kprobe_blacklist(void)
{
	/* The boot, the handlers of traps, and their table, before calls of the hypervisor. */
	return kprobe_blacklist_add_text((unsigned long)_text,
					 (unsigned long)sun4v_devino_to_sysino) ?:
	       kprobe_blacklist_add_symbols(no_go_text, ARRAY_SIZE(no_go_text)) ?:
	       kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
