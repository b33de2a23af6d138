/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions whose first instructions a jump may replace, or must not for one reason each.
 * Those above kprobes_region_jumped are executed.
 */
#include <asm/frame.h>
#include <asm/nospec-branch.h>

#include "asm.inc"

	.section .rodata
	.balign	4
SYM_DATA_LOCAL(.Lseven, .long 7)

	.text

/* int f(int a): each returns something that depends on a */

FUNCTION kprobes_region_plain
	movl	%edi, %eax
	addl	$3, %eax
	nop
	RET
SYM_FUNC_END(kprobes_region_plain)

FUNCTION kprobes_region_rip
	addl	.Lseven(%rip), %edi
	leal	(%rdi, %rdi), %eax
	RET
SYM_FUNC_END(kprobes_region_rip)

FUNCTION kprobes_region_cond
	testl	%edi, %edi
	js	1f
	jz	2f
	movl	$100, %eax
	RET
1:	leal	-1(%rdi), %eax
	RET
2:	movl	$300, %eax
	RET
SYM_FUNC_END(kprobes_region_cond)

FUNCTION kprobes_region_nops
	nop
	movl	%edi, %eax
	nop
	nop
	nop
	incl	%eax
	RET
SYM_FUNC_END(kprobes_region_nops)

FUNCTION kprobes_region_jmp
	leal	5(%rdi), %eax
	jmp	1f
	int3
	int3
1:	addl	%edi, %eax
	RET
SYM_FUNC_END(kprobes_region_jmp)

FUNCTION kprobes_region_tail
	incl	%edi
	/* jmp with a 32-bit displacement */
	.byte	0xe9
	.long	kprobes_region_plain - . - 4
SYM_FUNC_END(kprobes_region_tail)

FUNCTION kprobes_region_call
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp
	movq	%rsp, %rbp
#endif
	nop
	call	kprobes_region_plain
	addl	$11, %eax
	FRAME_END
	RET
SYM_FUNC_END(kprobes_region_call)

FUNCTION kprobes_region_ret
	leal	9(%rdi), %eax
	ANNOTATE_UNRET_SAFE
	ret
	int3
SYM_FUNC_END(kprobes_region_ret)

/* Counts down by jumping to its first instruction. */
FUNCTION kprobes_region_again
.Lagain:
	subl	$5, %edi
	nop
	nop
	jg	.Lagain
	movl	%edi, %eax
	RET
SYM_FUNC_END(kprobes_region_again)

/* Its cold half jumps back, but to nowhere near the entry. */
FUNCTION kprobes_region_warm
	movl	%edi, %eax
	testl	%edi, %edi
	nop
	js	.Lcold
.Lwarm:	incl	%eax
	RET
SYM_FUNC_END(kprobes_region_warm)

	.section .text.unlikely, "ax"
SYM_START(kprobes_region_warm.cold, SYM_L_LOCAL, SYM_A_NONE)
	ANNOTATE_NOENDBR
	nop
	nop
	nop
	nop
	nop
.Lcold:	negl	%eax
	jmp	.Lwarm
SYM_FUNC_END(kprobes_region_warm.cold)
	.text

FUNCTION kprobes_region_jumped
	movl	%edi, %eax
1:	decl	%eax
	nop
	jnz	1b
	RET
SYM_FUNC_END(kprobes_region_jumped)

FUNCTION kprobes_region_called
	movl	%edi, %eax
1:	incl	%eax
	nop
	ANNOTATE_UNRET_SAFE
	ret
	call	1b
	int3
SYM_FUNC_END(kprobes_region_called)
	STACK_FRAME_NON_STANDARD kprobes_region_called

/* Its cold half jumps back into the entry. */
FUNCTION kprobes_region_chilled
	movl	%edi, %eax
.Lchilled:
	incl	%eax
	nop
	js	.Lchill
	RET
SYM_FUNC_END(kprobes_region_chilled)

	.section .text.unlikely, "ax"
