// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of stack traces that begin where kprobes' own code runs between the probed function's
 * instructions: in a stub, in a slot with post-handlers, and in the trampolines that these
 * call. A breakpoint is set on one instruction after the other, and its trap takes the traces.
 * All of them continue like the trace of the probed instruction.
 */
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>

#include "../slot.h"
#include "../table.h"
#include "optimized.h"

#define DEPTH	48

/* More than this is between the trap and where it has come from. */
#define TRAP_DEPTH	16

/* How many instructions a stub's call and its end have, and at least how many a trampoline. */
#ifndef KPROBES_STUB_INSNS
#define KPROBES_STUB_INSNS		((KPROBE_STUB_ENTER + KPROBE_STUB_LEAVE) / 4)
#define KPROBES_TRAMPOLINE_INSNS	40
#endif

/*
 * Traces show a caller by an address this many bytes before the one that the call returns to. The
 * innermost function is shown as it is.
 */
#ifndef KPROBES_TRACE_BACK
#define KPROBES_TRACE_BACK	0
#endif

/* More instructions than a slot, a stub or a trampoline has. */
#define PLACES	256

struct trace {
	unsigned long entries[DEPTH];
	unsigned int nr;
};

/**
 * struct arrival - the instruction with the breakpoint
 * @original: what the breakpoint has replaced
 * @hits:     how often the breakpoint was hit
 * @returned: the probed function has returned by then
 * @want:     trace from the probed instruction
 * @have:     trace from the registers of the trap
 * @through:  trace from the trap itself
 */
static struct arrival {
	u32 original;
	unsigned int hits;
	bool returned;
	struct trace want;
	struct trace have;
	struct trace through;
} arrival;

static u32 text_at(unsigned long addr)
{
	u32 insn = 0;

	memcpy(&insn, (void *)addr, KPROBE_INSN_ALIGN);
	return insn;
}

static u32 breakpoint(void)
{
	struct kprobe_insn insn = { .breakpoint_len = KPROBE_INSN_ALIGN };
	u32 word = 0;
	struct kprobe_code code = { .buf = (u8 *)&word, .size = sizeof(word) };

	arch_kprobe_isa->breakpoint(&code, &insn);
	return word;
}

/* The breakpoint's handler. The instruction is then executed where it is. */
static int arrive(struct kprobe *p, struct pt_regs *regs)
{
	kprobes_write_insn((unsigned long)p->addr, arrival.original);
	arrival.hits++;
	arrival.have.nr = stack_trace_save_regs(regs, arrival.have.entries, DEPTH, 0);
	arrival.through.nr = stack_trace_save(arrival.through.entries, DEPTH, 0);
	return 1;
}

/**
 * struct place - makes a breakpoint that may be anywhere lead to arrive()
 * @point: it has no other use than to be found by the breakpoint's trap
 * @kp:    its probe
 */
struct place {
	struct kprobe_point point;
	struct kprobe kp;
};

static void place_init(struct place *place, unsigned long addr)
{
	u32 insn = breakpoint();

	/* Hit whatever condition the instruction has. */
	memcpy(place->point.insn, &insn, KPROBE_INSN_ALIGN);
	place->point.addr = addr;
	place->point.site = addr;
	place->point.key = addr;
	place->point.route = &place->point.text;
	place->kp.addr = (kprobe_opcode_t *)addr;
	place->kp.pre_handler = arrive;
	INIT_LIST_HEAD(&place->point.probes);
	list_add(&place->kp.list, &place->point.probes);
}

static int note_want(struct kprobe *p, struct pt_regs *regs)
{
	struct pt_regs at = *regs;

	instruction_pointer_set(&at, p->point->site);
	arrival.want.nr = stack_trace_save_regs(&at, arrival.want.entries, DEPTH, 0);
	return 0;
}

/*
 * Every call is from here, so that traces are comparable. The functions are assembly, and called
 * directly: they have no landing pad and no type.
 */
static noinline int call(int (*fn)(int a))
{
#ifdef KPROBES_HAS_LITERALS
	if (fn == kprobes_opt_literal)
		return kprobes_opt_literal(5) + 1;
#endif
	return (fn == kprobes_opt_middle ? kprobes_opt_middle(5) : kprobes_opt_plain(5)) + 1;
}

/* One hit, with a breakpoint at @addr. Returns whether that was hit. */
static bool pass(struct kunit *test, int (*fn)(int a), int result, unsigned long addr)
{
	arrival.original = text_at(addr);
	arrival.hits = 0;
	scoped_guard(mutex, &text_mutex) {
		guard(preempt)();
		kprobes_write_insn(addr, breakpoint());
		result -= call(fn);
		if (!arrival.hits)
			kprobes_write_insn(addr, arrival.original);
	}
	KUNIT_EXPECT_EQ(test, 0, result);
	return arrival.hits;
}

/* Is it the probed instruction, or the one after that? */
static bool is_from(const struct kprobe_point *point, unsigned long addr)
{
	return addr == point->site || addr == point->site + point->len;
}

