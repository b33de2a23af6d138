// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of faults in copies of instructions, which the kernel itself handles or reports:
 * exception tables, machine checks, oopses. All of these must treat a fault in a copy as
 * a fault of the probed instruction.
 */
#include <linux/extable.h>
#include <linux/kdebug.h>
#include <linux/kernel.h>
#include <linux/kprobe_arch.h>
#include <linux/kthread.h>
#include <linux/notifier.h>
#include <linux/panic.h>
#include <linux/sched/signal.h>
#include <linux/stringhash.h>
#include <linux/vmalloc.h>

#include "../place.h"
#include "../point.h"
#include "console.h"
#include "optimized.h"

/* Zero-padding loads */

/* No exception table entry has this type. */
#ifndef EX_TYPE_ZEROPAD
#define EX_TYPE_ZEROPAD	-1
#endif

#ifndef kprobes_fixup_type
/* What the kernel does about a fault at an address. */
static int kprobes_fixup_type(unsigned long addr)
{
	const struct exception_table_entry *ex = search_exception_tables(addr);

	return ex ? ex->type : EX_TYPE_NONE;
}
#endif

/* Is a load's fixup code of its own, which goes on in the text? No post-handlers are due there. */
#ifndef KPROBES_FIXUP_IS_CODE
#define KPROBES_FIXUP_IS_CODE	false
#endif

/* How many bytes of a word are before the end of a page. */
#define TAIL	3

static void free_page_of(void *page)
{
	vfree(page);
}

/* The last bytes of a page with no page after it. */
static u8 *end_of_memory(struct kunit *test)
{
	u8 *page;

	if (EX_TYPE_ZEROPAD < 0)
		kunit_skip(test, "no load is padded with zeros");
	page = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_page_of, page));
	memset(page, 0xff, PAGE_SIZE);
	memcpy(page + PAGE_SIZE - TAIL, "abc", TAIL);
	return page + PAGE_SIZE - TAIL;
}

/* A word of these and zeros. */
static const union {
	char bytes[sizeof(unsigned long)];
	unsigned long word;
} padded = { .bytes = "abc" };

static struct kprobes_counter *zeropad_probe(struct kunit *test, bool post)
{
	const struct kprobes_place place = { .symbol = "kprobes_target_zeropad" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	if (!post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_settle(KPROBES_BY_DETOUR);
	return c;
}

static void zero_padded(struct kunit *test)
{
	static const unsigned long whole = ~1UL;
	u8 *tail = end_of_memory(test);
	int post;

	KUNIT_EXPECT_EQ(test, kprobes_target_zeropad(tail), padded.word);
	for (post = 0; post < 2; post++) {
		struct kprobes_counter *c = zeropad_probe(test, post);

		KUNIT_EXPECT_EQ(test, kprobes_target_zeropad(tail), padded.word);
		kprobes_expect_counts(test, c, 1, KPROBES_FIXUP_IS_CODE ? 0 : post);
		KUNIT_EXPECT_EQ(test, kprobes_target_zeropad(&whole), whole);
		kprobes_expect_counts(test, c, 2, KPROBES_FIXUP_IS_CODE ? post : 2 * post);
		KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
		unregister_kprobe(&c->kp);
	}
}

struct inner {
	const u8 *tail;
	unsigned long result;
};

static int zeropad_in_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct inner *inner = kprobes_counter_of(p)->data;

	inner->result = kprobes_target_zeropad(inner->tail);
	return 0;
}

/* If the hit is missed, for lack of a frame, the fault is fixed up all the same. */
static void zero_padded_and_missed(struct kunit *test)
{
	struct inner inner = { .tail = end_of_memory(test) };
	struct kprobes_counter *outer;
	int post;

	outer = kprobes_counter(test, kprobes_place_named(KPROBES_PLACE_ASM));
	outer->in_pre = zeropad_in_handler;
	outer->data = &inner;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&outer->kp));
	for (post = 0; post < 2; post++) {
		struct kprobes_counter *c = zeropad_probe(test, post);

		kprobes_expect_targets(test, 1);
		KUNIT_EXPECT_EQ(test, inner.result, padded.word);
		kprobes_expect_counts(test, c, 0, 0);
		KUNIT_EXPECT_EQ(test, c->kp.nmissed, 1);
		unregister_kprobe(&c->kp);
	}
	kprobes_expect_counts(test, outer, 2, 2);
}

