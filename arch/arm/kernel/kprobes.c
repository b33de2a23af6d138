// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on Arm: traps, text, and where functions begin.
 *
 * A point's instruction becomes udf. What depends on its own address is emulated, or runs from a
 * slot with another register in the place of pc; all else runs from a slot as it is. Where it can,
 * the breakpoint becomes a branch to a stub later on, with the condition of the instruction.
 *
 * The trap of udf masks interrupts, but does not count as one. It restores the stack pointer that
 * handlers leave.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/cacheflush.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/stop_machine.h>
#include <asm/barrier.h>
#include <asm/idmap.h>
#include <asm/patch.h>
#include <asm/sections.h>

/* What a stub saves before it calls common code is part of what that saves. */
static_assert(sizeof(struct svc_pt_regs) == KPROBE_STUB_FRAME);
static_assert(offsetof(struct pt_regs, ARM_lr) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/**
 * struct stop - text that is written while all CPUs are stopped
 * @patches: what and where
 * @nr:      how many
 * @arrived: how many CPUs execute nothing but what waits for @written
 * @written: all of it is in memory
 */
struct stop {
	const struct kprobe_patch *patches;
	unsigned int nr;
	atomic_t arrived;
	bool written;
};

/*
 * The CPU that comes last writes. The others wait here, where nothing can be probed, and not in
 * stop_machine(), where the text that is written may be.
 */
static __kprobes int write_stopped(void *data)
{
	struct stop *stop = data;
	unsigned int i;

	if (atomic_inc_return(&stop->arrived) == num_online_cpus()) {
		for (i = 0; i < stop->nr; i++)
			__patch_text_bytes((void *)stop->patches[i].addr, stop->patches[i].new,
					   stop->patches[i].len);
		smp_store_release(&stop->written, true);	/* pairs with the CPUs that wait */
	} else {
		while (!smp_load_acquire(&stop->written))	/* pairs with the last CPU */
			cpu_relax();
	}
	isb();
	return 0;
}

/*
 * An instruction may be replaced while other CPUs execute it if both are branches or nops; udf is
 * neither. A trap masks interrupts until it has looked up its point, so no CPU stops in between.
 */
void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	struct stop stop = { .patches = patches, .nr = nr };

	lockdep_assert_held(&text_mutex);
	stop_machine_cpuslocked(write_stopped, &stop, cpu_online_mask);
}

void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	__patch_text_bytes(slot, code, len);
}

#ifdef CONFIG_FUNCTION_TRACER
/*
 * Of entry-ftrace.S the stubs alone are functions; they come last. Traced functions call what is in
 * front of them with lr on the stack, or return to it, or it is a branch's target.
 */
bool arch_kprobe_is_called(unsigned long addr)
{
	unsigned long entry = addr | KPROBE_POINTER_FLAGS;

	return entry < (unsigned long)__gnu_mcount_nc || entry >= (unsigned long)ftrace_stub;
}
#endif

static __kprobes bool hit(struct pt_regs *regs, unsigned long addr)
{
	void *detour = kprobe_breakpoint_detour(addr);
	struct kprobe_point *point = detour ? kprobe_point_lookup(addr) : NULL;

	/* It is to call the handlers instead of the trap, unless the condition is not true. */
	if (point && !arch_kprobe_passes(point, regs)) {
		regs->ARM_pc = (unsigned long)detour;
		return true;
	}
	return kprobe_trap_hit(addr, regs);
}

/* An instruction in the kernel was undefined. Returns whether it was a probe's breakpoint. */
__kprobes bool kprobe_undef_handler(struct pt_regs *regs)
{
	unsigned long addr = regs->ARM_pc, block = regs->ARM_cpsr & PSR_IT_MASK;
	unsigned int access = arch_kprobe_access();

	/* The trap's end restores it. */
	if (unlikely(access))
		arch_kprobe_end_access(access);
	if (!hit(regs, addr))
		return false;
	/* In a block of T32. Copies are in none, nor is where handlers go on. */
	if (unlikely(block) && regs->ARM_pc != addr && (regs->ARM_cpsr & PSR_IT_MASK) == block)
		regs->ARM_cpsr &= ~PSR_IT_MASK;
	return true;
}

