/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the suites put probes on, instruction by instruction. Those without a landing
 * pad are called directly, never through a pointer. Their instructions are macros of each
 * architecture's insn.inc.
 */
#include "insn.inc"

PLACES_BEGIN

	.text

/* int kprobes_target_asm(int a): a + 10, past every kind of point */
FUNCTION kprobes_target_asm
	ADD_TO_ARG 2
.Lframe:
	FRAME_BEGIN
.Lcopy:	ADD_RESULT 2
.Lnop:	NOP
.Ljump:	JUMP	.Lnear
	TRAP
.Lnear:	ADD_NEAR kprobes_target_asm
.Lcond:	JUMP_NZ	.Lcall
	TRAP
.Lcall:	CALL	kprobes_target_helper
	FRAME_END
	RET
	NEAR_DATA
SYM_FUNC_END(kprobes_target_asm)

/* Adds 3 to the result. */
FUNCTION kprobes_target_helper
	ADD_RESULT 3
	RET
SYM_FUNC_END(kprobes_target_helper)

PLACE kprobes_target_asm, kprobes_target_asm, .Lframe, "assembly function"
PLACE .Lcopy, kprobes_target_asm, .Lnop, "instruction in its slot"
PLACE .Lnop, kprobes_target_asm, .Ljump, "nop"
PLACE .Ljump, kprobes_target_asm, .Lnear, "jump"
PLACE .Lcond, kprobes_target_asm, .Lcall, "conditional jump"
PLACE .Lcall, kprobes_target_asm, kprobes_target_helper, "call"

/* int kprobes_target_endbr(int a): a + 100 */
SYM_FUNC_START(kprobes_target_endbr)
	ADD_TO_ARG 99
.Linc:	ADD_RESULT 1
.Lret:	RET
SYM_FUNC_END(kprobes_target_endbr)

PLACE kprobes_target_endbr, kprobes_target_endbr, .Linc, "function with landing pad"
PLACE .Linc, kprobes_target_endbr, .Lret, "second instruction"

PLACES_END

	/* Functions that return in various ways. */

	.text

/* int kprobes_target_call(int (*fn)(void *arg), void *arg): fn(arg) + 1 */
FUNCTION kprobes_target_call
	FRAME_BEGIN
	CALL_ARG
	ADD_RESULT 1
	FRAME_END
	RET
SYM_FUNC_END(kprobes_target_call)

/* int kprobes_target_tail(fn, arg): the same by way of tail calls */
FUNCTION kprobes_target_tail
	JUMP	kprobes_target_tail_middle
SYM_FUNC_END(kprobes_target_tail)

FUNCTION kprobes_target_tail_middle
	JUMP	kprobes_target_call
SYM_FUNC_END(kprobes_target_tail_middle)

/* int kprobes_target_left(int a): a + 5, with a call that never returns */
FUNCTION kprobes_target_left
	FRAME_BEGIN
	CALL	kprobes_target_leave
	TRAP
.Lleft:	FRAME_END
	ADD_TO_ARG 5
	RET
SYM_FUNC_END(kprobes_target_left)
NO_UNWIND(kprobes_target_left)

/* Forgets where it returns to and goes on in its caller. */
FUNCTION kprobes_target_leave
	FORGET_RETURN
	JUMP	.Lleft
SYM_FUNC_END(kprobes_target_leave)
NO_UNWIND(kprobes_target_leave)

/* void kprobes_target_lost(void): returns where only probed functions do */
FUNCTION kprobes_target_lost
	SET_RETURN kretprobe_trampoline
	RET
SYM_FUNC_END(kprobes_target_lost)
NO_UNWIND(kprobes_target_lost)

	/* Instructions that fault: LOAD has KPROBES_LOAD_LEN bytes. */

/* long kprobes_target_load(const long *p): *p, or -1 where that faults */
FUNCTION kprobes_target_load
1:	LOAD
	RET
2:	SET	-1
	RET
	EXTABLE	1b, 2b
SYM_FUNC_END(kprobes_target_load)

/* The same without an exception table entry. */
FUNCTION kprobes_target_load_bare
	LOAD
	PAD
	RET
SYM_FUNC_END(kprobes_target_load_bare)

/* The same, with the load where a jump at the entry would cover it as well. */
FUNCTION kprobes_target_load_late
	LOAD_LATE
	PAD
	RET
SYM_FUNC_END(kprobes_target_load_late)

/* The same, after a nop of KPROBES_LOAD_NOP bytes. */
FUNCTION kprobes_target_load_nop
	LONG_NOP
	LOAD
	RET
SYM_FUNC_END(kprobes_target_load_nop)

/* unsigned long kprobes_target_zeropad(const void *p): *p, zeros past the last page */
FUNCTION kprobes_target_zeropad
1:	LOAD
2:	PAD
	PAD
	RET
	EXTABLE_ZEROPAD 1b, 2b
SYM_FUNC_END(kprobes_target_zeropad)

/* As kprobes_target_load(), for user memory; the load is at kprobes_load_user_offset. */
FUNCTION kprobes_target_load_user
	USER_BEGIN
.Luser:	LOAD_USER
	USER_END
	RET
.Lefault:
	USER_END
	SET	-1
	RET
	EXTABLE_USER .Luser, .Lefault
SYM_FUNC_END(kprobes_target_load_user)

OFFSET kprobes_load_user_offset, .Luser, kprobes_target_load_user
