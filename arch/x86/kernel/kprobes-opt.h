/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _X86_KERNEL_KPROBES_OPT_H
#define _X86_KERNEL_KPROBES_OPT_H

/* The code that a jump or breakpoint at a probe's site leads to. */
#include <linux/kprobe_point.h>

/*
 * kprobes-trampoline.S: the templates, how many bytes are on the stack at each byte of
 * them, the symbols that stand for detours in stack traces, and what detours jump to.
 */
extern const u8 kprobe_detour_save_template[], kprobe_detour_save_template_end[];
extern const u8 kprobe_detour_save_template_ip[];
extern const u8 kprobe_detour_restore_template[], kprobe_detour_restore_template_end[];
extern const u8 kprobe_detour_save_pushed[], kprobe_detour_restore_pushed[];
extern const u8 kprobe_detour_saved[], kprobe_detour_saved_post[];
#define X86_DETOUR_SAVE_SIZE \
	(kprobe_detour_save_template_end - kprobe_detour_save_template)
#define X86_DETOUR_RESTORE_SIZE \
	(kprobe_detour_restore_template_end - kprobe_detour_restore_template)

void kprobe_detour_stale(void);
void kprobe_detour_slow(void);
void kprobe_detour_divert(void);
void kprobe_detour_post_stale(void);
void kprobe_detour_post_slow(void);
extern const u8 kprobe_detour_stale_end[];

/* A detour calls at most so many pre-handlers and so many post-handlers itself. */
#define X86_DETOUR_HANDLERS	4

/* Writes a detour, whose @direct is set, and fills in where things are in it. */
void x86_emit_detour(struct kprobe_detour *detour, const struct kprobe_region *region,
		     struct kprobe_code *code);

#endif /* _X86_KERNEL_KPROBES_OPT_H */
