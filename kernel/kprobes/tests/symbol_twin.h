/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_SYMBOL_TWIN_H
#define _KERNEL_KPROBES_TESTS_SYMBOL_TWIN_H

/* Calls the function kprobes_symbol_twin() of symbol_twin.c; symbol_kunit.c has another one. */
int kprobes_call_other_twin(int x);
unsigned long kprobes_other_twin(void);

#endif /* _KERNEL_KPROBES_TESTS_SYMBOL_TWIN_H */
