/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: when a probed function returns, in stubs, and
 * after a displaced instruction that has post-handlers. All save the registers as a trap would
 * have, in a struct pt_regs, but for floating point registers, which the kernel's code does not
 * use. The stack grows upwards: the struct is below sp, with room for a call in between.
 */
#include <linux/linkage.h>
#include <asm/assembly.h>
#include <asm/asm-offsets.h>
#include <asm/kprobes.h>
#include <asm/psw.h>

/* No instruction of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/* A digit of dcor's result is this much less than none if the digit has no carry. */
#define NO_CARRY	0x66666666

/* Added to NO_CARRY or 0, in any digit, it gives back the carry. */
#define CARRY		0xaaaaaaaa

/* In 64 bit there are twice as many digits. */
	.macro	load_digits digits, reg
	load32	\digits, \reg
#ifdef CONFIG_64BIT
	depd	\reg, 31, 32, \reg
#endif
	.endm

	.macro	jump_to reg
#ifdef CONFIG_64BIT
	bve	(\reg)
#else
	bv	%r0(\reg)
#endif
	.endm

/*
 * A stub has made room and saved r31 at its start, where gr[0] is. r4 is the struct's address then,
 * and r3 where the stub goes on: unwinders find it there. r5 has the carries.
 */
	.macro	SAVE_REGS
	STREG	%r29, PT_GR29 - KPROBE_STUB_FRAME(%sp)
	ldo	-KPROBE_STUB_FRAME(%sp), %r29
	STREG	%r26, PT_GR26(%r29)
	save_general %r29
	dcor	%r0, %r5
	copy	%r29, %r4
	ldo	-KPROBE_STUB_LEAVE(%r31), %r3
	LDREG	KPROBE_STUB_LINK(%r4), %r1
	STREG	%r1, PT_GR31(%r4)
	STREG	%r4, PT_GR30(%r4)
#ifdef CONFIG_64BIT
	mfctl,w	%cr11, %r1
#else
	mfctl	%cr11, %r1
#endif
	STREG	%r1, PT_SAR(%r4)
	/* What copies memory has its spaces in sr1 and sr2: probed code, and what handlers call. */
	SAVE_SP(%sr1, PT_SR1(%r4))
	SAVE_SP(%sr2, PT_SR2(%r4))
	SAVE_SP(%sr3, PT_SR3(%r4))
	STREG	%r0, PT_SR7(%r4)
	STREG	%r0, PT_IASQ0(%r4)
	STREG	%r0, PT_IASQ1(%r4)
	/* A trace that begins in C code reads it until that code has set it. */
	STREG	%r3, PT_IAOQ0(%r4)
	ldo	4(%r3), %r1
	STREG	%r1, PT_IAOQ1(%r4)
	/* Of the status word only what is the same in the kernel, and whether interrupts are on. */
	ssm	0, %r6
	extru_safe %r6, 31, 1, %r6
	load32	KERNEL_PSW, %r1
	or	%r1, %r6, %r1
	STREG	%r1, PT_PSW(%r4)
	loadgp
	copy	%r4, %r26
#ifdef CONFIG_64BIT
	ldo	-16(%sp), %r29			/* Reference param save area */
#endif
	.endm

/* All but r29 and the stack pointer. Loads leave the carries alone. */
	.macro	RESTORE_REGS
	REST_SP(%sr1, PT_SR1(%r4))
	REST_SP(%sr2, PT_SR2(%r4))
	REST_CR(%cr11, PT_SAR(%r4))
	load_digits NO_CARRY, %r1
	add,l	%r5, %r1, %r5
	load_digits CARRY, %r1
	add	%r5, %r1, %r0
	copy	%r4, %r29
	LDREG	PT_GR1(%r29), %r1
	rest_general %r29
	.endm

/*
 * Returns to a stub at r3, which restores r31 and the stack pointer. As soon as r3 is the probed
 * code's, unwinders find it by r31, which is the link of the stub's call again.
 */
	.macro	RETURN_TO_STUB
	LDREG	PT_GR31(%r4), %r1
	STREG	%r1, KPROBE_STUB_LINK(%r4)
	ldo	KPROBE_STUB_LEAVE(%r3), %r31
	STREG	%r31, PT_GR31(%r4)
	RESTORE_REGS
	be	-KPROBE_STUB_LEAVE(%sr4, %r31)
	LDREG	PT_GR29(%r29), %r29
	.endm

