// SPDX-License-Identifier: GPL-2.0-or-later
/* The device that the storm's program drives; all of it is ioctls, see storm.h. */
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/uaccess.h>

#include "internal.h"

unsigned long storm_knob = STORM_ON;

static DEFINE_MUTEX(lock);
static atomic_long_t changes, no_memory, errors;
static int last_error;

/* A change of slots has had this result. */
void storm_note_change(int error)
{
	if (!error) {
		atomic_long_inc(&changes);
	} else if (error == -ENOMEM) {
		atomic_long_inc(&no_memory);
	} else {
		WRITE_ONCE(last_error, error);
		atomic_long_inc(&errors);
	}
}

static long stop(void)
{
	storm_stop_operations();
	storm_stop_callers();
	storm_stop_witnesses();
	return 0;
}

static void reset_sums(void)
{
	atomic_long_t *const sums[] = {
		&storm_calls, &storm_calls_in_nmi, &storm_wrong_results, &storm_late, &storm_strays,
		&changes, &no_memory, &errors,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sums); i++)
		atomic_long_set(sums[i], 0);
	last_error = 0;
}

static long start(void __user *arg)
{
	struct storm_start start;
	int ret;

	if (copy_from_user(&start, arg, sizeof(start)))
		return -EFAULT;
	stop();
	storm_reset_books();
	reset_sums();
	if (start.witness)
		storm_start_witnesses();
	ret = storm_start_callers() ?: storm_start_operations(&start);
	if (ret)
		stop();
	return ret;
}

static long put_sums(void __user *arg)
{
	const struct storm_sums sums = {
		.calls = atomic_long_read(&storm_calls),
		.nmis = atomic_long_read(&storm_calls_in_nmi),
		.results = atomic_long_read(&storm_wrong_results),
		.late = atomic_long_read(&storm_late),
		.strays = atomic_long_read(&storm_strays),
		.changes = atomic_long_read(&changes),
		.no_memory = atomic_long_read(&no_memory),
		.errors = atomic_long_read(&errors),
		.error = last_error,
	};

	return copy_to_user(arg, &sums, sizeof(sums)) ? -EFAULT : 0;
}

static long put_book(void __user *arg)
{
	struct storm_book book;
	int ret;

	if (copy_from_user(&book, arg, sizeof(book)))
		return -EFAULT;
	ret = storm_get_book(&book);
	if (ret)
		return ret;
	return copy_to_user(arg, &book, sizeof(book)) ? -EFAULT : 0;
}

static long set_knob(void __user *arg)
{
	u32 state;

	if (get_user(state, (u32 __user *)arg))
		return -EFAULT;
	if (state > STORM_CHANGING)
		return -EINVAL;
	storm_set_phase(&storm_knob, state);
	smp_mb();	/* before the change: pairs with the first barrier of storm_call() */
	return 0;
}

static long call_kept(void __user *arg)
{
	struct storm_calls calls;
	unsigned int i;

	if (copy_from_user(&calls, arg, sizeof(calls)))
		return -EFAULT;
	calls.must = 0;
	for (i = 0; i < calls.number; i++)
		calls.must += storm_call_kept();
	return copy_to_user(arg, &calls, sizeof(calls)) ? -EFAULT : 0;
}

static long command(struct file *file, unsigned int number, unsigned long value)
{
	void __user *arg = (void __user *)value;

	/* These may come while a round begins or ends. */
	if (number == STORM_KNOB)
		return set_knob(arg);
	if (number == STORM_CALL)
		return call_kept(arg);
	guard(mutex)(&lock);
	switch (number) {
	case STORM_START:
		return start(arg);
	case STORM_STOP:
		return stop();
	case STORM_SUMS:
		return put_sums(arg);
	case STORM_BOOK:
		return put_book(arg);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations storm_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = command,
	.llseek = noop_llseek,
};

static struct miscdevice storm_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kprobe_storm",
	.fops = &storm_fops,
	.mode = 0600,
};

static int __init storm_init(void)
{
	int ret = storm_find_inside();

	if (ret)
		return ret;
	storm_init_slots();
	return misc_register(&storm_device);
}
module_init(storm_init);

static void __exit storm_exit(void)
{
	stop();
	misc_deregister(&storm_device);
}
module_exit(storm_exit);

MODULE_DESCRIPTION("Probes that come and go while they are hit");
MODULE_LICENSE("GPL");
