/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_SPARC_BLACKLIST_H
#define _KPROBES_TESTS_SPARC_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_trap", "kprobe_post_trampoline", "kprobe_detour_post", "kprobe_detour_common",
	"etrap_irq", "rtrap_nmi", "kern_rtt_fill", "tl0_resv170", "etrap_kernel_spill",
	"tsb_reload", "winfix_trampoline", "do_sparc64_fault", "switch_to_begin", "__ffs", "__fls",
};

/* Executed where a CPU cannot take a trap, from a copy, or on another stack; some may be there. */
static const char * const early_here[] = {
	"smp_callin", "hv_cpu_startup", "init_cur_cpu_trap", "prom_cif_direct",
	"xcall_flush_tlb_mm", "xcall_fetch_glob_regs", "xcall_capture", "__flush_tlb_page",
	"swsusp_arch_resume", "restore_ctx",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = { "sparc64_cpu_startup" };

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = { };

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = { "cpu_play_dead" };

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_caller", "ftrace_call", "ftrace_graph_call",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = { "VISenter", "switch_to_pc" };

#endif /* _KPROBES_TESTS_SPARC_BLACKLIST_H */
