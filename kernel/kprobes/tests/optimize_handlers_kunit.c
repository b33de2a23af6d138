// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of what handlers may do when a detour calls them: all that they may do when a
 * trap does. Each test runs with a trap, a detour and a jump.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "../hit.h"
#include "optimized.h"

/* Makes a probe without a post-handler; the caller registers it. */
static struct kprobes_counter *probe_at(struct kunit *test, const char *symbol,
					unsigned int offset,
					kprobe_pre_handler_t pre)
{
	const struct kprobes_place place = { .symbol = symbol, .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->kp.post_handler = NULL;
	c->in_pre = pre;
	return c;
}

static void start(struct kunit *test, struct kprobes_counter *c)
{
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
}

static struct kprobes_counter *started_at(struct kunit *test, const char *symbol,
					  unsigned int offset,
					  kprobe_pre_handler_t pre)
{
	struct kprobes_counter *c = probe_at(test, symbol, offset, pre);

	start(test, c);
	return c;
}

/* Changes of the execution path */

static int go_to_callee(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)kprobes_opt_callee);
	return 1;
}

static void diverts(struct kunit *test)
{
	struct kprobes_counter *c;

	c = started_at(test, "kprobes_opt_plain", 0, go_to_callee);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 1001);
	kprobes_expect_counts(test, c, 1, 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

/* Older probes than the one that diverts miss the hit, and no post-handler runs. */
static void one_of_three_diverts(struct kunit *test)
{
	struct kprobes_counter *c[3];
	int i;

	for (i = 0; i < 3; i++) {
		c[i] = probe_at(test, "kprobes_opt_plain", 0,
				i == 1 ? go_to_callee : NULL);
		c[i]->kp.post_handler = i == 1 ? NULL : kprobes_count_post;
		start(test, c[i]);
	}
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 1001);
	kprobes_expect_counts(test, c[2], 1, 0);
	kprobes_expect_counts(test, c[1], 1, 0);
	kprobes_expect_counts(test, c[0], 0, 0);
	KUNIT_EXPECT_EQ(test, c[2]->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, c[1]->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, c[0]->kp.nmissed, 1);
	KUNIT_EXPECT_EQ(test, 1,
			kprobes_misses(&c[0]->kp, KPROBE_MISS_DIVERTED));
	unregister_kprobe(&c[1]->kp);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	kprobes_expect_counts(test, c[0], 1, 1);
}

static u32 generation_of(const struct kprobes_counter *c)
{
	guard(mutex)(&kprobe_mutex);
	return c->kp.point->generation;
}

/* Detours stay as they are when a disabled probe comes or goes. */
static void disabled_changes_nothing(struct kunit *test)
{
	struct kprobes_counter *c = started_at(test, "kprobes_opt_plain", 0, NULL);
	struct kprobes_counter *off = probe_at(test, "kprobes_opt_plain", 0, NULL);
	u32 generation = generation_of(c);

	off->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&off->kp));
	KUNIT_EXPECT_EQ(test, generation, generation_of(c));
	kprobes_expect_way(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	kprobes_expect_counts(test, c, 1, 0);
	kprobes_expect_counts(test, off, 0, 0);

	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&off->kp));
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	kprobes_expect_counts(test, off, 1, 0);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&off->kp));
	kprobes_expect_way(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	generation = generation_of(c);
	unregister_kprobe(&off->kp);
	KUNIT_EXPECT_EQ(test, generation, generation_of(c));
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	kprobes_expect_counts(test, c, 4, 0);
	kprobes_expect_counts(test, off, 1, 0);
}

/* Skips one, two or three instructions of kprobes_opt_plain(). */
static int skip(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)p->addr +
				*(int *)kprobes_counter_of(p)->data);
	TEST_RESULT(regs) = 100;
	return 1;
}

static void skips(struct kunit *test)
{
	struct kprobes_counter *c;
	int len = KPROBES_OPT_PLAIN_LEN;

	c = probe_at(test, "kprobes_opt_plain", 0, skip);
	c->data = &len;
	start(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 109);
	len = KPROBES_OPT_PLAIN_LEN2;
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 108);
	len = KPROBES_OPT_PLAIN_LEN3;
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 100);
	kprobes_expect_counts(test, c, 3, 0);
}

/* Continues after the nop of a function's entry; stops if that hits the probe again. */
static int skip_nop(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, kprobe_after_nop((unsigned long)p->addr));
	return atomic_read(&kprobes_counter_of(p)->pre) < 3;
}

static void skips_entry_nop(struct kunit *test)
{
	struct kprobes_counter *c;

	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "no nop");
	c = probe_at(test, "kprobes_target_c", 0, skip_nop);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_settle(kprobes_way_of(test));
	if (kprobes_way_from((unsigned long)c->kp.addr) != kprobes_way_of(test))
		kunit_skip(test, "not reached in this way");
	KUNIT_EXPECT_EQ(test, kprobes_target_c(5), 6);
	kprobes_expect_counts(test, c, 1, 0);
}

