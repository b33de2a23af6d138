// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes: the public API and the life of a probe.
 *
 * A struct kprobe belongs to its user: it is a subscription to a probe point. The point, struct
 * kprobe_point, is internal: there is one for each probed address, with the original
 * instruction, its slot and the list of probes. Registering finds or makes the points of a
 * chunk of probes, links the probes to them, and hands the points to one batch, which patches
 * the text for all of them at once.
 *
 * The files of kernel/kprobes form layers: a file calls those below it and no other. From top to
 * bottom: API (this file, module, pending, debugfs), arrays of probes (register), entries (entry),
 * text (batch, ftrace), jumps (optimizer, code, detour), hits (fault to frame), places (address to
 * patch), data (point, table, reason).
 *
 * kprobe_mutex protects everything that is not on the hit path: the links between probes and
 * points, the states of points, batches, slots, and the list of modules that are coming. Order of
 * locks::
 *
 *   trace's event_mutex -> kprobe_mutex -> cpus_read_lock (also in ftrace and
 *   jump labels) -> jump_label_mutex, static_call_mutex, ftrace's direct_mutex and
 *   ftrace_lock -> text_mutex -> module_mutex
 *
 * Work on many probes that a user asks for is a series of operations, each on at most KPROBE_CHUNK
 * of them under one hold of the mutex; what a module's coming or going asks for is one. No RCU
 * grace period is waited for under these locks, nor when probes are registered or enabled, unless a
 * refused array is taken off again. A caller that waits for handlers holds no lock: see
 * synchronize.c.
 *
 * A hit takes no lock, allocates nothing, and calls nothing that can be probed except the users'
 * handlers and what queues an irq_work. It reads
 *
 *  - the table of points (table.c), under RCU: a point is freed a Tasks RCU grace period after it
 *    has left the table;
 *  - a point's list of probes. Users may free these as soon as unregistering has returned. A hit
 *    therefore publishes the point, as a hazard pointer in a frame of its CPU, before it reads the
 *    list: see kprobe_synchronize();
 *  - the flags of a probe, which may change at any time;
 *  - a point's route, once: see struct kprobe_route.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "kprobes/frame.h"
#include "kprobes/kretprobe_pool.h"
#include "kprobes/mechanism.h"
#include "kprobes/place.h"
#include "kprobes/point.h"
#include "kprobes/reason.h"
#include "kprobes/register.h"
#include "kprobes/table.h"

static int register_probes(struct kprobe **kps, int num, unsigned long caller)
{
	const struct kprobe_array array = { .entries = kps, .num = num };

	return kprobe_register_array(&array, KPROBE_SET, caller);
}

/**
 * register_kprobes() - register a number of probes, or none of them
 * @kps: the probes
 * @num: how many
 *
 * Probes are registered in chunks of 256, each with one pass over the kernel's text. Other
 * callers get their turn between two chunks. If one probe is refused, those before it are
 * unregistered again, and @addr and @flags of all are as they were before the call. Their
 * handlers may have run meanwhile.
 *
 * Context: Process context, may sleep.
 * Return: 0, or the errno of the first probe that was refused, as in register_kprobe(); -EINVAL
 * also if @kps or one of its entries is NULL or @num is not positive.
 */
