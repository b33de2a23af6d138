/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: when a probed function returns, in stubs, and
 * after a displaced instruction that has post-handlers. All save the registers as a trap would
 * have, in a struct pt_regs at sp.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/kprobes.h>
#include <asm/loongarch.h>
#include <asm/regdef.h>
#include <asm/stackframe.h>
#include <asm/unwind_hints.h>

/* No instruction of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/*
 * r0 and all that RESTORE_REGS restores, u0, and the control registers that events can fetch. There
 * is no exception: its number and address are 0.
 */
.macro SAVE_REGS
	LONG_S	zero, sp, PT_R0
	LONG_S	tp, sp, PT_R2
	LONG_S	a0, sp, PT_R4
	LONG_S	a1, sp, PT_R5
	LONG_S	a2, sp, PT_R6
	LONG_S	a3, sp, PT_R7
	LONG_S	a4, sp, PT_R8
	LONG_S	a5, sp, PT_R9
	LONG_S	a6, sp, PT_R10
	LONG_S	a7, sp, PT_R11
	LONG_S	t0, sp, PT_R12
	LONG_S	t1, sp, PT_R13
	LONG_S	t2, sp, PT_R14
	LONG_S	t3, sp, PT_R15
	LONG_S	t4, sp, PT_R16
	LONG_S	t5, sp, PT_R17
	LONG_S	t6, sp, PT_R18
	LONG_S	t7, sp, PT_R19
	LONG_S	t8, sp, PT_R20
	LONG_S	u0, sp, PT_R21
	LONG_S	fp, sp, PT_R22
	SAVE_STATIC
	PTR_ADDI t0, sp, PT_SIZE
	LONG_S	t0, sp, PT_R3
	/* PRMD has in bits 3 to 0 what CRMD has in bits 9 and 2 to 0. */
	csrrd	t0, LOONGARCH_CSR_CRMD
	LONG_S	t0, sp, PT_CRMD
	bstrpick.d t1, t0, 9, 9
	bstrins.d t0, t1, 63, 3
	LONG_S	t0, sp, PT_PRMD
	csrrd	t0, LOONGARCH_CSR_EUEN
	LONG_S	t0, sp, PT_EUEN
	csrrd	t0, LOONGARCH_CSR_ECFG
	LONG_S	t0, sp, PT_ECFG
	LONG_S	zero, sp, PT_BVADDR
	LONG_S	zero, sp, PT_ESTAT
	LONG_S	zero, sp, PT_ORIG_A0
.endm

/*
 * All but ra and sp. Not u0, which has the CPU's base: after a handler the task may be on another
 * one. Not tp, which nobody changes.
 */
.macro RESTORE_REGS
	LONG_L	a0, sp, PT_R4
	LONG_L	a1, sp, PT_R5
	LONG_L	a2, sp, PT_R6
	LONG_L	a3, sp, PT_R7
	LONG_L	a4, sp, PT_R8
	LONG_L	a5, sp, PT_R9
	LONG_L	a6, sp, PT_R10
	LONG_L	a7, sp, PT_R11
	LONG_L	fp, sp, PT_R22
	RESTORE_TEMP
	RESTORE_STATIC
.endm

/*
 * Called from stubs, which have made room and saved ra. Unwinders read where the call has come
 * from: in s1 until that is restored, as ra is overwritten, else in ra; and, for a trace that
 * begins in C code, in PT_ERA until C code has set that.
 */
SYM_CODE_START(kprobe_post_trampoline)
	UNWIND_HINT_UNDEFINED
	LONG_S	ra, sp, PT_ERA
	SAVE_REGS
	move	s1, ra
	move	a0, sp
	move	a1, ra
	bl	kprobe_detour_post
	move	ra, s1
	RESTORE_REGS
	jr	ra
SYM_CODE_END(kprobe_post_trampoline)

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return. The stack is as it was when the function was called, and
 * by that the call is known.
 */
SYM_CODE_START(kretprobe_trampoline)
	UNWIND_HINT_UNDEFINED
	PTR_ADDI sp, sp, -PT_SIZE
	LONG_S	ra, sp, PT_R1
	SAVE_REGS
	la.pcrel t0, kretprobe_trampoline
	LONG_S	t0, sp, PT_ERA
	move	a0, sp
	PTR_ADDI a1, sp, PT_SIZE
.Lcall:	bl	kretprobe_return
	RESTORE_REGS
	LONG_L	ra, sp, PT_R1
	PTR_ADDI sp, sp, PT_SIZE
.Lleave: jr	ra
SYM_CODE_END(kretprobe_trampoline)

	.pushsection .rodata, "a"
SYM_DATA(kretprobe_trampoline_marks, .dword .Lcall, .Lleave)
	.popsection
#endif

/*
 * From where the stub's call returns to it is so far to the address of its detour, and to the
 * displaced instruction: see put_enter() and put_leave().
 */
#define STUB_DETOUR	(-8 - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Called from stubs. Returns to the one or the other copy of the displaced instruction, or rather
 * to what restores the stack before it. Where the hit does not go on in the stub, or a handler has
 * moved the stack, leaves as from a trap. ERA and PRMD are nobody else's while interrupts are
 * masked: the stack is in the direct map, so that nothing here can fault.
 */
SYM_CODE_START(kprobe_detour_common)
	UNWIND_HINT_UNDEFINED
	LONG_S	ra, sp, PT_ERA
	SAVE_REGS
	move	s1, ra
	move	a0, sp
	LONG_L	a1, ra, STUB_DETOUR
	bl	kprobe_detour_enter
	LONG_L	t0, sp, PT_ERA
	PTR_ADDI ra, t0, -STUB_RUN
	bne	ra, s1, 2f
1:	LONG_L	t1, sp, PT_R3
	PTR_ADDI t2, sp, PT_SIZE
	bne	t1, t2, 3f
	RESTORE_REGS
	jr	ra
2:	LONG_L	t1, s1, STUB_DETOUR
	LONG_L	t1, t1, KPROBE_DETOUR_RUN_POST
	beq	t0, t1, 1b
3:	li.w	t0, CSR_CRMD_IE
	csrxchg	zero, t0, LOONGARCH_CSR_CRMD
	RESTORE_ALL_AND_RET
SYM_CODE_END(kprobe_detour_common)

SYM_CODE_START(kprobe_trampolines_end)
	UNWIND_HINT_UNDEFINED
	break	0
SYM_CODE_END(kprobe_trampolines_end)
