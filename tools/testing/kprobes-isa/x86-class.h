/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_X86_CLASS_H
#define KPROBES_ISA_X86_CLASS_H

/* Classes of x86's instructions: x86-class.c. */
#include <linux/types.h>

void x86_class_of(char *class, size_t size, const u8 *bytes, size_t len);

#endif /* KPROBES_ISA_X86_CLASS_H */