SYM_START(kprobes_region_chilled.cold, SYM_L_LOCAL, SYM_A_NONE)
	ANNOTATE_NOENDBR
	nop
	nop
.Lchill:
	jmp	.Lchilled
SYM_FUNC_END(kprobes_region_chilled.cold)
	.text

/* A function with a cold half that nothing but a table leads to, and back. */
.macro COLD_HALF name:req back:req
	.pushsection .text.unlikely, "ax"
SYM_START(kprobes_region_\name\().cold, SYM_L_LOCAL, SYM_A_NONE)
	ANNOTATE_NOENDBR
	nop
	nop
.L\name\()_cold:
	jmp	\back
SYM_FUNC_END(kprobes_region_\name\().cold)
	.popsection
.endm

FUNCTION kprobes_region_fixup_cold
	movl	%edi, %eax
.Lfixup_cold_back:
	incl	%eax
	nop
1:	movl	(%rdi), %edx
	RET
	_ASM_EXTABLE(1b, .Lfixup_cold_cold)
SYM_FUNC_END(kprobes_region_fixup_cold)
COLD_HALF fixup_cold, .Lfixup_cold_back

/* It comes back after the region. */
FUNCTION kprobes_region_fixup_cold_late
	movl	%edi, %eax
	incl	%eax
	nop
1:	movl	(%rdi), %edx
.Lfixup_cold_late_back:
	RET
	_ASM_EXTABLE(1b, .Lfixup_cold_late_cold)
SYM_FUNC_END(kprobes_region_fixup_cold_late)
COLD_HALF fixup_cold_late, .Lfixup_cold_late_back

FUNCTION kprobes_region_fixed_up
	movl	%edi, %eax
1:	incl	%eax
	nop
	nop
	nop
2:	movl	(%rdi), %eax
	RET
	_ASM_EXTABLE(2b, 1b)
SYM_FUNC_END(kprobes_region_fixed_up)

FUNCTION kprobes_region_faulting
	nop
	nop
1:	movq	(%rdi), %rax
	RET
2:	movq	$-1, %rax
	RET
	_ASM_EXTABLE(1b, 2b)
SYM_FUNC_END(kprobes_region_faulting)

/* An instruction with an exception table entry, but after the region. */
FUNCTION kprobes_region_faulting_late
	movl	%edi, %eax
	addl	$3, %eax
1:	movq	(%rdi), %rax
	RET
2:	movq	$-1, %rax
	RET
	_ASM_EXTABLE(1b, 2b)
SYM_FUNC_END(kprobes_region_faulting_late)

#ifdef CONFIG_JUMP_LABEL
.macro JUMP_LABEL at:req to:req
	.pushsection __jump_table, "aw"
	_ASM_ALIGN
	.long	\at - ., \to - .
	_ASM_PTR kprobes_region_key - .
	.popsection
.endm

	/* A jump label is patched in the region. */
FUNCTION kprobes_region_label
	nop
.Lsite:	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	movl	%edi, %eax
.Llabel:
	RET
	JUMP_LABEL .Lsite, .Llabel
SYM_FUNC_END(kprobes_region_label)

	/* A jump label leads into the region when it is switched on. */
FUNCTION kprobes_region_labelled
	movl	%edi, %eax
.Linto:	incl	%eax
	nop
	nop
	nop
.Lfrom:	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	RET
	JUMP_LABEL .Lfrom, .Linto
SYM_FUNC_END(kprobes_region_labelled)

FUNCTION kprobes_region_label_cold
	movl	%edi, %eax
.Llabel_cold_back:
	incl	%eax
	nop
.Llabel_cold_site:
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	RET
	JUMP_LABEL .Llabel_cold_site, .Llabel_cold_cold
SYM_FUNC_END(kprobes_region_label_cold)
COLD_HALF label_cold, .Llabel_cold_back

