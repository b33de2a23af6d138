/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with instructions that a jump can displace, for the suites of the
 * optimizer. They have no landing pads: they are called directly.
 */
#include <asm/frame.h>
#include <asm/nospec-branch.h>

#include "asm.inc"

	.text

/* int kprobes_opt_plain(int a): a + 10; the jump covers two or three instructions */
FUNCTION kprobes_opt_plain
	lea	1(%_ASM_ARG1), %_ASM_AX
	inc	%_ASM_AX
	add	$8, %_ASM_AX
	RET
SYM_FUNC_END(kprobes_opt_plain)

/* int kprobes_opt_flags(long a): a ? 2 : 1 */
FUNCTION kprobes_opt_flags
	test	%_ASM_ARG1, %_ASM_ARG1
.Lflags:
	movl	$1, %eax
.Ljcc:	jz	1f
	movl	$2, %eax
1:	RET
SYM_FUNC_END(kprobes_opt_flags)

OFFSET kprobes_opt_flags_at, .Lflags, kprobes_opt_flags
OFFSET kprobes_opt_jcc_at, .Ljcc, kprobes_opt_flags

/* int kprobes_opt_push(long a): a */
FUNCTION kprobes_opt_push
	push	%_ASM_ARG1
#ifdef CONFIG_X86_64
	movq	%rdi, %rdx
#else
	{disp8} leal 0(%eax), %edx
#endif
	pop	%_ASM_AX
	RET
SYM_FUNC_END(kprobes_opt_push)

/* int kprobes_opt_stack(long a): a, or what else is on top of the stack */
FUNCTION kprobes_opt_stack
	push	%_ASM_BP
	mov	%_ASM_SP, %_ASM_BP
	push	%_ASM_ARG1
.Lstack:
	mov	(%_ASM_SP), %_ASM_AX
	mov	%_ASM_BP, %_ASM_SP
	pop	%_ASM_BP
	RET
SYM_FUNC_END(kprobes_opt_stack)

OFFSET kprobes_opt_stack_at, .Lstack, kprobes_opt_stack

/* int kprobes_opt_call(int a): a + 1; the first instruction is as long as a call */
FUNCTION kprobes_opt_call
#ifdef CONFIG_X86_64
	movl	$1, %eax
	addl	%edi, %eax
#else
	movl	$1, %edx
	addl	%edx, %eax
#endif
	RET
SYM_FUNC_END(kprobes_opt_call)

/* Handlers change the execution path to this function: returns 1001. */
FUNCTION kprobes_opt_callee
	movl	$1001, %eax
	RET
SYM_FUNC_END(kprobes_opt_callee)

/* A register that calls preserve. */
#define SAVED	__ASM_SEL_RAW(esi, r12)

/* int kprobes_opt_middle(int a): a + 3, with a push before the probed instruction */
FUNCTION kprobes_opt_middle
	FRAME_BEGIN
	push	%_ASM_BX
	push	%SAVED
.Lmiddle:
	lea	1(%_ASM_ARG1), %_ASM_BX
	lea	1(%_ASM_BX), %SAVED
	lea	1(%SAVED), %_ASM_AX
	pop	%SAVED
	pop	%_ASM_BX
	FRAME_END
	RET
SYM_FUNC_END(kprobes_opt_middle)

OFFSET kprobes_opt_middle_at, .Lmiddle, kprobes_opt_middle

/* int kprobes_opt_std(int a): a + 3, with the direction flag set on the way */
FUNCTION kprobes_opt_std
	movl	%_ASM_ARG1L, %eax
	addl	$3, %eax
	std
	movl	%eax, %edx
	cld
	RET
SYM_FUNC_END(kprobes_opt_std)

/* int kprobes_opt_landed(int a): 0, by a loop that lands where a jump would be */
FUNCTION kprobes_opt_landed
	movl	%_ASM_ARG1L, %eax
.Llanded:
	subl	$1, %eax
	jnz	.Llanded
	RET
SYM_FUNC_END(kprobes_opt_landed)
