/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_SPARC_UNMARKED_H
#define _KPROBES_TESTS_SPARC_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */
#include <asm/hypervisor.h>

/* The boot, the handlers of traps, and the trap table. */
static const struct section sections_here[] = {
	{ _text, (const char *)sun4v_devino_to_sysino },
};

static const struct unmarked unmarked_here[] = {
	{ "window fills of a return to user space that have failed", {
		"user_rtt_fill_fixup_common" } },
	{ "stack, windows and thread are those of different tasks", {
		"switch_to_begin" } },
	{ "the firmware runs, or calls", {
		"prom_cif_direct", "prom_cif_callback", "p1275_cmd_direct" } },
	{ "ftrace patches the calls in it", {
		"_mcount", "mcount", "ftrace_stub", "ftrace_caller", "ftrace_call",
		"ftrace_graph_call", "ftrace_graph_caller", "return_to_handler" } },
	{ "a CPU comes up", {
		"sparc64_cpu_startup", "hv_cpu_startup", "init_irqwork_curcpu",
		"sun4v_register_mondo_queues", "register_one_mondo", "init_cur_cpu_trap",
		"smp_callin" } },
	{ "the TLB is flushed at trap level 1, or in another context", {
		"__flush_tlb_mm", "__flush_tlb_page", "__flush_tlb_pending" } },
	{ "interrupts are masked by PSTATE.IE", {
		"arch_cpu_idle", "sun4v_cpu_yield", "flush_signal_insns",
		"cheetah_xcall_deliver", "spitfire_xcall_deliver" } },
	{ "begins with the delay slot of a branch", {
		"GENbzero_medium", "NGbzero_medium" } },
	{ "handles interrupts from other CPUs at trap level 1", {
		"xcall_flush_*", "xcall_sync_tick", "xcall_fetch_glob_*", "xcall_error",
		"xcall_call_function*", "xcall_receive_signal", "xcall_capture",
		"xcall_kgdb_capture", "__hypervisor_xcall_*", "__cheetah_xcall_*",
		"__hypervisor_tlb_xcall_error" } },
	{ "the kernel is overwritten", {
		"swsusp_arch_suspend", "swsusp_arch_resume", "pbe_loop", "copy_loop",
		"restore_ctx", "fill_itlb" } },
	{ "a CPU goes offline, and RCU was told", {
		"cpu_play_dead", "sun4v_cpu_qconf" } },
	{ "functions in assembly that a hit calls", {
		"__ffs", "__fls",
		"arch_atomic_add", "arch_atomic_add_return", "arch_atomic_fetch_add",
		"arch_atomic_sub", "arch_atomic_sub_return", "arch_atomic_fetch_sub",
		"arch_atomic64_add", "arch_atomic64_add_return", "arch_atomic64_fetch_add",
		"arch_atomic64_sub", "arch_atomic64_sub_return", "arch_atomic64_fetch_sub",
		"arch_atomic_and", "arch_atomic_or", "arch_atomic_xor",
		"arch_atomic_fetch_and", "arch_atomic_fetch_or", "arch_atomic_fetch_xor",
		"arch_atomic64_and", "arch_atomic64_or", "arch_atomic64_xor",
		"arch_atomic64_fetch_and", "arch_atomic64_fetch_or",
		"arch_atomic64_fetch_xor" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_SPARC_UNMARKED_H */
