// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes where memory is that of user space: between SACF to the secondary space and back,
 * as in what copies a futex's word. No stub may save registers there: the kernel's stack is not to
 * be seen. Handlers are called from the trap, and a post-handler is a miss.
 */
#include <kunit/test.h>
#include <linux/kprobe_point.h>

#include "../../targets.h"

long kprobes_space_function(long a);

/* Without a label inside, which would be a function of its own. */
asm(".pushsection .text\n"
	".globl kprobes_space_function\n"
	".type kprobes_space_function, @function\n"
	"kprobes_space_function:\n"
	"	lgr	%r1,%r2\n"
	"	sacf	256\n"
	"	la	%r2,7(%r1)\n"
	"	sacf	768\n"
	"	br	%r14\n"
	".size kprobes_space_function, . - kprobes_space_function\n"
	".popsection\n");

static const struct {
	const char *name;
	unsigned int offset;
} places[] = {
	{ "way there", 4 },
	{ "inside", 8 },
	{ "way back", 12 },
};

KUNIT_ARRAY_PARAM_DESC(places, places, name);

static unsigned int pres, posts;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	pres++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	posts++;
}

/* Hits are handled before the optimizer has seen the point, and after it. */
static void hits(struct kunit *test, kprobe_post_handler_t post)
{
	const typeof(places[0]) *place = test->param_value;
	struct kprobe p = {
		.symbol_name = "kprobes_space_function", .offset = place->offset,
		.pre_handler = count_pre, .post_handler = post,
	};

	pres = 0;
	posts = 0;
	KUNIT_ASSERT_EQ(test, register_kprobe(&p), 0);
	KUNIT_EXPECT_EQ(test, kprobes_space_function(35), 42);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&p));
	KUNIT_EXPECT_EQ(test, kprobes_space_function(35), 42);
	KUNIT_EXPECT_EQ(test, pres, 2);
	KUNIT_EXPECT_EQ(test, posts, 0);
	KUNIT_EXPECT_EQ(test, p.nmissed, post ? 2 : 0);
	unregister_kprobe(&p);
}

static void pre_handler(struct kunit *test)
{
	hits(test, NULL);
}

static void post_handler_is_missed(struct kunit *test)
{
	hits(test, count_post);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(pre_handler, places_gen_params),
	KUNIT_CASE_PARAM(post_handler_is_missed, places_gen_params),
	{ }
};

static struct kunit_suite suite = {
	.name = "kprobes_s390_space",
	.test_cases = cases,
};

kunit_test_suite(suite);
