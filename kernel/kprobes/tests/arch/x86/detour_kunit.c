// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of x86_emit_detour() on buffers: detours of all shapes are sequences of
 * whole instructions, their branches lead to instructions, and they call the right
 * functions. Nothing is patched or executed.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <linux/cpufeature.h>
#include <linux/kprobe_arch.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <asm/insn.h>

#include "../../../../../arch/x86/kernel/kprobes-opt.h"
#include "../../../mechanism.h"

/* An address in reach of the functions that detours call. */
#define SITE	((unsigned long)kinds + SZ_1M)
#define ENTRY	(SITE + SZ_4M)

/* Addresses of handlers, which differ from all others. */
#define PRE(i)		(SITE + SZ_2M + 16 * (i))
#define POST(i)		(SITE + SZ_2M + SZ_64K + 16 * (i))

/* How long detours are that call one handler. */
#define ONE_HANDLER_MAX	336

struct region_kind {
	const char *name;
	bool skips_nop;
	u8 text[KPROBE_TEXT_SIZE + MAX_INSN_SIZE];
};

static const struct region_kind kinds[] = {
	{ "run", false, { 0x55, 0x48, 0x89, 0xe5, 0x53, 0x90 } },
	{ "run, alone", false, { 0xb8, 1, 2, 3, 4 } },
	{ "lea", false, { 0x48, 0x8d, 0x47, 1, 0x55 } },
	{ "lea, relative", false, { 0x48, 0x8d, 0x05, 1, 2, 3, 4 } },
	{ "mov after entry", true, { 0x49, 0x89, 0xfd, 0x31, 0xc0 } },
	{ "run, relative", false, { 0x48, 0x8b, 0x05, 0, 1, 0, 0 } },
	{ "nop", false, { 0x90, 0x48, 0x89, 0xe5, 0x53 } },
	{ "nop, alone", false, { 0x0f, 0x1f, 0x44, 0, 0 } },
	{ "jcc", false, { 0x74, 0x10, 0x83, 0xc0, 0x01 } },
	{ "jmp", false, { 0xe9, 0, 1, 0, 0 } },
	{ "jmp, padding", false, { 0xeb, 0x10, 0xcc, 0xcc, 0xcc } },
	{ "call", false, { 0xe8, 0, 1, 0, 0 } },
	{ "ret", false, { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc } },
	{ "jmp by register", false, { 0xff, 0xe0, 0xcc, 0xcc, 0xcc } },
	{ "after entry", true, { 0x55, 0x48, 0x89, 0xe5, 0x53, 0x90 } },
	{ "jcc after entry", true, { 0x74, 0x10, 0x83, 0xc0, 0x01 } },
	{ "longest", false, { 0x74, 0x10, 0x74, 0x12, 0x2e, 0x2e, 0x2e, 0x2e, 0x2e,
			      0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 } },
	{ "longest, run", false, { 0x50, 0x74, 0x10, 0x74, 0x2e, 0x2e, 0x2e, 0x2e,
				   0x2e, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 } },
};

KUNIT_ARRAY_PARAM_DESC(kind, kinds, name);

/**
 * struct emitted - a detour in a buffer
 * @point:  its point
 * @probes: its probes
 * @nr_pre: how many of them have a pre-handler
 * @nr_post: and how many a post-handler
 * @region: the region at its site
 * @detour: the detour
 * @len:    its length
 * @code:   its bytes
 * @starts: where instructions begin
 */
struct emitted {
	struct kprobe_point point;
	struct kprobe probes[X86_DETOUR_HANDLERS];
	unsigned int nr_pre;
	unsigned int nr_post;
	struct kprobe_region region;
	struct kprobe_detour detour;
	int len;
	u8 code[KPROBE_DETOUR_MAX_SIZE + MAX_INSN_SIZE];
	DECLARE_BITMAP(starts, KPROBE_DETOUR_MAX_SIZE + 1);
};

/* May a detour call post-handlers? See is_direct() in kprobes-opt.c. */
static bool may_call_post(const struct emitted *e)
{
	return e->region.insn[0].action == KPROBE_RUN && e->point.site == e->point.addr;
}

