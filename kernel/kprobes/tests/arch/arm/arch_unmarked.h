/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_ARM_UNMARKED_H
#define _KPROBES_TESTS_ARM_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

/* Executed at its physical address as well. */
static const struct section sections_here[] = {
	{ __idmap_text_start, __idmap_text_end },
};

static const struct unmarked unmarked_here[] = {
	{ "ftrace patches the calls in it", {
		"ftrace_call", "ftrace_graph_call", "ftrace_regs_call",
		"ftrace_graph_regs_call" } },
	{ "a CPU comes up or resumes, without the stack of its traps", {
		"secondary_start_kernel", "cpu_init", "cpu_resume_after_mmu", "__cpu_suspend",
		"__cpu_suspend_save", "cpu_suspend_abort" } },
	{ "a CPU goes offline, and RCU was told", {
		"psci_cpu_die" } },
	{ "may interrupt the vector of undefined instructions", {
		"handle_fiq_as_nmi" } },
	{ "on another stack", {
		"__switch_to", "call_with_stack" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_ARM_UNMARKED_H */
