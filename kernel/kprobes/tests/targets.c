// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Common code of the suites: functions to probe whose entries ftrace knows, a list
 * of all places to probe, and probes that count.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobe_point.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../slot.h"
#include "targets.h"

noinline int __noipa kprobes_target_c(int a)
{
	return a + 1;
}

#define ASM_PLACES	kprobes_asm_places
#define NR_ASM_PLACES	((unsigned int)(kprobes_asm_places_end - ASM_PLACES))

noinline int __noipa kprobes_targets_run(int a)
{
	return kprobes_target_c(a) + kprobes_target_asm(a) +
	       kprobes_target_endbr(a);
}

noinline int __noipa kprobes_target_call_c(int (*fn)(void *arg), void *arg)
{
	return fn(arg) + 1;
}

/* A pointer to it would need a landing pad. */
static int call_asm(int (*fn)(void *arg), void *arg)
{
	int ret = kprobes_target_call(fn, arg);

	barrier();	/* no tail call, for stack traces */
	return ret;
}

static const struct kprobes_caller callers[] = {
	{ KPROBES_PLACE_C, "kprobes_target_call_c", kprobes_target_call_c },
	{ KPROBES_PLACE_ASM, "kprobes_target_call", call_asm },
};

static void caller_name(const struct kprobes_caller *caller, char *desc)
{
	strscpy(desc, caller->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(caller, callers, caller_name);

/* For KUNIT_CASE_PARAM. */
const void *kprobes_caller_gen_params(const void *prev, char *desc)
{
	return caller_gen_params(prev, desc);
}

int kprobes_return_41(void *unused)
{
	return 41;
}

/* Has the caller call a function that returns 41, so it returns 42. */
int kprobes_call_41(const struct kprobes_caller *caller)
{
	return caller->call(kprobes_return_41, NULL);
}

static const struct kprobes_place c_place = {
	.name = KPROBES_PLACE_C,
	.symbol = "kprobes_target_c",
};

/* How many places there are. */
unsigned int kprobes_places(void)
{
	return 1 + NR_ASM_PLACES;
}

const struct kprobes_place *kprobes_place(unsigned int i)
{
	return i ? &ASM_PLACES[i - 1] : &c_place;
}

const struct kprobes_place *kprobes_place_named(const char *name)
{
	unsigned int i;

	for (i = 0; i < kprobes_places(); i++)
		if (!strcmp(kprobes_place(i)->name, name))
			return kprobes_place(i);
	return &c_place;
}

/* The address that a probe there gets: after a landing pad. */
unsigned long kprobes_place_addr(const struct kprobes_place *place)
{
	unsigned long addr;

	addr = (unsigned long)kprobe_lookup_name(place->symbol, 0);
	return addr + (place->offset ?: kprobes_landing_pad(addr));
}

static const void *next_place(const void *prev, char *desc, bool entries)
{
	unsigned int i = 0;

	if (prev)
		while (kprobes_place(i++) != prev)
			;
	while (i < kprobes_places() && entries && kprobes_place(i)->offset)
		i++;
	if (i == kprobes_places())
		return NULL;
	strscpy(desc, kprobes_place(i)->name, KUNIT_PARAM_DESC_SIZE);
	return kprobes_place(i);
}

/* For KUNIT_CASE_PARAM: all places. */
const void *kprobes_place_gen_params(const void *prev, char *desc)
{
	return next_place(prev, desc, false);
}

/* The same: those that are functions' entries. */
const void *kprobes_entry_gen_params(const void *prev, char *desc)
{
	return next_place(prev, desc, true);
}

int kprobes_count_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct kprobes_counter *c = kprobes_counter_of(p);

	atomic_inc(&c->pre);
	WRITE_ONCE(c->pre_ip, instruction_pointer(regs));
	return c->in_pre ? c->in_pre(p, regs) : 0;
}

void kprobes_count_post(struct kprobe *p, struct pt_regs *regs,
			unsigned long flags)
{
	struct kprobes_counter *c = kprobes_counter_of(p);

	atomic_inc(&c->post);
	WRITE_ONCE(c->post_ip, instruction_pointer(regs));
	if (c->in_post)
		c->in_post(p, regs, flags);
}

static void unregister(void *p)
{
	unregister_kprobe(p);
}

/* A counting probe for a place, with both handlers; the caller registers it. */
struct kprobes_counter *kprobes_counter(struct kunit *test,
					const struct kprobes_place *place)
{
	struct kprobes_counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	INIT_LIST_HEAD(&c->kp.list);
	c->kp.symbol_name = place->symbol;
	c->kp.offset = place->offset;
	c->kp.pre_handler = kprobes_count_pre;
	c->kp.post_handler = kprobes_count_post;
	/* This does nothing if the test has unregistered it. */
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, unregister, &c->kp));
	return c;
}

