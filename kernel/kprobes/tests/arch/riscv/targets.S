/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the suites put probes on, instruction by instruction.
 */
#include "asm.inc"
#include <asm/csr.h>

PLACES_BEGIN

	.section .rodata
	.balign	4
SYM_DATA_LOCAL(.Lthree, .long 3)

	.text

/* int kprobes_target_asm(int a): a + 10, past every kind of point */
SYM_FUNC_START(kprobes_target_asm)
	addi	a0, a0, 4
.Lframe:
	FRAME_BEGIN
.Lnop:	nop
.Ljump:	j	.Lfar
	ebreak
	/* By two instructions, not relaxed to one, of which the first depends on its address. */
	.option	push
	.option	norvc
	.option	norelax
.Lfar:	auipc	a1, %pcrel_hi(.Lthree)
.Lload:	lw	a1, %pcrel_lo(.Lfar)(a1)
	.option	pop
.Ladd:	addw	a0, a0, a1
.Lcond:	bnez	a0, .Lcall
	ebreak
.Lcall:	jal	kprobes_target_helper
	FRAME_END
	ret
SYM_FUNC_END(kprobes_target_asm)

PLACE kprobes_target_asm, kprobes_target_asm, .Lframe, "assembly function"
PLACE .Lnop, kprobes_target_asm, .Ljump, "nop"
PLACE .Ljump, kprobes_target_asm, .Lfar, "jump"
PLACE .Lfar, kprobes_target_asm, .Lload, "address relative to its own"
PLACE .Lload, kprobes_target_asm, .Ladd, "load"
PLACE .Lcond, kprobes_target_asm, .Lcall, "conditional jump"
PLACE .Lcall, kprobes_target_asm, kprobes_target_helper, "call"

/* Adds 3 to a0. */
SYM_FUNC_START(kprobes_target_helper)
	addi	a0, a0, 3
	ret
SYM_FUNC_END(kprobes_target_helper)

/* int kprobes_target_endbr(int a): a + 100 */
SYM_FUNC_START(kprobes_target_endbr)
	addi	a0, a0, 99
.Linc:	addi	a0, a0, 1
.Lend:	ret
SYM_FUNC_END(kprobes_target_endbr)

PLACE kprobes_target_endbr, kprobes_target_endbr, .Linc, "function with landing pad"
PLACE .Linc, kprobes_target_endbr, .Lend, "second instruction"

PLACES_END

	.text

/* Not executed: a sequence that no exception may interrupt, and what follows. */
SYM_FUNC_START(kprobes_target_exclusive)
	nop
1:	lr.w	a1, (a0)
.Lwithin:
	addi	a1, a1, 1
	sc.w	a2, a1, (a0)
.Lafter:
	bnez	a2, 1b
	ret
SYM_FUNC_END(kprobes_target_exclusive)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive

	/* Functions that return in various ways. */

	.text

/* int kprobes_target_call(int (*fn)(void *arg), void *arg): fn(arg) + 1 */
SYM_FUNC_START(kprobes_target_call)
	FRAME_BEGIN
	mv	a2, a0
	mv	a0, a1
	jalr	a2
	addi	a0, a0, 1
	FRAME_END
	ret
SYM_FUNC_END(kprobes_target_call)

/* int kprobes_target_tail(fn, arg): the same by way of tail calls */
SYM_FUNC_START(kprobes_target_tail)
	j	kprobes_target_tail_middle
SYM_FUNC_END(kprobes_target_tail)

SYM_FUNC_START(kprobes_target_tail_middle)
	j	kprobes_target_call
SYM_FUNC_END(kprobes_target_tail_middle)

/* int kprobes_target_left(int a): a + 5, with a call that never returns */
SYM_FUNC_START(kprobes_target_left)
	FRAME_BEGIN
	jal	kprobes_target_leave
	ebreak
.Lleft:	FRAME_END
	addi	a0, a0, 5
	ret
SYM_FUNC_END(kprobes_target_left)

/* Forgets where it returns to and goes on in its caller. */
SYM_FUNC_START(kprobes_target_leave)
	nop
	j	.Lleft
SYM_FUNC_END(kprobes_target_leave)

/* void kprobes_target_lost(void): returns where only probed functions do */
SYM_FUNC_START(kprobes_target_lost)
	la	ra, kretprobe_trampoline
	ret
SYM_FUNC_END(kprobes_target_lost)

	/* Instructions that fault. */

/* KPROBES_LOAD_LEN bytes. */
.macro LOAD from=a0
	.option	push
	.option	norvc
	ld	a0, 0(\from)
	.option	pop
.endm

/* long kprobes_target_load(const long *p): *p, or -1 where that faults */
SYM_FUNC_START(kprobes_target_load)
1:	LOAD
	ret
2:	li	a0, -1
	ret
	_asm_extable 1b, 2b
SYM_FUNC_END(kprobes_target_load)

/* The same, and nobody knows what to do when it faults. */
SYM_FUNC_START(kprobes_target_load_bare)
	LOAD
	nop
	ret
SYM_FUNC_END(kprobes_target_load_bare)

/* The same, with the load where a jump at the entry covers it as well. */
SYM_FUNC_START(kprobes_target_load_late)
	mv	a1, a0
	LOAD a1
	nop
	ret
SYM_FUNC_END(kprobes_target_load_late)

/* The same, after a nop. */
SYM_FUNC_START(kprobes_target_load_nop)
	.option	push
	.option	norvc
	nop
	.option	pop
	LOAD
	ret
SYM_FUNC_END(kprobes_target_load_nop)

/* unsigned long kprobes_target_zeropad(const void *p): *p, zeros past the last page */
SYM_FUNC_START(kprobes_target_zeropad)
1:	LOAD
2:	nop
	nop
	ret
	/* Data and address are in a0, the tenth register. */
	__ASM_EXTABLE_RAW(1b, 2b, EX_TYPE_LOAD_UNALIGNED_ZEROPAD, 10 << 5 | 10)
SYM_FUNC_END(kprobes_target_zeropad)

/* As kprobes_target_load(), for user memory; the load is at kprobes_load_user_offset. */
SYM_FUNC_START(kprobes_target_load_user)
	li	t0, SR_SUM
	csrs	CSR_STATUS, t0
.Luser:	LOAD
	csrc	CSR_STATUS, t0
	ret
.Lefault:
	csrc	CSR_STATUS, t0
	li	a0, -1
	ret
	_asm_extable .Luser, .Lefault
SYM_FUNC_END(kprobes_target_load_user)

OFFSET kprobes_load_user_offset, .Luser, kprobes_target_load_user
