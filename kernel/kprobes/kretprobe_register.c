// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers and unregisters return probes. kretprobe.c handles their entries and returns.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/kprobes.h>

#include "kretprobe.h"
#include "kretprobe_pool.h"
#include "reason.h"
#include "register.h"

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

static int register_returns(struct kretprobe **rps, int num,
			    unsigned long caller)
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
