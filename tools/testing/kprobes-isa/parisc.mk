# SPDX-License-Identifier: GPL-2.0
TARGETS += parisc parisc64

parisc-sources := parisc.c $(TOP)/arch/parisc/kernel/kprobes-insn.c $(CORE)
parisc-sources += $(TESTS)/arch/parisc/insn_kunit.c
parisc-flags := -I$(TOP)/arch/parisc/include
parisc-execute := execute-parisc.c
parisc-emulator := parisc

parisc64-sources := $(parisc-sources)
parisc64-flags := $(parisc-flags) -DCONFIG_64BIT
parisc64-execute := execute-parisc.c
parisc64-emulator := parisc

parisc-binutils := y
parisc64-binutils := y
