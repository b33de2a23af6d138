/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_PATCH_H
#define _KERNEL_KPROBES_PATCH_H

/* patch.c: patches the text at the sites of points */
#include <linux/kprobe_arch.h>

/**
 * enum kprobe_site_text - text to write at a site
 * @KPROBE_SITE_ORIGINAL:   the original bytes
 * @KPROBE_SITE_BREAKPOINT: a breakpoint, and the original bytes after it
 * @KPROBE_SITE_JUMP:       a jump to the point's detour
 */
enum kprobe_site_text {
	KPROBE_SITE_ORIGINAL,
	KPROBE_SITE_BREAKPOINT,
	KPROBE_SITE_JUMP,
};

void kprobe_patch_begin(void);
void kprobe_patch_add(const struct kprobe_point *point, enum kprobe_site_text text);
void kprobe_patch_end(void);
void kprobe_patch_unused(unsigned long addr, const u8 *text);
void kprobe_patch_step(const struct kprobe_patch *step, unsigned int nr);

#endif /* _KERNEL_KPROBES_PATCH_H */