int register_kprobes(struct kprobe **kps, int num)
{
	return register_probes(kps, num, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe() - register a probe
 * @p: the probe. Its @symbol_name or @addr, @offset, handlers,
 *     %KPROBE_FLAG_DISABLED and %KPROBE_FLAG_PENDING are read; all other members are written
 *
 * Context: Process context, may sleep.
 * Return: 0, or
 *
 * * -EINVAL - @p is NULL or registered; both or neither of symbol and address are
 *   given; the place is not text, is blacklisted, is in front of a function's
 *   entry, or is a jump label, static call or its trampoline, BUG(), or another site
 *   that a subsystem patches or reads; the instruction cannot be displaced; ftrace
 *   fails to arm the point for another reason than those below
 * * -ENOENT - the symbol is unknown, or the module that the place is in is not ready yet
 *   or is going, or the init section that it was in has gone
 * * -EADDRNOTAVAIL - several functions have the name, or several clones
 * * -EILSEQ - the place is inside an instruction, or cannot be decoded
 * * -EAGAIN - too early during boot, or kprobes could not be initialized
 * * -EBUSY - a probe's handler makes the call; or ftrace has to arm the point, and
 *   kernel.ftrace_enabled is 0
 * * -ENODEV - ftrace has to arm the point, and has shut itself down
 * * -ENOMEM - out of memory, or no memory is near enough to what the instruction
 *   addresses
 */
int register_kprobe(struct kprobe *p)
{
	return register_probes(&p, 1, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/**
 * unregister_kprobes() - unregister a number of probes
 * @kps: the probes
 * @num: how many
 *
 * When it returns, none of their handlers runs or will run, and the caller may free the probes.
 * If a probe is not registered, only its @addr is cleared. NULL entries are ignored, and so are
 * probes that another task is unregistering: their handlers may still run.
 *
 * A probe's handler that calls this cannot wait. The probes are then disabled, stay registered,
 * and the log says so: the caller must not free them, and must unregister them elsewhere.
 *
 * Context: Process context, may sleep. Waits until handlers that run have returned: for at most
 * one expedited RCU grace period for each 256 probes, and for none unless a point of these is
 * being hit.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	const struct kprobe_array array = { .entries = kps, .num = num };

	kprobe_unregister_array(&array);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe() - unregister a probe
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

/* For struct kprobe_array's @add: makes the pool and puts the return probe on its point. */
static enum kprobe_reason add_return_probe(struct kprobe *p, struct kprobe_chunk *chunk)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	int default_instances = max_t(unsigned int, 10, 2 * num_possible_cpus());
	/* Users register a return probe again with the number that was written to @maxactive. */
	bool grows = rp->maxactive <= 0 || rp->maxactive == rp->default_maxactive;
	int instances = grows ? default_instances : rp->maxactive;
	enum kprobe_reason reason;

	if (kprobe_is_known(p))
		return KPROBE_REASON_REGISTERED;
	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return KPROBE_REASON_DATA_SIZE;
	if (!kretprobe_pool_make(rp, instances, grows))
		return KPROBE_REASON_NO_MEMORY;
	rp->nmissed = 0;
	p->pre_handler = kretprobe_entry;
	p->post_handler = NULL;
	p->fault_handler = NULL;
	p->returns = true;
	reason = kprobe_add(p, true, chunk);
	if (reason) {
		kretprobe_destroy(p);
		return reason;
	}
	rp->maxactive = instances;
	rp->default_maxactive = grows ? instances : 0;
	return KPROBE_REASON_NONE;
}

static int register_returns(struct kretprobe **rps, int num, unsigned long caller)
{
	const struct kprobe_array array = {
		.entries = rps, .num = num,
		.offset = offsetof(struct kretprobe, kp), .add = add_return_probe,
	};

	return kprobe_register_array(&array, KPROBE_SET_RETURN, caller);
}

/**
 * register_kretprobes() - register a number of return probes, or none of them
 * @rps: the return probes
 * @num: how many
 *
 * See register_kprobes().
 *
 * Context: Process context, may sleep.
 * Return: As register_kretprobe() for the first that was refused. -EINVAL also if @rps or one of
 * its entries is NULL, or @num is not positive.
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	return register_returns(rps, num, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * register_kretprobe() - probe the return from a function
 * @rp: the return probe. Its @kp names the place as for register_kprobe(), which must be a
 *      function's entry; @handler, @entry_handler, @maxactive and @data_size are read
 *
 * Context: Process context, may sleep.
 * Return: As register_kprobe(). -EINVAL also if the place is not a function's entry, -E2BIG if
 * @data_size is more than %KRETPROBE_MAX_DATA_SIZE, -ENOMEM also if @maxactive instances would take
 * 2 GB or more.
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_returns(&rp, 1, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/**
 * unregister_kretprobes() - unregister a number of return probes
 * @rps: the return probes
 * @num: how many
 *
 * See unregister_kprobes(). Calls in flight still return through the trampoline, but no
 * handler is called for them.
 *
 * Context: Process context, may sleep.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	const struct kprobe_array array = {
		.entries = rps, .num = num, .offset = offsetof(struct kretprobe, kp),
	};

	kprobe_unregister_array(&array);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

/**
 * unregister_kretprobe() - unregister a return probe
 * @rp: the return probe
 *
 * See unregister_kretprobes().
 *
 * Context: Process context, may sleep.
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);

/* Makes the text match what the point's probes want now. */
static enum kprobe_reason commit_point(struct kprobe_point *point)
{
	LIST_HEAD(batch);

	list_move_tail(&point->batch, &batch);
	return kprobe_batch_commit(&batch);
}

static bool is_point(const void *hazard, const void *point)
{
	return hazard == point;
}

/**
 * disable_kprobe() - keep a probe's handlers from running
 * @kp: a registered probe
 *
 * When it returns, no handler of the probe runs or will run until enable_kprobe(). It waits
 * until running handlers have returned, also if the probe was disabled before.
 *
 * A probe's handler may call it, for this probe or another one. It then does not wait: hits
 * that begin later do not call the probe's handlers, and handlers that run go on.
 *
 * Context: Process context, may sleep. Or in a probe's handler, in any context.
 * Return: 0, also if the probe was disabled before or is gone; -EINVAL if it is not registered.
 * An errno of enable_kprobe() means that the probe is disabled, and that its point could not be
 * armed for another probe.
 */
int disable_kprobe(struct kprobe *kp)
{
	enum kprobe_reason reason = KPROBE_REASON_NONE;
	const struct kprobe_point *point = NULL;

	if (kprobe_in_handler())
		return kprobe_set_disabled_in_handler(kp, true);
	scoped_guard(kprobe_lock) {
		if (!kprobe_is_registered(kp))
			return -EINVAL;
		point = kp->point;
		if (!(kp->flags & KPROBE_FLAG_DISABLED)) {
			kprobe_point_set_disabled(kp->point, kp, true);
			reason = commit_point(kp->point);
		}
	}
	/* Also if it was disabled already: the task that disabled it may still be waiting. */
	kprobe_synchronize(is_point, point);
	return kprobe_reason_errno(reason);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * enable_kprobe() - let a disabled probe's handlers run again
 * @kp: a registered probe
 *
 * A probe's handler may call it. A point that was not armed is then armed a little later, and
 * an errno of ftrace is not returned.
 *
 * Context: Process context, may sleep. Or in a probe's handler, in any context.
 * Return: 0, also if the probe was not disabled; -EINVAL if it is not registered or its text
 * has gone, unless it waits for its module; -ENOMEM, -EBUSY, -ENODEV or -EINVAL if ftrace fails to
 * arm the point: the probe then stays disabled, or enabled and not armed, as it was.
 */
int enable_kprobe(struct kprobe *kp)
{
	struct kprobe *refused = kp;
	enum kprobe_reason reason;
	bool disabled;

	if (kprobe_in_handler())
		return kprobe_set_disabled_in_handler(kp, false);
	guard(kprobe_lock)();
	if (!kprobe_is_registered(kp)) {
		reason = KPROBE_REASON_NOT_REGISTERED;
		/* It may be no probe at all: do not read it. */
		refused = NULL;
	} else if (kprobe_gone(kp) && !kprobe_is_waiting(kp)) {
		reason = KPROBE_REASON_GONE;
	} else {
		disabled = kprobe_disabled(kp);
		kprobe_point_set_disabled(kp->point, kp, false);
		reason = commit_point(kp->point);
		if (!reason)
			return 0;
		kprobe_point_set_disabled(kp->point, kp, disabled);
	}
	kprobe_refuse(KPROBE_ENABLE, _RET_IP_, refused, reason);
	return kprobe_reason_errno(reason);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

/**
 * get_kprobe() - find a probe at an address
 * @addr: the address
 *
 * Unregistering does not wait for RCU: neither an RCU read-side section nor disabled preemption
 * keeps a probe from being freed. Disabled interrupts do where RCU is watching, because
 * unregistering interrupts every such CPU before it returns.
 *
 * Context: kprobe_mutex held, or interrupts disabled: the probe stays until the mutex is
 * released or interrupts are enabled. A caller in any other context must keep the probe
 * registered, or must not dereference it.
 * Return: The newest of the probes there, NULL if there is none.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct kprobe_point *point = kprobe_point_lookup((unsigned long)addr);

	return point ? list_first_or_null_rcu(&point->probes, struct kprobe, list) : NULL;
}

/**
 * wait_for_kprobe_optimizer() - wait until no change of the text is pending
 *
 * Disarms points that have no probes left or whose probes were disabled by handlers. Waits
 * until every point that can be optimized is, and no point switches to ftrace. That takes a Tasks
 * RCU grace period, which a task can delay without limit, so the wait ends after 30 seconds at
 * the latest.
 *
 * Context: Process context, may sleep.
 */
void wait_for_kprobe_optimizer(void)
{
	unsigned long patience = jiffies + 30 * HZ;
	bool over;

	kprobe_flush_requests();
	for (;;) {
		over = !kprobe_switches() && kprobe_optimizer_hurry();
		/* A switch that has ended may leave its point to be disarmed. */
		kprobe_disarm_pending();
		/* A point that was disarmed may let others become jumps. */
		over = over && kprobe_optimizer_hurry();
		if (over || !time_before(jiffies, patience))
			break;
		schedule_timeout_uninterruptible(1);
	}
}

static int __init init_kprobes(void)
{
	int ret;

	kprobe_frame_init();
	kprobe_table_init();
	ret = kprobe_point_init() ?:
	      kprobe_detour_init() ?:
	      kprobe_blacklist_init() ?:
	      arch_kprobe_init();
	kprobes_ready = !ret;
	if (ret)
		pr_err("kprobes: not available: %d\n", ret);
	return ret;
}
early_initcall(init_kprobes);

/* Handlers may have asked for something when this CPU did not serve irq_work. */
static int cpu_has_changed(unsigned int cpu)
{
	kprobe_serve_requests();
	kretprobe_serve_pools();
	return 0;
}

static int __init watch_cpus(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "kprobes:gone",
					    NULL, cpu_has_changed);

	if (ret >= 0)
		ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "kprobes:online",
						cpu_has_changed, NULL);
	return min(ret, 0);
}
core_initcall(watch_cpus);