FUNCTION kprobes_region_label_cold_late
	movl	%edi, %eax
	incl	%eax
	nop
.Llabel_cold_late_site:
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
.Llabel_cold_late_back:
	RET
	JUMP_LABEL .Llabel_cold_late_site, .Llabel_cold_late_cold
SYM_FUNC_END(kprobes_region_label_cold_late)
COLD_HALF label_cold_late, .Llabel_cold_late_back
#endif

/* A BUG() is in the region, although execution does not get there. */
FUNCTION kprobes_region_bug
	movl	%edi, %eax
	jmp	1f
.Lbug:	ud2
1:	RET
	.pushsection __bug_table, "aw"
2:	.long	.Lbug - 2b
#ifdef CONFIG_DEBUG_BUGVERBOSE
	.long	0
	.word	0
#endif
	.word	0
	.popsection
SYM_FUNC_END(kprobes_region_bug)
	STACK_FRAME_NON_STANDARD kprobes_region_bug

	/* Not reached from the instructions before, but perhaps by an indirect jump. */
FUNCTION kprobes_region_landing
	movl	%edi, %eax
	jmp	1f
	ENDBR
	nop
	nop
1:	RET
SYM_FUNC_END(kprobes_region_landing)
	STACK_FRAME_NON_STANDARD kprobes_region_landing

FUNCTION kprobes_region_indirect
	movl	%edi, %eax
	addl	$3, %eax
	ANNOTATE_RETPOLINE_SAFE
	jmp	*%rsi
	int3
SYM_FUNC_END(kprobes_region_indirect)

FUNCTION kprobes_region_std
	movl	%edi, %eax
	addl	$3, %eax
	std
	cld
	RET
SYM_FUNC_END(kprobes_region_std)

#ifdef CONFIG_MITIGATION_RETPOLINE
FUNCTION kprobes_region_thunk
	movl	%edi, %eax
	addl	$3, %eax
	jmp	__x86_indirect_thunk_rsi
SYM_FUNC_END(kprobes_region_thunk)
#endif

FUNCTION kprobes_region_call_indirect
	FRAME_BEGIN
	ANNOTATE_RETPOLINE_SAFE
	call	*%rsi
	nop
	nop
	nop
	FRAME_END
	RET
SYM_FUNC_END(kprobes_region_call_indirect)

FUNCTION kprobes_region_refused
	movl	%edi, %eax
	hlt
	nop
	nop
	RET
SYM_FUNC_END(kprobes_region_refused)

	/* In a section that objtool does not check: it would complain as well. */
	.section .rodata
	.balign	16
SYM_DATA_START(kprobes_region_undecodable)
	movl	%edi, %eax
	addl	$3, %eax
	jmp	1f
	.byte	0x06, 0xc5, 0xf8, 0x05, 0xfd
1:	ret
	.balign	16, 0xcc
SYM_DATA_END(kprobes_region_undecodable)

/* The same, but none of the bytes could begin a branch. */
SYM_DATA_START(kprobes_region_harmless)
	movl	%edi, %eax
	addl	$3, %eax
	jmp	1f
	.byte	0x06, 0xc5, 0xf8, 0x05, 0x90
1:	ret
	.balign	16, 0xcc
SYM_DATA_END(kprobes_region_harmless)
SYM_DATA(kprobes_region_data_end, .quad 0)
	.text

	/* After it comes padding at most. */
FUNCTION kprobes_region_idle
1:	jmp	1b
	int3
	int3
	int3
SYM_FUNC_END(kprobes_region_idle)

FUNCTION kprobes_region_short
1:	jmp	1b
SYM_FUNC_END(kprobes_region_short)

/* A global label, that both parts may jump across. */
SYM_START(kprobes_region_next, SYM_L_GLOBAL, SYM_A_NONE)
	ANNOTATE_NOENDBR
	movl	%edi, %eax
	addl	$3, %eax
	RET
SYM_FUNC_END(kprobes_region_next)
