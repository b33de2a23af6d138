// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A probe on one instruction, with each kind of handler, for handlers.sh and others in
 * tools/testing/selftests/kprobes. Every hit logs a few registers twice, as they are in front of
 * the probed instruction and as it leaves them. At a function's entry and return, two of them have
 * its first argument and its result.
 *
 *   insmod kprobes_handlers.ko symbol=vfs_open [offset=0]
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/ptrace.h>

#include "kprobes_test.h"

static char *symbol = "kernel_clone";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "function to probe, a module's as module:function");

static unsigned int offset;
module_param(offset, uint, 0444);
MODULE_PARM_DESC(offset, "bytes from its start, where an instruction begins");

static void log_registers(const char *when, struct kprobe *p,
			  struct pt_regs *regs)
{
	pr_info_ratelimited("%s %pS: ip %pS, sp 0x%lx, argument 0x%lx, result 0x%lx\n",
			    when, p->addr, (void *)instruction_pointer(regs),
			    (unsigned long)kernel_stack_pointer(regs),
			    (unsigned long)TEST_ARG(regs), (unsigned long)TEST_RESULT(regs));
}

static int before(struct kprobe *p, struct pt_regs *regs)
{
	log_registers("before", p, regs);
	return 0;
}

static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	log_registers("after", p, regs);
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	pr_info_ratelimited("fault %d at %pS\n", trapnr, p->addr);
	return 0;
}

static struct kprobe probe = {
	.pre_handler	= before,
	.post_handler	= after,
	.fault_handler	= on_fault,
};

static int __init kprobe_example_init(void)
{
	int err;

	probe.symbol_name = symbol;
	probe.offset = offset;
	err = register_kprobe(&probe);
	if (err) {
		pr_err("cannot probe %s+0x%x: %pe\n", symbol, offset,
		       ERR_PTR(err));
		return err;
	}
	pr_info("probing %pS\n", probe.addr);
	return 0;
}

static void __exit kprobe_example_exit(void)
{
	unregister_kprobe(&probe);
	pr_info("done with %s+0x%x, %lu hits missed\n", symbol, offset,
		probe.nmissed);
}

module_init(kprobe_example_init);
module_exit(kprobe_example_exit);
MODULE_DESCRIPTION("Kprobes: a probe with each kind of handler, for tests");
MODULE_LICENSE("GPL");
