/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_LOONGARCH_BLACKLIST_H
#define _KPROBES_TESTS_LOONGARCH_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* The linker script has no section for it. */
#define __entry_text_start __noinstr_text_start
#define __entry_text_end	__noinstr_text_start

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_break_handler", "kprobe_post_trampoline", "kprobe_detour_post",
	"kprobe_detour_common", "handle_bp", "do_bp", "handle_tlb_refill", "do_page_fault",
	"__update_tlb", "__switch_to",
};

/*
 * Executed before a CPU can take a trap, from a copy, on another stack, or with the registers of
 * user space; some may be there.
 */
static const char * const early_here[] = {
	"start_secondary", "sync_counter", "cpu_probe", "per_cpu_trap_init", "__arch_cpu_idle",
	"relocate_new_kernel", "kexec_smp_wait", "swsusp_asm_suspend", "swsusp_asm_resume",
	"loongarch_suspend_enter", "loongarch_common_suspend", "loongarch_common_resume",
	"local_flush_tlb_all", "ret_from_fork", "ret_from_kernel_thread",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = { };

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = {
	"kvm_exc_entry", "kvm_enter_guest",
};

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = {
	"idle_play_dead", "local_flush_tlb_user",
};

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_common", "ftrace_call", "ftrace_graph_call", "ftrace_common_return",
	"ftrace_caller", "ftrace_regs_caller",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = {
	"ftrace_stub_direct_tramp",
};

#endif /* _KPROBES_TESTS_LOONGARCH_BLACKLIST_H */
