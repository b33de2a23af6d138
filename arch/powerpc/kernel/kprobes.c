// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on PowerPC: traps, text, and where functions begin.
 *
 * A point's instruction becomes an unconditional trap, and where it can a branch to a stub later
 * on. Both are one word, so no CPU executes half of one. Slots and stubs for the kernel's text are
 * in that text, as vmalloc's memory is out of a branch's reach. There are those of modules, whose
 * text is near enough, mostly.
 *
 * A program check masks interrupts, in software alone on 64 bit: one that comes in the meantime is
 * handled when the trap returns, and so is the one by which patching ends.
 */
#include <linux/cache.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/rethook.h>
#include <linux/set_memory.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/code-patching.h>
#include <asm/feature-fixups.h>
#include <asm/interrupt.h>
#include <asm/kup.h>
#include <asm/reg.h>
#include <asm/sections.h>

/* What a stub saves before it calls common code is part of what that saves. */
static_assert(STACK_INT_FRAME_SIZE <= KPROBE_STUB_FRAME);
static_assert(STACK_INT_FRAME_REGS == KPROBE_STUB_REGS);
static_assert(STACK_INT_FRAME_REGS + offsetof(struct pt_regs, link) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/*
 * QEMU drops its translation of a word before it stores the new one. In between the thread of
 * another CPU may translate the old one, and keeps that until the word is stored once more: maybe a
 * branch to a stub that is freed. (notdirty_write() in accel/tcg/cputlb.c of version 10.)
 */
#define TIMES_WRITTEN	2

void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	unsigned int i;
	u32 word;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < TIMES_WRITTEN * nr; i++) {
		memcpy(&word, patches[i % nr].new, sizeof(word));
		/* It may be a prefix, which has no suffix here. */
		WARN_ON_ONCE(patch_uint((void *)patches[i % nr].addr, word));
	}
	/* The interrupt comes after all the words, and after any trap on one that was there. */
	kick_all_cpus_sync();
}

/*
 * Where text is not mapped a second time for writing, slots have to be writable for that long. A
 * CPU that goes offline has lost its mapping while tasks still run on it.
 */
void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	unsigned long start = (unsigned long)slot & PAGE_MASK;
	int pages = PFN_UP((unsigned long)slot + len - start);
	bool by_address = !IS_ENABLED(CONFIG_STRICT_KERNEL_RWX) && is_vmalloc_or_module_addr(slot);

	guard(cpus_read_lock)();
	if (by_address)
		set_memory_rw(start, pages);
	WARN_ON_ONCE(patch_instructions(slot, (u32 *)code, len, false));
	if (by_address)
		set_memory_ro(start, pages);
}

#ifdef CONFIG_PPC64_ELF_ABI_V2
/*
 * Callers with the same TOC pointer skip the two instructions that make it. A probe on the first is
 * behind them, so nobody else writes to it.
 */
unsigned long arch_kprobe_entry(unsigned long start)
{
	u32 word;

	if (copy_from_kernel_nofault(&word, (void *)start, sizeof(word)))
		return start;
	word &= ~GENMASK(15, 0);
	return word == PPC_RAW_ADDIS(_R2, _R12, 0) || word == PPC_RAW_LIS(_R2, 0) ?
	       start + 2 * sizeof(word) : start;
}
#endif

/* Sites that are patched while the kernel runs, by @words words, when a mitigation is switched. */
static bool __maybe_unused fixup_in(const long *fixup, const long *stop, unsigned int words,
				    unsigned long start, unsigned long end)
{
	unsigned long at;

	for (; fixup < stop; fixup++) {
		at = (unsigned long)fixup + *fixup;
		if (at < end && start < at + words * sizeof(u32))
			return true;
	}
	return false;
}

bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	bool reserved = false;

#ifdef CONFIG_PPC_BARRIER_NOSPEC
	reserved |= fixup_in(&__start___barrier_nospec_fixup, &__stop___barrier_nospec_fixup, 2,
			     start, end);
#endif
#ifdef CONFIG_PPC_BOOK3S_64
	reserved |= fixup_in(&__start___uaccess_flush_fixup, &__stop___uaccess_flush_fixup, 4,
			     start, end);
#endif
	return reserved;
}

/* The stack and the link register of a new task are others than those of a call. */
asmlinkage void ret_from_fork(void);
asmlinkage void ret_from_fork_scv(void);
asmlinkage void ret_from_kernel_user_thread(void);
asmlinkage void start_kernel_thread(void);

