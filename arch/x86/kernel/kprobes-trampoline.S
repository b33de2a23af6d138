/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways from probed code into kprobes without a trap: after a displaced instruction
 * that has post-handlers, when a probed function returns, and in detours. Each of them
 * saves the registers in a struct pt_regs, as a trap does.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/alternative.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/bitsperlong.h>
#include <asm/cpufeatures.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/smap.h>
#include <asm/unwind_hints.h>

#define WORD	(__BITS_PER_LONG / 8)

/* Room for what an emulated call pushes: as much as a breakpoint's trap leaves. */
#define DETOUR_GAP	(6*WORD)

#ifdef CONFIG_X86_64
#include "../entry/calling.h"
#define SAVED_BP	pt_regs_bp
#define SEGMENTS	0
#else
#define SAVED_BP	PT_EBP
/* struct pt_regs below orig_ax. The kernel's segment registers do not change. */
.macro PUSH_REGS
	.irp	reg, gs, fs, es, ds, eax, ebp, edi, esi, edx, ecx, ebx
	pushl	%\reg
	.endr
.endm

.macro POP_REGS
	.irp	reg, ebx, ecx, edx, esi, edi, ebp, eax
	popl	%\reg
	.endr
.endm
#define SEGMENTS	4	/* words that POP_REGS leaves on the stack */
#endif

/* The whole section is on the blacklist, whatever labels it has. */
	.section .kprobes.text, "ax"

/*
 * Saves the registers as a trap does. On the stack are a return address and, below it,
 * \gap bytes. The flags are saved before an instruction changes them.
 */
.macro SAVE_REGS gap=0
	push	$__KERNEL_DS		/* pt_regs->ss */
	push	%_ASM_SP		/* pt_regs->sp: before the return address */
	pushf				/* pt_regs->flags */
	__ASM_SIZE(add)	$(\gap + 2*WORD), WORD(%_ASM_SP)
	push	$__KERNEL_CS		/* pt_regs->cs */
	__ASM_SIZE(push) (\gap + 4*WORD)(%_ASM_SP)	/* pt_regs->ip: to be set by the callback */
	push	$-1			/* pt_regs->orig_ax */
	PUSH_REGS
.endm

/*
 * Ends what ENCODE_FRAME_POINTER has begun. Must come before the first pop: an unwinder
 * must not look for registers that were popped, as an interrupt may have overwritten them.
 */
.macro DECODE_FRAME_POINTER
#ifdef CONFIG_FRAME_POINTER
	mov	SAVED_BP(%_ASM_SP), %_ASM_BP
#endif
.endm

/*
 * Pops what SAVE_REGS has pushed, and so many words of the gap. The return address stays on the
 * stack. ORC unwinds as in a function that has pushed as much, and not by the registers either.
 */
.macro RESTORE_REGS words=0
	DECODE_FRAME_POINTER
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=(22+\words)*8 type=UNWIND_HINT_TYPE_CALL
	POP_REGS
	lea	(SEGMENTS + 3)*WORD(%_ASM_SP), %_ASM_SP
	popf
	lea	(2 + \words)*WORD(%_ASM_SP), %_ASM_SP
	UNWIND_HINT_FUNC
.endm

/*
 * Sets up what a trap sets up for C code. The direction flag is left to the trampolines that
 * need it: the ABI has it clear when a function is called or returns, but not in between.
 */
.macro CALL_C callback:req
	ASM_CLAC
	ENCODE_FRAME_POINTER
	mov	%_ASM_SP, %_ASM_ARG1
	call	\callback
.endm

/* Called from slots. The registers are those after the displaced instruction. */
SYM_CODE_START(kprobe_post_trampoline)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	SAVE_REGS
	mov	PTREGS_SIZE(%_ASM_SP), %_ASM_ARG2	/* where the slot goes on */
	cld
	CALL_C	kprobe_detour_post
	RESTORE_REGS
	/*
	 * The thunk that counts returns changes the flags. The slot's call was not counted,
	 * so this return need not be either.
	 */
	ALTERNATIVE "", "jmp .Lreturn_uncounted", X86_FEATURE_CALL_DEPTH
	RET
.Lreturn_uncounted:
	UNWIND_HINT_FUNC
	ANNOTATE_UNRET_SAFE
	ret
	int3
SYM_CODE_END(kprobe_post_trampoline)

/*
 * A probed function returns to this address. Its return address was the word just below
 * the stack pointer. The push takes that word back, kretprobe_return() writes the true
 * return address there, and the last instruction returns to it. Until it is written, an
 * unwinder finds the trampoline's address in the word, and looks the true one up.
 *
 * The call is for the processor's return predictor. The function's return has taken the
 * caller's entry off it, so the return below would take that of the caller's caller, and every
 * return from there on would be predicted wrongly. A call of the next instruction is no entry.
 */
SYM_CODE_START(kretprobe_trampoline)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	push	$kretprobe_trampoline
	UNWIND_HINT_FUNC
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Lreturn_counted
	int3
.Lreturn_counted:
	SAVE_REGS gap=WORD
	lea	PTREGS_SIZE + WORD(%_ASM_SP), %_ASM_ARG2	/* where the return address is */
	CALL_C	kretprobe_return
	RESTORE_REGS words=1
	RET
SYM_CODE_END(kretprobe_trampoline)

#ifdef CONFIG_X86_32

/* From where the stub's call returns to, to the address of the stub's detour. */
#define STUB_DETOUR	-9

/*
 * Called from stubs. Loads the registers that kprobe_detour_enter() leaves, including the
 * stack pointer, and returns to their instruction pointer. The registers that are loaded
 * last are first copied to below the new stack pointer, for which the gap has room.
 */
