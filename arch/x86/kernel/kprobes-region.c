// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a jump at a probe's site would replace: plan the region, emit a copy,
 * look through a function for what speaks against it.
 *
 * Functions on byte buffers alone; none looks at text or keeps anything.
 */
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kprobe_point.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "kprobes-insn.h"
#include "kprobes-region.h"

#define JCC32_INSN_OPCODE	0x0f80
#define STD_INSN_OPCODE		0xfd

static bool ends_flow(const struct x86_kprobe_plan *plan)
{
	return plan->action == X86_KPROBE_JMP || plan->action == X86_KPROBE_RET;
}

/* What is known of an instruction, and of nothing else, as a reason. */
static enum kprobe_reason judge(enum kprobe_reason refused,
				const struct x86_kprobe_plan *plan)
{
	if (refused == KPROBE_REASON_UNDECODABLE)
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	if (refused)
		return KPROBE_REASON_NOT_DISPLACED;
	switch (plan->action) {
	case X86_KPROBE_LOOP:
	case X86_KPROBE_JMP_INDIRECT:
		return KPROBE_REASON_NOT_DISPLACED;
	case X86_KPROBE_CALL_INDIRECT:
		return KPROBE_REASON_CALL;
	default:
		return KPROBE_REASON_NONE;
	}
}

static enum kprobe_reason add_insn(struct x86_kprobe_region *region,
				   const u8 *insn, size_t avail)
{
	struct x86_kprobe_plan *plan = &region->plan[region->nr];
	enum kprobe_reason reason = judge(x86_kprobe_plan(plan, insn, avail), plan);

	if (reason)
		return reason;
	region->len += plan->len;
	region->nr++;
	return KPROBE_REASON_NONE;
}

static enum kprobe_reason skip_insn(struct x86_kprobe_region *region,
				    const u8 *bytes, size_t avail)
{
	struct insn insn;

	if (x86_kprobe_decode(&insn, bytes, avail))
		return KPROBE_REASON_FUNCTION_UNDECODABLE;
	region->len += insn.length;
	return KPROBE_REASON_NONE;
}

enum kprobe_reason
x86_kprobe_plan_region(struct x86_kprobe_region *region, const u8 *text,
		       size_t avail)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;

	*region = (struct x86_kprobe_region){};
	while (!reason && region->len < JMP32_INSN_SIZE) {
		const u8 *insn = text + region->len;
		size_t left = avail - region->len;

		if (!left)
			reason = KPROBE_REASON_FUNCTION_ENDS;
		else if (region->nr && ends_flow(&region->plan[region->nr - 1]))
			reason = skip_insn(region, insn, left);
		else
			reason = add_insn(region, insn, left);
	}
	return reason;
}
NOKPROBE_SYMBOL(x86_kprobe_plan_region);

enum kprobe_reason
x86_kprobe_region_of_one(struct x86_kprobe_region *region,
			 const struct x86_kprobe_plan *plan)
{
	*region = (struct x86_kprobe_region){ .len = plan->len, .nr = 1 };
	region->plan[0] = *plan;
	return judge(KPROBE_REASON_NONE, plan);
}
NOKPROBE_SYMBOL(x86_kprobe_region_of_one);

/**
 * struct copy - a region's copy under way
 * @buf: where its bytes go
 * @to:  the address that they will run from
 * @len: how many there are
 */
struct copy {
	u8 *buf;
	unsigned long to;
	unsigned int len;
};

/* The relative target at the end of a branch whose opcode is written. */
static int put_target(struct copy *copy, unsigned long target)
{
	unsigned long disp = target - (copy->to + copy->len + DISP32_SIZE);

	if ((long)disp != (s32)disp)
		return -ERANGE;
	put_unaligned_le32(disp, copy->buf + copy->len);
	copy->len += DISP32_SIZE;
	return 0;
}

static int put_jump(struct copy *copy, unsigned long target)
{
	copy->buf[copy->len++] = JMP32_INSN_OPCODE;
	return put_target(copy, target);
}

static int put_cond(struct copy *copy, u8 cond, unsigned long target)
{
	put_unaligned_be16(JCC32_INSN_OPCODE | cond, copy->buf + copy->len);
	copy->len += sizeof(u16);
	return put_target(copy, target);
}

