// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of unregistering probes while their handlers run on other CPUs: the call
 * returns after these have returned, and does not wait for other handlers.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "../register.h"
#include "console.h"
#include "targets.h"
#include "waits.h"

/* How long a handler runs after it was released, in milliseconds. */
#define STAY		50

/* A handler that runs until it is released, and a little longer. */
struct held {
	struct work_struct hit;
	struct work_struct take_off;
	struct kprobes_counter *c;
	struct kprobes_returns *r;
	void (*how)(struct held *held);
	unsigned int cpu;	/* where the handler stays */
	bool inside;
	bool release;
	bool left;		/* the handler has returned */
	bool gave_up;
};

static void stay(struct held *held)
{
	WRITE_ONCE(held->inside, true);
	if (!kprobes_spins_until(READ_ONCE(held->release)))
		WRITE_ONCE(held->gave_up, true);
	kprobes_spin(STAY * USEC_PER_MSEC);
	WRITE_ONCE(held->left, true);
}

static int stay_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	stay(kprobes_counter_of(p)->data);
	return 0;
}

static void stay_in_post(struct kprobe *p, struct pt_regs *regs,
			 unsigned long flags)
{
	stay(kprobes_counter_of(p)->data);
}

static int stay_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	stay(kprobes_returns_of(ri)->data);
	return 0;
}

static void hit(struct work_struct *work)
{
	kprobes_targets_run(1);
}

static void by_unregistering(struct held *held)
{
	unregister_kprobe(&held->c->kp);
}

static void by_disabling(struct held *held)
{
	disable_kprobe(&held->c->kp);
}

static void by_unregistering_return(struct held *held)
{
	unregister_kretprobe(&held->r->rp);
}

static void take_off(struct work_struct *work)
{
	struct held *held = container_of(work, struct held, take_off);

	held->how(held);
}

static struct held *new_held(struct kunit *test, void (*how)(struct held *held))
{
	struct held *held = kunit_kzalloc(test, sizeof(*held), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, held);
	held->cpu = kprobes_leave_cpu(test);
	held->how = how;
	INIT_WORK(&held->hit, hit);
	INIT_WORK(&held->take_off, take_off);
	return held;
}

/*
 * Has the probe hit on the other CPU, and waits until its handler runs. If interrupts are
 * disabled there, a task that patches text meanwhile waits for that CPU, and keeps this
 * one busy.
 */
static void hold(struct kunit *test, struct held *held)
{
	wait_for_kprobe_optimizer();
	queue_work_on(held->cpu, system_highpri_wq, &held->hit);
	KPROBES_EXPECT_SOON(test, READ_ONCE(held->inside));
}

static void let_go(struct kunit *test, struct held *held)
{
	flush_work(&held->hit);
	KUNIT_EXPECT_FALSE(test, held->gave_up);
}

/* How often the last handler of a hit, or of a call, was called. */
static int last_handlers(const struct held *held)
{
	return atomic_read(held->c ? &held->c->post : &held->r->returns);
}

/*
 * The probe is unregistered or disabled while its handler runs, which was released and will
 * return. After that no handler is called, also not for the hit that was under way.
 */
static void expect_waits(struct kunit *test, struct held *held)
{
	int called;

	hold(test, held);
	WRITE_ONCE(held->release, true);
	held->how(held);
	called = last_handlers(held);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(held->left));
	let_go(test, held);
	KUNIT_EXPECT_EQ(test, last_handlers(held), called);
}

static void waits_for_pre(struct kunit *test, void (*how)(struct held *held))
{
	struct held *held = new_held(test, how);

	held->c = kprobes_counter(test, test->param_value);
	held->c->in_pre = stay_in_pre;
	held->c->data = held;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&held->c->kp));
	expect_waits(test, held);
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&held->c->pre), 1);
	/* It depends on how the handlers are reached whether the post-handler is still called. */
	KUNIT_EXPECT_LE(test, atomic_read(&held->c->post), 1);
	KUNIT_EXPECT_EQ(test, held->c->kp.nmissed, 0);
}

