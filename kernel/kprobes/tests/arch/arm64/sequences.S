/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes, and the code that loads and stores registers around them. There is one for each
 * class of instructions in tools/testing/kprobes-isa/golden/arm64.txt: its tests read the
 * lines with RUN, OVER, BACK, PROBE and the like here, and in what sequences.awk makes of
 * that table.
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

SEQUENCE push
	PROBE str x27, [sp, #-16]!
	str	x2, [sp, #8]
END_SEQUENCE push

RUN nop

/* Instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

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
