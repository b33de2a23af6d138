/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes. There is one for each class of instructions in
 * tools/testing/kprobes-isa/golden/arm.txt: its tests read the lines with RUN, OVER, BACK,
 * PROBE and the like here, and in what sequences.awk makes of that table.
 *
 * A sequence may use every register and need not restore any but sp. In r1 it finds a
 * place in kprobes_diff_memory with room on either side, in r2 a small number, in lr its own
 * address, and on the stack DIFF_STACK / 2 bytes above and below. What it leaves there
 * below its last stack pointer does not count.
 */
#include "sequences.inc"

/* Branches, calls and addresses */

OVER b 1f
BACK b 1b
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
BACK bne 1b
OVER blne 1f
BACK blhi 1b
OVER add r4, pc, #4
OVER add lr, pc, #4
OVER addne r4, pc, #4
OVER sub r4, pc, #8
LITERAL ldr r4, [pc, #8]
LITERAL ldrne r4, [pc, #8]
LITERAL ldrb r4, [pc, #9]
LITERAL ldrh r4, [pc, #10]
LITERAL ldrsh r4, [pc, #2]
LITERAL ldrsb r4, [pc, #3]
LITERAL ldrd r4, [pc, #8]
LITERAL vldr s3, [pc, #4]
LITERAL vldr d4, [pc, #8]
LITERAL ldr r4, [pc]
LITERAL pld [pc, #4]
LITERAL pli [pc, #4]

SEQUENCE bl_far
	PROBE bl kprobes_diff_callee
END_SEQUENCE bl_far

SEQUENCE blx
	mov_l	r9, kprobes_diff_callee
	PROBE blx r9
END_SEQUENCE blx

SEQUENCE blxne
	mov_l	r9, kprobes_diff_callee
	PROBE blxne r9
END_SEQUENCE blxne

SEQUENCE blx_lr
	mov_l	lr, kprobes_diff_callee
	PROBE blx lr
END_SEQUENCE blx_lr

/* Indirect jumps */

TO bx, nop, bx r9
TO bxne, nop, bxne r9
TO bx_lr, "mov lr, r9", bx lr
TO bxeq_lr, "mov lr, r9", bxeq lr
TO mov_pc, nop, mov pc, r9
TO movhi_pc, nop, movhi pc, r9
TO mov_pc_lr, "mov lr, r9", mov pc, lr
TO ldr_pc, "str r9, [r1]", ldr pc, [r1]
TO ldr_pc_offset, "str r9, [r1, #16]", ldr pc, [r1, #16]
TO ldrne_pc, "str r9, [r1]", ldrne pc, [r1]
TO ldr_pc_index, "str r9, [r1, r2, lsl #2]", ldr pc, [r1, r2, lsl #2]
TO ldr_pc_write, "str r9, [r1, r2]", ldr pc, [r1, r2]!
TO ldr_pc_post, "str r9, [r1]", ldr pc, [r1], #8
TO ldm_pc, "str r9, [r1, #8]", ldm r1, {r6, r7, pc}
TO ldmhi_pc, "str r9, [r1, #8]", ldmhi r1, {r6, r7, pc}
TO ldmdb_pc, "str r9, [r1, #-4]", ldmdb r1, {r6, r7, pc}
TO ldr_pc_sp, "str r9, [sp]", ldr pc, [sp], #8
TO ldr_pc_back, "mov r6, #16; str r9, [r1, #-16]", ldr pc, [r1, -r6]
TO add_pc_imm, "sub r9, r9, #4", add pc, r9, #4
TO add_pc_reg, "sub r9, r9, r2", add pc, r9, r2
TO add_pc_shifted, "sub lr, r9, r2, lsl #2", add pc, lr, r2, lsl #2
TO orrne_pc, "mov r6, #0", orrne pc, r9, r6
TO rsb_pc_reg, "mov r6, #0", rsb pc, r6, r9
TO bic_pc, "add lr, r9, #3", bic pc, lr, #3

SEQUENCE ldmdb_frame
	mov	fp, r1
	add	r8, sp, #16
	str	r8, [fp, #-8]
	adr	r8, 1f
	str	r8, [fp, #-4]
	PROBE ldmdb fp, {fp, sp, pc}
	mov	DIFF_MARK, #1
1:
END_SEQUENCE ldmdb_frame

/* Relative to pc: over an instruction */

TO add_pc_pc, "mov r6, #0", add pc, pc, r6
TO add_pc_pc_shifted, "mov r6, #0", add pc, pc, r6, lsl #2
TO addls_pc_pc, "mov r6, #0", addls pc, pc, r6, lsl #2
TO sub_pc_pc, "mov r6, #0", sub pc, pc, r6
TO rsb_pc, "mov r6, #0", rsb pc, r6, pc
TO add_pc_by, "mov r6, #0", add pc, r6, pc
TO mov_pc_pc, nop, mov pc, pc

SEQUENCE ldrls_pc
	ubfx	r6, r2, #3, #1
	PROBE ldrls pc, [pc, r6, lsl #2]
	b	.Ldone
	.long	1f, 2f
1:	mov	DIFF_MARK, #1
2:
END_SEQUENCE ldrls_pc

SEQUENCE ldr_pc_literal
	PROBE ldr pc, [pc, #4]
	b	.Ldone
	.long	0, 2f
	mov	DIFF_MARK, #1
2:
END_SEQUENCE ldr_pc_literal

SEQUENCE ldr_pc_by_pc
	mov	r6, #4
	b	1f
	.long	2f
1:	mov	r6, #16
	PROBE ldr pc, [pc, -r6]
	mov	DIFF_MARK, #1
2:
END_SEQUENCE ldr_pc_by_pc

SEQUENCE ldr_by_pc
	mov	r6, #0
	PROBE ldr r7, [pc, r6]
	b	.Ldone
	.long	0xe320f001
END_SEQUENCE ldr_by_pc

SEQUENCE ldr_before_pc
	mov	r6, #3
	b	1f
	.long	0xe320f001
1:
	PROBE ldrne r7, [pc, -r6, lsl #2]
END_SEQUENCE ldr_before_pc

SEQUENCE ldrb_by_pc
	mov	r6, #0
	PROBE ldrb r7, [pc, r6]
	b	.Ldone
	.long	0xe320f001
END_SEQUENCE ldrb_by_pc

RUN mov r3, pc
RUN movs r3, pc
RUN mov lr, pc
RUN mvn r3, pc
RUN lsl r3, pc, #2
RUN add r5, r5, pc
RUN add r5, pc, r5
RUN addne r5, pc, r3
RUN addsne r5, pc, r3
RUN add r5, pc, r3, lsl #2
RUN sub r5, pc, r3
RUN sub r5, r3, pc
RUN adds r6, pc, #4
RUN subs r6, pc, #4
RUN orr r6, pc, #1
RUN bic r6, pc, #3
RUN rsb r6, pc, r3
RUN cmp r3, pc
RUN cmp pc, #4
RUN tst pc, #4
RUN tst pc, r3
RUN tst r3, pc

SEQUENCE push_pc
	PROBE push {r6, pc}
	pop	{r6, r7}
END_SEQUENCE push_pc

SEQUENCE push_frame
	mov	ip, sp
	PROBE push {fp, ip, lr, pc}
	pop	{r6 - r9}
END_SEQUENCE push_frame

SEQUENCE pushne_pc
	mov	r11, sp
	PROBE pushne {r0, r6, pc}
	ldr	r7, [r11, #-4]
	mov	sp, r11
END_SEQUENCE pushne_pc

RUN push {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr, pc}

/* Flags, the stack pointer */

RUN mrs r4, cpsr
RUN msr cpsr_f, r3
RUN msr cpsr_fs, r3
RUN msr cpsr_f, #0xf0000000
RUN nop {0}
RUN nop
RUN add sp, sp, #16
RUN tst sp, #0x2000
RUN sub r4, sp, #4
RUN cmp sp, ip
RUN mov fp, sp
RUN ldr r4, [sp]
RUN ldr r4, [sp, #4]
RUN str r4, [sp]
RUN str lr, [sp, #60]
RUN str r4, [sp, #8]!
RUN strd r6, [sp]
RUN strd r6, [sp, #8]
RUN str sp, [r1, #-40]
RUN str sp, [r1, #-4]!
RUN pop {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}
RUN push {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, lr}
RUN stm sp, {r0, r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip}
RUN stmib sp, {r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip}
RUN stmib sp, {r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}
SYSTEM r8, "mov r8, #16", add sp, sp, r8
SYSTEM r8, "add r8, sp, #8", mov sp, r8
SYSTEM r8, "add r8, sp, #24", sub sp, r8, #16
SYSTEM r8, "add r8, sp, #16; str r8, [r1]", ldr sp, [r1]
SYSTEM r8, "add r8, sp, #16; str r8, [r1, #8]", ldr sp, [r1, #8]
SYSTEM r8, "add r8, sp, #16; str r8, [r1, r2]", ldr sp, [r1, r2]

SEQUENCE ldmib_all
	mov	r0, r1
	add	r8, sp, #16
	str	r8, [r0, #52]
	PROBE ldmib r0, {r1, r2, r3, r4, r5, r6, r7, r8, r9, sl, fp, ip, sp, lr}
END_SEQUENCE ldmib_all

SEQUENCE sub_sp_reg
	mov	r8, #8
	PROBE sub sp, sp, r8
	str	r3, [sp]
	str	r3, [sp, #4]
END_SEQUENCE sub_sp_reg

SEQUENCE sub_sp
	PROBE sub sp, sp, #16
	str	r3, [sp]
	str	r3, [sp, #4]
	str	r3, [sp, #8]
	str	r3, [sp, #12]
END_SEQUENCE sub_sp

SEQUENCE push
	PROBE push {r3, r6}
END_SEQUENCE push

SEQUENCE push_one
	PROBE push {r3}
	add	sp, sp, #4
END_SEQUENCE push_one

/* The machine's registers */

SYSTEM r0, nop, cpsid i
SYSTEM r0, nop, cpsie i
SYSTEM r0, nop, cpsid f
SYSTEM r0, nop, cpsie a
RUN yield
RUN sev
RUN esb
#include "sequences-both.inc"

/* Instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	mov	r9, #0
	PROBE ldr r4, [r9]
	mov	DIFF_MARK, #1
	EXTABLE 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
