// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of x86's part of the blacklist: every byte of text that is executed from a copy,
 * that is on the hit path, or where the kernel cannot take a breakpoint's trap.
 */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <asm/insn.h>
#include <asm/sections.h>
#include <asm/suspend.h>
#include <asm/text-patching.h>

#include "../../../../../arch/x86/kernel/kprobes-opt.h"
#include "../../targets.h"

/**
 * struct stretch - range of text that must not be probed
 * @first: the first symbol in it
 * @last:  the last symbol in it, NULL if that is @first
 * @there: whether the configuration has it
 */
struct stretch {
	const char *first;
	const char *last;
	bool there;
};

static void expect_stretch_refused(struct kunit *test, const struct stretch *s)
{
	unsigned long first = kallsyms_lookup_name(s->first);
	unsigned long last = s->last ? kallsyms_lookup_name(s->last) : first;

	if (!s->there && (!first || !last))
		return;
	KUNIT_EXPECT_NE_MSG(test, 0, first, "there is no %s", s->first);
	KUNIT_EXPECT_GE_MSG(test, last, first, "there is no %s", s->last);
	if (first && last >= first)
		kprobes_expect_blacklisted(test, first, kprobes_symbol_end(last));
}

static void expect_all_refused(struct kunit *test, const struct stretch *s, unsigned int nr)
{
	while (nr--)
		expect_stretch_refused(test, s++);
}

#define IS64	IS_ENABLED(CONFIG_X86_64)
/* 32-bit kernels copy nothing of ftrace's. */
#define FTRACE	(IS64 && IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
#define KEXEC	IS_ENABLED(CONFIG_KEXEC_CORE)
#define SLEEP	IS_ENABLED(CONFIG_ACPI_SLEEP)

static const struct stretch copied[] = {
#ifdef CONFIG_X86_64
	{ "ftrace_caller", "ftrace_caller_end", FTRACE },
	{ "ftrace_regs_caller", "ftrace_regs_caller_end", FTRACE },
#else
	/* ftrace patches its own. */
	{ "ftrace_caller", "ftrace_regs_call", IS_ENABLED(CONFIG_DYNAMIC_FTRACE) },
#endif
	{ "relocate_kernel", "swap_pages", KEXEC },
	{ "sme_encrypt_execute", "__enc_copy", IS_ENABLED(CONFIG_AMD_MEM_ENCRYPT) },
};

static void x86_blacklist_copied(struct kunit *test)
{
	expect_all_refused(test, copied, ARRAY_SIZE(copied));
}

#ifdef CONFIG_HIBERNATION
/* All of the file, by the addresses that resume goes by: others have symbols of these names. */
static void x86_blacklist_hibernation(struct kunit *test)
{
	unsigned long suspend = (unsigned long)swsusp_arch_suspend;
	unsigned long restore = (unsigned long)restore_registers;
	unsigned long core = (unsigned long)core_restore_code;
	unsigned long image = kallsyms_lookup_name("create_image");

	kprobes_expect_blacklisted(test, min(suspend, restore),
				   kprobes_symbol_end(max(core, restore)));
	/* Where the image's kernel goes on: in a function of its own, or in its caller. */
	if (!image)
		image = kallsyms_lookup_name("hibernation_snapshot");
	KUNIT_ASSERT_NE(test, 0, image);
	kprobes_expect_blacklisted(test, image, kprobes_symbol_end(image));
}
#endif

/* A place that was once missing: in the middle of a template of ftrace, after a label. */
static void x86_blacklist_ftrace_load(struct kunit *test)
{
	static const u8 load[] = { 0x48, 0x8b, 0x8c, 0x24, 0xa8, 0, 0, 0 };
	unsigned long addr = kallsyms_lookup_name("ftrace_regs_caller");
	unsigned long end = kallsyms_lookup_name("ftrace_regs_caller_end");

	if (!FTRACE)
		kunit_skip(test, "ftrace copies nothing");
	while (addr < end && memcmp((void *)addr, load, sizeof(load)))
		addr++;
	if (addr == end)
		kunit_skip(test, "no load of 0xa8(%%rsp) in this configuration");
	kprobes_expect_blacklisted(test, addr, addr + 1);
}

