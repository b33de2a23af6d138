// SPDX-License-Identifier: GPL-2.0-or-later
/* A module that comes and goes, with probes on it. */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include "internal.h"

static struct task_struct *caller;

static noinline __noipa int storm_victim_called(int a)
{
	OPTIMIZER_HIDE_VAR(a);
	return a + 1;
}

static __init noinline __noipa int storm_victim_init_called(int a)
{
	OPTIMIZER_HIDE_VAR(a);
	return a + 2;
}

static int call(void *data)
{
	int n = 0;

	while (!kthread_should_stop()) {
		atomic_long_inc(&storm_victim_calls);
		n = storm_victim_called(n);
		usleep_range(100, 500);
	}
	return 0;
}

static int __init victim_init(void)
{
	int i;

	for (i = 0; i < 20; i++) {
		atomic_long_inc(&storm_victim_init_calls);
		storm_victim_init_called(i);
	}
	caller = kthread_run(call, NULL, "storm_victim");
	return PTR_ERR_OR_ZERO(caller);
}
module_init(victim_init);

static void __exit victim_exit(void)
{
	kthread_stop(caller);
}
module_exit(victim_exit);

MODULE_DESCRIPTION("Comes and goes while it is probed");
MODULE_LICENSE("GPL");
