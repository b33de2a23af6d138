/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_CHECK_H
#define _KERNEL_KPROBES_CHECK_H

/* check.c: the file "check" in debugfs, and words for mechanisms */
#include <linux/fs.h>

extern const char * const kprobe_mechanism_names[];
extern const struct file_operations kprobe_check_fops;

#endif /* _KERNEL_KPROBES_CHECK_H */
