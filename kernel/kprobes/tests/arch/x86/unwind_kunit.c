// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of unwinding from displaced code: a stack trace is taken before each
 * instruction of a probed function, of its slots and detours, and of the
 * trampolines, and compared to the one that is taken without a probe: walk.c.
 * Handlers take traces as well.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <asm/text-patching.h>

#include "../../../../../arch/x86/kernel/kprobes-insn.h"
#include "../../../../../arch/x86/kernel/kprobes-opt.h"
#include "../../../kretprobe_pool.h"
#include "../../../place.h"
#include "../../optimized.h"
#include "unwind.h"
#include "walk.h"

#define PLACE(name, symbol, at)	{ name, #symbol, symbol, at }

static const struct kprobes_walk_place places[] = {
	PLACE("push", kprobes_unwind_push, &kprobes_unwind_push_at),
	PLACE("pop", kprobes_unwind_push, &kprobes_unwind_pop_at),
	PLACE("load", kprobes_unwind_load, &kprobes_unwind_load_at),
	PLACE("add", kprobes_unwind_add, &kprobes_unwind_add_at),
	PLACE("nop and call", kprobes_unwind_call, &kprobes_unwind_nop_at),
	PLACE("before a branch's target", kprobes_unwind_short, &kprobes_unwind_short_at),
	PLACE("call", kprobes_unwind_call_first, &kprobes_unwind_call_at),
#ifdef CONFIG_KPROBES_ON_FTRACE
	PLACE("entry", kprobes_unwind_entry, &kprobes_unwind_entry_at),
#endif
};

/* A post-handler is called by a second saving. */
#define LOAD	(&places[2])
#define ENTRY	(&places[ARRAY_SIZE(places) - 1])

static int trace_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	kprobes_walk_trace(kprobes_counter_of(p)->data, regs);
	return 0;
}

static void trace_in_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	kprobes_walk_trace(kprobes_counter_of(p)->data, regs);
}

/* Checks the test itself, without a probe. */
static void unprobed(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		kprobes_walk(test, &places[i]);
}

static void call_as_handler(struct kprobes_walk *w, bool before)
{
	if (before)
		kprobe_busy_begin();
	else
		kprobe_busy_end();
}

/* All hits are missed: the displaced instruction is executed alone. */
static void walk_busy(struct kunit *test, struct kprobes_walk *w, const char *what)
{
	w->around = call_as_handler;
	kprobes_walk_in_task(test, w, what);
	w->around = NULL;
}

/* Another CPU has changed the handlers: the detour is one for others. */
static void walk_stale(struct kunit *test, struct kprobes_walk *w, struct kprobe_point *point,
		       const char *what)
{
	WRITE_ONCE(point->generation, point->generation + 1);
	kprobes_walk_in_task(test, w, what);
	WRITE_ONCE(point->generation, point->generation - 1);
}

static void call_with_resched(struct kprobes_walk *w, bool before)
{
	if (before)
		set_preempt_need_resched();
	else
		clear_preempt_need_resched();
}

/*
 * A reschedule is due when the detour enables preemption, which it asks for. An interrupt
 * there would do it.
 */
static unsigned int walk_resched(struct kunit *test, struct kprobes_walk *w,
				 void (*around)(struct kprobes_walk *w, bool before),
				 const char *what)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return 0;
	w->around = around;
	w->uninterrupted = true;
	kprobes_walk_in_task(test, w, what);
	w->uninterrupted = false;
	w->around = NULL;
	return KPROBES_WALK_TASK_CALLS - 1;
}

/*
 * Has hits of the point execute all that they can. Returns how often its handlers are called;
 * KPROBES_WALK_TASK_CALLS more are missed.
 */
static unsigned int walk_point(struct kunit *test, struct kprobes_walk *w,
			       struct kprobe_point *point, const char *what)
{
	char busy[80], stale[80], resched[80];

	snprintf(busy, sizeof(busy), "%s, called by a handler", what);
	snprintf(stale, sizeof(stale), "%s, handlers changed", what);
	snprintf(resched, sizeof(resched), "%s, reschedule due", what);
	kprobes_walk_everywhere(test, w, what);
	walk_busy(test, w, busy);
	if (!kprobes_walk_is_detoured(point))
		return KPROBES_WALK_CALLS;
	walk_stale(test, w, point, stale);
	return KPROBES_WALK_CALLS + KPROBES_WALK_TASK_CALLS +
	       walk_resched(test, w, call_with_resched, resched);
}

