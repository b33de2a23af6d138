/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that only PA-RISC has.
 */
#include "insn.inc"

	.text

/* Not executed: takes a lock at *a0, as atomics do, adds 1 under it, and gives it back. */
FUNCTION kprobes_target_exclusive
	nop
	ldcw	0(%r26), %r28
.Lwithin:
	ldo	1(%r25), %r25
	.rept	31
	nop
	.endr
.Lafter:
	stw	%r28, 0(%r26)
	RET
SYM_FUNC_END(kprobes_target_exclusive)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive

/* long kprobes_target_skip(long a, long b): a == b ? 1 : 2, by an instruction that nullifies */
FUNCTION kprobes_target_skip
	ldi	1, %r28
.Lskip:	sub,COND(=) %r26, %r25, %r0
.Lskipped:
	ldi	2, %r28
.Lover:	RET
SYM_FUNC_END(kprobes_target_skip)

OFFSET kprobes_skip_at, .Lskip, kprobes_target_skip
OFFSET kprobes_skipped_at, .Lskipped, kprobes_target_skip
OFFSET kprobes_skip_over, .Lover, kprobes_target_skip

/* long kprobes_target_loop(long n): the sum of 1 to n, by a backward branch that nullifies */
FUNCTION kprobes_target_loop
	ldi	0, %r28
	add	%r28, %r26, %r28
.Lloop:	addib,COND(>),n -1, %r26, .Lloop
	add	%r28, %r26, %r28
	RET
SYM_FUNC_END(kprobes_target_loop)

OFFSET kprobes_loop_at, .Lloop, kprobes_target_loop

/* long kprobes_target_ahead(long a): a ? 7 : 9, by a forward branch that nullifies */
FUNCTION kprobes_target_ahead
	ldi	7, %r28
.Lahead:
	cmpb,COND(<>),n %r0, %r26, 1f
	ldo	2(%r28), %r28
1:	RET
SYM_FUNC_END(kprobes_target_ahead)

OFFSET kprobes_ahead_at, .Lahead, kprobes_target_ahead

/* unsigned long kprobes_target_carry(a, b): 1 if a + b wraps, by a carry that a hit must keep */
FUNCTION kprobes_target_carry
	ldi	0, %r28
	add	%r26, %r25, %r0
.Lcarry:
	copy	%r26, %r26
#ifdef CONFIG_64BIT
	add,dc	%r0, %r0, %r28
#else
	addc	%r0, %r0, %r28
#endif
	RET
SYM_FUNC_END(kprobes_target_carry)

OFFSET kprobes_carry_at, .Lcarry, kprobes_target_carry

/* unsigned long kprobes_target_spaces(a, b): a + b, from sr1 and sr2, which a hit must keep */
FUNCTION kprobes_target_spaces
	mtsp	%r26, %sr1
	mtsp	%r25, %sr2
.Lspaces:
	copy	%r26, %r26
	mfsp	%sr1, %r28
	mfsp	%sr2, %r19
	add,l	%r19, %r28, %r28
	RET
SYM_FUNC_END(kprobes_target_spaces)

OFFSET kprobes_spaces_at, .Lspaces, kprobes_target_spaces

/* long kprobes_target_slot(const long *p): *p, which the delay slot of its return loads, or -1 */
FUNCTION kprobes_target_slot
	ldi	0, %r28
.Lslot_return:
	bv	%r0(%rp)
1:	LDREG	0(%r26), %r28
2:	ldi	-1, %r28
	RET
	EXTABLE	1b, 2b
SYM_FUNC_END(kprobes_target_slot)

OFFSET kprobes_slot_return_at, .Lslot_return, kprobes_target_slot