static void waits_for_post(struct kunit *test, void (*how)(struct held *held))
{
	struct held *held = new_held(test, how);

	held->c = kprobes_counter(test, test->param_value);
	held->c->in_post = stay_in_post;
	held->c->data = held;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&held->c->kp));
	expect_waits(test, held);
	kprobes_expect_targets(test, 1);
	kprobes_expect_counts(test, held->c, 1, 1);
}

static void unregister_waits_for_pre(struct kunit *test)
{
	waits_for_pre(test, by_unregistering);
}

static void unregister_waits_for_post(struct kunit *test)
{
	waits_for_post(test, by_unregistering);
}

static void disable_waits_for_pre(struct kunit *test)
{
	waits_for_pre(test, by_disabling);
}

static void disable_waits_for_post(struct kunit *test)
{
	waits_for_post(test, by_disabling);
}

static struct held *new_held_return(struct kunit *test)
{
	const struct kprobes_place *place = test->param_value;
	struct held *held;

	held = new_held(test, by_unregistering_return);
	held->r = kprobes_returns(test, place->symbol);
	held->r->data = held;
	return held;
}

static void unregister_waits_for_entry(struct kunit *test)
{
	struct held *held = new_held_return(test);

	held->r->in_entry = stay_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&held->r->rp));
	expect_waits(test, held);
	kprobes_expect_targets(test, 1);
	/* That call has returned after the return probe was unregistered. */
	KUNIT_EXPECT_EQ(test, atomic_read(&held->r->entries), 1);
}

static void unregister_waits_for_return(struct kunit *test)
{
	struct held *held = new_held_return(test);

	held->r->in_return = stay_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&held->r->rp));
	expect_waits(test, held);
	kprobes_expect_targets(test, 1);
	kprobes_expect_returns(test, held->r, 1, 1);
}

static bool is_enabled(struct kprobe *p)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_is_registered(p) && !kprobe_disabled(p);
}

/* Another task begins to unregister or disable the held probe, and waits for its handler. */
static void begin_to_take_off(struct kunit *test, struct held *held)
{
	queue_work(system_unbound_wq, &held->take_off);
	KPROBES_EXPECT_SOON(test, !is_enabled(&held->c->kp));
}

/*
 * Where a handler stays while its probe is taken off. A work item disarms the point 50 ms later, or
 * sooner if it was queued for another point. If that stops CPUs, it waits for the handler with
 * kprobe_mutex held, and all others wait for that.
 */
static const struct kprobes_place *place_to_stay(void)
{
	return kprobes_place_named(KPROBES_STOPS_CPUS ? "nop" : KPROBES_PLACE_C);
}

/* A probe whose handler stays with interrupts enabled. */
static struct held *held_in_detour(struct kunit *test, void (*how)(struct held *held))
{
	struct held *held = new_held(test, how);

	held->c = kprobes_counter(test, place_to_stay());
	held->c->in_pre = stay_in_pre;
	held->c->data = held;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&held->c->kp));
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_TRUE(test, held->c->kp.flags & KPROBE_FLAG_OPTIMIZED);
	return held;
}

/* The other task is done when the handler has returned. */
static void end_taking_off(struct kunit *test, struct held *held)
{
	flush_work(&held->take_off);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(held->left));
	let_go(test, held);
}

/* Two tasks unregister two probes of a point: neither call returns before the handler has. */
static void both_tasks_wait(struct kunit *test)
{
	struct held *held = held_in_detour(test, by_unregistering);
	struct kprobes_counter *other = kprobes_counting(test, place_to_stay());

	hold(test, held);
	begin_to_take_off(test, held);
	WRITE_ONCE(held->release, true);
	unregister_kprobe(&other->kp);
	KUNIT_EXPECT_TRUE(test, READ_ONCE(held->left));
	kprobes_expect_off(test, &other->kp);
	end_taking_off(test, held);
	kprobes_expect_off(test, &held->c->kp);
}

