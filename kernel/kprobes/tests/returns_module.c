// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A return probe, for kretprobes.sh and others in tools/testing/selftests/kprobes: logs what a
 * function returns, to whom, and how long each call takes.
 *
 *   insmod kprobes_returns.ko symbol=hrtimer_nanosleep [maxactive=1] [pid=1]
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

static int maxactive;
module_param(maxactive, int, 0444);
MODULE_PARM_DESC(maxactive, "most calls in flight at once; 0: as many as come");

static int pid;
module_param(pid, int, 0444);
MODULE_PARM_DESC(pid, "only calls of this process; 0: of all");

struct call {
	u64 entered;
};

static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	if (pid && pid != task_tgid_nr(ri->task))
		return 1;
	call->entered = ktime_get_mono_fast_ns();
	return 0;
}

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	u64 took = ktime_get_mono_fast_ns() - call->entered;
	unsigned long value = regs_return_value(regs);

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

static void __exit kretprobe_example_exit(void)
{
	unregister_kretprobe(&probe);
	pr_info("done with %s, %d calls missed\n", symbol, probe.nmissed);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);
MODULE_DESCRIPTION("Kprobes: a return probe, for tests");
MODULE_LICENSE("GPL");