/* Is it the copy of an instruction further on? That is unwound as its original. */
static bool is_further_on(const struct kprobe_point *point, unsigned long addr)
{
	unsigned long ip = kprobe_displaced_ip(addr);

	return ip != addr && !is_from(point, ip);
}

/* Does a trace go on from @point as it does from the probed instruction? */
static bool goes_on(const struct kprobe_point *point, const struct trace *t, unsigned int from)
{
	const struct trace *want = &arrival.want;

	return t->nr == from + want->nr && is_from(point, t->entries[from]) &&
	       !memcmp(t->entries + from + 1, want->entries + 1,
		       (want->nr - 1) * sizeof(want->entries[0]));
}

static bool goes_on_after_trap(const struct kprobe_point *point, const struct trace *t)
{
	unsigned int from = t->nr - arrival.want.nr;

	return from && from <= TRAP_DEPTH && goes_on(point, t, from) &&
	       !is_from(point, t->entries[from - 1]) && !kprobe_saves_regs(t->entries[from - 1]);
}

/*
 * The function has returned: its caller, where the call returns to, comes next, after no more than
 * @lead entries of what runs meanwhile.
 */
static bool goes_on_in_caller(const struct trace *t, unsigned int lead)
{
	const struct trace *want = &arrival.want;
	unsigned int from = t->nr - (want->nr - 1);

	return want->nr > 2 && t->nr >= want->nr - 1 && from <= lead &&
	       t->entries[from] == want->entries[1] + KPROBES_TRACE_BACK &&
	       !memcmp(t->entries + from + 1, want->entries + 2,
		       (want->nr - 2) * sizeof(want->entries[0]));
}

static void print(struct kunit *test, const char *what, const struct trace *t)
{
	unsigned int i;

	for (i = 0; i < min(t->nr, 20); i++)
		kunit_info(test, "  %s: %pB\n", what, (void *)t->entries[i]);
}

static bool is_right(struct kunit *test, const struct kprobe_point *point, unsigned long addr)
{
	bool begins, goes;

	if (arrival.returned) {
		begins = goes_on_in_caller(&arrival.have, 1);
		goes = goes_on_in_caller(&arrival.through, TRAP_DEPTH);
	} else {
		begins = goes_on(point, &arrival.have, 0);
		goes = goes_on_after_trap(point, &arrival.through);
	}
	if (begins && goes)
		return true;
	kunit_info(test, "%s at %pS:\n", begins ? "through the trap" : "from the registers",
		   (void *)addr);
	print(test, "probed", &arrival.want);
	print(test, "have", begins ? &arrival.through : &arrival.have);
	return false;
}

/**
 * struct passage - code in which a breakpoint is set on each instruction
 * @start: its first byte
 * @end:   the first one after it
 * @place: what leads to arrive() there
 * @nr:    how many there are
 */
struct passage {
	unsigned long start;
	unsigned long end;
	struct place *place;
	unsigned int nr;
};

/* What is no instruction is not executed. What is in a delay slot cannot be probed. */
static unsigned int step(unsigned long addr)
{
	struct kprobe_insn insn;

	arch_kprobe_isa->plan(&insn, (u8 *)addr, KPROBE_INSN_MAX, addr);
	if (insn.flow != KPROBE_FLOW_NEXT)
		return insn.len + insn.bundle * KPROBE_INSN_ALIGN;
	return insn.len ?: KPROBE_INSN_ALIGN;
}

static void open_passage(struct kunit *test, struct passage *way)
{
	unsigned long addr;

	way->place = kvcalloc(PLACES, sizeof(*way->place), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, way->place);
	guard(mutex)(&kprobe_mutex);
	for (addr = way->start; addr < way->end && way->nr < PLACES; addr += step(addr)) {
		place_init(&way->place[way->nr], addr);
		kprobe_table_insert(&way->place[way->nr++].point);
	}
}

static void close_passage(struct passage *way)
{
	unsigned int i;

	scoped_guard(mutex, &kprobe_mutex)
		for (i = 0; i < way->nr; i++)
			kprobe_table_remove(&way->place[i].point);
	synchronize_rcu();
	kvfree(way->place);
}

/* Returns how many of the instructions were hit. */
static unsigned int pass_all(struct kunit *test, const struct kprobe_point *point,
			     int (*fn)(int a), unsigned long start, unsigned long end)
{
	struct passage way = { .start = start, .end = end };
	unsigned int hits = 0, wrong = 0, i;
	int result = call(fn);

	open_passage(test, &way);
	for (i = 0; i < way.nr; i++) {
		if (!pass(test, fn, result, way.place[i].point.site))
			continue;
		hits++;
		if (is_further_on(point, way.place[i].point.site))
			continue;
		/* A few of them tell enough. */
		wrong += wrong < 3 && !is_right(test, point, way.place[i].point.site);
	}
	close_passage(&way);
	KUNIT_EXPECT_EQ(test, 0, wrong);
	return hits;
}

