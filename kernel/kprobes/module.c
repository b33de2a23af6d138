// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text that comes and goes: modules, and init memory.
 *
 * A probe may be set in a module from the moment its COMING notifier has run
 * here until its GOING notifier runs. Both take kprobe_mutex, and registering
 * checks under it: so whatever was registered is seen by GOING, no reference
 * to the module is needed, and rmmod never fails because of a registration
 * that happens to be under way.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <asm/sections.h>

#include "internal.h"

/*
 * The mechanism leaves the text first: a module's init text may still be
 * running, and ftrace keeps calling for a site until it is told otherwise.
 */
static void restore_text(unsigned long start, unsigned long size)
{
	LIST_HEAD(patched);
	LIST_HEAD(traced);
	struct kprobe_point *point;
	unsigned long addr = start;

	while ((point = kprobe_point_next(&addr, start + size - 1))) {
		if (!kprobe_point_in_text(point))
			continue;
		list_move_tail(&point->batch, point->mechanism == KPROBE_FTRACE ?
					      &traced : &patched);
	}
	/* One that moves leaves its breakpoint to the point that shares it. */
	kprobe_ftrace_disarm(&traced);
	kprobe_batch_restore(&patched);
	kprobe_batch_drop(&patched);
	kprobe_batch_drop(&traced);
}

static void kill_points(unsigned long start, unsigned long size)
{
	struct kprobe_point *point;
	unsigned long addr = start;

	if (!size)
		return;
	restore_text(start, size);
	while ((point = kprobe_point_next(&addr, start + size - 1)))
		kprobe_point_kill(point);
}

/**
 * kprobe_free_init_mem() - the kernel's init memory is about to be freed
 *
 * Context: Process context, may sleep.
 */
void kprobe_free_init_mem(void)
{
	mutex_lock(&kprobe_mutex);
	kill_points((unsigned long)__init_begin, __init_end - __init_begin);
	kprobe_drop_functions(NULL);
	mutex_unlock(&kprobe_mutex);
}
NOKPROBE_SYMBOL(kprobe_free_init_mem);

#ifdef CONFIG_MODULES

/**
 * struct coming_module - a module between its COMING and LIVE notifiers
 * @mod:  the module
 * @list: in coming_modules; kprobe_mutex
 *
 * A module may also fail before its COMING notifier has run; it then goes
 * without a GOING notifier, and nothing must have been registered in it.
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

/* The module that was asked for last; kprobe_mutex. */
static struct module *last_module;

/* Will a notifier tell, and wait for kprobe_mutex, before the module goes? */
static bool will_tell(const struct module *mod)
{
	return mod->state == MODULE_STATE_LIVE ||
	       (mod->state == MODULE_STATE_COMING && find_coming(mod));
}

/**
 * kprobe_module_of() - the module that an address in text belongs to
 * @addr: any address
 *
 * Context: Process context, kprobe_mutex held. The module cannot go before that
 * is let go.
 * Return: The module. NULL when it is no module's text, or that of a module that
 * has not come yet or is going.
 */
struct module *kprobe_module_of(unsigned long addr)
{
	struct module *mod = last_module;

	lockdep_assert_held(&kprobe_mutex);
	if (mod && within_module_mem_type(addr, mod, MOD_TEXT))
		return mod;
	guard(preempt)();
	mod = __module_text_address(addr);
	if (!mod || !will_tell(mod))
		return NULL;
	last_module = mod;
	return mod;
}
NOKPROBE_SYMBOL(kprobe_module_of);

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

/**
 * kprobe_check_module_text() - is this text of a module that stays for now?
 * @addr: any address
 *
 * Context: Process context, kprobe_mutex held.
 * Return: %KPROBE_REASON_NONE, or why not.
 */
enum kprobe_reason kprobe_check_module_text(unsigned long addr)
{
	struct module *mod;

	lockdep_assert_held(&kprobe_mutex);
	/* The module itself cannot go while its state is looked at. */
	guard(preempt)();
	mod = __module_text_address(addr);
	return mod ? check_module(mod, addr) : KPROBE_REASON_NO_TEXT;
}
NOKPROBE_SYMBOL(kprobe_check_module_text);

static int module_coming(struct module *mod)
{
	struct coming_module *coming = kzalloc(sizeof(*coming), GFP_KERNEL);

	if (!coming)
		return -ENOMEM;
	coming->mod = mod;
	list_add(&coming->list, &coming_modules);
	kprobe_blacklist_add_module(mod);
	return 0;
}

static void module_is_no_longer_coming(struct module *mod)
{
	struct coming_module *coming = find_coming(mod);

	if (!coming)
		return;
	list_del(&coming->list);
	kfree(coming);
}

static void kill_module_text(struct module *mod, enum mod_mem_type type)
{
	kill_points((unsigned long)mod->mem[type].base, mod->mem[type].size);
}

static int module_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	struct module *mod = data;
	int ret = 0;

	mutex_lock(&kprobe_mutex);
	last_module = NULL;
	kprobe_drop_functions(mod);
	switch (event) {
	case MODULE_STATE_COMING:
		ret = module_coming(mod);
		break;
	case MODULE_STATE_LIVE:
		module_is_no_longer_coming(mod);
		kill_module_text(mod, MOD_INIT_TEXT);
		kprobe_blacklist_remove_memory(&mod->mem[MOD_INIT_TEXT]);
		break;
	case MODULE_STATE_GOING:
		module_is_no_longer_coming(mod);
		kill_module_text(mod, MOD_INIT_TEXT);
		kill_module_text(mod, MOD_TEXT);
		kprobe_blacklist_remove_module(mod);
		break;
	}
	mutex_unlock(&kprobe_mutex);
	return notifier_from_errno(ret);
}

/*
 * First of all notifiers: others, as trace_kprobe's, register probes in the
 * module that is coming, and the blacklist has to be there by then.
 */
static struct notifier_block module_nb = {
	.notifier_call = module_event,
	.priority = INT_MAX,
};

/**
 * kprobe_module_init() - begin to follow modules
 *
 * Context: Boot.
 * Return: 0 or a negative errno.
 */
int __init kprobe_module_init(void)
{
	return register_module_notifier(&module_nb);
}

#else /* !CONFIG_MODULES */

enum kprobe_reason kprobe_check_module_text(unsigned long addr)
{
	return KPROBE_REASON_NO_TEXT;
}
NOKPROBE_SYMBOL(kprobe_check_module_text);

int __init kprobe_module_init(void)
{
	return 0;
}

#endif /* CONFIG_MODULES */
