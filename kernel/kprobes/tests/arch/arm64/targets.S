/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that the suites put probes on, instruction by instruction. Those without
 * a landing pad are called directly, never through a pointer.
 */
#include <asm/asm-uaccess.h>

#include "asm.inc"

PLACES_BEGIN

	.text

/* int kprobes_target_asm(int a): a + 10, past every kind of point */
FUNCTION kprobes_target_asm
	add	w0, w0, #2
.Lframe:
	FRAME_BEGIN
.Lcopy:	add	w0, w0, #2
.Lnop:	nop
.Ljump:	b	.Laddr
	udf	#0
.Laddr:	adr	x1, .Lthree
.Lload:	ldr	w1, [x1]
.Lliteral:
	ldr	w2, .Lthree
.Ladd:	add	w0, w0, w1
.Lcond:	cbnz	w2, .Lcall
	udf	#0
.Lcall:	bl	kprobes_target_helper
	FRAME_END
	ret
.Lthree:
	.long	3
SYM_FUNC_END(kprobes_target_asm)

PLACE kprobes_target_asm, kprobes_target_asm, .Lframe, "assembly function"
PLACE .Lcopy, kprobes_target_asm, .Lnop, "instruction in its slot"
PLACE .Lnop, kprobes_target_asm, .Ljump, "nop"
PLACE .Ljump, kprobes_target_asm, .Laddr, "jump"
PLACE .Laddr, kprobes_target_asm, .Lload, "address relative to its own"
PLACE .Lload, kprobes_target_asm, .Lliteral, "load"
PLACE .Lliteral, kprobes_target_asm, .Ladd, "literal"
PLACE .Lcond, kprobes_target_asm, .Lcall, "conditional jump"
PLACE .Lcall, kprobes_target_asm, kprobes_target_helper, "call"

/* Not executed: adds 1 to *x0, and nobody comes in between. */
FUNCTION kprobes_target_exclusive
	nop
1:	ldxr	w1, [x0]
.Lwithin:
	add	w1, w1, #1
	stxr	w2, w1, [x0]
.Lafter:
	cbnz	w2, 1b
	ldr	w0, .Lnot_insn
	ret
.Lnot_insn:
	nop
SYM_FUNC_END(kprobes_target_exclusive)

/* Adds 3 to w0. */
FUNCTION kprobes_target_helper
	add	w0, w0, #3
	ret
SYM_FUNC_END(kprobes_target_helper)

/* int kprobes_target_endbr(int a): a + 100 */
SYM_FUNC_START(kprobes_target_endbr)
	add	w0, w0, #99
.Linc:	add	w0, w0, #1
.Lret:	ret
SYM_FUNC_END(kprobes_target_endbr)

PLACE kprobes_target_endbr, kprobes_target_endbr, .Linc, "function with landing pad"
PLACE .Linc, kprobes_target_endbr, .Lret, "second instruction"

PLACES_END

	/* Functions that return in various ways. */

	.text

/* int kprobes_target_call(int (*fn)(void *arg), void *arg): fn(arg) + 1 */
FUNCTION kprobes_target_call
	FRAME_BEGIN
	mov	x2, x0
	mov	x0, x1
	blr	x2
	add	w0, w0, #1
	FRAME_END
	ret
SYM_FUNC_END(kprobes_target_call)

/* int kprobes_target_tail(fn, arg): the same by way of tail calls */
FUNCTION kprobes_target_tail
	b	kprobes_target_tail_middle
SYM_FUNC_END(kprobes_target_tail)

FUNCTION kprobes_target_tail_middle
	b	kprobes_target_call
SYM_FUNC_END(kprobes_target_tail_middle)

/* int kprobes_target_left(int a): a + 5, with a call that never returns */
FUNCTION kprobes_target_left
	FRAME_BEGIN
	bl	kprobes_target_leave
	udf	#0
.Lleft:	FRAME_END
	add	w0, w0, #5
	ret
SYM_FUNC_END(kprobes_target_left)

/* Forgets where it returns to and goes on in its caller. */
FUNCTION kprobes_target_leave
	nop
	b	.Lleft
SYM_FUNC_END(kprobes_target_leave)

/* void kprobes_target_lost(void): returns where only probed functions do */
FUNCTION kprobes_target_lost
	adr_l	x30, kretprobe_trampoline
	ret
SYM_FUNC_END(kprobes_target_lost)

	/* Instructions that fault. */

/* long kprobes_target_load(const long *p): *p, or -1 where that faults */
FUNCTION kprobes_target_load
1:	ldr	x0, [x0]
	ret
2:	mov	x0, #-1
	ret
	_asm_extable_uaccess 1b, 2b
SYM_FUNC_END(kprobes_target_load)

/* The same, and nobody knows what to do when it faults. */
FUNCTION kprobes_target_load_bare
	ldr	x0, [x0]
	ret
SYM_FUNC_END(kprobes_target_load_bare)

/* The same, with the load where a jump at the entry would cover it as well. */
FUNCTION kprobes_target_load_late
	mov	x1, x0
	ldr	x0, [x1]
	ret
SYM_FUNC_END(kprobes_target_load_late)

/* The same, after a nop. */
FUNCTION kprobes_target_load_nop
	nop
	ldr	x0, [x0]
	ret
SYM_FUNC_END(kprobes_target_load_nop)

/* unsigned long kprobes_target_zeropad(const void *p): *p, zeros past the last page */
FUNCTION kprobes_target_zeropad
1:	ldr	x0, [x0]
2:	ret
	/* Data and address are in x0. */
	__ASM_EXTABLE_RAW(1b, 2b, EX_TYPE_LOAD_UNALIGNED_ZEROPAD, 0)
SYM_FUNC_END(kprobes_target_zeropad)

/*
 * As kprobes_target_load(), for user memory; the load is at kprobes_load_user_offset. With
 * CONFIG_ARM64_SW_TTBR0_PAN the user's page tables are in use for that load alone.
 */
FUNCTION kprobes_target_load_user
	nop
	uaccess_ttbr0_enable x1, x2, x3
.Luser:	ldtr	x0, [x0]
	uaccess_ttbr0_disable x1, x2
	ret
.Lefault:
	uaccess_ttbr0_disable x1, x2
	mov	x0, #-1
	ret
	_asm_extable_uaccess .Luser, .Lefault
SYM_FUNC_END(kprobes_target_load_user)

OFFSET kprobes_exclusive_within, .Lwithin, kprobes_target_exclusive
OFFSET kprobes_exclusive_after, .Lafter, kprobes_target_exclusive
OFFSET kprobes_literal_offset, .Lnot_insn, kprobes_target_exclusive
OFFSET kprobes_load_user_offset, .Luser, kprobes_target_load_user
