// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A livepatch of a function of the module kprobes_target, for livepatch.sh in
 * tools/testing/selftests/kprobes. It adds 100 to what the function returns.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

static int kprobes_livepatched_function(int x)
{
	return x + 101;
}

static struct klp_func funcs[] = {
	{
		.old_name = "kprobes_target_function",
		.new_func = kprobes_livepatched_function,
	}, { }
};

static struct klp_object objs[] = {
	{
		.name = "kprobes_target",
		.funcs = funcs,
	}, { }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init kprobes_livepatched_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit kprobes_livepatched_exit(void)
{
}

module_init(kprobes_livepatched_init);
module_exit(kprobes_livepatched_exit);
MODULE_DESCRIPTION("Kprobes: a livepatch of a function that tests probe");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