static unsigned long site_of(const struct exception_table_entry *ex)
{
	return (unsigned long)&ex->insn + ex->insn;
}

/* full_name_hash() reads a name by words. Probes each load that may go past its end. */
static void name_at_the_end_of_memory(struct kunit *test)
{
	unsigned long start = (unsigned long)full_name_hash;
	const struct exception_table_entry *ex;
	const char *name = end_of_memory(test);
	unsigned int hash = full_name_hash(test, name, TAIL);
	struct kprobe_function f = {};
	unsigned int probed = 0;

	scoped_guard(mutex, &kprobe_mutex)
		kprobe_find_function(start, &f);
	for (ex = __start___ex_table; ex < __stop___ex_table; ex++) {
		struct kprobes_counter *c;

		if (site_of(ex) < f.start || site_of(ex) >= f.end ||
		    kprobes_fixup_type(site_of(ex)) != EX_TYPE_ZEROPAD)
			continue;
		c = kprobes_counter(test, &(struct kprobes_place){
			.symbol = "full_name_hash",
			.offset = site_of(ex) - f.start,
		});
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
		KUNIT_EXPECT_EQ(test, full_name_hash(test, name, TAIL), hash);
		unregister_kprobe(&c->kp);
		probed += atomic_read(&c->pre) > 0;
		KUNIT_EXPECT_EQ(test, atomic_read(&c->pre), atomic_read(&c->post));
	}
	if (!probed)
		kunit_skip(test, "no such load in full_name_hash()");
}

/* Lookups of an address */

static const char * const with_fixup[] = {
	"kprobes_target_load", "kprobes_target_zeropad",
};

