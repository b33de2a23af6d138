# SPDX-License-Identifier: GPL-2.0
TARGETS += ppc64le ppc64 ppc32

POWERPC := $(TOP)/arch/powerpc
powerpc-sources := powerpc.c $(POWERPC)/kernel/kprobes-insn.c $(CORE)
powerpc-sources += $(TESTS)/arch/powerpc/insn_kunit.c
# Headers of the base come from there.
powerpc-flags := -Ipowerpc -I$(OUT)/powerpc -idirafter $(POWERPC)/include \
	-idirafter $(BASE)/arch/powerpc/include

# The numbers of special registers: the base's header has them together with what reads them.
powerpc-generated := $(OUT)/powerpc/asm/reg.h
$(powerpc-generated): $(BASE)/arch/powerpc/include/asm/reg.h
	@mkdir -p $(@D)
	sed -n 's/^#define[ \t]*\(SPRN_H\?\(SRR0\|DSISR\)\)[ \t]*\(0x[0-9a-fA-F]*\).*/#define \1 \3/p' \
		$< >$@

ppc64le-sources := $(powerpc-sources)
ppc64le-flags := $(powerpc-flags) -DCONFIG_PPC64 -DCONFIG_PPC64_ELF_ABI_V2 -DCONFIG_CPU_LITTLE_ENDIAN
ppc64le-generated := $(powerpc-generated) $(OUT)/sequences-powerpc.inc
ppc64le-flags += -DSEQUENCES_RUN='"$(OUT)/sequences-powerpc.inc"'
ppc64-sources := $(powerpc-sources)
ppc64-flags := $(powerpc-flags) -DCONFIG_PPC64 -DCONFIG_CPU_BIG_ENDIAN
ppc64-generated := $(powerpc-generated)
ppc32-sources := $(powerpc-sources)
ppc32-flags := $(powerpc-flags) -DCONFIG_PPC32 -DCONFIG_CPU_BIG_ENDIAN
ppc32-generated := $(powerpc-generated) $(OUT)/sequences-ppc32.inc
ppc32-flags += -DSEQUENCES_RUN='"$(OUT)/sequences-ppc32.inc"'
ppc32-execute := execute-powerpc.c
ppc64-execute := execute-powerpc64.c
ppc64-emulator := ppc64le
ppc64le-execute := execute-powerpc64.c
ppc64le-emulator := ppc64le

SEQUENCES += powerpc ppc32
powerpc-golden := ppc64le.txt
ppc32-golden := ppc32.txt
ppc32-sequences := powerpc/sequences.awk
