// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of PowerPC's instruction set on words: how far copies and jumps reach, how copies of
 * prefixed instructions lie, what may be in a jump table, and whether all code has room. What is
 * planned for each instruction is in tools/testing/kprobes-isa/golden.
 */
#include <kunit/test.h>
#include <linux/kprobe_isa.h>
#include <linux/sizes.h>

#define ADDR		0xc0234560UL
#ifdef CONFIG_CPU_BIG_ENDIAN
#define PUT_WORD	put_unaligned_be32
#endif
#include "../../words.h"

#define B		0x48000000	/* b . */
#define BL		0x48000001	/* bl . */
#define BDNZFL		0x40000001	/* bdnzfl lt, . */
#define MR		0x7c832378	/* mr r3, r4 */
#define PREFIX_LD	0x04100000	/* pld r3, . */
#define PREFIX_LD_R4	0x04000000	/* pld r3, 0(r4) */
#define SUFFIX_LD	0xe4600000
#define SUFFIX_LD_R4	0xe4640000
#define PREFIX_LA	0x06100000	/* pla r3, . */
#define SUFFIX_LA	0x38600000

static u8 buf[KPROBE_DETOUR_MAX_SIZE];

/* Writes a copy of the instruction at ADDR. Returns its action, -1 if it is refused. */
static int copy(struct kprobe_code *code, u32 first, u32 second, unsigned long base)
{
	const u32 words[] = { first, second };
	struct kprobe_insn insn;

	*code = (struct kprobe_code){ .buf = buf, .size = sizeof(buf), .base = base };
	put_words(function, words, 2);
	if (powerpc_kprobe_isa.plan(&insn, function, sizeof(words), ADDR))
		return -1;
	powerpc_kprobe_isa.emit(code, &insn, function, ADDR);
	return insn.action;
}

static bool is_far(u32 first, u32 second, long apart)
{
	struct kprobe_code code;

	copy(&code, first, second, ADDR + apart);
	return code.far;
}

static void powerpc_reach(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, is_far(B, 0, SZ_32M));
	KUNIT_EXPECT_TRUE(test, is_far(B, 0, SZ_32M + 4));
	KUNIT_EXPECT_FALSE(test, is_far(B, 0, -SZ_32M + 4));
	KUNIT_EXPECT_TRUE(test, is_far(B, 0, -SZ_32M));
	/* The branch comes after what sets the link register. */
	KUNIT_EXPECT_TRUE(test, is_far(BL, 0, SZ_32M));
	KUNIT_EXPECT_FALSE(test, is_far(MR, 0, SZ_1G));
}

/* Loads reach 8 GB; an address is a constant. */
static void powerpc_prefixed_reach(struct kunit *test)
{
	const long most = (long)(1ULL << 33);

	if (!IS_ENABLED(CONFIG_PPC64))
		kunit_skip(test, "no prefixes");
	KUNIT_EXPECT_FALSE(test, is_far(PREFIX_LD, SUFFIX_LD, most));
	KUNIT_EXPECT_TRUE(test, is_far(PREFIX_LD, SUFFIX_LD, most + 8));
	KUNIT_EXPECT_FALSE(test, is_far(PREFIX_LD, SUFFIX_LD, -most + 8));
	KUNIT_EXPECT_TRUE(test, is_far(PREFIX_LD, SUFFIX_LD, -most));
	KUNIT_EXPECT_FALSE(test, is_far(PREFIX_LD_R4, SUFFIX_LD_R4, most + 8));
	KUNIT_EXPECT_FALSE(test, is_far(PREFIX_LA, SUFFIX_LA, most + 8));
}

/* No copy crosses a multiple of 64 bytes. In aligned code it begins with the prefix. */
static void powerpc_prefixed_place(struct kunit *test)
{
	const u32 words[] = { PREFIX_LD_R4, SUFFIX_LD_R4 };
	u8 expected[sizeof(words)];
	struct kprobe_code code;
	unsigned int at, pad;

	if (!IS_ENABLED(CONFIG_PPC64))
		kunit_skip(test, "no prefixes");
	put_words(expected, words, 2);
	for (at = 0; at < SZ_128; at += 4) {
		KUNIT_ASSERT_EQ(test, KPROBE_RUN, copy(&code, words[0], words[1],
						       ALIGN_DOWN(ADDR, SZ_64) + at));
		pad = at % SZ_64 == SZ_64 - 4 ? 4 : 0;
		KUNIT_EXPECT_EQ(test, code.len, pad + 12);
		KUNIT_EXPECT_MEMEQ(test, buf + pad, expected, sizeof(expected));
	}
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED(KPROBE_STUB_ENTER | KPROBE_STUB_LEAVE, 8));
}

/* An entry of a jump table is the distance from its start to code near by. */
static bool is_entry(u32 word)
{
	put_words(function, &word, 1);
	return powerpc_kprobe_isa.entry(function, sizeof(word), ADDR, NULL);
}

