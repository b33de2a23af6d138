/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_LIVEPATCH_H
#define _KERNEL_KPROBES_LIVEPATCH_H

/* livepatch.c: finds text of livepatch modules that is relocated while it can be probed */
#include <linux/module.h>

struct klp_modinfo;

bool kprobe_relocates_late(const struct klp_modinfo *info, unsigned long start,
			   unsigned long end);

/*
 * The same for text of any module, or for other text if @mod is NULL. All text of a livepatch
 * module counts while that is coming: the loader copies the ELF file's sections after it has called
 * the notifiers.
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
