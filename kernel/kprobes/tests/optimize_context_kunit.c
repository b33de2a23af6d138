// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the context in which detours call handlers: it is the probed code's own, with
 * its stack trace. Also of hits by such handlers, and by interrupts of them.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>

#include "../../../arch/x86/kernel/kprobes-opt.h"
#include "../frame.h"
#include "../hit.h"
#include "optimized.h"

#define DEPTH	48

/**
 * struct seen - the context that a handler has found
 * @count:    preempt_count()
 * @irqs_off: irqs_disabled()
 * @atomic:   preemption is disabled, as far as the kernel counts that
 * @running:  kprobe_running()
 * @result:   of what it has called
 * @nr:       number of @trace
 * @trace:    stack_trace_save()
 */
struct seen {
	int count;
	bool irqs_off;
	bool atomic;
	struct kprobe *running;
	int result;
	unsigned int nr;
	unsigned long trace[DEPTH];
};

static struct seen *seen_by(struct kprobe *p)
{
	return kprobes_counter_of(p)->data;
}

static struct kprobes_counter *probed_at(struct kunit *test, const char *symbol,
					 unsigned int offset,
					 kprobe_pre_handler_t pre,
					 kprobe_post_handler_t post)
{
	const struct kprobes_place place = { .symbol = symbol, .offset = offset };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->data = kunit_kzalloc(test, sizeof(struct seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c->data);
	c->in_pre = pre;
	c->in_post = post;
	if (!post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	return c;
}

/* Context */

static int look_around(struct kprobe *p, struct pt_regs *regs)
{
	struct seen *s = seen_by(p);

	s->count = preempt_count();
	s->irqs_off = irqs_disabled();
	s->atomic = !IS_ENABLED(CONFIG_PREEMPT_COUNT) || !preemptible();
	s->running = kprobe_running();
	return 0;
}

static void look_around_post(struct kprobe *p, struct pt_regs *regs,
			     unsigned long flags)
{
	look_around(p, regs);
}

/* The context is that of the probed code, with preemption disabled. */
static void expect_context(struct kunit *test, struct kprobes_counter *c, int count,
			   bool irqs_off)
{
	struct seen *s = c->data;

	KUNIT_EXPECT_TRUE(test, s->atomic);
	KUNIT_EXPECT_EQ(test, s->irqs_off, irqs_off);
	KUNIT_EXPECT_PTR_EQ(test, s->running, &c->kp);
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		count++;
	KUNIT_EXPECT_EQ(test, s->count, count);
}

static void look_everywhere(struct kunit *test, struct kprobes_counter *c)
{
	int count = preempt_count();
	bool still_off;

	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_EXPECT_EQ(test, preempt_count(), count);
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	expect_context(test, c, count, false);
	local_irq_disable();
	kprobes_opt_plain(5);
	still_off = irqs_disabled();
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, still_off);
	expect_context(test, c, count, true);
	preempt_disable();
	kprobes_opt_plain(5);
	KUNIT_EXPECT_NULL(test, kprobe_running());
	preempt_enable();
	KUNIT_EXPECT_EQ(test, preempt_count(), count);
}

static void context_in_pre(struct kunit *test)
{
	look_everywhere(test, probed_at(test, "kprobes_opt_plain", 0,
					look_around, NULL));
}

static void context_in_post(struct kunit *test)
{
	look_everywhere(test, probed_at(test, "kprobes_opt_plain", 0,
					NULL, look_around_post));
}

/* Hits from handlers */

static int call_again(struct kprobe *p, struct pt_regs *regs)
{
	struct seen *s = seen_by(p);

	s->result = kprobes_opt_plain(30);
	s->running = kprobe_running();
	return 0;
}

static void call_again_post(struct kprobe *p, struct pt_regs *regs,
			    unsigned long flags)
{
	call_again(p, regs);
}

static void expect_nested(struct kunit *test, struct kprobes_counter *c)
{
	struct seen *s = c->data;

	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_EXPECT_EQ(test, s->result, 40);
	KUNIT_EXPECT_PTR_EQ(test, s->running, &c->kp);
	kprobes_expect_counts(test, c, 1, c->kp.post_handler ? 1 : 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 1);
	KUNIT_EXPECT_EQ(test, 1, kprobes_misses(&c->kp, KPROBE_MISS_NESTED));
}

static void nested_in_pre(struct kunit *test)
{
	expect_nested(test, probed_at(test, "kprobes_opt_plain", 0,
				      call_again, NULL));
}

static void nested_in_pre_with_post(struct kunit *test)
{
	struct kprobes_counter *c;

	c = probed_at(test, "kprobes_opt_plain", 0, call_again, look_around_post);
	expect_nested(test, c);
}

static void nested_in_post(struct kunit *test)
{
	expect_nested(test, probed_at(test, "kprobes_opt_plain", 0,
				      NULL, call_again_post));
}

/* Hits in an interrupt of a handler */

static struct {
	struct irq_work work;
	int result;
	struct kprobe *running;
	bool raised;
	bool done;
} landing;

static void land(struct irq_work *work)
{
	landing.running = kprobe_running();
	landing.result = kprobes_opt_plain(70);
	WRITE_ONCE(landing.done, true);
}

static int be_landed_on(struct kprobe *p, struct pt_regs *regs)
{
	int patience = 400000;

	if (landing.raised)
		return 0;
	landing.raised = true;
	irq_work_queue(&landing.work);
	while (!READ_ONCE(landing.done) && patience--)
		kprobes_spin(5);
	seen_by(p)->running = kprobe_running();
	return 0;
}

static void be_landed_on_post(struct kprobe *p, struct pt_regs *regs,
			      unsigned long flags)
{
	be_landed_on(p, regs);
}

static void expect_landing(struct kunit *test, struct kprobes_counter *c)
{
	memset(&landing, 0, sizeof(landing));
	landing.work = IRQ_WORK_INIT_HARD(land);
	KUNIT_EXPECT_EQ(test, kprobes_opt_plain(5), 15);
	KUNIT_EXPECT_TRUE(test, landing.done);
	KUNIT_EXPECT_EQ(test, landing.result, 80);
	KUNIT_EXPECT_NULL(test, landing.running);
	KUNIT_EXPECT_PTR_EQ(test, ((struct seen *)c->data)->running, &c->kp);
	kprobes_expect_counts(test, c, 2, c->kp.post_handler ? 2 : 0);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
}

static void interrupt_in_pre(struct kunit *test)
{
	expect_landing(test, probed_at(test, "kprobes_opt_plain", 0,
				       be_landed_on, NULL));
}

static void interrupt_in_pre_with_post(struct kunit *test)
{
	expect_landing(test, probed_at(test, "kprobes_opt_plain", 0,
				       be_landed_on, look_around_post));
}

static void interrupt_in_post(struct kunit *test)
{
	expect_landing(test, probed_at(test, "kprobes_opt_plain", 0,
				       NULL, be_landed_on_post));
}

/* The end of an interrupt, on its own stack, which counts as task context */

static atomic_t ends_of_interrupts;

static bool on_stack_of_task(void)
{
	return current_stack_pointer - (unsigned long)task_stack_page(current) < THREAD_SIZE;
}

static int call_at_end_of_interrupt(struct kprobe *p, struct pt_regs *regs)
{
	if (kprobe_context() || on_stack_of_task() ||
	    atomic_read(&ends_of_interrupts) == 3)
		return 0;
	atomic_inc(&ends_of_interrupts);
	kprobes_opt_plain(5);
	return 0;
}

/* A function that is called when softirqs begin. Hits by its handler are misses. */
static void nested_at_end_of_interrupt(struct kunit *test)
{
	const struct kprobes_place softirqs = { .symbol = "handle_softirqs" };
	struct kprobes_counter *outer, *inner;
	int patience = 100;

	inner = probed_at(test, "kprobes_opt_plain", 0, look_around, NULL);
	outer = kprobes_counter(test, &softirqs);
	outer->kp.post_handler = NULL;
	outer->in_pre = call_at_end_of_interrupt;
	atomic_set(&ends_of_interrupts, 0);
	if (register_kprobe(&outer->kp))
		kunit_skip(test, "no function where softirqs begin");
	while (atomic_read(&ends_of_interrupts) < 3 && patience--)
		msleep(20);
	unregister_kprobe(&outer->kp);
	if (!atomic_read(&ends_of_interrupts))
		kunit_skip(test, "interrupts end on the stack of the task");
	kprobes_expect_counts(test, inner, 0, 0);
	KUNIT_EXPECT_EQ(test, inner->kp.nmissed, atomic_read(&ends_of_interrupts));
}

/* Stack traces */

static void take_trace(struct seen *s)
{
	s->nr = stack_trace_save(s->trace, DEPTH, 0);
}

static int trace_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	take_trace(seen_by(p));
	return 0;
}

