/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with ftrace's nop at their entry whose next instruction is known, and trampolines
 * for direct calls. None is called through a pointer. Their instructions are macros of each
 * architecture's insn.inc.
 */
#include "insn.inc"

	.text
	LONG_INSNS

/* int kprobes_entry_target(int a): a + 1, of nothing but what is wanted */
TRACED_FUNCTION kprobes_entry_target
	ADD_TO_ARG 10
	ADD_RESULT -9
	RET
SYM_FUNC_END(kprobes_entry_target)

/* Enters that function after the nop, like a call that has passed it. */
FUNCTION kprobes_entry_late
	PASS_NOP kprobes_entry_target
SYM_FUNC_END(kprobes_entry_late)
NO_UNWIND(kprobes_entry_late)

/* int kprobes_entry_loop(int n, int a): a + n, in n rounds, at least one */
TRACED_FUNCTION kprobes_entry_loop
.Lround:
	ADD_TO_ARG2 1
	COUNT_ARG_DOWN
	JUMP_NZ	.Lround
	RESULT_IS_ARG2
	RET
SYM_FUNC_END(kprobes_entry_loop)

/* int kprobes_entry_tail(int a): the same, by a tail call */
TRACED_FUNCTION kprobes_entry_tail
	JUMP_FAR kprobes_entry_target
SYM_FUNC_END(kprobes_entry_tail)

/* int kprobes_entry_tail_call(int (*fn)(void *), void *arg): calls that in its place */
TRACED_FUNCTION kprobes_entry_tail_call
	JUMP_FAR kprobes_target_call_c
SYM_FUNC_END(kprobes_entry_tail_call)

/* A function without a nop, for redirected calls: -a */
FUNCTION kprobes_entry_other
	RESULT_IS_NEGATED_ARG
	RET
SYM_FUNC_END(kprobes_entry_other)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

/* A direct call that counts. */
FUNCTION kprobes_entry_direct
	INCREMENT kprobes_entry_directs
	RETURN_TO_TRACED
SYM_FUNC_END(kprobes_entry_direct)

/* One that calls the function itself, adds 1000, and returns to its caller. */
FUNCTION kprobes_entry_around
	INCREMENT kprobes_entry_directs
	CALL_TRACED
	ADD_RESULT 1000
	FORGET_TRACED
	RET
SYM_FUNC_END(kprobes_entry_around)
NO_UNWIND(kprobes_entry_around)

#endif