bool arch_kprobe_is_called(unsigned long addr)
{
	return addr != ppc_function_entry(ret_from_fork) &&
#ifdef CONFIG_PPC_BOOK3S_64
	       addr != ppc_function_entry(ret_from_fork_scv) &&
#endif
	       addr != ppc_function_entry(ret_from_kernel_user_thread) &&
	       addr != ppc_function_entry(start_kernel_thread);
}

/* Is a conditional branch taken? Counts CTR down if it does that. */
static __kprobes bool is_taken(u32 word, struct pt_regs *regs)
{
	bool cond = word & BIT(25), set = word & BIT(24);

	/* Bits of CR are numbered from the left. */
	if (!cond)
		cond = (regs->ccr >> (31 - (word >> 16 & 31)) & 1) == set;
	if (!(word & BIT(23)))
		cond &= !--regs->ctr == !!(word & BIT(22));
	return cond;
}

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long next = point->site + insn->len, to = next;
	u32 word = point->insn[0];

	switch (get_op(word)) {
	case OP_PREFIX:
		regs->gpr[get_rt(point->insn[1])] = insn->arch.sum;
		break;
	case 18:	/* b */
		to = insn->target;
		break;
	case 16:	/* bc */
		if (is_taken(word, regs))
			to = insn->target;
		break;
	case OP_19:
		if (get_xop(word) == 16) {		/* bclr */
			if (is_taken(word, regs))
				to = regs->link & ~3UL;
		} else if (get_xop(word) == 528) {	/* bcctr */
			if (is_taken(word, regs))
				to = regs->ctr & ~3UL;
		} else {				/* addpcis */
			regs->gpr[get_rt(word)] = insn->arch.sum;
			word = 0;
		}
		break;
	}
	if (get_op(word) != OP_PREFIX && word & 1)
		regs->link = next;
	instruction_pointer_set(regs, to);
	return true;
}

/*
 * Called before anything else is done about a program check, with interrupts disabled. If the
 * breakpoint leads to a detour, the reason for the check need not be known. Without translation
 * nothing of ours is executed, and nothing can be called.
 */
__kprobes bool kprobe_program_check(struct pt_regs *regs)
{
	const unsigned long mapped = MSR_IR | MSR_DR;
	void *detour;

	if ((regs->msr & mapped) != mapped)
		return false;
	detour = kprobe_breakpoint_detour(regs->nip);
	if (detour) {
		regs_set_return_ip(regs, (unsigned long)detour);
		return true;
	}
	return !user_mode(regs) && regs->msr & SRR1_PROGTRAP && kprobe_trap_hit(regs->nip, regs);
}

/* What a trap does about access to user memory. Returns whether the probed code may have it. */
static __always_inline bool end_access(struct pt_regs *regs)
{
#if defined(CONFIG_PPC_BOOK3S_64) && defined(CONFIG_PPC_KUAP)
	/* There the entry of traps does it. */
	if (!mmu_has_feature(MMU_FTR_KUAP))
		return false;
	regs->amr = mfspr(SPRN_AMR);
	if (likely(regs->amr == AMR_KUAP_BLOCKED))
		return false;
	set_kuap(AMR_KUAP_BLOCKED);
#else
	kuap_save_and_lock(regs);
#endif
	return IS_ENABLED(CONFIG_PPC_KUAP);
}

static __always_inline void resume_access(struct pt_regs *regs, bool had)
{
	if (!had)
		return;
#ifdef CONFIG_PPC_BOOK3S_64
	set_kuap(regs->amr);
#else
	kuap_kernel_restore(regs, kuap_get_and_assert_locked());
	/* A trap's return would do. */
	isync();
#endif
}

/* kprobes-trampoline.S calls these, in the context of the probed code. */
__kprobes void kprobe_stub_enter(struct pt_regs *regs, struct kprobe_detour *detour)
{
	bool had = end_access(regs);

	kprobe_detour_enter(regs, detour);
	resume_access(regs, had);
}

__kprobes void kprobe_stub_post(struct pt_regs *regs, unsigned long where)
{
	bool had = end_access(regs);

	kprobe_detour_post(regs, where);
	resume_access(regs, had);
}

