// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls a function, and unwinds from each instruction of it and of what its probes execute.
 *
 * Each trace is compared to the one that was taken without a probe. Traces are taken in three
 * ways: from the interrupted registers, from the stack below, and reliable ones as live
 * patching does. What takes them is a debug trap, an interrupt or an NMI that arrives at that
 * instruction. The stack below the stack pointer is overwritten before, as an interrupt may
 * do. The function is called by a task, by an interrupt and by an NMI, each of which has a
 * stack of its own.
 *
 * A single step does not stop right after a trap's iret: not at the first instruction of a
 * slot or detour that a breakpoint leads to. The registers there are those at the breakpoint,
 * so these instructions are looked at from there, before the breakpoint is executed.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/nmi.h>
#include <linux/stacktrace.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/nospec-branch.h>
#include <asm/processor-flags.h>

#include "../../../../../arch/x86/kernel/kprobes-opt.h"
#include "../../optimized.h"
#include "walk.h"

static const char *const context_names[] = { "a task", "an interrupt", "an NMI" };
static const char *const how_names[] = { "a debug trap", "an interrupt", "an NMI" };

/* How many callers are compared: those up to call_in_context(), or to the kernel's entry. */
static const unsigned int depths[] = { 3, KPROBES_WALK_DEPTH, KPROBES_WALK_DEPTH };

/* What the rules below make exceptions for. */
enum { POST_TRAMPOLINE, RETURN_TRAMPOLINE, EMULATE, NAMED };

static struct { unsigned long start, size; } named[NAMED];

static bool is_in(unsigned long ip, unsigned int name)
{
	return ip - named[name].start < named[name].size;
}

static void learn_name(unsigned int name, unsigned long start)
{
	unsigned long offset;

	named[name].start = start;
	if (!kallsyms_lookup_size_offset(start, &named[name].size, &offset))
		named[name].size = 0;
}

static bool is_in_function(const struct kprobes_walk *w, unsigned long addr)
{
	return addr >= w->start && addr < w->end;
}

/* The instruction of the function that code stands for which is executed in its place. */
static unsigned long original_of(const struct kprobes_walk *w, unsigned long ip)
{
	unsigned long original = kprobe_displaced_ip(ip);

	/* It calls post-handlers, or may do so. */
	if (is_in(ip, POST_TRAMPOLINE) || (original != ip && !is_in_function(w, original)))
		return w->after;
	return original;
}

/*
 * By frame pointers the caller of a function is not found where the function has no frame yet,
 * or no more. Displaced code has none of its own: the caller may lack where it lacks without a
 * probe. In the return trampoline the frame pointer is already the caller's.
 */
static bool may_be_orphan(const struct kprobes_walk *w, unsigned long ip)
{
	unsigned long original = original_of(w, ip);

	if (IS_ENABLED(CONFIG_UNWINDER_ORC))
		return false;
	if (w->returned)
		return is_in(ip, RETURN_TRAMPOLINE);
	return is_in_function(w, original) &&
	       (w->learning || test_bit(original - w->start, w->orphans));
}

/* Must the function itself be in the trace? A trampoline is not found by frame pointers. */
static bool must_name_function(const struct kprobes_walk *w, unsigned long ip)
{
	if (w->returned)
		return false;
	return IS_ENABLED(CONFIG_UNWINDER_ORC) || !is_in(ip, POST_TRAMPOLINE);
}

/* No displaced address must be in the trace; then the function, then all of its callers. */
static bool is_right_from(const struct kprobes_walk *w, const struct kprobes_trace *t,
			  unsigned int from)
{
	unsigned int i = 0, nr = w->depth - from;

	while (i < t->nr && t->entries[i] != w->way[from])
		if (is_kprobe_insn_slot(t->entries[i++]))
			return false;
	if (i + nr > t->nr || memcmp(t->entries + i, w->way + from, nr * sizeof(w->way[0])))
		return false;
	return !must_name_function(w, t->ip) || (i && is_in_function(w, t->entries[i - 1]));
}

static void judge(struct kprobes_walk *w, const struct kprobes_trace *t)
{
	if (is_right_from(w, t, 0))
		return;
	if (may_be_orphan(w, t->ip) && is_right_from(w, t, 1)) {
		if (w->learning && is_in_function(w, t->ip))
			set_bit(t->ip - w->start, w->orphans);
		return;
	}
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

static void see(struct kprobes_walk *w, unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < w->nr_covers; i++) {
		kprobes_cover_see(&w->covers[i], ip, w->how);
		if (w->uninterrupted)
			kprobes_cover_see(&w->covers[i], ip, KPROBES_IN_IRQ);
	}
}

