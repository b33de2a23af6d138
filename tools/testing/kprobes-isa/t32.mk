# SPDX-License-Identifier: GPL-2.0
TARGETS += t32

t32-sources := t32.c arm-class.c $(TOP)/arch/arm/kernel/kprobes-insn-t32.c $(CORE)
t32-sources += $(TOP)/arch/arm/kernel/kprobes-forms-t32.c
t32-sources += $(TESTS)/arch/arm/insn_t32_kunit.c $(BASE)/tools/lib/hweight.c
t32-flags := -idirafter $(TOP)/arch/arm/include -DCONFIG_THUMB2_KERNEL
t32-generated := $(OUT)/sequences-t32.inc
t32-flags += -DSEQUENCES_RUN='"$(OUT)/sequences-t32.inc"'

SEQUENCES += t32
t32-golden := t32.txt
t32-sequences := arm/sequences-t32.awk

t32-execute := execute-t32.c
