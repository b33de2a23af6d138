/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with instructions that a jump can displace, for the suites of the optimizer. They
 * have no landing pads: they are called directly. Where instructions can be short, most are long.
 */
#include "insn.inc"

	.text
	LONG_INSNS

/* int kprobes_opt_plain(int a): a + 10; a jump covers KPROBES_OPT_PLAIN_NR instructions */
FUNCTION kprobes_opt_plain
	ADD_TO_ARG 1
	ADD_RESULT 1
	ADD_RESULT 8
	RET
SYM_FUNC_END(kprobes_opt_plain)

/* int kprobes_opt_flags(long a): a ? 2 : 1 */
FUNCTION kprobes_opt_flags
	TEST_ARG
.Lflags:
	SET	1
.Ljcc:	JUMP_IF_ZERO 1f
	SET	2
1:	RET
SYM_FUNC_END(kprobes_opt_flags)

OFFSET kprobes_opt_flags_at, .Lflags, kprobes_opt_flags
OFFSET kprobes_opt_jcc_at, .Ljcc, kprobes_opt_flags

/* int kprobes_opt_push(long a): a */
FUNCTION kprobes_opt_push
	PUSH_ARG
	CLOBBER
	POP_RESULT
	RET
SYM_FUNC_END(kprobes_opt_push)

/* What handlers go to: returns 1001. */
FUNCTION kprobes_opt_callee
	SET	1001
	RET
SYM_FUNC_END(kprobes_opt_callee)

/* int kprobes_opt_middle(int a): a + 3, in a frame, with what a function saves */
FUNCTION kprobes_opt_middle
	FRAME_BEGIN
	SAVE_REGS
.Lmiddle:
	ADD_TO_ARG 1
	ADD_RESULT 1
	ADD_RESULT 1
	RESTORE_REGS
	FRAME_END
	RET
SYM_FUNC_END(kprobes_opt_middle)

OFFSET kprobes_opt_middle_at, .Lmiddle, kprobes_opt_middle

/* int kprobes_opt_landed(int a): 0, by a loop that lands where a jump would be */
FUNCTION kprobes_opt_landed
	ADD_TO_ARG 0
.Llanded:
	ADD_RESULT -1
	JUMP_NZ	.Llanded
	RET
SYM_FUNC_END(kprobes_opt_landed)
