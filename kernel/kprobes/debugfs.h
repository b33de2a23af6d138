/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_DEBUGFS_H
#define _KERNEL_KPROBES_DEBUGFS_H

/* debugfs.c: files in /sys/kernel/debug/kprobes; tests read "list" without a file system */
#include "debugfs_file.h"

extern const struct kprobe_file kprobe_list_file;

#endif /* _KERNEL_KPROBES_DEBUGFS_H */
