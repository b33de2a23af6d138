// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes that are hit while a handler runs: by the handler itself, which is a
 * miss, and by interrupts of the handler, which is not.
 */
#include <kunit/test.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/workqueue.h>

#include "../hit.h"
#include "targets.h"

/* A probe at each place: running the targets hits all of them. */
struct field {
	struct kprobes_counter **c;
	unsigned int nr;
	struct kprobes_counter *outer;	/* the one at the test's own place */
	atomic_t failures;		/* failed checks in handlers */
};

static struct field *plant(struct kunit *test)
{
	struct field *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->nr = kprobes_places();
	f->c = kunit_kcalloc(test, f->nr, sizeof(*f->c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f->c);
	for (i = 0; i < f->nr; i++) {
		f->c[i] = kprobes_counting(test, kprobes_place(i));
		f->c[i]->data = f;
		if (!f->outer || kprobes_place(i) == test->param_value)
			f->outer = f->c[i];
	}
	return f;
}

static void check(struct field *f, bool good)
{
	if (!good)
		atomic_inc(&f->failures);
}

static void run_targets(struct field *f)
{
	check(f, kprobes_targets_run(5) == KPROBES_TARGETS_RESULT(5));
}

/* What the other probes on its point have missed has the same cause. */
static void expect_misses(struct kunit *test, struct kprobe *p,
			  enum kprobe_miss cause, unsigned long misses)
{
	unsigned long all = 0;
	struct kprobe *other;

	KUNIT_EXPECT_EQ(test, p->nmissed, misses);
	scoped_guard(mutex, &kprobe_mutex)
		list_for_each_entry(other, &p->point->probes, list)
			all += other->nmissed;
	KUNIT_EXPECT_EQ(test, kprobes_misses(p, cause), all);
}

static void expect_field(struct kunit *test, struct field *f, int handled,
			 enum kprobe_miss cause, unsigned long misses)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, atomic_read(&f->failures), 0);
	for (i = 0; i < f->nr; i++) {
		kprobes_expect_counts(test, f->c[i], handled, handled);
		expect_misses(test, &f->c[i]->kp, cause, misses);
	}
}

/* Hits from a handler */

static void run_nested(struct field *f, struct kprobe *p)
{
	check(f, kprobe_running() == p);
	run_targets(f);
	check(f, kprobe_running() == p);
}

static int nest_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	run_nested(kprobes_counter_of(p)->data, p);
	return 0;
}

static void nest_in_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	run_nested(kprobes_counter_of(p)->data, p);
}

static int nest_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	run_nested(kprobes_returns_of(ri)->data, &ri->rp->kp);
	return 0;
}

/* Every place is executed twice, the second time in a handler. */
static void expect_one_nested(struct kunit *test, struct field *f)
{
	preempt_disable();
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();
	kprobes_expect_targets(test, 1);
	expect_field(test, f, 1, KPROBE_MISS_NESTED, 1);
	preempt_disable();
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();
}

static void hit_in_pre_is_missed(struct kunit *test)
{
	struct field *f = plant(test);

	f->outer->in_pre = nest_in_pre;
	expect_one_nested(test, f);
}

static void hit_in_post_is_missed(struct kunit *test)
{
	struct field *f = plant(test);

	f->outer->in_post = nest_in_post;
	expect_one_nested(test, f);
}

/* Instructions without post-handlers run from another slot. */
static void missed_without_post_handlers(struct kunit *test)
{
	struct kprobes_counter *outer = kprobes_counter(test, test->param_value);
	struct field f = { };

	outer->kp.post_handler = NULL;
	outer->in_pre = nest_in_pre;
	outer->data = &f;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&outer->kp));
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, outer, 1, 0);
	expect_misses(test, &outer->kp, KPROBE_MISS_NESTED, 1);
	unregister_kprobe(&outer->kp);
	KUNIT_EXPECT_EQ(test, atomic_read(&f.failures), 0);
}

