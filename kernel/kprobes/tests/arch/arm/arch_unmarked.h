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
		"ftrace_caller", "ftrace_call", "ftrace_graph_call", "ftrace_regs_caller",
		"ftrace_regs_call", "ftrace_graph_regs_call" } },
	{ "a CPU comes up or resumes, without MMU, vectors or the stack of its traps", {
		"secondary_startup", "secondary_startup_arm", "__secondary_switched",
		"__enable_mmu", "lookup_processor_type", "__lookup_processor_type",
		"__error_lpae", "__error", "__error_p" } },
	{ "likewise", {
		"secondary_start_kernel", "lookup_processor", "_set_bit", "cpu_init",
		"cpu_v7_proc_init", "cpu_ca8_proc_init", "cpu_ca9mp_proc_init",
		"cpu_ca15_proc_init", "cpu_pj4b_proc_init", "cpu_v7_bpiall_proc_init",
		"cpu_resume", "cpu_resume_arm", "cpu_resume_no_hyp", "no_hyp",
		"cpu_resume_after_mmu", "__cpu_suspend", "__cpu_suspend_save",
		"cpu_suspend_abort" } },
	{ "likewise: sets up the processor", {
		"__v7_*", "__ca8_errata", "__ca9_errata", "__ca12_errata", "__ca15_errata",
		"__ca17_errata", "__errata_finish", "v7_invalidate_l1" } },
	{ "likewise: how platforms come there", {
		"exynos4_secondary_startup", "versatile_secondary_startup", "pen",
		"v7_secondary_startup", "mvebu_cortex_a9_secondary_startup",
		"armada_xp_secondary_startup", "npcm7xx_secondary_startup", "armada_38x_*",
		"armada_370_xp_cpu_resume", "ll_get_coherency_*", "ll_add_cpu_to_smp_group",
		"ll_enable_coherency", "ll_disable_coherency", "shmobile_*", "rwtcsra", "bootrom",
		"omap_secondary_startup", "again", "omap4_secondary_startup",
		"omap4460_secondary_startup", "omap5_secondary_*", "wait", "wait_2", "hyp_boot",
		"hold", "hold_2", "secondary_trampoline", "zynq_secondary_trampoline",
		"secure_cntvoff_init", "cci_enable_port_for_self", "cci_port_not_found",
		"exynos_pm_power_up_setup", "tc2_pm_power_up_setup", "mcpm_*", "first_man_setup",
		"vlock_*", "trylock_fail" } },
	{ "likewise, in order to resume", {
		"exynos_cpu_resume*", "skip_cp15", "skip_l2x0", "_cp15_save_*", "v7_cpu_resume",
		"s5pv210_cpu_resume", "l2c310_early_resume", "omap3_restore*", "copy_to_sram",
		"skipl2dis", "l2_inv_api_params_offset", "l2_inv_gp", "logic_l1_restore",
		"skipl2reen", "omap4_cpu_resume", "ppa_*", "enable_smp_bit",
		"skip_ns_smp_enable", "set_gp_por", "set_aux_ctrl", "skip_l2en",
		"sunxi_mc_smp_*", "not_a15", "first", "tegra_resume*", "end_ca9_scu_l2_resume",
		"tegra_init_l2_for_a15", "_exit_init_l2_a15" } },
	{ "likewise: labels and words beside them", {
		"ppa_zero_params_offset", "es3_sdrc_fix*", "diag_reg_offset" } },
	{ "likewise: copied at each suspend", {
		"tegra20_*", "tegra30_*", "tegra_pll_state", "tegra_disable_clean_inv_dcache",
		"omap3_do_wfi*", "at91_*", "am33xx_*", "am43xx_*",
		"ti_emif_*" } },
	{ "likewise: switches page tables", {
		"cpu_v7_switch_mm", "cpu_ca8_switch_mm", "cpu_ca9mp_switch_mm",
		"cpu_ca15_switch_mm", "cpu_v7_bpiall_switch_mm", "cpu_v7_iciallu_switch_mm",
		"cpu_pj4b_switch_mm", "cpu_v7_smc_switch_mm", "cpu_v7_hvc_switch_mm" } },
	{ "likewise: resumes", {
		"cpu_v7_do_resume", "cpu_ca8_do_resume", "cpu_ca9mp_do_resume",
		"cpu_ca15_do_resume", "cpu_pj4b_do_resume", "cpu_v7_bpiall_do_resume" } },
	{ "with caches off, or while the kernel is overwritten", {
		"_soft_restart", "__soft_restart", "setup_mm_for_reboot", "cpu_v7_proc_fin",
		"cpu_ca8_proc_fin", "cpu_ca9mp_proc_fin", "cpu_ca15_proc_fin",
		"cpu_pj4b_proc_fin", "cpu_v7_bpiall_proc_fin", "b15_flush_kern_cache_all",
		"arch_restore_image", "copy_page" } },
	{ "in the mode of the hypervisor", {
		"__hyp_stub_*", "__hyp_set_vectors", "__hyp_soft_restart" } },
	{ "in the mode of a FIQ", {
		"__set_fiq_regs", "__get_fiq_regs" } },
	{ "marked in assembly, which leaves no symbol", {
		"__get_user_1", "__get_user_2", "__get_user_4", "__get_user_8",
		"__get_user_bad", "__get_user_bad8" } },
	{ "a CPU goes offline, and RCU was told", {
		"psci_cpu_die", "psci_0_1_cpu_off", "psci_0_2_cpu_off", "__psci_cpu_off",
		"__invoke_psci_fn_hvc", "__invoke_psci_fn_smc", "__arm_smccc_hvc",
		"__arm_smccc_smc" } },
	{ "likewise: platforms' own functions", {
		"armada_38x_cpu_die", "armada_xp_cpu_die", "berlin_cpu_die", "brcmstb_cpu_die",
		"exynos_cpu_die", "hi3xxx_cpu_die", "hip04_cpu_die", "hix5hd2_cpu_die",
		"imx_cpu_die", "m10v_cpu_die", "mcpm_cpu_die", "meson8_smp_cpu_die",
		"omap4_cpu_die", "qcom_cpu_die", "realview_cpu_die", "rockchip_cpu_die",
		"shmobile_smp_apmu_cpu_die", "shmobile_smp_scu_cpu_die", "socfpga_cpu_die",
		"spear13xx_cpu_die", "sunxi_mc_smp_cpu_die", "tegra_cpu_die", "ux500_cpu_die",
		"vexpress_cpu_die", "zynq_cpu_die" } },
	{ "likewise, or with caches off", {
		"v7_flush_dcache_louis", "v7_flush_dcache_all", "start_flush_levels",
		"flush_levels", "loop1", "loop2", "skip", "finished", "v7_flush_kern_cache_all",
		"v7_flush_kern_cache_louis" } },
	{ "a hit may abort, for a slot that page tables lack", {
		"v7_early_abort", "v7_pabort" } },
	{ "may interrupt the vector of undefined instructions", {
		"handle_fiq_as_nmi" } },
	{ "on another stack", {
		"__switch_to", "call_with_stack" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_ARM_UNMARKED_H */
