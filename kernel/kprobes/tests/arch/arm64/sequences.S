/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes, and the code that loads and stores registers around them. There is one for each
 * class of instructions in tools/testing/kprobes-isa/golden/arm64.txt: its tests read the
 * lines with RUN, OVER, BACK, PROBE and the like here and in
 * sequences_memory.inc.
 *
 * A sequence may use every register but x18 and need not restore any. In x1 it finds a
 * place in kprobes_diff_memory with room on either side, in x2 a small number, in x30 its own
 * address, and on the stack DIFF_STACK / 2 bytes above and below. What it leaves there
 * below its last stack pointer does not count.
 */
#include "sequences.inc"

/* Branches, calls and addresses */

OVER b 1f
BACK b 1b
OVER bl 1f
BACK bl 1b
OVER b.eq 1f
OVER b.ne 1f
OVER b.cs 1f
OVER b.cc 1f
OVER b.mi 1f
OVER b.pl 1f
OVER b.vs 1f
OVER b.vc 1f
OVER b.hi 1f
OVER b.ls 1f
OVER b.ge 1f
OVER b.lt 1f
OVER b.gt 1f
OVER b.le 1f
OVER b.al 1f
OVER b.nv 1f
BACK b.ne 1b
OVER cbz x3, 1f
OVER cbz w3, 1f
OVER cbnz x3, 1f
BACK cbnz w3, 1b
OVER tbz x3, #32, 1f
OVER tbz w3, #0, 1f
OVER tbnz x3, #63, 1f
BACK tbnz w3, #1, 1b
OVER adr x4, 1f
BACK adr x4, 1b
OVER adr xzr, 1f
OVER adrp x4, 1f
OVER adrp xzr, 1f
LITERAL ldr w4, 1f
LITERAL ldr x4, 1f
LITERAL ldrsw x4, 1f
LITERAL ldr xzr, 1f
LITERAL ldr wzr, 1f
LITERAL ldr s3, 1f
LITERAL ldr d4, 1f
LITERAL ldr q5, 1f
LITERAL prfm pldl1keep, 1f

SEQUENCE bl_far
	PROBE bl kprobes_diff_callee
END_SEQUENCE bl_far

SEQUENCE blr
	adr_l	x9, kprobes_diff_callee
	PROBE blr x9
END_SEQUENCE blr

SEQUENCE blr_x30
	adr_l	x30, kprobes_diff_callee
	PROBE blr x30
END_SEQUENCE blr_x30

.macro TO_PAD name:req reg:req sign:req insn:vararg
SEQUENCE \name
	adr	\reg, 1f
	\sign
77:	\insn
	mov	DIFF_MARK, #1
1:	bti	jc
END_SEQUENCE \name
.endm

TO_PAD br, x16, nop, br x16
TO_PAD br_other, x9, nop, br x9
TO_PAD ret, x30, nop, ret
TO_PAD ret_other, x9, nop, ret x9
TO_PAD retaa, x30, paciasp, retaa
TO_PAD retab, x30, pacibsp, retab
	/* QEMU 10.0 ends with a failed assertion when it translates one of another register. */
TO_PAD braa, x16, "pacia x16, x12", braa x16, x12
TO_PAD braaz, x17, "paciza x17", braaz x17
TO_PAD brab, x16, "pacib x16, sp", brab x16, sp

SEQUENCE autiasp
	paciasp
	PROBE autiasp
END_SEQUENCE autiasp

SEQUENCE autibsp
	pacibsp
	PROBE autibsp
END_SEQUENCE autibsp

/* Pads */

PAD hint #32
PAD bti c
PAD bti j
PAD bti jc

/* System registers, caches and TLBs */

RUN mrs x4, daif
RUN mrs x4, currentel
RUN mrs x4, sp_el0
RUN mrs x4, sctlr_el1
RUN msr nzcv, x3
RUN msr daifset, #0x2
RUN msr daifclr, #0x2
RUN dc civac, x1
RUN ic ivau, x1
RUN ic ialluis
RUN tlbi vmalle1is
RUN tlbi vale1, xzr
RUN at s1e1r, x1

/* The stack pointer */

.macro STACK name:req prepare:req insn:vararg
SEQUENCE \name
	\prepare
77:	\insn
END_SEQUENCE \name
.endm

RUN add sp, sp, #0x10
STACK add_sp, "mov x10, sp", add sp, x10, #0x10
STACK add_sp_shifted, "sub x10, sp, #0x4, lsl #12", add sp, x10, #0x4, lsl #12
STACK mov_sp, "mov x9, sp", mov sp, x9
STACK add_sp_register, "mov x10, #16", add sp, sp, x10

	/* What was below the stack pointer does not count. */
