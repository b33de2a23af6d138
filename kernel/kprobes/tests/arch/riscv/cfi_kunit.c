// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test of which instructions make up a check of an indirect call as clang compiles it for RISC-V.
 */
#include <kunit/test.h>

#include "../../../place.h"

/* An indirect call as clang checks it. The assembler compresses what clang does. */
extern const u8 kprobes_cfi_beq[], kprobes_cfi_ebreak[], kprobes_cfi_jalr[];

asm (".pushsection .rodata\n"
	".balign 4\n"
	"kprobes_cfi_beq:\n"
	"beq t1, t2, kprobes_cfi_jalr\n"
	"kprobes_cfi_ebreak:\n"
	"ebreak\n"
	"kprobes_cfi_jalr:\n"
	"jalr a2\n"
	".popsection\n");

static void reserved_cfi_check(struct kunit *test)
{
	static const s8 check[] = KPROBE_CFI_CHECK;

	KUNIT_EXPECT_PTR_EQ(test, &kprobes_cfi_beq[0], kprobes_cfi_ebreak - check[0]);
	KUNIT_EXPECT_PTR_EQ(test, &kprobes_cfi_ebreak[0], kprobes_cfi_ebreak - check[1]);
	KUNIT_EXPECT_PTR_EQ(test, &kprobes_cfi_jalr[0], kprobes_cfi_ebreak - check[2]);
}

static struct kunit_case cfi_cases[] = {
	KUNIT_CASE(reserved_cfi_check),
	{}
};

static struct kunit_suite cfi_suite = {
	.name = "kprobes_riscv_cfi",
	.test_cases = cfi_cases,
};

kunit_test_suite(cfi_suite);
