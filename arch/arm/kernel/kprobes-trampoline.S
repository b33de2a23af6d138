/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: when a probed function returns, in
 * detours, and after a displaced instruction that has post-handlers. All save the
 * registers as a trap would have. A stack need not be aligned to 8 bytes there, as it must
 * be for C.
 */
#include <linux/linkage.h>
#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/kprobes.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>

/* No byte of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax", %progbits

/*
 * In lr bit 0 tells that it is the address of Thumb code. Labels of code do not have it, but for
 * those of functions.
 */
#ifdef CONFIG_THUMB2_KERNEL
#define IS_T32		1
#else
#define IS_T32		0
#endif

/*
 * Saves all but lr, which is saved already. r4 has where, r5 the address that was in lr: that in
 * the slot that has called, for the way back and for unwinders. Those find r4 at the stack pointer.
 */
	.macro	save_regs
UNWIND(.fnstart)
UNWIND(.cantunwind)
	stmia	sp, {r0 - r12}
	add	r0, sp, #KPROBE_STUB_FRAME
	str	r0, [sp, #S_SP]
	mrs	r1, cpsr
THUMB(	orr	r1, r1, #PSR_T_BIT	)	@ reads as 0
	mvn	r2, #0
	str	r1, [sp, #S_PSR]
	str	r2, [sp, #S_OLD_R0]
	bic	r5, lr, #IS_T32
	str	r5, [sp, #S_PC]
	mov	r4, sp
	bic	r3, r4, #7
	mov	sp, r3
	push	{r4, r5}
	mov	r0, r4
	.endm

/* All but lr, pc and the stack pointer. */
	.macro	restore_regs
	mov	sp, r4
	ldr	r0, [sp, #S_PSR]
	msr	cpsr_fs, r0
	ldmia	sp, {r0 - r12}
	.endm

/* Called from stubs, which have made room and saved lr. C code sets the instruction pointer. */
ENTRY(kprobe_post_trampoline)
	save_regs
	mov	r1, r5
	bl	kprobe_detour_post
	orr	lr, r5, #IS_T32
	restore_regs
	bx	lr
UNWIND(.fnend)
END(kprobe_post_trampoline)

/*
 * From where the stub's call returns to it is so far to the address of its detour, and to
 * the displaced instruction: see put_enter() and put_leave().
 */
#define STUB_DETOUR	(-4 - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Likewise. Returns to the one or the other copy of the displaced instruction, or rather to
 * what restores the stack before it. Where the hit does not go on in the stub, or a handler
 * has moved the stack, leaves as from a trap, with all registers as they are.
 */
ENTRY(kprobe_detour_common)
	save_regs
	ldr	r1, [r5, #STUB_DETOUR]
	bl	kprobe_detour_enter
	ldr	r0, [r4, #S_PC]
	sub	lr, r0, #STUB_RUN
	cmp	lr, r5
	bne	2f
1:	ldr	r1, [r4, #S_SP]
	add	r2, r4, #KPROBE_STUB_FRAME
	cmp	r1, r2
	bne	3f
	orr	lr, lr, #IS_T32
	restore_regs
	bx	lr
2:	ldr	r1, [r5, #STUB_DETOUR]
	ldr	r1, [r1, #KPROBE_DETOUR_RUN_POST]
	cmp	r0, r1
	beq	1b
3:	cpsid	i
	mov	sp, r4
	ldr	r2, [sp, #S_PSR]
#ifdef CONFIG_THUMB2_KERNEL
	ldr	lr, [sp, #S_SP]
	ldrd	r0, r1, [sp, #S_LR]
	stmdb	lr!, {r0 - r2}
	ldmia	sp, {r0 - r12}
	mov	sp, lr
	ldr	lr, [sp], #4
	rfeia	sp!
#else
	msr	spsr_cxsf, r2
	ldmia	sp, {r0 - pc}^
#endif
UNWIND(.fnend)
END(kprobe_detour_common)

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return. The stack is as it was when the function was
 * called, and by that the call is known.
 */
ENTRY(kretprobe_trampoline)
	sub	sp, sp, #KPROBE_STUB_FRAME
	str	lr, [sp, #S_LR]
	adr	lr, kretprobe_trampoline
	save_regs
	ldr	r1, [r4, #S_SP]
	bl	kretprobe_return
	restore_regs
	ldr	lr, [sp, #S_LR]
	add	sp, sp, #KPROBE_STUB_FRAME
	bx	lr
UNWIND(.fnend)
ENDPROC(kretprobe_trampoline)
#endif

ENTRY(kprobe_trampolines_end)
	udf	#0
END(kprobe_trampolines_end)