/* A disabled probe counts no misses. */
static void disabled_misses_nothing(struct kunit *test)
{
	struct field *f = plant(test);
	struct kprobes_counter *off = kprobes_counting(test, test->param_value);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&off->kp));
	f->outer->in_pre = nest_in_pre;
	expect_one_nested(test, f);
	kprobes_expect_counts(test, off, 0, 0);
	KUNIT_EXPECT_EQ(test, off->kp.nmissed, 0);
}

static void hit_in_entry_is_missed(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_returns *r;
	struct field *f;

	f = plant(test);
	r = kprobes_returns(test, place->symbol);
	r->in_entry = nest_in_return;
	r->data = f;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_one_nested(test, f);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), 1);
	expect_misses(test, &r->rp.kp, KPROBE_MISS_NESTED, 1);
}

static void hit_in_return_is_missed(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_returns *r;
	struct field *f;

	f = plant(test);
	r = kprobes_returns(test, place->symbol);
	r->in_return = nest_in_return;
	r->data = f;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_one_nested(test, f);
	KUNIT_EXPECT_EQ(test, atomic_read(&r->returns), 1);
	expect_misses(test, &r->rp.kp, KPROBE_MISS_NESTED, 1);
}

/* Interrupts of a handler */

/* How long to wait for an interrupt, in units of 5 us. */
#define PATIENCE	400000

enum source { HARDIRQ, SOFTIRQ, NMI, SOURCES };

static const char *const source_names[SOURCES] = { "hardirq", "softirq", "NMI" };

/* An interrupt that runs all the targets. */
struct landing {
	struct field *field;
	enum source source;
	bool raised;		/* a handler has raised it */
	bool inside;		/* that handler still waits for it */
	int landed;
	struct irq_work irq;
	struct tasklet_struct softirq;
};

static struct landing landing;

static void land(void)
{
	check(landing.field, READ_ONCE(landing.inside));
	check(landing.field, !kprobe_running());
	run_targets(landing.field);
	check(landing.field, !kprobe_running());
	WRITE_ONCE(landing.landed, landing.landed + 1);
}

static void land_in_softirq(struct tasklet_struct *t)
{
	check(landing.field, in_serving_softirq());
	land();
}

static void land_in_hardirq(struct irq_work *work)
{
	check(landing.field, in_hardirq());
	if (landing.source == SOFTIRQ)
		tasklet_hi_schedule(&landing.softirq);
	else
		land();
}

#ifdef KPROBES_RAISES_NMI
static void unregister_nmi(void *unused)
{
	kprobes_unregister_nmi();
}

static void register_nmi(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, kprobes_register_nmi(land));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister_nmi, NULL));
}
#else
static void kprobes_raise_nmi(void) { }

static void register_nmi(struct kunit *test)
{
	kunit_skip(test, "no way to raise an NMI");
}
#endif

/* Called in a handler: raises the interrupt here, and waits until it has returned. */
static void be_landed_on(void)
{
	int patience = PATIENCE;

	if (landing.raised || (landing.source != NMI && irqs_disabled()))
		return;
	landing.raised = true;
	WRITE_ONCE(landing.inside, true);
	if (landing.source == NMI)
		kprobes_raise_nmi();
	else
		irq_work_queue(&landing.irq);
	while (!READ_ONCE(landing.landed) && patience--)
		kprobes_spin(5);
	WRITE_ONCE(landing.inside, false);
}

static int landed_on_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	be_landed_on();
	check(landing.field, kprobe_running() == p);
	return 0;
}

static void landed_on_in_post(struct kprobe *p, struct pt_regs *regs,
			      unsigned long flags)
{
	be_landed_on();
	check(landing.field, kprobe_running() == p);
}

static int landed_on_in_return(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	be_landed_on();
	check(landing.field, kprobe_running() == &ri->rp->kp);
	return 0;
}