static void look(struct kprobes_walk *w, struct pt_regs *regs)
{
	static struct kprobes_trace t;
	int nr;

	see(w, regs->ip);
	w->looks++;
	t.ip = regs->ip;
	t.what = how_names[w->how];
	t.how = "registers";
	t.nr = stack_trace_save_regs(regs, t.entries, KPROBES_TRACE_MAX, 0);
	judge(w, &t);
	t.how = "the stack";
	t.nr = stack_trace_save(t.entries, KPROBES_TRACE_MAX, 0);
	judge(w, &t);
	nr = stack_trace_save_tsk_reliable(current, t.entries, KPROBES_TRACE_MAX);
	if (nr < 0)
		return;
	t.how = "the stack, reliably";
	t.nr = nr;
	judge(w, &t);
	w->reliable++;
}

static void look_on_arrival(struct kprobes_arrival *a, struct pt_regs *regs)
{
	look(container_of(a, struct kprobes_walk, arrival), regs);
}

#ifdef CONFIG_MITIGATION_RETPOLINE
static bool is_in_array(unsigned long ip, const retpoline_thunk_t *thunks)
{
	return ip - (unsigned long)thunks < 16 * sizeof(*thunks);
}
#endif

/* Is it in that function? */
static __maybe_unused bool is_in_symbol(unsigned long ip, unsigned long function)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(function, &size, &offset) && ip - function < size;
}

/* ORC has no data for the thunks of indirect branches, nor for those that count calls. */
static bool is_thunk(unsigned long ip)
{
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	if (is_in_array(ip, __x86_indirect_call_thunk_array) ||
	    is_in_array(ip, __x86_indirect_jump_thunk_array) ||
	    is_in_symbol(ip, (unsigned long)call_depth_return_thunk))
		return true;
#endif
#ifdef CONFIG_MITIGATION_RETPOLINE
	return is_in_array(ip, __x86_indirect_thunk_array);
#else
	return false;
#endif
}

static bool is_covered(const struct kprobes_walk *w, unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < w->nr_covers; i++)
		if (kprobes_cover_has(&w->covers[i], ip))
			return true;
	return is_in_function(w, ip);
}

/*
 * While a call is emulated, the return address is pushed before the pointer is set. Of C code
 * the prologue is not looked at with frame pointers: objtool checks the frames.
 */
static bool can_be_unwound_from(const struct kprobes_walk *w, unsigned long ip)
{
	if (w->handling || is_in(ip, EMULATE))
		return false;
	if (IS_ENABLED(CONFIG_UNWINDER_ORC) && w->how == KPROBES_IN_STEP)
		return !is_thunk(ip);
	return is_covered(w, ip);
}

/* The instructions to look at before this one is executed. */
static void choose_ips(struct kprobes_walk *w, unsigned long ip)
{
	struct kprobes_arrival *a = &w->arrival;

	a->nr = 0;
	if (ip == w->site)
		while (a->nr < w->nr_starts) {
			a->ips[a->nr] = w->starts[a->nr];
			a->nr++;
		}
	a->ips[a->nr++] = ip;
}

static void look_in_step(struct kprobes_walk *w, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < w->arrival.nr; i++) {
		regs->ip = w->arrival.ips[i];
		look(w, regs);
	}
}

static void look_from(struct kprobes_walk *w, struct pt_regs *regs)
{
	choose_ips(w, regs->ip);
	scribble(regs->sp);
	if (w->how == KPROBES_IN_STEP)
		look_in_step(w, regs);
	else if (w->how == KPROBES_IN_NMI)
		kprobes_arrive_in_nmi(&w->arrival, regs);
	else if (regs->flags & X86_EFLAGS_IF)
		kprobes_arrive_in_irq(&w->arrival, regs);
	else
		/* No interrupt arrives here. */
		see(w, regs->ip);
}

/* Frame pointers do not tell an entry's caller: it is on the stack. */
static void learn_way(struct kprobes_walk *w, struct pt_regs *regs)
{
	unsigned long entries[1 + KPROBES_WALK_DEPTH];
	unsigned int nr, from;

	w->way[0] = *(unsigned long *)regs->sp;
	nr = stack_trace_save_regs(regs, entries, ARRAY_SIZE(entries), 0);
	from = nr > 1 && entries[1] == w->way[0] ? 2 : 1;
	w->depth = min(depths[w->context], 1 + nr - from);
	memcpy(w->way + 1, entries + from, (w->depth - 1) * sizeof(w->way[0]));
}

