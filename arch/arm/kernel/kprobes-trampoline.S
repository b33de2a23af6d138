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
#include <asm/unwind.h>

/* No byte of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax", %progbits

/*
 * Saves all but lr and pc, which are saved already. r4 has where, r5 what was in lr: the address in
 * the slot that has called, for the way back and for unwinders. Those find r4 at the stack pointer.
 */
	.macro	save_regs
UNWIND(.fnstart)
UNWIND(.cantunwind)
	stmia	sp, {r0 - r12}
	add	r0, sp, #KPROBE_STUB_FRAME
	str	r0, [sp, #S_SP]
	mrs	r1, cpsr
	mvn	r2, #0
	str	r1, [sp, #S_PSR]
	str	r2, [sp, #S_OLD_R0]
	mov	r5, lr
	mov	r4, sp
	bic	sp, sp, #7
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
	str	lr, [sp, #S_PC]
	save_regs
	mov	r1, r5
	bl	kprobe_detour_post
	mov	lr, r5
	restore_regs
	bx	lr
UNWIND(.fnend)
ENDPROC(kprobe_post_trampoline)

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
	str	lr, [sp, #S_PC]
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
	restore_regs
	bx	lr
2:	ldr	r1, [r5, #STUB_DETOUR]
	ldr	r1, [r1, #KPROBE_DETOUR_RUN_POST]
	cmp	r0, r1
	beq	1b
3:	cpsid	i
	mov	sp, r4
	ldr	r0, [sp, #S_PSR]
	msr	spsr_cxsf, r0
	ldmia	sp, {r0 - pc}^
UNWIND(.fnend)
ENDPROC(kprobe_detour_common)

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return. The stack is as it was when the function was
 * called, and by that the call is known.
 */
ENTRY(kretprobe_trampoline)
	sub	sp, sp, #KPROBE_STUB_FRAME
	str	lr, [sp, #S_LR]
	adr	lr, kretprobe_trampoline
	str	lr, [sp, #S_PC]
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
	.inst	0xe7f000f0
ENDPROC(kprobe_trampolines_end)
