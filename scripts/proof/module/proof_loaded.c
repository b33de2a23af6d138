// SPDX-License-Identifier: GPL-2.0-or-later
/* A module that the workload loads and unloads. */
#include <linux/module.h>
#include <linux/slab.h>

static unsigned int count = 1;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "how many objects to allocate");

static void **objects;

static int __init proof_loaded_init(void)
{
	unsigned int i;

	objects = kcalloc(count, sizeof(*objects), GFP_KERNEL);
	if (!objects)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		objects[i] = kzalloc(64, GFP_KERNEL);
	return 0;
}
module_init(proof_loaded_init);

static void __exit proof_loaded_exit(void)
{
	while (count)
		kfree(objects[--count]);
	kfree(objects);
}
module_exit(proof_loaded_exit);

MODULE_DESCRIPTION("Comes and goes while the kernel is swept");
MODULE_LICENSE("GPL");
