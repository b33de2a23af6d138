/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_ARM_CLASS_H
#define KPROBES_ISA_ARM_CLASS_H

/* What A32 and T32 share: arm-class.c. */
/* Others have the vectors, one address several times. */
#define OBJDUMP	"arm-linux-gnueabihf-objdump -d -w -j .head.text -j .text -j .init.text " \
		"-j .exit.text"

const char *arm_kind_of(const char *name);
void arm_shorten(char *mnemonic);

#endif /* KPROBES_ISA_ARM_CLASS_H */
