/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_ASM_TEXT_PATCHING_H
#define KPROBES_ISA_ASM_TEXT_PATCHING_H

/* The names of x86's instructions, without the code that patches them. */
#define INT3_INSN_SIZE		1
#define INT3_INSN_OPCODE	0xcc
#define CALL_INSN_SIZE		5
#define CALL_INSN_OPCODE	0xe8
#define JMP32_INSN_SIZE		5
#define JMP32_INSN_OPCODE	0xe9
#define JMP8_INSN_SIZE		2
#define JMP8_INSN_OPCODE	0xeb
#define DISP32_SIZE		4

#endif /* KPROBES_ISA_ASM_TEXT_PATCHING_H */
