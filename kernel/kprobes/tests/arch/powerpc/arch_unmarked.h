/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_POWERPC_UNMARKED_H
#define _KPROBES_TESTS_POWERPC_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

#include <asm/sections.h>

/* The vectors, and what CPUs execute without translation when they come up. */
static const struct section sections_here[] = {
	{ _stext, __head_end },
};

static const struct unmarked unmarked_here[] = {
	{ "on two stacks", {
		"__switch_to", "_switch" } },
	{ "ftrace patches the calls in it", {
		"ftrace_caller", "ftrace_call", "ftrace_regs_caller", "ftrace_regs_call" } },
	{ "marked in assembly, which leaves no symbol", {
		"__enter_rtas", "add_reloc_offset", "alignment_common", "altivec_assist_common",
		"altivec_unavailable_common", "copy_and_flush", "data_access_common",
		"data_access_slb_common", "decrementer_common", "denorm_exception_common",
		"do_uaccess_flush", "doorbell_super_common", "emulation_assist_common",
		"enter_rtas", "facility_unavailable_common", "fast_interrupt_return_srr",
		"fp_unavailable_common", "h_data_storage_common", "h_doorbell_common",
		"h_facility_unavailable_common", "h_instr_storage_common", "h_virt_irq_common",
		"hardware_interrupt_common", "hdecrementer_common", "hmi_exception_common",
		"hmi_exception_early_common", "instruction_access_common",
		"instruction_access_slb_common", "instruction_breakpoint_common" } },
	{ "likewise: the end of a trap, and what is executed without translation", {
		"interrupt_return_hsrr", "interrupt_return_hsrr_kernel",
		"interrupt_return_hsrr_kernel_restart", "interrupt_return_hsrr_user",
		"interrupt_return_hsrr_user_restart", "interrupt_return_srr",
		"interrupt_return_srr_kernel", "interrupt_return_srr_kernel_restart",
		"interrupt_return_srr_user", "interrupt_return_srr_user_restart", "load_fp_state",
		"load_up_altivec", "load_up_fpu", "load_vr_state", "machine_check_common",
		"machine_check_early_common", "performance_monitor_common",
		"program_check_common", "reloc_offset", "rtas_return_loc", "single_step_common",
		"soft_nmi_common", "start_text", "syscall_restart",
		"syscall_vectored_common_restart", "syscall_vectored_sigill_restart",
		"system_call_common", "system_call_common_real", "system_call_vectored_common",
		"system_call_vectored_sigill", "unrecoverable_mce", "vsx_unavailable_common" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_POWERPC_UNMARKED_H */