static void trace_in_post(struct kprobe *p, struct pt_regs *regs,
			  unsigned long flags)
{
	take_trace(seen_by(p));
}

static int trace_in_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	take_trace(kprobes_returns_of(ri)->data);
	return 0;
}

static bool is_in(unsigned long addr, const char *symbol)
{
	char name[KSYM_SYMBOL_LEN];
	size_t len = strlen(symbol);

	sprint_backtrace(name, addr);
	return !strncmp(name, symbol, len) && (name[len] == '+' || !name[len]);
}

/* Does the trace have @symbols one after another, and then the start of the thread? */
static bool is_complete(const struct seen *s, const char *const *symbols)
{
	unsigned int i = 0, k;

	while (i < s->nr && !is_in(s->trace[i], symbols[0]))
		i++;
	for (k = 0; symbols[k]; k++, i++)
		if (i >= s->nr || !is_in(s->trace[i], symbols[k]))
			return false;
	while (i < s->nr && !is_in(s->trace[i], "kthread"))
		i++;
	return i < s->nr;
}

static void expect_trace(struct kunit *test, struct seen *s, const char *what,
			 const char *const *symbols)
{
	bool good = is_complete(s, symbols);
	unsigned int i;

	KUNIT_EXPECT_TRUE_MSG(test, good, "%s", what);
	for (i = 0; !good && i < s->nr; i++)
		kunit_info(test, "  %pB\n", (void *)s->trace[i]);
	s->nr = 0;
}

