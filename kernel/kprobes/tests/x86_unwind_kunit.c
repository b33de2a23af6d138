// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of unwinding from displaced code: a stack trace is taken before each
 * instruction of a probed function, of its slots and detours, and of the
 * trampolines, and compared to the one that is taken without a probe.
 *
 * Traces are taken from the registers of a debug trap, from the trap's own frame as an
 * NMI does, and reliable ones as live patching does. The stack below the stack pointer is
 * overwritten before, as an interrupt may do. Handlers take traces as well. The function is
 * called by a task, by an interrupt and by an NMI, each of which has a stack of its own.
 */
#include <kunit/test.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/nmi.h>
#include <linux/stacktrace.h>
#include <asm/apic.h>
#include <asm/nospec-branch.h>

#include "../../../arch/x86/kernel/kprobes-insn.h"
#include "optimized.h"
#include "unwind.h"
#include "x86_step.h"

/* How many callers are compared at most. */
#define DEPTH		6

/* Room for a trace that also has the functions of the trap. */
#define TRACE_MAX	64

/* What calls the function. */
enum context { IN_TASK, IN_IRQ, IN_NMI, CONTEXTS };

static const char *const context_names[] = { "a task", "an interrupt", "an NMI" };

/* How many callers are compared: those up to call_in_context(), or to the kernel's entry. */
static const unsigned int depths[] = { 3, DEPTH, DEPTH };

/**
 * struct place - where a probe is set
 * @name:     name of the test case
 * @symbol:   name of a function
 * @function: the function
 * @at:       offset of the probed instruction
 */
struct place {
	const char *name;
	const char *symbol;
	int (*function)(int a);
	const unsigned int *at;
};

#define PLACE(name, symbol, at)	{ name, #symbol, symbol, at }

static const struct place places[] = {
	PLACE("push", kprobes_unwind_push, &kprobes_unwind_push_at),
	PLACE("pop", kprobes_unwind_push, &kprobes_unwind_pop_at),
	PLACE("load", kprobes_unwind_load, &kprobes_unwind_load_at),
	PLACE("add", kprobes_unwind_add, &kprobes_unwind_add_at),
	PLACE("nop and call", kprobes_unwind_call, &kprobes_unwind_nop_at),
	PLACE("before a branch's target", kprobes_unwind_short, &kprobes_unwind_short_at),
	PLACE("call", kprobes_unwind_call_first, &kprobes_unwind_call_at),
};

/**
 * struct trace - a stack trace that was taken
 * @entries: its addresses
 * @nr:      how many
 * @ip:      address of the trap
 * @how:     how it was taken
 */
struct trace {
	unsigned long entries[TRACE_MAX];
	unsigned int nr;
	unsigned long ip;
	const char *how;
};

/**
 * struct walk - a function is called and unwound from at each instruction
 * @steps:     for stepping
 * @function:  the function
 * @site:      address of its probe
 * @start:     its first byte
 * @end:       the byte after its last
 * @context:   what calls the function
 * @ways:      for each context the callers of the function, from a trace without a probe
 * @way:       those of @context
 * @depth:     how many; 0 at first
 * @work:      for an interrupt
 * @result:    of the function
 * @stack:     the stack pointer when it was called, 0 before that
 * @returned:  the function has returned, but its caller does not run yet
 * @handling:  a handler takes a trace: no traces are taken from it
 * @displaced: how many instructions outside of the function were unwound from
 * @reliable:  how many reliable traces could be taken
 * @wrong:     how many traces were wrong
 * @trace:     the first wrong one; as long as there is none, the last one
 */
struct walk {
	struct kprobes_steps steps;
	int (*function)(int a);
	unsigned long site;
	unsigned long start;
	unsigned long end;
	enum context context;
	unsigned long ways[CONTEXTS][DEPTH];
	unsigned long *way;
	unsigned int depth;
	struct irq_work work;
	int result;
	unsigned long stack;
	bool returned;
	bool handling;
	unsigned int displaced;
	unsigned int reliable;
	unsigned int wrong;
	struct trace trace;
};

