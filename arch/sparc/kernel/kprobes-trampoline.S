/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: after a displaced instruction that has
 * post-handlers, when a probed function returns, and in stubs. All have a register window of their
 * own, with a frame like a trap's, and save the registers there as a trap does.
 */
#include <linux/linkage.h>
#include <asm/asi.h>
#include <asm/head.h>
#include <asm/kprobes.h>
#include <asm/pil.h>
#include <asm/pstate.h>
#include <asm/ptrace.h>
#include <asm/thread_info.h>

/* No instruction of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

#define REGS		%sp + PTREGS_OFF

/* There are eight windows: "save" has gone on to the next one. */
#define WINDOWS_MASK	7

/* What is in %fprs while the floating point registers are in use, by the task or the kernel. */
#define FPRS_USED	(FPRS_FEF | FPRS_DU)

/* As a trap does, so that VISenter leaves alone what the code before has there. */
	.macro	BEGIN_FP_LEVEL
	ldub	[%g6 + TI_FPDEPTH], %l0
	add	%g6, TI_FPSAVED + 1, %l1
	srl	%l0, 1, %l2
	stb	%g0, [%l1 + %l2]
	add	%l0, 2, %l0
	stb	%l0, [%g6 + TI_FPDEPTH]
	.endm

/*
 * \pc is where the probed code was. What follows needs %l6, the old %fprs, and %l7. Unwinders take
 * the frame for a trap's when it has the magic number, so that is last. C code reads user memory
 * by %asi.
 */
	.macro	SAVE_REGS pc
	rd	%ccr, %l0
	rd	%asi, %l1
	rdpr	%pil, %l2
	rdpr	%pstate, %l3
	rdpr	%cwp, %l4
	sub	%l4, 1, %l4
	and	%l4, WINDOWS_MASK, %l4
	sllx	%l0, 32, %l0
	sllx	%l1, 24, %l1
	or	%l0, %l1, %l0
	sllx	%l2, 20, %l2
	or	%l0, %l2, %l0
	sllx	%l3, 8, %l3
	or	%l0, %l3, %l0
	or	%l0, %l4, %l0
	stx	%l0, [REGS + PT_V9_TSTATE]
	stx	%g0, [REGS + PT_V9_G0]
	stx	%g1, [REGS + PT_V9_G1]
	stx	%g2, [REGS + PT_V9_G2]
	stx	%g3, [REGS + PT_V9_G3]
	stx	%g4, [REGS + PT_V9_G4]
	stx	%g5, [REGS + PT_V9_G5]
	stx	%g6, [REGS + PT_V9_G6]
	stx	%g7, [REGS + PT_V9_G7]
	stx	%i0, [REGS + PT_V9_I0]
	stx	%i1, [REGS + PT_V9_I1]
	stx	%i2, [REGS + PT_V9_I2]
	stx	%i3, [REGS + PT_V9_I3]
	stx	%i4, [REGS + PT_V9_I4]
	stx	%i5, [REGS + PT_V9_I5]
	stx	%i6, [REGS + PT_V9_I6]
	stx	%i7, [REGS + PT_V9_I7]
	rd	%y, %l0
	st	%l0, [REGS + PT_V9_Y]
	stx	\pc, [REGS + PT_V9_TPC]
	add	\pc, 4, %l0
	stx	%l0, [REGS + PT_V9_TNPC]
	sethi	%hi(PT_REGS_MAGIC), %l0
	or	%l0, 0x170, %l0
	st	%l0, [REGS + PT_V9_MAGIC]
	wr	%g0, ASI_AIUS, %asi
	rd	%fprs, %l6
	andcc	%l6, FPRS_USED, %g0
	be,pt	%icc, 99f
	 nop
	BEGIN_FP_LEVEL
99:
	.endm

/*
 * All but %g4 to %g6, which C code never changes, but which belong to the CPU, and after a handler
 * the task may be on another one. Leaves %ccr in %l1, for the caller's last instruction. Without
 * the magic number unwinders read %i7, where a return probe had its trampoline's address: that is
 * restored first.
 */
	.macro	RESTORE_REGS
	ld	[REGS + PT_V9_Y], %l1
	ldx	[REGS + PT_V9_TSTATE], %l2
	wr	%l1, 0, %y
	ldx	[REGS + PT_V9_G1], %g1
	ldx	[REGS + PT_V9_G2], %g2
	ldx	[REGS + PT_V9_G3], %g3
	ldx	[REGS + PT_V9_G7], %g7
	ldx	[REGS + PT_V9_I0], %i0
	ldx	[REGS + PT_V9_I1], %i1
	ldx	[REGS + PT_V9_I2], %i2
	ldx	[REGS + PT_V9_I3], %i3
	ldx	[REGS + PT_V9_I4], %i4
	ldx	[REGS + PT_V9_I5], %i5
	ldx	[REGS + PT_V9_I7], %i7
	st	%g0, [REGS + PT_V9_MAGIC]
	srlx	%l2, 24, %l1
	wr	%l1, 0, %asi
	srlx	%l2, 32, %l1
	.endm

