// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A batch of probes: counts calls of functions, and prints a summary when it is unloaded.
 *
 *   modprobe kprobe_batch_example symbols=vfs_open,vfs_read
 *   rmmod kprobe_batch_example; dmesg | tail
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/printk.h>

#define MAX_SYMBOLS	64

static char *symbols[MAX_SYMBOLS] = { "vfs_open", "vfs_read", "vfs_write" };
static int nr_symbols = 3;
module_param_array(symbols, charp, &nr_symbols, 0444);
MODULE_PARM_DESC(symbols, "functions whose calls to count");

static struct kprobe probes[MAX_SYMBOLS];
static struct kprobe *batch[MAX_SYMBOLS];

/* Handlers of one probe run on several CPUs at a time. A count for each CPU needs no atomics. */
static DEFINE_PER_CPU(unsigned long [MAX_SYMBOLS], calls);

static int count(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(calls[p - probes]);
	return 0;
}

/*
 * The probes are checked first, and then written to the kernel's text together. That is faster than
 * one after the other. If one symbol is wrong, none is probed.
 */
static int __init kprobe_batch_example_init(void)
{
	int err, i;

	for (i = 0; i < nr_symbols; i++) {
		probes[i].symbol_name = symbols[i];
		probes[i].pre_handler = count;
		batch[i] = &probes[i];
	}
	err = register_kprobes(batch, nr_symbols);
	if (err)
		pr_err("cannot probe all of the functions: %pe\n", ERR_PTR(err));
	return err;
}

/* A call is missed if its handler could not run: /sys/kernel/debug/kprobes/points says why. */
static void __exit kprobe_batch_example_exit(void)
{
	unsigned long sum;
	int cpu, i;

	unregister_kprobes(batch, nr_symbols);
	for (i = 0; i < nr_symbols; i++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += per_cpu(calls[i], cpu);
		pr_info("%s: %lu calls, %lu missed\n", symbols[i], sum, probes[i].nmissed);
	}
}

module_init(kprobe_batch_example_init);
module_exit(kprobe_batch_example_exit);
MODULE_DESCRIPTION("Kprobes: a batch of probes");
MODULE_LICENSE("GPL");
