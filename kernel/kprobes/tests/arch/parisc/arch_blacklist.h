/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_PARISC_BLACKLIST_H
#define _KPROBES_TESTS_PARISC_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_break_handler", "kprobe_post_trampoline", "kprobe_detour_post",
	"kprobe_detour_common", "handle_interruption", "fault_vector_20", "intr_save",
	"intr_return", "_switch_to", "arch_kprobe_emulate", "__patch_text_multiple",
};

/* Executed before a CPU can take a trap, from a copy, or on another stack; some may be there. */
static const char * const early_here[] = {
	"linux_gateway_page", "os_hpmc", "real32_call_asm", "ric_ret", "real64_call_asm", "r64_ret",
	"rfi_virt2real", "rfi_v2r_1", "rfi_r2v_1", "flush_tlb_all_local", "fitdone", "fdtdone",
	"disable_sr_hashing_asm", "srdis_pcxl", "srdis_done", "relocate_new_kernel",
	"smp_callin", "call_on_stack",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = { };

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = { };

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = {
	"arch_cpu_idle_dead", "flush_cache_all_local", "flush_instruction_cache_local", "fisync",
	"flush_data_cache_local", "fdsync", "flush_tlb_all_local", "__pdc_cpu_rendezvous",
	"real32_call",
};

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_caller", "ftrace_regs_caller", "return_to_handler",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = { };

#endif /* _KPROBES_TESTS_PARISC_BLACKLIST_H */
