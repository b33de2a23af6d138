/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_POWERPC_UNMARKED_H
#define _KPROBES_TESTS_POWERPC_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

#include <asm/interrupt.h>
#include <asm/sections.h>

/* The vectors, and what begins and ends exceptions. */
static const struct section sections_here[] = {
#ifdef CONFIG_PPC_BOOK3S_64
	{ _stext, __end_soft_masked },
#else
	{ _stext, __head_end },
#endif
};

static const struct unmarked unmarked_here[] = {
	{ "on two stacks", {
		"__switch_to", "_switch" } },
	{ "ftrace patches the calls in it", {
		"ftrace_caller", "ftrace_call", "ftrace_regs_caller", "ftrace_regs_call" } },
	{ "it has no translation while another CPU changes how the kernel is mapped", {
		"change_memory_range_fn", "chmem_secondary_loop" } },
	{ "the registers are those of a transaction in user space", {
		"tm_reclaim", "__tm_recheckpoint", "restore_gprs" } },
	{ "a mitigation that is switched patches it", {
		"flush_branch_caches" } },
	{ "a CPU that comes up executes it, without translation", {
		"generic_secondary_smp_init", "generic_secondary_common_init", "__mmu_off",
		"start_initialization_book3s", "__start_initialization_multiplatform",
		"__after_prom_start", "p_end", "copy_and_flush", "__secondary_start",
		"copy_to_here", "start_secondary_prolog", "start_secondary_resume",
		"enable_64b_mode", "relative_toc", "start_here_multiplatform",
		"start_here_common", "enter_prom", "early_setup_secondary",
		"radix__early_init_mmu_secondary", "hash__early_init_mmu_secondary",
		"slb_initialize", "setup_kup", "setup_kuap", "setup_kuep",
		"cpu_ready_for_interrupts", "ftrace_no_trace" } },
	{ "a CPU goes offline, and RCU was told", {
		"pseries_cpu_offline_self", "rtas_stop_self", "pmac_cpu_offline_self",
		"plpar_hcall_norets" } },
	{ "copied to other memory, or executed without translation, to sleep", {
		"mpc52xx_deep_sleep", "mpc52xx_ds_sram", "mpc52xx_ds_cached",
		"mpc83xx_enter_deep_sleep", "boot_low", "low_sleep_handler",
		"low_cpu_offline_self", "core99_wake_up", "grackle_wake_up", "_doze", "idle_spin",
		"idle_doze", "sleep_common" } },
	{ "a CPU that comes up asks what it is, without translation", {
		"call_setup_cpu", "__setup_cpu_*", "__save_cpu_setup", "__restore_cpu_*",
		/* 64 bit. */
		"load_hids", "no_hv_mode", "init_hvmode_206", "init_LPCR*", "init_FSCR*",
		"init_HFSCR", "init_PMU*", "init_DEXCR", "init_pmu_power*",
		/* 32 bit. */
		"setup_common_caches", "setup_604_hid0", "setup_g2_le_hid2", "setup_74*",
		"setup_75*" } },
	{ "a trap in them is taken for the interrupt that ends a nap", {
		"init_idle_6xx", "ppc6xx_idle", "epapr_ev_idle", "mpc6xx_enter_standby" } },
	{ "interrupts are on for software and off in the CPU, which is about to be idle", {
		"power4_idle", "cbe_power_save", "pseries_lpar_idle",
		"plpar_hcall_norets_notrace" } },
	{ "the data cache, and translation of data, are off", {
		"_set_L2CR", "_get_L2CR", "_set_L3CR", "_get_L3CR", "__flush_disable_L1" } },
	{ "a CPU that wakes up has no translation yet", {
		"idle_return_gpr_loss", "isa300_idle_stop_noloss", "isa300_idle_stop_mayloss",
		"isa206_idle_insn_mayloss", "power4_idle_nap", "power4_idle_nap_return",
		"power7_idle_insn", "power9_idle_stop", "power10_idle_stop" } },
	{ "called without translation: around naps, and for hypervisor maintenance", {
		"power7_idle", "power7_idle_type", "arch300_idle", "arch300_idle_type",
		"atomic_lock_thread_idle", "atomic_unlock_thread_idle",
		"atomic_unlock_and_stop_thread_idle", "atomic_start_thread_idle",
		"atomic_stop_thread_idle", "power7_offline", "pnv_cpu_offline",
		"__ppc64_runlatch_off",
		"__ppc64_runlatch_on", "opal_call", "opal_config_cpu_idle_state",
		"opal_resync_timebase", "opal_handle_hmi", "opal_handle_hmi2",
		"opal_hmi_exception_early", "opal_hmi_exception_early2", "hmi_handle_debugtrig",
		"__slb_restore_bolted_realmode" } },
	{ "called without translation by KVM, for interrupts of a guest", {
		"pnv_opal_pci_msi_eoi", "opal_pci_msi_eoi", "opal_set_xive", "opal_int_get_xirr",
		"opal_int_set_mfrr", "opal_int_eoi" } },
	{ "without translation while cores are split", {
		"split_core_secondary_loop", "real_mode" } },
	{ "a machine check calls it, without translation", {
		"search_kernel_exception_table", "search_extable", "cmp_ex_search",
		"pnv_machine_check_early", "opal_mce_check_early_recovery",
		"find_recovery_address" } },
	{ "firmware executes without translation, and memory is accessed without caches", {
		"__opal_call", "opal_return", "rmci_on", "rmci_off", "real_readb", "real_writeb",
		"real_205_readb", "real_205_writeb" } },
	{ "firmware returns there, with nothing where a call has its return address", {
		"rtas_restore_regs" } },
	{ "the next kernel is written over this one", {
		"default_machine_kexec", "kexec_wait", "kexec_smp_wait", "kexec_sequence",
		"kexec_copy_flush", "copy_segments", "mmu_cleanup_all",
		"radix__mmu_cleanup_all", "flush_icache_range", "copy_page", "setup_paca",
		"radix__flush_tlb_all", "powernv_set_nmmu_ptcr", "native_hpte_clear",
		"pseries_hpte_clear_all", "hcall_hpte_clear_all", "manual_hpte_clear_all",
		"plpar_hcall", "plpar_hcall_raw", "plpar_hcall9", "plpar_hcall9_raw",
		"swsusp_arch_suspend", "swsusp_arch_resume", "copyloop", "copy_page_loop",
		"nothing_to_copy" } },
	{ "a guest's state is in the registers", {
		"kvmppc_hcall", "kvmppc_hv_entry_trampoline", "kvmppc_handler_trampoline_enter",
		"kvmppc_interrupt_pr", "kvmppc_skip_interrupt", "kvmppc_skip_Hinterrupt",
		"kvmppc_handler_skip_ins", "kvmppc_entry_trampoline", "store_fp_state",
		"store_vr_state" } },
	{ "r2 is not the task yet, or SRR0 and SRR1 are those of the return", {
		"transfer_to_syscall", "ret_from_syscall", "syscall_exit_finish",
		"__kuep_unlock", "load_up_vsx" } },
	{ "marked in assembly, which leaves no symbol", {
		"__enter_rtas", "add_reloc_offset", "enter_rtas", "load_fp_state",
		"load_up_altivec", "load_up_fpu", "load_vr_state", "reloc_offset",
		"rtas_return_loc",
		/* Constants in the text. */
		"rcon", "PERMX", "permx", "RMASK", "rmask", "cnum",
		/* On 32 bit. */
		"_tlbia", "_tlbie", "add_hash_page", "create_hpte", "fast_exception_return",
		"flush_hash_pages", "hash_page", "interrupt_return", "prepare_transfer_to_handler",
		"ret_from_crit_exc", "ret_from_debug_exc", "ret_from_mcheck_exc",
		"power_save_ppc32_restore", "__inval_enable_L1", "__init_fpu_registers",
		"__restore_cpu_setup", "flush_disable_75x", "flush_disable_745x" } },
	{ "likewise: the vectors of 32 bit go on in them", {
		"Reset_virt", "MachineCheck_virt", "DataAccess_virt", "InstructionAccess_virt",
		"HardwareInterrupt_virt", "Alignment_virt", "ProgramCheck_virt",
		"FPUnavailable_virt", "Decrementer_virt", "SingleStep_virt", "SMI_virt",
		"RunMode_virt", "Trap_*", "AltiVecUnavailable_virt", "PerformanceMonitor_virt" } },
	{ "called at both ends of functions that are optimized for size", {
		"_savegpr*", "_restgpr*", "_save32gpr*", "_rest32gpr*" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_POWERPC_UNMARKED_H */
