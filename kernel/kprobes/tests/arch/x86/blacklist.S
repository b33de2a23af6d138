/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function with a cold part in another place, as compilers make it.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>

	.text

/* int kprobes_forbidden_asm(int x) */
SYM_FUNC_START(kprobes_forbidden_asm)
	mov	%_ASM_ARG1L, %eax
	testl	%eax, %eax
	js	kprobes_forbidden_asm.cold
	RET
SYM_FUNC_END(kprobes_forbidden_asm)
_ASM_NOKPROBE(kprobes_forbidden_asm)

	.section .text.unlikely, "ax"

	/* No landing pad: to seal it, the kernel writes to the bytes in front. */
SYM_START(kprobes_forbidden_asm.cold, SYM_L_LOCAL, SYM_A_NONE)
	ANNOTATE_NOENDBR
	negl	%eax
	nop
	RET
SYM_FUNC_END(kprobes_forbidden_asm.cold)