__kprobes void kprobe_stub_return(struct pt_regs *regs, void *fp)
{
	bool had = end_access(regs);

	kretprobe_return(regs, fp);
	resume_access(regs, had);
}

#ifdef CONFIG_RETHOOK
__kprobes void kprobe_stub_rethook(struct pt_regs *regs, void *fp)
{
	struct llist_node *cur = NULL;
	bool had = end_access(regs);

	/* Unwinders are to find what it would be, not this trampoline. */
	regs->link = rethook_find_ret_addr(current, (unsigned long)fp, &cur);
	rethook_trampoline_handler(regs, (unsigned long)fp);
	resume_access(regs, had);
}
#endif

/*
 * Executed without translation, on another stack, with a guest's state, or while text is
 * overwritten. Symbols that a configuration does not have are passed over.
 */
static const char * const no_go[] __initconst = {
	"__switch_to", "_switch",
	/* Patched without a record of the place: by ftrace, and when a mitigation is switched. */
	"ftrace_caller", "ftrace_call", "ftrace_regs_caller", "ftrace_regs_call",
	"flush_branch_caches",
	/* 32 bit: r2 is not the task yet, or SRR0 and SRR1 are those of the return. */
	"transfer_to_syscall", "ret_from_syscall", "syscall_exit_finish",
	/* MSR_RI has been cleared, on 32 and on 64 bit. */
	"__kuep_unlock", "load_up_vsx",
	/* CPUs that come up. */
	"generic_secondary_smp_init", "generic_secondary_common_init", "__mmu_off",
	"start_initialization_book3s", "__start_initialization_multiplatform",
	"__after_prom_start", "p_end", "copy_and_flush", "__secondary_start", "copy_to_here",
	"start_secondary_prolog", "start_secondary_resume", "enable_64b_mode", "relative_toc",
	"start_here_multiplatform", "start_here_common", "call_setup_cpu",
	"__restore_cpu_cpufeatures", "init_pmu_power8", "init_pmu_power9", "init_pmu_power10",
	"early_setup_secondary", "radix__early_init_mmu_secondary",
	"hash__early_init_mmu_secondary", "slb_initialize", "setup_kup", "setup_kuap",
	"setup_kuep", "cpu_ready_for_interrupts", "ftrace_no_trace",
	/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
	"pseries_cpu_offline_self", "rtas_stop_self", "pmac_cpu_offline_self",
	"plpar_hcall_norets",
	/* Suspend and sleep: copied to other memory, or executed without translation. */
	"mpc52xx_deep_sleep", "mpc52xx_ds_sram", "mpc52xx_ds_cached",
	"mpc83xx_enter_deep_sleep", "boot_low", "low_sleep_handler", "low_cpu_offline_self",
	"core99_wake_up", "grackle_wake_up", "_doze", "idle_spin", "idle_doze", "sleep_common",
	/* They wake up in the vector of a system reset. */
	"idle_return_gpr_loss", "isa300_idle_stop_noloss", "isa300_idle_stop_mayloss",
	"isa206_idle_insn_mayloss", "power4_idle_nap", "power4_idle_nap_return",
	"power7_idle_insn", "power9_idle_stop", "power10_idle_stop",
	/* Called around these, for hypervisor maintenance, and when cores are split. */
	"power7_idle", "power7_idle_type", "arch300_idle", "arch300_idle_type",
	"atomic_lock_thread_idle", "atomic_unlock_thread_idle",
	"atomic_unlock_and_stop_thread_idle", "atomic_start_thread_idle",
	"atomic_stop_thread_idle", "power7_offline", "pnv_cpu_offline", "__ppc64_runlatch_off",
	"__ppc64_runlatch_on", "opal_call", "opal_config_cpu_idle_state", "opal_resync_timebase",
	"opal_handle_hmi", "opal_handle_hmi2", "opal_hmi_exception_early",
	"opal_hmi_exception_early2", "hmi_handle_debugtrig", "__slb_restore_bolted_realmode",
	"split_core_secondary_loop", "real_mode",
	/* Called without translation by KVM, for interrupts of a guest. */
	"pnv_opal_pci_msi_eoi", "opal_pci_msi_eoi", "opal_set_xive", "opal_int_get_xirr",
	"opal_int_set_mfrr", "opal_int_eoi",
	/*
	 * About to be idle, interrupts are on for software and off in the CPU. The end of a trap
	 * handles those that have come, and the CPU sleeps all the same.
	 */
	"power4_idle", "cbe_power_save", "pseries_lpar_idle", "plpar_hcall_norets_notrace",
	/* A trap in them is taken for the interrupt that ends a nap. */
	"epapr_ev_idle", "mpc6xx_enter_standby",
	/* While another CPU changes how the kernel is mapped. */
	"change_memory_range_fn", "chmem_secondary_loop",
	/* A machine check asks them whether it can be survived, without translation. */
	"search_kernel_exception_table", "search_extable", "cmp_ex_search",
	"pnv_machine_check_early", "opal_mce_check_early_recovery", "find_recovery_address",
	/* Firmware, and memory that is accessed without the caches. */
	"__opal_call", "opal_return", "rtas_restore_regs", "enter_prom", "rmci_on", "rmci_off",
	"real_readb", "real_writeb", "real_205_readb", "real_205_writeb",
	/* From kexec's own stack, with no CPU's data, to the next kernel. */
	"default_machine_kexec", "kexec_wait", "kexec_smp_wait", "kexec_sequence",
	"kexec_copy_flush", "copy_segments", "mmu_cleanup_all", "radix__mmu_cleanup_all",
	"flush_icache_range", "copy_page", "setup_paca", "radix__flush_tlb_all",
	"powernv_set_nmmu_ptcr", "native_hpte_clear", "pseries_hpte_clear_all",
	"hcall_hpte_clear_all", "manual_hpte_clear_all", "plpar_hcall", "plpar_hcall_raw",
	"plpar_hcall9", "plpar_hcall9_raw",
	/* KVM's, of guests in problem state. */
	"kvmppc_interrupt_pr", "kvmppc_skip_interrupt", "kvmppc_skip_Hinterrupt",
	"kvmppc_handler_skip_ins", "kvmppc_entry_trampoline",
	/* Called between the two switches to and from a guest. */
	"load_fp_state", "load_vr_state", "store_fp_state", "store_vr_state",
};

