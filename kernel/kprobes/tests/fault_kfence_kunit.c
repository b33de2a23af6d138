// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of faults that KFENCE reports. It has the access executed again, which must not
 * be another hit. Its report names the probed function.
 */
#include <linux/jiffies.h>
#include <linux/kfence.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "console.h"
#include "optimized.h"

static void free_object(void *object)
{
	kfree(object);
}

/* An object of KFENCE. It takes some time until there is one. */
static void *kfence_object(struct kunit *test)
{
	unsigned long timeout = jiffies + 20 * HZ;
	void *object;

	do {
		object = kmalloc(PAGE_SIZE, GFP_KERNEL);
		if (is_kfence_address(object))
			return object;
		kfree(object);
		schedule_timeout_uninterruptible(1);
	} while (time_before(jiffies, timeout));
	kunit_skip(test, "KFENCE takes no object");
	return NULL;
}

/* The word in front of one. */
static const long *out_of_bounds(struct kunit *test)
{
	void *object = kfence_object(test);

	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_object, object));
	return (const long *)object - 1;
}

static void load_out_of_bounds(struct kunit *test, long (*load)(const long *p),
			       const char *name)
{
	const long *bad = out_of_bounds(test);

	kprobes_watch_console(test, "BUG: KFENCE: out-of-bounds");
	pr_info("expect-splat-begin: BUG: KFENCE\n");
	load(bad);
	pr_info("expect-splat-end\n");
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kprobes_console_line(), name), "%s",
				  kprobes_console_line());
}

static struct kprobes_counter *probe_on(struct kunit *test, const char *symbol,
					bool post)
{
	const struct kprobes_place place = { .symbol = symbol };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	if (!post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	return c;
}

static void without_a_probe(struct kunit *test)
{
	load_out_of_bounds(test, kprobes_target_load_bare,
			   "out-of-bounds read in kprobes_target_load_bare+0x0/");
}

static void in_probed_load(struct kunit *test, bool post)
{
	struct kprobes_counter *c = probe_on(test, "kprobes_target_load_bare", post);

	load_out_of_bounds(test, kprobes_target_load_bare,
			   "out-of-bounds read in kprobes_target_load_bare+0x0/");
	kprobes_expect_counts(test, c, 1, post);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void probed(struct kunit *test)
{
	in_probed_load(test, false);
}

static void probed_with_post_handler(struct kunit *test)
{
	in_probed_load(test, true);
}

/* The faulting instruction is not the probed one, but is displaced by a longer jump. */
static void displaced_late(struct kunit *test)
{
	struct kprobes_counter *c = probe_on(test, "kprobes_target_load_late", true);
	char name[64];

	snprintf(name, sizeof(name), "out-of-bounds read in kprobes_target_load_late+0x%x/",
		 KPROBES_LOAD_LATE);
	load_out_of_bounds(test, kprobes_target_load_late, name);
	kprobes_expect_counts(test, c, 1, 1);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static int load_in_handler(struct kprobe *p, struct pt_regs *regs)
{
	kprobes_target_load_bare(kprobes_counter_of(p)->data);
	return 0;
}

/* The hit is missed, and counted once although the access is executed twice. */
static void missed(struct kunit *test)
{
	struct kprobes_counter *c = probe_on(test, "kprobes_target_load_bare", true);
	struct kprobes_counter *outer;

	outer = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	outer->in_pre = load_in_handler;
	outer->data = (void *)out_of_bounds(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&outer->kp));
	pr_info("expect-splat-begin: BUG: KFENCE\n");
	kprobes_expect_targets(test, 1);
	pr_info("expect-splat-end\n");
	unregister_kprobe(&outer->kp);
	kprobes_expect_counts(test, outer, 1, 1);
	kprobes_expect_counts(test, c, 0, 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 1);
}

#ifdef KPROBES_CALLS_MEM
/* A freed object keeps what is in it, for KFENCE reports and lets the access succeed. */
static const struct kprobes_branch *freed_branch(struct kunit *test)
{
	struct kprobes_branch *b = kfence_object(test);

	b->to = kprobes_target_returns_to;
	kfree(b);
	return b;
}

/* Emulating the call finds the page protected. The copy of the call faults, and goes on. */
static void indirect_call(struct kunit *test)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_target_call_mem",
		.offset = kprobes_call_mem_offset,
	};
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned long returns_to;

	if (want_init_on_free())
		kunit_skip(test, "freed objects are overwritten");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_watch_console(test, "BUG: KFENCE: use-after-free");
	pr_info("expect-splat-begin: BUG: KFENCE\n");
	returns_to = kprobes_target_call_mem(freed_branch(test));
	pr_info("expect-splat-end\n");
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(kprobes_console_line(),
					       "read in kprobes_target_call_mem+"),
				  "%s", kprobes_console_line());
	KUNIT_EXPECT_EQ(test, kprobe_displaced_ip(returns_to),
			(unsigned long)kprobes_target_call_mem + kprobes_called_mem_offset);
	/* The post-handler is missed. */
	kprobes_expect_counts(test, c, 1, 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 1);
}
#endif

static struct kunit_case fault_kfence_cases[] = {
	KUNIT_CASE(without_a_probe),
	KPROBES_CASE_WAYS(probed),
	KPROBES_CASE_WAYS(probed_with_post_handler),
	KPROBES_CASE_WAYS(displaced_late),
	KPROBES_CASE_WAYS(missed),
#ifdef KPROBES_CALLS_MEM
	KUNIT_CASE(indirect_call),
#endif
	{}
};

static struct kunit_suite fault_kfence_suite = {
	.name = "kprobes_fault_kfence",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = fault_kfence_cases,
};

kunit_test_suite(fault_kfence_suite);
