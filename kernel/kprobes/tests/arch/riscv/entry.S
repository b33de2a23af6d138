/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with ftrace's nops at their entry whose next instruction is known,
 * and trampolines for direct calls.
 */
#include "asm.inc"

	.text
	.option	norvc

/* A function as the compiler makes it for CONFIG_FUNCTION_TRACER. */
.macro TRACED_FUNCTION name:req
SYM_FUNC_START(\name)
76:	nop
	nop
	.pushsection __mcount_loc, "a", @progbits
	.balign	8
	RISCV_PTR 76b
	.popsection
.endm

/* int kprobes_entry_target(int a): a + 1, of nothing but what is wanted */
TRACED_FUNCTION kprobes_entry_target
	addi	a0, a0, 10
	addi	a0, a0, -9
	ret
SYM_FUNC_END(kprobes_entry_target)

/* The same without the nops, as a call goes on that has passed them. */
SYM_FUNC_START(kprobes_entry_late)
	la	t0, kprobes_entry_target
	addi	t0, t0, 8
	jr	t0
SYM_FUNC_END(kprobes_entry_late)

/* int kprobes_entry_loop(int n, int a): a + n, in n rounds, at least one */
TRACED_FUNCTION kprobes_entry_loop
.Lround:
	addi	a1, a1, 1
	addi	a0, a0, -1
	bnez	a0, .Lround
	mv	a0, a1
	ret
SYM_FUNC_END(kprobes_entry_loop)

/* int kprobes_entry_tail(int a): the same, by a tail call */
TRACED_FUNCTION kprobes_entry_tail
	tail	kprobes_entry_target
SYM_FUNC_END(kprobes_entry_tail)

#ifdef CONFIG_RISCV_ISA_C
/* int kprobes_entry_compressed(int a): a + 1; a jump covers the first four additions */
TRACED_FUNCTION kprobes_entry_compressed
	.option	push
	.option	rvc
	c.addi	a0, 10
	c.addi	a0, -1
	c.addi	a0, -2
	c.addi	a0, -3
	c.addi	a0, -3
	c.jr	ra
	.option	pop
SYM_FUNC_END(kprobes_entry_compressed)
#endif

/* A function without nops, to go to: -a */
SYM_FUNC_START(kprobes_entry_other)
	neg	a0, a0
	ret
SYM_FUNC_END(kprobes_entry_other)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/* ftrace's call has left the way back to the function in t0. */
.macro COUNT
	la	t1, kprobes_entry_directs
	li	t2, 1
	amoadd.w zero, t2, (t1)
.endm

/* A direct call that counts. */
SYM_FUNC_START(kprobes_entry_direct)
	COUNT
	jr	t0
SYM_FUNC_END(kprobes_entry_direct)

/* One that calls the function itself, adds 1000, and returns to its caller. */
SYM_FUNC_START(kprobes_entry_around)
	COUNT
	FRAME_BEGIN
	jalr	ra, t0
	addi	a0, a0, 1000
	FRAME_END
	ret
SYM_FUNC_END(kprobes_entry_around)

#endif
