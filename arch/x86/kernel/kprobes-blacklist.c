// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of x86 must not be probed, and does not say so itself: text that is executed
 * from a copy, text that is executed where a breakpoint's trap cannot be taken, and
 * what the way of a hit leads through.
 *
 * Symbols that a configuration does not have are passed over.
 */
#include <linux/array_size.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <asm/sections.h>
#include <asm/switch_to.h>

/* Runs on two stacks, one after the other: neither is the one of "current". */
NOKPROBE_SYMBOL(__switch_to);

/*
 * Executed from copies: a breakpoint or jump would be copied as well, to where no
 * probe is known. Text from one symbol to the end of another.
 */
static const char * const copied[][2] __initconst = {
	/* ftrace makes its trampolines of them. */
	{ "ftrace_caller", "ftrace_caller_end" },
	{ "ftrace_regs_caller", "ftrace_regs_caller_end" },
	/* kexec goes on in its control page. */
	{ "relocate_kernel", "swap_pages" },
	/* Resume from hibernation overwrites the kernel that executes it. */
	{ "restore_registers", "core_restore_code" },
	/* The kernel is encrypted in place. */
	{ "sme_encrypt_execute", "__enc_copy" },
};

/*
 * Executed without the kernel's IDT, page tables or segments: a CPU that comes up or
 * leaves, and calls of firmware.
 */
static const char * const without_idt[] __initconst = {
	"startup_32", "startup_64", "pvh_start_xen",
	/* A CPU comes up, until it has its IDT. */
	"startup_32_smp", "secondary_startup_64", "secondary_startup_64_no_verify",
	"common_startup_64",
	"verify_cpu", "sev_verify_cbit", "vc_boot_ghcb", "soft_restart_cpu",
	"early_setup_idt", "startup_64_load_idt", "setup_ghcb",
	"start_secondary", "cr4_init", "cr4_update_irqsoff", "native_write_cr4",
	"cpu_init_exception_handling", "cpu_init_fred_exceptions", "load_current_idt",
	/* It resumes. */
	"wakeup_long64", "wakeup_pmode_return", "do_suspend_lowlevel", "restore_processor_state",
	"__restore_processor_state", "native_write_cr0",
	/* It leaves. */
	"machine_kexec", "asm_acpi_mp_play_dead",
	/* It executes this from another address. */
	"__efi64_thunk",
};

/*
 * The linker puts nothing into the last part of the text but what hits go through:
 * the thunks of indirect branches and returns, static calls, and the entry code.
 */
int __init arch_kprobe_blacklist(void)
{
	int i, ret = kprobe_blacklist_add_text((unsigned long)__softirqentry_text_end,
					       (unsigned long)_etext);

	for (i = 0; !ret && i < ARRAY_SIZE(copied); i++)
		ret = kprobe_blacklist_add_symbols(copied[i][0], copied[i][1]);
	for (i = 0; !ret && i < ARRAY_SIZE(without_idt); i++)
		ret = kprobe_blacklist_add_symbols(without_idt[i], without_idt[i]);
	return ret;
}
