/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_CONSOLE_H
#define _KERNEL_KPROBES_TESTS_CONSOLE_H

/* console.c: watches the console for tests of reports */
struct kunit;

void kprobes_watch_console(struct kunit *test, const char *text);
const char *kprobes_console_line(void);

#endif /* _KERNEL_KPROBES_TESTS_CONSOLE_H */
