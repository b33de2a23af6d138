// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe must not change what an instruction does. Each sequence of instructions runs
 * without probes, and then probed in each of the ways in columns[], with many values of
 * registers and flags. The results in registers, flags, stack and memory must be the
 * same, and each handler must have run once for each pass.
 */
#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/ptrace.h>

#include "../point.h"
#include "../reason.h"
#include "differential.h"
#include "optimized.h"

struct diff_regs kprobes_diff_in, kprobes_diff_out;
unsigned long kprobes_diff_stack_in[DIFF_STACK / DIFF_WORD];
unsigned long kprobes_diff_stack_out[DIFF_STACK / DIFF_WORD];
u8 kprobes_diff_memory[DIFF_MEMORY] __aligned(16);
unsigned long kprobes_diff_window;
void *kprobes_diff_edge;
DEFINE_PER_CPU(unsigned long, kprobes_diff_percpu);
DEFINE_PER_CPU(void *, kprobes_diff_percpu_callee);

static_assert(offsetof(struct diff_regs, flags) == DIFF_FLAGS);
static_assert(offsetof(struct diff_regs, fp) == DIFF_FP);

/* Results of one pass. */
struct diff_result {
	struct diff_regs regs;
	unsigned long stack[DIFF_STACK / DIFF_WORD];
	u8 memory[DIFF_MEMORY];
};

/* What goes in */

/**
 * kprobes_diff_fill() - make the registers that a sequence finds, but for flags
 * @values: what they are made of
 * @memory: number of the one with the address of memory; the next ones are the index, and what that
 *          is compared with
 * @fp:     tells what is in floating point and vectors from the others
 *
 * Context: Any.
 */
void kprobes_diff_fill(const struct diff_values *values, unsigned int memory, u64 fp)
{
	struct diff_regs *in = &kprobes_diff_in;
	unsigned int i;

	for (i = 0; i < DIFF_REGS; i++)
		in->gpr[i] = rol64(values->seed, 4 * i);
	for (i = 0; i < DIFF_FP_WORDS; i++)
		in->fp[i] = rol64(values->seed ^ fp, i);
	in->gpr[memory] = (unsigned long)&kprobes_diff_memory[128];
	in->gpr[memory + 1] = values->index;
	in->gpr[memory + 2] = values->other;
}

static bool has_features(const struct diff_sequence *s)
{
	unsigned int feature = s->flags / DIFF_NEEDS(1U);

	return !feature || kprobes_cpu_has(feature);
}

static void prepare(unsigned int pass)
{
	unsigned int i;

	kprobes_diff_prepare(pass);
	for (i = 0; i < DIFF_MEMORY; i++)
		kprobes_diff_memory[i] = i * 7;
	for (i = 0; i < DIFF_STACK / DIFF_WORD; i++)
		kprobes_diff_stack_in[i] = (0x5741UL << (BITS_PER_LONG - 16)) + i;
}

/* What comes out */

static void capture(struct diff_result *r)
{
	unsigned long used = kprobes_diff_out.gpr[DIFF_SP_NR] - kprobes_diff_window;

	r->regs = kprobes_diff_out;
	memcpy(r->stack, kprobes_diff_stack_out, DIFF_STACK);
	memcpy(r->memory, kprobes_diff_memory, DIFF_MEMORY);
	/* Traps and interrupts write beyond the stack pointer. */
	used = min_t(unsigned long, used, DIFF_STACK);
	if (IS_ENABLED(CONFIG_STACK_GROWSUP))
		memset((u8 *)r->stack + used, 0, DIFF_STACK - used);
	else
		memset(r->stack, 0, used);
}

/* Not inlined: stack pointers can be compared only when all calls are as deep. */
static noinline void run_passes(const struct diff_sequence *s,
				struct diff_result *results)
{
	unsigned int pass;

	for (pass = 0; pass < kprobes_diff_passes; pass++) {
		prepare(pass);
		kprobes_diff_begin();
		kprobes_diff_run(s->code);
		kprobes_diff_end();
		capture(&results[pass]);
	}
}

/* How it is probed */

struct diff_probe {
	struct kprobe kp;
	unsigned long runs_at;		/* address after the copy that runs */
	unsigned long hits;
	unsigned long posts;
	unsigned long bad_ips;
};

static int diff_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct diff_probe *probe = container_of(p, struct diff_probe, kp);

	probe->hits++;
	probe->bad_ips += instruction_pointer(regs) != (unsigned long)p->addr + KPROBE_HIT_OFFSET;
	return 0;
}

static void diff_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct diff_probe *probe = container_of(p, struct diff_probe, kp);

	probe->posts++;
	probe->bad_ips += probe->runs_at && instruction_pointer(regs) != probe->runs_at;
}

#define COLUMN_PROBES	2

