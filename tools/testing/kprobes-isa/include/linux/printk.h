/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_LINUX_PRINTK_H
#define KPROBES_ISA_LINUX_PRINTK_H

/* Base code reports what it was wrongly asked for: no test does that. */
#include <stdio.h>
#include <stdlib.h>

#define pr_err(...) \
	do { fprintf(stderr, __VA_ARGS__); abort(); } while (0)

#endif /* KPROBES_ISA_LINUX_PRINTK_H */
