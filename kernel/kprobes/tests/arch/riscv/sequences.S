/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes. There is one for each class of instructions in
 * tools/testing/kprobes-isa/golden/riscv64.txt: its tests read the lines with RUN, OVER,
 * BACK, PROBE and the like here, and in what sequences.awk makes of that table.
 *
 * A sequence may use every register but gp and tp, and need not restore any. In a1 it finds a
 * place in kprobes_diff_memory with room on either side, in a2 a small number, in ra its own
 * address, and on the stack DIFF_STACK / 2 bytes above and below. What it leaves there
 * below its last stack pointer does not count.
 */
#include "sequences.inc"

/* Branches and calls */

OVER jal zero,1f
BACK jal zero,1b
OVER beq a2,a3,1f
BACK beq a2,a3,1b
OVER bne a2,a3,1f
OVER blt a2,a3,1f
OVER bge a2,a3,1f
BACK bge a2,a3,1b
OVER bltu a2,a3,1f
OVER bgeu a2,a3,1f
OVERC c.j 1f
OVERC c.beqz a2,1f
OVERC c.bnez a3,1f
OVER auipc t3,0x123
BACK auipc ra,0x80000

	/* A call must be the last instruction that a jump covers. */
	NO_JUMP
OVER jal ra,1f
	NO_JUMP
BACK jal ra,1b
	NO_JUMP
OVER jal t0,1f

.macro CALL name:req reg:req insn:vararg
	NO_JUMP
SEQUENCE \name
	la	\reg, kprobes_diff_callee
77:	\insn
	nop
	li	DIFF_MARK, 1
END_SEQUENCE \name
.endm

CALL jal_far, a5, jal ra,kprobes_diff_callee
CALL jalr, a5, jalr ra,0(a5)
CALL jalr_offset, ra, jalr ra,0(ra)

#ifdef CONFIG_RISCV_ISA_C
	NO_JUMP
SEQUENCE c_jalr
	la	a5, kprobes_diff_callee
	COMPRESSED c.jalr a5
END_SEQUENCE c_jalr

	NO_JUMP
SEQUENCE c_jalr_ra
	la	ra, kprobes_diff_callee
	COMPRESSED c.jalr ra
END_SEQUENCE c_jalr_ra
#endif

.macro JUMP name:req reg:req insn:vararg
SEQUENCE \name
	la	\reg, 1f
77:	\insn
	li	DIFF_MARK, 1
1:	nop
END_SEQUENCE \name
.endm

	/* It may lead anywhere in the function. */
	NO_JUMP
JUMP jr, a5, jalr zero,0(a5)
	NO_JUMP
JUMP jr_t0, t0, jalr zero,0(t0)
JUMP ret, ra, jalr zero,0(ra)

#ifdef CONFIG_RISCV_ISA_C
	NO_JUMP
SEQUENCE c_jr
	la	a5, 1f
	COMPRESSED c.jr a5
	li	DIFF_MARK, 1
1:
END_SEQUENCE c_jr

SEQUENCE c_ret
	la	ra, 1f
	COMPRESSED c.jr ra
	li	DIFF_MARK, 1
1:
END_SEQUENCE c_ret
#endif

/* The machine's registers */

	/* 0x40000: SR_SUM */
SYSTEM a0, nop, csrrs a0,sstatus,zero
SYSTEM t3, "csrr t2, sstatus", csrrw t3,sstatus,t2
SYSTEM t3, "li t3, 0x40000", csrrs zero,sstatus,t3
SYSTEM a0, "li a4, 0x40000", csrrc a0,sstatus,a4
SYSTEM a0, nop, csrrci zero,sstatus,2
SYSTEM a0, nop, csrrsi a0,sstatus,2
SYSTEM a0, "csrr a0, sie", csrrw zero,sie,a0
SYSTEM a5, "li a5, 0", csrrc zero,sie,a5
SYSTEM a5, "li a5, 0", csrrs zero,sie,a5
SYSTEM a5, "li a5, 0", csrrc zero,sip,a5
SYSTEM a0, nop, csrrs a0,time,zero
SYSTEM a0, nop, csrrs a0,cycle,zero
SYSTEM a0, nop, csrrs a0,instret,zero
SYSTEM a0, nop, csrrs a0,satp,zero
RUN csrrs a0,stvec,zero
RUN csrrs a0,sscratch,zero
SYSTEM a0, "li a0, 0", csrrw zero,fcsr,a0
RUN csrrs t0,fcsr,zero
RUN csrrs a3,scounteren,zero
SYSTEM a5, "csrr a5, scounteren", csrrw zero,scounteren,a5

SEQUENCE csrrwi_scounteren
	csrr	a5, scounteren
	PROBE csrrwi zero,scounteren,2
	csrw	scounteren, a5
END_SEQUENCE csrrwi_scounteren

RUN auipc a0,0x123

/* Instructions that run as they are, of the golden table: by sequences.awk */

#include "sequences_run.inc"

/* The stack pointer */

	/* What was below the stack pointer does not count. */
SEQUENCE addi_sp
	PROBE addi sp,sp,-16
	sd	a2, 0(sp)
	sd	a3, 8(sp)
END_SEQUENCE addi_sp

#ifdef CONFIG_RISCV_ISA_C
SEQUENCE c_addi_sp
	COMPRESSED c.addi sp,-16
	sd	a2, 0(sp)
	sd	a3, 8(sp)
END_SEQUENCE c_addi_sp

SEQUENCE c_addi16sp
	COMPRESSED c.addi16sp sp,-32
	sd	a2, 0(sp)
	sd	a3, 8(sp)
	sd	a2, 16(sp)
	sd	a3, 24(sp)
END_SEQUENCE c_addi16sp
#endif

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Entries of functions, where ftrace turns two nops into its call */

.macro ENTRY_OF name:req insn:vararg
SEQUENCE \name
77:	nop
	nop
	\insn
	li	DIFF_MARK, 1
1:
	.pushsection __mcount_loc, "a", @progbits
	.balign	8
	WORDS	77b
	.popsection
	.set	diff_flags, DIFF_ENTRY
END_SEQUENCE \name
.endm

ENTRY_OF entry_add, add a0, a2, a3
ENTRY_OF entry_store, sd a3, 0(a1)
ENTRY_OF entry_branch, beq a2, a3, 1f
#endif

/* Faults: the exception table's fixup skips the rest of the sequence */

SEQUENCE fault_load
	li	s4, -4096
	PROBE ld a0,0(s4)
	li	DIFF_MARK, 1
	_asm_extable 77b, 1f
1:
	.set	diff_flags, DIFF_FAULTS
END_SEQUENCE fault_load

	.section .rodata.kprobes_diff, "a"
SYM_DATA_START(kprobes_diff_sequences_end)
