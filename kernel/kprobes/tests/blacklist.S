/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function with a cold part in another place, as compilers make it; and functions whose names
 * alone say so.
 */
#include <linux/objtool.h>

#include "insn.inc"

	.text

FUNCTION kprobes_forbidden_asm
	JUMP_NZ	1f
	RET
1:	JUMP_FAR kprobes_forbidden_asm.cold
SYM_FUNC_END(kprobes_forbidden_asm)
FORBID(kprobes_forbidden_asm)

	.section .text.unlikely, "ax"

	/* No landing pad: to seal it, the kernel writes to the bytes in front. */
SYM_START(kprobes_forbidden_asm.cold, SYM_L_LOCAL, SYM_A_NONE)
	ANNOTATE_NOENDBR
	nop
	nop
	RET
SYM_END(kprobes_forbidden_asm.cold, SYM_T_FUNC)

	.text

	/* No functions for objtool: it would look for those that they are parts of. */
CODE kprobes_names.coldroom
	nop
	nop
	RET
SYM_CODE_END(kprobes_names.coldroom)

CODE kprobes_names_own.cold
	nop
	nop
	RET
SYM_CODE_END(kprobes_names_own.cold)
