// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A batch of probes, another execution path, and data that belongs to a call, for handlers.sh and
 * others in tools/testing/selftests/kprobes. They also probe its function hits_get().
 *
 *   insmod kprobes_batch.ko symbols=vfs_open,vfs_read
 *   cd /sys/module/kprobes_batch/parameters
 *   cat hits                      # calls hits_get(): a line for each symbol, with hits and misses
 *   echo 1 >refuse; cat hits      # reads fail: hits_refused() ran instead
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sysfs.h>

#define MAX_SYMBOLS	16

static char *symbols[MAX_SYMBOLS] = { "vfs_open", "vfs_read", "vfs_write" };
static int nr_symbols = 3;
module_param_array(symbols, charp, &nr_symbols, 0444);
MODULE_PARM_DESC(symbols, "functions whose calls to count");

static bool refuse;
module_param(refuse, bool, 0644);
MODULE_PARM_DESC(refuse, "have reads of the parameter hits fail");

struct counter {
	struct kprobe probe;
	atomic_long_t hits;
};

static struct counter counters[MAX_SYMBOLS];
static struct kprobe *batch[MAX_SYMBOLS];

static int count(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&container_of(p, struct counter, probe)->hits);
	return 0;
}

static int __init count_symbols(void)
{
	int i;

	for (i = 0; i < nr_symbols; i++) {
		counters[i].probe.symbol_name = symbols[i];
		counters[i].probe.pre_handler = count;
		batch[i] = &counters[i].probe;
	}
	return register_kprobes(batch, nr_symbols);
}

/* It is called through a pointer, so that the compiler cannot inline it. */
static int hits_get(char *buffer, const struct kernel_param *param)
{
	int i, len = 0;

	for (i = 0; i < nr_symbols; i++)
		len += sysfs_emit_at(buffer, len, "%s %ld %lu\n", symbols[i],
				     atomic_long_read(&counters[i].hits),
				     counters[i].probe.nmissed);
	return len;
}

static const struct kernel_param_ops hits_ops = {
	.get = hits_get,
};
module_param_cb(hits, &hits_ops, NULL, 0444);
MODULE_PARM_DESC(hits, "symbol, hits and misses, a line each");

static int hits_refused(char *buffer, const struct kernel_param *param)
{
	return -EIO;
}

static int divert(struct kprobe *p, struct pt_regs *regs)
{
	if (!READ_ONCE(refuse))
		return 0;
	instruction_pointer_set(regs, (unsigned long)hits_refused);
	return 1;
}

static struct kprobe diversion = {
	.symbol_name	= KBUILD_MODNAME ":hits_get",
	.pre_handler	= divert,
};

struct call {
	long number;
};

static atomic_long_t calls;

static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	((struct call *)ri->data)->number = atomic_long_inc_return(&calls);
	return 0;
}

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	pr_info_ratelimited("call %ld by %s[%d] returned %d\n", call->number,
			    ri->task->comm, task_pid_nr(ri->task),
			    (int)regs_return_value(regs));
	return 0;
}

static struct kretprobe returns = {
	.kp.symbol_name	= KBUILD_MODNAME ":hits_get",
	.entry_handler	= enter,
	.handler	= leave,
	.data_size	= sizeof(struct call),
};

/*
 * Of the probes at one address the newest runs first. The return probe comes
 * last: after a diversion it would not be reached, and count a miss.
 */
static int __init kprobe_batch_example_init(void)
{
	int err;

	err = count_symbols();
	if (err)
		goto fail;
	err = register_kprobe(&diversion);
	if (err)
		goto uncount;
	err = register_kretprobe(&returns);
	if (err)
		goto undivert;
	pr_info("counting calls of %d functions\n", nr_symbols);
	return 0;

undivert:
	unregister_kprobe(&diversion);
uncount:
	unregister_kprobes(batch, nr_symbols);
fail:
	pr_err("cannot probe all functions: %pe\n", ERR_PTR(err));
	return err;
}

static void __exit kprobe_batch_example_exit(void)
{
	int i;

	unregister_kretprobe(&returns);
	unregister_kprobe(&diversion);
	unregister_kprobes(batch, nr_symbols);
	for (i = 0; i < nr_symbols; i++)
		pr_info("%s: %ld hits, %lu missed\n", symbols[i],
			atomic_long_read(&counters[i].hits),
			counters[i].probe.nmissed);
}

module_init(kprobe_batch_example_init);
module_exit(kprobe_batch_example_exit);
MODULE_DESCRIPTION("Kprobes: a batch, a changed execution path, data of a call, for tests");
MODULE_LICENSE("GPL");
