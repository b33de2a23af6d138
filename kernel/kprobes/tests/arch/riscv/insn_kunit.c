// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of RISC-V's instruction set on words: which calls follow the calling convention,
 * and which of the others can be copied. What is planned for each instruction is in
 * tools/testing/kprobes-isa/golden/riscv64.txt.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/kernel.h>

#include "../../../survey.h"

#define ADDR	0xffffffff80234560UL
#include "../../words.h"

#define LI_T1		0x00100313
#define MV_A0_T1	0x00030513
#define JAL_RA		0x000010ef	/* jal ra, .+0x1000 */
#define JAL_T0		0x000012ef	/* jal t0, .+0x1000 */
#define JALR_RA		0x000780e7	/* jalr ra, 0(a5) */
#define JALR_T0		0x000782e7	/* jalr t0, 0(a5) */
#define JALR_RA_RA	0xff0080e7	/* jalr ra, -16(ra) */
#define JALR_T0_T0	0x064282e7	/* jalr t0, 100(t0) */
#define RET		0x00008067
#define JR_T0		0x00028067

#define T1		BIT(6)
/* clang passes arguments in the others. */
#define ALL		(IS_ENABLED(CONFIG_CC_IS_CLANG) ? T1 : GENMASK(31, 28) | GENMASK(7, 6))

/* Registers that a jump may use. */

struct riscv_dead_case {
	const char *name;
	u32 words[WORDS];
	unsigned long dead;
};

static const struct riscv_dead_case riscv_dead_cases[] = {
	{ "call", { JAL_RA }, ALL },
	{ "indirect call", { JALR_RA }, ALL },
	{ "read, call", { MV_A0_T1, JAL_RA }, ALL & ~T1 },
	{ "call by way of t0", { JAL_T0 }, 0 },
	{ "indirect call by way of t0", { JALR_T0 }, 0 },
	{ "written, call by way of t0", { LI_T1, JAL_T0 }, T1 },
	{ "return", { RET }, ALL },
	{ "return by way of t0", { JR_T0 }, 0 },
	{ "written, return by way of t0", { LI_T1, JR_T0 }, T1 },
};

KUNIT_ARRAY_PARAM_DESC(riscv_dead, riscv_dead_cases, name);

static void riscv_dead(struct kunit *test)
{
	static const struct kprobe_text text = { FUNCTION_ALONE };
	const struct riscv_dead_case *c = test->param_value;
	static struct kprobe_survey survey;
	struct kprobe_function f;

	put_words(function, c->words, WORDS);
	find_function(NULL, ADDR, &f);
	kprobe_survey_init(&survey, &riscv_kprobe_isa, &text);
	KUNIT_EXPECT_EQ(test, c->dead, kprobe_dead_scratch(&survey, &f, ADDR));
}

/* Copies of calls */

struct riscv_call_case {
	const char *name;
	u32 word;
	bool copied;
};

static const struct riscv_call_case riscv_call_cases[] = {
	{ "call", JAL_RA, true },
	{ "indirect call", JALR_RA, true },
	{ "relative to ra", JALR_RA_RA, true },
	{ "by way of t0", JAL_T0, false },
	{ "indirect, by way of t0", JALR_T0, true },
	{ "relative to t0, by way of it", JALR_T0_T0, false },
};

KUNIT_ARRAY_PARAM_DESC(riscv_call, riscv_call_cases, name);

/* A copy may need another register, and no register is known to be dead. */
static void riscv_call(struct kunit *test)
{
	u8 text[sizeof(u32)], buf[KPROBE_SLOT_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR + 0x2000 };
	const struct riscv_call_case *c = test->param_value;
	struct kprobe_region region;
	struct kprobe_insn insn;

	put_words(text, &c->word, 1);
	KUNIT_ASSERT_EQ(test, KPROBE_REASON_NONE,
			riscv_kprobe_isa.plan(&insn, text, sizeof(text), ADDR));
	KUNIT_EXPECT_EQ(test, kprobe_region_of_one(&riscv_kprobe_isa, &region, &insn, text,
						   sizeof(text), ADDR),
			c->copied ? KPROBE_REASON_NONE : KPROBE_REASON_CALL);
	riscv_kprobe_isa.emit(&code, &insn, text, ADDR);
	KUNIT_EXPECT_EQ(test, code.far, !c->copied);
}

static struct kunit_case riscv_insn_cases[] = {
	KUNIT_CASE_PARAM(riscv_dead, riscv_dead_gen_params),
	KUNIT_CASE_PARAM(riscv_call, riscv_call_gen_params),
	{ }
};

static struct kunit_suite riscv_insn_suite = {
	.name = "kprobes_riscv_insn",
	.test_cases = riscv_insn_cases,
};

kunit_test_suite(riscv_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of RISC-V's instructions");
MODULE_LICENSE("GPL");