static const struct stretch without_idt[] = {
	{ "startup_32", NULL, !IS64 },
	{ "startup_32_smp", NULL, !IS64 },
	{ "startup_64", NULL, IS64 },
	{ "secondary_startup_64", NULL, IS64 },
	{ "secondary_startup_64_no_verify", NULL, IS64 },
	{ "common_startup_64", NULL, IS64 },
	{ "verify_cpu", NULL, IS64 },
	{ "soft_restart_cpu" },
	{ "vc_boot_ghcb" },
	{ "early_setup_idt", NULL, IS64 },
	{ "start_secondary", NULL, IS_ENABLED(CONFIG_SMP) },
	{ "cr4_init", NULL, true },
	{ "write_cr4_without_idt", NULL, true },
	{ "write_cr0_without_idt", NULL, true },
	{ "cpu_init_exception_handling", NULL, true },
	{ "cpu_init_fred_exceptions", NULL, IS_ENABLED(CONFIG_X86_FRED) },
	{ "cpu_init_fred_rsps", NULL, IS_ENABLED(CONFIG_X86_FRED) },
	{ "load_current_idt", NULL, true },
#ifdef CONFIG_X86_32
	{ "native_write_cr4", NULL, true },
	{ "__flush_tlb_all", NULL, true },
	{ "native_flush_tlb_global" },
	{ "flush_tlb_local", NULL, true },
	{ "native_flush_tlb_local" },
#endif
	{ "early_cpu_to_node" },
	{ "native_write_msr", NULL, IS_ENABLED(CONFIG_PARAVIRT_XXL) },
	{ "do_trace_write_msr", NULL, IS_ENABLED(CONFIG_TRACEPOINTS) },
	{ "trace_write_msr" },
	{ "snp_register_ghcb_early" },
	{ "snp_register_per_cpu_ghcb" },
	{ "__tsan_read8", NULL, IS_ENABLED(CONFIG_KCSAN) },
	{ "__tsan_func_entry", NULL, IS_ENABLED(CONFIG_KCSAN) },
	{ "__asan_load8", NULL, IS_ENABLED(CONFIG_KASAN_OUTLINE) },
	{ "__asan_storeN", NULL, IS_ENABLED(CONFIG_KASAN_OUTLINE) },
	{ "native_write_gdt_entry", NULL, IS_ENABLED(CONFIG_PARAVIRT_XXL) },
	{ "native_load_tr_desc", NULL, IS_ENABLED(CONFIG_PARAVIRT_XXL) },
	{ "native_load_idt", NULL, IS_ENABLED(CONFIG_PARAVIRT_XXL) },
	{ "native_write_cr3", NULL, IS_ENABLED(CONFIG_PARAVIRT_XXL) },
	{ "wakeup_long64", NULL, IS64 && SLEEP },
	{ "wakeup_pmode_return", NULL, !IS64 && SLEEP },
	{ "do_suspend_lowlevel", NULL, SLEEP },
	{ "restore_processor_state" },
	{ "ret_point", NULL, !IS64 && SLEEP },
	{ "restore_registers", NULL, !IS64 && SLEEP },
	{ "kasan_unpoison_task_stack_below" },
	{ "pvh_start_xen" },
	{ "__efi64_thunk" },
	{ "__apm_bios_call", NULL, IS_ENABLED(CONFIG_APM) },
	{ "pnp_bios_callfunc" },
	{ "asm_acpi_mp_play_dead" },
};

/* It turns ftrace off before it gives up the IDT, so that tracers may be called where it begins. */
static const struct stretch untraced_later[] = {
	{ "machine_kexec", NULL, KEXEC },
};

static void x86_blacklist_without_idt(struct kunit *test)
{
	expect_all_refused(test, without_idt, ARRAY_SIZE(without_idt));
	expect_all_refused(test, untraced_later, ARRAY_SIZE(untraced_later));
}

/* Where a CPU that comes up begins to call functions, before it has its IDT. */
static const char * const first_called[] = {
	"cr4_init", "cpu_init_exception_handling",
#ifdef CONFIG_X86_32
	"__flush_tlb_all",
#endif
};

/*
 * Called there on other CPUs and hosts than any here, or when the kernel is broken. So is what
 * has a name that begins like that.
 */