static void fixup_name(const char * const *symbol, char *desc)
{
	strscpy(desc, *symbol + strlen("kprobes_target_"), KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(fixup, with_fixup, fixup_name);

static unsigned long copy_of(const struct kprobes_counter *c, bool post)
{
	struct kprobe_point *point;

	guard(mutex)(&kprobe_mutex);
	point = kprobe_point_lookup((unsigned long)c->kp.addr);
	return (unsigned long)(post ? point->route->run_post : point->route->run);
}

static struct kprobes_counter *probe_on(struct kunit *test, const char *symbol)
{
	const struct kprobes_place place = { .symbol = symbol };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	return c;
}

/* The type tells, for example, whether a machine check can be recovered from. */
static void copy_has_fixup_type(struct kunit *test)
{
	const char * const *symbol = test->param_value;
	struct kprobes_counter *c = probe_on(test, *symbol);
	int type = kprobes_fixup_type((unsigned long)c->kp.addr);

	KUNIT_EXPECT_NE(test, type, EX_TYPE_NONE);
	KUNIT_EXPECT_EQ(test, type, kprobes_fixup_type(copy_of(c, false)));
	KUNIT_EXPECT_EQ(test, type, kprobes_fixup_type(copy_of(c, true)));
}

/* Reports */

/* The address in the report of an oops. */
static unsigned long oops_ip;

static int on_oops(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;

	if (event != DIE_OOPS)
		return NOTIFY_DONE;
	oops_ip = instruction_pointer(args->regs);
	/* Where an oops does not kill a task that it is stopped for, the task returns. */
	instruction_pointer_set(args->regs, (unsigned long)kprobes_opt_callee);
	return NOTIFY_STOP;
}

static struct notifier_block oops_nb = {
	.notifier_call = on_oops,
	.priority = INT_MAX,
};

/* What a thread loads. */
struct bad_load {
	long (*load)(const long *p);
	const long *from;
};

/* Called directly: they are assembly, and have no landing pad and no type. */
static long load_bare(const long *p)
{
	return kprobes_target_load_bare(p);
}

static long load_late(const long *p)
{
	return kprobes_target_load_late(p);
}

static long load_nop(const long *p)
{
	return kprobes_target_load_nop(p);
}

static int load_thread(void *data)
{
	const struct bad_load *bad = data;

	bad->load(bad->from);
	return 0;
}

static void oops_names(struct kunit *test, long (*load)(const long *p),
		       unsigned long from, unsigned long at)
{
	static struct bad_load bad;
	int panics = panic_on_oops;

	bad = (struct bad_load){ .load = load, .from = (const long *)from };
	oops_ip = 0;
	KUNIT_ASSERT_EQ(test, 0, register_die_notifier(&oops_nb));
	pr_info("expect-splat-begin: BUG: [Uu]nable to handle|Oops|Internal error\n");
	panic_on_oops = 0;
	kprobes_let_die(test, load_thread, &bad, raw_smp_processor_id());
	panic_on_oops = panics;
	pr_info("expect-splat-end\n");
	unregister_die_notifier(&oops_nb);
	/* An oops has turned tracing off. */
	tracing_on();
	KUNIT_EXPECT_EQ_MSG(test, oops_ip, at, "%pS", (void *)oops_ip);
}

static void report_names_the_function(struct kunit *test)
{
	static const unsigned long bad[] = { -PAGE_SIZE, TEST_NO_HALF };
	struct kprobes_counter *c[2];
	unsigned int i;

	if (IS_ENABLED(CONFIG_LOCKDEP))
		kunit_skip(test, "an oops turns lockdep off");
	kprobes_take_way(kprobes_way_of(test));
	c[0] = probe_on(test, "kprobes_target_load_bare");
	c[1] = probe_on(test, "kprobes_target_load_late");
	kprobes_expect_way(test, c[0]);
	kprobes_expect_way(test, c[1]);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		oops_names(test, load_bare, bad[i],
			   (unsigned long)c[0]->kp.addr);
		oops_names(test, load_late, bad[i],
			   (unsigned long)c[1]->kp.addr + KPROBES_LOAD_LATE);
	}
	kprobes_expect_counts(test, c[0], 2, 0);
	kprobes_expect_counts(test, c[1], 2, 2);
}

static int count_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	int *faults = kprobes_counter_of(p)->data;

	(*faults)++;
	return 0;
}

/* A nop is not copied: the load's copy is where hits go on. The fault is the load's. */
static void report_does_not_name_the_nop(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_target_load_nop" };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	int faults = 0;

	if (IS_ENABLED(CONFIG_LOCKDEP))
		kunit_skip(test, "an oops turns lockdep off");
	kprobes_take_way(kprobes_way_of(test));
	c->data = &faults;
	c->kp.post_handler = NULL;
	c->kp.fault_handler = count_fault;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	oops_names(test, load_nop, -PAGE_SIZE, (unsigned long)c->kp.addr + KPROBES_LOAD_NOP);
	kprobes_expect_counts(test, c, 1, 0);
	KUNIT_EXPECT_EQ(test, faults, 0);
	unregister_kprobe(&c->kp);
}

/* The copy of a branch includes what is in its delay slot. */
static void slot_may_fault(struct kunit *test)
{
	struct kprobes_counter *c = probe_on(test, "kprobes_target_load");
	struct kprobe_point branch = {
		.site = (unsigned long)c->kp.addr - KPROBE_INSN_ALIGN,
		.len = KPROBE_INSN_ALIGN,
	};

	KUNIT_EXPECT_FALSE(test, kprobe_point_search_fixup(&branch));
	branch.has_slot = 1;
	KUNIT_EXPECT_TRUE(test, kprobe_point_search_fixup(&branch));
	branch.site += KPROBE_INSN_ALIGN;
	KUNIT_EXPECT_TRUE(test, kprobe_point_search_fixup(&branch));
	branch.site += KPROBE_INSN_ALIGN;
	KUNIT_EXPECT_FALSE(test, kprobe_point_search_fixup(&branch));
}

