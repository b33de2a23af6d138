/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_RISCV_BLACKLIST_H
#define _KPROBES_TESTS_RISCV_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_breakpoint_handler", "kprobe_post_trampoline", "kprobe_detour_post",
	"kprobe_detour_common", "handle_exception", "do_trap_break", "handle_break",
	"do_page_fault", "__switch_to", "smp_callin",
};

/* Executed before a CPU can take a trap, from a copy, or on another stack; some may be there. */
static const char * const early_here[] = {
	"__cpu_suspend_enter", "__cpu_resume_enter", "riscv_kexec_relocate",
	"hibernate_restore_image", "call_on_irq_stack", "handle_bad_stack",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = {
	"_start", "_start_kernel", "secondary_start_sbi", "relocate_enable_mmu",
};

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = {
	"__kvm_riscv_switch_to", "__kvm_riscv_unpriv_trap", "kvm_riscv_vcpu_unpriv_read",
};

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = { };

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_caller", "ftrace_call", "ftrace_graph_call",
	"ftrace_caller_direct_late", "ftrace_caller_direct",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = {
	"ftrace_stub_direct_tramp", "ret_from_fork",
};

#endif /* _KPROBES_TESTS_RISCV_BLACKLIST_H */