static void set_handlers(struct emitted *e, unsigned int nr_pre, unsigned int nr_post)
{
	unsigned int i;

	e->nr_pre = nr_pre;
	e->nr_post = nr_post;
	e->point.text.run_post = nr_post && may_call_post(e) ? (void *)SITE : NULL;
	for (i = 0; i < X86_DETOUR_HANDLERS; i++) {
		e->probes[i].pre_handler = i < nr_pre ? (void *)PRE(i) : NULL;
		e->probes[i].post_handler = i < nr_post ? (void *)POST(i) : NULL;
	}
}

static void fill_in_point(struct emitted *e, const struct region_kind *kind)
{
	unsigned int i;

	e->point.addr = kind->skips_nop ? SITE - 5 : SITE;
	e->point.site = SITE;
	memcpy(e->point.insn, kind->text, sizeof(e->point.insn));
	INIT_LIST_HEAD(&e->point.probes);
	for (i = 0; i < X86_DETOUR_HANDLERS; i++)
		list_add_tail(&e->probes[i].list, &e->point.probes);
}

static struct emitted *prepare(struct kunit *test, const struct region_kind *kind)
{
	struct emitted *e = kunit_kzalloc(test, sizeof(*e), GFP_KERNEL);
	enum kprobe_reason reason;

	KUNIT_ASSERT_NOT_NULL(test, e);
	reason = kprobe_plan_region(&x86_kprobe_isa, &e->region, kind->text,
				    sizeof(kind->text), SITE);
	KUNIT_ASSERT_EQ_MSG(test, reason, KPROBE_REASON_NONE, "%s", kind->name);
	e->detour.point = &e->point;
	e->detour.generation = 0x12345678;
	e->detour.direct = true;
	e->detour.slot = (void *)ENTRY;
	fill_in_point(e, kind);
	return e;
}

/* Combinations that are not made. */
static bool is_senseless(const struct emitted *e)
{
	return e->detour.direct && e->nr_post && !may_call_post(e);
}

/* Instructions */

static bool is_branch(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0];

	return op == 0xe8 || op == 0xe9 || op == 0xeb || (op & 0xf0) == 0x70 ||
	       (op == 0x0f && (insn->opcode.bytes[1] & 0xf0) == 0x80);
}

static unsigned long branch_target(const struct insn *insn, unsigned int at)
{
	return ENTRY + at + insn->length + insn->immediate.value;
}

/* Calls a function for each instruction; marks where they begin. */
static void walk(struct kunit *test, struct emitted *e,
		 void (*visit)(struct kunit *test, struct emitted *e,
			       struct insn *insn, unsigned int at))
{
	struct insn insn;
	unsigned int at;

	for (at = 0; at < e->len; at += insn.length) {
		KUNIT_ASSERT_EQ_MSG(test, 0, insn_decode(&insn, e->code + at, MAX_INSN_SIZE,
							 INSN_MODE_64), "at %u", at);
		__set_bit(at, e->starts);
		if (visit)
			visit(test, e, &insn, at);
	}
	KUNIT_EXPECT_EQ(test, at, e->len);
	__set_bit(at, e->starts);
}

static void expect_start(struct kunit *test, struct emitted *e, unsigned int at,
			 const char *what)
{
	KUNIT_EXPECT_LT_MSG(test, at, e->len, "%s", what);
	if (at < e->len)
		KUNIT_EXPECT_TRUE_MSG(test, test_bit(at, e->starts), "%s at %u", what, at);
}

static void expect_start_if(struct kunit *test, struct emitted *e,
			    const void *addr, const char *what)
{
	unsigned long at = (unsigned long)addr - ENTRY;

	if (addr && at < e->len)
		expect_start(test, e, at, what);
}

/* Is this what comes after a return or an indirect jump? */
static bool ends_speculation(const struct emitted *e, unsigned int at)
{
	return IS_ENABLED(CONFIG_MITIGATION_SLS) &&
	       (e->code[at - 1] == RET_INSN_OPCODE || e->code[at - 2] == 0xff);
}

