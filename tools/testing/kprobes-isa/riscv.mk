# SPDX-License-Identifier: GPL-2.0
TARGETS += riscv64 riscv64-clang riscv64-nofpu

riscv64-sources := riscv64.c $(TOP)/arch/riscv/kernel/kprobes-insn.c $(CORE)
riscv64-sources += $(TESTS)/arch/riscv/insn_kunit.c
riscv64-flags := -I$(TOP)/arch/riscv/include -I$(BASE)/arch/riscv/include -DCONFIG_64BIT \
	-DCONFIG_RISCV_ISA_C -DCONFIG_FPU -D__riscv_xlen=64

riscv64-generated := $(OUT)/sequences-riscv.inc
riscv64-flags += -DSEQUENCES_RUN='"$(OUT)/sequences-riscv.inc"'

# As a kernel has it that clang compiles, with the same table.
riscv64-clang-sources := $(riscv64-sources)
riscv64-clang-flags := $(riscv64-flags) -DCONFIG_CC_IS_CLANG
riscv64-clang-generated := $(riscv64-generated)
# As one has it that CPUs without floating point can run: a table of what differs.
riscv64-nofpu-sources := $(riscv64-sources)
riscv64-nofpu-flags := $(filter-out -DCONFIG_FPU,$(riscv64-flags))
riscv64-nofpu-generated := $(riscv64-generated)

riscv64-execute := execute-riscv.c
riscv64-clang-execute := execute-riscv.c
riscv64-nofpu-execute := execute-riscv.c

SEQUENCES += riscv
riscv-golden := riscv64.txt