static bool in_function(const struct walk *w, unsigned long addr)
{
	return addr >= w->start && addr < w->end;
}

/* No displaced address must be in the trace; then the function, then all of its callers. */
static bool is_right(const struct walk *w, const struct trace *t)
{
	unsigned int i = 0;

	while (i < t->nr && t->entries[i] != w->way[0])
		if (is_kprobe_insn_slot(t->entries[i++]))
			return false;
	if (i + w->depth > t->nr ||
	    memcmp(t->entries + i, w->way, w->depth * sizeof(w->way[0])))
		return false;
	return w->returned || (i && in_function(w, t->entries[i - 1]));
}

static void judge(struct walk *w, const struct trace *t)
{
	if (is_right(w, t))
		return;
	if (!w->wrong++)
		w->trace = *t;
}

/* Overwrites the stack below the stack pointer: the kernel has no red zone there. */
static noinline void __no_sanitize_address scribble(unsigned long stack)
{
	unsigned long *below = (void *)stack;
	int i;

	for (i = 1; i <= 32; i++)
		WRITE_ONCE(below[-i], 0x5a5a5a5a5a5a5a5aUL);
}

static void unwind(struct walk *w, struct pt_regs *regs)
{
	static struct trace t;
	int nr;

	t.ip = regs->ip;
	t.how = "registers";
	t.nr = stack_trace_save_regs(regs, t.entries, TRACE_MAX, 0);
	judge(w, &t);
	t.how = "below the trap";
	t.nr = stack_trace_save(t.entries, TRACE_MAX, 0);
	judge(w, &t);
	nr = stack_trace_save_tsk_reliable(current, t.entries, TRACE_MAX);
	if (nr < 0)
		return;
	t.how = "below the trap, reliably";
	t.nr = nr;
	judge(w, &t);
	w->reliable++;
}

/* Is it in that function? */
static bool is_in(unsigned long ip, unsigned long function)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(function, &size, &offset) && ip - function < size;
}

#ifdef CONFIG_MITIGATION_RETPOLINE
static bool is_in_array(unsigned long ip, const retpoline_thunk_t *thunks)
{
	return ip - (unsigned long)thunks < 16 * sizeof(*thunks);
}
#endif

/* ORC has no data for the thunks of indirect branches, nor for those that count calls. */
static bool is_thunk(unsigned long ip)
{
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	if (is_in_array(ip, __x86_indirect_call_thunk_array) ||
	    is_in_array(ip, __x86_indirect_jump_thunk_array) ||
	    is_in(ip, (unsigned long)call_depth_return_thunk))
		return true;
#endif
#ifdef CONFIG_MITIGATION_RETPOLINE
	return is_in_array(ip, __x86_indirect_thunk_array);
#else
	return false;
#endif
}

/* While a call is emulated, the return address is pushed before the pointer is set. */
static bool is_emulating(unsigned long ip)
{
	return is_in(ip, (unsigned long)arch_kprobe_emulate);
}

/* With frame pointers, the caller is missing where a function's frame is set up or left. */
static bool can_be_unwound_from(const struct walk *w, unsigned long ip)
{
	if (w->handling || is_emulating(ip))
		return false;
	return IS_ENABLED(CONFIG_UNWINDER_ORC) ? !is_thunk(ip) : is_kprobe_insn_slot(ip);
}

static void learn_way(struct walk *w, struct pt_regs *regs)
{
	unsigned long entries[1 + DEPTH];

	w->depth = stack_trace_save_regs(regs, entries, 1 + depths[w->context], 0) - 1;
	memcpy(w->way, entries + 1, w->depth * sizeof(w->way[0]));
}

static void walk_each(struct kprobes_steps *steps, struct pt_regs *regs)
{
	struct walk *w = container_of(steps, struct walk, steps);

	if (!w->stack && regs->ip == w->start)
		w->stack = regs->sp;
	if (!w->stack || w->stack == ULONG_MAX)
		return;
	if (!w->depth && regs->ip == w->site)
		learn_way(w, regs);
	if (!w->depth)
		return;
	w->returned |= regs->sp > w->stack;
	if (regs->ip == w->way[0]) {
		w->stack = ULONG_MAX;
		return;
	}
	if (!can_be_unwound_from(w, regs->ip))
		return;
	w->displaced += !in_function(w, regs->ip);
	scribble(regs->sp);
	unwind(w, regs);
}