/* Where a fault handler was told that the fault is. */
static unsigned long fault_seen;

static int see_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	fault_seen = instruction_pointer(regs);
	return 0;
}

static unsigned long offer_fault(struct kunit *test, unsigned long addr)
{
	struct pt_regs regs = {};
	unsigned long next;

	fault_seen = 0;
	instruction_pointer_set(&regs, addr);
	arch_kprobe_set_next_ip(&regs, addr + PAGE_SIZE);
	next = arch_kprobe_next_ip(&regs);
	KUNIT_EXPECT_EQ(test, 0, kprobe_fault_handler(&regs, TEST_PAGE_FAULT));
	KUNIT_EXPECT_EQ(test, addr, instruction_pointer(&regs));
	KUNIT_EXPECT_EQ(test, next, arch_kprobe_next_ip(&regs));
	return fault_seen;
}

/* Is offered each byte of a copy where what can fault is @fault bytes from the start. */
static void expect_faults(struct kunit *test, const struct kprobe_point *point,
			  unsigned int fault, bool slot)
{
	unsigned long copy = (unsigned long)point->route->run_post;
	unsigned int i, end = fault + point->len;

	for (i = 0; i <= fault; i++) {
		KUNIT_EXPECT_EQ(test, point->site, offer_fault(test, copy + i));
		KUNIT_EXPECT_EQ(test, point->site, kprobe_displaced_ip(copy + i));
	}
	for (; i <= end; i++)
		KUNIT_EXPECT_EQ(test, slot && i >= point->len ? point->site + point->len : 0,
				offer_fault(test, copy + i));
	KUNIT_EXPECT_EQ(test, 0, offer_fault(test, copy + end + 1));
	KUNIT_EXPECT_EQ(test, point->site + point->len, kprobe_displaced_ip(copy + end));
}

/* Some copies begin with code that cannot fault, and end with the instruction in a delay slot. */
static void fault_within_the_copy(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned int fault, has_slot;
	struct kprobe_point *point;

	kprobes_take_way(kprobes_way_of(test));
	c->kp.fault_handler = see_fault;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	scoped_guard(mutex, &kprobe_mutex)
		point = kprobe_point_lookup((unsigned long)c->kp.addr);
	for (fault = 0; fault < 3; fault++) {
		for (has_slot = 0; has_slot < 2; has_slot++) {
			point->fault = fault;
			point->has_slot = has_slot;
			expect_faults(test, point, fault * KPROBE_INSN_ALIGN, has_slot);
		}
	}
	point->fault = 0;
	point->has_slot = 0;
	unregister_kprobe(&c->kp);
}

static struct kunit_case fault_copy_cases[] = {
	KUNIT_CASE(zero_padded),
	KUNIT_CASE(zero_padded_and_missed),
	KUNIT_CASE(name_at_the_end_of_memory),
	KUNIT_CASE_PARAM(copy_has_fixup_type, fixup_gen_params),
	KPROBES_CASE_WAYS(report_names_the_function),
	KPROBES_CASE_WAYS(report_does_not_name_the_nop),
	KUNIT_CASE(slot_may_fault),
	KPROBES_CASE_WAYS(fault_within_the_copy),
	{}
};

static struct kunit_suite fault_copy_suite = {
	.name = "kprobes_fault_copy",
	.exit = kprobes_way_exit,
	.test_cases = fault_copy_cases,
};

kunit_test_suite(fault_copy_suite);
