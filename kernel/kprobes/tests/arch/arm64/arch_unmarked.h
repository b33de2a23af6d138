/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_ARM64_UNMARKED_H
#define _KPROBES_TESTS_ARM64_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

#include <asm/virt.h>

/* Executed elsewhere than where it lies, or without the kernel's vectors. */
static const struct section sections_here[] = {
	{ __idmap_text_start, __idmap_text_end },
	{ __hyp_text_start, __hyp_text_end },
	{ __hyp_idmap_text_start, __hyp_idmap_text_end },
#ifdef CONFIG_HIBERNATION
	{ __hibernate_exit_text_start, __hibernate_exit_text_end },
#endif
#ifdef CONFIG_KEXEC_CORE
	{ __relocate_new_kernel_start, __relocate_new_kernel_end },
#endif
};

static const struct unmarked unmarked_here[] = {
	{ "ftrace patches the calls in it", {
		"ftrace_caller", "ftrace_call", "ftrace_graph_call",
		"ftrace_caller_direct_late", "ftrace_caller_direct" } },
	{ "a CPU goes offline, and RCU was told", {
		"cpu_die", "get_cpu_ops", "cpu_psci_cpu_die", "psci_0_1_cpu_off",
		"psci_0_2_cpu_off", "__psci_cpu_off", "__invoke_psci_fn_hvc",
		"__invoke_psci_fn_smc", "__arm_smccc_hvc", "__arm_smccc_smc" } },
	{ "a CPU comes up or resumes, without the kernel's vectors or stack", {
		"__secondary_switched", "__secondary_too_slow", "set_cpu_boot_mode_flag",
		"finalise_el2", "_cpu_resume", "cpu_do_resume", "__cpu_suspend_enter" } },
	{ "entered in the middle of a frame, or with the firmware's registers", {
		"__efi_rt_asm_wrapper", "__efi_rt_asm_recover", "__hwasan_tag_mismatch" } },
	{ "marked in assembly, which leaves no symbol", {
		"__swpan_entry_el1", "__swpan_entry_el0", "__swpan_exit_el1",
		"__swpan_exit_el0", "cpu_switch_to", "ret_from_fork", "call_on_irq_stack" } },
	{ "resume from hibernation copies it", {
		"trans_pgd_stub_vectors", "hyp_stub_*", "el1_sync" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_ARM64_UNMARKED_H */
