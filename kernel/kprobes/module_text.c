// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the module of an address, and checks whether the module can be probed now: from the moment
 * when its COMING notifier has run until its GOING notifier runs, see module.c.
 */
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "module_text.h"

#ifdef CONFIG_MODULES

/**
 * struct coming_module - a module between its COMING and LIVE notifiers
 * @mod:  the module
 * @list: in coming_modules; kprobe_mutex
 *
 * A module's state is COMING before its COMING notifier has run. If loading fails by then, no GOING
 * notifier runs, so no probe must have been registered in the module.
 */
struct coming_module {
	struct module *mod;
	struct list_head list;
};

static LIST_HEAD(coming_modules);

static struct coming_module *find_coming(const struct module *mod)
{
	struct coming_module *coming;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(coming, &coming_modules, list)
		if (coming->mod == mod)
			return coming;
	return NULL;
}

/* Will a GOING notifier run, and take kprobe_mutex, before the module's text is freed? */
static bool will_notify(const struct module *mod)
{
	return mod->state == MODULE_STATE_LIVE ||
	       (mod->state == MODULE_STATE_COMING && find_coming(mod));
}

/*
 * The module that an address in text belongs to. Its text is not freed before kprobe_mutex is
 * released. NULL also if the module's COMING notifier has not run yet, or if the module is going.
 */
struct module *kprobe_module_of(unsigned long addr)
{
	struct module *mod;

	lockdep_assert_held(&kprobe_mutex);
	guard(preempt)();
	mod = __module_text_address(addr);
	return mod && will_notify(mod) ? mod : NULL;
}

static enum kprobe_reason check_module(struct module *mod, unsigned long addr)
{
	switch (mod->state) {
	case MODULE_STATE_LIVE:
		if (!within_module_init(addr, mod))
			return KPROBE_REASON_NONE;
		return KPROBE_REASON_INIT_TEXT;
	case MODULE_STATE_COMING:
		if (find_coming(mod))
			return KPROBE_REASON_NONE;
		return KPROBE_REASON_MODULE_COMING;
	default:
		return KPROBE_REASON_MODULE_GOING;
	}
}

/*
 * May text of a module be probed at @addr? @known is NULL, or a module that kprobe_module_of() has
 * returned under the same hold of kprobe_mutex.
 */
enum kprobe_reason kprobe_check_module_text(const struct module *known, unsigned long addr)
{
	struct module *mod;

	lockdep_assert_held(&kprobe_mutex);
	if (known && within_module_mem_type(addr, known, MOD_TEXT))
		return KPROBE_REASON_NONE;
	/* The module's structure is not freed while its state is read. */
	guard(preempt)();
	mod = __module_text_address(addr);
	return mod ? check_module(mod, addr) : KPROBE_REASON_NO_TEXT;
}

/*
 * Notes that a module's COMING notifier has run. A livepatch module cannot be probed before it is
 * live: the loader copies its relocations after it has called the notifiers. Returns -ENOMEM or 0.
 */
int kprobe_module_comes(struct module *mod)
{
	struct coming_module *coming;

	if (is_livepatch_module(mod))
		return 0;
	coming = kzalloc(sizeof(*coming), GFP_KERNEL);
	if (!coming)
		return -ENOMEM;
	coming->mod = mod;
	list_add(&coming->list, &coming_modules);
	return 0;
}

/* Notes that a module is live or going, or that its COMING notifier has failed. */
void kprobe_module_has_come(struct module *mod)
{
	struct coming_module *coming = find_coming(mod);

	if (!coming)
		return;
	list_del(&coming->list);
	kfree(coming);
}

#else /* !CONFIG_MODULES */

enum kprobe_reason kprobe_check_module_text(const struct module *known, unsigned long addr)
{
	return KPROBE_REASON_NO_TEXT;
}

#endif /* CONFIG_MODULES */
