/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_ARM64_BLACKLIST_H
#define _KPROBES_TESTS_ARM64_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_brk_handler", "kprobe_post_trampoline", "kprobe_detour_post",
	"kprobe_detour_common", "vectors", "el1h_64_sync", "el1h_64_sync_handler",
	"do_el1_brk64", "do_mem_abort", "simulate_b_cond", "cpu_switch_to",
};

/* Executed before a CPU can take a trap, from a copy, or on another stack; some may be there. */
static const char * const early_here[] = {
	"__secondary_switched", "__secondary_too_slow", "set_cpu_boot_mode_flag",
	"finalise_el2", "_cpu_resume", "cpu_do_resume", "__cpu_suspend_enter",
	"__efi_rt_asm_wrapper",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = { };

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = {
	"__guest_enter", "__guest_exit", "__kvm_vcpu_run", "__fpsimd_save_state",
	"__debug_switch_to_guest", "__vgic_v3_save_state", "__get_timer_map",
	"kvm_auth_eretax", "kvm_get_running_vcpu", "kvm_vcpu_sanitise_vncr_reg",
	"vcpu_read_sys_reg", "vcpu_write_sys_reg",
};

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = {
	"cpu_die", "get_cpu_ops", "cpu_psci_cpu_die", "psci_0_1_cpu_off", "psci_0_2_cpu_off",
	"__invoke_psci_fn_hvc", "__invoke_psci_fn_smc", "__arm_smccc_hvc", "__arm_smccc_smc",
};

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_caller", "ftrace_call", "ftrace_graph_call",
	"ftrace_caller_direct_late", "ftrace_caller_direct",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = {
	"ftrace_stub_direct_tramp",
};

#endif /* _KPROBES_TESTS_ARM64_BLACKLIST_H */
