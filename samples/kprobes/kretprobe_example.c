// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A return probe: what a function returns, and how long each call takes.
 *
 *   modprobe kretprobe_example symbol=hrtimer_nanosleep
 *   sleep 1; dmesg | tail -n 1
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

static char *symbol = "kernel_clone";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "function to probe, a module's as module:function");
module_param_named(func, symbol, charp, 0444);
MODULE_PARM_DESC(func, "the same as symbol");

static int maxactive;
module_param(maxactive, int, 0444);
MODULE_PARM_DESC(maxactive, "most calls in flight at once; 0: as many as come");

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "only calls of this process; 0: of all");

/* What is to be known about a call when it returns. */
struct call {
	u64 entered;
};

/*
 * Nonzero lets this call go unprobed: its return then costs nothing. The clock
 * has to be one that may be read in any context, NMIs included: on many
 * architectures a probe is a kind of NMI, and might have interrupted the very
 * code that sets the clock.
 */
static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	if (pid && pid != task_tgid_nr(ri->task))
		return 1;
	call->entered = ktime_get_mono_fast_ns();
	return 0;
}

/* The same instance as at entry, however many calls there are meanwhile. */
static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	u64 took = ktime_get_mono_fast_ns() - call->entered;
	unsigned long value = regs_return_value(regs);

	/* What is right depends on the function's type: an int, or more. */
	pr_info_ratelimited("%ps returned %d (0x%lx) to %pS after %llu ns\n",
			    ri->rp->kp.addr, (int)value, value, ri->ret_addr,
			    took);
	return 0;
}

static struct kretprobe probe = {
	.entry_handler	= enter,
	.handler	= leave,
	.data_size	= sizeof(struct call),
};

static int __init kretprobe_example_init(void)
{
	int err;

	probe.kp.symbol_name = symbol;
	probe.maxactive = maxactive;
	err = register_kretprobe(&probe);
	if (err) {
		pr_err("cannot probe the return of %s: %pe\n", symbol,
		       ERR_PTR(err));
		return err;
	}
	pr_info("probing the return of %ps, room for %d calls\n",
		probe.kp.addr, probe.maxactive);
	return 0;
}

/*
 * Calls that are under way return as if nobody had ever looked. Those that
 * found no instance left were counted: look at nmissed before believing the
 * rest of the figures.
 */
static void __exit kretprobe_example_exit(void)
{
	unregister_kretprobe(&probe);
	pr_info("done with %s, %d calls missed\n", symbol, probe.nmissed);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);
MODULE_DESCRIPTION("Kprobes: a probe on a function's return");
MODULE_LICENSE("GPL");
