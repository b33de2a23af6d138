// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes: the public API and the life of a probe.
 *
 * A struct kprobe is its owner's: a subscription to a probe point. The point,
 * struct kprobe_point, is ours: one for each probed address, with the pristine
 * instruction, its executable copy and the list of probes. Registering makes
 * or finds the points of a chunk of probes, links the probes, and hands the
 * points to one batch, which patches the text for all of them at once.
 *
 * Layers
 * ------
 * The files of kernel/kprobes form layers: a file calls those below it and no other.
 * From top to bottom::
 *
 *   kprobes, kretprobe_register; module; debugfs and its files	API
 *   register							arrays of probes
 *   point_make, displaced, takeover				what an address needs
 *   batch, ftrace, point_release, move				text
 *   optimizer, renew, stub, examine, scan, site, region	jumps
 *   detour, kretprobe, kretprobe_pool, hit, move_notes		hits
 *   slot, synchronize, frame
 *   address, function, reserved, blacklist, module_text, text,	places
 *   patch
 *   deferred_free, point, table, reason			data
 *
 * Each file has a header that declares what it offers; a header includes those of the
 * layers below and no other. scripts/layers.py checks the objects and the includes.
 * Architectures stand beside the layers: they call what include/linux/kprobe_arch.h
 * lists, and files that need an architecture call its arch_kprobe_*().
 *
 * Locking
 * -------
 * kprobe_mutex covers everything that is not on the hit path: the registry of
 * probes, the links between probes and points, the states of points, batches,
 * slots, and the modules that are coming. Order of locks::
 *
 *   trace's event_mutex -> kprobe_mutex -> cpus_read_lock (also in ftrace and
 *   jump labels) -> jump_label_mutex, ftrace_lock -> text_mutex
 *
 * No RCU grace period is waited for under any of them, nor by any call of the
 * API. Module notifiers take kprobe_mutex; so do work items that free.
 *
 * kprobe_mutex is never let go inside an operation. Work on many probes is a series
 * of operations, each on at most KPROBE_CHUNK of them under one hold. Handlers are
 * waited for without any lock: see synchronize.c.
 *
 * Hit path
 * --------
 * Takes no lock, allocates nothing, and calls nothing that can be probed but
 * the users' handlers. It reads
 *
 *  - the table of points (table.c), under RCU: points are freed a Tasks RCU
 *    grace period after they have left it;
 *  - a point's list of probes. These are freed by their owners as soon as
 *    unregistering has returned, so a hit publishes the point in a frame of
 *    its CPU before it reads the list: see kprobe_synchronize();
 *  - the flags of a probe, which change under it at any time;
 *  - once, a point's route, which never changes after it was published.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "kprobes/batch.h"
#include "kprobes/blacklist.h"
#include "kprobes/module.h"
#include "kprobes/move.h"
#include "kprobes/optimizer.h"
#include "kprobes/point.h"
#include "kprobes/reason.h"
#include "kprobes/register.h"
#include "kprobes/synchronize.h"
#include "kprobes/table.h"

static struct kprobe *probe_at(void *entries, int i)
{
	return ((struct kprobe **)entries)[i];
}

static enum kprobe_reason add_probe(struct kprobe *p, struct kprobe_chunk *chunk)
{
	return kprobe_add(p, false, chunk);
}

static int register_probes(struct kprobe **kps, int num, unsigned long caller)
{
	const struct kprobe_array array = {
		.entries = kps, .num = num, .probe = probe_at, .add = add_probe,
	};

	return kprobe_register_array(&array, KPROBE_SET, caller);
}

/**
 * register_kprobes() - set a number of probes, or none of them
 * @kps: the probes
 * @num: how many
 *
 * Probes are registered in chunks of 256, each with one pass over the kernel's
 * text; others get their turn in between. When one probe is refused, those before
 * it are unregistered again, and @addr and @flags of all are as they were before the
 * call. Their handlers may have run meanwhile.
 *
 * Context: Process context, may sleep.
 * Return: 0, or the errno of the first probe that was refused, as in
 * register_kprobe(); -EINVAL also when @kps or one of its entries is NULL or
 * @num is not positive.
 */
