// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on arm64: traps, text, and where functions begin.
 *
 * A point's instruction becomes brk #4. The displaced instruction is emulated where it
 * depends on its own address; everything else runs from a slot. Where it can, the
 * breakpoint becomes a branch to a stub later on.
 *
 * A breakpoint's trap masks interrupts but does not count as an NMI. It tells the
 * address of the breakpoint, and it does not restore the stack pointer: handlers
 * cannot change that.
 */
#include <linux/align.h>
#include <linux/cpufeature.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <asm/debug-monitors.h>
#include <asm/insn.h>
#include <asm/mte.h>
#include <asm/patching.h>
#include <asm/sections.h>
#include <asm/sysreg.h>
#include <asm/trans_pgd.h>
#include <asm/virt.h>

#include "probes/simulate-insn.h"

static_assert(sizeof(struct pt_regs) == KPROBE_STUB_FRAME);
static_assert(offsetof(struct pt_regs, regs[30]) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

#define SYS_PSTATE_DIT	sys_reg(3, 3, 4, 2, 5)

void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	aarch64_insn_copy_nosync(slot, (void *)code, len);
}

/*
 * Other CPUs may execute an instruction while it is replaced if both are of a few
 * kinds, of which these come up here. All others have the CPUs stopped.
 */
static bool may_change_live(u32 word)
{
	return aarch64_insn_is_b(word) || aarch64_insn_is_bl(word) ||
	       aarch64_insn_is_brk(word) || word == aarch64_insn_gen_nop();
}

/* Words that are written while all CPUs are stopped: a word takes about a microsecond. */
#define STOPPED_AT_ONCE	32U

void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	/* Under text_mutex. */
	static void *addrs[KPROBE_CHUNK];
	static u32 words[KPROBE_CHUNK];
	unsigned int i, stopped = 0;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i++) {
		addrs[stopped] = (void *)patches[i].addr;
		words[stopped] = get_unaligned_le32(patches[i].new);
		if (!may_change_live(get_unaligned_le32(patches[i].old)) ||
		    !may_change_live(words[stopped]))
			stopped++;
		else
			WARN_ON_ONCE(aarch64_insn_patch_text_nosync(addrs[stopped],
								    words[stopped]));
	}
	/* The stop, or the interrupt, comes after all the words: CPUs fetch anew then. */
	for (i = 0; i < stopped; i += STOPPED_AT_ONCE)
		WARN_ON_ONCE(aarch64_insn_patch_text(addrs + i, words + i,
						     min(stopped - i, STOPPED_AT_ONCE)));
	if (!stopped)
		kick_all_cpus_sync();
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
/*
 * The two words before a traced function are a pointer that ftrace writes. Its call is 12
 * bytes after their start, or 16 if the function begins with a landing pad. They count as
 * text of the function before.
 */
bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	unsigned long at;

	for (at = ALIGN_DOWN(start, sizeof(u64)); at < end; at += sizeof(u64))
		if (ftrace_location_range(at + 3 * AARCH64_INSN_SIZE, at + 4 * AARCH64_INSN_SIZE))
			return true;
	return false;
}
#endif

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	unsigned long addr = point->site;
	u32 word = le32_to_cpu((__force __le32)point->insn[0]);

	regs->pc = addr;
	if (point->emulated->action == KPROBE_NOP)
		regs->pc += AARCH64_INSN_SIZE;
	else if (aarch64_insn_is_adr_adrp(word))
		simulate_adr_adrp(word, addr, regs);
	else if (aarch64_insn_is_b(word) || aarch64_insn_is_bl(word))
		simulate_b_bl(word, addr, regs);
	else if (aarch64_insn_is_bcond(word))
		simulate_b_cond(word, addr, regs);
	else if (aarch64_insn_is_cbz(word) || aarch64_insn_is_cbnz(word))
		simulate_cbz_cbnz(word, addr, regs);
	else if (aarch64_insn_is_tbz(word) || aarch64_insn_is_tbnz(word))
		simulate_tbz_tbnz(word, addr, regs);
	else if (point->emulated->flow == KPROBE_FLOW_JUMP_INDIRECT ||
		 point->emulated->flow == KPROBE_FLOW_CALL_INDIRECT ||
		 point->emulated->flow == KPROBE_FLOW_RETURN)
		simulate_br_blr_ret(word, addr, regs);
	else if (aarch64_insn_is_ldrsw_lit(word))
		simulate_ldrsw_literal(word, addr, regs);
	else
		simulate_ldr_literal(word, addr, regs);
	return true;
}

