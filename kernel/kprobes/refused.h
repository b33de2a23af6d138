/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_REFUSED_H
#define _KERNEL_KPROBES_REFUSED_H

/* refused.c: debugfs "refused" */
#include <linux/fs.h>

extern const struct file_operations kprobe_refused_fops;

#endif /* _KERNEL_KPROBES_REFUSED_H */
