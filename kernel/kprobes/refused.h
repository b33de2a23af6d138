/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_REFUSED_H
#define _KERNEL_KPROBES_REFUSED_H

/* refused.c: debugfs "refused" */
#include "debugfs_file.h"

extern const struct kprobe_file kprobe_refused_file;

#endif /* _KERNEL_KPROBES_REFUSED_H */
