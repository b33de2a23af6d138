/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the suites put probes on, instruction by instruction. Those
 * without a landing pad are called directly, never through a pointer.
 */
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/smap.h>

#include "asm.inc"

PLACES_BEGIN

	.section .rodata
	.balign	4
SYM_DATA_LOCAL(.Lthree, .long 3)

	.text

/* int kprobes_target_asm(int a): a + 10, past every kind of point */
FUNCTION kprobes_target_asm
#ifdef CONFIG_FRAME_POINTER
	push	%_ASM_BP
.Lpushed:
	mov	%_ASM_SP, %_ASM_BP
#endif
.Lcopy:	lea	4(%_ASM_ARG1), %eax
.Lnop:	nop
.Ljump:	jmp	.Lload
	int3
.Lload:	addl	_ASM_RIP(.Lthree), %eax
.Lcond:	jnz	.Lcall
	int3
.Lcall:	call	kprobes_target_helper
	FRAME_END
	RET
SYM_FUNC_END(kprobes_target_asm)

#ifdef CONFIG_FRAME_POINTER
PLACE kprobes_target_asm, kprobes_target_asm, .Lpushed, "assembly function"
PLACE .Lcopy, kprobes_target_asm, .Lnop, "instruction in its slot"
#else
PLACE kprobes_target_asm, kprobes_target_asm, .Lnop, "assembly function"
#endif
PLACE .Lnop, kprobes_target_asm, .Ljump, "nop"
PLACE .Ljump, kprobes_target_asm, .Lload, "jump"
PLACE .Lload, kprobes_target_asm, .Lcond, "load relative to rip"
PLACE .Lcond, kprobes_target_asm, .Lcall, "conditional jump"
PLACE .Lcall, kprobes_target_asm, kprobes_target_helper, "call"

/* Adds 3 to eax. */
FUNCTION kprobes_target_helper
	addl	$3, %eax
	RET
SYM_FUNC_END(kprobes_target_helper)

/* int kprobes_target_endbr(int a): a + 100 */
SYM_FUNC_START(kprobes_target_endbr)
	lea	99(%_ASM_ARG1), %eax
.Linc:	incl	%eax
.Lret:	RET
SYM_FUNC_END(kprobes_target_endbr)

PLACE kprobes_target_endbr, kprobes_target_endbr, .Linc, "function with landing pad"
PLACE .Linc, kprobes_target_endbr, .Lret, "second instruction"

PLACES_END

	/* Functions that return in various ways. */

	.text

/* int kprobes_target_call(int (*fn)(void *arg), void *arg): fn(arg) + 1 */
FUNCTION kprobes_target_call
	FRAME_BEGIN
	mov	%_ASM_ARG1, %_ASM_CX
	mov	%_ASM_ARG2, %_ASM_ARG1
	CALL_NOSPEC _ASM_CX
	incl	%eax
	FRAME_END
	RET
SYM_FUNC_END(kprobes_target_call)

/* int kprobes_target_tail(fn, arg): the same by way of tail calls */
FUNCTION kprobes_target_tail
	jmp	kprobes_target_tail_middle
SYM_FUNC_END(kprobes_target_tail)

FUNCTION kprobes_target_tail_middle
	jmp	kprobes_target_call
SYM_FUNC_END(kprobes_target_tail_middle)

/* int kprobes_target_left(int a): a + 5, with a call that never returns */
FUNCTION kprobes_target_left
	call	kprobes_target_leave
	int3
.Lleft:	lea	5(%_ASM_ARG1), %eax
	RET
SYM_FUNC_END(kprobes_target_left)
	STACK_FRAME_NON_STANDARD kprobes_target_left

/* Drops its return address and jumps to its caller: a call that never returns. */
FUNCTION kprobes_target_leave
	lea	__ASM_SEL_RAW(4, 8)(%_ASM_SP), %_ASM_SP
	jmp	.Lleft
SYM_FUNC_END(kprobes_target_leave)
	STACK_FRAME_NON_STANDARD kprobes_target_leave

/* void kprobes_target_lost(void): returns to the trampoline without having been probed */
FUNCTION kprobes_target_lost
	push	$kretprobe_trampoline
	RET
SYM_FUNC_END(kprobes_target_lost)
	STACK_FRAME_NON_STANDARD kprobes_target_lost

	/* Instructions that fault. */

