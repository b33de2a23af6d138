// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on RISC-V: traps, text, and where functions begin.
 *
 * The breakpoint is c.ebreak where there are compressed instructions: it is written
 * by one store into the first half of whatever is there, and no CPU fetches a mixture.
 * Slots and detours lie in the modules' memory, from where auipc and jalr reach the
 * kernel. A slot ends in an exception return where no register is found to spare for them.
 *
 * Breakpoint traps mask interrupts but not the firmware's, which may flush the other
 * CPUs' instruction caches on our behalf.
 */
#include <linux/cacheflush.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/insn.h>
#include <asm/patch.h>
#include <asm/switch_to.h>

/* What a stub saves before it calls common code is part of what that saves. */
static_assert(ALIGN(sizeof(struct pt_regs), 16) == KPROBE_STUB_FRAME);
static_assert(offsetof(struct pt_regs, ra) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/* One store if it has two or four bytes and is aligned so, whatever the buffer is. */
static void write_text(const struct kprobe_patch *patch)
{
	u8 bytes[KPROBE_JUMP_SIZE] __aligned(8);

	memcpy(bytes, patch->new, patch->len);
	WARN_ON_ONCE(patch_insn_write((void *)patch->addr, bytes, patch->len));
}

/*
 * Not by the firmware: that interrupts breakpoint traps as well. What the kernel
 * interrupts has left those.
 */
static void fetch_anew(void *unused)
{
	local_flush_icache_all();
}

void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i++)
		write_text(&patches[i]);
	/* The stores come before fence.i on each CPU. */
	RISCV_FENCE(w, o);
	on_each_cpu(fetch_anew, NULL, 1);
}

void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	guard(mutex)(&text_mutex);
	WARN_ON_ONCE(patch_insn_write(slot, code, len));
}

/* struct pt_regs has them in order, with the instruction pointer in the place of x0. */
static __kprobes unsigned long get_register(const struct pt_regs *regs, u8 reg)
{
	return reg ? ((const unsigned long *)regs)[reg] : 0;
}

static __kprobes bool condition_holds(const struct arch_kprobe_insn *insn,
				      const struct pt_regs *regs)
{
	unsigned long a = get_register(regs, insn->rs1);
	unsigned long b = get_register(regs, insn->rs2);
	bool holds;

	switch (insn->cond >> 1) {
	case 0:
		holds = a == b;
		break;
	case 2:
		holds = (long)a < (long)b;
		break;
	default:
		holds = a < b;
	}
	return holds ^ (insn->cond & 1);
}

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long after = point->site + insn->len, to = after;

	switch (insn->flow) {
	case KPROBE_FLOW_JUMP:
	case KPROBE_FLOW_CALL:
		to = insn->target;
		break;
	case KPROBE_FLOW_COND:
		if (condition_holds(&insn->arch, regs))
			to = insn->target;
		break;
	case KPROBE_FLOW_JUMP_INDIRECT:
	case KPROBE_FLOW_CALL_INDIRECT:
	case KPROBE_FLOW_RETURN:
		to = (get_register(regs, insn->arch.rs1) + insn->arch.imm) & ~1UL;
	}
	instruction_pointer_set(regs, to);
	/* Of branches the return address, else of auipc. */
	if (insn->arch.rd)
		((unsigned long *)regs)[insn->arch.rd] =
			insn->flow == KPROBE_FLOW_NEXT ? point->site + insn->arch.imm : after;
	return true;
}

/* A breakpoint trap in the kernel counts as an NMI. */
#define BREAK_ENTERED	(NMI_OFFSET + HARDIRQ_OFFSET)

/* A breakpoint was hit. Returns whether it was a probe's. */
__kprobes bool kprobe_breakpoint_handler(struct pt_regs *regs)
{
	return kprobe_breakpoint_hit(regs->epc, regs, BREAK_ENTERED);
}

/*
 * Leaves a breakpoint's trap for a detour, before anything else is done about the trap: what a
 * detour calls is called by the probed code. If this returns false, kprobe_breakpoint_handler() is
 * next.
 */
noinstr bool kprobe_break_leave(struct pt_regs *regs)
{
	void *entry = kprobe_breakpoint_detour(regs->epc);

	if (!entry)
		return false;
	regs->epc = (unsigned long)entry;
	return true;
}

/*
 * Has interrupted code begin its jump again, before anything reads @regs. RCU is watching.
 *
 * A jump has two instructions. A task that stayed between them would execute the original
 * text from the middle on, after another CPU has taken the jump out. The first instruction
 * writes a register that is dead, so it may be executed twice, and what has replaced it may
 * be executed instead. Another CPU restores the second one after it has interrupted all CPUs, so
 * it is still there when an interrupt finds a task in front of it.
 */
__kprobes void kprobe_interrupted(struct pt_regs *regs)
{
	unsigned long site = regs->epc - KPROBE_JUMP_SIZE / 2;
	u16 half;

	if (user_mode(regs))
		return;
	__get_kernel_nofault(&half, (void *)regs->epc, u16, unreadable);
	/* jalr zero */
	if ((half & 0x7fff) == RVG_OPCODE_JALR && kprobe_is_in_jump(site, regs->epc))
		regs->epc = site;
unreadable:
	return;
}

/* Runs on two stacks, one after the other: neither is the one of "current". */
NOKPROBE_SYMBOL(__switch_to);

/*
 * Executed from copies, without the kernel's page tables or trap vector, or by each trap
 * before it can be told what has trapped. Symbols that a configuration does not have
 * are passed over.
 */
static const char * const no_go[] __initconst = {
	/* kexec and hibernation: from a copy, while the kernel is overwritten. */
	"riscv_kexec_relocate", "riscv_kexec_norelocate",
	"hibernate_restore_image", "hibernate_core_restore_code", "__hibernate_cpu_resume",
	/* A CPU comes up, resumes, or leaves. What comes before smp_callin() is no kernel text. */
	"smp_callin",
	"__cpu_suspend_enter", "__cpu_resume_enter", "sbi_cpu_stop", "sbi_hsm_hart_stop",
	/* They resume before they restore the trap vector. */
	"cpu_suspend", "swsusp_arch_suspend", "suspend_restore_csrs",
	/* The stack is another one. */
	"call_on_irq_stack",
	/* Called before a trap is known to be one of ours. */
	"handle_bad_stack",
	/*
	 * ftrace patches its own calls of tracers without a record of the place. The labels
	 * are symbols of their own.
	 */
	"ftrace_caller", "ftrace_call", "ftrace_graph_call",
};

int __init arch_kprobe_blacklist(void)
{
	return kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