#if defined(CONFIG_CPU_SW_DOMAIN_PAN)
__kprobes void arch_kprobe_end_access(unsigned int access)
{
	set_domain(get_domain() & ~domain_mask(DOMAIN_USER));
}

__kprobes void arch_kprobe_resume_access(unsigned int access)
{
	set_domain(get_domain() | access);
}
#elif defined(CONFIG_CPU_TTBR0_PAN)
__kprobes void arch_kprobe_end_access(unsigned int access)
{
	cpu_set_ttbcr(cpu_get_ttbcr() | TTBCR_A1 | TTBCR_EPD0 | TTBCR_T0SZ_MASK);
	isb();
}

__kprobes void arch_kprobe_resume_access(unsigned int access)
{
	cpu_set_ttbcr(cpu_get_ttbcr() & ~(TTBCR_A1 | TTBCR_EPD0 | TTBCR_T0SZ_MASK));
	isb();
}
#else
__kprobes void arch_kprobe_end_access(unsigned int access) { }
__kprobes void arch_kprobe_resume_access(unsigned int access) { }
#endif

/* Symbols that a configuration does not have are passed over. */
static const char * const no_go[] __initconst = {
	/*
	 * A CPU comes up, or resumes: without the MMU, the vectors, or the stack of undefined
	 * instructions. The boot CPU executes some of that at any time.
	 */
	"secondary_startup", "secondary_startup_arm", "__secondary_switched", "__enable_mmu",
	"lookup_processor_type", "__lookup_processor_type", "__error_lpae", "__error", "__error_p",
	"secondary_start_kernel", "lookup_processor", "cpu_v7_switch_mm", "cpu_ca8_switch_mm",
	"cpu_ca9mp_switch_mm", "cpu_ca15_switch_mm", "cpu_v7_bpiall_switch_mm",
	"cpu_v7_iciallu_switch_mm", "cpu_v7_smc_switch_mm", "cpu_v7_hvc_switch_mm",
#ifdef CONFIG_SMP
	"_set_bit",
#endif
	"cpu_init", "cpu_v7_proc_init", "v7_invalidate_l1", "cpu_resume", "cpu_resume_arm",
	"cpu_resume_no_hyp", "no_hyp", "cpu_resume_after_mmu", "cpu_v7_do_resume",
	"cpu_ca8_do_resume", "cpu_ca9mp_do_resume", "cpu_ca15_do_resume", "cpu_pj4b_do_resume",
	"cpu_v7_bpiall_do_resume", "__cpu_suspend", "__cpu_suspend_save", "cpu_suspend_abort",
	/* How platforms come there: from the firmware, or from a reset vector that is a copy. */
	"exynos4_secondary_startup", "versatile_secondary_startup", "pen", "v7_secondary_startup",
	"mvebu_cortex_a9_secondary_startup", "armada_xp_secondary_startup",
	"npcm7xx_secondary_startup", "shmobile_boot_apmu", "shmobile_boot_scu",
	"secondary_trampoline", "zynq_secondary_trampoline", "secure_cntvoff_init",
	"exynos_pm_power_up_setup", "tc2_pm_power_up_setup", "v7_cpu_resume",
	"s5pv210_cpu_resume", "l2c310_early_resume", "ppa_zero_params_offset",
	/* The stack is another one. */
	"__switch_to", "call_with_stack",
#ifdef CONFIG_HOTPLUG_CPU
	/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
	"psci_cpu_die", "psci_0_1_cpu_off", "psci_0_2_cpu_off", "__psci_cpu_off",
	"__invoke_psci_fn_hvc", "__invoke_psci_fn_smc", "__arm_smccc_hvc", "__arm_smccc_smc",
	"armada_38x_cpu_die", "armada_xp_cpu_die", "berlin_cpu_die", "brcmstb_cpu_die",
	"exynos_cpu_die", "hi3xxx_cpu_die", "hip04_cpu_die", "hix5hd2_cpu_die", "imx_cpu_die",
	"m10v_cpu_die", "mcpm_cpu_die", "meson8_smp_cpu_die", "omap4_cpu_die", "qcom_cpu_die",
	"realview_cpu_die", "rockchip_cpu_die", "shmobile_smp_apmu_cpu_die",
	"shmobile_smp_scu_cpu_die", "socfpga_cpu_die", "spear13xx_cpu_die",
	"sunxi_mc_smp_cpu_die", "tegra_cpu_die", "ux500_cpu_die", "vexpress_cpu_die",
	"zynq_cpu_die", "tegra20_hotplug_shutdown", "tegra20_cpu_shutdown",
	"tegra30_hotplug_shutdown", "tegra30_cpu_shutdown",
#endif
	/* Turns the data cache off. */
	"tegra_disable_clean_inv_dcache",
	/*
	 * The way of each abort. A slot may be missing in the task's page tables, and so may what
	 * a handler reads: a hit here would fault for that, and hit again.
	 */
	"v7_early_abort", "v7_pabort",
	/* May interrupt the vector of undefined instructions, whose stack has one place. */
	"handle_fiq_as_nmi",
	/* In the mode of a FIQ, which undefined instructions must not come from. */
	"__set_fiq_regs", "__get_fiq_regs",
	/* With caches off, or while the image of a hibernated kernel overwrites this one. */
	"_soft_restart", "__soft_restart", "setup_mm_for_reboot", "cpu_v7_proc_fin",
	"b15_flush_kern_cache_all", "arch_restore_image",
#ifdef CONFIG_HIBERNATION
	"copy_page",
#endif
	/* From a copy, while the kernel is overwritten. */
	"relocate_new_kernel",
	/* ftrace patches the calls in them. */
	"ftrace_caller", "ftrace_call", "ftrace_graph_call",
	"ftrace_regs_caller", "ftrace_regs_call", "ftrace_graph_regs_call",
};