/* Called from slots. The registers are those after the displaced instruction. */
ENTRY(kprobe_post_trampoline)
	SAVE_REGS
	BL	kprobe_detour_post, %r2
	copy	%r3, %r25
	RETURN_TO_STUB
END(kprobe_post_trampoline)

/* From where a stub goes on it is so far to its detour's address, and to the copy that runs. */
#define STUB_DETOUR	(-REG_SZ - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Called from stubs. Returns to the one or the other copy of the displaced instruction, or rather
 * to what restores the stack before it. Where the hit does not go on in the stub, or a handler has
 * moved the stack, leaves as from a trap.
 */
ENTRY(kprobe_detour_common)
	SAVE_REGS
	ldo	STUB_DETOUR(%r3), %r25
	BL	kprobe_detour_enter, %r2
	LDREG	0(%r25), %r25
	LDREG	PT_IAOQ0(%r4), %r1
	ldo	STUB_RUN(%r3), %r20
	cmpb,COND(=),n %r1, %r20, 1f
	ldo	STUB_DETOUR(%r3), %r20
	LDREG	0(%r20), %r20
	LDREG	KPROBE_DETOUR_RUN_POST(%r20), %r20
	cmpb,COND(<>),n %r1, %r20, leave_as_trap
	ldo	-STUB_RUN(%r1), %r3
1:	LDREG	PT_GR30(%r4), %r20
	cmpb,COND(<>),n %r20, %r4, leave_as_trap
	RETURN_TO_STUB
END(kprobe_detour_common)

/*
 * The carries go to the status word, highest digit first. What the other instructions of a trap's
 * end restore is as it was; the stack is in memory that has the same distance everywhere.
 */
leave_as_trap:
	load_digits NO_CARRY, %r1
	add,l	%r5, %r1, %r5
	copy	%r0, %r6
	ldi	2 * REG_SZ - 1, %r7
1:
#ifdef CONFIG_64BIT
	extrd,u	%r5, 1, 1, %r1
	depd,z	%r5, 59, 60, %r5
	depd,z	%r6, 62, 63, %r6
#else
	extru	%r5, 1, 1, %r1
	zdep	%r5, 27, 28, %r5
	zdep	%r6, 30, 31, %r6
#endif
	or	%r6, %r1, %r6
	addib,>= -1, %r7, 1b
	nop
	LDREG	PT_PSW(%r4), %r8
#ifdef CONFIG_64BIT
	extrd,u	%r6, 55, 8, %r1
	depd	%r1, 31, 8, %r8
	depd	%r6, 55, 8, %r8
#else
	dep	%r6, 23, 8, %r8
#endif
	STREG	%r8, PT_PSW(%r4)
	REST_SP(%sr1, PT_SR1(%r4))
	REST_SP(%sr2, PT_SR2(%r4))
	copy	%r4, %r29
	rest_general %r29
	pcxt_ssm_bug
	rsm	PSW_SM_QUIET, %r0
	tophys_r1 %r29
	mtctl	%r0, %cr17
	mtctl	%r0, %cr17
	REST_CR(%cr18, PT_IAOQ0(%r29))
	REST_CR(%cr18, PT_IAOQ1(%r29))
	REST_CR(%cr11, PT_SAR(%r29))
	REST_CR(%cr22, PT_PSW(%r29))
	LDREG	PT_GR1(%r29), %r1
	LDREG	PT_GR30(%r29), %r30
	LDREG	PT_GR29(%r29), %r29
	rfi
	nop

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return. The stack is as it was when the function was called, and
 * by that the call is known.
 */
ENTRY(kretprobe_trampoline)
	STREGM	%r31, KPROBE_STUB_FRAME(%sp)
	load32	kretprobe_trampoline+KPROBE_STUB_LEAVE, %r31
	SAVE_REGS
	BL	kretprobe_return, %r2
	copy	%r4, %r25
	RESTORE_REGS
	LDREG	PT_GR29(%r29), %r29
	jump_to	%rp
	ldo	-KPROBE_STUB_FRAME(%sp), %sp
ENDPROC(kretprobe_trampoline)
#endif

ENTRY(kprobe_trampolines_end)
	.word	0
END(kprobe_trampolines_end)