/* Prepares to look at all that hits of a registered probe execute. */
static struct kprobe_point *cover(struct kunit *test, struct kprobes_walk *w,
				  const struct kprobe *p)
{
	struct kprobe_point *point;

	kprobes_settle(kprobes_way_of(test));
	point = kprobe_point_lookup((unsigned long)p->addr);
	KUNIT_ASSERT_NOT_NULL(test, point);
	kprobes_walk_cover_point(test, w, point);
	return point;
}

static struct kprobes_counter *tracing(struct kunit *test, struct kprobes_walk *w,
				       const struct kprobes_walk_place *place, bool post)
{
	const struct kprobes_place at = { .symbol = place->symbol, .offset = *place->at };
	struct kprobes_counter *c = kprobes_counter(test, &at);

	c->data = w;
	c->in_pre = trace_in_pre;
	c->in_post = trace_in_post;
	if (!post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

static void walk_probed(struct kunit *test, const struct kprobes_walk_place *place, bool post)
{
	struct kprobes_walk *w = kprobes_walk(test, place);
	struct kprobes_counter *c = tracing(test, w, place, post);
	struct kprobe_point *point = cover(test, w, &c->kp);
	unsigned int hits;
	char what[64];

	snprintf(what, sizeof(what), "%s%s by %s", place->name,
		 post ? " with post-handler" : "",
		 kprobes_way_name(kprobes_way_of(test)));
	/* A slot for post-handlers calls it, and so does a detour's when it is not used. */
	if (point->route->run_post)
		kprobes_walk_cover_trampoline(test, w, "post trampoline", kprobe_post_trampoline);
	hits = walk_point(test, w, point, what);
	kprobes_walk_expect_covered(test, w, what);
	kprobes_expect_counts(test, c, hits, post ? hits : 0);
	unregister_kprobe(&c->kp);
}

static void walk_all(struct kunit *test, bool post)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		walk_probed(test, &places[i], post);
}

static void unwind_displaced(struct kunit *test)
{
	walk_all(test, false);
}

static void unwind_displaced_post(struct kunit *test)
{
	walk_all(test, true);
}

/* More handlers than a detour calls: it has kprobes call them. */
static void unwind_crowd(struct kunit *test)
{
	struct kprobes_counter *c[X86_DETOUR_HANDLERS + 1];
	struct kprobes_walk *w = kprobes_walk(test, LOAD);
	struct kprobe_point *point;
	unsigned int i, hits;

	if (IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN))
		kunit_skip(test, "instrumentation of the handlers takes too many steps");
	for (i = 0; i < ARRAY_SIZE(c); i++)
		c[i] = tracing(test, w, LOAD, true);
	point = cover(test, w, &c[0]->kp);
	KUNIT_ASSERT_TRUE(test, kprobes_walk_is_detoured(point) && !point->detour->direct);
	kprobes_walk_cover_trampoline(test, w, "post trampoline", kprobe_post_trampoline);
	hits = walk_point(test, w, point, "crowd");
	kprobes_walk_expect_covered(test, w, "crowd");
	for (i = 0; i < ARRAY_SIZE(c); i++)
		kprobes_expect_counts(test, c[i], hits, hits);
}

/**
 * struct late - what happens between the pre- and the post-handlers
 * @point: the point
 * @at:    address of the displaced instruction in between
 * @begin: what happens right before it
 * @end:   undoes it after the call
 * @begun: it has happened
 */
struct late {
	struct kprobe_point *point;
	unsigned long at;
	void (*begin)(struct kprobe_point *point);
	void (*end)(struct kprobe_point *point);
	bool begun;
};

static void begin_late(struct kprobes_walk *w, struct pt_regs *regs)
{
	struct late *l = w->data;

	if (regs->ip != l->at || l->begun)
		return;
	l->begun = true;
	l->begin(l->point);
}

static void end_late(struct kprobes_walk *w, bool before)
{
	struct late *l = w->data;

	if (!before && l->begun)
		l->end(l->point);
	l->begun = false;
}

static void use_frame(struct kprobe_point *point)
{
	kprobe_busy_begin();
}

static void release_frame(struct kprobe_point *point)
{
	kprobe_busy_end();
}

static void change(struct kprobe_point *point)
{
	WRITE_ONCE(point->generation, point->generation + 1);
}

static void change_back(struct kprobe_point *point)
{
	WRITE_ONCE(point->generation, point->generation - 1);
}

static void walk_late(struct kunit *test, struct kprobes_walk *w, struct late *l,
		      const char *what)
{
	w->data = l;
	w->meddle = begin_late;
	w->around = end_late;
	kprobes_walk_in_task(test, w, what);
	w->meddle = NULL;
	w->around = NULL;
}

/* Goes on after the load, with what it would have done. */
static int divert(struct kprobe *p, struct pt_regs *regs)
{
	const struct kprobe_point *point = kprobe_point_lookup((unsigned long)p->addr);

	regs->ax += 1;
	regs->ip = point->site + point->len;
	return 1;
}