/* Called from slots. The registers are those after the displaced instruction. */
SYM_CODE_START(kprobe_post_trampoline)
	mov	%o7, %l7
	SAVE_REGS %l7
	add	%l7, 8, %o1
	call	kprobe_detour_post
	 add	%sp, PTREGS_OFF, %o0
	andcc	%l6, FPRS_USED, %g0
	bne,pn	%icc, leave_to
	 add	%l7, 8 + KPROBE_STUB_LEAVE, %l0
	RESTORE_REGS
	jmpl	%l7 + 8, %g0
	 wr	%l1, 0, %ccr
SYM_CODE_END(kprobe_post_trampoline)

/*
 * Leaves as a trap does: there the probed code's window is restored, where the stack pointer leads
 * now, and the floating point registers, if a handler has used them.
 */
SYM_CODE_START_LOCAL(leave_to)
	stx	%l0, [REGS + PT_V9_TPC]
	add	%l0, 4, %l0
	stx	%l0, [REGS + PT_V9_TNPC]
SYM_INNER_LABEL(leave_as_trap, SYM_L_LOCAL)
	andcc	%l6, FPRS_USED, %g0
	bne,pt	%icc, 1f
	 wrpr	%g0, PIL_NMI, %pil
	BEGIN_FP_LEVEL
1:	sethi	%hi(rtrap_nmi), %l0
	jmpl	%l0 + %lo(rtrap_nmi), %g0
	 nop
SYM_CODE_END(leave_to)

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return, as if a call were two instructions before. The stack is as
 * it was when the function was called, and by that the call is known.
 */
	nop
	nop
SYM_CODE_START(kretprobe_trampoline)
	save	%sp, -KPROBE_STUB_FRAME, %sp
	/* Unwinders are to find no stub. */
	clr	%o7
	sethi	%hi(kretprobe_trampoline), %l7
	or	%l7, %lo(kretprobe_trampoline), %l7
	SAVE_REGS %l7
	add	%fp, STACK_BIAS, %o1
	call	kretprobe_return
	 add	%sp, PTREGS_OFF, %o0
	ldx	[REGS + PT_V9_I7], %l0
	andcc	%l6, FPRS_USED, %g0
	bne,pn	%icc, leave_to
	 add	%l0, 8, %l0
	RESTORE_REGS
	wr	%l1, 0, %ccr
	jmpl	%i7 + 8, %g0
	 restore
SYM_CODE_END(kretprobe_trampoline)
#endif

/* From a stub's call it is so far to the address of its detour, and to the copy that runs. */
#define STUB_DETOUR	(-4 - 8)
#define STUB_RUN	(8 + KPROBE_STUB_LEAVE)

/*
 * Called from stubs. Returns to the one or the other copy of the displaced instruction, or rather
 * to what restores the window before it. Where the hit does not go on in the stub, or a handler has
 * moved the stack, leaves as a trap does.
 */
SYM_CODE_START(kprobe_detour_common)
	mov	%o7, %l7
	SAVE_REGS %l7
	ldx	[%l7 + STUB_DETOUR], %o1
	call	kprobe_detour_enter
	 add	%sp, PTREGS_OFF, %o0
	ldx	[REGS + PT_V9_TPC], %l0
	add	%l7, STUB_RUN, %l1
	cmp	%l0, %l1
	be,pt	%xcc, 1f
	 ldx	[%l7 + STUB_DETOUR], %l2
	ldx	[%l2 + KPROBE_DETOUR_RUN_POST], %l2
	cmp	%l0, %l2
	bne,pn	%xcc, leave_as_trap
1:	 ldx	[REGS + PT_V9_I6], %l2
	cmp	%l2, %fp
	bne,pn	%xcc, leave_as_trap
	 andcc	%l6, FPRS_USED, %g0
	bne,pn	%icc, leave_as_trap
	 nop
	RESTORE_REGS
	jmpl	%l0 - KPROBE_STUB_LEAVE, %g0
	 wr	%l1, 0, %ccr
SYM_CODE_END(kprobe_detour_common)

SYM_CODE_START(kprobe_trampolines_end)
	.word	0
SYM_CODE_END(kprobe_trampolines_end)
