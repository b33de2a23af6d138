/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_MIPS_BLACKLIST_H
#define _KPROBES_TESTS_MIPS_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_break_handler", "kprobe_post_trampoline", "kprobe_detour_post",
	"kprobe_detour_common", "handle_bp", "do_bp", "handle_tlbl", "handle_tlbs", "handle_tlbm",
	"tlb_do_page_fault_0", "tlb_do_page_fault_1", "do_page_fault", "handle_int",
	"ret_from_exception", "resume",
};

/*
 * Executed before a CPU can take a trap, from a copy, on another stack, or with registers of the
 * TLB in use; some may be there.
 */
static const char * const early_here[] = {
	"local_flush_tlb_all", "local_flush_tlb_range", "local_flush_tlb_kernel_range",
	"local_flush_tlb_page", "local_flush_tlb_one", "add_wired_entry", "kmap_coherent",
	"kunmap_coherent", "dump_tlb_all",
	"start_secondary", "cpu_probe", "decode_configs", "set_isa", "cpu_set_fpu_opts",
	"per_cpu_trap_init", "cpu_cache_init", "r4k_cache_init", "tlb_init",
	"tlbmiss_handler_setup_pgd", "mips_cps_core_boot", "mips_cps_cache_init",
	"relocate_new_kernel", "kexec_smp_wait", "restore_image", "__r4k_wait", "handle_sys",
	"octeon_mult_save", "octeon_mult_restore",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = { };

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = { };

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = { };

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_call", "_mcount", "ftrace_caller", "ftrace_graph_call", "ftrace_graph_caller",
	"return_to_handler",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = {
	"n64_syscall_exit", "o32_syscall_exit", "syscall_trace_entry", "illegal_syscall",
};

#endif /* _KPROBES_TESTS_MIPS_BLACKLIST_H */