/* A branch must lead out of the detour, or to an instruction of it. */
static void expect_branch(struct kunit *test, struct emitted *e,
			  struct insn *insn, unsigned int at)
{
	if (insn->opcode.bytes[0] == INT3_INSN_OPCODE)
		KUNIT_EXPECT_TRUE_MSG(test, ends_speculation(e, at), "at %u", at);
	if (is_branch(insn))
		expect_start_if(test, e, (void *)branch_target(insn, at), "target");
}

static void expect_places(struct kunit *test, struct emitted *e)
{
	const struct arch_kprobe_detour *at = &e->detour.arch;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, at->save[1] != U16_MAX, e->detour.direct && e->nr_post);
	for (i = 0; i < ARRAY_SIZE(at->save) && at->save[i] != U16_MAX; i++) {
		expect_start(test, e, at->save[i], "save");
		expect_start(test, e, at->restore[i], "restore");
		KUNIT_EXPECT_LT(test, at->save[i], at->restore[i]);
	}
	for (i = 0; i < e->region.nr; i++)
		expect_start(test, e, e->detour.insn[i], "instruction");
	KUNIT_EXPECT_TRUE(test, test_bit(e->detour.insn[e->region.nr], e->starts));
	KUNIT_EXPECT_LE(test, e->detour.copies, e->len);
	KUNIT_EXPECT_TRUE(test, test_bit(e->detour.copies, e->starts));
}

static void expect_ways(struct kunit *test, struct emitted *e)
{
	struct kprobe_detour *d = &e->detour;

	KUNIT_EXPECT_NOT_NULL(test, d->route.run);
	KUNIT_EXPECT_EQ(test, !!d->route.run_post, !!e->point.text.run_post);
	expect_start_if(test, e, d->route.run, "run");
	expect_start_if(test, e, d->route.run_post, "run_post");
}

/* How often something is called or jumped to, and where first. */

static unsigned int branches_to(struct emitted *e, unsigned long target,
				unsigned int *first)
{
	unsigned int at, times = 0;
	struct insn insn;

	for (at = 0; at < e->len; at += insn.length) {
		if (insn_decode(&insn, e->code + at, MAX_INSN_SIZE, INSN_MODE_64))
			break;
		if (!is_branch(&insn) || branch_target(&insn, at) != target)
			continue;
		if (!times++)
			*first = at;
	}
	return times;
}

/* Each of the handlers is called once, in order, and no more of them. */
static void expect_calls(struct kunit *test, struct emitted *e, bool post,
			 unsigned int nr)
{
	unsigned int i, at, last = 0;

	for (i = 0; i < X86_DETOUR_HANDLERS; i++) {
		unsigned long handler = post ? POST(i) : PRE(i);

		KUNIT_EXPECT_EQ(test, branches_to(e, handler, &at), i < nr);
		if (i >= nr)
			continue;
		KUNIT_EXPECT_GT(test, at, last);
		last = at;
	}
}

static void expect_handlers(struct kunit *test, struct emitted *e)
{
	bool direct = e->detour.direct;
	unsigned int at;

	expect_calls(test, e, false, direct ? e->nr_pre : 0);
	expect_calls(test, e, true, direct ? e->nr_post : 0);
	KUNIT_EXPECT_EQ(test, branches_to(e, (unsigned long)kprobe_post_trampoline, &at),
			!!e->point.text.run_post);
	KUNIT_EXPECT_EQ(test, branches_to(e, (unsigned long)kprobe_detour_divert, &at),
			direct ? e->nr_pre : 0);
	if (!direct) {
		KUNIT_EXPECT_EQ(test, 1, branches_to(e, (unsigned long)kprobe_detour_slow, &at));
		KUNIT_EXPECT_EQ(test, 0, branches_to(e, (unsigned long)kprobe_detour_stale, &at));
	} else {
		KUNIT_EXPECT_EQ(test, 1, branches_to(e, (unsigned long)kprobe_detour_stale, &at));
	}
}

static int emit_detour(struct emitted *e)
{
	struct kprobe_code code = { .buf = e->code, .size = KPROBE_DETOUR_MAX_SIZE,
				    .base = (unsigned long)e->detour.slot };

	x86_emit_detour(&e->detour, &e->region, &code);
	return code.far ? -ERANGE : code.len;
}