/* The same, registered. */
struct kprobes_counter *kprobes_counting(struct kunit *test,
					 const struct kprobes_place *place)
{
	struct kprobes_counter *c = kprobes_counter(test, place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

/* What "points" shows for the point of a registered probe. */
unsigned int kprobes_misses(const struct kprobe *p, enum kprobe_miss cause)
{
	guard(mutex)(&kprobe_mutex);
	return p->point ? atomic_read(&p->point->misses[cause]) : UINT_MAX;
}

void kprobes_expect_counts(struct kunit *test, struct kprobes_counter *c,
			   int pre, int post)
{
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&c->pre), pre, "%s+%#x",
			    c->kp.symbol_name, c->kp.offset);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&c->post), post, "%s+%#x",
			    c->kp.symbol_name, c->kp.offset);
}

static int count_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kprobes_returns *r = kprobes_returns_of(ri);

	atomic_inc(&r->entries);
	return r->in_entry ? r->in_entry(ri, regs) : 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kprobes_returns *r = kprobes_returns_of(ri);

	atomic_inc(&r->returns);
	return r->in_return ? r->in_return(ri, regs) : 0;
}

static void unregister_return(void *rp)
{
	unregister_kretprobe(rp);
}

void kprobes_returns_init(struct kprobes_returns *r, const char *symbol)
{
	*r = (struct kprobes_returns){
		.rp.kp.symbol_name = symbol,
		.rp.handler = count_return,
		.rp.entry_handler = count_entry,
	};
	INIT_LIST_HEAD(&r->rp.kp.list);
}

/* A counting return probe, with both handlers; the caller registers it. */
struct kprobes_returns *kprobes_returns(struct kunit *test, const char *symbol)
{
	struct kprobes_returns *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	kprobes_returns_init(r, symbol);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, unregister_return,
							   &r->rp));
	return r;
}

/* The same, registered. */
struct kprobes_returns *kprobes_returning(struct kunit *test,
					  const char *symbol)
{
	struct kprobes_returns *r = kprobes_returns(test, symbol);

	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	return r;
}

/* The same two, for the caller that a test is run for. */
struct kprobes_returns *kprobes_caller_returns(struct kunit *test)
{
	const struct kprobes_caller *caller = test->param_value;

	return kprobes_returns(test, caller->symbol);
}

struct kprobes_returns *kprobes_caller_returning(struct kunit *test)
{
	const struct kprobes_caller *caller = test->param_value;

	return kprobes_returning(test, caller->symbol);
}

/* Expects so many entries and returns, and no misses. */
void kprobes_expect_returns(struct kunit *test, struct kprobes_returns *r,
			    int entries, int returns)
{
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&r->entries), entries, "%s",
			    r->rp.kp.symbol_name);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&r->returns), returns, "%s",
			    r->rp.kp.symbol_name);
	KUNIT_EXPECT_EQ(test, r->rp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, r->rp.kp.nmissed, 0);
}

static void read_text(struct kprobes_text *text)
{
	if (copy_from_kernel_nofault(text->bytes, (void *)text->addr,
				     sizeof(text->bytes)))
		memset(text->bytes, 0, sizeof(text->bytes));
}

/* Registers a probe and unregisters it. */
int kprobes_try(unsigned long addr)
{
	struct kprobe p = { .addr = (kprobe_opcode_t *)addr };
	int ret = register_kprobe(&p);

	if (!ret)
		unregister_kprobe(&p);
	return ret;
}

