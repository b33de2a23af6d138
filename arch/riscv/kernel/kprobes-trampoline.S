/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: when a probed function returns, in
 * detours, and after a displaced instruction that has post-handlers. All save the
 * registers as a trap would have, and call C with the registers that it may expect.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/csr.h>

/* No byte of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/*
 * Saves all but ra, below a stack that was as PT_SP is to say. Probed code may have
 * turned on what C code must not find: access to user memory, FPU and vectors. What it
 * has of that is in s2, for the way back.
 */
.macro SAVE_REGS
	REG_S	gp, PT_GP(sp)
	REG_S	tp, PT_TP(sp)
	REG_S	t0, PT_T0(sp)
	save_from_x6_to_x31
	addi	t0, sp, PT_SIZE_ON_STACK
	REG_S	t0, PT_SP(sp)
	li	t0, SR_SUM | SR_FS_VS
	csrrc	t1, CSR_STATUS, t0
	and	s2, t1, t0
	/* Interrupts are as they were before the trap. */
	andi	t2, t1, SR_SIE
	slli	t2, t2, 4			/* SR_SPIE */
	andi	t1, t1, ~(SR_SIE | SR_SPIE)
	or	t1, t1, t2
	ori	t1, t1, SR_SPP
	REG_S	t1, PT_STATUS(sp)
	li	t0, EXC_BREAKPOINT
	REG_S	t0, PT_CAUSE(sp)
	REG_S	zero, PT_BADADDR(sp)
.endm

/* All but ra and sp. */
.macro RESTORE_REGS
	csrs	CSR_STATUS, s2
	REG_L	t0, PT_T0(sp)
	restore_from_x6_to_x31
.endm

/*
 * Reached by a probed function's return. The stack is as it was when the function was
 * called, and by that the call is known.
 */
SYM_CODE_START(kretprobe_trampoline)
	addi	sp, sp, -PT_SIZE_ON_STACK
	REG_S	ra, PT_RA(sp)
	SAVE_REGS
	la	t0, kretprobe_trampoline
	REG_S	t0, PT_EPC(sp)
	mv	a0, sp
	addi	a1, sp, PT_SIZE_ON_STACK
	call	kretprobe_return
	RESTORE_REGS
	REG_L	ra, PT_RA(sp)
	addi	sp, sp, PT_SIZE_ON_STACK
	ret
SYM_CODE_END(kretprobe_trampoline)

#ifdef CONFIG_OPTPROBES
/* Called from stubs, which have made room and saved ra. */
SYM_CODE_START(kprobe_post_trampoline)
	SAVE_REGS
	mv	s1, ra
	mv	a0, sp
	mv	a1, ra
	call	kprobe_detour_post
	mv	ra, s1
	RESTORE_REGS
	ret
SYM_CODE_END(kprobe_post_trampoline)

/*
 * From where the stub's call returns to it is so far to the address of its detour, and to
 * the displaced instructions: see put_enter() and put_leave().
 */
#define STUB_DETOUR	-24
#define STUB_RUN	8

/*
 * Likewise. Where the hit does not go on in the stub, or a handler has moved the stack,
 * leaves as from a trap, with all registers as they are.
 */
SYM_CODE_START(kprobe_detour_common)
	SAVE_REGS
	mv	s1, ra
	mv	a0, sp
	REG_L	a1, STUB_DETOUR(ra)
	call	kprobe_detour_enter
	REG_L	t0, PT_EPC(sp)
	addi	t1, s1, STUB_RUN
	bne	t0, t1, 1f
	REG_L	t0, PT_SP(sp)
	addi	t1, sp, PT_SIZE_ON_STACK
	bne	t0, t1, 1f
	mv	ra, s1
	RESTORE_REGS
	ret
1:	csrci	CSR_STATUS, SR_SIE
	REG_L	t0, PT_STATUS(sp)
	REG_L	t1, PT_EPC(sp)
	csrw	CSR_STATUS, t0
	csrw	CSR_EPC, t1
	REG_L	ra, PT_RA(sp)
	REG_L	t0, PT_T0(sp)
	restore_from_x6_to_x31
	REG_L	sp, PT_SP(sp)
	sret
SYM_CODE_END(kprobe_detour_common)
#endif

SYM_CODE_START(kprobe_trampolines_end)
	ebreak
SYM_CODE_END(kprobe_trampolines_end)
