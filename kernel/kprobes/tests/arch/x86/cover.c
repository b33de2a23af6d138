// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which instructions of a piece of code a test has looked at, and which it must: those that
 * control flow leads to from where the code is entered. Others are padding, data, or variants
 * that this CPU does not need. An instruction pointer is never inside of an instruction, so
 * these are all bytes at which code can be interrupted.
 */
#include <kunit/test.h>
#include <linux/bitmap.h>
#include <asm/insn.h>

#include "cover.h"

static const char *const how_names[] = { "a debug trap", "an interrupt", "an NMI" };

void kprobes_cover_init(struct kprobes_cover *c, const char *name, unsigned long start,
			unsigned int size)
{
	*c = (struct kprobes_cover){ .name = name, .start = start, .size = size };
}

static bool is_jump(const struct insn *insn)
{
	return insn->opcode.bytes[0] == JMP32_INSN_OPCODE ||
	       insn->opcode.bytes[0] == JMP8_INSN_OPCODE;
}

static bool is_call(const struct insn *insn)
{
	return insn->opcode.bytes[0] == CALL_INSN_OPCODE;
}

static bool is_cond(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0];

	return (op & 0xf0) == 0x70 || (op & 0xfc) == 0xe0 ||
	       (op == 0x0f && (insn->opcode.bytes[1] & 0xf0) == 0x80);
}

/* Does control flow end here? Returns, traps, indirect jumps. */
static bool is_end(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0], reg = X86_MODRM_REG(insn->modrm.value);

	return op == RET_INSN_OPCODE || op == 0xc2 || op == INT3_INSN_OPCODE || op == 0xcf ||
	       (op == 0xff && (reg == 4 || reg == 5)) ||
	       (op == 0x0f && insn->opcode.bytes[1] == 0x0b);
}

/* Marks what is executed from an address on. Returns -EINVAL if that cannot be decoded. */
int kprobes_cover_reach(struct kprobes_cover *c, unsigned long addr)
{
	unsigned long target;
	struct insn insn;

	while (kprobes_cover_has(c, addr) && !test_and_set_bit(addr - c->start, c->reached)) {
		if (insn_decode_kernel(&insn, (void *)addr))
			return -EINVAL;
		addr += insn.length;
		target = addr + insn.immediate.value;
		if (is_cond(&insn) && kprobes_cover_reach(c, target))
			return -EINVAL;
		if (is_end(&insn))
			break;
		/* A call of what is in this code itself is for the return predictor. */
		if (is_jump(&insn) || (is_call(&insn) && kprobes_cover_has(c, target)))
			addr = target;
	}
	return 0;
}

/* Notes an address, if it is in this code. */
void kprobes_cover_see(struct kprobes_cover *c, unsigned long addr, enum kprobes_how how)
{
	if (kprobes_cover_has(c, addr))
		set_bit(addr - c->start, c->seen[how]);
}

static void expect_seen(struct kunit *test, const struct kprobes_cover *c, enum kprobes_how how,
			const char *what)
{
	unsigned long at;

	for_each_andnot_bit(at, c->reached, c->seen[how], c->size)
		KUNIT_FAIL(test, "%s: %s+%#lx was not looked at from %s", what, c->name, at,
			   how_names[how]);
	/* What is executed must have been found: else more may be missing. */
	for_each_andnot_bit(at, c->seen[how], c->reached, c->size)
		KUNIT_FAIL(test, "%s: nothing leads to %s+%#lx", what, c->name, at);
}

/* Expects that each of its instructions was looked at in each way. */
void kprobes_cover_expect(struct kunit *test, const struct kprobes_cover *c, const char *what)
{
	enum kprobes_how how;

	KUNIT_EXPECT_FALSE_MSG(test, bitmap_empty(c->reached, c->size), "%s: %s", what, c->name);
	for (how = 0; how < KPROBES_HOWS; how++)
		expect_seen(test, c, how, what);
}
