/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sequences in differential_x86.S and differential_i386.S are written with.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>

.macro SEQUENCE name:req
SYM_FUNC_START(kprobes_diff_seq_\name)
.endm

.macro PROBE insn:vararg
77:	\insn
.endm

.macro END_SEQUENCE name:req flags=0
	jmp.d32	.Ldone
SYM_FUNC_END(kprobes_diff_seq_\name)
	STACK_FRAME_NON_STANDARD kprobes_diff_seq_\name

	.pushsection .rodata.str1.1, "aMS", @progbits, 1
88:	.asciz	"\name"
	.popsection
	.pushsection .rodata.kprobes_diff, "a"
	_ASM_PTR kprobes_diff_seq_\name, 88b
	.long	77b - kprobes_diff_seq_\name
	.long	\flags
	.popsection
.endm

	/* A sequence of nothing but the probed instruction. */
.macro SINGLE name:req insn:vararg
SEQUENCE \name
	PROBE	\insn
END_SEQUENCE \name
.endm

#ifdef CONFIG_KPROBES_ON_FTRACE
/* The entry of a function, where ftrace turns the call into a nop at boot. */
.macro ENTRY_OF name:req insn:vararg
SEQUENCE \name
	PROBE	call __fentry__
	/* objtool would write the table for all files. */
#ifndef CONFIG_FTRACE_MCOUNT_USE_OBJTOOL
	.pushsection __mcount_loc, "a"
	_ASM_PTR 77b
	.popsection
#endif
	\insn
END_SEQUENCE \name DIFF_ENTRY
.endm
#endif
