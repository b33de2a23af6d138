# SPDX-License-Identifier: GPL-2.0
TARGETS += arm64

ARM64 := $(TOP)/arch/arm64
arm64-sources := arm64.c $(ARM64)/kernel/kprobes-insn.c $(TESTS)/arch/arm64/insn_kunit.c $(CORE)
arm64-sources += $(BASE)/arch/arm64/lib/insn.c $(BASE)/tools/lib/hweight.c
# Headers of the base come from there.
arm64-generated := $(OUT)/sequences-arm64.inc
arm64-flags := -DSEQUENCES_RUN='"$(OUT)/sequences-arm64.inc"' -Iarm64 -idirafter $(ARM64)/include -idirafter $(BASE)/arch/arm64/include
# The table has what differs with BTI. The kernel that gcc compiles has none.
arm64-test-flags := -DCONFIG_ARM64_BTI_KERNEL

arm64-execute := execute-arm64.c

SEQUENCES += arm64
arm64-golden := arm64.txt
