/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: after a displaced instruction that has
 * post-handlers, when a probed function returns, and in stubs. All save the registers as a program
 * check would have.
 */
#include <linux/linkage.h>
#include <asm/asm-offsets.h>
#include <asm/kprobes.h>
#include <asm/lowcore.h>
#include <asm/nospec-insn.h>
#include <asm/ptrace.h>

	GEN_BR_THUNK %r14

/* No instruction of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

#define REGS		STACK_FRAME_OVERHEAD
#define REG(nr)		(REGS + __PT_GPRS + 8 * (nr))
#define PSW_MASK	(REGS + __PT_PSW)
#define PSW_ADDR	(REGS + __PT_PSW + 8)

/*
 * Saves all registers but %r14 in a frame that is there already. The backchain is cleared: then
 * unwinders look for registers where that frame ends. The probed code's stack pointer is in %r12,
 * for the way back. The condition code must not change before epsw.
 */
	.macro	SAVE_REGS
	stmg	%r0,%r13,REG(0)(%r15)
	epsw	%r2,%r3
	st	%r2,PSW_MASK(%r15)
	st	%r3,PSW_MASK+4(%r15)
	lay	%r12,KPROBE_STUB_FRAME(%r15)
	stg	%r12,REG(15)(%r15)
	stg	%r14,PSW_ADDR(%r15)
	stg	%r14,REGS+__PT_LAST_BREAK(%r15)
	xc	__SF_BACKCHAIN(8,%r15),__SF_BACKCHAIN(%r15)
	xc	REGS(8,%r15),REGS(%r15)
	xc	REGS+__PT_ORIG_GPR2(__PT_LAST_BREAK-__PT_ORIG_GPR2,%r15),REGS+__PT_ORIG_GPR2(%r15)
	.endm

/* Restores all but %r14 and %r15; of the PSW the condition code and the program mask. */
	.macro	RESTORE_REGS
	lg	%r1,PSW_MASK(%r15)
	srlg	%r1,%r1,16
	spm	%r1
	lmg	%r0,%r13,REG(0)(%r15)
	.endm

/*
 * A slot or stub has made the frame, saved %r14 in it, and called. %r13 keeps the return address,
 * for the way back, and for unwinders until it is restored. The slot or stub restores %r14 and
 * removes the frame.
 */
	.macro	ENTER_FROM_SLOT
	SAVE_REGS
	lgr	%r13,%r14
	la	%r2,REGS(%r15)
	.endm

/* Called from slots. The registers are those after the displaced instruction. */
SYM_CODE_START(kprobe_post_trampoline)
	ENTER_FROM_SLOT
	lgr	%r3,%r14
	brasl	%r14,kprobe_detour_post
	lgr	%r14,%r13
	RESTORE_REGS
	BR_EX	%r14
SYM_CODE_END(kprobe_post_trampoline)

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return. The stack pointer is what it was when the function was
 * called, and tells which call it is.
 */
SYM_CODE_START(kretprobe_trampoline)
	lay	%r15,-KPROBE_STUB_FRAME(%r15)
	stg	%r14,REG(14)(%r15)
	SAVE_REGS
	larl	%r1,kretprobe_trampoline
	stg	%r1,PSW_ADDR(%r15)
	la	%r2,REGS(%r15)
	lgr	%r3,%r12
	brasl	%r14,kretprobe_return
	RESTORE_REGS
	lg	%r14,REG(14)(%r15)
	lay	%r15,KPROBE_STUB_FRAME(%r15)
	BR_EX	%r14
SYM_CODE_END(kretprobe_trampoline)
#endif

/*
 * Offsets from where the stub's call returns to: of the pointer to its detour, which is in front of
 * the stub, and of the displaced instructions. See put_enter() and put_leave().
 */
#define STUB_DETOUR	(-8 - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Called from stubs. Returns to what restores the stack in front of the displaced instructions, or
 * in front of their copy that calls post-handlers. If the hit goes on elsewhere, or a handler has
 * moved the stack, leaves as a program check does.
 */
SYM_CODE_START(kprobe_detour_common)
	ENTER_FROM_SLOT
	lg	%r3,STUB_DETOUR(%r14)
	brasl	%r14,kprobe_detour_enter
	lg	%r1,PSW_ADDR(%r15)
	lay	%r14,-STUB_RUN(%r1)
	cgr	%r14,%r13
	je	1f
	lg	%r2,STUB_DETOUR(%r13)
	cg	%r1,KPROBE_DETOUR_RUN_POST(%r2)
	jne	2f
1:	cg	%r12,REG(15)(%r15)
	jne	2f
	RESTORE_REGS
	BR_EX	%r14
2:	stnsm	__SF_EMPTY(%r15),0xfc
	GET_LC	%r13
	jg	pgm_exit_kernel
SYM_CODE_END(kprobe_detour_common)

SYM_CODE_START(kprobe_trampolines_end)
	.word	0
SYM_CODE_END(kprobe_trampolines_end)
