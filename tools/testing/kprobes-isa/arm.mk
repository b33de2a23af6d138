# SPDX-License-Identifier: GPL-2.0
TARGETS += arm
arm-execute := execute-arm.c

arm-sources := arm.c arm-class.c $(TOP)/arch/arm/kernel/kprobes-insn.c $(CORE)
arm-sources += $(TESTS)/arch/arm/insn_kunit.c $(BASE)/tools/lib/hweight.c
arm-generated := $(OUT)/sequences-arm.inc
arm-flags := -DSEQUENCES_RUN='"$(OUT)/sequences-arm.inc"' -idirafter $(TOP)/arch/arm/include

SEQUENCES += arm
arm-golden := arm.txt
