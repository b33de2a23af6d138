/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _X86_KERNEL_KPROBES_INSN_H
#define _X86_KERNEL_KPROBES_INSN_H

/*
 * What becomes of a probed instruction. Functions on byte buffers alone; none looks at
 * text or keeps anything.
 */
#include <linux/cache.h>
#include <linux/kconfig.h>
#include <linux/kprobe_isa.h>
#include <linux/types.h>
#include <linux/unaligned.h>
#include <asm/text-patching.h>

struct insn;

#define X86_IS_64BIT		IS_ENABLED(CONFIG_X86_64)
#define X86_WORD_SIZE		(X86_IS_64BIT ? 8 : 4)

/* What a call begins with in a copy: a push of the address it returns to. */
#define X86_PUSH32_INSN_OPCODE	0x68
#define X86_PUSH32_INSN_SIZE	5

/* A conditional jump with all its reach. */
#define X86_JCC32_INSN_SIZE	6

#define X86_LOOP_INSN_OPCODE	0xe0
#define X86_JMP_FAR_OPCODE	0xea
#define X86_STD_INSN_OPCODE	0xfd

extern const struct kprobe_isa x86_kprobe_isa;
extern const struct kprobe_isa x86_kprobe_short_isa;

/*
 * %KPROBE_REASON_UNDECODABLE if the @avail bytes are no instruction or end within it,
 * %KPROBE_REASON_FORM if it has more prefixes than can be told.
 */
enum kprobe_reason x86_kprobe_decode(struct insn *insn, const u8 *bytes, size_t avail);

enum kprobe_reason x86_kprobe_plan(struct kprobe_insn *insn, const u8 *bytes,
				   size_t avail, unsigned long addr);

/* Appends bytes. */
#define X86_BYTES(...)	((const u8 []){ __VA_ARGS__ })
#define X86_PUT(code, ...) \
	kprobe_code_put(code, X86_BYTES(__VA_ARGS__), sizeof(X86_BYTES(__VA_ARGS__)))

/*
 * Append a relative operand that is the last of its instruction, a jump, a call and a
 * conditional jump. Should @target be out of reach, @code->far is set.
 */
void x86_put_target(struct kprobe_code *code, unsigned long target);
void x86_put_jump(struct kprobe_code *code, unsigned long target, u32 scratch);
void x86_put_call(struct kprobe_code *code, unsigned long target);
void x86_put_cond(struct kprobe_code *code, u8 cond, unsigned long target);

/* Do four bytes make a landing pad: ENDBR, or the nop that objtool makes of unused ones? */
static inline bool x86_kprobe_is_pad(const u8 *bytes)
{
	u32 first = get_unaligned_le32(bytes);

	return first == 0xfa1e0ff3 || first == 0xfb1e0ff3 || first == 0x001f0f66;
}

/* An address as the CPU computes it: 32 bits of the sum where words have as many. */
#define X86_ADDRESS(sum)	((sum) & (~0UL >> (BITS_PER_LONG - 8 * X86_WORD_SIZE)))

#endif /* _X86_KERNEL_KPROBES_INSN_H */
