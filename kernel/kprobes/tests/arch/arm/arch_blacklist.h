/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_ARM_BLACKLIST_H
#define _KPROBES_TESTS_ARM_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	true

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_undef_handler", "kprobe_post_trampoline", "kprobe_detour_post",
	"kprobe_detour_common", "do_undefinstr", "__und_svc", "__und_fault", "do_page_fault",
	"v7_early_abort", "v7_pabort", "do_DataAbort", "do_PrefetchAbort", "do_translation_fault",
	"__patch_text_bytes", "__switch_to", "secondary_start_kernel",
};

/* Executed before a CPU can take a trap, from a copy, or on another stack; some may be there. */
static const char * const early_here[] = {
	"cpu_resume_after_mmu", "__cpu_suspend", "__cpu_suspend_save", "cpu_suspend_abort",
	"call_with_stack", "cpu_init", "handle_fiq_as_nmi", "secondary_startup",
	"__secondary_switched", "__enable_mmu", "__lookup_processor_type", "cpu_v7_switch_mm",
	"cpu_resume", "no_hyp", "cpu_v7_do_resume", "_set_bit", "cpu_v7_proc_init",
	"v7_invalidate_l1", "__v7_setup", "__v7_ca15mp_setup", "__ca15_errata", "__errata_finish",
	"__hyp_stub_install_secondary", "__hyp_stub_do_trap", "__hyp_stub_vectors",
	"__set_fiq_regs", "__get_fiq_regs", "_soft_restart", "__soft_restart",
	"setup_mm_for_reboot", "cpu_v7_proc_fin", "arch_restore_image",
#ifdef CONFIG_HIBERNATION
	"copy_page",
#endif
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = {
	"vector_und", "relocate_new_kernel",
};

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = { };

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = {
	"v7_flush_dcache_louis", "v7_flush_dcache_all", "start_flush_levels",
	"v7_flush_kern_cache_louis",
#ifdef CONFIG_ARM_PSCI
	"psci_cpu_die", "psci_0_1_cpu_off", "psci_0_2_cpu_off", "__invoke_psci_fn_hvc",
	"__invoke_psci_fn_smc", "__arm_smccc_hvc", "__arm_smccc_smc",
#endif
};

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_call", "ftrace_graph_call", "ftrace_regs_call", "ftrace_graph_regs_call",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = {
	"__gnu_mcount_nc", "ftrace_graph_caller", "ftrace_graph_regs_caller", "return_to_handler",
};

#endif /* _KPROBES_TESTS_ARM_BLACKLIST_H */
