// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Restores text and kills its points before it goes away: text of modules, and init memory. Has the
 * probes that wait for a module be armed when it comes.
 *
 * A probe may be set in a module from the moment when module_event() has handled COMING until it
 * handles GOING. Registering checks the module under kprobe_mutex, so GOING sees all probes in the
 * module. No reference to the module is needed: rmmod never fails because of a registration.
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <asm/sections.h>

#include "mechanism.h"
#include "pending.h"
#include "place.h"
#include "point.h"

static void kill_points(unsigned long start, unsigned long size)
{
	unsigned long last = start + size - 1, addr = start;
	struct kprobe_point *point;
	LIST_HEAD(patched);
	LIST_HEAD(traced);

	if (!size)
		return;
	/*
	 * Take breakpoints, jumps and ftrace's calls out of the text first: a module's init text
	 * may still be running, and ftrace reports calls until the address leaves its filter.
	 */
	while ((point = kprobe_point_next(&addr, last)))
		if (kprobe_point_in_text(point))
			list_move_tail(&point->batch, point->mechanism == KPROBE_FTRACE ?
						      &traced : &patched);
	/* A point that switches to ftrace leaves its breakpoint to a sharing point. */
	kprobe_ftrace_disarm(&traced);
	kprobe_batch_restore(&patched);
	kprobe_batch_drop(&patched);
	kprobe_batch_drop(&traced);
	for (addr = start; (point = kprobe_point_next(&addr, last));)
		kprobe_point_kill(point);
}

/**
 * kprobe_free_init_mem() - disarm and mark the probes in the kernel's init memory
 *
 * The kernel calls this before it frees that memory.
 *
 * Context: Process context, may sleep.
 */
void kprobe_free_init_mem(void)
{
	guard(mutex)(&kprobe_mutex);
	kill_points((unsigned long)__init_begin, __init_end - __init_begin);
}

#ifdef CONFIG_MODULES
static void kill_module_text(struct module *mod, enum mod_mem_type type)
{
	kill_points((unsigned long)mod->mem[type].base, mod->mem[type].size);
}

/* The module's index and blacklist are there when the probes that wait for it are armed. */
static int module_comes(struct module *mod)
{
	int ret = kprobe_module_comes(mod) ?: kprobe_blacklist_add_module(mod);

	/* When this fails, GOING is sent only to the notifiers that were called before. */
	if (ret)
		kprobe_module_has_come(mod);
	else if (!is_livepatch_module(mod))
		kprobe_arm_waiting(mod);
	return ret;
}

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	int ret = 0;

	scoped_guard(mutex, &kprobe_mutex) {
		switch (event) {
		case MODULE_STATE_COMING:
			ret = module_comes(mod);
			break;
		case MODULE_STATE_LIVE:
			kprobe_module_has_come(mod);
			kill_module_text(mod, MOD_INIT_TEXT);
			kprobe_blacklist_remove_memory(&mod->mem[MOD_INIT_TEXT]);
			/* Until now it could not be probed: kprobe_module_comes(). */
			if (is_livepatch_module(mod))
				kprobe_arm_waiting(mod);
			break;
		case MODULE_STATE_GOING:
			kprobe_module_has_come(mod);
			kill_module_text(mod, MOD_INIT_TEXT);
			kill_module_text(mod, MOD_TEXT);
			kprobe_blacklist_remove_module(mod);
			kprobe_drop_index(mod);
			break;
		}
	}
	if (event != MODULE_STATE_COMING)
		kprobe_forget_places(mod);
	return notifier_from_errno(ret);
}

/*
 * Must be the first of all notifiers: others, such as trace_kprobe's, register probes in the module
 * that is coming, and its blacklist must be known by then.
 */
static struct notifier_block module_nb = {
	.notifier_call = module_event,
	.priority = INT_MAX,
};

static int __init init_modules(void)
{
	return register_module_notifier(&module_nb);
}
early_initcall(init_modules);
#endif /* CONFIG_MODULES */
