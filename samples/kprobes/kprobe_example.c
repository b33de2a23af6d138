// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe: logs who removes which file, and what comes of it.
 *
 *   modprobe kprobe_example
 *   touch /tmp/file; rm /tmp/file; dmesg | tail
 *   rmmod kprobe_example
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

/* int do_unlinkat(int dfd, struct filename *name) */
#define FUNCTION "do_unlinkat"

/*
 * Runs before the function's first instruction, so that its arguments are still in registers. A
 * handler must not sleep: user memory it reads by copy_from_user_nofault(). It logs at a limited
 * rate, because the function may be called at any rate.
 */
static int before(struct kprobe *p, struct pt_regs *regs)
{
	const struct filename *file = (void *)regs_get_kernel_argument(regs, 1);

	/* The function has not looked yet at what its caller got from user space. */
	if (IS_ERR(file))
		return 0;
	pr_info_ratelimited("%s removes %s\n", current->comm, file->name);
	return 0;
}

static struct kprobe call_probe = {
	.symbol_name	= FUNCTION,
	.pre_handler	= before,
};

/* Runs when the function has returned, before its caller goes on. */
static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	pr_info_ratelimited("%s gets %d\n", current->comm, (int)regs_return_value(regs));
	return 0;
}

static struct kretprobe return_probe = {
	.kp.symbol_name	= FUNCTION,
	.handler	= returned,
};

static int __init kprobe_example_init(void)
{
	int err;

	err = register_kprobe(&call_probe);
	if (err) {
		pr_err("cannot probe %s: %pe\n", FUNCTION, ERR_PTR(err));
		return err;
	}
	err = register_kretprobe(&return_probe);
	if (err) {
		pr_err("cannot probe the return of %s: %pe\n", FUNCTION, ERR_PTR(err));
		unregister_kprobe(&call_probe);
	}
	return err;
}

/* No handler runs any more when these return, so the module can go. */
static void __exit kprobe_example_exit(void)
{
	unregister_kretprobe(&return_probe);
	unregister_kprobe(&call_probe);
}

module_init(kprobe_example_init);
module_exit(kprobe_example_exit);
MODULE_DESCRIPTION("Kprobes: arguments and return values of a function");
MODULE_LICENSE("GPL");
