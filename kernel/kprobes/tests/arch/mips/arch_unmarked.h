/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_MIPS_UNMARKED_H
#define _KPROBES_TESTS_MIPS_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

static const struct section sections_here[] = { };

static const struct unmarked unmarked_here[] = {
	{ "exceptions begin with it, or end", {
		"handle_sys", "handle_sys64", "handle_sysn32", "tlb_do_page_fault_0",
		"tlb_do_page_fault_1", "octeon_mult_save", "octeon_mult_restore" } },
	{ "exceptions of the TLB, or it has registers of that in use", {
		"handle_tlbm", "handle_tlbm_end", "handle_tlbs", "handle_tlbs_end", "handle_tlbl",
		"handle_tlbl_end", "tlbmiss_handler_setup_pgd", "tlbmiss_handler_setup_pgd_end",
		"__update_tlb", "local_flush_tlb_all", "local_flush_tlb_range",
		"local_flush_tlb_kernel_range", "local_flush_tlb_page", "local_flush_tlb_one",
		"add_wired_entry", "mod_wired_entry", "__kmap_pgprot", "kmap_coherent",
		"kmap_noncoherent", "kunmap_coherent", "dump_tlb", "dump_tlb_all",
		"_kvm_mips_host_tlb_inv", "kvm_vz_host_tlb_inv",
		"kvm_vz_local_flush_roottlb_all_guests", "kvm_vz_guest_tlb_lookup",
		"kvm_vz_save_guesttlb", "kvm_vz_load_guesttlb", "kvm_loongson_clear_guest_vtlb",
		"kvm_loongson_clear_guest_ftlb" } },
	{ "a 32-bit kernel has 64-bit addresses in registers", {
		"indy_sc_wipe", "indy_sc_wback_invalidate", "indy_sc_enable",
		"indy_sc_disable" } },
	{ "on another stack", {
		"resume" } },
	{ "a CPU comes up, without vectors", {
		"start_after_reset", "kernel_entry", "octeon_spin_wait_boot", "smp_bootstrap",
		"start_secondary", "plat_wired_tlb_setup", "cpu_probe",
		"cpu_set_fpu_opts", "cpu_set_nofpu_opts", "cpu_set_nan_2008",
		"cpu_set_nofpu_2008", "cpu_set_fpu_2008", "cpu_set_nofpu_id", "__cpu_has_fpu",
		"mm_config", "calculate_ftlb_probability", "cpu_set_core", "bis_c0_errctl",
		"mips_probe_watch_registers", "spram_config", "probe_spram",
		"ispram_load_tag", "ispram_store_tag", "dspram_load_tag", "dspram_store_tag",
		"loongson3_cpucfg_synthesize_data", "reserve_exception_space",
		"per_cpu_trap_init", "configure_status", "configure_hwrena",
		"configure_exception_vector", "current_cpu_type", "__get_cpu_type" } },
	{ "a CPU comes up, with anything in the TLB", {
		"cpu_cache_init", "r4k_cache_init", "mips_sc_init", "build_clear_page",
		"build_copy_page", "local_r4k___flush_cache_all", "tlb_init",
		"r4k_tlb_configure", "r4k_tlb_pm_notifier", "r4k_tlb_uniquify",
		"r4k_tlb_uniquify_read", "r4k_tlb_uniquify_write",
		"r4k_entry_cmp", "build_tlb_refill_handler", "check_pabits",
		"config_htw_params", "octeon_cache_init", "coherency_setup",
		"r4k_cache_pm_notifier", "probe_pcache", "setup_scache", "cache_noop" } },
	{ "flushes caches while a CPU comes up, with anything in the TLB", {
		"blast_dcache16", "blast_dcache32", "blast_dcache64", "blast_dcache128",
		"blast_icache16", "blast_icache32", "blast_icache64", "blast_icache128",
		"blast_scache16", "blast_scache32", "blast_scache64", "blast_scache128",
		"blast_scache16_node", "blast_scache32_node", "blast_scache64_node",
		"blast_scache128_node" } },
	{ "a CPU goes offline, and RCU was told", {
		"play_dead", "r4k_dma_cache_wback_inv", "cps_shutdown_this_cpu",
		"cps_pm_enter_state", "coupled_barrier", "mips_cps_smp_in_use",
		"loongson3_type1_play_dead", "loongson3_type2_play_dead",
		"loongson3_type3_play_dead" } },
	{ "a core was without power, and has no vectors", {
		"cps_nc_enter", "cpu_pm_exit", "cpu_pm_notify", "raw_notifier_call_chain",
		"notifier_call_chain", "trap_pm_notifier" } },
	{ "addresses, in the text", {
		"sys_call_table", "sys32_call_table", "sysn32_call_table" } },
	{ "ftrace patches the calls in it", {
		"_mcount", "ftrace_caller", "ftrace_call", "ftrace_graph_call",
		"ftrace_graph_caller", "ftrace_stub", "static_trace", "return_to_handler" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_MIPS_UNMARKED_H */