static void set_region(struct kprobe_detour *detour, const struct kprobe_region *region)
{
	detour->nr = region->nr;
	memcpy(detour->from, region->from, region->nr + 1);
}

static void emit(struct kunit *test, struct emitted *e)
{
	bitmap_zero(e->starts, KPROBE_DETOUR_MAX_SIZE + 1);
	memset(e->code, INT3_INSN_OPCODE, sizeof(e->code));
	set_region(&e->detour, &e->region);
	e->len = emit_detour(e);
	KUNIT_ASSERT_GT(test, e->len, 0);
	KUNIT_ASSERT_LE(test, e->len, KPROBE_DETOUR_MAX_SIZE);
	KUNIT_EXPECT_EQ(test, e->code[e->len], INT3_INSN_OPCODE);
}

static void expect_good(struct kunit *test, struct emitted *e)
{
	if (is_senseless(e))
		return;
	emit(test, e);
	walk(test, e, NULL);
	walk(test, e, expect_branch);
	expect_places(test, e);
	expect_ways(test, e);
	expect_handlers(test, e);
	if (e->nr_pre == 1 && !e->nr_post && !e->detour.counts &&
	    strncmp(((struct region_kind *)test->param_value)->name, "longest", 7))
		KUNIT_EXPECT_LE(test, e->len, ONE_HANDLER_MAX);
}

/* The value that a return probe's pre-handler returns is not checked. */
static void x86_detour_undiverted(struct kunit *test)
{
	struct emitted *e = prepare(test, test->param_value);
	unsigned int at;

	e->detour.direct = true;
	set_handlers(e, 2, 0);
	e->probes[1].returns = true;
	emit(test, e);
	walk(test, e, NULL);
	walk(test, e, expect_branch);
	KUNIT_EXPECT_EQ(test, branches_to(e, PRE(1), &at), 1);
	KUNIT_EXPECT_EQ(test, branches_to(e, (unsigned long)kprobe_detour_divert, &at), 1);
}

/* Post-handlers are called after the first instruction, of which there are further copies. */
static void x86_detour_post(struct kunit *test)
{
	struct emitted *e = prepare(test, test->param_value);
	struct kprobe_detour *d = &e->detour;
	unsigned int at = 0, pushed;

	set_handlers(e, 1, 1);
	if (is_senseless(e))
		return;
	emit(test, e);
	KUNIT_EXPECT_EQ(test, d->arch.save[1], d->insn[0] + e->region.insn[0].len);
	KUNIT_EXPECT_EQ(test, branches_to(e, POST(0), &at), 1);
	KUNIT_EXPECT_GT(test, at, d->arch.save[1]);
	KUNIT_EXPECT_LT(test, at, d->arch.restore[1]);
	KUNIT_EXPECT_EQ(test, d->arch.restore[1] + X86_DETOUR_RESTORE_SIZE, d->insn[1]);
	KUNIT_EXPECT_PTR_EQ(test, d->route.run, d->slot + d->copies);
	KUNIT_EXPECT_EQ(test, arch_kprobe_detour_ip(d, ENTRY + d->insn[0], &pushed), SITE);
	KUNIT_EXPECT_EQ(test, arch_kprobe_detour_ip(d, ENTRY + d->arch.save[1], &pushed),
			SITE + d->from[1]);
	KUNIT_EXPECT_EQ(test, arch_kprobe_detour_ip(d, ENTRY + at, &pushed),
			(unsigned long)kprobe_detour_saved_post + 1);
	KUNIT_EXPECT_EQ(test, arch_kprobe_detour_ip(d, ENTRY + d->insn[1], &pushed),
			SITE + d->from[1]);
	KUNIT_EXPECT_EQ(test, arch_kprobe_detour_ip(d, ENTRY + d->copies, &pushed), SITE);
}

