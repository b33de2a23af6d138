// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of text that goes away: the kernel's own init memory, which is not freed yet
 * when these run. Modules cannot be loaded so early; probes in them are tested by
 * tools/testing/selftests/kprobes/module_life.sh.
 */
#include <kunit/test.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <asm/sections.h>

#include "../mechanism.h"
#include "../place.h"
#include "../point.h"
#include "../slot.h"
#include "targets.h"

static int module_calls;

/*
 * The first function is probed by a breakpoint, the second one through ftrace if that is
 * compiled in: the instruction after its nop is probed as well.
 */
static noinline __noclone notrace int __init init_function(int x)
{
	barrier();
	module_calls++;
	barrier();
	return x + 1;
}

static noinline __noclone int __init traced_init_function(int x)
{
	barrier();
	module_calls++;
	barrier();
	return x + 2;
}

static noinline __noclone notrace int staying_function(int x)
{
	barrier();
	module_calls++;
	barrier();
	return x + 3;
}

/* All but the last are on init text. */
#define INIT_PROBES	(PROBES - 1)
#define PROBES		(4 + IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))

/**
 * struct init_test - probes on init text and on other text
 * @probe: two on init_function(), the second disabled, one each on
 *         traced_init_function(), its next instruction, and staying_function()
 * @batch: pointers to them
 * @hits:  of each of them
 */
struct init_test {
	struct kprobe probe[PROBES];
	struct kprobe *batch[PROBES];
	unsigned int hits[PROBES];
};

static struct init_test *init_test;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	init_test->hits[p - init_test->probe]++;
	return 0;
}

static void unregister_init_probes(void *data)
{
	struct init_test *t = data;

	unregister_kprobes(t->batch, PROBES);
}

static void __init probe_init_functions(struct kunit *test)
{
	struct init_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	unsigned long entry;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	init_test = t;
	for (i = 0; i < PROBES; i++) {
		t->batch[i] = &t->probe[i];
		t->probe[i].pre_handler = count_hit;
	}
	t->probe[0].addr = (kprobe_opcode_t *)init_function;
	t->probe[1].addr = (kprobe_opcode_t *)init_function;
	t->probe[1].flags = KPROBE_FLAG_DISABLED;
	t->probe[2].addr = (kprobe_opcode_t *)traced_init_function;
	t->probe[INIT_PROBES].addr = (kprobe_opcode_t *)staying_function;
	kprobes_by_ftrace(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&t->probe[2]));
	/* Registering has set the address that is probed. */
	entry = (unsigned long)t->probe[2].addr;
	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		t->probe[3].addr = (void *)kprobe_after_nop(entry);
	unregister_kprobe(&t->probe[2]);
	t->probe[2].addr = (kprobe_opcode_t *)traced_init_function;
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(t->batch, PROBES));
	KUNIT_EXPECT_EQ(test, !!(t->probe[2].flags & KPROBE_FLAG_FTRACE),
			IS_ENABLED(CONFIG_KPROBES_ON_FTRACE));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister_init_probes, t));
}

static void expect_hits(struct kunit *test, unsigned int i, unsigned int hits)
{
	KUNIT_EXPECT_EQ_MSG(test, hits, init_test->hits[i], "probe %u", i);
}

static void expect_init_probe_gone(struct kunit *test, struct kprobe *p)
{
	struct kprobe *found;

	scoped_guard(preempt)
		found = get_kprobe(p->addr);
	KUNIT_EXPECT_NULL(test, found);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(p));
	KUNIT_EXPECT_FALSE(test, kprobe_ftrace(p));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(p));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(p));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(p));
}

static unsigned int count_gone_points(void)
{
	struct kprobe_point *point = NULL;
	unsigned int n = 0;

	guard(mutex)(&kprobe_mutex);
	while ((point = kprobe_point_next_gone(point ? point->addr : 0,
					       point ? point->order + 1 : 0)))
		n++;
	return n;
}

