/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of T32's instructions for differential_kunit.c, one for each class of instructions in
 * tools/testing/kprobes-isa/golden/t32.txt: here, and in what sequences-t32.awk makes of that
 * table. sequences.S tells what a sequence may use. What is in a block is probed at each place.
 */
#include "sequences.inc"

/* Branches, calls and addresses */

OVER b 1f
OVER b.w 1f
BACK b 1b
BACK b.w 1b
OVER bl 1f
BACK bl 1b
OVER beq 1f
OVER bne 1f
OVER bcs 1f
OVER bcc 1f
OVER bmi 1f
OVER bpl 1f
OVER bvs 1f
OVER bvc 1f
OVER bhi 1f
OVER bls 1f
OVER bge 1f
OVER blt 1f
OVER bgt 1f
OVER ble 1f
OVER bhi.w 1f
BACK bne 1b
BACK bge.w 1b
OVER cbz r2, 1f
OVER cbnz r2, 1f
LITERAL add r4, pc, #8
LITERAL add.w r4, pc, #8
LITERAL addw lr, pc, #8
LITERAL subw r4, pc, #4
LITERAL ldr r4, [pc, #8]
LITERAL ldr.w r4, [pc, #8]
LITERAL ldr.w lr, [pc, #8]
LITERAL ldrb.w r4, [pc, #9]
LITERAL ldrh.w r4, [pc, #10]
LITERAL ldrsh.w r4, [pc, #2]
LITERAL ldrsb.w r4, [pc, #3]
LITERAL ldrd r4, r9, [pc, #8]
LITERAL vldr s3, [pc, #4]
LITERAL vldr d4, [pc, #8]
LITERAL pld [pc, #4]
LITERAL pli [pc, #4]
RUN mov r3, pc
RUN mov ip, pc
RUN add r3, pc
RUN add ip, pc

SEQUENCE bl_far
	PROBE bl kprobes_diff_callee
END_SEQUENCE bl_far

SEQUENCE blx
	mov_l	r9, kprobes_diff_callee
	PROBE blx r9
	/* It is short, so the jump would cover where it returns to. */
	.set diff_flags, DIFF_NO_JUMP
END_SEQUENCE blx

SEQUENCE blx_lr
	mov_l	lr, kprobes_diff_callee
	PROBE blx lr
END_SEQUENCE blx_lr

/* Indirect jumps */

TO bx, nop, bx r9
TO bx_lr, "mov lr, r9", bx lr
TO mov_pc, nop, mov pc, r9
TO mov_pc_lr, "mov lr, r9", mov pc, lr
TO ldr_pc, "str r9, [r1]", ldr.w pc, [r1]
TO ldr_pc_offset, "str r9, [r1, #16]", ldr.w pc, [r1, #16]
TO ldr_pc_index, "str r9, [r1, r2, lsl #2]", ldr.w pc, [r1, r2, lsl #2]
TO ldr_pc_post, "str r9, [r1]", ldr.w pc, [r1], #8
TO ldr_pc_sp, "str r9, [sp]", ldr.w pc, [sp], #8
TO pop_pc, "str r9, [sp]", pop {pc}
TO pop_pc_word, "str r9, [sp]", ldr.w pc, [sp], #4
TO ldmdb_pc, "str r9, [r1, #-4]", ldmdb r1, {r6, pc}

SEQUENCE add_pc
	movs	r6, #2
	PROBE add pc, r6
	mov	DIFF_MARK, #1
END_SEQUENCE add_pc

SEQUENCE ldr_pc_literal
	PROBE ldr.w pc, [pc, #8]
	b	.Ldone
	.balign	4
	/* Not even half of the address is a branch behind what begins a long instruction. */
	.long	0xf8d10000, 2f + 1
	mov	DIFF_MARK, #1
2:
END_SEQUENCE ldr_pc_literal

/* Their tables are behind them. */
SEQUENCE tbb
	ubfx	r6, r2, #3, #1
	PROBE tbb [pc, r6]
3:	.byte	(4f - 3b) / 2, (5f - 3b) / 2
4:	mov	DIFF_MARK, #1
5:
END_SEQUENCE tbb

SEQUENCE tbh
	ubfx	r6, r2, #3, #1
	PROBE tbh [pc, r6, lsl #1]
3:	.2byte	(4f - 3b) / 2, (5f - 3b) / 2
4:	mov	DIFF_MARK, #1
5:
END_SEQUENCE tbh

/* Blocks: what begins them, each place, branches at their end */

BEGINS "addeq r4, #1", it eq
BEGINS "addne r4, #1; addne r4, #2", itt ne
BEGINS "addgt r4, #1; addle r4, #2", ite gt
BEGINS "addls r4, #1; addls r4, #2; addls r4, #3; addls r4, #4", itttt ls
BEGINS "addne r4, #1", it ne
BEGINS "addeq r4, #1; addeq r4, #2", itt eq
BEGINS "addne r4, #1; addne r4, #2; addne r4, #3", ittt ne
BEGINS "addmi r4, #1; addmi r4, #2; addmi r4, #3; addmi r4, #4", itttt mi
BEGINS "addne r4, #1; addeq r4, #2", ite ne
BEGINS "addls r4, #1; addls r4, #2; addhi r4, #3; addhi r4, #4", ittee ls
BEGINS "addcc r4, #1", it cc
BEGINS "addls r4, #1; addls r4, #2; addhi r4, #3", itte ls
BEGINS "addne r4, #1; addne r4, #2; addne r4, #3; addeq r4, #4", ittte ne
BEGINS "addlt r4, #1; addge r4, #2; addge r4, #3", itee lt
BEGINS "addmi r4, #1; addpl r4, #2; addmi r4, #3; addmi r4, #4", itett mi
BEGINS "addcc r4, #1; addcs r4, #2", ite cc
BEGINS "addpl r4, #1; addmi r4, #2; addmi r4, #3; addmi r4, #4", iteee pl
BEGINS "addcc r4, #1; addcc r4, #2", itt cc
BEGINS "addne r4, #1; addeq r4, #2; addne r4, #3", itet ne
BEGINS "addmi r4, #1; addmi r4, #2; addpl r4, #3; addmi r4, #4", ittet mi
BEGINS "addcc r4, #1; addcc r4, #2; addcc r4, #3; addcc r4, #4", itttt cc
BEGINS "addmi r4, #1; addpl r4, #2; addmi r4, #3; addpl r4, #4", itete mi
BEGINS "addcc r4, #1; addcs r4, #2; addcs r4, #3", itee cc
BEGINS "addcc r4, #1; addcc r4, #2; addcc r4, #3", ittt cc
BEGINS "addeq r4, #1; addne r4, #2; addne r4, #3; addeq r4, #4", iteet eq
BEGINS "addcc r4, #1; addcc r4, #2; addcc r4, #3; addcs r4, #4", ittte cc
BEGINS "addcc r4, #1; addcs r4, #2; addcs r4, #3; addcs r4, #4", iteee cc
BEGINS "addcc r4, #1; addcc r4, #2; addcs r4, #3; addcc r4, #4", ittet cc
BEGINS "addcc r4, #1; addcs r4, #2; addcc r4, #3; addcc r4, #4", itett cc
BEGINS "addcc r4, #1; addcc r4, #2; addcs r4, #3; addcs r4, #4", ittee cc
BEGINS "addcc r4, #1; addcc r4, #2; addcs r4, #3", itte cc
BEGINS "addcc r4, #1; addcs r4, #2; addcs r4, #3; addcc r4, #4", iteet cc

SEQUENCE it_al
	PROBE .inst.n 0xbfe8
	.inst.n	0x005c		/* lsl r4, r3, #1 */
END_SEQUENCE it_al

SEQUENCE block_1_of_4
	ittee	le
	PROBE_IN_BLOCK addle r4, r4, r3
	strle.w	r4, [r1]
	eorgt	r4, r3
	lslgt	r5, r3, #2
END_SEQUENCE block_1_of_4

SEQUENCE block_2_of_4
	ittee	le
	addle	r4, r4, r3
	PROBE_IN_BLOCK strle.w r4, [r1]
	eorgt	r4, r3
	lslgt	r5, r3, #2
END_SEQUENCE block_2_of_4

SEQUENCE block_3_of_4
	ittee	le
	addle	r4, r4, r3
	strle.w	r4, [r1]
	PROBE_IN_BLOCK eorgt r4, r3
	lslgt	r5, r3, #2
END_SEQUENCE block_3_of_4

SEQUENCE block_4_of_4
	ittee	le
	addle	r4, r4, r3
	strle.w	r4, [r1]
	eorgt	r4, r3
	PROBE_IN_BLOCK lslgt r5, r3, #2
END_SEQUENCE block_4_of_4

SEQUENCE block_compares
	itt	mi
	PROBE_IN_BLOCK cmpmi r3, r5
	addmi	r4, #1
END_SEQUENCE block_compares

SEQUENCE block_else_long
	ite	cs
	ldrcs.w	r4, [r1]
	PROBE_IN_BLOCK strcc.w r3, [r1, #8]
END_SEQUENCE block_else_long

SEQUENCE block_of_literal
	itt	ne
	PROBE_IN_BLOCK ldrne r4, [pc, #8]
	addne	r4, #1
	b	.Ldone
	HINTS
END_SEQUENCE block_of_literal

SEQUENCE block_of_address
	itt	ne
	PROBE_IN_BLOCK addne r4, pc
	addne	r4, #1
END_SEQUENCE block_of_address

SEQUENCE block_of_nop
	itt	vs
	PROBE_IN_BLOCK nopvs.w
	movvs	r4, r3
END_SEQUENCE block_of_nop

SEQUENCE block_of_branch
	it	pl
	PROBE_IN_BLOCK bpl.n 1f
	mov	DIFF_MARK, #1
1:
END_SEQUENCE block_of_branch

SEQUENCE block_of_call
	itt	hi
	movhi	r4, r3
	PROBE_IN_BLOCK blhi kprobes_diff_callee
END_SEQUENCE block_of_call

SEQUENCE block_of_jump
	adr	r9, 1f
	orr	r9, r9, #1
	itt	eq
	moveq	r4, r3
	PROBE_IN_BLOCK bxeq r9
	mov	DIFF_MARK, #1
1:
END_SEQUENCE block_of_jump

SEQUENCE block_of_pop
	adr	r9, 1f
	orr	r9, r9, #1
	str	r9, [sp, #4]
	it	lt
	PROBE_IN_BLOCK poplt {r4, pc}
	mov	DIFF_MARK, #1
1:
END_SEQUENCE block_of_pop

/* Flags, the stack pointer */

RUN mrs r4, cpsr
RUN msr cpsr_f, r3
RUN nop
RUN nop.w
RUN add sp, #16
RUN add r3, sp
RUN add r2, sp, #4
RUN add.w r4, sp, r2
RUN addw r4, sp, #375
RUN sub.w r4, sp, #4
RUN cmp sp, r3
RUN mov r8, sp
RUN mov r4, sp
RUN ldr r4, [sp]
RUN ldr.w fp, [sp, #20]
RUN ldrb.w r4, [sp, #16]
RUN ldrsh.w r4, [sp, #6]
RUN ldrd r4, r3, [sp, #4]
RUN str r4, [sp]
RUN str.w fp, [sp, #20]
RUN strb.w r3, [sp, #24]
RUN strd r3, r4, [sp]
RUN strd r0, r1, [sp, #-8]!
RUN str.w sp, [r1, #4]
RUN str.w r4, [sp, #8]!
RUN stmia.w sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip}
RUN ldmia.w sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip}
RUN stmdb sp!, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}
RUN ldmia.w sp!, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}
RUN ldr.w lr, [sp], #4
RUN add.w r4, sp, #6
RUN add.w sp, sp, #16
RUN str.w sp, [sp]
RUN str.w sp, [r1]
RUN str.w sp, [sp, #4]
RUN sub.w r4, sp, r3
SYSTEM r8, "add r8, sp, #8", mov sp, r8
SYSTEM r8, "add r8, sp, #8; str r8, [sp, #52]", ldr.w sp, [sp, #52]
SYSTEM r8, "add r8, sp, #8; str r8, [r1, #60]", ldr.w sp, [r1, #60]
SYSTEM r8, "mov r8, r1", str.w sp, [r8], #4
SYSTEM r8, "mov r8, #16", add sp, r8
SYSTEM r8, "add r8, sp, #16; str r8, [r1]", ldr.w sp, [r1]
SYSTEM r8, "add r8, sp, #16; str r8, [r1, r2]", ldr.w sp, [r1, r2]

SEQUENCE sub_sp
	PROBE sub sp, #16
	str	r3, [sp]
	str	r3, [sp, #4]
	str	r3, [sp, #8]
	str	r3, [sp, #12]
END_SEQUENCE sub_sp

SEQUENCE sub_sp_word
	PROBE sub.w sp, sp, #8
	str	r3, [sp]
	str	r3, [sp, #4]
END_SEQUENCE sub_sp_word

SEQUENCE sub_sp_register
	mov	r8, #8
	PROBE sub.w sp, sp, r8
	str	r3, [sp]
	str	r3, [sp, #4]
END_SEQUENCE sub_sp_register

SEQUENCE push
	PROBE push {r3, r6}
END_SEQUENCE push

/* The machine's registers */

SYSTEM r0, nop, cpsid i
SYSTEM r0, nop, cpsid f
SYSTEM r0, nop, cpsie i
SYSTEM r0, nop, cpsie f
SYSTEM r0, nop, cpsid.w f
SYSTEM r0, nop, cpsie.w a
RUN yield
RUN yield.w
RUN sev
#include "sequences-both.inc"

/* Instructions that run as they are, of the golden table: by sequences-t32.awk */

#include "sequences_run.inc"

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	mov	r9, #0
	PROBE ldr.w r4, [r9]
	mov	DIFF_MARK, #1
	EXTABLE 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