/*
 * Where a slot ends, which is at most so long. What follows belongs to others, who may free it and
 * write it anew, until a breakpoint of these tests is taken out of it again.
 */
static unsigned long end_of_slot(const struct kprobe_point *point, void *slot, size_t size)
{
	unsigned long addr = (unsigned long)slot, end = addr + size;
	unsigned int offset;

	guard(rcu)();
	while (addr < end && kprobe_slot_owner(addr, &offset) == point)
		addr += KPROBE_INSN_ALIGN;
	return addr;
}

/* Returns whether it is a stub. */
static bool pass_slot(struct kunit *test, const struct kprobe_point *point, int (*fn)(int a))
{
	bool stub = point->detour && point->route == &point->detour->route;
	void *slot = stub ? point->detour->slot : point->text.run_post;
	size_t size = stub ? KPROBE_DETOUR_MAX_SIZE : KPROBE_SLOT_SIZE;
	unsigned int insns = KPROBES_STUB_INSNS;

	/* A trap would overwrite what an exception return needs. */
	if (!stub && arch_kprobe_isa->back)
		KUNIT_ASSERT_TRUE(test, point->dead);
	/*
	 * A stub has two calls, of the first of which the end is executed for post-handlers
	 * from a second copy. In either case there is a copy of the instruction, and a jump.
	 */
	if (stub)
		insns *= 2;
	KUNIT_EXPECT_GE(test, pass_all(test, point, fn, (unsigned long)slot,
				       end_of_slot(point, slot, size)), insns + 2);
	return stub;
}

/* A trampoline saves, and restores, all registers. What ends like a trap is not executed. */
static void pass_trampoline(struct kunit *test, const struct kprobe_point *point,
			    int (*fn)(int a), const void *trampoline, bool called)
{
	unsigned long start = (unsigned long)trampoline, size, offset, hits;

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(start, &size, &offset));
	hits = pass_all(test, point, fn, start, start + size);
	KUNIT_EXPECT_EQ(test, hits > KPROBES_TRAMPOLINE_INSNS, called);
	KUNIT_EXPECT_EQ(test, hits > 0, called);
}

/* Notes the trace from a probe at the place, and returns the probe's point. */
static const struct kprobe_point *begin(struct kunit *test, const struct kprobes_place *place,
					int (*fn)(int a), bool returns)
{
	struct kprobes_counter *c = kprobes_counter(test, place);

	if (KPROBES_TRACE_GUESSES)
		kunit_skip(test, "a trace has whatever looks like text on the stack");
	if (returns)
		kprobes_returning(test, place->symbol);
	arrival.returned = false;
	c->in_pre = note_want;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	call(fn);
	KUNIT_ASSERT_GT(test, arrival.want.nr, 3);
	KUNIT_EXPECT_EQ(test, arrival.want.entries[0], c->kp.point->site);
	return c->kp.point;
}

static void pass_place(struct kunit *test, const struct kprobes_place *place,
		       int (*fn)(int a), bool returns)
{
	const struct kprobe_point *point = begin(test, place, fn, returns);
	bool stub = pass_slot(test, point, fn);

	pass_trampoline(test, point, fn, kprobe_post_trampoline, true);
	pass_trampoline(test, point, fn, kprobe_detour_common, stub);
}

static void at_entry(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };

	pass_place(test, &place, kprobes_opt_plain, false);
}

/* The caller is known by where its frame ends. */
static void at_entry_with_return_probe(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };

	pass_place(test, &place, kprobes_opt_plain, true);
}

static void in_middle(struct kunit *test)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_opt_middle", .offset = kprobes_opt_middle_at,
	};

	pass_place(test, &place, kprobes_opt_middle, false);
}

#ifdef KRETPROBE_TRAMPOLINE_MARKS
static void in_return_trampoline(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	const struct kprobe_point *point = begin(test, &place, kprobes_opt_plain, true);

	arrival.returned = true;
	pass_trampoline(test, point, kprobes_opt_plain, kretprobe_trampoline, true);
}
#endif

#ifdef KPROBES_HAS_LITERALS
/* Its copy is longer than the instruction. */
static void at_literal(struct kunit *test)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_opt_literal", .offset = kprobes_opt_literal_at,
	};

	pass_place(test, &place, kprobes_opt_literal, false);
}
#endif

static struct kunit_case trace_cases[] = {
	KPROBES_CASE_WAYS(at_entry),
	KPROBES_CASE_WAYS(at_entry_with_return_probe),
	KPROBES_CASE_WAYS(in_middle),
#ifdef KRETPROBE_TRAMPOLINE_MARKS
	KPROBES_CASE_WAYS(in_return_trampoline),
#endif
#ifdef KPROBES_HAS_LITERALS
	KPROBES_CASE_WAYS(at_literal),
#endif
	{}
};

static struct kunit_suite trace_suite = {
	.name = "kprobes_stub_trace",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = trace_cases,
};

kunit_test_suite(trace_suite);

MODULE_DESCRIPTION("KUnit tests of stack traces from stubs, slots and trampolines");
MODULE_LICENSE("GPL");
