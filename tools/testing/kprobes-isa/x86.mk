# SPDX-License-Identifier: GPL-2.0
TARGETS += x86_64 i386

X86 := $(TOP)/arch/x86/kernel
X86_TOOLS := $(BASE)/tools/arch/x86
X86_INCLUDE := -I$(TOP)/arch/x86/include -I$(X86_TOOLS)/include -I$(X86_TOOLS)/lib
X86_SOURCES := x86.c $(addprefix $(X86)/kprobes-,insn.c plan.c) \
	$(addprefix $(X86_TOOLS)/lib/,insn.c inat.c)

x86_64-sources := x86-class.c $(X86_SOURCES) $(CORE)
x86_64-sources += $(addprefix $(TESTS)/arch/x86/,insn_kunit.c region_kunit.c scan_kunit.c)

x86_64-flags := $(X86_INCLUDE) -DCONFIG_X86_64 -DCONFIG_SMP -DCONFIG_X86_KERNEL_IBT
x86_64-execute := execute-x86.c
i386-execute := execute-x86.c x86-class.c
i386-sources := $(X86_SOURCES) $(CORE)
i386-flags := $(X86_INCLUDE) -DCONFIG_SMP
x86_64-generated := $(OUT)/inat-tables.c
i386-generated := $(OUT)/inat-tables.c

# Its instructions are not words, but made of parts.
x86_64-x86 := y
i386-x86 := y