/* If they unregister the same probe, the second call leaves it to the first one. */
static void same_probe_is_left_alone(struct kunit *test)
{
	struct held *held = held_in_detour(test, by_unregistering);
	struct kprobe *p = &held->c->kp;
	kprobe_opcode_t *addr = p->addr;
	struct kprobe *twice[] = { p, p };

	hold(test, held);
	begin_to_take_off(test, held);
	unregister_kprobe(p);
	unregister_kprobes(twice, 2);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(held->left));
	KUNIT_EXPECT_TRUE(test, work_busy(&held->take_off));
	/* The handler may read it. */
	KUNIT_EXPECT_PTR_EQ(test, p->addr, addr);
	WRITE_ONCE(held->release, true);
	end_taking_off(test, held);
	kprobes_expect_off(test, p);
	p->addr = NULL;
	held->c->in_pre = NULL;
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(p));
	kprobes_expect_targets(test, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&held->c->pre), 2);
}

/* The same for two tasks that disable it; the first one disarms the point while they wait. */
static void both_wait_to_disable(struct kunit *test)
{
	struct held *held;

	if (KPROBES_ALWAYS_STOPS_CPUS)
		kunit_skip(test, "CPUs are stopped");
	held = held_in_detour(test, by_disabling);
	hold(test, held);
	begin_to_take_off(test, held);
	WRITE_ONCE(held->release, true);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&held->c->kp));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(held->left));
	end_taking_off(test, held);
}

/* The kernel's log tells why unregistering does not return. */
static void waiting_is_reported(struct kunit *test)
{
	struct held *held;

	if (KPROBES_ALWAYS_STOPS_CPUS)
		kunit_skip(test, "CPUs are stopped");
	held = held_in_detour(test, by_unregistering);
	kprobes_watch_console(test, "kprobes: still waiting");
	hold(test, held);
	begin_to_take_off(test, held);
	KPROBES_EXPECT_SOON(test, *kprobes_console_line() || READ_ONCE(held->left));
	KUNIT_EXPECT_NOT_NULL(test, strstr(kprobes_console_line(), "for handlers on CPU"));
	WRITE_ONCE(held->release, true);
	end_taking_off(test, held);
}

/*
 * CPUs are stopped, and so wait for a handler, to replace instructions that the
 * architecture does not let be replaced otherwise.
 */
static bool stops_cpus(const struct kprobes_place *place)
{
	return KPROBES_ALWAYS_STOPS_CPUS ||
	       (KPROBES_STOPS_CPUS && strcmp(place->name, "nop") &&
		strcmp(place->name, "jump") && strcmp(place->name, "call"));
}

/*
 * A handler that does not return, with interrupts enabled, delays RCU and the unregistering
 * of its probe, and nothing else: neither other probes, nor registering the same probe,
 * which fails.
 */
static void others_do_not_wait(struct kunit *test)
{
	struct kprobes_counter *other = kprobes_counter(test, test->param_value);
	struct held *held;

	if (test->param_value == place_to_stay())
		kunit_skip(test, "needs a handler elsewhere");
	if (stops_cpus(test->param_value))
		kunit_skip(test, "CPUs are stopped");
	held = held_in_detour(test, by_unregistering);
	hold(test, held);
	begin_to_take_off(test, held);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&held->c->kp));
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(&held->c->kp));
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&other->kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&other->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&other->kp));
	unregister_kprobe(&other->kp);
	KUNIT_EXPECT_FALSE(test, READ_ONCE(held->left));
	KUNIT_EXPECT_TRUE(test, work_busy(&held->take_off));
	WRITE_ONCE(held->release, true);
	end_taking_off(test, held);
}

/* A task that calls a probed function without a pause, for as long as it may. */
struct caller {
	bool stop;
	unsigned int calls;
};

static void call_without_pause(void *data)
{
	struct caller *caller = data;
	ktime_t end = ktime_add_us(ktime_get(), 2 * KPROBES_PATIENCE);

	while (!READ_ONCE(caller->stop) && ktime_before(ktime_get(), end)) {
		kprobes_target_c(1);
		WRITE_ONCE(caller->calls, caller->calls + 1);
		cond_resched();
	}
}

static int spin_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	kprobes_spin(USEC_PER_MSEC);
	return 0;
}

static void take_off_now(void *data)
{
	struct held *held = data;

	held->how(held);
}