/* What all detours jump to when they cannot handle a hit. */
static void cover_slow_ways(struct kunit *test, struct kprobes_walk *w)
{
	void (*const ways[])(void) = {
		kprobe_detour_stale, kprobe_detour_slow, kprobe_detour_divert,
		kprobe_detour_post_stale, kprobe_detour_post_slow,
	};
	unsigned long start = (unsigned long)kprobe_detour_stale, size, offset;
	struct kprobes_cover *c;
	unsigned int i;

	/* From the first to the end of the last of them. */
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset((unsigned long)kprobe_detour_post_slow,
							    &size, &offset));
	size += (unsigned long)kprobe_detour_post_slow - start;
	c = kprobes_walk_cover(test, w, "slow ways", (void *)start, size);
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		KUNIT_ASSERT_EQ(test, 0, kprobes_cover_reach(c, (unsigned long)ways[i]));
}

static void unwind_slow_ways(struct kunit *test)
{
	struct kprobes_walk *w = kprobes_walk(test, LOAD);
	struct kprobes_counter *c = tracing(test, w, LOAD, true);
	struct kprobe_point *point = cover(test, w, &c->kp);
	struct late l = { .point = point };
	unsigned int hits;

	if (!kprobes_walk_is_detoured(point) || !point->detour->direct)
		kunit_skip(test, "detours of this kernel call no handlers");
	l.at = (unsigned long)point->detour->slot + point->detour->insn[0];
	cover_slow_ways(test, w);
	hits = walk_point(test, w, point, "load");
	l.begin = use_frame;
	l.end = release_frame;
	walk_late(test, w, &l, "frame used later");
	l.begin = change;
	l.end = change_back;
	walk_late(test, w, &l, "handlers changed later");
	hits += 2 * KPROBES_WALK_TASK_CALLS;
	kprobes_expect_counts(test, c, hits, hits);
	c->in_pre = divert;
	kprobes_walk_in_task(test, w, "diverted");
	kprobes_expect_counts(test, c, hits + KPROBES_WALK_TASK_CALLS, hits);
	kprobes_walk_expect_covered(test, w, "slow ways");
}

/* Without a spare instance on the CPU, a detour calls the handler as any other. */
static void call_without_spare(struct kprobes_walk *w, bool before)
{
	static struct kretprobe_instance *spare;

	guard(irqsave)();
	if (before)
		spare = kretprobe_pool_pop_spare(w->data);
	else if (spare)
		kretprobe_pool_push(spare);
}

static void call_without_spare_with_resched(struct kprobes_walk *w, bool before)
{
	call_without_spare(w, before);
	call_with_resched(w, before);
}

static void expect_returns(struct kunit *test, struct kprobes_returns *r, unsigned int hits)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&r->entries), r->rp.entry_handler ? hits : 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), hits);
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
	/* Called by a handler. */
	KUNIT_EXPECT_EQ(test, r->rp.kp.nmissed, KPROBES_WALK_TASK_CALLS);
}

/* Without an entry handler a detour saves few registers. */
static void walk_return(struct kunit *test, struct kprobes_walk *w, bool entry_handler)
{
	const char *what = kprobes_way_name(kprobes_way_of(test));
	struct kprobes_returns *r = kprobes_returns(test, LOAD->symbol);
	struct kprobe_point *point;
	unsigned int hits;

	if (!entry_handler)
		r->rp.entry_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	point = cover(test, w, &r->rp.kp);
	kprobes_walk_cover_trampoline(test, w, "return trampoline", kretprobe_trampoline);
	hits = walk_point(test, w, point, what);
	w->data = &r->rp;
	w->around = call_without_spare;
	kprobes_walk_in_task(test, w, "no spare instance");
	w->around = NULL;
	if (kprobes_walk_is_detoured(point))
		hits += walk_resched(test, w, call_without_spare_with_resched,
				     "no spare instance, reschedule due");
	kprobes_walk_expect_covered(test, w, what);
	expect_returns(test, r, hits + KPROBES_WALK_TASK_CALLS);
	unregister_kretprobe(&r->rp);
}

/* A return probe at a function's entry. */
static void unwind_return(struct kunit *test)
{
	struct kprobes_walk *w = kprobes_walk(test, LOAD);

	walk_return(test, w, true);
	walk_return(test, w, false);
}