/* Returns whether the function was entered, and its caller does not run again yet. */
static bool is_called(struct kprobes_walk *w, struct pt_regs *regs)
{
	if (!w->stack && regs->ip == w->start) {
		w->stack = regs->sp;
		if (w->learning && !w->depth)
			learn_way(w, regs);
	}
	if (!w->stack || w->stack == ULONG_MAX || !w->depth)
		return false;
	w->returned |= regs->sp > w->stack;
	if (regs->ip == w->way[0])
		w->stack = ULONG_MAX;
	return w->stack != ULONG_MAX;
}

static void walk_each(struct kprobes_steps *steps, struct pt_regs *regs)
{
	struct kprobes_walk *w = container_of(steps, struct kprobes_walk, steps);

	if (!is_called(w, regs))
		return;
	if (w->meddle)
		w->meddle(w, regs);
	if (can_be_unwound_from(w, regs->ip))
		look_from(w, regs);
}

/* Without kCFI: the function may be assembly, which has no type. */
static noinline int __noipa __nocfi call_function(void *data)
{
	struct kprobes_walk *w = data;
	int ret;

	if (w->around)
		w->around(w, true);
	ret = w->function(41);
	barrier();
	if (w->around)
		w->around(w, false);
	return ret;
}

static void print(struct kunit *test, const struct kprobes_walk *w)
{
	const struct kprobes_trace *t = &w->trace;
	unsigned int i;

	kunit_info(test, "  from %s at %pS, which stands for %pS, by %s\n", t->what, (void *)t->ip,
		   (void *)kprobe_displaced_ip(t->ip), t->how);
	if (is_kprobe_insn_slot(t->ip))
		kunit_info(test, "  code %*ph\n", 12, (void *)t->ip);
	for (i = 0; i < min(t->nr, 24U); i++)
		kunit_info(test, "  %pS\n", (void *)t->entries[i]);
}

static void step_in_irq(struct irq_work *work)
{
	struct kprobes_walk *w = container_of(work, struct kprobes_walk, work);

	w->result = kprobes_step(&w->steps);
}

static struct kprobes_walk *nmi_walk;

static int step_in_nmi(unsigned int type, struct pt_regs *regs)
{
	struct kprobes_walk *w = READ_ONCE(nmi_walk);

	if (!w || w->steps.task != current)
		return NMI_DONE;
	WRITE_ONCE(nmi_walk, NULL);
	w->result = kprobes_step(&w->steps);
	return NMI_HANDLED;
}

static void call_in_nmi(struct kprobes_walk *w)
{
	unsigned long patience = jiffies + 10 * HZ;

	w->steps.task = current;
	preempt_disable();
	WRITE_ONCE(nmi_walk, w);
	__apic_send_IPI(smp_processor_id(), NMI_VECTOR);
	while (READ_ONCE(nmi_walk) && time_before(jiffies, patience))
		kprobes_spin(5);
	WRITE_ONCE(nmi_walk, NULL);
	preempt_enable();
}

/* Returns the function's result, 0 if it was not called. */
static noinline int __noipa call_in_context(struct kprobes_walk *w)
{
	w->result = 0;
	switch (w->context) {
	case KPROBES_WALK_IRQ:
		irq_work_queue(&w->work);
		irq_work_sync(&w->work);
		break;
	case KPROBES_WALK_NMI:
		call_in_nmi(w);
		break;
	default:
		w->result = kprobes_step(&w->steps);
		barrier();
		break;
	}
	return w->result;
}

static void prepare(struct kprobes_walk *w)
{
	w->way = w->ways[w->context];
	w->depth = w->learning ? 0 : depths[w->context];
	w->steps.irqs = w->how == KPROBES_IN_IRQ;
	w->stack = 0;
	w->returned = false;
	w->looks = 0;
	w->reliable = 0;
	w->wrong = 0;
	w->arrival.strayed = 0;
}