/* From one symbol to the end of another. */
static const char * const no_go_text[][2] __initconst = {
	{ "kvmppc_hcall", "kvmppc_p9_bad_interrupt" },
	{ "kvmppc_hv_entry_trampoline", "kvmppc_fix_pmao" },
	{ "kvmppc_hv_entry_trampoline", "kvmhv_accumulate_time" },
	{ "kvmppc_handler_trampoline_enter", "kvmppc_handler_trampoline_exit_end" },
	{ "swsusp_arch_suspend", "nothing_to_copy" },
	/* CPUs that come up and ask what they are. On 32 bit also naps, and caches that go. */
	{ "__setup_cpu_ppc970", "__restore_cpu_power10" },
	{ "__setup_cpu_603", "__restore_cpu_setup" },
	{ "init_idle_6xx", "power_save_ppc32_restore" },
	{ "_set_L2CR", "__inval_enable_L1" },
	/* The registers, stack pointer and all, are those of a transaction in user space. */
	{ "tm_reclaim", "__tm_recheckpoint" },
	/* Code that is optimized for size saves and restores registers by calls. */
	{ "_savegpr_14", "_rest32gpr_31_x" },
};

/* Likewise on 64 bit, where the linker makes what is needed: from some number to 31. */
static int __init forbid_saves(void)
{
	static const char * const saves[] __initconst = {
		"_savegpr0_", "_restgpr0_", "_savegpr1_", "_restgpr1_",
	};
	unsigned int i, nr;
	char name[16];
	const char * const range[][2] = { { name, name } };
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(saves); i++) {
		for (nr = 14; !ret && nr < 32; nr++) {
			snprintf(name, sizeof(name), "%s%u", saves[i], nr);
			ret = kprobe_blacklist_add_symbols(range, 1);
		}
	}
	return ret;
}

int __init arch_kprobe_blacklist(void)
{
	unsigned long end = (unsigned long)__head_end;

#ifdef CONFIG_PPC_BOOK3S_64
	/* The vectors, and what begins and ends exceptions: a CPU has one place for registers. */
	end = (unsigned long)__end_soft_masked;
#endif
	return kprobe_blacklist_add_text((unsigned long)_stext, end) ?:
	       kprobe_blacklist_add_symbols(no_go_text, ARRAY_SIZE(no_go_text)) ?:
	       forbid_saves() ?:
	       kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
