// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that tries to register a probe in the module kprobes_target whenever its
 * module notifier is called for that, for module_states.sh in
 * tools/testing/selftests/kprobes.
 *
 *   insmod kprobes_notified.ko
 *   cd /sys/module/kprobes_notified/parameters
 *   echo 1 >fail        # kprobes_target fails to load
 *   cat at_coming at_failing at_going	# errnos, 1 for not tried
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/string.h>

static bool fail;
module_param(fail, bool, 0644);
MODULE_PARM_DESC(fail, "have kprobes_target fail to load, after it was notified of");

static int at_coming = 1;
module_param(at_coming, int, 0444);
MODULE_PARM_DESC(at_coming, "result while the module comes");

static int at_failing = 1;
module_param(at_failing, int, 0444);
MODULE_PARM_DESC(at_failing, "result when it does not come after all");

static int at_going = 1;
module_param(at_going, int, 0444);
MODULE_PARM_DESC(at_going, "result while it goes");

static int try_to_probe(void)
{
	struct kprobe p = { .symbol_name = "kprobes_target:kprobes_target_function" };
	int ret = register_kprobe(&p);

	if (!ret)
		unregister_kprobe(&p);
	return ret;
}

static int notified(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct module *mod = data;

	if (strcmp(mod->name, "kprobes_target"))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_COMING)
		at_coming = try_to_probe();
	else if (event == MODULE_STATE_GOING && mod->state == MODULE_STATE_COMING)
		at_failing = try_to_probe();
	else if (event == MODULE_STATE_GOING)
		at_going = try_to_probe();
	return NOTIFY_OK;
}

static struct notifier_block notified_nb = {
	.notifier_call = notified,
};

/* The last notifier: it fails, so the others are called again with GOING. */
static int fail_coming(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct module *mod = data;

	if (event == MODULE_STATE_COMING && fail && !strcmp(mod->name, "kprobes_target"))
		return notifier_from_errno(-EPERM);
	return NOTIFY_DONE;
}

static struct notifier_block fail_nb = {
	.notifier_call = fail_coming,
	.priority = INT_MIN,
};

static int __init notified_init(void)
{
	int ret = register_module_notifier(&notified_nb);

	if (ret)
		return ret;
	ret = register_module_notifier(&fail_nb);
	if (ret)
		unregister_module_notifier(&notified_nb);
	return ret;
}

static void __exit notified_exit(void)
{
	unregister_module_notifier(&fail_nb);
	unregister_module_notifier(&notified_nb);
}

module_init(notified_init);
module_exit(notified_exit);
MODULE_DESCRIPTION("Kprobes: a module that probes another while that comes and goes");
MODULE_LICENSE("GPL");