/* What is pushed is sign-extended: kernel text is in the last 2 GB. */
static int put_call(struct copy *copy, unsigned long behind,
		    unsigned long target)
{
	if ((long)behind != (s32)behind)
		return -ERANGE;
	copy->buf[copy->len] = PUSH32_INSN_OPCODE;
	put_unaligned_le32(behind, copy->buf + copy->len + 1);
	copy->len += PUSH32_INSN_SIZE;
	return put_jump(copy, target);
}

static int put_same(struct copy *copy, const struct x86_kprobe_plan *plan,
		    const u8 *insn, unsigned long from)
{
	int len = x86_kprobe_emit(plan, insn, from, copy->buf + copy->len,
				  copy->to + copy->len);

	if (len < 0)
		return len;
	copy->len += len;
	return 0;
}

static int put_insn(struct copy *copy, const struct x86_kprobe_plan *plan,
		    const u8 *insn, unsigned long from)
{
	unsigned long behind = from + plan->len;

	switch (plan->action) {
	case X86_KPROBE_NOP:
		return 0;
	case X86_KPROBE_JMP:
		return put_jump(copy, behind + plan->disp);
	case X86_KPROBE_JCC:
		return put_cond(copy, plan->cond, behind + plan->disp);
	case X86_KPROBE_CALL:
		return put_call(copy, behind, behind + plan->disp);
	default:
		return put_same(copy, plan, insn, from);
	}
}

/* The way back, if flow comes by: a call's is the address that it pushes. */
static int put_way_back(struct copy *copy, const struct x86_kprobe_region *region,
			unsigned long from)
{
	const struct x86_kprobe_plan *last = &region->plan[region->nr - 1];

	if (ends_flow(last) || last->action == X86_KPROBE_CALL)
		return 0;
	return put_jump(copy, from + region->len);
}

int x86_kprobe_emit_region(const struct x86_kprobe_region *region,
			   unsigned int first, const u8 *insns,
			   unsigned long from, u8 *buf, unsigned long to, u8 *at)
{
	struct copy copy = { .buf = buf, .to = to };
	unsigned int i, offset = 0;
	int err;

	for (i = 0; i < region->nr; i++) {
		const struct x86_kprobe_plan *plan = &region->plan[i];

		if (i >= first) {
			at[i - first] = copy.len;
			err = put_insn(&copy, plan, insns + offset, from + offset);
			if (err)
				return err;
		}
		offset += plan->len;
	}
	at[region->nr - first] = copy.len;
	err = put_way_back(&copy, region, from);
	return err ?: copy.len;
}
NOKPROBE_SYMBOL(x86_kprobe_emit_region);

/* Of all instructions, not only of those that may be probed. */
enum branch { NO_BRANCH, CALL, JUMP, INDIRECT_JUMP };

static enum branch branch_of_first(struct insn *insn)
{
	u8 reg = X86_MODRM_REG(insn->modrm.value);

	switch (insn->opcode.bytes[0]) {
	case 0x70 ... 0x7f:		/* jcc */
	case 0xe0 ... 0xe3:		/* loop, jcxz */
	case 0xe9:			/* jmp */
	case 0xeb:
		return JUMP;
	case 0xe8:			/* call */
		return CALL;
	case 0xc7:			/* xbegin; where an abort goes */
		return insn->modrm.value == 0xf8 ? JUMP : NO_BRANCH;
	case 0xff:			/* jmp near, far */
		return reg == 4 || reg == 5 ? INDIRECT_JUMP : NO_BRANCH;
	default:
		return NO_BRANCH;
	}
}

static enum branch branch_of(struct insn *insn)
{
	/* No branch is encoded like that. */
	if (insn_is_avx(insn) || insn_rex2_m_bit(insn))
		return NO_BRANCH;
	if (insn->opcode.nbytes == 1)
		return branch_of_first(insn);
	return insn->opcode.nbytes == 2 && insn->opcode.bytes[0] == 0x0f &&
	       (insn->opcode.bytes[1] & 0xf0) == 0x80 ? JUMP : NO_BRANCH;
}

static bool is_std(struct insn *insn)
{
	return !insn_is_avx(insn) && !insn_rex2_m_bit(insn) &&
	       insn->opcode.nbytes == 1 &&
	       insn->opcode.bytes[0] == STD_INSN_OPCODE;
}

static bool is_between(unsigned long addr, unsigned long start, unsigned long end)
{
	return addr - start < end - start;
}