static const char * const called_elsewhere[] = {
	"cpu_init_fred_", "setup_ghcb", "__stack_chk_fail", "__warn_printk", "kasan_report",
	"__asan_report_", "__ubsan_handle_", "kcsan_report_", "check_preemption_disabled",
	/* Where interrupts were on, or preemption enabled, as not yet. */
	"trace_hardirqs_off", "trace_hardirqs_on", "preempt_schedule", "in_lock_functions",
	/* Not before the CPU is online; what asks is inline, or has a function of its own. */
	"__traceiter_write_msr", "trace_write_msr",
	/* Where the GDT is mapped read-only, as not yet. */
	"load_direct_gdt", "load_fixmap_gdt",
};

/**
 * struct reached - functions that others call or jump to
 * @start: the first byte of each
 * @nr:    how many
 */
struct reached {
	unsigned long start[128];
	unsigned int nr;
};

/* The function that a branch leads to, or whose calls are counted in front of it. */
static unsigned long function_at(unsigned long addr)
{
	unsigned long size, offset;
	char name[KSYM_NAME_LEN];

	if (!kallsyms_lookup(addr, &size, &offset, NULL, name))
		return 0;
	return addr - offset + (strstarts(name, "__pfx_") ? size : 0);
}

static void reach(struct reached *r, unsigned long addr)
{
	unsigned long start = function_at(addr);
	unsigned int i;

	if (!start || r->nr == ARRAY_SIZE(r->start))
		return;
	for (i = 0; i < r->nr; i++)
		if (r->start[i] == start)
			return;
	r->start[r->nr++] = start;
}

static bool is_near_branch(const struct insn *insn)
{
	const u8 *opcode = insn->opcode.bytes;

	return opcode[0] == CALL_INSN_OPCODE || opcode[0] == JMP32_INSN_OPCODE ||
	       (opcode[0] == 0x0f && (opcode[1] & 0xf0) == 0x80);
}

/* The text is that of now: alternatives and calls by pv_ops are patched. */
static void reach_callees(struct reached *r, unsigned long start)
{
	unsigned long addr = start, end = kprobes_symbol_end(start);
	struct insn insn;

	for (; addr < end && !insn_decode_kernel(&insn, (void *)addr); addr += insn.length)
		if (is_near_branch(&insn))
			reach(r, addr + insn.length + insn.immediate.value);
}

static bool is_called_elsewhere(unsigned long addr)
{
	char name[KSYM_NAME_LEN];
	unsigned int i;

	if (lookup_symbol_name(addr, name))
		return false;
	for (i = 0; i < ARRAY_SIZE(called_elsewhere); i++)
		if (strstarts(name, called_elsewhere[i]))
			return true;
	return false;
}

/*
 * The part of the text with thunks and entry code calls much besides. What profiles branches calls
 * more only while the branch tracer is on.
 */
static bool is_followed(unsigned long addr)
{
	return addr < (unsigned long)__softirqentry_text_end &&
	       addr != kallsyms_lookup_name("ftrace_likely_update");
}

/* What is inline in the source may be a function of its own, which no list here names. */
static void x86_blacklist_reached_without_idt(struct kunit *test)
{
	struct reached *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, r);
	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "no CPU comes up later");
	for (i = 0; i < ARRAY_SIZE(first_called); i++)
		reach(r, kallsyms_lookup_name(first_called[i]));
	KUNIT_EXPECT_EQ(test, r->nr, ARRAY_SIZE(first_called));
	for (i = 0; i < r->nr; i++) {
		bool refused = within_kprobe_blacklist(r->start[i]);

		if (is_called_elsewhere(r->start[i]))
			continue;
		KUNIT_EXPECT_TRUE_MSG(test, refused, "%pS", (void *)r->start[i]);
		if (refused && is_followed(r->start[i]))
			reach_callees(r, r->start[i]);
	}
	KUNIT_EXPECT_GT(test, r->nr, ARRAY_SIZE(first_called));
	KUNIT_EXPECT_LT(test, r->nr, ARRAY_SIZE(r->start));
}

/* Others call these, and are watched for it. A CPU comes up with probes there. */
static const char * const watched[] = {
	"native_write_cr0",
#ifdef CONFIG_X86_64
	"native_write_cr4", "__flush_tlb_all", "lookup_address",
#endif
};

