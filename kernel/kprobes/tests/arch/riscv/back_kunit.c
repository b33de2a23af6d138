// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the way back from a displaced instruction where no register can be spared for
 * it: registers, stack and interrupts are those that the probed code has.
 */
#include <linux/irqflags.h>
#include <linux/string.h>
#include <asm/csr.h>

#include "../../optimized.h"

/* What kprobes_opt_keep() reads and writes, by words. */
#define IN	0
#define NR	6
#define RESULT	6
#define OUT	8
#define MOVED	14
#define STATUS	15
#define WORDS	16

/* With interrupts in the probed code, and with a post-handler. */
static const struct back_case {
	const char *name;
	bool interrupts;
	bool post;
} back_cases[] = {
	{ "interrupts", true, false },
	{ "no interrupts", false, false },
	{ "interrupts, post-handler", true, true },
	{ "no interrupts, post-handler", false, true },
};

KUNIT_ARRAY_PARAM_DESC(back, back_cases, name);

static void note_interrupts(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	*(bool *)kprobes_counter_of(p)->data = !irqs_disabled();
}

static void run(unsigned long *words, bool interrupts)
{
	unsigned long flags;
	unsigned int i;

	memset(words, 0, WORDS * sizeof(*words));
	for (i = 0; i < NR; i++)
		words[IN + i] = 0x0123456789abcdef * (i + 3);
	if (interrupts) {
		kprobes_opt_keep(words);
		return;
	}
	local_irq_save(flags);
	kprobes_opt_keep(words);
	local_irq_restore(flags);
}

static void way_back(struct kunit *test)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_opt_keep", .offset = kprobes_opt_keep_at,
	};
	const struct back_case *b = test->param_value;
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned long words[WORDS];
	bool seen = !b->interrupts;

	c->in_post = note_interrupts;
	c->data = &seen;
	if (!b->post)
		c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	run(words, b->interrupts);
	unregister_kprobe(&c->kp);

	kprobes_expect_counts(test, c, 1, b->post);
	KUNIT_EXPECT_MEMEQ(test, words + OUT, words + IN, NR * sizeof(*words));
	KUNIT_EXPECT_EQ(test, 7, words[RESULT]);
	KUNIT_EXPECT_EQ(test, 0, words[MOVED]);
	KUNIT_EXPECT_EQ(test, b->interrupts, !!(words[STATUS] & SR_SIE));
	if (b->post)
		KUNIT_EXPECT_EQ(test, b->interrupts, seen);
}

static struct kunit_case back_kunit_cases[] = {
	KUNIT_CASE_PARAM(way_back, back_gen_params),
	{}
};

static struct kunit_suite back_suite = {
	.name = "kprobes_riscv_back",
	.test_cases = back_kunit_cases,
};

kunit_test_suite(back_suite);

MODULE_DESCRIPTION("KUnit tests of the way back from displaced instructions without a spare register");
MODULE_LICENSE("GPL");
