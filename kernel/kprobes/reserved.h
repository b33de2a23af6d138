/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_RESERVED_H
#define _KERNEL_KPROBES_RESERVED_H

/* reserved.c: text that other subsystems patch, read, or jump to */
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/static_call.h>
#include <asm/sections.h>

/* Is this text of the kernel's image? Init text counts too, also after it was freed. */
static inline bool kprobe_is_image_text(unsigned long addr)
{
	return is_kernel_text(addr) || is_kernel_inittext(addr);
}

#ifndef CONFIG_HAVE_STATIC_CALL_INLINE
static inline void static_call_lock(void) { }
static inline void static_call_unlock(void) { }
#endif

/*
 * A module's jump labels and static calls are sorted while the module comes, when its text can be
 * probed already. Searching them for @addr needs the mutexes that the sorting takes. Lock order:
 * before text_mutex.
 */
static inline void kprobe_reserved_lock(unsigned long addr)
{
	if (kprobe_is_image_text(addr))
		return;
	jump_label_lock();
	static_call_lock();
}

static inline void kprobe_reserved_unlock(unsigned long addr)
{
	if (kprobe_is_image_text(addr))
		return;
	static_call_unlock();
	jump_label_unlock();
}

bool kprobe_text_is_reserved(struct module *mod, unsigned long start,
			     unsigned long end);
bool kprobe_jump_label_lands_in(struct module *mod, unsigned long start,
				unsigned long end);
bool kprobe_fixup_lands_in(struct module *mod, unsigned long start,
			   unsigned long end);
bool kprobe_fixup_is_shared(unsigned long start, unsigned long end);
bool kprobe_fault_is_expected(struct module *mod, unsigned long start,
			      unsigned long end);
unsigned long kprobe_next_label_target(struct module *mod, unsigned long *site,
				       unsigned long end);
unsigned long kprobe_next_fixup(struct module *mod, unsigned long *site,
				unsigned long end);

#endif /* _KERNEL_KPROBES_RESERVED_H */
