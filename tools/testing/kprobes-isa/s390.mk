# SPDX-License-Identifier: GPL-2.0
TARGETS += s390x

s390x-sources := s390.c $(TOP)/arch/s390/kernel/kprobes-insn.c $(TESTS)/arch/s390/insn_kunit.c $(CORE)
s390x-flags := -I$(TOP)/arch/s390/include
s390x-execute := execute-s390.c
