/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_LIVEPATCH_H
#define _KERNEL_KPROBES_LIVEPATCH_H

/* livepatch.c: text of livepatch modules that is relocated while it can be probed */
#include <linux/module.h>

struct klp_modinfo;

bool kprobe_relocates_late(const struct klp_modinfo *info, unsigned long start,
			   unsigned long end);

/**
 * kprobe_is_relocated_late() - the same for any text
 * @mod:   the module that the text is in, or NULL
 * @start: first byte, where an instruction begins
 * @end:   the byte after the last, where another instruction begins
 *
 * Of a livepatch module that is coming, nothing is known yet: the loader copies the ELF
 * file's sections after it has called the notifiers. All of its text counts.
 *
 * Context: Process context, kprobe_mutex held.
 * Return: As kprobe_relocates_late().
 */
static inline bool kprobe_is_relocated_late(const struct module *mod, unsigned long start,
					    unsigned long end)
{
#ifdef CONFIG_LIVEPATCH
	return mod && mod->klp && (READ_ONCE(mod->state) != MODULE_STATE_LIVE ||
				   kprobe_relocates_late(mod->klp_info, start, end));
#else
	return false;
#endif
}

#endif /* _KERNEL_KPROBES_LIVEPATCH_H */
