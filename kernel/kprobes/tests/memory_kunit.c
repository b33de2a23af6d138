// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of running out of memory, at each allocation: registering fails with -ENOMEM and
 * leaves nothing behind, or succeeds without that memory. Unregistering does not fail.
 *
 * A probe on should_failslab(), which is for fault injection, makes allocations of slabs fail,
 * and one on __vmalloc_node() those of vmalloc.
 */
#include <kunit/test.h>
#include <linux/error-injection.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sizes.h>

#include "../place.h"
#include "../point.h"
#include "console.h"
#include "targets.h"

/* More than any call here allocates. */
#define MANY_ALLOCATIONS	10000

/**
 * struct shortage - what the probe that makes allocations fail does
 * @kp:     the probe
 * @result: what the probed function returns when an allocation fails
 * @task:   the task whose allocations fail, or NULL
 * @passed: how many of them have not failed
 * @nth:    which of them fails, counted from 1; 0 for all
 * @failed: how many have
 */
struct shortage {
	struct kprobe kp;
	long result;
	struct task_struct *task;
	unsigned int passed;
	unsigned int nth;
	unsigned int failed;
};

static struct shortage shortage;

static int refuse_memory(struct kprobe *p, struct pt_regs *regs)
{
	if (READ_ONCE(shortage.task) != current || in_interrupt())
		return 0;
	if (shortage.nth && ++shortage.passed != shortage.nth)
		return 0;
	shortage.failed++;
	regs_set_return_value(regs, shortage.result);
	override_function_with_return(regs);
	return 1;
}

/* As should_failslab() does, whose second argument these flags are. */
static int refuse_slab(struct kprobe *p, struct pt_regs *regs)
{
	if ((__force gfp_t)regs_get_kernel_argument(regs, 1) & __GFP_NOFAIL)
		return 0;
	return refuse_memory(p, regs);
}

static void end_shortages(void *unused)
{
	unregister_kprobe(&shortage.kp);
}

static void prepare_shortages(struct kunit *test, const char *symbol,
			      kprobe_pre_handler_t refuse, long result)
{
	if (!IS_ENABLED(CONFIG_FUNCTION_ERROR_INJECTION))
		kunit_skip(test, "needs CONFIG_FUNCTION_ERROR_INJECTION");
	memset(&shortage, 0, sizeof(shortage));
	shortage.kp.symbol_name = symbol;
	shortage.kp.pre_handler = refuse;
	shortage.result = result;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&shortage.kp));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_shortages, NULL));
	/* No work item must change what the tests look at. */
	wait_for_kprobe_optimizer();
}

static void prepare_slab_shortages(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_FAILSLAB))
		kunit_skip(test, "needs CONFIG_FAILSLAB");
	prepare_shortages(test, "should_failslab", refuse_slab, -ENOMEM);
}

/* From here on the caller's @nth allocation fails, or all of them do. */
static void begin_shortage(unsigned int nth)
{
	shortage.passed = 0;
	shortage.failed = 0;
	shortage.nth = nth;
	WRITE_ONCE(shortage.task, current);
}

/* Returns how many have failed. */
static unsigned int end_shortage(void)
{
	WRITE_ONCE(shortage.task, NULL);
	return shortage.failed;
}

/* Registering */

/**
 * struct attempt - a way to register something
 * @name:  name of the test case
 * @begin: registers; returns the errno
 * @end:   unregisters
 * @check: expects that it is registered, or not
 */
struct attempt {
	const char *name;
	int (*begin)(struct kunit *test);
	void (*end)(struct kunit *test);
	void (*check)(struct kunit *test, bool there);
};

#define BATCH	16

static struct kprobes_counter *counters[BATCH];
static struct kprobe *probes[BATCH];
static struct kprobes_returns *returns[BATCH];
static struct kretprobe *return_probes[BATCH];

static void new_probes(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		counters[i] = kprobes_counter(test, kprobes_place(i % kprobes_places()));
		probes[i] = &counters[i]->kp;
		returns[i] = kprobes_returns(test, "kprobes_target_c");
		return_probes[i] = &returns[i]->rp;
	}
}

static int begin_probe(struct kunit *test)
{
	return register_kprobe(probes[0]);
}

static int begin_probes(struct kunit *test)
{
	return register_kprobes(probes, BATCH);
}

static int begin_return(struct kunit *test)
{
	return register_kretprobe(return_probes[0]);
}

static int begin_returns(struct kunit *test)
{
	return register_kretprobes(return_probes, BATCH);
}

static void clear_addrs(void)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++) {
		probes[i]->addr = NULL;
		return_probes[i]->kp.addr = NULL;
		return_probes[i]->maxactive = 0;
	}
}