static struct field *prepare_landing(struct kunit *test, enum source source)
{
	if (source == SOFTIRQ && IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs run in threads");
	memset(&landing, 0, sizeof(landing));
	landing.field = plant(test);
	landing.source = source;
	landing.irq = IRQ_WORK_INIT_HARD(land_in_hardirq);
	tasklet_setup(&landing.softirq, land_in_softirq);
	if (source == NMI)
		register_nmi(test);
	else
		/* In a trap interrupts are disabled: wait until hits use detours. */
		wait_for_kprobe_optimizer();
	return landing.field;
}

/* Every place was executed by the task and by the interrupt, and no hit was missed. */
static void expect_landing(struct kunit *test, const char *where)
{
	kprobes_expect_targets(test, 1);
	if (!landing.raised)
		kunit_skip(test, "%s runs with interrupts disabled", where);
	KUNIT_EXPECT_EQ_MSG(test, landing.landed, 1, "%s in %s",
			    source_names[landing.source], where);
	expect_field(test, landing.field, 2, KPROBE_MISS_NESTED, 0);
}

static void interrupt_in_pre(struct kunit *test, enum source source)
{
	struct field *f = prepare_landing(test, source);

	f->outer->in_pre = landed_on_in_pre;
	expect_landing(test, "pre-handler");
}

static void interrupt_in_post(struct kunit *test, enum source source)
{
	struct field *f = prepare_landing(test, source);

	f->outer->in_post = landed_on_in_post;
	expect_landing(test, "post-handler");
}

static void interrupt_in_return(struct kunit *test, enum source source)
{
	const struct kprobes_place *place = test->param_value;
	struct kprobes_returns *r;

	prepare_landing(test, source);
	r = kprobes_returns(test, place->symbol);
	r->in_return = landed_on_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	expect_landing(test, "return handler");
	KUNIT_EXPECT_TRUE(test, landing.raised);
	kprobes_expect_returns(test, r, 2, 2);
}

static void hardirq_in_pre(struct kunit *test)
{
	interrupt_in_pre(test, HARDIRQ);
}

static void hardirq_in_post(struct kunit *test)
{
	interrupt_in_post(test, HARDIRQ);
}

static void hardirq_in_return(struct kunit *test)
{
	interrupt_in_return(test, HARDIRQ);
}

static void softirq_in_pre(struct kunit *test)
{
	interrupt_in_pre(test, SOFTIRQ);
}

static void softirq_in_post(struct kunit *test)
{
	interrupt_in_post(test, SOFTIRQ);
}

static void softirq_in_return(struct kunit *test)
{
	interrupt_in_return(test, SOFTIRQ);
}

static void nmi_in_pre(struct kunit *test)
{
	interrupt_in_pre(test, NMI);
}

static void nmi_in_post(struct kunit *test)
{
	interrupt_in_post(test, NMI);
}

static void nmi_in_return(struct kunit *test)
{
	interrupt_in_return(test, NMI);
}

/* kprobe_busy_begin() */

static void busy_misses(struct kunit *test)
{
	struct field *f = plant(test);

	kprobe_busy_begin();
	KUNIT_EXPECT_NOT_NULL(test, kprobe_running());
	run_targets(f);
	kprobe_busy_begin();
	run_targets(f);
	kprobe_busy_end();
	run_targets(f);
	KUNIT_EXPECT_NOT_NULL(test, kprobe_running());
	kprobe_busy_end();
	expect_field(test, f, 0, KPROBE_MISS_NESTED, 3);
	kprobes_expect_targets(test, 1);
	expect_field(test, f, 1, KPROBE_MISS_NESTED, 3);
}

static int busy_in_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct field *f = kprobes_counter_of(p)->data;

	kprobe_busy_begin();
	check(f, kprobe_running() && kprobe_running() != p);
	run_targets(f);
	kprobe_busy_end();
	check(f, kprobe_running() == p);
	return 0;
}

static void busy_inside_handler(struct kunit *test)
{
	struct field *f = plant(test);

	f->outer->in_pre = busy_in_handler;
	expect_one_nested(test, f);
}

/* Deeper than any hit can be nested. */
static void too_deep_misses(struct kunit *test)
{
	struct field *f = plant(test);
	int i;

	for (i = 0; i < 20; i++)
		kprobe_busy_begin();
	run_targets(f);
	for (i = 0; i < 20; i++)
		kprobe_busy_end();
	expect_field(test, f, 0, KPROBE_MISS_DEPTH, 1);
	kprobes_expect_targets(test, 1);
	expect_field(test, f, 1, KPROBE_MISS_DEPTH, 1);
}