.macro STACK_BELOW name:req prepare:req insn:vararg
SEQUENCE \name
	\prepare
77:	\insn
	stp	x1, x2, [sp]
END_SEQUENCE \name
.endm

STACK_BELOW sub_sp, nop, sub sp, sp, #0x10
STACK_BELOW and_sp, "mov x9, sp", and sp, x9, #0xffffffffffffffe0
STACK_BELOW sub_sp_register, "mov x10, #16", sub sp, sp, x10
RUN paciasp
RUN pacibsp

/* Hints */

RUN nop
RUN yield
RUN sev
RUN sevl
RUN esb
RUN csdb
RUN clearbhb
RUN xpaclri
RUN paciaz
RUN pacia1716
RUN hint #0x6
RUN psb csync
RUN tsb csync

/* Barriers */

RUN cfinv
RUN isb
RUN dsb sy
RUN dmb ish
RUN sb

/* Atomic instructions */

RUN ldar x4, [x1]
RUN stlr w4, [x1]
RUN ldlar x4, [x1]
RUN stllr x4, [x1]
RUN cas x4, x11, [x1]
RUN casalb w4, w11, [x1]
RUN casp x4, x5, x6, x7, [x1]
RUN caspal w4, w5, w6, w7, [x1]
RUN ldapr x4, [x1]
RUN ldapur x4, [x1, #8]
RUN stlur w4, [x1, #-8]
RUN ldadd x4, x11, [x1]
RUN swpal w4, w11, [x1]

/* Immediate operands */

RUN add x19, x19, #0x48
RUN add x12, x12, #0x4, lsl #12
RUN add x21, sp, #0x10
RUN add w4, wsp, #0x10
RUN adds x4, x4, #0x1
RUN adds x5, x4, #0x2, lsl #12
RUN and w11, w4, #0x3ff
RUN ands x8, x3, #0xf
RUN asr x4, x4, #7
RUN bfi w4, w21, #5, #1
RUN bfxil x21, x20, #0, #32
RUN cmn w11, #0x1
RUN cmn x11, #0x1, lsl #12
RUN cmp w4, #0x1be, lsl #12
RUN cmp w11, #0x3fb
RUN eor x4, x4, #0x1
RUN extr x12, x12, x3, #63
RUN lsl w19, w19, #16
RUN lsr w21, w19, #16
RUN mov w4, #0x1fff
RUN mov x29, sp
RUN movk w19, #0x7, lsl #16
RUN movk x12, #0xcccd
RUN movz x3, #0x0, lsl #32
RUN orr x12, x12, #0x1
RUN ror x20, x20, #1
RUN sbfiz x23, x20, #12, #32
RUN sbfx x11, x19, #0, #56
RUN sub w4, w19, #0x3fc
RUN sub w12, w11, #0x180, lsl #12
RUN sub x9, sp, #0x10
RUN subs x19, x19, #0x8
RUN subs x24, x24, #0x200, lsl #12
RUN sxtb x3, w11
RUN sxth w21, w12
RUN sxtw x12, w19
RUN tst w4, #0x3f0
RUN ubfiz x3, x19, #2, #32
RUN ubfx x12, x11, #10, #2

/* Register operands */

RUN adc x5, x5, x6
RUN adcs x8, x8, xzr
RUN add w4, w5, w4, sxtb
RUN add w17, w10, w13, sxth
RUN add w3, w4, w3, asr #4
RUN add x4, sp, x12
RUN add x4, x11, w4, sxth #2
RUN add x4, x12, w4, uxtw #2
RUN add x4, x28, w4, uxtb
RUN add x19, x22, w19, sxtw #4
RUN add x12, x11, w12, uxth
RUN add x12, x24, w4, uxth #1
RUN add x12, x7, w4, uxtw
RUN add x20, x28, x20
RUN add x21, x21, w4, sxtw
RUN add x4, x4, w4, sxtb #2
RUN add x4, x4, x3, lsr #21
RUN add x5, x4, w5, uxtb #3
RUN add x5, x4, x4, lsl #1
RUN adds x4, x23, x4, lsl #6
RUN adds x11, x4, x21, asr #12
RUN adds x11, x3, x11, lsr #11
RUN adds x12, x12, w11, sxtw #3
RUN adds x24, x3, w4, uxtw
RUN adds x26, x11, w4, sxtw
RUN adds x5, x20, x12
RUN adds x9, x8, w9, uxtb #4
RUN and w11, w11, w12
RUN and x11, x11, x19, lsl #12
RUN and x11, x19, x8, asr #8
RUN and x11, x8, x27, ror #12
RUN and x12, x12, x11, lsr #32
RUN ands w19, w4, w12
RUN ands w6, w6, w4, lsr #16
RUN asr x4, x4, x6
RUN bic w8, w8, w8, asr #31
RUN bic x4, x4, x4, lsr #1
RUN bic x12, x12, x11
RUN bics xzr, x11, x3
RUN bics xzr, x3, x4, lsr #1
RUN ccmn w4, #0x1, #0x4, ne
RUN ccmp w4, w12, #0x2, eq
RUN ccmp w19, #0x0, #0x4, eq
RUN cinc w4, w4, hi
RUN clz x11, x11
RUN cmn x4, x11
RUN cmn x20, x24, lsr #12
RUN cmn x8, w4, sxtw #4
RUN cmp w11, w4, lsl #4
RUN cmp w11, w4, uxth
RUN cmp w11, w19, sxth
RUN cmp w19, w4
RUN cmp w23, w4, lsr #4
RUN cmp w3, w12, uxtb
RUN cmp x4, x11, asr #2
RUN cmp x22, w9, uxtw #1
RUN cmp x3, w11, sxtw
RUN cmp x3, w4, sxtw #4
RUN cmp x5, w11, uxtw
RUN cmp x8, w5, sxtb
RUN cneg w4, w4, cs
RUN crc32b w8, w4, w3
RUN crc32cb w8, w4, w3
RUN crc32ch w8, w4, w3
RUN crc32cw w8, w4, w3
RUN crc32cx w8, w4, x3
RUN crc32h w8, w4, w3
RUN crc32w w8, w4, w3
RUN crc32x w8, w4, x3
RUN csel x28, x28, x26, ne
RUN cset w4, eq
RUN csetm w4, ne
RUN csinc x11, x11, xzr, ne
RUN csinv x4, x4, xzr, eq
RUN csneg w25, w7, w4, mi
RUN eor w11, w11, w4, ror #8
RUN eor w5, w12, w4
RUN eor w9, w9, w4, lsr #3
RUN eor x4, x4, x4, lsl #3
RUN eor x12, x10, x9, asr #63
RUN lsl w4, w28, w20
RUN lsr x4, x4, x11
RUN ror x4, x3, x2
RUN madd w11, w26, w21, w23
RUN mneg x10, x8, x9
RUN mov w11, w19
RUN msub x23, x26, x11, x12
RUN mul w12, w20, w12
RUN mvn w4, w4, asr #3
RUN mvn x4, x4
RUN mvn x11, x11, lsr #1
RUN neg x4, x4
RUN neg x4, x20, lsl #1
RUN neg x12, x12, asr #32
RUN neg x12, x12, lsr #12
RUN negs w4, w25
RUN ngc x11, xzr
RUN orn w4, w12, w4
RUN orn w11, w11, w10, lsr #12
RUN orr w4, w4, w12
RUN orr x4, x11, x4, lsl #1
RUN orr x3, x4, x3, lsr #21
RUN pacga x4, x25, x4
RUN pacia x11, x12
RUN paciza x11
RUN pacib x11, sp
RUN rbit x3, x3
RUN rev x20, x20
RUN rev16 w22, w22
RUN sdiv w7, w12, w3
RUN smaddl x12, w11, w27, x22
RUN smsubl x4, w4, w12, x3
RUN smulh x4, x3, x4
RUN smull x20, w5, w24
RUN sub w12, w19, w12, lsr #4
RUN sub w12, w6, w12, sxtb
RUN sub x4, sp, x4
RUN sub x4, x4, w11, sxtw #3
RUN sub x4, x12, w4, uxtw #3
RUN sub x11, x25, w21, sxtw
RUN sub x19, x19, w4, uxtw
RUN sub x12, x12, x4, lsl #2
RUN sub x3, x4, x3
RUN sub x3, x4, x3, asr #63
RUN sub x5, x5, w9, uxtb
RUN sub x6, x24, w11, uxth
RUN subs w11, w11, w3, asr #31
RUN subs x20, x20, w21, sxtw
RUN subs x20, x21, x20
RUN subs x25, x25, w12, uxtw
RUN subs x27, x27, x4, lsl #4
RUN sub x10, sp, #0x4, lsl #12
RUN subs x8, x4, x8, lsr #3
RUN tst w3, w4, lsr #7
RUN tst x11, x12
RUN tst x5, x8, lsl #7
RUN udiv x12, x12, x19
RUN umaddl x23, w23, w3, x12
RUN umsubl x21, w4, w12, x11
RUN umulh x12, x28, x12
RUN umull x11, w12, w11

#include "sequences_memory.inc"

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	mov	x9, #-4096
	PROBE ldr x4, [x9]
	mov	DIFF_MARK, #1
	_asm_extable_uaccess 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