static void end_probes(struct kunit *test)
{
	unregister_kprobes(probes, BATCH);
	clear_addrs();
}

static void end_returns(struct kunit *test)
{
	unregister_kretprobes(return_probes, BATCH);
	clear_addrs();
}

static void check_probe(struct kunit *test, struct kprobes_counter *c, bool there)
{
	atomic_set(&c->pre, 0);
	atomic_set(&c->post, 0);
	kprobes_targets_run(1);
	kprobes_expect_counts(test, c, there, there);
	if (!there)
		kprobes_expect_off(test, &c->kp);
}

static void check_one(struct kunit *test, bool there)
{
	check_probe(test, counters[0], there);
}

static void check_all(struct kunit *test, bool there)
{
	unsigned int i;

	for (i = 0; i < BATCH; i++)
		check_probe(test, counters[i], there);
}

static void check_return(struct kunit *test, bool there)
{
	struct kprobes_returns *r = returns[0];

	atomic_set(&r->entries, 0);
	atomic_set(&r->returns, 0);
	kprobes_targets_run(1);
	kprobes_expect_returns(test, r, there, there);
	if (!there)
		kprobes_expect_off(test, &r->rp.kp);
	if (!there)
		KUNIT_EXPECT_NULL(test, r->rp.pool);
}

static const struct attempt attempts[] = {
	{ "probe", begin_probe, end_probes, check_one },
	{ "probes", begin_probes, end_probes, check_all },
	{ "return probe", begin_return, end_returns, check_return },
	{ "return probes", begin_returns, end_returns, check_return },
};

KUNIT_ARRAY_PARAM_DESC(attempt, attempts, name);

/* The number of points, armed or not. */
static unsigned int count_points(void)
{
	unsigned long addr = 0;
	unsigned int n = 0;

	guard(mutex)(&kprobe_mutex);
	while (kprobe_point_next(&addr, ULONG_MAX))
		n++;
	return n;
}

/* The same after points that need not stay were freed. */
static unsigned int count_points_left(void)
{
	wait_for_kprobe_optimizer();
	return count_points();
}

/* The nth allocation fails. Returns whether there was one. */
static bool fails_nth(struct kunit *test, unsigned int nth, unsigned int *refused)
{
	const struct attempt *attempt = test->param_value;
	unsigned int points = count_points_left();
	unsigned int failed;
	int ret;

	begin_shortage(nth);
	ret = attempt->begin(test);
	failed = end_shortage();
	if (ret) {
		KUNIT_EXPECT_EQ_MSG(test, ret, -ENOMEM, "allocation %u", nth);
		KUNIT_EXPECT_EQ(test, failed, 1);
		++*refused;
	}
	attempt->check(test, !ret);
	attempt->end(test);
	attempt->check(test, false);
	KUNIT_EXPECT_EQ_MSG(test, count_points_left(), points, "allocation %u", nth);
	return failed;
}

static void register_without_memory(struct kunit *test)
{
	unsigned int nth = 1, refused = 0;

	prepare_slab_shortages(test);
	new_probes(test);
	while (nth < MANY_ALLOCATIONS && fails_nth(test, nth, &refused))
		nth++;
	kunit_info(test, "%u allocations, %u that it cannot do without\n", nth - 1, refused);
	KUNIT_EXPECT_GT(test, refused, 0);
	KUNIT_EXPECT_LT(test, nth, MANY_ALLOCATIONS);
}

/* Unregistering */

/* Enough for a tree of them to have several levels. */
#define CROWD	400

/* Sets the probes on the instructions of a large function. */
static unsigned int find_places(struct kprobe **kps, unsigned int max)
{
	unsigned long addr = kallsyms_lookup_name("vsnprintf");
	unsigned int n = 0, tries;

	for (tries = 0; addr && n < max && tries < 100000; tries++, addr += KPROBE_INSN_ALIGN) {
		kps[n]->addr = (kprobe_opcode_t *)addr;
		kps[n]->flags = KPROBE_FLAG_DISABLED;
		if (!register_kprobe(kps[n]))
			n++;
	}
	return n;
}

