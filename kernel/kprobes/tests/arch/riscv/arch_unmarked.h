/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_RISCV_UNMARKED_H
#define _KPROBES_TESTS_RISCV_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

static const struct section sections_here[] = { };

static const struct unmarked unmarked_here[] = {
	{ "ftrace patches the calls in it", {
		"ftrace_caller", "ftrace_call", "ftrace_graph_call" } },
	{ "executed from a copy, while the kernel is overwritten", {
		"riscv_kexec_relocate", "riscv_kexec_norelocate", "hibernate_restore_image",
		"hibernate_core_restore_code", "__hibernate_cpu_resume" } },
	{ "a hart comes up, resumes or leaves", {
		"smp_callin", "__cpu_suspend_enter", "__cpu_resume_enter", "sbi_cpu_stop",
		"sbi_hsm_hart_stop", "cpu_suspend", "swsusp_arch_suspend",
		"suspend_restore_csrs" } },
	{ "marked in assembly, which leaves no symbol", {
		"handle_exception", "ret_from_exception", "__kvm_riscv_switch_to",
		"__kvm_riscv_unpriv_trap" } },
	{ "on another stack", {
		"call_on_irq_stack" } },
	{ "before a trap is known to be one of ours", {
		"handle_bad_stack" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_RISCV_UNMARKED_H */
