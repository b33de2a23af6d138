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
parisc64-generated := $(OUT)/sequences-parisc.inc
parisc64-test-flags := -DSEQUENCES_RUN='"$(OUT)/sequences-parisc.inc"'

SEQUENCES += parisc
parisc-golden := parisc64.txt

parisc-binutils := y
parisc64-binutils := y