static void x86_detour_shapes(struct kunit *test)
{
	struct emitted *e = prepare(test, test->param_value);
	unsigned int direct, pre, post;

	for (direct = 0; direct < 3; direct++)
		for (pre = 0; pre <= X86_DETOUR_HANDLERS; pre++)
			for (post = 0; post <= X86_DETOUR_HANDLERS; post++) {
				e->detour.direct = direct > 0;
				e->detour.counts = direct > 1;
				set_handlers(e, pre, post);
				expect_good(test, e);
			}
}

/* Which fields of the CPU's frame a detour writes, in order. */
static unsigned int frame_stores(struct kunit *test, struct emitted *e,
				 unsigned long *fields, unsigned int max)
{
	unsigned long frame = (unsigned long)&kprobe_cpu.frame[0];
	unsigned int at, n = 0;
	struct insn insn;

	for (at = 0; at < e->len; at += insn.length) {
		unsigned long field;
		bool stores;

		KUNIT_ASSERT_EQ(test, 0, insn_decode(&insn, e->code + at, MAX_INSN_SIZE,
						     INSN_MODE_64));
		stores = insn.opcode.bytes[0] == 0x89 ||	/* mov; or, and */
			 (insn.opcode.bytes[0] == 0x83 &&
			  X86_MODRM_REG(insn.modrm.value) != 7);
		/* %r15 has the CPU's offset. */
		stores &= X86_REX_B(insn.rex_prefix.value) && X86_MODRM_RM(insn.modrm.value) == 7;
		field = (long)insn.displacement.value - frame;
		if (stores && insn.displacement.nbytes == 4 &&
		    field < sizeof(struct kprobe_frame) && n < max)
			fields[n++] = field;
	}
	return n;
}

/*
 * The order must be that of kprobe_frame_begin() and kprobe_frame_exit(): an interrupt
 * between any two stores must find the frame free, or claimed and not touch it.
 */
static void x86_detour_claim(struct kunit *test)
{
	static const unsigned long expected[] = {
		offsetof(struct kprobe_frame, hazard),
		offsetof(struct kprobe_frame, context),
		offsetof(struct kprobe_frame, probe),
		offsetof(struct kprobe_frame, context),
		offsetof(struct kprobe_frame, hazard),
	};
	struct emitted *e = prepare(test, test->param_value);
	unsigned long stores[10] = { };

	set_handlers(e, 1, 0);
	emit(test, e);
	KUNIT_EXPECT_EQ(test, frame_stores(test, e, stores, ARRAY_SIZE(stores)),
			ARRAY_SIZE(expected));
	KUNIT_EXPECT_MEMEQ(test, stores, expected, sizeof(expected));
}

/* A detour's length does not depend on its address: it is measured before that is known. */
static void x86_detour_length(struct kunit *test)
{
	struct emitted *e = prepare(test, test->param_value);
	int len;

	set_handlers(e, 2, 0);
	emit(test, e);
	len = e->len;
	e->detour.slot = (void *)SITE;
	KUNIT_EXPECT_EQ(test, len, emit_detour(e));
	e->detour.slot = (void *)SITE - SZ_8M;
	KUNIT_EXPECT_EQ(test, len, emit_detour(e));
}

/* Registers are saved with the instruction pointer of a breakpoint's trap. */
static void x86_detour_ip(struct kunit *test)
{
	struct emitted *e = prepare(test, test->param_value);
	unsigned int at, times = 0;
	struct insn insn;

	set_handlers(e, 1, 0);
	emit(test, e);
	for (at = 0; at < e->detour.insn[0]; at += insn.length) {
		KUNIT_ASSERT_EQ(test, 0, insn_decode(&insn, e->code + at, MAX_INSN_SIZE,
						     INSN_MODE_64));
		if (insn.opcode.bytes[0] == 0x68 &&
		    insn.immediate.value == (s32)(e->point.addr + 1))
			times++;
	}
	KUNIT_EXPECT_EQ(test, times, 1);
}