static int do_nothing(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* Those whose number leaves @rest when divided by 3. */
static void unregister_third(struct kprobe **kps, unsigned int n, unsigned int rest)
{
	unsigned int i;

	for (i = rest; i < n; i += 3)
		unregister_kprobe(kps[i]);
}

static void unregister_without_memory(struct kunit *test)
{
	struct kprobe *kp, **kps;
	unsigned int i, n, points, more;

	prepare_slab_shortages(test);
	kp = kunit_kcalloc(test, CROWD, sizeof(*kp), GFP_KERNEL);
	kps = kunit_kcalloc(test, CROWD, sizeof(*kps), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, kp && kps);
	for (i = 0; i < CROWD; i++) {
		kp[i].pre_handler = do_nothing;
		kps[i] = &kp[i];
	}
	points = count_points_left();
	n = find_places(kps, CROWD);
	KUNIT_EXPECT_EQ(test, n, CROWD);
	/* Both ends of a landing pad are the same point. */
	more = count_points();
	KUNIT_EXPECT_GT(test, more, points + n / 2);
	begin_shortage(0);
	unregister_third(kps, n, 0);
	unregister_third(kps, n, 1);
	unregister_kprobes(kps, n);
	kunit_info(test, "%u allocations failed\n", end_shortage());
	KUNIT_EXPECT_EQ(test, count_points(), points);
	for (i = 0; i < n; i++)
		kprobes_expect_off(test, kps[i]);
	/* All can be registered again. */
	KUNIT_EXPECT_EQ(test, find_places(kps, CROWD), CROWD);
	KUNIT_EXPECT_EQ(test, count_points(), more);
	unregister_kprobes(kps, CROWD);
}

/* Return probes */

/* They take more than the page allocator's largest order. */
#define MANY_INSTANCES	SZ_2M

/* vmalloc fails, as for more than the machine has. The page allocator need not warn. */
static void pool_without_memory(struct kunit *test)
{
	struct kprobes_returns *r = kprobes_returns(test, "kprobes_target_c");

	prepare_shortages(test, "__vmalloc_node_range_noprof", refuse_memory, 0);
	kprobes_watch_console(test, "page_alloc.c");
	r->rp.maxactive = MANY_INSTANCES;
	begin_shortage(0);
	KUNIT_EXPECT_EQ(test, -ENOMEM, register_kretprobe(&r->rp));
	KUNIT_EXPECT_GT(test, end_shortage(), 0);
	KUNIT_EXPECT_STREQ(test, "", kprobes_console_line());
}

#ifdef CONFIG_MODULES
/* A module that forbids a function by its name, or in one of two sections. */
static void forbid(struct module *mod, unsigned long *entry, unsigned int how)
{
	mod->mem[MOD_TEXT].base = (void *)*entry;
	mod->mem[MOD_TEXT].size = 64;
	mod->kprobe_blacklist = how == 0 ? entry : NULL;
	mod->num_kprobe_blacklist = how == 0;
	mod->kprobes_text_start = how == 1 ? (void *)*entry : NULL;
	mod->kprobes_text_size = 8;
	mod->noinstr_text_start = how == 2 ? (void *)*entry : NULL;
	mod->noinstr_text_size = 8;
}

/* The tree of the blacklist tries again for ever if it has got one of several nodes: all fail. */
static void blacklist_without_memory(struct kunit *test)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	unsigned long entry = (unsigned long)find_places;
	unsigned int how;

	KUNIT_ASSERT_NOT_NULL(test, mod);
	prepare_slab_shortages(test);
	for (how = 0; how < 3; how++) {
		guard(mutex)(&kprobe_mutex);
		forbid(mod, &entry, how);
		begin_shortage(0);
		KUNIT_EXPECT_EQ(test, -ENOMEM, kprobe_blacklist_add_module(mod));
		KUNIT_EXPECT_GT(test, end_shortage(), 0);
		KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(entry));
		KUNIT_EXPECT_EQ(test, 0, kprobe_blacklist_add_module(mod));
		KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(entry));
		begin_shortage(0);
		kprobe_blacklist_remove_module(mod);
		end_shortage();
		KUNIT_EXPECT_FALSE(test, within_kprobe_blacklist(entry));
	}
}

/* A probe in a module needs an index of the module's tables. */
static void index_without_memory(struct kunit *test)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mod);
	prepare_slab_shortages(test);
	guard(mutex)(&kprobe_mutex);
	begin_shortage(0);
	KUNIT_EXPECT_EQ(test, -ENOMEM, kprobe_make_index(mod));
	KUNIT_EXPECT_EQ(test, 1, end_shortage());
	KUNIT_EXPECT_EQ(test, 0, kprobe_make_index(mod));
	kprobe_drop_index(mod);
}
#endif

static struct kunit_case memory_cases[] = {
	KUNIT_CASE_PARAM(register_without_memory, attempt_gen_params),
	KUNIT_CASE(unregister_without_memory),
	KUNIT_CASE(pool_without_memory),
#ifdef CONFIG_MODULES
	KUNIT_CASE(blacklist_without_memory),
	KUNIT_CASE(index_without_memory),
#endif
	{}
};

static struct kunit_suite memory_suite = {
	.name = "kprobes_memory",
	.test_cases = memory_cases,
};

kunit_test_suite(memory_suite);
