/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_S390_KPROBES_H
#define _ASM_S390_KPROBES_H

/* Uprobes use the functions of lib/probes.c. Kprobes have no port to this architecture yet. */
#include <asm-generic/kprobes.h>
#include <linux/types.h>

/* What has to be put right after an instruction was executed at another address. */
#define FIXUP_NOT_REQUIRED	0x1	/* nothing */
#define FIXUP_PSW_NORMAL	0x2	/* the next address */
#define FIXUP_RETURN_REGISTER	0x4	/* a return address in a register */
#define FIXUP_BRANCH_NOT_TAKEN	0x8	/* the next address, if there was no branch */

int probe_is_prohibited_opcode(u16 *insn);
int probe_get_fixup_type(u16 *insn);
int probe_is_insn_relative_long(u16 *insn);

#endif /* _ASM_S390_KPROBES_H */