/**
 * struct diff_column - one way of probing
 * @name:   for messages
 * @probes: how many probes on the instruction
 * @posts:  for each whether it has a post-handler
 * @way:    how hits get to the handlers, where that can be; %KPROBES_NO_WAY for
 *          by ftrace
 */
struct diff_column {
	const char *name;
	unsigned int probes;
	bool posts[COLUMN_PROBES];
	enum kprobes_way way;
};

static const struct diff_column columns[] = {
	{ .name = "pre-handler", .probes = 1 },
	{ .name = "post-handler", .probes = 1, .posts = { true } },
	{ .name = "two probes", .probes = 2 },
	{ .name = "two probes, one post-handler", .probes = 2, .posts = { false, true } },
	{ .name = "detour", .probes = 1, .way = KPROBES_BY_DETOUR },
	{ .name = "detour, post-handler", .probes = 1, .posts = { true },
	  .way = KPROBES_BY_DETOUR },
	{ .name = "detour, two probes, one post-handler", .probes = 2,
	  .posts = { false, true }, .way = KPROBES_BY_DETOUR },
	{ .name = "jump", .probes = 1, .way = KPROBES_BY_JUMP },
	{ .name = "jump, post-handler", .probes = 1, .posts = { true },
	  .way = KPROBES_BY_JUMP },
	{ .name = "jump, two probes, one post-handler", .probes = 2,
	  .posts = { false, true }, .way = KPROBES_BY_JUMP },
	/* A point that uses ftrace keeps it, so these come last. */
	{ .name = "ftrace", .probes = 1, .way = KPROBES_NO_WAY },
	{ .name = "ftrace, two probes, one post-handler", .probes = 2,
	  .posts = { false, true }, .way = KPROBES_NO_WAY },
};

struct diff_run {
	const struct diff_column *column;
	const struct diff_sequence *seq;
	struct diff_probe probes[COLUMN_PROBES];
	struct kprobe_insn plan;
	unsigned long runs_at;
	unsigned int hits;		/* how many of the passes are hits */
	unsigned long scratch;		/* registers that need not be kept, by number */
	struct diff_result *bare, *probed;
};

static void set_up_probe(struct diff_run *run, unsigned int nr)
{
	struct diff_probe *probe = &run->probes[nr];

	*probe = (struct diff_probe){
		.kp.addr = run->seq->code + run->seq->probe_at,
		.kp.pre_handler = diff_pre,
		.kp.post_handler = run->column->posts[nr] ? diff_post : NULL,
		.runs_at = run->runs_at,
	};
}

static int register_probes(struct diff_run *run)
{
	struct kprobe *kps[COLUMN_PROBES];
	unsigned int i;
	int err;

	for (i = 0; i < run->column->probes; i++) {
		set_up_probe(run, i);
		kps[i] = &run->probes[i].kp;
	}
	err = register_kprobes(kps, run->column->probes);
	if (!err && run->column->way == KPROBES_NO_WAY)
		err = kprobes_switch(&run->probes[0].kp);
	if (!err)
		kprobes_settle(run->column->way);
	return err;
}

/* Is it really probed in the column's way? */
static bool is_column(const struct diff_run *run)
{
	const struct kprobe *p = &run->probes[0].kp;

	if (run->column->way == KPROBES_NO_WAY)
		return p->flags & KPROBE_FLAG_FTRACE;
	return kprobes_way_from((unsigned long)p->addr) == run->column->way;
}

static void unregister_probes(struct diff_run *run)
{
	struct kprobe *kps[COLUMN_PROBES];
	unsigned int i;

	for (i = 0; i < run->column->probes; i++)
		kps[i] = &run->probes[i].kp;
	unregister_kprobes(kps, run->column->probes);
}

/* Comparing */

static void expect_counts(struct kunit *test, const struct diff_run *run)
{
	unsigned int hits = run->hits, i;

	for (i = 0; i < run->column->probes; i++) {
		const struct diff_probe *probe = &run->probes[i];
		/* No post-handler is called after a copy that may branch: each is a miss. */
		bool missed = run->column->posts[i] && run->plan.branches;
		/* An instruction that faults does not complete. A branch does, before its slot. */
		bool faults = (run->seq->flags & DIFF_FAULTS) && !run->plan.bundle;
		bool post = run->column->posts[i] && !faults && !missed;

		KUNIT_EXPECT_EQ_MSG(test, probe->hits, hits, "%s", run->column->name);
		KUNIT_EXPECT_EQ_MSG(test, probe->posts, post ? hits : 0, "%s", run->column->name);
		KUNIT_EXPECT_EQ_MSG(test, probe->bad_ips, 0, "%s", run->column->name);
		KUNIT_EXPECT_EQ_MSG(test, probe->kp.nmissed, missed ? hits : 0, "%s",
				    run->column->name);
	}
}

