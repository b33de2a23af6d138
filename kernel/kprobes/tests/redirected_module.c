// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that redirects calls of a function, as a livepatch does, to where they go anyway. A
 * probe at the function's entry then uses ftrace, for tests in tools/testing/selftests/kprobes.
 *
 *   insmod kprobes_redirected.ko function=NAME
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static char *function;
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "name of the function, which ftrace must know");

static void go_on(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		  struct ftrace_regs *fregs)
{
}

static struct ftrace_ops redirection = {
	.func = go_on,
	.flags = FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED | FTRACE_OPS_FL_IPMODIFY,
};

static int __init redirect_init(void)
{
	int ret;

	if (!function)
		return -EINVAL;
	ret = ftrace_set_filter(&redirection, function, strlen(function), 1);
	if (!ret)
		ret = register_ftrace_function(&redirection);
	if (ret)
		ftrace_free_filter(&redirection);
	return ret;
}
module_init(redirect_init);

static void __exit redirect_exit(void)
{
	unregister_ftrace_function(&redirection);
	ftrace_free_filter(&redirection);
}
module_exit(redirect_exit);

MODULE_DESCRIPTION("Redirects calls of a function to itself, for tests of probes at its entry");
MODULE_LICENSE("GPL");
