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
#include <asm/kprobes.h>

/* No byte of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/*
 * What probed code may have turned on and C code must not find: access to user memory,
 * FPU and vectors. An interrupt must not see vectors turned off before VECTORS_BEGIN and
 * after VECTORS_END.
 */
#ifdef CONFIG_RISCV_ISA_V_PREEMPTIVE
#define TURNED_OFF	(SR_SUM | SR_FS_VS | SR_SIE)
#else
#define TURNED_OFF	(SR_SUM | SR_FS_VS)
#endif

/*
 * Saves all but ra, below a stack that was as PT_SP is to say. What the probed code has
 * of TURNED_OFF is in s2, for the way back, and its stack pointer in s3.
 */
.macro SAVE_REGS
	REG_S	gp, PT_GP(sp)
	REG_S	tp, PT_TP(sp)
	REG_S	t0, PT_T0(sp)
	save_from_x6_to_x31
	addi	s3, sp, PT_SIZE_ON_STACK
	REG_S	s3, PT_SP(sp)
	li	t0, TURNED_OFF
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

/*
 * The C code in between may reschedule, or be interrupted by a softirq that uses vectors.
 * As for a trap, who does that must save the registers of code that uses vectors and is
 * preemptible, and they are restored here. Interrupts are as they were in between, and
 * then off until RESTORE_REGS or sret turns them on together with vectors.
 */
.macro VECTORS_BEGIN
#ifdef CONFIG_RISCV_ISA_V_PREEMPTIVE
	mv	a0, sp
	call	riscv_v_context_nesting_start
	andi	t0, s2, SR_SIE
	csrs	CSR_STATUS, t0
#endif
.endm

.macro VECTORS_END
#ifdef CONFIG_RISCV_ISA_V_PREEMPTIVE
	csrci	CSR_STATUS, SR_SIE
	mv	a0, sp
	call	riscv_v_context_nesting_end
#endif
.endm

#ifdef CONFIG_RISCV_ISA_V_PREEMPTIVE
/* Traps begin and end with them as well. */
ASM_NOKPROBE(riscv_v_context_nesting_start)
ASM_NOKPROBE(riscv_v_context_nesting_end)
#endif

/* All but ra and sp. */
.macro RESTORE_REGS
	csrs	CSR_STATUS, s2
	REG_L	t0, PT_T0(sp)
	restore_from_x6_to_x31
.endm

/*
 * Called from stubs, which have made room and saved ra. Unwinders read where the call has come
 * from: in s1 until that is restored, as ra is overwritten, else in ra; and, for a trace that
 * begins in C code, in PT_EPC until C code has set that.
 */
SYM_CODE_START(kprobe_post_trampoline)
	REG_S	ra, PT_EPC(sp)
	SAVE_REGS
	mv	s1, ra
	VECTORS_BEGIN
	mv	a0, sp
	mv	a1, s1
	call	kprobe_detour_post
	VECTORS_END
	mv	ra, s1
	RESTORE_REGS
	ret
SYM_CODE_END(kprobe_post_trampoline)

/*
 * From where the stub's call returns to it is so far to the address of its detour, and to
 * the displaced instructions: see put_enter() and put_leave().
 */
#define STUB_DETOUR	(-8 - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Likewise. Returns to the one or the other copy of the displaced instructions, or rather to
 * what restores the stack before it. Where the hit does not go on in the stub, or a handler
 * has moved the stack, leaves as from a trap, with all registers as they are.
 */
SYM_CODE_START(kprobe_detour_common)
	REG_S	ra, PT_EPC(sp)
	SAVE_REGS
	mv	s1, ra
	VECTORS_BEGIN
	mv	a0, sp
	REG_L	a1, STUB_DETOUR(s1)
	call	kprobe_detour_enter
	VECTORS_END
	REG_L	t0, PT_EPC(sp)
	addi	ra, t0, -STUB_RUN
	bne	ra, s1, 2f
1:	REG_L	t1, PT_SP(sp)
	bne	t1, s3, 3f
	RESTORE_REGS
	ret
2:	REG_L	t1, STUB_DETOUR(s1)
	REG_L	t1, KPROBE_DETOUR_RUN_POST(t1)
	beq	t0, t1, 1b
3:	csrci	CSR_STATUS, SR_SIE
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
	VECTORS_BEGIN
	mv	a0, sp
	mv	a1, s3
	call	kretprobe_return
	VECTORS_END
	RESTORE_REGS
	REG_L	ra, PT_RA(sp)
	addi	sp, sp, PT_SIZE_ON_STACK
	ret
SYM_CODE_END(kretprobe_trampoline)

SYM_CODE_START(kprobe_trampolines_end)
	ebreak
SYM_CODE_END(kprobe_trampolines_end)
