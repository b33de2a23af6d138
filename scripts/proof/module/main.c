// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device that the sweep's guest drives. Records of a phase are written to it, results are
 * read, and the rest are ioctls, see proof.h.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "probes.h"

static DEFINE_MUTEX(lock);

static ssize_t write_plan(struct file *file, const char __user *buf, size_t size, loff_t *pos)
{
	void *records;
	int ret;

	if (!size || size % sizeof(struct proof_record))
		return -EINVAL;
	records = vmemdup_user(buf, size);
	if (IS_ERR(records))
		return PTR_ERR(records);
	scoped_guard(mutex, &lock)
		ret = proof_load(records, size / sizeof(struct proof_record));
	kvfree(records);
	*pos = 0;
	return ret ?: size;
}

/* A result at a time. */
static ssize_t read_results(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	struct proof_result result;
	int ret;

	if (size < sizeof(result))
		return -EINVAL;
	scoped_guard(mutex, &lock)
		ret = proof_result(*pos, &result);
	if (ret)
		return 0;
	if (copy_to_user(buf, &result, sizeof(result)))
		return -EFAULT;
	++*pos;
	return sizeof(result);
}

static long put(void __user *to, const void *from, size_t size)
{
	return copy_to_user(to, from, size) ? -EFAULT : 0;
}

static long examine(void __user *arg)
{
	struct proof_examination examination;

	if (copy_from_user(&examination, arg, sizeof(examination)))
		return -EFAULT;
	proof_examine(&examination);
	return put(arg, &examination, sizeof(examination));
}

static long compare_text(void __user *arg)
{
	struct proof_difference difference;
	int ret;

	if (copy_from_user(&difference, arg, sizeof(difference)))
		return -EFAULT;
	ret = proof_compare_text(&difference);
	return ret ?: put(arg, &difference, sizeof(difference));
}

static long set_text(void __user *arg)
{
	struct proof_text text;

	if (copy_from_user(&text, arg, sizeof(text)))
		return -EFAULT;
	return proof_set_text(&text);
}

static long set_interrupts(void __user *arg)
{
	u32 on;

	if (copy_from_user(&on, arg, sizeof(on)))
		return -EFAULT;
	return proof_interrupt(on);
}

static long note_mechanism(void __user *arg)
{
	u32 optimized;

	if (copy_from_user(&optimized, arg, sizeof(optimized)))
		return -EFAULT;
	proof_note_mechanism(optimized);
	return 0;
}

static long command(struct file *file, unsigned int number, unsigned long value)
{
	void __user *arg = (void __user *)value;
	struct proof_armed armed = {};
	u32 jumps;

	guard(mutex)(&lock);
	switch (number) {
	case PROOF_TEXT:
		return set_text(arg);
	case PROOF_EXAMINE:
		return examine(arg);
	case PROOF_COPY:
		return proof_copy_text();
	case PROOF_ARM:
		proof_arm(&armed);
		return put(arg, &armed, sizeof(armed));
	case PROOF_JUMPS:
		jumps = proof_jumps();
		return put(arg, &jumps, sizeof(jumps));
	case PROOF_DISARM:
		proof_disarm();
		return 0;
	case PROOF_COMPARE:
		return compare_text(arg);
	case PROOF_INTERRUPTS:
		return set_interrupts(arg);
	case PROOF_MECHANISM:
		return note_mechanism(arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations proof_fops = {
	.owner = THIS_MODULE,
	.read = read_results,
	.write = write_plan,
	.unlocked_ioctl = command,
	.llseek = noop_llseek,
};

static struct miscdevice proof_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kprobe_proof",
	.fops = &proof_fops,
	.mode = 0600,
};

module_misc_device(proof_device);

MODULE_DESCRIPTION("Probes on every instruction of the kernel");
MODULE_LICENSE("GPL");