/* Without kCFI: the function may be assembly, which has no type. */
static noinline int __noipa __nocfi call_function(void *data)
{
	struct walk *w = data;
	int ret = w->function(41);

	barrier();
	return ret;
}

static void print(struct kunit *test, const struct walk *w)
{
	const struct trace *t = &w->trace;
	unsigned int i;

	kunit_info(test, "  at %pS, which stands for %pS, from %s\n", (void *)t->ip,
		   (void *)kprobe_displaced_ip(t->ip), t->how);
	if (is_kprobe_insn_slot(t->ip))
		kunit_info(test, "  code %*ph\n", 12, (void *)t->ip);
	for (i = 0; i < min(t->nr, 24U); i++)
		kunit_info(test, "  %pS\n", (void *)t->entries[i]);
}

static void step_in_irq(struct irq_work *work)
{
	struct walk *w = container_of(work, struct walk, work);

	w->result = kprobes_step(&w->steps);
}

static struct walk *nmi_walk;

static int step_in_nmi(unsigned int type, struct pt_regs *regs)
{
	struct walk *w = READ_ONCE(nmi_walk);

	if (!w || w->steps.task != current)
		return NMI_DONE;
	WRITE_ONCE(nmi_walk, NULL);
	w->result = kprobes_step(&w->steps);
	return NMI_HANDLED;
}

static void call_in_nmi(struct walk *w)
{
	unsigned long patience = jiffies + 10 * HZ;

	w->steps.task = current;
	preempt_disable();
	WRITE_ONCE(nmi_walk, w);
	__apic_send_IPI(smp_processor_id(), NMI_VECTOR);
	while (READ_ONCE(nmi_walk) && time_before(jiffies, patience))
		cpu_relax();
	WRITE_ONCE(nmi_walk, NULL);
	preempt_enable();
}

/* Returns the function's result, 0 if it was not called. */
static noinline int __noipa call_in_context(struct walk *w)
{
	w->result = 0;
	switch (w->context) {
	case IN_IRQ:
		irq_work_queue(&w->work);
		irq_work_sync(&w->work);
		break;
	case IN_NMI:
		call_in_nmi(w);
		break;
	default:
		w->result = kprobes_step(&w->steps);
		barrier();
		break;
	}
	return w->result;
}

static noinline void __noipa run(struct kunit *test, struct walk *w, const char *what)
{
	const char *context = context_names[w->context];

	w->stack = 0;
	w->returned = false;
	w->displaced = 0;
	w->reliable = 0;
	w->wrong = 0;
	KUNIT_EXPECT_EQ_MSG(test, call_in_context(w), 42, "%s in %s", what, context);
	KUNIT_EXPECT_EQ_MSG(test, w->stack, ULONG_MAX, "%s in %s", what, context);
	KUNIT_EXPECT_EQ_MSG(test, w->wrong, 0, "%s in %s", what, context);
	if (IS_ENABLED(CONFIG_UNWINDER_ORC))
		KUNIT_EXPECT_GE_MSG(test, w->reliable, 1, "%s in %s", what, context);
	if (w->wrong)
		print(test, w);
}

/* Runs it in each context. Without a probe the callers are learned there. */
static void run_everywhere(struct kunit *test, struct walk *w, const char *what, bool probed)
{
	unsigned int displaced = 0;

	for (w->context = IN_TASK; w->context < CONTEXTS; w->context++) {
		w->way = w->ways[w->context];
		w->depth = probed ? depths[w->context] : 0;
		run(test, w, what);
		KUNIT_ASSERT_EQ(test, w->depth, depths[w->context]);
		displaced += w->displaced;
	}
	w->displaced = displaced;
}