/*
 * ftrace's trampolines do not restore all registers that calls may change: nobody expects
 * that of a call at a function's entry. What is compiled may use them. A jump, and the one
 * at the end of a slot, may need one that nobody reads.
 */
static unsigned long scratch_of(const struct diff_run *run)
{
	struct kprobe_point *point;
	struct kprobe_insn insn;

	if (run->seq->flags & DIFF_ENTRY)
		return kprobes_diff_entry_scratch;
	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup((unsigned long)run->probes[0].kp.addr);
	kprobe_point_plan(point, &insn);
	return kprobe_point_scratch(point) | insn.dead;
}

static void forget_scratch(struct diff_run *run)
{
	unsigned long n;
	unsigned int i;

	for (i = 0; i < kprobes_diff_passes; i++)
		for_each_set_bit(n, &run->scratch, DIFF_REGS)
			run->probed[i].regs.gpr[n] = run->bare[i].regs.gpr[n];
}

/* The first difference says enough. */
static void expect_same(struct kunit *test, const struct diff_run *run)
{
	const struct diff_result *bare, *probed;
	unsigned int i;

	for (i = 0; i < kprobes_diff_passes; i++) {
		if (memcmp(&run->bare[i], &run->probed[i], sizeof(*run->bare)))
			break;
	}
	if (i == kprobes_diff_passes)
		return;
	bare = &run->bare[i];
	probed = &run->probed[i];
	KUNIT_EXPECT_MEMEQ_MSG(test, probed->regs.gpr, bare->regs.gpr,
			       sizeof(bare->regs.gpr), "%s, registers, pass %u",
			       run->column->name, i);
	KUNIT_EXPECT_EQ_MSG(test, probed->regs.flags, bare->regs.flags,
			    "%s, flags, pass %u", run->column->name, i);
	KUNIT_EXPECT_MEMEQ_MSG(test, probed->regs.fp, bare->regs.fp, sizeof(bare->regs.fp),
			       "%s, vectors, pass %u", run->column->name, i);
	KUNIT_EXPECT_MEMEQ_MSG(test, probed->stack, bare->stack, DIFF_STACK,
			       "%s, stack, pass %u", run->column->name, i);
	KUNIT_EXPECT_MEMEQ_MSG(test, probed->memory, bare->memory, DIFF_MEMORY,
			       "%s, memory, pass %u", run->column->name, i);
}

static bool has_copy(const struct diff_run *run)
{
	return !(run->seq->flags & (DIFF_FAULTS | DIFF_NO_DETOUR)) && !run->plan.no_copy &&
	       !run->plan.may_skip;
}

static bool has_post(const struct diff_run *run)
{
	return run->column->posts[0] || run->column->posts[1];
}

/* May the sequence's function jump to anywhere inside of the region, for all that is known? */
static bool may_jump_inside(const struct diff_run *run)
{
	return run->plan.flow == KPROBE_FLOW_JUMP_INDIRECT && !arch_kprobe_isa->pads &&
	       arch_kprobe_isa->jump_size > arch_kprobe_isa->align;
}

/*
 * Is there a detour of the instruction alone? On RISC-V a jump back and a copied branch need a
 * register. None is known to be unused, but at a function's entry some are by the calling
 * convention.
 */
static bool can_be_alone(const struct diff_run *run)
{
	if (run->seq->flags & DIFF_ENTRY)
		return true;
	switch (run->plan.flow) {
	case KPROBE_FLOW_CALL:
	case KPROBE_FLOW_CALL_INDIRECT:
	case KPROBE_FLOW_JUMP_INDIRECT:
	case KPROBE_FLOW_RETURN:
		return true;
	default:
		return KPROBES_DETOUR_OF_ANY;
	}
}

/* A breakpoint may replace it, but no jump. No sequence has what ftrace patches. */
static bool is_landed_on(const struct diff_run *run)
{
	return run->plan.no_jump || run->plan.no_jump_unless_traced;
}

/* Can the sequence be probed in the column's way, according to kprobes.rst? */
static bool has_way(const struct diff_run *run)
{
	bool is_entry = run->seq->flags & DIFF_ENTRY;

	switch (run->column->way) {
	case KPROBES_BY_TRAP:
		return !is_entry;
	case KPROBES_BY_DETOUR:
		return has_copy(run) && can_be_alone(run) &&
		       (!__is_defined(ARCH_KPROBE_OWN_DETOURS) || !has_post(run) ||
			(!is_entry && run->plan.action == KPROBE_RUN));
	case KPROBES_BY_JUMP:
		return has_copy(run) && !(run->seq->flags & DIFF_NO_JUMP) &&
		       !is_landed_on(run) && !may_jump_inside(run);
	default:
		return is_entry;
	}
}