#ifdef CONFIG_KPROBES_ON_FTRACE
/* ftrace calls kprobes at the entry. The instruction after the nop is probed as well. */
static void unwind_ftrace(struct kunit *test)
{
	struct kprobes_place next = {
		.symbol = ENTRY->symbol, .offset = *ENTRY->at + CALL_INSN_SIZE,
	};
	struct kprobes_walk *w = kprobes_walk(test, ENTRY);
	struct kprobes_counter *after = kprobes_counter(test, &next), *c;
	unsigned int hits;

	kprobes_by_ftrace(test);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&after->kp));
	c = tracing(test, w, ENTRY, true);
	KUNIT_ASSERT_TRUE(test, c->kp.flags & KPROBE_FLAG_FTRACE);
	hits = walk_point(test, w, cover(test, w, &after->kp), "after ftrace's call");
	kprobes_expect_counts(test, c, hits, hits);
	kprobes_expect_counts(test, after, hits, hits);
	kprobes_walk_expect_covered(test, w, "after ftrace's call");
}
#endif

/* Is it in front of a function? FineIBT checks indirect calls there. */
static bool is_in_prefix(unsigned long ip)
{
	char name[KSYM_NAME_LEN];

	return !lookup_symbol_name(ip, name) && kprobe_is_prefix_symbol(name);
}

/**
 * struct lookup - a lookup of an address that is single-stepped
 * @steps:    for stepping
 * @addr:     the address
 * @outsider: the first executed instruction that can be probed
 */
struct lookup {
	struct kprobes_steps steps;
	unsigned long addr;
	unsigned long outsider;
};

static noinline int __noipa look_up(void *data)
{
	struct lookup *l = data;

	return kprobe_displaced_ip(l->addr) == l->addr || !is_kprobe_insn_slot(l->addr);
}
NOKPROBE_SYMBOL(look_up);

static void lookup_each(struct kprobes_steps *steps, struct pt_regs *regs)
{
	struct lookup *l = container_of(steps, struct lookup, steps);

	if (!l->outsider && !within_kprobe_blacklist(regs->ip) && !is_in_prefix(regs->ip))
		l->outsider = regs->ip;
}

/* Unwinders look addresses up in any context: nothing that can be probed is executed. */
static void lookup_calls_nothing(struct kunit *test)
{
	struct lookup l = {
		.steps = { .fn = look_up, .arg = &l, .each = lookup_each },
	};
	struct kprobes_counter *c;
	struct kprobe_point *point;
	unsigned int offset;
	const struct kprobes_place at = {
		.symbol = "kprobes_unwind_load", .offset = kprobes_unwind_load_at,
	};

	if (IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN))
		kunit_skip(test, "instrumentation calls more");
	if (cpu_feature_enabled(X86_FEATURE_CALL_DEPTH))
		kunit_skip(test, "calls execute code in front of functions, which is refused");
	c = kprobes_counting(test, &at);
	kprobes_settle(KPROBES_BY_JUMP);
	point = kprobe_point_lookup((unsigned long)c->kp.addr);
	KUNIT_ASSERT_NOT_NULL(test, point);
	KUNIT_ASSERT_NOT_NULL(test, point->detour);
	l.addr = (unsigned long)point->text.run_post;
	KUNIT_EXPECT_EQ(test, 0, kprobes_step(&l.steps));
	for (offset = 0; offset < point->detour->copies; offset += 8) {
		l.addr = (unsigned long)point->detour->slot + offset;
		KUNIT_EXPECT_EQ(test, 0, kprobes_step(&l.steps));
	}
	KUNIT_EXPECT_GT(test, l.steps.nr, 10);
	KUNIT_EXPECT_EQ_MSG(test, l.outsider, 0, "%pS", (void *)l.outsider);
}

static struct kunit_case unwind_cases[] = {
	KUNIT_CASE(lookup_calls_nothing),
	KUNIT_CASE(unprobed),
	KPROBES_CASE_WAYS(unwind_displaced),
	KPROBES_CASE_WAYS(unwind_displaced_post),
	KPROBES_CASE_WAYS(unwind_return),
	KUNIT_CASE(unwind_crowd),
	KPROBES_CASE_DETOURS(unwind_slow_ways),
#ifdef CONFIG_KPROBES_ON_FTRACE
	KPROBES_CASE_WAYS(unwind_ftrace),
#endif
	{}
};

static int unwind_init(struct kunit *test)
{
	return kprobes_way_init(test) ?: kprobes_walk_init(test);
}

static void unwind_exit(struct kunit *test)
{
	kprobes_walk_exit(test);
	kprobes_way_exit(test);
}

static struct kunit_suite unwind_suite = {
	.name = "kprobes_unwind",
	.init = unwind_init,
	.exit = unwind_exit,
	.test_cases = unwind_cases,
};

kunit_test_suite(unwind_suite);

MODULE_DESCRIPTION("KUnit tests of unwinding from displaced code");
MODULE_LICENSE("GPL");
