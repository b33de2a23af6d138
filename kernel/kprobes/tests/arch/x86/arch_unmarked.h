/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_X86_UNMARKED_H
#define _KPROBES_TESTS_X86_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

/* The linker puts the way of a hit there. */
static const struct section sections_here[] = {
	{ __softirqentry_text_end, _etext },
};

static const struct unmarked unmarked_here[] = {
	{ "ftrace makes its trampolines of them, or patches the calls in them", {
		"ftrace_caller", "ftrace_caller_op_ptr", "ftrace_call", "ftrace_caller_end",
		"ftrace_regs_caller", "ftrace_regs_caller_op_ptr", "ftrace_regs_call",
		"ftrace_regs_caller_jmp", "ftrace_regs_caller_end", "ftrace_graph_call",
		"ftrace_stub_graph" } },
	{ "a CPU goes offline, and RCU was told", {
		"native_play_dead", "play_dead_common", "hlt_play_dead", "mwait_play_dead",
		"acpi_mp_play_dead", "resume_play_dead", "sev_es_play_dead",
		"xen_pv_play_dead" } },
	{ "a CPU comes up and has no IDT yet", {
		"startup_32", "startup_64", "pvh_start_xen", "startup_32_smp",
		"secondary_startup_64", "secondary_startup_64_no_verify", "common_startup_64",
		"verify_cpu", "sev_verify_cbit", "vc_boot_ghcb", "soft_restart_cpu",
		"early_setup_idt", "startup_64_load_idt", "setup_ghcb",
		"snp_register_per_cpu_ghcb", "snp_register_ghcb_early", "start_secondary",
		"cr4_init", "cr4_update_irqsoff", "write_cr4_without_idt",
		"write_cr0_without_idt", "cpu_init_exception_handling",
		"cpu_init_fred_exceptions", "cpu_init_fred_rsps", "load_current_idt",
		"cr4_set_bits", "cr4_set_bits_irqsoff", "setup_getcpu", "tss_setup_ist",
		"tss_setup_io_bitmap", "__set_tss_desc", "load_TR_desc", "trace_write_msr",
		"do_trace_write_msr", "early_cpu_to_node" } },
#ifdef CONFIG_X86_32
	{ "a CPU of 32 bit flushes its TLB before it has an IDT", {
		"__flush_tlb_all", "native_flush_tlb_global", "flush_tlb_local",
		"native_flush_tlb_local", "native_write_cr4", "__phys_addr",
		"slow_virt_to_phys", "lookup_address", "lookup_address_in_pgd",
		"lookup_address_in_pgd_attr" } },
#endif
#ifdef CONFIG_PARAVIRT_XXL
	{ "a CPU calls them before it has an IDT: they are inline without Xen", {
		"native_write_msr", "native_write_gdt_entry", "native_load_tr_desc",
		"native_load_idt", "native_write_cr3" } },
#endif
#ifdef CONFIG_KCSAN
	{ "KCSAN delays what a CPU without an IDT does", {
		"__udelay", "__const_udelay", "__delay", "delay_loop", "delay_tsc",
		"delay_halt", "delay_halt_tpause", "delay_halt_mwaitx" } },
#endif
	{ "it resumes, or leaves, or calls firmware with other segments", {
		"wakeup_long64", "wakeup_pmode_return", "do_suspend_lowlevel",
		"restore_processor_state", "__restore_processor_state", "wakeup_start",
		"do_olpc_suspend_lowlevel", "ret_point", "restore_registers",
		"kasan_unpoison_task_stack_below", "kasan_unpoison", "kasan_poison",
		"machine_kexec", "asm_acpi_mp_play_dead", "__efi64_thunk", "__apm_bios_call",
		"__apm_bios_call_simple", "pnp_bios_callfunc" } },
	{ "idle, and RCU does not watch", {
		"apm_cpu_idle", "apm_do_idle" } },
	{ "the image of hibernation is written over it", {
		"swsusp_arch_suspend", "core_restore_code", "create_image",
		"hibernation_snapshot" } },
#ifdef CONFIG_X86_32
	{ "labels between those of hibernation", {
		"restore_image", "copy_loop", "done" } },
#endif
	{ "marked in assembly, which leaves no symbol", {
		"warn_thunk_thunk", "preempt_schedule_thunk",
		"preempt_schedule_notrace_thunk" } },
	{ "executed from a copy", {
		"relocate_kernel", "swap_pages", "sme_encrypt_execute", "__enc_copy" } },
	{ "a breakpoint's trap calls them first", {
		"kgdb_ll_trap", "__kgdb_notify" } },
	{ "entries from Xen, where RCU is not watching", {
		"xen_entry_SYSCALL_64", "xen_entry_SYSCALL_compat",
		"xen_entry_SYSENTER_compat", "xenpv_restore_regs_and_return_to_usermode" } },
};

/* What is executed without an IDT in some configurations alone can be probed in others. */
static const char * const free_here[] = {
	"native_write_cr0",
#ifdef CONFIG_X86_64
	"__flush_tlb_all", "native_flush_tlb_global", "flush_tlb_local", "native_flush_tlb_local",
	"slow_virt_to_phys", "lookup_address", "lookup_address_in_pgd",
	"lookup_address_in_pgd_attr", "native_write_cr4",
#endif
};

#endif /* _KPROBES_TESTS_X86_UNMARKED_H */