static void powerpc_table(struct kunit *test)
{
	const bool in_text = IS_ENABLED(CONFIG_PPC64);

	KUNIT_EXPECT_EQ(test, in_text, is_entry(0x2c));
	KUNIT_EXPECT_EQ(test, in_text, is_entry(-0x2c));
	KUNIT_EXPECT_EQ(test, in_text, is_entry(-SZ_1M));
	KUNIT_EXPECT_FALSE(test, is_entry(0));
	KUNIT_EXPECT_FALSE(test, is_entry(0x2e));
	KUNIT_EXPECT_FALSE(test, is_entry(SZ_32M));
	KUNIT_EXPECT_FALSE(test, is_entry(B));
	KUNIT_EXPECT_FALSE(test, is_entry(MR));
	KUNIT_EXPECT_EQ(test, 0, powerpc_kprobe_isa.entry(function, 0, ADDR, NULL));
}

static void powerpc_stub(struct kunit *test)
{
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR };

	powerpc_kprobe_isa.enter(&code, ADDR);
	KUNIT_EXPECT_EQ(test, code.len, KPROBE_STUB_ENTER);
	powerpc_kprobe_isa.leave(&code);
	KUNIT_EXPECT_EQ(test, code.len, KPROBE_STUB_ENTER + KPROBE_STUB_LEAVE);
}

/*
 * A stub in the memory of modules calls a trampoline in the kernel's text, in as many bytes: on 64
 * bit by an address of which 16 bits are the window's, and 32 others.
 */
static void powerpc_stub_reach(struct kunit *test)
{
	const u64 kernel = 0xc000000000000000ULL, modules = 0xc008000000040000ULL;
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf), .base = ADDR - SZ_1G };

	if (!IS_ENABLED(CONFIG_PPC64)) {
		powerpc_kprobe_isa.enter(&code, ADDR);
		KUNIT_EXPECT_TRUE(test, code.far);
		return;
	}
	code.base = (unsigned long)modules;
	powerpc_kprobe_isa.enter(&code, (unsigned long)(kernel + ADDR));
	KUNIT_EXPECT_FALSE(test, code.far);
	KUNIT_EXPECT_EQ(test, code.len, KPROBE_STUB_ENTER);
	code.len = 0;
	powerpc_kprobe_isa.enter(&code, (unsigned long)(kernel + SZ_4G));
	KUNIT_EXPECT_TRUE(test, code.far);
}

/* The longest copy that runs, and the longest of all, in slots and detours. */
static void powerpc_room(struct kunit *test)
{
	const unsigned int stub = KPROBE_STUB_ENTER + KPROBE_STUB_LEAVE;
	struct kprobe_code code;

	copy(&code, IS_ENABLED(CONFIG_PPC64) ? PREFIX_LD_R4 : MR, SUFFIX_LD_R4, ADDR);
	KUNIT_EXPECT_LE(test, code.len + stub + 4, KPROBE_SLOT_SIZE);
	KUNIT_EXPECT_LE(test, 2 * (stub + code.len + 4), KPROBE_DETOUR_MAX_SIZE);
	KUNIT_EXPECT_EQ(test, KPROBE_EMULATE, copy(&code, BDNZFL, 0, ADDR + SZ_4K));
	KUNIT_EXPECT_LE(test, stub + code.len + 4, KPROBE_DETOUR_MAX_SIZE);
}

/* If not all bytes of an instruction are there, even its length is unknown. */
static void powerpc_cut_short(struct kunit *test)
{
	const u32 words[] = { IS_ENABLED(CONFIG_PPC64) ? PREFIX_LD : MR, SUFFIX_LD };
	struct kprobe_insn insn;

	put_words(function, words, 2);
	KUNIT_EXPECT_EQ(test, KPROBE_REASON_UNDECODABLE,
			powerpc_kprobe_isa.plan(&insn, function, KPROBE_INSN_MAX - 1, ADDR));
	KUNIT_EXPECT_EQ(test, insn.len, 0);
}

static struct kunit_case powerpc_insn_cases[] = {
	KUNIT_CASE(powerpc_reach),
	KUNIT_CASE(powerpc_prefixed_reach),
	KUNIT_CASE(powerpc_prefixed_place),
	KUNIT_CASE(powerpc_table),
	KUNIT_CASE(powerpc_stub),
	KUNIT_CASE(powerpc_stub_reach),
	KUNIT_CASE(powerpc_room),
	KUNIT_CASE(powerpc_cut_short),
	{ }
};

static struct kunit_suite powerpc_insn_suite = {
	.name = "kprobes_powerpc_insn",
	.test_cases = powerpc_insn_cases,
};

kunit_test_suite(powerpc_insn_suite);

MODULE_DESCRIPTION("KUnit tests of kprobes' copies of PowerPC's instructions");
MODULE_LICENSE("GPL");
