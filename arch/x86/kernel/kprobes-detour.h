/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _X86_KERNEL_KPROBES_DETOUR_H
#define _X86_KERNEL_KPROBES_DETOUR_H

/*
 * The code that a jump or breakpoint at a probe's site leads to. It is written into byte
 * buffers, and depends on struct x86_detour_spec alone.
 */
#include <linux/kprobe_point.h>
#include <linux/types.h>

/*
 * kprobes-trampoline.S: the templates, how many bytes are on the stack at each byte of
 * them, the symbols that stand for detours in stack traces, and what detours jump to.
 */
extern const u8 kprobe_detour_save_template[], kprobe_detour_save_template_end[];
extern const u8 kprobe_detour_save_template_ip[];
extern const u8 kprobe_detour_restore_template[], kprobe_detour_restore_template_end[];
extern const u8 kprobe_detour_save_pushed[], kprobe_detour_restore_pushed[];
extern const u8 kprobe_detour_saved[], kprobe_detour_saved_post[];
extern const u8 kprobe_detour_pushed[];
#define X86_DETOUR_SAVE_SIZE \
	(kprobe_detour_save_template_end - kprobe_detour_save_template)
#define X86_DETOUR_RESTORE_SIZE \
	(kprobe_detour_restore_template_end - kprobe_detour_restore_template)

void kprobe_detour_stale(void);
void kprobe_detour_slow(void);
void kprobe_detour_divert(void);
extern const u8 kprobe_detour_stale_end[];

/* A detour calls at most so many pre-handlers and so many post-handlers itself. */
#define X86_DETOUR_HANDLERS	4

/**
 * struct x86_detour_call - a handler to be called
 * @probe:   its probe
 * @handler: its address
 * @diverts: it may return nonzero, to change the execution path
 */
struct x86_detour_call {
	unsigned long probe;
	unsigned long handler;
	bool diverts;
};

/**
 * struct x86_detour_spec - what a detour must do
 * @point:      address of the point
 * @generation: the point's; as long as it is the same, the detour calls the handlers
 * @addr:       the probed address
 * @site:       the region's start: @addr, or after it for a function's entry
 * @region:     the region
 * @insns:      its bytes
 * @direct:     whether the detour may call handlers itself
 * @clac:       whether user access has to be turned off before calling C
 * @cld:        whether the direction flag may be set
 * @nr_pre:     how many pre-handlers there are
 * @nr_post:    how many post-handlers there are
 * @pre:        the pre-handlers, in order
 * @post:       the post-handlers, in order
 */
struct x86_detour_spec {
	unsigned long point;
	u32 generation;
	unsigned long addr;
	unsigned long site;
	const struct kprobe_region *region;
	const u8 *insns;
	bool direct;
	bool clac;
	bool cld;
	u8 nr_pre;
	u8 nr_post;
	struct x86_detour_call pre[X86_DETOUR_HANDLERS];
	struct x86_detour_call post[X86_DETOUR_HANDLERS];
};

/**
 * x86_emit_detour() - write a detour
 * @spec:   what it must do
 * @buf:    room for %KPROBE_DETOUR_MAX_SIZE bytes
 * @detour: its @entry is the address that the code will run from; everything
 *          that tells where things are is filled in
 *
 * Context: Any.
 * Return: The length in bytes, -ERANGE when something is out of reach.
 */
int x86_emit_detour(const struct x86_detour_spec *spec, u8 *buf,
		    struct kprobe_detour *detour);

#endif /* _X86_KERNEL_KPROBES_DETOUR_H */
