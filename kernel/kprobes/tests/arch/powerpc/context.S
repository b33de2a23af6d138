/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions for context_kunit.c and prefixed_kunit.c, on 64 bit. */
#include "asm.inc"

	.text

/*
 * unsigned long kprobes_red_zone(unsigned long value): fills what a function without a frame may
 * use below the stack pointer with numbers from @value on, and returns the bits that differ after
 * one more instruction.
 */
#define RED_ZONE	(288 / 8)

FUNCTION kprobes_red_zone
	li	r4,RED_ZONE
	mtctr	r4
	mr	r5,r1
1:	addi	r3,r3,1
	stdu	r3,-8(r5)
	bdnz	1b
	mtctr	r4
.Lfull:
	mr	r6,r3
	li	r3,0
2:	ld	r7,0(r5)
	xor	r7,r7,r6
	or	r3,r3,r7
	addi	r5,r5,8
	addi	r6,r6,-1
	bdnz	2b
	blr
SYM_FUNC_END(kprobes_red_zone)

OFFSET kprobes_red_zone_full, .Lfull, kprobes_red_zone

/*
 * unsigned long kprobes_prefixed(unsigned long *p): loads, adds and stores with displacements of 34
 * bits, and such relative to the instruction's address. Adds to @p[-0x2468acf] and returns the sum.
 * In one block of 64 bytes no nops come between.
 */
	.machine push
	.machine power10
	.balign	64
FUNCTION kprobes_prefixed
.Lload:
	pld	r4,-0x12345678(r3)
.Lload_near:
	plwz	r5,.Lnumber - .Lload_near(0),1
.Laddress:
	paddi	r6,0,.Lnumber - .Laddress,1
.Ladd:
	paddi	r4,r4,0x123456789
	lwz	r6,4(r6)
	add	r4,r4,r5
	add	r4,r4,r6
.Lstore:
	pstd	r4,-0x12345678(r3)
	mr	r3,r4
	blr
.Lnumber:
	.long	1000, 70000
SYM_FUNC_END(kprobes_prefixed)
	.machine pop

.pushsection .rodata
	.balign	4
SYM_DATA_START(kprobes_prefixed_at)
	.long	.Lload - kprobes_prefixed, .Lload_near - kprobes_prefixed
	.long	.Laddress - kprobes_prefixed, .Ladd - kprobes_prefixed
	.long	.Lstore - kprobes_prefixed
SYM_DATA_END(kprobes_prefixed_at)
.popsection