/*
 * Hits that keep coming at the point, for a probe whose handler is slow, must not hold up another
 * probe of the point. Nor does the log complain of handlers, as they all return.
 */
static void innocent_one_is_off_soon(struct kunit *test, void (*how)(struct held *held))
{
	struct kprobes_counter *slow = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_C));
	struct caller *caller = kunit_kzalloc(test, sizeof(*caller), GFP_KERNEL);
	struct held *held = new_held(test, how);
	struct kprobes_other *calls, *other;

	KUNIT_ASSERT_NOT_NULL(test, caller);
	held->c = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_C));
	slow->in_pre = spin_in_pre;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&slow->kp));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&held->c->kp));
	wait_for_kprobe_optimizer();
	kprobes_watch_console(test, "kprobes: still waiting");
	calls = kprobes_other(test, call_without_pause, caller, held->cpu);
	other = kprobes_other(test, take_off_now, held, raw_smp_processor_id());
	WRITE_ONCE(calls->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(caller->calls) > 3);
	WRITE_ONCE(other->go, true);
	KPROBES_EXPECT_SOON(test, READ_ONCE(other->done));
	KUNIT_EXPECT_STREQ(test, kprobes_console_line(), "");
	WRITE_ONCE(caller->stop, true);
	kprobes_end_other(other);
	kprobes_end_other(calls);
	KUNIT_EXPECT_EQ(test, slow->kp.nmissed, 0);
}

static void innocent_one_is_unregistered(struct kunit *test)
{
	innocent_one_is_off_soon(test, by_unregistering);
}

static void innocent_one_is_disabled(struct kunit *test)
{
	innocent_one_is_off_soon(test, by_disabling);
}

/* Interrupts of other CPUs */

#define PROBES		100

static unsigned int idle_cpu_nr;

static int count_on_idle(struct kprobe *p, struct pt_regs *regs)
{
	if (raw_smp_processor_id() == idle_cpu_nr)
		atomic_inc(kprobes_counter_of(p)->data);
	return 0;
}

/* A CPU that is idle need not be interrupted. Now and then this one has something to do. */
static void idle_is_left_alone(struct kunit *test)
{
	const struct kprobes_place barrier = { .symbol = "pass_barrier" };
	struct kprobes_counter *watch = kprobes_counter(test, &barrier);
	struct kprobes_counter *c = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	atomic_t interrupts = ATOMIC_INIT(0);
	int i;

	if (num_online_cpus() < 2 || !IS_ENABLED(CONFIG_CONTEXT_TRACKING_IDLE))
		kunit_skip(test, "needs two CPUs, and to know whether one is idle");
	migrate_disable();
	idle_cpu_nr = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	watch->in_pre = count_on_idle;
	watch->data = &interrupts;
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&watch->kp));
	for (i = 0; i < PROBES; i++) {
		c->kp.addr = NULL;
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(&c->kp));
		unregister_kprobe(&c->kp);
	}
	migrate_enable();
	KUNIT_EXPECT_LT(test, atomic_read(&interrupts), PROBES / 2);
}

static struct kunit_case unregister_cases[] = {
	KPROBES_CASE_PLACES(unregister_waits_for_pre),
	KPROBES_CASE_PLACES(unregister_waits_for_post),
	KPROBES_CASE_PLACES(disable_waits_for_pre),
	KPROBES_CASE_PLACES(disable_waits_for_post),
	KPROBES_CASE_ENTRIES(unregister_waits_for_entry),
	KPROBES_CASE_ENTRIES(unregister_waits_for_return),
	KUNIT_CASE(both_tasks_wait),
	KUNIT_CASE(same_probe_is_left_alone),
	KUNIT_CASE(both_wait_to_disable),
	KUNIT_CASE(waiting_is_reported),
	KUNIT_CASE(innocent_one_is_unregistered),
	KUNIT_CASE(innocent_one_is_disabled),
	KUNIT_CASE(idle_is_left_alone),
	KPROBES_CASE_PLACES(others_do_not_wait),
	{}
};

static struct kunit_suite unregister_suite = {
	.name = "kprobes_unregister",
	.test_cases = unregister_cases,
};

kunit_test_suite(unregister_suite);
