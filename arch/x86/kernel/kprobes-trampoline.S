/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two places where probed code enters kprobes without a trap: behind a
 * displaced instruction that has post-handlers, and when a probed function
 * returns. Both save the registers as a trap would have.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/frame.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/smap.h>
#include <asm/unwind_hints.h>

#include "../entry/calling.h"

	.text

/*
 * What a trap would have set up for C code, once the registers are saved.
 * Probed code may have the direction flag or user access turned on.
 */
.macro ENTER_C callback:req
	cld
	ASM_CLAC
	ENCODE_FRAME_POINTER
	movq	%rsp, %rdi
	call	\callback
.endm

/*
 * Called from a slot, which has pushed the flags before that. Stack, top last:
 *
 *	flags				saved by the slot, restored by the slot
 *	address in the slot		behind the call
 *
 * The registers are those behind the displaced instruction.
 */
SYM_CODE_START(kprobe_post_trampoline)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	pushq	$__KERNEL_DS		/* pt_regs->ss */
	pushq	%rsp			/* pt_regs->sp: before all pushes */
	addq	$24, (%rsp)
	pushq	24(%rsp)		/* pt_regs->flags */
	pushq	$__KERNEL_CS		/* pt_regs->cs */
	pushq	32(%rsp)		/* pt_regs->ip: set by the callback */
	pushq	$-1			/* pt_regs->orig_ax */
	PUSH_REGS
	ENTER_C	kprobe_post_callback
	POP_REGS
	leaq	6*8(%rsp), %rsp
	UNWIND_HINT_FUNC
	RET
SYM_CODE_END(kprobe_post_trampoline)
_ASM_NOKPROBE(kprobe_post_trampoline)

/*
 * Reached by a probed function's return. The place that held the return
 * address is just below the stack: it is taken back, and holds the true
 * address when this returns in turn. Until then the unwinder finds the
 * trampoline's address there, and looks the true one up.
 */
SYM_CODE_START(kretprobe_trampoline)
	ANNOTATE_NOENDBR
	UNWIND_HINT_FUNC
	pushq	$kretprobe_trampoline
	UNWIND_HINT_FUNC
	pushq	$__KERNEL_DS		/* pt_regs->ss */
	pushq	%rsp			/* pt_regs->sp: behind the return */
	pushfq				/* pt_regs->flags */
	addq	$16, 8(%rsp)
	pushq	$__KERNEL_CS		/* pt_regs->cs */
	pushq	$kretprobe_trampoline	/* pt_regs->ip: set by the callback */
	pushq	$-1			/* pt_regs->orig_ax */
	PUSH_REGS
	ENTER_C	kretprobe_callback
	POP_REGS
	leaq	3*8(%rsp), %rsp
	popfq
	leaq	2*8(%rsp), %rsp
	UNWIND_HINT_FUNC
	RET
SYM_CODE_END(kretprobe_trampoline)
_ASM_NOKPROBE(kretprobe_trampoline)