static void x86_comes_up_with_probes(struct kunit *test)
{
	struct kprobes_place place = {};
	unsigned int i, cpu = kprobes_cpu_to_stop(test);

	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		place.symbol = watched[i];
		kprobes_counting(test, &place);
	}
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, 0, remove_cpu(cpu));
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
}

#ifdef CONFIG_DYNAMIC_FTRACE
/* Nor may a tracer be called there: text that it executes can be probed. */
static void x86_blacklist_untraced(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(without_idt); i++) {
		unsigned long start = kallsyms_lookup_name(without_idt[i].first);
		unsigned long end = kprobes_symbol_end(start);

		if (start)
			KUNIT_EXPECT_EQ_MSG(test, 0,
					    ftrace_location_range(start, end - 1),
					    "%s is traced", without_idt[i].first);
	}
}
#endif

#ifdef ARCH_KPROBE_OWN_DETOURS
/* Templates of detours are not text. */
static void x86_blacklist_templates(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, kernel_text_address((unsigned long)kprobe_detour_save_template));
	KUNIT_EXPECT_FALSE(test,
			   kernel_text_address((unsigned long)kprobe_detour_restore_template));
}
#endif

/* From where kprobes is entered, or would be entered again and again. */
static const struct stretch assembly[] = {
	{ "kprobe_post_trampoline", NULL, true },
	{ "kretprobe_trampoline", NULL, IS_ENABLED(CONFIG_KRETPROBES) },
	{ "kprobe_detour_saved", NULL, IS64 },
	{ "kprobe_detour_saved_post", NULL, IS64 },
	{ "kprobe_detour_stale", NULL, IS64 },
	{ "kprobe_detour_post_stale", NULL, IS64 },
	{ "kprobe_detour_slow", NULL, IS64 },
	{ "kprobe_detour_divert", NULL, IS64 },
	{ "kprobe_detour_common", NULL, !IS64 },
	{ "kgdb_ll_trap" },
	{ "xen_entry_SYSCALL_64" },
	{ "xenpv_restore_regs_and_return_to_usermode" },
};

static void x86_blacklist_assembly(struct kunit *test)
{
	expect_all_refused(test, assembly, ARRAY_SIZE(assembly));
}

/* Thunks of indirect branches and returns. */
static const struct stretch thunks[] = {
	{ "__x86_indirect_thunk_array" }, { "__x86_indirect_its_thunk_array" },
	{ "__x86_return_thunk" }, { "srso_alias_untrain_ret" },
	{ "srso_alias_return_thunk" }, { "retbleed_return_thunk" },
	{ "call_depth_return_thunk" }, { "its_return_thunk" },
};

static void x86_blacklist_thunks(struct kunit *test)
{
	/* The symbols exist, but returns do not use them. */
	if (!IS_ENABLED(CONFIG_MITIGATION_RETHUNK))
		kunit_skip(test, "returns use no thunks");
	expect_all_refused(test, thunks, ARRAY_SIZE(thunks));
}

static struct kunit_case x86_blacklist_cases[] = {
	KUNIT_CASE(x86_blacklist_copied),
#ifdef CONFIG_HIBERNATION
	KUNIT_CASE(x86_blacklist_hibernation),
#endif
	KUNIT_CASE(x86_blacklist_ftrace_load),
	KUNIT_CASE(x86_blacklist_without_idt),
	KUNIT_CASE(x86_blacklist_reached_without_idt),
	KUNIT_CASE(x86_comes_up_with_probes),
#ifdef CONFIG_DYNAMIC_FTRACE
	KUNIT_CASE(x86_blacklist_untraced),
#endif
#ifdef ARCH_KPROBE_OWN_DETOURS
	KUNIT_CASE(x86_blacklist_templates),
#endif
	KUNIT_CASE(x86_blacklist_assembly),
	KUNIT_CASE(x86_blacklist_thunks),
	{}
};

static struct kunit_suite x86_blacklist_suite = {
	.name = "kprobes_x86_blacklist",
	.test_cases = x86_blacklist_cases,
};

kunit_test_suite(x86_blacklist_suite);

MODULE_DESCRIPTION("KUnit tests of what of x86 is on the blacklist of kprobes");
MODULE_LICENSE("GPL");