static noinline void __noipa run(struct kunit *test, struct kprobes_walk *w, const char *what)
{
	/* Registers that a trap or interrupt has saved make frame pointers unreliable. */
	bool reliable = IS_ENABLED(CONFIG_UNWINDER_ORC);
	char where[96];

	prepare(w);
	snprintf(where, sizeof(where), "%s in %s from %s", what, context_names[w->context],
		 how_names[w->how]);
	KUNIT_EXPECT_EQ_MSG(test, call_in_context(w), 42, "%s", where);
	KUNIT_EXPECT_EQ_MSG(test, w->stack, ULONG_MAX, "%s", where);
	KUNIT_EXPECT_EQ_MSG(test, w->arrival.strayed, 0, "%s", where);
	KUNIT_EXPECT_EQ_MSG(test, w->wrong, 0, "%s", where);
	/* One before the probed instruction, one after it: what is covered says the rest. */
	KUNIT_EXPECT_GE_MSG(test, w->looks, 2, "%s", where);
	KUNIT_EXPECT_EQ_MSG(test, w->reliable, reliable ? w->looks : 0, "%s", where);
	KUNIT_ASSERT_EQ_MSG(test, w->depth, depths[w->context], "%s", where);
	if (w->wrong)
		print(test, w);
}

/* In the three ways. An interrupt cannot be interrupted, an NMI not even by an NMI. */
static void run_in(struct kunit *test, struct kprobes_walk *w, enum kprobes_walk_context context,
		   const char *what)
{
	w->context = context;
	w->how = KPROBES_IN_STEP;
	run(test, w, what);
	if (w->learning)
		return;
	if (context == KPROBES_WALK_TASK && !w->uninterrupted) {
		w->how = KPROBES_IN_IRQ;
		run(test, w, what);
	}
	if (context != KPROBES_WALK_NMI) {
		w->how = KPROBES_IN_NMI;
		run(test, w, what);
	}
}

void kprobes_walk_in_task(struct kunit *test, struct kprobes_walk *w, const char *what)
{
	run_in(test, w, KPROBES_WALK_TASK, what);
}

/* In each context, in each way that can be. */
void kprobes_walk_everywhere(struct kunit *test, struct kprobes_walk *w, const char *what)
{
	enum kprobes_walk_context context;

	for (context = 0; context < KPROBES_WALK_CONTEXTS; context++)
		run_in(test, w, context, what);
}

/* For a function that has no probe yet: learns its callers in each context. */
struct kprobes_walk *kprobes_walk(struct kunit *test, const struct kprobes_walk_place *place)
{
	struct kprobes_walk *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	unsigned long size, offset;

	KUNIT_ASSERT_NOT_NULL(test, w);
	w->steps.fn = call_function;
	w->steps.arg = w;
	w->steps.each = walk_each;
	kprobes_arrival_init(&w->arrival, look_on_arrival);
	w->work = IRQ_WORK_INIT_HARD(step_in_irq);
	w->function = place->function;
	w->start = (unsigned long)place->function;
	w->site = w->start + *place->at;
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(w->start, &size, &offset));
	KUNIT_ASSERT_LE(test, size, KPROBES_WALK_BYTES);
	w->end = w->start + size;
	w->learning = true;
	kprobes_walk_everywhere(test, w, place->name);
	w->learning = false;
	return w;
}

/* Takes a trace in a handler, which is given those registers. */
void kprobes_walk_trace(struct kprobes_walk *w, struct pt_regs *regs)
{
	static struct kprobes_trace t;

	/* After a call, the called function has no frame yet. */
	if (IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER) && !is_in_function(w, regs->ip))
		return;
	if (w->how != KPROBES_IN_STEP)
		return;
	WRITE_ONCE(w->handling, true);
	t.ip = regs->ip;
	t.what = "a handler";
	t.how = "the stack";
	t.nr = stack_trace_save(t.entries, KPROBES_TRACE_MAX, 0);
	judge(w, &t);
	/* Frame pointers do not tell the caller from there before a push is executed. */
	if (IS_ENABLED(CONFIG_UNWINDER_ORC)) {
		t.how = "registers";
		t.nr = stack_trace_save_regs(regs, t.entries, KPROBES_TRACE_MAX, 0);
		judge(w, &t);
	}
	WRITE_ONCE(w->handling, false);
}

int kprobes_walk_init(struct kunit *test)
{
	learn_name(POST_TRAMPOLINE, (unsigned long)kprobe_post_trampoline);
	learn_name(RETURN_TRAMPOLINE, (unsigned long)kretprobe_trampoline);
	learn_name(EMULATE, (unsigned long)arch_kprobe_emulate);
	return kprobes_steps_init(test) ?: kprobes_arrive_start() ?:
	       register_nmi_handler(NMI_LOCAL, step_in_nmi, 0, "kprobes_walk");
}

void kprobes_walk_exit(struct kunit *test)
{
	unregister_nmi_handler(NMI_LOCAL, "kprobes_walk");
	kprobes_arrive_stop();
	kprobes_steps_exit(test);
}