static void note_branch(struct x86_kprobe_scan *scan, enum branch branch,
			unsigned long target)
{
	if (branch == NO_BRANCH)
		return;
	if (branch == INDIRECT_JUMP)
		scan->indirect = true;
	else if (is_between(target, scan->from, scan->to))
		scan->landed = true;
	else if (branch == JUMP && !is_between(target, scan->start, scan->end))
		scan->exit = target;
}

static void note_endbr(struct x86_kprobe_scan *scan, struct insn *insn,
		       unsigned long addr)
{
	if (insn->length == ENDBR_INSN_SIZE &&
	    is_between(addr, scan->from, scan->to) &&
	    is_endbr(get_unaligned((u32 *)insn->kaddr)))
		scan->endbr = true;
}

unsigned int x86_kprobe_scan_insn(struct x86_kprobe_scan *scan, const u8 *insn,
				  size_t avail, unsigned long addr)
{
	struct insn decoded;

	scan->exit = 0;
	if (x86_kprobe_decode(&decoded, insn, avail))
		return 0;
	note_branch(scan, branch_of(&decoded),
		    addr + decoded.length + decoded.immediate.value);
	note_endbr(scan, &decoded, addr);
	if (is_std(&decoded))
		scan->std = true;
	return decoded.length;
}
NOKPROBE_SYMBOL(x86_kprobe_scan_insn);

/* Where a branch goes, if one begins here, whatever the bytes really belong to. */
static unsigned long possible_target(const u8 *bytes, unsigned long addr)
{
	switch (bytes[0]) {
	case 0x70 ... 0x7f:				/* jcc */
	case 0xe0 ... 0xe3:				/* loop, jcxz */
	case JMP8_INSN_OPCODE:
		return addr + JMP8_INSN_SIZE + (s8)bytes[1];
	case JMP32_INSN_OPCODE:
	case CALL_INSN_OPCODE:
		return addr + JMP32_INSN_SIZE + (s32)get_unaligned_le32(bytes + 1);
	case 0x0f:					/* jcc */
		return (bytes[1] & 0xf0) != 0x80 ? 0 : addr + X86_JCC32_INSN_SIZE +
		       (s32)get_unaligned_le32(bytes + 2);
	default:
		return 0;
	}
}

static bool may_be_xbegin(const u8 *bytes)
{
	return bytes[0] == 0xc7 && bytes[1] == 0xf8;
}

static bool byte_may_matter(const struct x86_kprobe_scan *scan, const u8 *bytes,
			    unsigned long addr)
{
	unsigned long target;

	if (bytes[0] == STD_INSN_OPCODE || may_be_xbegin(bytes))
		return true;
	if (bytes[0] == 0xff)				/* jmp indirect, near, far */
		return X86_MODRM_REG(bytes[1]) == 4 || X86_MODRM_REG(bytes[1]) == 5;
	/* Sealed or not. */
	if (is_between(addr, scan->from, scan->to) &&
	    is_endbr(get_unaligned((u32 *)bytes)))
		return true;
	target = possible_target(bytes, addr);
	if (!target || target == scan->way_out)
		return false;
	return is_between(target, scan->from, scan->to) ||
	       (bytes[0] != CALL_INSN_OPCODE &&
		!is_between(target, scan->start, scan->end));
}

/* What byte_may_matter() says yes to, at times, has one of these first bytes. */
static const DECLARE_BITMAP(noteworthy, 256) = {
	BIT(0x0f),
	BIT(0x66 - 0x40) | GENMASK(0x7f - 0x40, 0x70 - 0x40),
	0,
	BIT(0xc7 - 0xc0) | GENMASK(0xe3 - 0xc0, 0xe0 - 0xc0) |
	BIT(0xe8 - 0xc0) | BIT(0xe9 - 0xc0) | BIT(0xeb - 0xc0) |
	BIT(0xf3 - 0xc0) | BIT(0xfd - 0xc0) | BIT(0xff - 0xc0),
};

bool x86_kprobe_may_matter(const struct x86_kprobe_scan *scan, const u8 *bytes,
			   size_t nr, unsigned long addr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (test_bit(bytes[i], noteworthy) &&
		    byte_may_matter(scan, bytes + i, addr + i))
			return true;
	return false;
}
NOKPROBE_SYMBOL(x86_kprobe_may_matter);