static struct walk *walk(struct kunit *test, const struct place *place)
{
	struct walk *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned long size, offset;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->steps.fn = call_function;
	w->steps.arg = w;
	w->steps.each = walk_each;
	w->work = IRQ_WORK_INIT_HARD(step_in_irq);
	w->function = place->function;
	w->start = (unsigned long)place->function;
	w->site = w->start + *place->at;
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(w->start, &size, &offset));
	w->end = w->start + size;
	run_everywhere(test, w, place->name, false);
	return w;
}

/* Checks the test itself, without a probe. */
static void unprobed(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		walk(test, &places[i]);
}

static void trace_in_handler(struct walk *w, struct pt_regs *regs)
{
	static struct trace t;

	/* After a call, the called function has no frame yet. */
	if (IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER) && !in_function(w, regs->ip))
		return;
	WRITE_ONCE(w->handling, true);
	t.ip = regs->ip;
	t.how = "a handler";
	t.nr = stack_trace_save(t.entries, TRACE_MAX, 0);
	judge(w, &t);
	WRITE_ONCE(w->handling, false);
}

static int trace_in_pre(struct kprobe *p, struct pt_regs *regs)
{
	trace_in_handler(kprobes_counter_of(p)->data, regs);
	return 0;
}

static void trace_in_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	trace_in_handler(kprobes_counter_of(p)->data, regs);
}

static unsigned int walk_probed(struct kunit *test, const struct place *place,
				bool post)
{
	const struct kprobes_place at = { .symbol = place->symbol, .offset = *place->at };
	struct kprobes_counter *c = kprobes_counter(test, &at);
	struct walk *w = walk(test, place);
	char what[64];

	c->data = w;
	c->in_pre = trace_in_pre;
	c->in_post = trace_in_post;
	if (!post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_settle(kprobes_way_of(test));
	snprintf(what, sizeof(what), "%s%s by %s", place->name,
		 post ? " with post-handler" : "",
		 kprobes_way_name(kprobes_way_of(test)));
	run_everywhere(test, w, what, true);
	kprobes_expect_counts(test, c, CONTEXTS, post ? CONTEXTS : 0);
	unregister_kprobe(&c->kp);
	return w->displaced;
}

static void walk_all(struct kunit *test, bool post)
{
	unsigned int i, displaced = 0;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		displaced += walk_probed(test, &places[i], post);
	KUNIT_EXPECT_GT(test, displaced, 5);
}

static void unwind_displaced(struct kunit *test)
{
	walk_all(test, false);
}

static void unwind_displaced_post(struct kunit *test)
{
	walk_all(test, true);
}

/* Without an entry handler a detour saves few registers. */
static void walk_return(struct kunit *test, struct walk *w, bool entry_handler)
{
	struct kprobes_returns *r = kprobes_returns(test, places[2].symbol);

	if (!entry_handler)
		r->rp.entry_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&r->rp));
	kprobes_settle(kprobes_way_of(test));
	run_everywhere(test, w, kprobes_way_name(kprobes_way_of(test)), true);
	KUNIT_EXPECT_TRUE(test, w->returned);
	kprobes_expect_returns(test, r, entry_handler ? CONTEXTS : 0, CONTEXTS);
	unregister_kretprobe(&r->rp);
}

/* A return probe at a function's entry. */
static void unwind_return(struct kunit *test)
{
	struct walk *w;

	if (IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER))
		kunit_skip(test, "frame pointers do not tell an entry's caller");
	w = walk(test, &places[2]);
	walk_return(test, w, true);
	walk_return(test, w, false);
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

	if (!l->outsider && !within_kprobe_blacklist(regs->ip))
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
	{}
};

static int unwind_init(struct kunit *test)
{
	return kprobes_way_init(test) ?: kprobes_steps_init(test) ?:
	       register_nmi_handler(NMI_LOCAL, step_in_nmi, 0, "kprobes_unwind");
}

static void unwind_exit(struct kunit *test)
{
	unregister_nmi_handler(NMI_LOCAL, "kprobes_unwind");
	kprobes_steps_exit(test);
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