static noinline int __noipa kprobes_opt_caller(int a)
{
	int ret = kprobes_opt_middle(a);

	barrier();
	return ret;
}

static const char *const middle_way[] = {
	"kprobes_opt_middle", "kprobes_opt_caller", NULL
};

static void trace_from_middle(struct kunit *test)
{
	struct kprobes_counter *c[2];
	unsigned int at = kprobes_opt_middle_at;

	c[0] = probed_at(test, "kprobes_opt_middle", at, trace_in_pre, NULL);
	KUNIT_EXPECT_EQ(test, kprobes_opt_caller(5), 8);
	expect_trace(test, c[0]->data, "pre-handler", middle_way);
	c[1] = probed_at(test, "kprobes_opt_middle", at, NULL, trace_in_post);
	KUNIT_EXPECT_EQ(test, kprobes_opt_caller(5), 8);
	expect_trace(test, c[0]->data, "pre-handler beside another", middle_way);
	expect_trace(test, c[1]->data, "post-handler", middle_way);
}

/*
 * After a push only the trace of a post-handler is complete. In a pre-handler, regs->ip is
 * already the next instruction if the push has one byte. The stack is different there, so
 * the caller is missing, as it is in a breakpoint's trap.
 */
static void trace_after_push(struct kunit *test)
{
	struct kprobes_counter *c;

	if (IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER))
		kunit_skip(test, "the function has not made its frame, as without probes");
	c = probed_at(test, "kprobes_opt_middle", 0, NULL, trace_in_post);
	KUNIT_EXPECT_EQ(test, kprobes_opt_caller(5), 8);
	expect_trace(test, c->data, "post-handler", middle_way);
}

/* There are too many handlers for the detour's own code to call them. */
static void trace_from_slow_path(struct kunit *test)
{
	struct kprobes_counter *c[5];
	int i;

	for (i = 0; i < ARRAY_SIZE(c); i++)
		c[i] = probed_at(test, "kprobes_opt_middle", kprobes_opt_middle_at,
				 trace_in_pre, trace_in_post);
	KUNIT_EXPECT_EQ(test, kprobes_opt_caller(5), 8);
	for (i = 0; i < ARRAY_SIZE(c); i++)
		expect_trace(test, c[i]->data, "post-handler", middle_way);
}

static noinline int __noipa kprobes_opt_caller_of_c(int a)
{
	int ret = kprobes_target_c(a);

	barrier();
	return ret;
}

static void trace_from_return_probe(struct kunit *test)
{
	static const char *const way[] = { "kprobes_opt_caller_of_c", NULL };
	struct kprobes_returns *r = kprobes_returns(test, "kprobes_target_c");
	struct seen *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	r->data = s;
	r->in_entry = trace_in_return;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	wait_for_kprobe_optimizer();
	if (!(r->rp.kp.flags & KPROBE_FLAG_OPTIMIZED))
		kunit_skip(test, "the entry is not optimized");
	KUNIT_EXPECT_EQ(test, kprobes_opt_caller_of_c(5), 6);
	expect_trace(test, s, "entry handler", way);
	r->in_entry = NULL;
	r->in_return = trace_in_return;
	KUNIT_EXPECT_EQ(test, kprobes_opt_caller_of_c(5), 6);
	expect_trace(test, s, "return handler", way);
	kprobes_expect_returns(test, r, 2, 2);
}

/* Addresses in a detour */