static void decode(struct kunit *test, struct diff_run *run)
{
	unsigned long addr = (unsigned long)run->seq->code + run->seq->probe_at;

	KUNIT_ASSERT_EQ(test, arch_kprobe_isa->plan(&run->plan, (u8 *)addr,
						    arch_kprobe_isa->insn_max, addr),
			KPROBE_REASON_NONE);
	/* One that nullifies the next instruction goes on behind that. */
	run->runs_at = run->plan.action == KPROBE_RUN && !run->plan.may_skip ?
		       addr + run->plan.len : 0;
	/* Breakpoints stay in the text for a while after their probes. */
	run->hits = kprobes_diff_hits(run->seq);
	/* ftrace may have put another instruction into its first word. */
	if (run->seq->flags & DIFF_ENTRY)
		run->runs_at = kprobe_after_nop(addr);
}

static void run_column(struct kunit *test, struct diff_run *run)
{
	enum kprobes_way way = run->column->way;
	enum kprobe_reason reason;
	bool as_wanted;

	kprobes_take_way(way);
	KUNIT_ASSERT_EQ_MSG(test, register_probes(run), 0, "%s", run->column->name);
	as_wanted = is_column(run);
	scoped_guard(mutex, &kprobe_mutex)
		reason = run->probes[0].kp.point->not_jump;
	if (as_wanted) {
		run->scratch = scratch_of(run);
		run_passes(run->seq, run->probed);
	}
	unregister_probes(run);
	kprobes_leave_way();
	KUNIT_EXPECT_EQ_MSG(test, as_wanted, has_way(run), "%s, %s", run->column->name,
			    kprobe_reason_text(reason));
	if (!as_wanted)
		return;
	expect_counts(test, run);
	forget_scratch(run);
	expect_same(test, run);
}

/* Not where ftrace's own trampolines do not restore the flags, as in 32 bit. */
static bool has_column(const struct diff_sequence *s, const struct diff_column *column)
{
	return column->way != KPROBES_NO_WAY ||
	       (s->flags & DIFF_ENTRY && DIFF_BY_FTRACE && !kprobes_calls_are_counted());
}

static void differential(struct kunit *test)
{
	struct diff_run *run = test->priv;
	unsigned int i;

	run->seq = test->param_value;
	if ((run->seq->flags & DIFF_CALLS) && kprobes_calls_are_counted())
		kunit_skip(test, "calls are counted, which changes the flags");
	if (!has_features(run->seq))
		kunit_skip(test, "the CPU does not have the instruction");
	decode(test, run);
	run_passes(run->seq, run->bare);
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		run->column = &columns[i];
		if (has_column(run->seq, run->column))
			run_column(test, run);
	}
}

/* A kernel that checks each access to memory takes ten times as long, and runs one of eight. */
#define STRIDE	(IS_ENABLED(CONFIG_KASAN) || IS_ENABLED(CONFIG_KCSAN) ? 8 : 1)

static const void *sequence_gen_params(const void *prev, char *desc)
{
	const struct diff_sequence *s = prev;

	s = s ? s + STRIDE : kprobes_diff_sequences;
	if (s >= kprobes_diff_sequences_end)
		return NULL;
	strscpy(desc, s->name, KUNIT_PARAM_DESC_SIZE);
	/* In KTAP it begins a comment. */
	strreplace(desc, '#', '$');
	return s;
}

static void free_memory(void *memory)
{
	vfree(memory);
}

static void *alloc_memory(struct kunit *test, size_t size)
{
	void *memory = vzalloc(size);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_memory, memory), 0);
	return memory;
}

static int differential_init(struct kunit *test)
{
	struct diff_run *run;
	int cpu;

	run = kunit_kzalloc(test, sizeof(*run), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, run);
	run->bare = alloc_memory(test, kprobes_diff_passes * sizeof(*run->bare));
	run->probed = alloc_memory(test, kprobes_diff_passes * sizeof(*run->probed));
	test->priv = run;

	kprobes_diff_edge = alloc_memory(test, PAGE_SIZE) + PAGE_SIZE;
	for_each_possible_cpu(cpu) {
		per_cpu(kprobes_diff_percpu, cpu) = 0x12345678;
		per_cpu(kprobes_diff_percpu_callee, cpu) = kprobes_diff_callee;
	}
	return 0;
}

static void differential_exit(struct kunit *test)
{
	kprobes_leave_way();
}

static struct kunit_case differential_cases[] = {
	KUNIT_CASE_PARAM(differential, sequence_gen_params),
	{ }
};

static struct kunit_suite differential_suite = {
	.name = "kprobes_differential",
	.init = differential_init,
	.exit = differential_exit,
	.test_cases = differential_cases,
};

kunit_test_suite(differential_suite);

MODULE_DESCRIPTION("KUnit tests of probed against bare instructions");
MODULE_LICENSE("GPL");
