/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_MIPS_UNMARKED_H
#define _KPROBES_TESTS_MIPS_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

static const struct section sections_here[] = { };

static const struct unmarked unmarked_here[] = {
	{ "exceptions begin with it", {
		"handle_sys", "handle_sys64", "handle_sysn32", "tlb_do_page_fault_0",
		"tlb_do_page_fault_1" } },
	{ "exceptions of the TLB, or it has registers of that in use", {
		"handle_tlbm", "handle_tlbm_end", "handle_tlbs", "handle_tlbs_end", "handle_tlbl",
		"handle_tlbl_end", "tlbmiss_handler_setup_pgd", "tlbmiss_handler_setup_pgd_end",
		"__update_tlb", "local_flush_tlb_all", "local_flush_tlb_range",
		"local_flush_tlb_kernel_range", "local_flush_tlb_page", "local_flush_tlb_one",
		"add_wired_entry", "mod_wired_entry", "__kmap_pgprot", "kmap_coherent",
		"kmap_noncoherent", "kunmap_coherent", "dump_tlb", "dump_tlb_all" } },
	{ "on another stack", {
		"resume" } },
	{ "the kernel is overwritten", {
		"relocate_new_kernel", "kexec_smp_wait" } },
	{ "a CPU comes up, without vectors", {
		"kernel_entry", "smp_bootstrap", "start_secondary", "cpu_probe",
		"per_cpu_trap_init", "configure_status", "configure_hwrena",
		"configure_exception_vector" } },
	{ "a CPU goes offline, and RCU was told", {
		"play_dead", "cps_cpu_die" } },
	{ "ftrace patches the calls in it", {
		"_mcount", "ftrace_caller", "ftrace_call", "ftrace_graph_call",
		"ftrace_graph_caller", "ftrace_stub", "static_trace", "return_to_handler" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_MIPS_UNMARKED_H */