int register_kprobes(struct kprobe **kps, int num)
{
	return register_probes(kps, num, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kprobes);
NOKPROBE_SYMBOL(register_kprobes);

/**
 * register_kprobe() - set a probe
 * @p: the probe. Its @symbol_name or @addr, @offset, handlers and
 *     %KPROBE_FLAG_DISABLED are looked at; everything else is written
 *
 * Context: Process context, may sleep.
 * Return: 0, or
 *
 * * -EINVAL - @p is NULL or registered; not just one of symbol and address is
 *   given; the place is not text, is blacklisted, in front of a function's
 *   entry, or a jump label, static call, BUG() or other site that somebody
 *   else patches or reads; the instruction cannot be displaced
 * * -ENOENT - the symbol is unknown, or the module or init section that the
 *   place is in has gone or is going
 * * -EILSEQ - the place is inside an instruction
 * * -EAGAIN - too early during boot
 * * -EBUSY - ftrace has to arm the point, or that of the entry in front of it,
 *   and kernel.ftrace_enabled is 0
 * * -ENOMEM - out of memory
 */
int register_kprobe(struct kprobe *p)
{
	return register_probes(&p, 1, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kprobe);
NOKPROBE_SYMBOL(register_kprobe);

/**
 * unregister_kprobes() - take a number of probes off
 * @kps: the probes
 * @num: how many
 *
 * When it returns, no handler of theirs runs or will run, and their memory is
 * the caller's again. A probe that is not registered has its @addr cleared; NULL
 * entries are passed over.
 *
 * Context: Process context, may sleep. Waits for handlers under way, but for
 * no grace period.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	const struct kprobe_array array = {
		.entries = kps, .num = num, .probe = probe_at,
	};

	kprobe_unregister_array(&array);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);
NOKPROBE_SYMBOL(unregister_kprobes);

/**
 * unregister_kprobe() - take a probe off
 * @p: the probe
 *
 * See unregister_kprobes().
 *
 * Context: Process context, may sleep.
 */
void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);
NOKPROBE_SYMBOL(unregister_kprobe);

/* Makes the text match what the point's probes want now. */
static enum kprobe_reason commit_point(struct kprobe_point *point)
{
	LIST_HEAD(batch);

	list_move_tail(&point->batch, &batch);
	return kprobe_batch_commit(&batch);
}

static void set_disabled(struct kprobe *kp, bool disabled)
{
	if (disabled)
		WRITE_ONCE(kp->flags, kp->flags | KPROBE_FLAG_DISABLED);
	else
		WRITE_ONCE(kp->flags, kp->flags & ~KPROBE_FLAG_DISABLED);
	kprobe_point_changed(kp->point);
}

/* Sets @point to the point if the probe's handlers could run until now. */
static int disable(struct kprobe *kp, const void **point)
{
	guard(mutex)(&kprobe_mutex);
	if (!kprobe_is_registered(kp))
		return -EINVAL;
	if (kprobe_disabled(kp))
		return 0;
	*point = kp->point;
	set_disabled(kp, true);
	return kprobe_reason_errno(commit_point(kp->point));
}

static bool is_point(const void *hazard, const void *point)
{
	return hazard == point;
}

/**
 * disable_kprobe() - keep a probe's handlers from running
 * @kp: a registered probe
 *
 * When it returns, no handler of the probe is running.
 *
 * Context: Process context, may sleep.
 * Return: 0, also when the probe was disabled before; -EINVAL when it is not
 * registered.
 */
int disable_kprobe(struct kprobe *kp)
{
	const void *point = NULL;
	int ret = disable(kp, &point);

	if (point)
		kprobe_synchronize(is_point, point);
	return ret;
}
EXPORT_SYMBOL_GPL(disable_kprobe);
NOKPROBE_SYMBOL(disable_kprobe);

static enum kprobe_reason enable(struct kprobe *kp)
{
	enum kprobe_reason reason;

	if (kprobe_gone(kp))
		return KPROBE_REASON_GONE;
	set_disabled(kp, false);
	reason = commit_point(kp->point);
	if (reason)
		set_disabled(kp, true);
	return reason;
}

/**
 * enable_kprobe() - let a disabled probe's handlers run again
 * @kp: a registered probe
 *
 * Context: Process context, may sleep.
 * Return: 0, also when the probe was not disabled; -EINVAL when it is not
 * registered or its text has gone; ftrace's errno when it refuses the point,
 * which then stays disabled.
 */
int enable_kprobe(struct kprobe *kp)
{
	enum kprobe_reason reason = KPROBE_REASON_NOT_REGISTERED;

	guard(mutex)(&kprobe_mutex);
	if (kprobe_is_registered(kp))
		reason = enable(kp);
	if (!reason)
		return 0;
	/* What is not registered may be anything. */
	kprobe_record_refusal(KPROBE_ENABLE, _RET_IP_,
			      reason == KPROBE_REASON_NOT_REGISTERED ? NULL : kp, reason);
	return kprobe_reason_errno(reason);
}
EXPORT_SYMBOL_GPL(enable_kprobe);
NOKPROBE_SYMBOL(enable_kprobe);

/**
 * get_kprobe() - a probe at an address
 * @addr: the address
 *
 * A probe may be freed as soon as unregistering it has returned, which does not
 * wait for RCU: neither an RCU reader nor disabled preemption keep it. It waits
 * until every CPU has taken an interrupt.
 *
 * Context: kprobe_mutex held, or interrupts disabled: the probe stays until they
 * are enabled. Anywhere else the caller keeps the probe registered, or does not
 * look into it.
 * Return: The newest of the probes there, NULL when there is none.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct kprobe_point *point = kprobe_point_lookup((unsigned long)addr);

	if (!point)
		return NULL;
	return list_first_or_null_rcu(&point->probes, struct kprobe, list);
}
NOKPROBE_SYMBOL(get_kprobe);

/**
 * wait_for_kprobe_optimizer() - wait until the text is as it will stay
 *
 * Text that is still to be restored is, and points that can be optimized are.
 * The latter takes a Tasks RCU grace period, which a task can hold up for as
 * long as it likes: the wait is given up after a while.
 *
 * Context: Process context, may sleep.
 */
void wait_for_kprobe_optimizer(void)
{
	unsigned long patience = jiffies + 30 * HZ;

	kprobe_disarm_pending();
	while ((!kprobe_optimizer_is_idle() || kprobe_moves()) &&
	       time_before(jiffies, patience))
		schedule_timeout_uninterruptible(1);
}
NOKPROBE_SYMBOL(wait_for_kprobe_optimizer);

static int __init init_kprobes(void)
{
	int ret;

	ret = kprobe_registry_init() ?:
	      kprobe_blacklist_init() ?:
	      kprobe_module_init() ?:
	      arch_kprobe_init();
	kprobes_ready = !ret;
	if (ret)
		pr_err("kprobes: not available: %d\n", ret);
	return ret;
}
early_initcall(init_kprobes);
