// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module with a probe and a return probe that wait for another module, for pending.sh in
 * tools/testing/selftests/kprobes.
 *
 *   insmod kprobes_pending.ko symbol=MODULE:FUNCTION [off=1]
 *   cd /sys/module/kprobes_pending/parameters
 *   cat hits returns disordered
 *   echo 1 >off		# disables both, 0 enables them
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "the function");

static unsigned int hits;
module_param(hits, uint, 0444);
MODULE_PARM_DESC(hits, "how often it was entered");

static unsigned int returns;
module_param(returns, uint, 0444);
MODULE_PARM_DESC(returns, "how often it has returned");

static unsigned int disordered;
module_param(disordered, uint, 0444);
MODULE_PARM_DESC(disordered, "how often the handler of the older probe ran first");

static unsigned int entries;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	disordered += hits != entries;
	return 0;
}

/* Of the newer probe. */
static int count_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	entries++;
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns++;
	return 0;
}

static struct kprobe hit = { .pre_handler = count_hit };
static struct kretprobe ret = { .entry_handler = count_entry, .handler = count_return };
static bool off;
static bool registered;

static int off_set(const char *text, const struct kernel_param *param)
{
	int error = param_set_bool(text, param);

	if (error || !registered)
		return error;
	if (off)
		return disable_kprobe(&hit) ?: disable_kprobe(&ret.kp);
	return enable_kprobe(&hit) ?: enable_kprobe(&ret.kp);
}

static const struct kernel_param_ops off_ops = {
	.set = off_set,
	.get = param_get_bool,
};
module_param_cb(off, &off_ops, &off, 0644);
MODULE_PARM_DESC(off, "whether the probes are disabled");

static int __init pending_init(void)
{
	u32 flags = KPROBE_FLAG_PENDING | (off ? KPROBE_FLAG_DISABLED : 0);
	int error;

	hit.symbol_name = symbol;
	hit.flags = flags;
	ret.kp.symbol_name = symbol;
	ret.kp.flags = flags;
	error = register_kprobe(&hit);
	if (error)
		return error;
	error = register_kretprobe(&ret);
	if (error)
		unregister_kprobe(&hit);
	registered = !error;
	return error;
}
module_init(pending_init);

static void __exit pending_exit(void)
{
	unregister_kretprobe(&ret);
	unregister_kprobe(&hit);
}
module_exit(pending_exit);

MODULE_DESCRIPTION("Probes that wait for a module, for tests");
MODULE_LICENSE("GPL");