/* A symbol ends where the next begins, which may be a label; padding can be long. */
unsigned long kprobes_symbol_end(unsigned long addr)
{
	unsigned long size, offset;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return addr;
	return addr - offset + min(size, PAGE_SIZE);
}

/**
 * kprobes_expect_blacklisted() - expect that all of some text is on the blacklist, and refused
 * @test:  the test
 * @start: the text's first byte
 * @end:   the byte after it
 *
 * Looks at the list first, because a probe that is accepted by mistake may crash the kernel.
 *
 * Context: Process context, may sleep.
 */
void kprobes_expect_blacklisted(struct kunit *test, unsigned long start, unsigned long end)
{
	unsigned long addr, allowed = 0;

	for (addr = start; addr < end; addr++)
		allowed += !within_kprobe_blacklist(addr);
	KUNIT_EXPECT_EQ_MSG(test, 0, allowed, "bytes from %pS to %pS may be probed",
			    (void *)start, (void *)end);
	for (addr = start; !allowed && addr < end; addr += KPROBE_INSN_ALIGN)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL, kprobes_try(addr), "%pS", (void *)addr);
}

/*
 * Saves text after points of earlier tests were disarmed and freed. Their veneers, in the prefix of
 * the next function, become nops only then.
 */
void kprobes_text_save(struct kprobes_text *text, unsigned long addr)
{
	wait_for_kprobe_optimizer();
	kprobes_wait_for_frees();
	text->addr = addr;
	read_text(text);
}

void kprobes_text_expect(struct kunit *test, const struct kprobes_text *text)
{
	struct kprobes_text now = { .addr = text->addr };

	read_text(&now);
	KUNIT_EXPECT_MEMEQ(test, now.bytes, text->bytes, sizeof(now.bytes));
}

/* Expects that a probe's structure shows no registration. */
void kprobes_expect_off(struct kunit *test, const struct kprobe *p)
{
	KUNIT_EXPECT_TRUE(test, list_empty(&p->list));
	KUNIT_EXPECT_TRUE(test, hlist_unhashed(&p->hlist));
	KUNIT_EXPECT_NULL(test, p->point);
}

/* Runs the targets and checks their result. */
void kprobes_expect_targets(struct kunit *test, unsigned int times)
{
	int a;

	for (a = 0; a < times; a++)
		KUNIT_EXPECT_EQ(test, kprobes_targets_run(a),
				KPROBES_TARGETS_RESULT(a));
}

static void be_anywhere(void *unused)
{
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* Keeps the test on one of several CPUs. */
static void stay_on(struct kunit *test, unsigned int cpu)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	KUNIT_ASSERT_EQ(test, 0, set_cpus_allowed_ptr(current, cpumask_of(cpu)));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, be_anywhere, NULL));
}

/* Keeps the test on its CPU, and returns another one, on which it never runs. */
unsigned int kprobes_leave_cpu(struct kunit *test)
{
	unsigned int cpu = raw_smp_processor_id();

	stay_on(test, cpu);
	return cpumask_any_but(cpu_online_mask, cpu);
}

/* A CPU that can be taken offline: the first one may have to stay, and the test stays on it. */
unsigned int kprobes_cpu_to_stop(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_HOTPLUG_CPU))
		kunit_skip(test, "needs CONFIG_HOTPLUG_CPU");
	stay_on(test, cpumask_first(cpu_online_mask));
	return cpumask_last(cpu_online_mask);
}

static void wait_for_grace_period(void)
{
#ifdef CONFIG_TASKS_RCU
	rcu_barrier_tasks();
#else
	rcu_barrier();
#endif
	msleep(100);
}

/*
 * Waits until what was unregistered is freed: after a Tasks RCU grace period, by a work
 * item. A point that finds a detour of its own not freed yet waits for another one.
 */
void kprobes_wait_for_frees(void)
{
	wait_for_grace_period();
	wait_for_grace_period();
}

/* Is this a slot or a detour, NULL if there never was one, that was not freed? */
bool kprobes_slot_has_owner(const void *slot)
{
	unsigned int offset;

	return slot && kprobe_slot_owner((unsigned long)slot, &offset);
}
