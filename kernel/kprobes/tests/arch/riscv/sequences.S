/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sequences of instructions for differential_kunit.c, which runs them with and without
 * probes. There is one for each class of instructions in
 * tools/testing/kprobes-isa/golden/riscv64.txt: its tests read the lines with RUN, OVER,
 * BACK, PROBE and the like here.
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

/* Arithmetic */

RUN addi s7,s7,-48
RUN lui t0,0x12345
RUN slli t3,t2,0x28
RUN sraiw t3,t2,0x3
RUN slti a0,a4,5
RUN add t3,t2,s4
RUN subw t3,t2,s4
RUN mulhu a0,a4,a5
RUN divw t4,t5,t6
RUN auipc a0,0x123
RUN addiw s2,a0,1
RUN slliw s2,s2,0x10
RUN ori s2,s2,12
RUN srliw s8,s2,0x10
RUN andi a4,a5,704
RUN div a3,a0,a3
RUN srl a5,a5,a4
RUN divu a5,s11,a5
RUN remu a5,a5,a5
RUN sub a5,a4,a5
RUN srli a3,a4,0x1
RUN sllw a5,s10,s2
RUN addw a4,s2,s8
RUN and a5,a5,s6
RUN or a4,a4,a5
RUN sll a5,a5,a4
RUN sltiu a0,a0,1
RUN xori a5,a5,-1
RUN sltu a0,a0,s1
RUN mul s1,s1,a5
RUN srai a5,a0,0x3
RUN sra a4,a4,s6
RUN remw a3,a3,a5
RUN slt a5,s10,s9
RUN srlw s4,s4,s5
RUN xor s8,s8,a4
RUN mulw a5,a5,a3
RUN remuw a5,s2,s6
RUN divuw s4,a0,a5
RUN sraw a4,a4,a3
RUN rem a4,a0,a5

/* Bits */

RUN sh1add t3,t2,s4
RUN add.uw a0,a4,a5
RUN rori t3,t2,0x7
RUN clz a0,a4
RUN ctzw t3,t2
RUN rev8 a0,a0
RUN orc.b a0,a4
RUN zext.h a0,a4
RUN max a0,a4,a5
RUN clmul a0,a4,a5
RUN bexti a0,a4,0x3
RUN ctz a5,a5
RUN cpop a0,a0
RUN cpopw a0,s3
RUN clzw a5,a5
RUN roriw a3,a3,0x10

/* Loads and stores */

RUN lb t3,0(a1)
RUN lhu a0,2(a1)
RUN sd s4,0(a1)
RUN sb a0,1(a1)
RUN ld s1,32(a1)
RUN sw zero,-32(a1)
RUN lw a4,32(a1)
RUN sh a5,-32(a1)
RUN lbu a5,-32(a1)
RUN lwu a3,-32(a1)
RUN lh a4,0(a1)

/* Atomic instructions */

RUN amoadd.w t3,t2,(a1)
RUN amoswap.d.aqrl a0,a4,(a1)
RUN amoor.w zero,a4,(a1)
RUN amoand.d zero,a5,(a1)
RUN amoor.d zero,s8,(a1)
RUN amoand.d.aqrl a5,a5,(a1)
RUN amoadd.w.aqrl a5,a5,(a1)
RUN amoadd.d s10,a7,(a1)
RUN amoswap.d a7,t5,(a1)
RUN amoswap.w.aqrl a5,a5,(a1)
RUN amoor.d.aqrl a3,a4,(a1)
RUN amoadd.d.aqrl a5,a5,(a1)
RUN amoand.d.rl zero,a5,(a1)
RUN amoand.w zero,a4,(a1)
RUN amoand.w.aqrl a4,a4,(a1)
RUN amoor.d.aq a5,a5,(a1)
RUN amoor.w.aqrl a3,a5,(a1)
RUN amoxor.w.aqrl a3,a5,(a1)
RUN amoxor.w zero,a3,(a1)
RUN amoxor.d zero,a3,(a1)
RUN amoxor.d.aqrl a5,a5,(a1)
RUN amoxor.d.rl a5,a5,(a1)

/* Fences */

RUN fence rw,rw
RUN fence.i
RUN pause
RUN fence.tso
RUN prefetch.r 0(a1)
RUN sfence.vma zero,zero
RUN fence rw,w
RUN fence w,w
RUN fence iorw,iorw
RUN fence w,o
RUN fence o,w
RUN fence r,r
RUN fence r,rw
RUN fence ir,ir
RUN fence i,ir
RUN fence io,i
RUN fence i,ior
RUN fence iow,o
RUN fence o,io
RUN fence ow,ow

/* Floating point */

RUN flw fa0,0(a1)
RUN fld fa0,8(a1)
RUN fsw ft8,0(a1)
RUN fsd fa0,8(a1)
RUN fmadd.d fa0,fa1,fa2,fa3
RUN fnmsub.s fa0,fa1,fa2,fa3
RUN fadd.d ft8,ft7,ft7
RUN fcvt.s.w ft8,t3
RUN fmv.x.d t3,ft8
RUN feq.d t3,ft8,ft7
RUN fclass.d a0,fa0
RUN fmv.w.x ft0,a4
RUN fmv.x.w a0,ft0
RUN fmv.d.x ft0,a4

/* Compressed instructions */

RUNC c.addi s4,-16
RUNC c.li a0,1
RUNC c.lui a0,0x1
RUNC c.addiw a0,1
RUNC c.slli a0,0x3
RUNC c.srli a0,0x3
RUNC c.srai a0,0x3
RUNC c.andi a0,7
RUNC c.sub a0,a4
RUNC c.xor a0,a4
RUNC c.or a0,a4
RUNC c.and a0,a4
RUNC c.subw a0,a4
RUNC c.addw a0,a4
RUNC c.mv a0,a4
RUNC c.add a0,a4
RUNC c.lw a0,4(a1)
RUNC c.ld a0,8(a1)
RUNC c.sw a0,4(a1)
RUNC c.sd a0,8(a1)
RUNC c.fld fa0,8(a1)
RUNC c.fsd fa0,8(a1)

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

RUNC c.addi4spn a0,sp,16
RUNC c.lwsp a0,4(sp)
RUNC c.ldsp ra,8(sp)
RUNC c.swsp a0,4(sp)
RUNC c.sdsp ra,8(sp)
RUNC c.fldsp fa0,8(sp)
RUNC c.fsdsp fa0,8(sp)

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