/* Registers and flags */

static int add_to_argument(struct kprobe *p, struct pt_regs *regs)
{
	TEST_ARG(regs) += 1000;
	return 0;
}

static void writes_argument(struct kunit *test)
{
	struct kprobes_counter *c[2];

	c[0] = started_at(test, "kprobes_opt_plain", 0, add_to_argument);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 1015);
	c[1] = started_at(test, "kprobes_opt_plain", 0, add_to_argument);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 2015);
	kprobes_expect_counts(test, c[0], 2, 0);
	kprobes_expect_counts(test, c[1], 1, 0);
}

#ifdef KPROBES_OPT_FLIP
static int flip_zero(struct kprobe *p, struct pt_regs *regs)
{
	KPROBES_OPT_FLIP(regs);
	return 0;
}

static void flip_zero_post(struct kprobe *p, struct pt_regs *regs,
			   unsigned long flags)
{
	flip_zero(p, regs);
}

static void expect_flipped(struct kunit *test, bool flipped)
{
	KUNIT_EXPECT_EQ(test, kprobes_opt_flags(0), flipped ? 2 : 1);
	KUNIT_EXPECT_EQ(test, kprobes_opt_flags(5), flipped ? 1 : 2);
}

static void writes_flags(struct kunit *test)
{
	struct kprobes_counter *c;

	c = started_at(test, "kprobes_opt_flags", kprobes_opt_flags_at, NULL);
	expect_flipped(test, false);
	c->in_pre = flip_zero;
	expect_flipped(test, true);
}

static void writes_flags_of_jcc(struct kunit *test)
{
	struct kprobes_counter *c;

	c = started_at(test, "kprobes_opt_flags", kprobes_opt_jcc_at, NULL);
	expect_flipped(test, false);
	c->in_pre = flip_zero;
	expect_flipped(test, true);
}

static void writes_flags_in_post(struct kunit *test)
{
	struct kprobes_counter *c;

	c = probe_at(test, "kprobes_opt_flags", kprobes_opt_flags_at, NULL);
	c->kp.post_handler = kprobes_count_post;
	start(test, c);
	expect_flipped(test, false);
	c->in_post = flip_zero_post;
	expect_flipped(test, true);
	c->in_pre = flip_zero;
	expect_flipped(test, false);
	kprobes_expect_counts(test, c, 6, 6);
}

#endif

/* Post-handlers */

static void look_and_add(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	*(unsigned long *)kprobes_counter_of(p)->data = TEST_RESULT(regs);
	TEST_RESULT(regs) += 5000;
}

static void post_sees_and_writes(struct kunit *test)
{
	struct kprobes_counter *c;
	unsigned long seen = 0;

	c = probe_at(test, "kprobes_opt_plain", 0, NULL);
	c->kp.post_handler = kprobes_count_post;
	c->in_post = look_and_add;
	c->data = &seen;
	start(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 5015);
	KUNIT_EXPECT_EQ(test, seen, 6);
	KUNIT_EXPECT_EQ(test, c->post_ip, (unsigned long)c->kp.addr +
			KPROBES_OPT_PLAIN_LEN);
	kprobes_expect_counts(test, c, 1, 1);
	/* Again with the post-handler alone. */
	unregister_kprobe(&c->kp);
	c->kp.addr = NULL;
	c->kp.pre_handler = NULL;
	start(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(15), 5025);
	KUNIT_EXPECT_EQ(test, seen, 16);
	kprobes_expect_counts(test, c, 1, 2);
}

/* Post-handlers see the instruction pointer that an emulated branch sets. */
static void post_sees_branch(struct kunit *test)
{
	/* When it is not taken. */
	unsigned int hits = !__is_defined(KPROBES_HIT_IF_TAKEN);
	struct kprobes_counter *c;
	unsigned long jcc;

	if (kprobes_way_of(test) == KPROBES_BY_DETOUR)
		kunit_skip(test, "what is emulated for post-handlers has none");
	c = probe_at(test, "kprobes_opt_flags", kprobes_opt_jcc_at, NULL);
	c->kp.post_handler = kprobes_count_post;
	start(test, c);
	jcc = (unsigned long)c->kp.addr;
	KUNIT_EXPECT_EQ(test, kprobes_opt_flags(5), 2);
	kprobes_expect_counts(test, c, hits, hits);
	if (hits)
		KUNIT_EXPECT_EQ(test, c->post_ip, jcc + KPROBES_OPT_JCC_LEN);
	KUNIT_EXPECT_EQ(test, kprobes_opt_flags(0), 1);
	KUNIT_EXPECT_EQ(test, c->post_ip, jcc + KPROBES_OPT_JCC_OVER);
	kprobes_expect_counts(test, c, hits + 1, hits + 1);
}