SYM_CODE_START(kprobe_detour_common)
	leal	-DETOUR_GAP(%esp), %esp
	SAVE_REGS gap=DETOUR_GAP
	movl	PTREGS_SIZE + DETOUR_GAP(%esp), %edx	/* where the stub has called from */
	movl	STUB_DETOUR(%edx), %edx
	cld
	CALL_C	kprobe_detour_enter
	movl	PT_OLDESP(%esp), %eax
	movl	PT_EIP(%esp), %ecx
	movl	%ecx, -4(%eax)
	movl	PT_EFLAGS(%esp), %ecx
	movl	%ecx, -8(%eax)
	movl	PT_EAX(%esp), %ecx
	movl	%ecx, -12(%eax)
	.irp	reg, ebx, ecx, edx, esi, edi, ebp
	popl	%\reg
	.endr
	leal	-12(%eax), %esp
	popl	%eax
	popfl
	RET
SYM_CODE_END(kprobe_detour_common)

#else

/*
 * Templates of the code that every detour begins and ends with. They are in read-only
 * data, where no breakpoint can be set that would be copied along. The table that comes
 * with a template has for each of its bytes how many bytes are on the stack there.
 * Unwinders need nothing else: all other registers have the probed code's values there.
 */
.macro TEMPLATE name:req, table:req, on_stack:req
	.set	on_stack, \on_stack
	.globl	\table
	.pushsection .rodata, 1
\table:
	.popsection
SYM_DATA_START(\name)
.endm

/* An instruction of a template, and by how many bytes the stack grows with it. */
.macro STEP grows:req, insn:vararg
771:	\insn
772:
	.pushsection .rodata, 1
	.skip	772b - 771b, on_stack
	.popsection
	.set	on_stack, on_stack + (\grows)
.endm

	.pushsection .rodata
TEMPLATE kprobe_detour_save_template, kprobe_detour_save_pushed, 0
	STEP	DETOUR_GAP, leaq -DETOUR_GAP(%rsp), %rsp
	STEP	8, pushq $__KERNEL_DS		/* pt_regs->ss */
	STEP	8, pushq %rsp			/* pt_regs->sp */
	STEP	8, pushfq			/* pt_regs->flags */
	STEP	0, addq $(DETOUR_GAP + 8), 8(%rsp)
	STEP	8, pushq $__KERNEL_CS		/* pt_regs->cs */
SYM_INNER_LABEL(kprobe_detour_save_template_ip, SYM_L_GLOBAL)
	STEP	8, pushq $0x12345678		/* pt_regs->ip: set in the copy */
	STEP	8, pushq $-1			/* pt_regs->orig_ax */
	.irp	reg, rdi, rsi, rdx, rcx, rax, r8, r9, r10, r11, rbx, rbp, r12, r13, r14, r15
	STEP	8, pushq %\reg
	.endr
#ifdef CONFIG_FRAME_POINTER
	STEP	0, ENCODE_FRAME_POINTER
#endif
SYM_DATA_END_LABEL(kprobe_detour_save_template, SYM_L_GLOBAL, kprobe_detour_save_template_end)

TEMPLATE kprobe_detour_restore_template, kprobe_detour_restore_pushed, DETOUR_GAP + 21*8
#ifdef CONFIG_FRAME_POINTER
	STEP	0, DECODE_FRAME_POINTER
#endif
	.irp	reg, r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi
	STEP	-8, popq %\reg
	.endr
	STEP	-3*8, leaq 3*8(%rsp), %rsp	/* orig_ax, ip, cs */
	STEP	-8, popfq
	STEP	0, popq %rsp
SYM_DATA_END_LABEL(kprobe_detour_restore_template, SYM_L_GLOBAL, kprobe_detour_restore_template_end)
	.popsection

/* Stands, in stack traces, for a detour's own code while the registers are saved. */
.macro STAND_IN name:req
SYM_CODE_START(\name)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	int3
	ANNOTATE_NOENDBR	/* the address in traces */
	int3
SYM_CODE_END(\name)
.endm

	STAND_IN kprobe_detour_saved
	/* After the first displaced instruction, for post-handlers. */
	STAND_IN kprobe_detour_saved_post

/*
 * For hits that a detour does not handle itself: the registers are on the stack, %rbx has
 * the point, and %r15 leads to the frame if one was claimed. The detour is not returned to:
 * the hit ends like a trap, by an iret.
 */
.macro FINISH_HIT function:req
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	movq	%rbx, %rdi
	movq	%rsp, %rsi
	movq	%r15, %rdx
	call	\function
	/* An interrupt at the iret would be taken for a fault of returning to user space. */
	cli
	jmp	restore_regs_and_return_to_kernel
.endm

SYM_CODE_START(kprobe_detour_stale)
	FINISH_HIT kprobe_detour_changed
SYM_INNER_LABEL(kprobe_detour_slow, SYM_L_GLOBAL)
	FINISH_HIT kprobe_detour_hit
SYM_INNER_LABEL(kprobe_detour_divert, SYM_L_GLOBAL)
	FINISH_HIT kprobe_detour_diverted
SYM_INNER_LABEL(kprobe_detour_stale_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
	/* Likewise after the first displaced instruction, for post-handlers. */
SYM_INNER_LABEL(kprobe_detour_post_stale, SYM_L_GLOBAL)
	FINISH_HIT kprobe_detour_post_changed
SYM_INNER_LABEL(kprobe_detour_post_slow, SYM_L_GLOBAL)
	FINISH_HIT kprobe_detour_post_hit
SYM_CODE_END(kprobe_detour_stale)

#endif /* CONFIG_X86_32 */
