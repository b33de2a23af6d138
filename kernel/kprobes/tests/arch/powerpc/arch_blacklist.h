/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_POWERPC_BLACKLIST_H
#define _KPROBES_TESTS_POWERPC_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_program_check", "kprobe_post_trampoline", "kprobe_detour_post",
	"kprobe_detour_common", "do_page_fault", "__switch_to", "_switch",
#ifdef CONFIG_PPC_BOOK3S_64
	/* Labels in the middle of what begins and ends a trap. */
	"program_check_common_virt", "data_access_common_virt", "masked_interrupt",
	"interrupt_return_srr_kernel", "interrupt_return_srr_kernel_restart",
	/* Called on the way to another stack, and patched. */
	"flush_branch_caches",
#else
	/* A trap in it would return to its caller. */
	"ppc6xx_idle",
#endif
};

/* Executed where a CPU can take no trap, from a copy, or on another stack; some may be there. */
static const char * const early_here[] = {
	"__secondary_start", "start_secondary_prolog", "start_here_multiplatform", "enter_prom",
	"enter_rtas", "__enter_rtas", "rtas_return_loc", "__opal_call", "opal_return",
	"idle_return_gpr_loss", "power9_idle_stop", "pseries_lpar_idle", "power4_idle",
	"plpar_hcall_norets_notrace", "__ppc64_runlatch_on", "opal_call", "kexec_smp_wait",
	"kexec_sequence", "default_machine_kexec", "kexec_copy_flush", "swsusp_arch_resume",
	"copy_page_loop", "__restore_cpu_power9", "__restore_cpu_power10", "setup_750_7400_hid0",
	"_set_L2CR", "_set_L3CR", "tm_reclaim", "__tm_recheckpoint", "chmem_secondary_loop",
	"copy_mc_generic", "slb_insert_entry", "switch_slb", "syscall_exit_prepare",
	"interrupt_exit_user_prepare", "power7_idle",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = { };

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = { };

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = {
#if defined(CONFIG_PPC_PSERIES) && defined(CONFIG_HOTPLUG_CPU)
	"pseries_cpu_offline_self",
#endif
};

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_caller", "ftrace_call", "ftrace_regs_caller", "ftrace_regs_call",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = {
	"ret_from_fork", "ret_from_kernel_user_thread", "start_kernel_thread",
};

#endif /* _KPROBES_TESTS_POWERPC_BLACKLIST_H */
