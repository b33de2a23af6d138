/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: after a displaced
 * instruction that has post-handlers, when a probed function returns, and in
 * detours. All save the registers as a trap would have.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/bitsperlong.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/smap.h>
#include <asm/unwind_hints.h>

#define WORD	(__BITS_PER_LONG / 8)

#ifdef CONFIG_X86_64
#include "../entry/calling.h"
#else
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
	leal	4*4(%esp), %esp
.endm
#endif

/* No byte of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/*
 * Saves the registers as a trap would, where a return address has been pushed, and \gap
 * bytes after it. The flags are saved before anything changes them.
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

/* Of what that has pushed, the return address and the gap are left. */
.macro RESTORE_REGS
	HINT_PUSHED 21*8
	POP_REGS
	lea	3*WORD(%_ASM_SP), %_ASM_SP
	popf
	lea	2*WORD(%_ASM_SP), %_ASM_SP
	UNWIND_HINT_FUNC
.endm

/*
 * What a trap would have set up for C code. Where probed code is interrupted, the direction
 * flag may be set as well: the ABI has it clear only when functions are called and return.
 */
.macro CALL_C callback:req
	ASM_CLAC
	ENCODE_FRAME_POINTER
	mov	%_ASM_SP, %_ASM_ARG1
	call	\callback
.endm

/*
 * What follows is unwound as a function that has pushed so many bytes. Popped
 * registers are not there any more: an interrupt may have come in between.
 */
.macro HINT_PUSHED bytes:req
	UNWIND_HINT sp_reg=ORC_REG_SP sp_offset=\bytes+8 type=UNWIND_HINT_TYPE_CALL
.endm

/* Called from slots. The registers are those after the displaced instruction. */
SYM_CODE_START(kprobe_post_trampoline)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	SAVE_REGS
	cld
	CALL_C	kprobe_post_callback
	RESTORE_REGS
	RET
SYM_CODE_END(kprobe_post_trampoline)

/*
 * Reached by a probed function's return. The place that held the return
 * address is just below the stack: it is taken back, and gets the true address
 * from the callback, for this to return to in turn. Until then the unwinder
 * finds the trampoline's address there, and looks the true one up.
 */
SYM_CODE_START(kretprobe_trampoline)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	push	$kretprobe_trampoline
	UNWIND_HINT_FUNC
	SAVE_REGS
	lea	PTREGS_SIZE(%_ASM_SP), %_ASM_ARG2	/* the place of the return address */
	CALL_C	kretprobe_return
	RESTORE_REGS
	RET
SYM_CODE_END(kretprobe_trampoline)

#ifdef CONFIG_OPTPROBES
#ifndef CONFIG_X86_64

/* As below a trap in the kernel: room for what an emulated call pushes. */
#define DETOUR_GAP	(6*WORD)

/*
 * Called from stubs. Goes on with the registers as kprobe_detour_enter() leaves them,
 * stack pointer included: what comes last is put below the new stack, which the gap
 * has room for.
 */
SYM_CODE_START(kprobe_detour_common)
	leal	-DETOUR_GAP(%esp), %esp
	SAVE_REGS gap=DETOUR_GAP
	movl	PTREGS_SIZE + DETOUR_GAP(%esp), %edx	/* where the stub has called */
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

/* As below a trap in the kernel: room for what an emulated call pushes. */
#define DETOUR_GAP	(6*8)

/*
 * What every detour begins and ends with. It is copied from read-only data, where
 * nobody puts a breakpoint. With each comes how many bytes are on the stack where
 * each byte of it is executed: that is all that unwinders have to know, since the
 * registers still are the probed code's there, or are again.
 */
	.pushsection .rodata
SYM_DATA_START(kprobe_detour_save_template)
1:	leaq	-DETOUR_GAP(%rsp), %rsp
2:	pushq	$__KERNEL_DS		/* pt_regs->ss */
3:	pushq	%rsp			/* pt_regs->sp */
4:	pushfq				/* pt_regs->flags */
5:	addq	$(DETOUR_GAP + 8), 8(%rsp)
6:	pushq	$__KERNEL_CS		/* pt_regs->cs */
.Lsave_ip:
7:	pushq	$0x12345678		/* pt_regs->ip: set in the copy */
8:	pushq	$-1			/* pt_regs->orig_ax */
9:	PUSH_REGS unwind_hint=0
10:	ENCODE_FRAME_POINTER
SYM_DATA_END_LABEL(kprobe_detour_save_template, SYM_L_GLOBAL, kprobe_detour_save_template_end)
	.set	kprobe_detour_save_template_ip, .Lsave_ip
	.globl	kprobe_detour_save_template_ip