/* The detour was made without pre-handlers; the next hit calls a new one all the same. */
static void pre_comes_at_once(struct kunit *test)
{
	struct kprobes_counter *post = probe_at(test, "kprobes_opt_plain", 0, NULL);
	struct kprobes_counter *pre = probe_at(test, "kprobes_opt_plain", 0, NULL);

	post->kp.pre_handler = NULL;
	post->kp.post_handler = kprobes_count_post;
	start(test, post);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&pre->kp));
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	kprobes_expect_counts(test, post, 0, 2);
	kprobes_expect_counts(test, pre, 1, 0);
}

/* A post-handler comes when a jump is replaced; once it was not called. */
static void post_comes_at_once(struct kunit *test)
{
	struct kprobes_counter *first, *second;
	int i;

	first = probe_at(test, "kprobes_opt_plain", 0, NULL);
	second = probe_at(test, "kprobes_opt_plain", 0, NULL);
	second->kp.post_handler = kprobes_count_post;
	for (i = 0; i < 3; i++) {
		first->kp.addr = NULL;
		second->kp.addr = NULL;
		start(test, first);
		unregister_kprobe(&first->kp);
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
		KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
		kprobes_expect_counts(test, second, 2 * i + 1, 2 * i + 1);
		kprobes_settle(kprobes_way_of(test));
		KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
		kprobes_expect_counts(test, second, 2 * i + 2, 2 * i + 2);
		unregister_kprobe(&second->kp);
	}
	kprobes_expect_counts(test, first, 0, 0);
}

/* The detour of the first probe has no code for post-handlers. */
static void post_joins(struct kunit *test)
{
	struct kprobes_counter *first, *second;

	first = started_at(test, "kprobes_opt_plain", 0, NULL);
	second = probe_at(test, "kprobes_opt_plain", 0, NULL);
	second->kp.post_handler = kprobes_count_post;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&second->kp));
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	kprobes_expect_counts(test, first, 1, 0);
	kprobes_expect_counts(test, second, 1, 1);
	kprobes_expect_way(test, second);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	kprobes_expect_counts(test, first, 2, 0);
	kprobes_expect_counts(test, second, 2, 2);
}

/* Faults */

static const long good_data = 1234;

struct fault {
	int seen;
	int trapnr;
	unsigned long ip;
	bool running;
	long result;
	int skip;		/* how many bytes to skip; 0 to repair */
};

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	struct fault *f = kprobes_counter_of(p)->data;

	f->seen++;
	f->trapnr = TEST_TRAP(trapnr);
	f->ip = instruction_pointer(regs);
	f->running = kprobe_running() == p;
	if (f->skip) {
		instruction_pointer_set(regs, instruction_pointer(regs) + f->skip);
		TEST_RESULT(regs) = 77;
	} else {
		TEST_ARG(regs) = (unsigned long)&good_data;
	}
	return 1;
}

static int load_bad(struct kprobe *p, struct pt_regs *regs)
{
	struct fault *f = kprobes_counter_of(p)->data;

	f->result = kprobes_target_load_bare((long *)-PAGE_SIZE);
	return 0;
}

static void load_bad_post(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
	load_bad(p, regs);
}

static void expect_fault(struct kunit *test, struct fault *f)
{
	KUNIT_EXPECT_EQ(test, f->seen, 1);
	KUNIT_EXPECT_EQ(test, f->trapnr, TEST_PAGE_FAULT);
	KUNIT_EXPECT_TRUE(test, f->running);
	f->seen = 0;
}

static void fault_in_handlers(struct kunit *test)
{
	struct kprobes_counter *c;
	struct fault f = { };

	c = probe_at(test, "kprobes_opt_plain", 0, load_bad);
	c->kp.post_handler = kprobes_count_post;
	c->kp.fault_handler = on_fault;
	c->data = &f;
	start(test, c);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_EXPECT_EQ(test, f.result, good_data);
	expect_fault(test, &f);
	f.result = 0;
	c->in_pre = NULL;
	c->in_post = load_bad_post;
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_EXPECT_EQ(test, f.result, good_data);
	expect_fault(test, &f);
	kprobes_expect_counts(test, c, 2, 2);
	unregister_kprobe(&c->kp);
}

