/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_LOONGARCH_UNMARKED_H
#define _KPROBES_TESTS_LOONGARCH_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

/* The linker script has no section for entries from user space. */
#define __entry_text_start __noinstr_text_start
#define __entry_text_end	__noinstr_text_start

static const struct section sections_here[] = { };

static const struct unmarked unmarked_here[] = {
	{ "ftrace patches the calls in it", {
		"ftrace_common", "ftrace_call", "ftrace_graph_call", "ftrace_common_return",
		"ftrace_caller", "ftrace_regs_caller" } },
	{ "exceptions begin with it, most of them with a copy", {
		"handle_ade", "handle_ale", "handle_bce", "handle_bp", "handle_fpe", "handle_fpu",
		"handle_lsx", "handle_lasx", "handle_lbt", "handle_ri", "handle_watch",
		"handle_reserved", "handle_sys", "handle_vint", "except_vec_cex",
		"cache_parity_error" } },
	{ "it ends with the registers of user space", {
		"ret_from_fork", "ret_from_kernel_thread" } },
	{ "the TLB has missed, or needs a page", {
		"handle_tlb_protect", "handle_tlb_load", "handle_tlb_load_ptw",
		"handle_tlb_store", "handle_tlb_store_ptw", "handle_tlb_modify",
		"handle_tlb_modify_ptw", "handle_tlb_refill", "tlb_do_page_fault_0",
		"tlb_do_page_fault_1", "__update_tlb", "__update_hugetlb" } },
	{ "an interrupt knows its instructions by their addresses", {
		"__arch_cpu_idle" } },
	{ "the kernel is overwritten, or there are no vectors", {
		"relocate_new_kernel", "kexec_smp_wait", "swsusp_asm_suspend",
		"swsusp_asm_resume", "swsusp_arch_suspend", "swsusp_arch_resume",
		"loongarch_suspend_enter", "loongarch_wakeup_start",
		"loongarch_common_suspend", "loongarch_common_resume",
		"loongarch_acpi_suspend", "local_flush_tlb_all" } },
	{ "a CPU comes up, without vectors", {
		"kernel_entry", "smpboot_entry", "start_secondary", "sync_counter", "cpu_probe",
		"per_cpu_trap_init", "tlb_init", "setup_ptwalker", "setup_tlb_handler" } },
	{ "a CPU goes offline, and RCU was told", {
		"idle_play_dead", "poll_play_dead", "local_flush_tlb_user" } },
	{ "marked in assembly, which leaves no symbol", {
		"handle_syscall", "memset", "__memset", "__memset_generic", "__memset_fast",
		"memmove", "__memmove", "__rmemcpy", "__rmemcpy_generic", "__rmemcpy_fast",
		"memcpy", "__memcpy", "__memcpy_generic", "__memcpy_small", "__memcpy_fast",
		"kvm_exc_entry", "kvm_enter_guest" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_LOONGARCH_UNMARKED_H */
