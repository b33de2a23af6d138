/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: after a displaced instruction that
 * has post-handlers, when a probed function returns, and in stubs. All save the
 * registers as a trap would have.
 */
#include <linux/linkage.h>
#include <asm/alternative.h>
#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/kprobes.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>

/* No instruction of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/* Stores or loads all but x30. */
	.macro	all_pairs op:req
	\op	x0, x1, [sp, #S_X0]
	\op	x2, x3, [sp, #S_X2]
	\op	x4, x5, [sp, #S_X4]
	\op	x6, x7, [sp, #S_X6]
	\op	x8, x9, [sp, #S_X8]
	\op	x10, x11, [sp, #S_X10]
	\op	x12, x13, [sp, #S_X12]
	\op	x14, x15, [sp, #S_X14]
	\op	x16, x17, [sp, #S_X16]
	\op	x18, x19, [sp, #S_X18]
	\op	x20, x21, [sp, #S_X20]
	\op	x22, x23, [sp, #S_X22]
	\op	x24, x25, [sp, #S_X24]
	\op	x26, x27, [sp, #S_X26]
	\op	x28, x29, [sp, #S_X28]
	.endm

/*
 * All but x30, into a frame that is there already. The frame record leads unwinders from
 * C code to x30, as x29 is a caller's frame or that of the probed code.
 */
	.macro	save_regs
	all_pairs stp
	add	x0, sp, #PT_REGS_SIZE
	str	x0, [sp, #S_SP]
	mrs	x0, nzcv
	mrs	x1, daif
	mrs	x2, CurrentEL
	orr	x0, x0, x1
	orr	x0, x0, x2
	orr	x0, x0, #PSR_MODE_THREAD_BIT
	stp	x30, x0, [sp, #S_PC]
#ifdef CONFIG_ARM64_PSEUDO_NMI
alternative_if ARM64_HAS_GIC_PRIO_MASKING
	mrs_s	x0, SYS_ICC_PMR_EL1
	str	x0, [sp, #S_PMR_SAVE]
alternative_else_nop_endif
#endif
	stp	x29, x30, [sp, #S_STACKFRAME]
	add	x29, sp, #S_STACKFRAME
	.endm

/* All but x30 and sp. */
	.macro	restore_regs
	ldr	x0, [sp, #S_PSTATE]
	and	x0, x0, #(PSR_N_BIT | PSR_Z_BIT | PSR_C_BIT | PSR_V_BIT)
	msr	nzcv, x0
	all_pairs ldp
	.endm

/*
 * A slot or stub has made the frame, saved x30 in it, and called: x19 has where from, for
 * the way back and, as long as it is not restored, for unwinders. There x30 is restored, and
 * the frame removed.
 */
	.macro	enter_from_slot
	save_regs
	mov	x19, x30
	mov	x0, sp
	.endm

/* Called from slots. The registers are those after the displaced instruction. */
SYM_CODE_START(kprobe_post_trampoline)
	enter_from_slot
	mov	x1, x30
	bl	kprobe_detour_post
	mov	x30, x19
	restore_regs
	ret
SYM_CODE_END(kprobe_post_trampoline)

#ifdef CONFIG_KRETPROBES
/*
 * Reached by a probed function's return. Until the callback has put the true return
 * address there, x30 and the frame record have the trampoline's, and the unwinder
 * looks the true one up.
 */
SYM_CODE_START(kretprobe_trampoline)
	sub	sp, sp, #PT_REGS_SIZE
	str	x30, [sp, #S_LR]
	save_regs
	mov	x0, sp
	ldr	x1, [x29]
	bl	kretprobe_return
	restore_regs
	ldr	x30, [sp, #S_LR]
	add	sp, sp, #PT_REGS_SIZE
	ret
SYM_CODE_END(kretprobe_trampoline)
#endif

/*
 * From where the stub's call returns to it is so far to the address of its detour, and to
 * the displaced instruction: see put_enter() and put_leave().
 */
#define STUB_DETOUR	(-8 - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Called from stubs. Returns to the one or the other copy of the displaced instruction, or
 * rather to what restores the stack before it. What does not go on in the stub leaves as from
 * a trap: elr and spsr are nobody else's as long as exceptions are masked.
 */
SYM_CODE_START(kprobe_detour_common)
	enter_from_slot
	ldr	x1, [x30, #STUB_DETOUR]
	bl	kprobe_detour_enter
	ldr	x0, [sp, #S_PC]
	sub	x30, x0, #STUB_RUN
	cmp	x30, x19
	b.ne	2f
1:	restore_regs
	ret
2:	ldr	x1, [x19, #STUB_DETOUR]
	ldr	x1, [x1, #KPROBE_DETOUR_RUN_POST]
	cmp	x0, x1
	b.eq	1b
	mov	x0, sp
	bl	kprobe_detour_leave
	msr	daifset, #0xf
	ldp	x0, x1, [sp, #S_PC]
	msr	elr_el1, x0
	msr	spsr_el1, x1
	restore_regs
	ldr	x30, [sp, #S_LR]
	add	sp, sp, #PT_REGS_SIZE
	eret
	sb
SYM_CODE_END(kprobe_detour_common)

SYM_CODE_START(kprobe_trampolines_end)
	brk	#0
SYM_CODE_END(kprobe_trampolines_end)
