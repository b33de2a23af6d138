// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test of which instructions make up a check of an indirect call as clang compiles it for x86.
 */
#include <kunit/test.h>
#include <asm/insn.h>

#include "../../../place.h"

/* Two indirect calls as clang checks them, of a register and of one with REX.B. */
static const u8 code[2][14] = {
	{
		0x41, 0xba, 1, 2, 3, 4,		/* mov $, %r10d */
		0x44, 0x03, 0x50, 0xfc,		/* add -4(%rax), %r10d */
		0x74, 0x02, 0x0f, 0x0b,		/* je, ud2 */
	}, {
		0x41, 0xba, 1, 2, 3, 4,
		0x45, 0x03, 0x53, 0xfc,		/* add -4(%r11), %r10d */
		0x74, 0x02, 0x0f, 0x0b,
	},
};

/* The kernel decodes these instructions in decode_cfi_insn(). */
static void expect_cfi_insn(struct kunit *test, const u8 *code, u32 opcode)
{
	struct insn insn;

	KUNIT_ASSERT_EQ(test, 0, insn_decode_kernel(&insn, code));
	KUNIT_EXPECT_EQ(test, insn.opcode.value, opcode);
}

static void reserved_cfi_check(struct kunit *test)
{
	static const s8 check[] = KPROBE_CFI_CHECK;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(code); i++) {
		const u8 *trap = &code[i][12];

		KUNIT_ASSERT_PTR_EQ(test, trap - check[0], &code[i][0]);
		KUNIT_ASSERT_PTR_EQ(test, trap - check[1], &code[i][6]);
		expect_cfi_insn(test, trap - check[0], 0xba);
		expect_cfi_insn(test, trap - check[1], 0x03);
	}
}

static struct kunit_case cfi_cases[] = {
	KUNIT_CASE(reserved_cfi_check),
	{}
};

static struct kunit_suite cfi_suite = {
	.name = "kprobes_x86_cfi",
	.test_cases = cfi_cases,
};

kunit_test_suite(cfi_suite);
