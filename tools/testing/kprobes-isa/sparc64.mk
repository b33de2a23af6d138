# SPDX-License-Identifier: GPL-2.0
TARGETS += sparc64

sparc64-sources := sparc64.c $(TOP)/arch/sparc/kernel/kprobes-insn.c $(CORE)
sparc64-sources += $(TESTS)/arch/sparc/insn_kunit.c
sparc64-flags := -I$(TOP)/arch/sparc/include
sparc64-execute := execute-sparc.c
sparc64-emulator := sparc64