static void busy_lets_interrupts_hit(struct kunit *test)
{
	prepare_landing(test, HARDIRQ);
	kprobe_busy_begin();
	be_landed_on();
	kprobe_busy_end();
	KUNIT_EXPECT_EQ(test, landing.landed, 1);
	expect_field(test, landing.field, 1, KPROBE_MISS_NESTED, 0);
}

/* Each call is a hit or a miss */

#define STORM	1000

static atomic_t passes;

static void pass_targets(struct field *f)
{
	atomic_inc(&passes);
	run_targets(f);
}

static struct field *storm_field;
static DEFINE_PER_CPU(struct irq_work, storm_irq);

static void storm_from_irq(struct irq_work *work)
{
	pass_targets(storm_field);
}

static int storm_from_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct field *f = kprobes_counter_of(p)->data;

	if (!(atomic_read(&f->outer->pre) % 4))
		pass_targets(f);
	return 0;
}

static void storm(struct work_struct *work)
{
	int i;

	for (i = 0; i < STORM; i++) {
		preempt_disable();
		irq_work_queue(this_cpu_ptr(&storm_irq));
		preempt_enable();
		pass_targets(storm_field);
	}
	irq_work_sync(per_cpu_ptr(&storm_irq, raw_smp_processor_id()));
}

static void books_balance(struct kunit *test)
{
	unsigned int i, handled;
	int cpu;

	storm_field = plant(test);
	storm_field->outer->in_pre = storm_from_handler;
	atomic_set(&passes, 0);
	for_each_possible_cpu(cpu)
		per_cpu(storm_irq, cpu) = IRQ_WORK_INIT_HARD(storm_from_irq);
	KUNIT_ASSERT_EQ(test, 0, schedule_on_each_cpu(storm));

	for (i = 0; i < storm_field->nr; i++) {
		struct kprobes_counter *c = storm_field->c[i];

		handled = atomic_read(&c->pre);
		KUNIT_EXPECT_EQ(test, atomic_read(&c->post), handled);
		KUNIT_EXPECT_EQ(test, handled + c->kp.nmissed,
				atomic_read(&passes));
		expect_misses(test, &c->kp, KPROBE_MISS_NESTED, c->kp.nmissed);
	}
	KUNIT_EXPECT_GT(test, storm_field->outer->kp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&storm_field->failures), 0);
}

static struct kunit_case nesting_cases[] = {
	KPROBES_CASE_PLACES(hit_in_pre_is_missed),
	KPROBES_CASE_PLACES(hit_in_post_is_missed),
	KPROBES_CASE_PLACES(missed_without_post_handlers),
	KPROBES_CASE_PLACES(disabled_misses_nothing),
	KPROBES_CASE_ENTRIES(hit_in_entry_is_missed),
	KPROBES_CASE_ENTRIES(hit_in_return_is_missed),
	KPROBES_CASE_PLACES(hardirq_in_pre),
	KPROBES_CASE_PLACES(hardirq_in_post),
	KPROBES_CASE_ENTRIES(hardirq_in_return),
	KPROBES_CASE_PLACES(softirq_in_pre),
	KPROBES_CASE_PLACES(softirq_in_post),
	KPROBES_CASE_ENTRIES(softirq_in_return),
	KPROBES_CASE_PLACES(nmi_in_pre),
	KPROBES_CASE_PLACES(nmi_in_post),
	KPROBES_CASE_ENTRIES(nmi_in_return),
	KUNIT_CASE(busy_misses),
	KPROBES_CASE_PLACES(busy_inside_handler),
	KUNIT_CASE(too_deep_misses),
	KUNIT_CASE(busy_lets_interrupts_hit),
	KPROBES_CASE_PLACES(books_balance),
	{}
};

static struct kunit_suite nesting_suite = {
	.name = "kprobes_nesting",
	.test_cases = nesting_cases,
};

kunit_test_suite(nesting_suite);