/* From one symbol to the end of another. */
static const char * const no_go_text[][2] __initconst = {
	/* A CPU comes up, likewise, or is in the mode of the hypervisor. */
	{ "__hyp_stub_install", "__hyp_stub_fiq" },
	{ "__v7_ca5mp_setup", "__errata_finish" },
	{ "exynos_cpu_resume", "_cp15_save_diag" },
	{ "ll_get_coherency_base", "ll_disable_coherency" },
	{ "armada_38x_scu_power_up", "armada_38x_cpu_resume" },
	{ "omap_secondary_startup", "hold_2" },
	{ "omap3_do_wfi", "omap3_do_wfi_sz" },
	{ "omap3_restore_es3", "es3_sdrc_fix_sz" },
	{ "omap4_cpu_resume", "ppa_por_params_offset" },
	{ "shmobile_boot_vector", "shmobile_smp_sleep" },
	{ "sunxi_mc_smp_cluster_cache_enable", "sunxi_mc_smp_resume" },
	{ "tegra_resume", "tegra_resume_trusted_foundations" },
	{ "tegra_init_l2_for_a15", "_exit_init_l2_a15" },
	{ "diag_reg_offset", "v7_secondary_startup" },
	/* Copied to where memory is that needs no controller, at each suspend. */
	{ "tegra20_tear_down_cpu", "tegra20_iram_end" },
	{ "tegra30_tear_down_cpu", "tegra30_iram_end" },
	{ "at91_pm_suspend_in_sram", "at91_pm_suspend_in_sram_sz" },
	{ "am33xx_do_wfi", "am33xx_do_wfi_sz" },
	{ "am43xx_do_wfi", "am43xx_do_wfi_sz" },
	{ "ti_emif_sram", "ti_emif_sram_sz" },
	{ "mcpm_entry_point", "mcpm_entry_gated" },
	{ "vlock_trylock", "vlock_unlock" },
	{ "cci_enable_port_for_self", "cci_port_not_found" },
	/* Flushes caches: of a CPU that has reported that it is dead, and where they are off. */
	{ "v7_flush_dcache_louis", "v7_flush_kern_cache_louis" },
};

int __init arch_kprobe_blacklist(void)
{
	return kprobe_blacklist_add_text((unsigned long)__entry_text_start,
					 (unsigned long)__entry_text_end) ?:
	       /* Executed at its physical address as well. */
	       kprobe_blacklist_add_text((unsigned long)__idmap_text_start,
					 (unsigned long)__idmap_text_end) ?:
	       kprobe_blacklist_add_symbols(no_go_text, ARRAY_SIZE(no_go_text)) ?:
	       kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
