// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of breakpoints of a debugger: they cannot be probed, and text is decoded with the
 * original instructions in their place.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kgdb.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/sched.h>
#include <linux/stop_machine.h>
#include <linux/string.h>

#ifdef CONFIG_KGDB
#include "../../../../debug/debug_core.h"
#endif
#include "../../../mechanism.h"
#include "../../../place.h"
#include "../../targets.h"

/* A function that is decoded differently if a breakpoint is taken for an instruction. */
#define FUNCTION	"kprobes_region_jmp"
#define SECOND_INSN	3

#ifdef CONFIG_KGDB
static int read_nothing(void)
{
	return -1;
}

static void write_nowhere(u8 byte)
{
}

static struct kgdb_io no_debugger = {
	.name = "kprobes_kunit",
	.read_char = read_nothing,
	.write_char = write_nowhere,
};

/* Both with all CPUs stopped, as if the debugger had been entered. */
static int set_breakpoint(void *addr)
{
	return dbg_set_sw_break((unsigned long)addr) ?: dbg_activate_sw_breakpoints();
}

static int remove_breakpoint(void *addr)
{
	return dbg_deactivate_sw_breakpoints() ?:
	       dbg_remove_sw_break((unsigned long)addr);
}

/* Tries again while text is being patched, which makes kgdb fail. */
static int change_breakpoint(int (*change)(void *addr), unsigned long addr)
{
	int ret;

	while ((ret = stop_machine(change, (void *)addr, NULL)) == -EBUSY)
		schedule_timeout_uninterruptible(1);
	return ret;
}

/* Sets a breakpoint that is not activated, and removes it. */
static int try_breakpoint(void *addr)
{
	return dbg_set_sw_break((unsigned long)addr) ?:
	       dbg_remove_sw_break((unsigned long)addr);
}

static void leave_debugger(void *addr)
{
	change_breakpoint(remove_breakpoint, (unsigned long)addr);
	kgdb_unregister_io_module(&no_debugger);
}

/* Sets a breakpoint, which stays until the end of the test and must not be executed. */
static unsigned long broken_into(struct kunit *test)
{
	unsigned long addr = kallsyms_lookup_name(FUNCTION);

	KUNIT_ASSERT_NE(test, addr, 0);
	if (dbg_io_ops)
		kunit_skip(test, "a debugger is connected");
	KUNIT_ASSERT_EQ(test, 0, kgdb_register_io_module(&no_debugger));
	change_breakpoint(set_breakpoint, addr);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, leave_debugger,
							   (void *)addr));
	KUNIT_ASSERT_EQ(test, *(u8 *)addr, 0xcc);
	return addr;
}

/* Does the debugger refuse breakpoints in the first bytes of a function, and only there? */
static void expect_refused(struct kunit *test, unsigned long addr, size_t bytes)
{
	size_t at;

	for (at = 0; at <= KPROBE_JUMP_SIZE; at++)
		KUNIT_EXPECT_EQ_MSG(test, at < bytes ? -EINVAL : 0,
				    change_breakpoint(try_breakpoint, addr + at),
				    "%zu", at);
}

/* A probe may become a jump at any time, also one that is disabled. */
static void probes_are_left_alone(struct kunit *test)
{
	static const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned long addr = kprobes_place_addr(&place);

	expect_refused(test, addr, 0);
	c->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	expect_refused(test, addr, KPROBE_JUMP_SIZE);
	KUNIT_ASSERT_EQ(test, 0, enable_kprobe(&c->kp));
	wait_for_kprobe_optimizer();
	expect_refused(test, addr, KPROBE_JUMP_SIZE);
	unregister_kprobe(&c->kp);
	kprobe_disarm_pending();
	expect_refused(test, addr, 0);
}
#else
static unsigned long broken_into(struct kunit *test)
{
	kunit_skip(test, "no debugger");
	return 0;
}

static void probes_are_left_alone(struct kunit *test)
{
	kunit_skip(test, "no debugger");
}
#endif /* CONFIG_KGDB */

static void reads_through(struct kunit *test)
{
	u8 before[MAX_INSN_SIZE], bytes[MAX_INSN_SIZE];
	unsigned long addr = kallsyms_lookup_name(FUNCTION);

	KUNIT_ASSERT_NE(test, addr, 0);
	memcpy(before, (void *)addr, sizeof(before));
	KUNIT_ASSERT_EQ(test, addr, broken_into(test));
	scoped_guard(mutex, &kprobe_mutex)
		scoped_guard(mutex, &text_mutex)
			kprobe_read_insn(addr, bytes, sizeof(bytes));
	KUNIT_EXPECT_MEMEQ(test, bytes, before, sizeof(bytes));
}

static void rest_is_decoded(struct kunit *test)
{
	unsigned long addr = broken_into(test);

	KUNIT_EXPECT_EQ(test, 0, kprobes_try(addr + SECOND_INSN));
	KUNIT_EXPECT_EQ(test, -EILSEQ, kprobes_try(addr + 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, kprobes_try(addr));
}

static void site_is_reserved(struct kunit *test)
{
	unsigned long addr = broken_into(test);
	struct kprobe_lookup lookup;

	kprobe_lookup_init(&lookup);
	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_DEBUGGER,
			kprobe_check_address(&lookup, addr, false));
	KUNIT_EXPECT_EQ(test, kprobe_text_reserved(&lookup, addr, addr + 1),
			KPROBE_REASON_DEBUGGER);
	KUNIT_EXPECT_EQ(test, kprobe_text_reserved(&lookup, addr - 1, addr + 1),
			KPROBE_REASON_DEBUGGER);
	KUNIT_EXPECT_EQ(test, kprobe_text_reserved(&lookup, addr + 1, addr + 2),
			KPROBE_REASON_NONE);
}

static void no_jump_across(struct kunit *test)
{
	unsigned long addr = broken_into(test);
	struct kprobe_lookup lookup;
	struct kprobe_region region;

	kprobe_lookup_init(&lookup);
	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, kprobe_check_text(addr));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_DEBUGGER,
			kprobe_examine(arch_kprobe_isa, &region, &lookup, addr, addr + 1));
}

static struct kunit_case kgdb_cases[] = {
	KUNIT_CASE(reads_through),
	KUNIT_CASE(rest_is_decoded),
	KUNIT_CASE(site_is_reserved),
	KUNIT_CASE(no_jump_across),
	KUNIT_CASE(probes_are_left_alone),
	{}
};

static struct kunit_suite kgdb_suite = {
	.name = "kprobes_kgdb",
	.test_cases = kgdb_cases,
};

kunit_test_suite(kgdb_suite);