/* A breakpoint was hit: interrupts and preemption are disabled. */
__kprobes int kprobe_brk_handler(struct pt_regs *regs, unsigned long esr)
{
	/* It is to call the handlers instead of the trap. */
	void *detour = kprobe_breakpoint_detour(regs->pc);

	if (detour)
		regs->pc = (unsigned long)detour;
	else if (!kprobe_breakpoint_hit(regs->pc, regs, 0))
		return DBG_HOOK_ERROR;
	/* A probed landing pad was found. What comes next need not be: no branch leads there. */
	regs->pstate &= ~PSR_BTYPE_MASK;
	return DBG_HOOK_HANDLED;
}

__kprobes void arch_kprobe_end_access(unsigned int access)
{
	if (access & KPROBE_USER_TABLES)
		uaccess_ttbr0_disable();
	if (access & KPROBE_USER_ACCESS)
		__uaccess_enable_hw_pan();
	if (access & KPROBE_TAGS_IGNORED)
		mte_disable_tco_entry(current);
}

/* The tables are the task's as they are now: it may have been switched out meanwhile. */
__kprobes void arch_kprobe_resume_access(unsigned int access)
{
	if (access & KPROBE_TAGS_IGNORED)
		asm volatile(SET_PSTATE_TCO(1));
	if (access & KPROBE_USER_ACCESS)
		__uaccess_disable_hw_pan();
	if (access & KPROBE_USER_TABLES)
		uaccess_ttbr0_enable();
}

/*
 * A stub is left as a trap would be. Of the probed code's state @regs have only the flags and which
 * interrupts are masked. This adds the rest, which is the same in the handlers as in that code.
 */
__kprobes void kprobe_detour_leave(struct pt_regs *regs)
{
	u64 pstate = 0;

	if (cpus_have_cap(ARM64_HAS_PAN))
		pstate |= read_sysreg_s(SYS_PSTATE_PAN);
	if (cpus_have_cap(ARM64_HAS_DIT))
		pstate |= read_sysreg_s(SYS_PSTATE_DIT);
	/* As exceptions leave it in the kernel. Not every CPU with the bit lets itself be asked. */
	if (read_sysreg(sctlr_el1) & SCTLR_ELx_DSSBS)
		pstate |= PSR_SSBS_BIT;
	if (cpus_have_cap(ARM64_MTE))
		pstate |= read_sysreg_s(SYS_PSTATE_TCO);
	regs->pstate |= pstate;
}

struct text {
	const char *start;
	const char *end;
};

/* What is executed elsewhere than where it lies, or without the kernel's vectors. */
static const struct text forbidden[] __initconst = {
	{ __entry_text_start, __entry_text_end },
	{ __idmap_text_start, __idmap_text_end },
	{ __hyp_text_start, __hyp_text_end },
	{ __hyp_idmap_text_start, __hyp_idmap_text_end },
#ifdef CONFIG_HIBERNATION
	{ __hibernate_exit_text_start, __hibernate_exit_text_end },
#endif
#ifdef CONFIG_KEXEC_CORE
	{ __relocate_new_kernel_start, __relocate_new_kernel_end },
#endif
#ifdef CONFIG_TRANS_TABLE
	{ trans_pgd_stub_vectors, trans_pgd_stub_vectors + ARM64_VECTOR_TABLE_LEN },
#endif
};

/* Symbols that a configuration does not have are passed over. */
static const char * const no_go[] __initconst = {
#ifdef CONFIG_HOTPLUG_CPU
	/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
	"cpu_die", "get_cpu_ops", "cpu_psci_cpu_die", "psci_0_1_cpu_off", "psci_0_2_cpu_off",
	"__psci_cpu_off", "__invoke_psci_fn_hvc", "__invoke_psci_fn_smc", "__arm_smccc_hvc",
	"__arm_smccc_smc",
#endif
	/*
	 * What a CPU that comes up or resumes executes at the usual addresses, but without the
	 * kernel's vectors, its stack or the task's and the CPU's pointers. The last one returns
	 * once more after a resume.
	 */
	"__secondary_switched", "__secondary_too_slow", "set_cpu_boot_mode_flag",
	"finalise_el2", "_cpu_resume", "cpu_do_resume", "__cpu_suspend_enter",
	/*
	 * ftrace patches its own call of a tracer without a record of the place, unless the traced
	 * functions tell whom to call. The labels are symbols of their own.
	 */
	"ftrace_caller", "ftrace_call", "ftrace_graph_call", "ftrace_caller_direct_late",
	"ftrace_caller_direct",
	/* Entered on the stack of the firmware, or in a frame that others have begun. */
	"__efi_rt_asm_wrapper", "__efi_rt_asm_recover", "__hwasan_tag_mismatch",
};

int __init arch_kprobe_blacklist(void)
{
	const struct text *text;
	int ret = 0;

	for (text = forbidden; !ret && text < forbidden + ARRAY_SIZE(forbidden); text++)
		if (text->start != text->end)
			ret = kprobe_blacklist_add_text((unsigned long)text->start,
							(unsigned long)text->end);
	return ret ?: kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