/* Kills the points. The functions must not be called again: they are about to be freed. */
static void __init module_init_memory(struct kunit *test)
{
	const unsigned int init_points = INIT_PROBES - 1; /* the first two share one */
	unsigned int i, gone = count_gone_points();
	u32 generation[INIT_PROBES];

	probe_init_functions(test);
	KUNIT_EXPECT_EQ(test, 42, init_function(41));
	KUNIT_EXPECT_EQ(test, 42, traced_init_function(40));
	KUNIT_EXPECT_EQ(test, 42, staying_function(39));
	expect_hits(test, 0, 1);
	expect_hits(test, 1, 0);
	for (i = 2; i < PROBES; i++)
		expect_hits(test, i, 1);

	for (i = 0; i < INIT_PROBES; i++)
		generation[i] = init_test->probe[i].point->generation;
	kprobe_free_init_mem();
	for (i = 0; i < INIT_PROBES; i++) {
		expect_init_probe_gone(test, &init_test->probe[i]);
		/* A task that was preempted at the begin of a detour must not call handlers. */
		KUNIT_EXPECT_NE(test, init_test->probe[i].point->generation, generation[i]);
	}
	KUNIT_EXPECT_EQ(test, gone + init_points, count_gone_points());
	KUNIT_EXPECT_FALSE(test, kprobe_gone(&init_test->probe[INIT_PROBES]));
	KUNIT_EXPECT_EQ(test, 42, staying_function(39));
	expect_hits(test, INIT_PROBES, 2);

	/* debugfs "enabled" must not touch them any more. */
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(false));
	KUNIT_EXPECT_EQ(test, 0, kprobe_arm_all(true));
	KUNIT_EXPECT_EQ(test, 42, staying_function(39));
	expect_hits(test, INIT_PROBES, 3);
	for (i = 0; i < INIT_PROBES; i++)
		expect_init_probe_gone(test, &init_test->probe[i]);

	kunit_release_action(test, unregister_init_probes, init_test);
	KUNIT_EXPECT_EQ(test, gone, count_gone_points());
	KUNIT_EXPECT_EQ(test, 42, staying_function(39));
	expect_hits(test, INIT_PROBES, 3);
}

static struct kunit_case __refdata init_cases[] = {
	KUNIT_CASE(module_init_memory),
	{}
};

static struct kunit_suite init_suite = {
	.name = "kprobes_init_memory",
	.test_cases = init_cases,
};

kunit_test_init_section_suites(&init_suite);

/* Addresses that are not in text */

static enum kprobe_reason check_text(const void *addr)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_check_text((unsigned long)addr);
}

static void module_text_of_others(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NO_TEXT, check_text(NULL));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NO_TEXT, check_text(test));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NONE, check_text(module_text_of_others));
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NO_TEXT, check_text(&module_calls));
}

static enum kprobe_reason emit_nothing(void *arg, struct kprobe_code *code)
{
	return KPROBE_REASON_NONE;
}

/* Slots are in the address range of modules, and executable. */
static void module_text_is_no_slot(struct kunit *test)
{
	struct kprobe_point owner = {};
	struct kprobe p = {};
	void *slot;

	mutex_lock(&kprobe_mutex);
	kprobe_slot_make(&slot, (unsigned long)&owner | KPROBE_OWNER_IS_POINT, emit_nothing, NULL);
	mutex_unlock(&kprobe_mutex);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_NO_TEXT, check_text(slot));
	p.addr = slot;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p));
	mutex_lock(&kprobe_mutex);
	kprobe_slot_free(slot);
	mutex_unlock(&kprobe_mutex);
	/* RCU readers may still look up the owner. */
	synchronize_rcu();
}

static struct kunit_case module_cases[] = {
	KUNIT_CASE(module_text_of_others),
	KUNIT_CASE(module_text_is_no_slot),
	{}
};

static struct kunit_suite module_suite = {
	.name = "kprobes_module",
	.test_cases = module_cases,
};

kunit_test_suite(module_suite);

MODULE_DESCRIPTION("KUnit tests of probes on text that goes away");
MODULE_LICENSE("GPL");
