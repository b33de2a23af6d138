# SPDX-License-Identifier: GPL-2.0
TARGETS += s390x

s390x-sources := s390.c $(TOP)/arch/s390/kernel/kprobes-insn.c $(TESTS)/arch/s390/insn_kunit.c $(CORE)
s390x-generated := $(OUT)/sequences-s390.inc
s390x-flags := -DSEQUENCES_RUN='"$(OUT)/sequences-s390.inc"' -I$(TOP)/arch/s390/include
s390x-execute := execute-s390.c

SEQUENCES += s390
s390-golden := s390x.txt
