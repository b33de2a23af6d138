/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_PARISC_UNMARKED_H
#define _KPROBES_TESTS_PARISC_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

/* In syscall.S, entry.S and hpmc.S. Of the last two the last symbols are in the table below. */
extern const char linux_gateway_page[], end_linux_gateway_page[];
extern const char fault_vector_20[], set_register[];

static const struct section sections_here[] = {
	{ linux_gateway_page, end_linux_gateway_page },
	{ fault_vector_20, set_register },
	/* Each up to the next symbol that kallsyms has. */
	{ millicode_rem, millicode_rem + 1 },
	{ millicode_div, millicode_div + 1 },
};

static const struct unmarked unmarked_here[] = {
	{ "traps begin with it, or end in it", {
		"handle_interruption", "set_register" } },
	{ "machine checks", {
		"os_hpmc", ".os_hpmc", "os_hpmc_1", "os_hpmc_2", "os_hpmc_3", "os_hpmc_4",
		"os_hpmc_5", "os_hpmc_fail", "os_hpmc_6" } },
	{ "called with physical addresses", {
		"real32_call_asm", "ric_ret", "real64_call_asm", "r64_ret", "save_control_regs",
		"restore_control_regs", "rfi_virt2real", "rfi_v2r_1", "rfi_real2virt",
		"rfi_r2v_1", "toc_handler", "toc_intr", "flush_tlb_all_local", "fitmany*",
		"fitone*", "fitdone", "fdtmany*", "fdtone*", "fdtdone", "disable_sr_hashing",
		"disable_sr_hashing_asm", "srdis_*" } },
	{ "diagnose registers are changed", {
		"perf_rdr_shift_in_W", "perf_rdr_shift_out_W", "perf_rdr_shift_in_U",
		"perf_rdr_shift_out_U" } },
	{ "atomics that a hit uses", {
		"__xchg64", "__xchg32", "__xchg8", "__cmpxchg_u64", "__cmpxchg_u32",
		"__cmpxchg_u16", "__cmpxchg_u8" } },
	{ "multiplies in floating point registers", {
		"__muldi3" } },
	{ "traces from handlers take its lock", {
		"unwind_once", "unwind_frame_regs", "find_unwind_entry", "unwind_table_add",
		"unwind_table_remove" } },
	{ "the kernel is overwritten", {
		"relocate_new_kernel", "boot", "relocate_new_kernel_size" } },
	{ "a CPU comes up", {
		"smp_callin", "smp_cpu_init", "init_per_cpu" } },
	{ "a CPU goes offline, and RCU was told", {
		"flush_cache_all_local", "cache_flush_local_cpu", "__pdc_cpu_rendezvous",
		"real32_call", "real64_call", "flush_instruction_cache_local", "fimanyloop",
		"fioneloop*", "fisync", "flush_data_cache_local", "fdmanyloop", "fdoneloop*",
		"fdsync" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_PARISC_UNMARKED_H */
