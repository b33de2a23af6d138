# SPDX-License-Identifier: GPL-2.0
TARGETS += loongarch64

LOONGARCH := $(TOP)/arch/loongarch
loongarch64-sources := loongarch64.c $(LOONGARCH)/kernel/kprobes-insn.c $(CORE)
loongarch64-sources += $(TESTS)/arch/loongarch/insn_kunit.c
# Headers of the base come from there, of which one wants a size of pages.
loongarch64-flags := -DCONFIG_PAGE_SIZE_16KB -Iloongarch -idirafter $(LOONGARCH)/include
loongarch64-flags += $(addprefix -idirafter $(BASE)/arch/loongarch/include,/ /uapi)

loongarch64-generated := $(OUT)/sequences-loongarch.inc
loongarch64-flags += -DSEQUENCES_RUN='"$(OUT)/sequences-loongarch.inc"'
loongarch64-execute := execute-loongarch.c
loongarch64-emulator := loongarch64

SEQUENCES += loongarch
loongarch-golden := loongarch64.txt
