# SPDX-License-Identifier: GPL-2.0
TARGETS += mips64el mips32 mips64r6el

MIPS := $(TOP)/arch/mips
mips64el-sources := mips.c $(MIPS)/kernel/kprobes-insn.c $(TESTS)/arch/mips/insn_kunit.c $(CORE)
# Headers of the base come from there.
mips-includes := -idirafter $(MIPS)/include -idirafter $(BASE)/arch/mips/include \
	-idirafter $(BASE)/arch/mips/include/uapi
mips64el-execute := execute-mips64.c
mips64el-emulator := mips64el
mips64el-flags := -D__MIPSEL__ -DCONFIG_64BIT -DCONFIG_CPU_LITTLE_ENDIAN $(mips-includes)
mips64el-generated := $(OUT)/sequences-mips.inc
mips64el-test-flags := -DSEQUENCES_RUN='"$(OUT)/sequences-mips.inc"'

SEQUENCES += mips
mips-golden := mips64el.txt

mips32-sources := $(mips64el-sources)
mips32-flags := -D__MIPSEB__ -DCONFIG_32BIT -DCONFIG_CPU_BIG_ENDIAN $(mips-includes)
mips32-execute := execute-mips.c

mips64r6el-sources := $(mips64el-sources)
mips64r6el-flags := $(mips64el-flags) -DCONFIG_CPU_MIPSR6
mips64r6el-generated := $(OUT)/sequences-mips64r6.inc
mips64r6el-test-flags := -DSEQUENCES_RUN='"$(OUT)/sequences-mips64r6.inc"'

SEQUENCES += mips64r6
mips64r6-golden := mips64r6el.txt
mips64r6-sequences := mips/sequences.awk

mips64r6el-execute := execute-mips64.c
mips64r6el-emulator := mips64el
