/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a hit apart, in front of the probed function, and what kernel code calls. */

.macro FUNCTION name:req
	.globl	\name
	.balign	64
\name:
.endm

/* As the templates of kprobes-trampoline.S; @flags: how flags are pushed and popped. */
.macro SAVE flags:vararg
	leaq	-48(%rsp), %rsp
	pushq	$0x18
	pushq	%rsp
	\flags
	addq	$56, 8(%rsp)
	pushq	$0x10
	pushq	$0x12345678
	pushq	$-1
	.irp	reg, rdi, rsi, rdx, rcx, rax, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15
	pushq	%\reg
	.endr
	movq	%rsp, %rsi
.endm

.macro RESTORE flags:vararg
	.irp	reg, r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi
	popq	%\reg
	.endr
	leaq	24(%rsp), %rsp
	\flags
	popq	%rsp
.endm

	.text

FUNCTION probed
	movq	%rdi, %rax
	addq	$1, %rax
	ret

FUNCTION handler
	xorl	%eax, %eax
	ret

FUNCTION after_call
	subq	$8, %rsp
	call	handler
	addq	$8, %rsp
	jmp	probed

FUNCTION after_registers
	SAVE	pushq	$0
	call	handler
	RESTORE	leaq	8(%rsp), %rsp
	jmp	probed

FUNCTION after_all
	SAVE	pushfq
	call	handler
	RESTORE	popfq
	jmp	probed

FUNCTION after_flags
	pushfq
	popfq
	jmp	probed

FUNCTION after_count
	lock incq counted(%rip)
	jmp	probed

/* What a return probe makes of a return, without its work: see kretprobe_trampoline. */
FUNCTION returns_elsewhere
	popq	true_return(%rip)
	pushq	$1f
	jmp	probed
1:	pushq	$1b
	call	2f
	int3
2:	movq	true_return(%rip), %rcx
	movq	%rcx, 8(%rsp)
	addq	$8, %rsp
	ret

FUNCTION call_deep
	.rept	8
	call	771f
	ret
771:
	.endr
	jmp	*%rdi

/* A kernel without mitigations has patched such calls and returns by the time of a hit. */
FUNCTION __fentry__
	ret

FUNCTION __x86_return_thunk
	ret

	.irp	reg, rax, rcx, rdx, rbx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
FUNCTION __x86_indirect_thunk_\reg
	jmp	*%\reg
	.endr

	.data
counted:	.quad	0
true_return:	.quad	0

	.section .note.GNU-stack, "", @progbits