SYM_DATA_START(kprobe_detour_save_pushed)
	.skip	2b - 1b, 0
	.skip	3b - 2b, DETOUR_GAP
	.skip	4b - 3b, DETOUR_GAP + 8
	.skip	5b - 4b, DETOUR_GAP + 2*8
	.skip	7b - 5b, DETOUR_GAP + 3*8
	.skip	8b - 7b, DETOUR_GAP + 4*8
	.skip	9b - 8b, DETOUR_GAP + 5*8
	.set	pushed, DETOUR_GAP + 6*8
	.irp	len, 1, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2
	.skip	\len, pushed
	.set	pushed, pushed + 8
	.endr
	.skip	kprobe_detour_save_template_end - 10b, pushed
SYM_DATA_END(kprobe_detour_save_pushed)

SYM_DATA_START(kprobe_detour_restore_template)
	POP_REGS
1:	leaq	3*8(%rsp), %rsp		/* orig_ax, ip, cs */
2:	popfq
3:	popq	%rsp
SYM_DATA_END_LABEL(kprobe_detour_restore_template, SYM_L_GLOBAL, kprobe_detour_restore_template_end)

SYM_DATA_START(kprobe_detour_restore_pushed)
	.set	pushed, DETOUR_GAP + 21*8
	.irp	len, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 1
	.skip	\len, pushed
	.set	pushed, pushed - 8
	.endr
	.skip	2b - 1b, DETOUR_GAP + 6*8
	.skip	3b - 2b, DETOUR_GAP + 3*8
	.skip	1, DETOUR_GAP + 2*8
SYM_DATA_END(kprobe_detour_restore_pushed)
	.popsection

/* Stands for all of a detour between saved and restored registers. */
SYM_CODE_START(kprobe_detour_saved)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	int3
	ANNOTATE_NOENDBR	/* what detours show as */
	int3
SYM_CODE_END(kprobe_detour_saved)

/* The same after the first displaced instruction, for post-handlers. */
SYM_CODE_START(kprobe_detour_saved_post)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	int3
	ANNOTATE_NOENDBR	/* what detours show as */
	int3
SYM_CODE_END(kprobe_detour_saved_post)

/* The same while flags are on their way between the registers and the CPU. */
SYM_CODE_START(kprobe_detour_pushed)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS offset=8
	int3
	ANNOTATE_NOENDBR	/* what detours show as */
	int3
SYM_CODE_END(kprobe_detour_pushed)

/*
 * Out of line for all detours: the registers are on the stack, %rbx has the
 * point. From here detours do not go on: all of them end as a trap would.
 */
SYM_CODE_START(kprobe_detour_stale)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	movq	%rbx, %rdi
	movq	%rsp, %rsi
	call	kprobe_detour_changed
	jmp	.Lleave
SYM_INNER_LABEL(kprobe_detour_slow, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	movq	%rbx, %rdi
	movq	%rsp, %rsi
	call	kprobe_detour_hit
	jmp	.Lleave
SYM_INNER_LABEL(kprobe_detour_divert, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	UNWIND_HINT_REGS
	movq	%rbx, %rdi
	movq	%rsp, %rsi
	call	kprobe_detour_diverted
.Lleave:
	call	kprobe_detour_done
	/* An interrupt at the iret would be taken for a fault of returning to user space. */
	cli
	jmp	restore_regs_and_return_to_kernel
SYM_INNER_LABEL(kprobe_detour_stale_end, SYM_L_GLOBAL)
	ANNOTATE_NOENDBR
	int3
SYM_CODE_END(kprobe_detour_stale)

#endif /* CONFIG_X86_64 */
#endif /* CONFIG_OPTPROBES */
