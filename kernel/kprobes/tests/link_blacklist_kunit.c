// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of arm64's and RISC-V's parts of the blacklist, and of return probes that these
 * refuse: with a link register, code is entered in more ways than by calls.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#ifdef CONFIG_ARM64
#include <asm/trans_pgd.h>
#include <asm/virt.h>
#endif

#include "targets.h"

/* Where a symbol ends: the next one begins there, which may be a label. */
static unsigned long end_of(unsigned long addr)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(addr, &size, &offset) ? addr - offset + size : addr;
}

/* The labels are symbols of their own. Which there are depends on the configuration. */
static void link_blacklist_ftrace(struct kunit *test)
{
	static const char * const symbols[] = {
		"ftrace_caller", "ftrace_call", "ftrace_graph_call",
		"ftrace_caller_direct_late", "ftrace_caller_direct",
	};
	unsigned int i;

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE))
		kunit_skip(test, "ftrace patches nothing");
	KUNIT_EXPECT_NE(test, 0, kallsyms_lookup_name(symbols[0]));
	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		unsigned long addr = kallsyms_lookup_name(symbols[i]);

		if (addr)
			kprobes_expect_blacklisted(test, addr, end_of(addr));
	}
}

#ifdef CONFIG_KRETPROBES
/* Entered or left in another way than functions: no return probes, but probes. */
static void link_blacklist_no_return_probes(struct kunit *test)
{
	static const char * const symbols[] = {
		"ftrace_stub_direct_tramp",
#ifdef CONFIG_RISCV
		"ret_from_fork",
#endif
	};
	unsigned int i, found = 0;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		unsigned long addr = kallsyms_lookup_name(symbols[i]);
		struct kretprobe rp = { .kp.symbol_name = symbols[i] };
		int ret;

		if (!addr)
			continue;
		found++;
		ret = register_kretprobe(&rp);
		if (!ret)
			unregister_kretprobe(&rp);
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, ret, "%s", symbols[i]);
		KUNIT_EXPECT_EQ_MSG(test, 0, kprobes_try(addr), "%s", symbols[i]);
	}
	if (!found)
		kunit_skip(test, "there are none in this configuration");
}
#endif

#ifdef CONFIG_ARM64
/* Without VHE, kexec and resume from hibernation copy vectors for the hypervisor's level. */
static void link_blacklist_copied_vectors(struct kunit *test)
{
#ifdef CONFIG_TRANS_TABLE
	unsigned long start = (unsigned long)trans_pgd_stub_vectors;

	kprobes_expect_blacklisted(test, start, start + ARM64_VECTOR_TABLE_LEN);
#else
	kunit_skip(test, "neither kexec nor hibernation");
#endif
}

/* Nor may a tracer be called there: text that it executes can be probed. */
static void link_blacklist_guest_untraced(struct kunit *test)
{
#if defined(CONFIG_KVM) && defined(CONFIG_DYNAMIC_FTRACE)
	static const char * const symbols[] = {
		"__kvm_vcpu_run", "__kvm_adjust_pc", "__debug_switch_to_guest",
		"__vgic_v3_save_state", "kvm_skip_instr32", "__get_timer_map",
		"kvm_auth_eretax", "kvm_get_running_vcpu", "kvm_vcpu_sanitise_vncr_reg",
		"vcpu_read_sys_reg", "vcpu_write_sys_reg",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(symbols); i++) {
		unsigned long start = kallsyms_lookup_name(symbols[i]);

		KUNIT_EXPECT_NE_MSG(test, 0, start, "there is no %s", symbols[i]);
		if (start)
			KUNIT_EXPECT_EQ_MSG(test, 0,
					    ftrace_location_range(start, end_of(start) - 1),
					    "%s is traced", symbols[i]);
	}
#else
	kunit_skip(test, "no guests, or nothing is traced");
#endif
}
#endif /* CONFIG_ARM64 */

static struct kunit_case link_blacklist_cases[] = {
	KUNIT_CASE(link_blacklist_ftrace),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(link_blacklist_no_return_probes),
#endif
#ifdef CONFIG_ARM64
	KUNIT_CASE(link_blacklist_copied_vectors),
	KUNIT_CASE(link_blacklist_guest_untraced),
#endif
	{}
};

static struct kunit_suite link_blacklist_suite = {
	.name = "kprobes_link_blacklist",
	.test_cases = link_blacklist_cases,
};

kunit_test_suite(link_blacklist_suite);

MODULE_DESCRIPTION("KUnit tests of what arm64 and RISC-V refuse to kprobes");
MODULE_LICENSE("GPL");
