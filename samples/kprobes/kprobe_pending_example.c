// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe that waits for its module. It can be set while the module is not there, is armed before
 * the module's init function runs, waits again when the module is unloaded, and is armed again when
 * it returns.
 *
 *   modprobe kprobe_pending_example symbol=MODULE:FUNCTION
 *   cat /sys/kernel/debug/kprobes/list
 *   modprobe MODULE; dmesg | tail
 *   rmmod kprobe_pending_example
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>

static char *symbol;
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "MODULE:FUNCTION to probe");

static int before(struct kprobe *p, struct pt_regs *regs)
{
	pr_info_ratelimited("%s is called\n", p->symbol_name);
	return 0;
}

static struct kprobe probe = {
	.pre_handler	= before,
	.flags		= KPROBE_FLAG_PENDING,
};

static int __init kprobe_pending_example_init(void)
{
	int err;

	/* The probe keeps the pointer. The parameter lives as long as this module. */
	probe.symbol_name = symbol;
	err = register_kprobe(&probe);
	if (err)
		pr_err("cannot probe %s: %pe\n", symbol, ERR_PTR(err));
	return err;
}

static void __exit kprobe_pending_example_exit(void)
{
	unregister_kprobe(&probe);
	pr_info("done with %s, %lu hits missed\n", symbol, probe.nmissed);
}

module_init(kprobe_pending_example_init);
module_exit(kprobe_pending_example_exit);
MODULE_DESCRIPTION("Kprobes: a probe that waits for its module");
MODULE_LICENSE("GPL");