static void x86_detour_out_of_reach(struct kunit *test)
{
	struct emitted *e = prepare(test, test->param_value);
	unsigned long far = SITE - SZ_4G;

	set_handlers(e, 1, 0);
	emit(test, e);
	e->detour.slot = (void *)far;
	KUNIT_EXPECT_EQ(test, -ERANGE, emit_detour(e));
	e->detour.slot = (void *)ENTRY;
	e->probes[0].pre_handler = (void *)far;
	KUNIT_EXPECT_EQ(test, -ERANGE, emit_detour(e));
	set_handlers(e, 0, 0);
	KUNIT_EXPECT_GT(test, emit_detour(e), 0);
}

/*
 * Detours that do not handle a hit themselves end with an iret. Interrupts must be disabled
 * there: one at the iret would be taken for a fault on the return to user space. A test
 * cannot raise one at that instruction, so this looks at the code.
 */
static void x86_detour_leave(struct kunit *test)
{
	const u8 *code = (const u8 *)kprobe_detour_divert;
	u8 last = 0;
	struct insn insn;
	int i;

	for (i = 0; i < 16; i++, code += insn.length) {
		KUNIT_ASSERT_EQ(test, 0, insn_decode(&insn, code, MAX_INSN_SIZE,
						     INSN_MODE_64));
		if (insn.opcode.bytes[0] == JMP32_INSN_OPCODE)
			break;
		last = insn.opcode.bytes[0];
	}
	KUNIT_EXPECT_EQ(test, insn.opcode.bytes[0], JMP32_INSN_OPCODE);
	KUNIT_EXPECT_EQ(test, last, 0xfa);		/* cli */
}

static enum kprobe_reason emit_with(struct emitted *e, unsigned int feature)
{
	struct kprobe_code code = { .buf = e->code, .size = KPROBE_DETOUR_MAX_SIZE,
				    .base = (unsigned long)e->detour.slot };
	bool had = boot_cpu_has(feature);
	enum kprobe_reason reason;

	set_cpu_cap(&boot_cpu_data, feature);
	reason = arch_kprobe_emit_detour(&e->detour, &e->region, &code);
	if (!had)
		clear_bit(feature, (unsigned long *)boot_cpu_data.x86_capability);
	return reason;
}

/* Against attacks, such CPUs have something in front of the branch, or a place for it. */
static void x86_detour_mitigated(struct kunit *test)
{
	static const unsigned int features[] = {
		X86_FEATURE_INDIRECT_THUNK_ITS, X86_FEATURE_RETPOLINE_LFENCE,
	};
	const struct region_kind *kind = test->param_value;
	struct emitted *e = prepare(test, kind);
	u8 flow = e->region.insn[e->region.nr - 1].flow;
	bool jump = flow == KPROBE_FLOW_JUMP_INDIRECT;
	bool branch[] = { jump || flow == KPROBE_FLOW_RETURN, jump };
	unsigned int i;

	set_handlers(e, 1, 0);
	set_region(&e->detour, &e->region);
	for (i = 0; i < ARRAY_SIZE(features); i++)
		KUNIT_EXPECT_EQ(test, emit_with(e, features[i]),
				branch[i] ? KPROBE_REASON_NOT_DISPLACED : KPROBE_REASON_NONE);
}

static struct kunit_case detour_cases[] = {
	KUNIT_CASE_PARAM(x86_detour_shapes, kind_gen_params),
	KUNIT_CASE_PARAM(x86_detour_undiverted, kind_gen_params),
	KUNIT_CASE_PARAM(x86_detour_post, kind_gen_params),
	KUNIT_CASE_PARAM(x86_detour_claim, kind_gen_params),
	KUNIT_CASE_PARAM(x86_detour_length, kind_gen_params),
	KUNIT_CASE_PARAM(x86_detour_ip, kind_gen_params),
	KUNIT_CASE_PARAM(x86_detour_out_of_reach, kind_gen_params),
	KUNIT_CASE_PARAM(x86_detour_mitigated, kind_gen_params),
	KUNIT_CASE(x86_detour_leave),
	{}
};

static struct kunit_suite detour_suite = {
	.name = "kprobes_x86_detour",
	.test_cases = detour_cases,
};

kunit_test_suite(detour_suite);

MODULE_DESCRIPTION("KUnit tests of detours on byte arrays");
MODULE_LICENSE("GPL");
