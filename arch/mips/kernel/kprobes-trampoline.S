/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: when a probed function returns, in stubs, and
 * after a displaced instruction that has post-handlers. All save the registers as a trap would
 * have, in a struct pt_regs at sp.
 */
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/asmmacro.h>
#include <asm/kprobes.h>
#include <asm/mipsregs.h>
#include <asm/regdef.h>
#include <asm/stackframe.h>

/* No instruction of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/*
 * All but ra, and k0 and k1, which belong to exceptions. ra is in s0 from then on, where unwinders
 * find it. Status is as an exception saves it.
 */
	.macro	SAVE_REGS
	LONG_S	$0, PT_R0(sp)
	SAVE_AT
	LONG_S	$2, PT_R2(sp)
	LONG_S	$3, PT_R3(sp)
	LONG_S	$4, PT_R4(sp)
	LONG_S	$5, PT_R5(sp)
	LONG_S	$6, PT_R6(sp)
	LONG_S	$7, PT_R7(sp)
#ifdef CONFIG_64BIT
	LONG_S	$8, PT_R8(sp)
	LONG_S	$9, PT_R9(sp)
#endif
	LONG_S	$25, PT_R25(sp)
	LONG_S	$28, PT_R28(sp)
	SAVE_STATIC
	move	s0, ra
	SAVE_TEMP
	PTR_ADDIU t0, sp, PT_SIZE
	LONG_S	t0, PT_R29(sp)
	mfc0	t0, CP0_STATUS
	ori	t0, ST0_EXL
	LONG_S	t0, PT_STATUS(sp)
	LONG_S	$0, PT_CAUSE(sp)
	LONG_L	t0, TI_TASK($28)
	LONG_L	t0, THREAD_BUADDR(t0)
	LONG_S	t0, PT_BVADDR(sp)
	.endm

/* The address of the task's last fault, which a copy from user memory reads after it has landed. */
	.macro	RESTORE_BUADDR
	LONG_L	t0, TI_TASK($28)
	LONG_L	t1, PT_BVADDR(sp)
	LONG_S	t1, THREAD_BUADDR(t0)
	.endm

/* All but ra, which is in s0 until then, and sp. Not $28, which nobody changes. */
	.macro	RESTORE_REGS
	RESTORE_TEMP
	LONG_L	$2, PT_R2(sp)
	LONG_L	$3, PT_R3(sp)
	LONG_L	$4, PT_R4(sp)
	LONG_L	$5, PT_R5(sp)
	LONG_L	$6, PT_R6(sp)
	LONG_L	$7, PT_R7(sp)
#ifdef CONFIG_64BIT
	LONG_L	$8, PT_R8(sp)
	LONG_L	$9, PT_R9(sp)
#endif
	LONG_L	$25, PT_R25(sp)
	move	ra, s0
	RESTORE_STATIC
	RESTORE_AT
	.endm

/*
 * Called from slots, which have made room and saved ra. A trace that begins in C code reads in
 * PT_EPC where the call has come from until that code has set it.
 */
NESTED(kprobe_post_trampoline, PT_SIZE, sp)
	LONG_S	ra, PT_EPC(sp)
	SAVE_REGS
	move	a0, sp
	move	a1, s0
	jal	kprobe_detour_post
	RESTORE_BUADDR
	RESTORE_REGS
	jr	ra
	END(kprobe_post_trampoline)

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return. The stack is as it was when the function was called, and
 * by that the call is known.
 */
NESTED(kretprobe_trampoline, PT_SIZE, sp)
	PTR_ADDIU sp, -PT_SIZE
	LONG_S	ra, PT_R31(sp)
	SAVE_REGS
	PTR_LA	t0, kretprobe_trampoline
	LONG_S	t0, PT_EPC(sp)
	move	a0, sp
	PTR_ADDIU a1, sp, PT_SIZE
	jal	kretprobe_return
	RESTORE_BUADDR
	LONG_L	s0, PT_R31(sp)
	RESTORE_REGS
	PTR_ADDIU sp, PT_SIZE
	jr	ra
	END(kretprobe_trampoline)
#endif

/*
 * From where the stub's call returns to it is so far to the address of its detour, and to the
 * displaced instruction: see put_enter() and put_leave().
 */
#define STUB_DETOUR	(-SZREG - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Called from stubs. Returns to the one or the other copy of the displaced instruction, or rather
 * to what restores the stack before it. Where the hit does not go on in the stub, or a handler has
 * moved the stack, leaves as from a trap. The stack is in memory that needs no TLB, so that nothing
 * here can fault.
 */
NESTED(kprobe_detour_common, PT_SIZE, sp)
	LONG_S	ra, PT_EPC(sp)
	SAVE_REGS
	move	a0, sp
	LONG_L	a1, STUB_DETOUR(s0)
	jal	kprobe_detour_enter
	RESTORE_BUADDR
	LONG_L	t0, PT_EPC(sp)
	PTR_ADDIU t1, t0, -STUB_RUN
	bne	t1, s0, 2f
1:	LONG_L	t2, PT_R29(sp)
	PTR_ADDIU t3, sp, PT_SIZE
	bne	t2, t3, 3f
	move	s0, t1
	RESTORE_REGS
	jr	ra
2:	LONG_L	t2, STUB_DETOUR(s0)
	LONG_L	t2, KPROBE_DETOUR_RUN_POST(t2)
	beq	t0, t2, 1b
3:	CLI
	.set	noat
	RESTORE_TEMP
	RESTORE_STATIC
	RESTORE_AT
	RESTORE_SOME
	RESTORE_SP_AND_RET
	.set	at
	END(kprobe_detour_common)

LEAF(kprobe_trampolines_end)
	break
	END(kprobe_trampolines_end)
