/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_MODULE_H
#define _KERNEL_KPROBES_MODULE_H

/* module.c: probes in text that comes and goes */

int kprobe_module_init(void);

#endif /* _KERNEL_KPROBES_MODULE_H */
