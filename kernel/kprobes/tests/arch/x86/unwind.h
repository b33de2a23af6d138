/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_UNWIND_H
#define _KERNEL_KPROBES_TESTS_UNWIND_H

/* Functions of unwind.S, and the offsets of their probed instructions. */

int kprobes_unwind_push(int a);
int kprobes_unwind_load(int a);
int kprobes_unwind_add(int a);
int kprobes_unwind_call(int a);
int kprobes_unwind_call_first(int a);
int kprobes_unwind_short(int a);
int kprobes_unwind_entry(int a);
void kprobes_unwind_fill(void *to, unsigned long n, bool *inside);

extern const unsigned int kprobes_unwind_push_at, kprobes_unwind_pop_at;
extern const unsigned int kprobes_unwind_load_at, kprobes_unwind_add_at;
extern const unsigned int kprobes_unwind_nop_at, kprobes_unwind_call_at;
extern const unsigned int kprobes_unwind_short_at, kprobes_unwind_entry_at;
extern const unsigned int kprobes_unwind_fill_at;

#endif /* _KERNEL_KPROBES_TESTS_UNWIND_H */
