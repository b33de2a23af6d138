// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of arm64's part of the blacklist: copies of vectors, and a hypervisor's functions.
 */
#include <kunit/test.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <asm/trans_pgd.h>
#include <asm/virt.h>

#include "../../targets.h"

/* Without VHE, kexec and resume from hibernation copy vectors for the hypervisor's level. */
static void copied_vectors(struct kunit *test)
{
#ifdef CONFIG_TRANS_TABLE
	unsigned long start = (unsigned long)trans_pgd_stub_vectors;

	kprobes_expect_blacklisted(test, start, start + ARM64_VECTOR_TABLE_LEN);
#else
	kunit_skip(test, "neither kexec nor hibernation");
#endif
}

/* Nor may a tracer be called there: text that it executes can be probed. */
static void guest_untraced(struct kunit *test)
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
		unsigned long end = kprobes_symbol_end(start);

		KUNIT_EXPECT_NE_MSG(test, 0, start, "there is no %s", symbols[i]);
		if (start)
			KUNIT_EXPECT_EQ_MSG(test, 0,
					    ftrace_location_range(start, end - 1),
					    "%s is traced", symbols[i]);
	}
#else
	kunit_skip(test, "no guests, or nothing is traced");
#endif
}

static struct kunit_case arm64_blacklist_cases[] = {
	KUNIT_CASE(copied_vectors),
	KUNIT_CASE(guest_untraced),
	{}
};

static struct kunit_suite arm64_blacklist_suite = {
	.name = "kprobes_arm64_blacklist",
	.test_cases = arm64_blacklist_cases,
};

kunit_test_suite(arm64_blacklist_suite);
