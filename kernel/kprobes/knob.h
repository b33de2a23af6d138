/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_KNOB_H
#define _KERNEL_KPROBES_KNOB_H

/* knob.c: switches that users set */
#include <linux/types.h>

int kprobe_parse_switch(char *word, bool *on);

#endif /* _KERNEL_KPROBES_KNOB_H */
