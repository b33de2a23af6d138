// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A return probe with data of its own for each call: logs how long a function takes.
 *
 *   modprobe kretprobe_example func=vfs_open
 *   cat /proc/version; dmesg | tail
 *   rmmod kretprobe_example
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

/* The probe keeps the pointer: the name must live as long as the probe. */
static char *func = "kernel_clone";
module_param(func, charp, 0444);
MODULE_PARM_DESC(func, "function to time");

/* Each call under way has its own, whatever other tasks do, and if the function calls itself. */
struct call {
	u64 entered;
};

/*
 * Runs when the function is called. Nonzero would leave this call alone. A probe may hit in any
 * context, also while the clock is set: the fast clocks can be read there.
 */
static int entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->entered = ktime_get_mono_fast_ns();
	return 0;
}

/* Runs when it returns. What a value means depends on the function: here it is taken for an int. */
static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	u64 took = ktime_get_mono_fast_ns() - call->entered;

	pr_info_ratelimited("%s: %s returned %d to %pS after %llu ns\n", current->comm, func,
			    (int)regs_return_value(regs), ri->ret_addr, took);
	return 0;
}

static struct kretprobe probe = {
	.entry_handler	= entry,
	.handler	= leave,
	.data_size	= sizeof(struct call),
};

static int __init kretprobe_example_init(void)
{
	int err;

	probe.kp.symbol_name = func;
	err = register_kretprobe(&probe);
	if (err)
		pr_err("cannot probe the return of %s: %pe\n", func, ERR_PTR(err));
	return err;
}

/* Calls that are under way return as ever. Those that found no instance were missed. */
static void __exit kretprobe_example_exit(void)
{
	unregister_kretprobe(&probe);
	pr_info("done with %s, %lu calls missed\n", func, probe.kp.nmissed + probe.nmissed);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);
MODULE_DESCRIPTION("Kprobes: a return probe with data for each call");
MODULE_LICENSE("GPL");