/* Unwinders must replace it by an address in the kernel's text. */
static void expect_text(struct kunit *test, unsigned long addr)
{
	unsigned long ip = kprobe_displaced_ip(addr);

	KUNIT_EXPECT_TRUE(test, kernel_text_address(addr));
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(addr));
	KUNIT_EXPECT_NE(test, ip, addr);
	KUNIT_EXPECT_TRUE(test, core_kernel_text(ip));
	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(ip));
}

/* The displaced instructions, and the jump back. */
static void expect_copies(struct kunit *test, const struct kprobe_detour *d)
{
	unsigned int i;

	KUNIT_EXPECT_EQ(test, d->nr, d->alone ? 1 : KPROBES_OPT_PLAIN_NR);
	for (i = 0; i <= d->nr; i++)
		KUNIT_EXPECT_EQ(test, d->point->site + d->from[i],
				kprobe_displaced_ip((unsigned long)d->slot +
						    d->insn[i]));
}

static void displaced_addresses(struct kunit *test)
{
	struct kprobe_point *point;
	struct kprobes_counter *c;
	unsigned int i, post;

	for (post = 0; post < 2; post++) {
		c = probed_at(test, "kprobes_opt_plain", 0, NULL,
			      post ? look_around_post : NULL);
		point = kprobe_point_lookup((unsigned long)c->kp.addr);
		KUNIT_ASSERT_NOT_NULL(test, point);
		for (i = 0; i < point->detour->copies; i++)
			expect_text(test, (unsigned long)point->detour->slot + i);
		expect_copies(test, point->detour);
		KUNIT_EXPECT_EQ(test, kprobe_displaced_ip((unsigned long)point->detour->route.run),
				point->site);
	}
}

#ifdef ARCH_KPROBE_OWN_DETOURS
/* A detour that calls no handlers itself has no code that restores registers. */
static void displaced_without_handlers(struct kunit *test)
{
	struct kprobe_point *point;
	struct kprobes_counter *c;
	int i;

	for (i = 0; i < 5; i++)
		c = probed_at(test, "kprobes_opt_middle", kprobes_opt_middle_at,
			      look_around, NULL);
	point = kprobe_point_lookup((unsigned long)c->kp.addr);
	KUNIT_EXPECT_FALSE(test, point->detour->direct);
	expect_copies(test, point->detour);
}
#else
/* In front of the copy that calls for the post-handlers, what restores the stack. */
static void displaced_before_post(struct kunit *test)
{
	struct kprobes_counter *c = probed_at(test, "kprobes_opt_plain", 0, NULL,
					      look_around_post);
	struct kprobe_point *point = kprobe_point_lookup((unsigned long)c->kp.addr);
	const struct kprobe_detour *d = point->detour;
	unsigned long addr, post = (unsigned long)d->route.run_post;

	KUNIT_ASSERT_NE(test, post, 0);
	for (addr = (unsigned long)d->slot + d->copies; addr <= post; addr++)
		KUNIT_EXPECT_EQ(test, kprobe_displaced_ip(addr), point->site);
	KUNIT_EXPECT_EQ(test, kprobe_displaced_ip(post + point->len), point->site + point->len);
}
#endif

static struct kunit_case context_cases[] = {
	KPROBES_CASE_DETOURS(context_in_pre),
	KPROBES_CASE_DETOURS(context_in_post),
	KPROBES_CASE_DETOURS(nested_in_pre),
	KPROBES_CASE_DETOURS(nested_in_pre_with_post),
	KPROBES_CASE_DETOURS(nested_in_post),
	KPROBES_CASE_DETOURS(interrupt_in_pre),
	KPROBES_CASE_DETOURS(interrupt_in_pre_with_post),
	KPROBES_CASE_DETOURS(interrupt_in_post),
	KPROBES_CASE_DETOURS(trace_from_middle),
	KPROBES_CASE_DETOURS(trace_after_push),
	KUNIT_CASE(trace_from_slow_path),
	KUNIT_CASE(trace_from_return_probe),
	KPROBES_CASE_DETOURS(displaced_addresses),
#ifdef ARCH_KPROBE_OWN_DETOURS
	KUNIT_CASE(displaced_without_handlers),
#else
	KPROBES_CASE_DETOURS(displaced_before_post),
#endif
	KUNIT_CASE(nested_at_end_of_interrupt),
	{}
};

static struct kunit_suite context_suite = {
	.name = "kprobes_optimize_context",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = context_cases,
};

kunit_test_suite(context_suite);

MODULE_DESCRIPTION("KUnit tests of the context of handlers that detours call");
MODULE_LICENSE("GPL");