/* The displaced instruction faults, in each of its copies. */
static void fault_in_instruction(struct kunit *test)
{
	struct kprobes_counter *c;
	struct fault f = { };
	int post;

	for (post = 0; post < 2; post++) {
		c = probe_at(test, "kprobes_target_load_bare", 0, NULL);
		c->kp.post_handler = post ? kprobes_count_post : NULL;
		c->kp.fault_handler = on_fault;
		c->data = &f;
		f.skip = 0;
		start(test, c);
		KUNIT_EXPECT_EQ(test, kprobes_target_load_bare((long *)-PAGE_SIZE),
				good_data);
		expect_fault(test, &f);
		KUNIT_EXPECT_EQ(test, f.ip, (unsigned long)c->kp.addr);
		kprobes_expect_counts(test, c, 1, post);
		f.skip = KPROBES_LOAD_LEN;
		KUNIT_EXPECT_EQ(test, kprobes_target_load_bare((long *)-PAGE_SIZE), 77);
		expect_fault(test, &f);
		kprobes_expect_counts(test, c, 2, post);
		unregister_kprobe(&c->kp);
	}
}

/* No handler may sleep. These go on, and return, on another CPU. */
static void leave_for(unsigned int cpu)
{
	if (cpu == raw_smp_processor_id())
		return;
	preempt_enable();
	set_cpus_allowed_ptr(current, cpumask_of(cpu));
	preempt_disable();
}

static int leave_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	leave_for(*(unsigned int *)kprobes_counter_of(p)->data);
	return 0;
}

static void call_plain(void *result)
{
	*(int *)result = kprobes_opt_plain(5);
}

static void expect_call(struct kunit *test, unsigned int cpu)
{
	int result = 0;
	struct kprobes_other *other = kprobes_other(test, call_plain, &result, cpu);

	WRITE_ONCE(other->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(other->done));
	kprobes_end_other(other);
	KUNIT_EXPECT_EQ(test, result, 15);
}

/* The hits that come after that on the CPU that it has left have a frame. */
static void expect_frames(struct kunit *test, unsigned int left, unsigned int here)
{
	struct kprobes_counter *c = started_at(test, "kprobes_opt_plain", 0, NULL);

	expect_call(test, left);
	expect_call(test, here);
	kprobes_expect_counts(test, c, 2, 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void frame_of_sleeper_is_released(struct kunit *test)
{
	unsigned int cpu = kprobes_leave_cpu(test), here = raw_smp_processor_id();
	struct kprobes_counter *c;
	int i;

	c = started_at(test, "kprobes_opt_plain", 0, leave_in_pre);
	c->data = &here;
	for (i = 0; i < 3; i++)
		expect_call(test, cpu);
	kprobes_expect_counts(test, c, 3, 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
	unregister_kprobe(&c->kp);
	expect_frames(test, cpu, here);
}

#ifdef CONFIG_KRETPROBES
static int leave_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	leave_for(*(unsigned int *)kprobes_returns_of(ri)->data);
	return 0;
}

static void frame_of_sleeping_return_is_released(struct kunit *test)
{
	unsigned int cpu = kprobes_leave_cpu(test), here = raw_smp_processor_id();
	struct kprobes_returns *r = kprobes_returns(test, "kprobes_opt_plain");

	r->in_return = leave_in_return;
	r->data = &here;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	wait_for_kprobe_optimizer();
	expect_call(test, cpu);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), 1);
	unregister_kretprobe(&r->rp);
	expect_frames(test, cpu, here);
}
#endif

static struct kunit_case handlers_cases[] = {
	KPROBES_CASE_WAYS(diverts),
	KPROBES_CASE_WAYS(one_of_three_diverts),
	KPROBES_CASE_WAYS(disabled_changes_nothing),
	KPROBES_CASE_WAYS(writes_argument),
#ifdef KPROBES_OPT_FLIP
	KPROBES_CASE_WAYS(writes_flags),
	KPROBES_CASE_WAYS(writes_flags_of_jcc),
	KPROBES_CASE_WAYS(writes_flags_in_post),
#endif
	KPROBES_CASE_WAYS(post_sees_and_writes),
	KPROBES_CASE_WAYS(post_sees_branch),
	KPROBES_CASE_WAYS(pre_comes_at_once),
	KPROBES_CASE_WAYS(post_comes_at_once),
	KPROBES_CASE_WAYS(post_joins),
	KPROBES_CASE_WAYS(fault_in_handlers),
	KPROBES_CASE_WAYS(fault_in_instruction),
	KPROBES_CASE_DETOURS(frame_of_sleeper_is_released),
#ifdef CONFIG_KRETPROBES
	KPROBES_CASE_DETOURS(frame_of_sleeping_return_is_released),
#endif
	KPROBES_CASE_WAYS(skips_entry_nop),
	KPROBES_CASE_WAYS(skips),
	{}
};

static struct kunit_suite handlers_suite = {
	.name = "kprobes_optimize_handlers",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = handlers_cases,
};

kunit_test_suite(handlers_suite);

MODULE_DESCRIPTION("KUnit tests of handlers that detours call");
MODULE_LICENSE("GPL");