/* Offset of @to in struct kprobes_branch: x86_read_kunit.c */
#define BRANCH_TO	__ASM_SEL_RAW(4, 8)

/* KPROBES_LOAD_LEN bytes: in 32 bit the instructions after it are too short for a jump. */
.macro LOAD
#ifdef CONFIG_X86_64
	movq	(%rdi), %rax
#else
	{disp32} movl 0(%eax), %eax
#endif
.endm

/* long kprobes_target_load(const long *p): *p, or -1 where that faults */
FUNCTION kprobes_target_load
1:	LOAD
	RET
2:	mov	$-1, %_ASM_AX
	RET
	_ASM_EXTABLE(1b, 2b)
SYM_FUNC_END(kprobes_target_load)

/* The same without an exception table entry. */
FUNCTION kprobes_target_load_bare
	LOAD
	RET
SYM_FUNC_END(kprobes_target_load_bare)

/* The same, with the load where a jump at the entry covers it as well. */
FUNCTION kprobes_target_load_late
	mov	%_ASM_ARG1, %_ASM_DX
	mov	(%_ASM_DX), %_ASM_AX
	RET
SYM_FUNC_END(kprobes_target_load_late)

/* The same, after a nop. */
FUNCTION kprobes_target_load_nop
	xchg	%ax, %ax
	LOAD
	RET
SYM_FUNC_END(kprobes_target_load_nop)

/* unsigned long kprobes_target_zeropad(const void *p): *p, zeros past the last page */
FUNCTION kprobes_target_zeropad
1:	LOAD
2:	RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_ZEROPAD)
SYM_FUNC_END(kprobes_target_zeropad)

/* Not executed: the kernel warns when it faults. */
FUNCTION kprobes_target_rdmsr
1:	rdmsr
2:	RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_RDMSR)
SYM_FUNC_END(kprobes_target_rdmsr)

/* Not executed: the kernel recovers from a machine check there. */
FUNCTION kprobes_target_load_mce
1:	LOAD
	RET
2:	RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_FAULT_MCE_SAFE)
SYM_FUNC_END(kprobes_target_load_mce)

/* As kprobes_target_load(), for user memory; the load is at kprobes_load_user_offset. */
FUNCTION kprobes_target_load_user
	ASM_STAC
.Luser:	LOAD
	ASM_CLAC
	RET
.Lefault:
	ASM_CLAC
	mov	$-1, %_ASM_AX
	RET
	_ASM_EXTABLE_UA(.Luser, .Lefault)
SYM_FUNC_END(kprobes_target_load_user)

/* int kprobes_target_divide(int a, int b): a / b, or -1 where that faults */
FUNCTION kprobes_target_divide
#ifdef CONFIG_X86_64
	movl	%edi, %eax
#else
	movl	%edx, %ecx
#endif
	cltd
.Ldivide:
#ifdef CONFIG_X86_64
	idivl	%esi
#else
	idivl	%ecx
#endif
	RET
2:	movl	$-1, %eax
	RET
	_ASM_EXTABLE(.Ldivide, 2b)
SYM_FUNC_END(kprobes_target_divide)

/* unsigned long kprobes_target_call_mem(const struct kprobes_branch *b): b->to() */
FUNCTION kprobes_target_call_mem
	FRAME_BEGIN
	ANNOTATE_RETPOLINE_SAFE
.Lcall_mem:
	call	*BRANCH_TO(%_ASM_ARG1)
.Lcalled_mem:
	FRAME_END
	RET
SYM_FUNC_END(kprobes_target_call_mem)

/* The same by a tail call. */
FUNCTION kprobes_target_jump_mem
	ANNOTATE_RETPOLINE_SAFE
	jmp	*BRANCH_TO(%_ASM_ARG1)
	int3
SYM_FUNC_END(kprobes_target_jump_mem)

/* unsigned long kprobes_target_returns_to(void): its return address */
SYM_FUNC_START(kprobes_target_returns_to)
	mov	(%_ASM_SP), %_ASM_AX
	RET
SYM_FUNC_END(kprobes_target_returns_to)

OFFSET kprobes_call_mem_offset, .Lcall_mem, kprobes_target_call_mem
OFFSET kprobes_called_mem_offset, .Lcalled_mem, kprobes_target_call_mem
OFFSET kprobes_load_user_offset, .Luser, kprobes_target_load_user
OFFSET kprobes_divide_offset, .Ldivide, kprobes_target_divide
