/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probed code enters kprobes without a trap: when a probed function returns, in detours, and
 * after a displaced instruction that has post-handlers. All save the registers as a trap would
 * have, below what functions without a frame have under their stack pointer, and call C with the
 * TOC pointer of the kernel, which that of the probed code need not be.
 */
#include <linux/linkage.h>
#include <asm/asm-offsets.h>
#ifdef CONFIG_PPC64
#include <asm/exception-64s.h>
#endif
#include <asm/interrupt.h>
#include <asm/kprobes.h>
#include <asm/ppc_asm.h>
#include <asm/ptrace.h>
#include <asm/reg.h>

/* No instruction of it can be probed, whatever labels there are. */
	.section .kprobes.text, "ax"

/*
 * Saves all but r0 and LR, into a frame that is there already. The probed code's stack pointer is
 * in r31 then, and what LR was here in r30: unwinders look for that there. The marker has them find
 * the registers.
 */
.macro SAVE_REGS
	SAVE_GPRS(2, 12, r1)
#ifdef CONFIG_PPC64
	SAVE_GPR(13, r1)
#endif
	SAVE_NVGPRS(r1)
	mflr	r30
	mfcr	r4
	mfctr	r5
	mfxer	r6
	mfmsr	r7
	addi	r31,r1,KPROBE_STUB_FRAME
	PPC_STL	r4,_CCR(r1)
	PPC_STL	r5,_CTR(r1)
	PPC_STL	r6,_XER(r1)
	PPC_STL	r7,_MSR(r1)
	PPC_STL	r31,GPR1(r1)
	PPC_STL	r30,_NIP(r1)
	li	r4,0
	li	r5,INTERRUPT_PROGRAM
	PPC_STL	r4,ORIG_GPR3(r1)
	PPC_STL	r4,_DAR(r1)
	PPC_STL	r4,_DSISR(r1)
	PPC_STL	r4,RESULT(r1)
	PPC_STL	r5,_TRAP(r1)
	lis	r6,STACK_FRAME_REGS_MARKER@ha
	addi	r6,r6,STACK_FRAME_REGS_MARKER@l
	PPC_STL	r6,STACK_INT_FRAME_MARKER(r1)
#ifdef CONFIG_PPC64
	lbz	r7,PACAIRQSOFTMASK(r13)
	std	r7,SOFTE(r1)
	LOAD_PACA_TOC()
#endif
	addi	r3,r1,STACK_INT_FRAME_REGS
.endm

/*
 * All but r0, r1 and LR. A marker that is left on the stack would look like another trap. On 64 bit
 * r13 is not restored: it belongs to the CPU, and the task may have moved to another one.
 */
.macro RESTORE_REGS
	PPC_LL	r4,_CCR(r1)
	PPC_LL	r5,_CTR(r1)
	PPC_LL	r6,_XER(r1)
	li	r0,0
	mtcr	r4
	mtctr	r5
	mtxer	r6
	PPC_STL	r0,STACK_INT_FRAME_MARKER(r1)
	REST_GPRS(2, 12, r1)
	REST_NVGPRS(r1)
.endm

/* Called from stubs and slots, which have made the frame, and saved what SAVE_REGS does not. */
SYM_CODE_START(kprobe_post_trampoline)
	SAVE_REGS
	mr	r4,r30
	bl	CFUNC(kprobe_stub_post)
	mtlr	r30
	RESTORE_REGS
	blr
SYM_CODE_END(kprobe_post_trampoline)

/*
 * From where the stub's call returns to it is so far to the address of its detour, and to the
 * displaced instruction: see put_enter() and put_leave().
 */
#define STUB_DETOUR	(-SZL - KPROBE_STUB_ENTER)
#define STUB_RUN	KPROBE_STUB_LEAVE

/*
 * Likewise. Returns to the one or the other copy of the displaced instruction, or rather to what
 * restores the stack before it. Where the hit does not go on in the stub, or a handler has moved
 * the stack, leaves as from a trap: no exception comes between here and the return, and none
 * before has left SRRs that count.
 */
SYM_CODE_START(kprobe_detour_common)
	SAVE_REGS
	PPC_LL	r4,STUB_DETOUR(r30)
	bl	CFUNC(kprobe_stub_enter)
	PPC_LL	r6,_NIP(r1)
	addi	r7,r6,-STUB_RUN
	PPC_LCMP cr0,r7,r30
	bne	cr0,2f
1:	PPC_LL	r8,GPR1(r1)
	PPC_LCMP cr0,r8,r31
	bne	cr0,3f
	mtlr	r7
	RESTORE_REGS
	blr
2:	PPC_LL	r4,STUB_DETOUR(r30)
	PPC_LL	r4,KPROBE_DETOUR_RUN_POST(r4)
	PPC_LCMP cr0,r4,r6
	beq	cr0,1b
3:
#ifdef CONFIG_PPC_BOOK3S_64
	li	r4,0
	mtmsrd	r4,1		/* clears EE and RI */
	stb	r4,PACASRR_VALID(r13)
#elif defined(CONFIG_BOOKE)
	wrteei	0
#else
	mfmsr	r4
	rlwinm	r4,r4,0,~MSR_EE
	rlwinm	r4,r4,0,~MSR_RI
	mtmsr	r4
	isync
#endif
	PPC_LL	r5,_MSR(r1)
	PPC_LL	r4,_LINK(r1)
	mtspr	SPRN_SRR0,r6
	mtspr	SPRN_SRR1,r5
	mtlr	r4
	RESTORE_REGS
	REST_GPR(0, r1)
	REST_GPR(1, r1)
#ifdef CONFIG_PPC64
	RFI_TO_KERNEL
#else
	rfi
#endif
	b	.		/* prevent speculative execution */
SYM_CODE_END(kprobe_detour_common)

/*
 * Reached by the return of a function that has a return probe, or a rethook. The stack pointer is
 * as it was when the function was called, and by that the call is known.
 */
.macro RETURN_TO callee:req
	PPC_STLU r1,-KPROBE_STUB_FRAME(r1)
	SAVE_GPR(0, r1)
	mflr	r0
	PPC_STL	r0,_LINK(r1)
	SAVE_REGS
	mr	r4,r31
	bl	CFUNC(\callee)
	PPC_LL	r4,_LINK(r1)
	mtlr	r4
	RESTORE_REGS
	REST_GPR(0, r1)
	addi	r1,r1,KPROBE_STUB_FRAME
	blr
.endm

/* With a descriptor where functions have one. */
_GLOBAL(kretprobe_trampoline)
	RETURN_TO kprobe_stub_return
	.size	DOTSYM(kretprobe_trampoline), . - DOTSYM(kretprobe_trampoline)

#ifdef CONFIG_RETHOOK
SYM_CODE_START(arch_rethook_trampoline)
	RETURN_TO kprobe_stub_rethook
SYM_CODE_END(arch_rethook_trampoline)
#endif

SYM_CODE_START(kprobe_trampolines_end)
	trap
SYM_CODE_END(kprobe_trampolines_end)
