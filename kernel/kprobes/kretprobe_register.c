// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes: registering and unregistering. What they then do at entries and
 * returns is in kretprobe.c.
 */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "kretprobe.h"
#include "refused.h"

static int check_kretprobes(struct kretprobe **rps, int num)
{
	int i;

	if (num <= 0)
		return kprobe_refuse(KPROBE_REFUSED_NUM, -EINVAL);
	if (!rps)
		return kprobe_refuse(KPROBE_REFUSED_NULL, -EINVAL);
	for (i = 0; i < num; i++) {
		kprobe_ask_about(rps[i] ? &rps[i]->kp : NULL);
		if (!rps[i])
			return kprobe_refuse(KPROBE_REFUSED_NULL, -EINVAL);
		if (rps[i]->data_size > KRETPROBE_MAX_DATA_SIZE)
			return kprobe_refuse(KPROBE_REFUSED_DATA_SIZE, -E2BIG);
	}
	return 0;
}

/* The probes inside an array of return probes, for the API of probes. */
static struct kprobe **probes_of(struct kretprobe **rps, int num)
{
	struct kprobe **kps = kcalloc(num, sizeof(*kps), GFP_KERNEL);
	int i;

	for (i = 0; kps && i < num; i++)
		kps[i] = rps[i] ? &rps[i]->kp : NULL;
	return kps;
}

static void set_up(struct kretprobe *rp)
{
	rp->nmissed = 0;
	rp->kp.pre_handler = rp->entry_handler ? kretprobe_entry_handled :
						 kretprobe_entry;
	rp->kp.post_handler = NULL;
	rp->kp.fault_handler = NULL;
}

/* For claimed return probes; not any more without memory. */
static int make_pools(struct kretprobe **rps, struct kprobe **kps,
		      struct kretprobe_pool **pools, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		pools[i] = kretprobe_pool_make(rps[i]);
		if (!pools[i])
			goto destroy;
		kprobe_let_others_in_after(i + 1, KPROBE_POINTS_PER_TURN);
	}
	return 0;

destroy:
	while (i--)
		kretprobe_pool_destroy(pools[i]);
	kprobe_unclaim(kps, num);
	return -ENOMEM;
}

/* One that got as far as being unregistered again has lost its pool there. */
static void drop_pools(struct kretprobe **rps, struct kretprobe_pool **pools,
		       int num)
{
	int i;

	for (i = 0; i < num; i++) {
		if (rps[i]->pool != pools[i])
			continue;
		kretprobe_pool_destroy(pools[i]);
		rps[i]->pool = NULL;
	}
}

/* The return probes get their pools, and the probes their points. */
static int register_claimed(struct kretprobe **rps, struct kprobe **kps,
			    struct kretprobe_pool **pools, int num)
{
	int i, ret;

	for (i = 0; i < num; i++) {
		set_up(rps[i]);
		rps[i]->pool = pools[i];
	}
	ret = kprobe_register_claimed(kps, num);
	if (ret)
		drop_pools(rps, pools, num);
	/* Not that of one that somebody has unregistered meanwhile. */
	for (i = 0; !ret && i < num; i++)
		if (rps[i]->pool)
			rps[i]->maxactive = kretprobe_pool_size(rps[i]->pool);
	return ret;
}

static int register_checked(struct kretprobe **rps, int num)
{
	struct kretprobe_pool **pools;
	struct kprobe **kps;
	int ret = -ENOMEM;

	kps = probes_of(rps, num);
	pools = kcalloc(num, sizeof(*pools), GFP_KERNEL);
	if (kps && pools)
		ret = kprobe_claim(kps, num) ?:
		      make_pools(rps, kps, pools, num) ?:
		      register_claimed(rps, kps, pools, num);
	kfree(pools);
	kfree(kps);
	return ret;
}

static int register_returns(struct kretprobe **rps, int num,
			    unsigned long caller)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_ask(KPROBE_SET_RETURN, caller);
	return kprobe_answer(check_kretprobes(rps, num) ?:
			     register_checked(rps, num));
}

/**
 * register_kretprobes() - set a number of return probes, or none of them
 * @rps: the return probes
 * @num: how many
 *
 * As register_kprobes(): all are checked before the text is patched.
 *
 * Context: Process context, may sleep.
 * Return: As register_kretprobe() for the first that was refused; -EINVAL also
 * when @rps or one of its entries is NULL or @num is not positive.
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	return register_returns(rps, num, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kretprobes);
NOKPROBE_SYMBOL(register_kretprobes);

/**
 * register_kretprobe() - probe the return from a function
 * @rp: the return probe. Its @kp says where, as for register_kprobe(), and has
 *      to be a function's entry; @handler, @entry_handler, @maxactive and
 *      @data_size are looked at
 *
 * Context: Process context, may sleep.
 * Return: As register_kprobe(); -EINVAL also when the place is not a
 * function's entry, -E2BIG when @data_size is more than
 * %KRETPROBE_MAX_DATA_SIZE.
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_returns(&rp, 1, _RET_IP_);
}
EXPORT_SYMBOL_GPL(register_kretprobe);
NOKPROBE_SYMBOL(register_kretprobe);

/**
 * kretprobe_leaving() - a probe is being unregistered, in whatever way
 * @p: the probe, of a return probe or not
 *
 * Context: kprobe_mutex held.
 */
void kretprobe_leaving(struct kprobe *p)
{
	if (kprobe_is_return_probe(p))
		kretprobe_pool_detach(container_of(p, struct kretprobe, kp)->pool);
}
NOKPROBE_SYMBOL(kretprobe_leaving);

/**
 * kretprobe_left() - no hit looks at the probe any more
 * @p: the probe, of a return probe or not
 *
 * Context: Process context, kprobe_mutex held.
 */
void kretprobe_left(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	if (!kprobe_is_return_probe(p))
		return;
	kretprobe_pool_destroy(rp->pool);
	rp->pool = NULL;
}
NOKPROBE_SYMBOL(kretprobe_left);

/**
 * unregister_kretprobes() - take a number of return probes off
 * @rps: the return probes
 * @num: how many
 *
 * As unregister_kprobes(). Calls in flight return as if they had not been
 * probed.
 *
 * Context: Process context, may sleep.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	struct kprobe **kps;
	int i;

	if (num <= 0 || !rps)
		return;
	kps = probes_of(rps, num);
	/* It cannot fail, and one at a time needs no memory. */
	for (i = 0; !kps && i < num; i++)
		unregister_kretprobe(rps[i]);
	if (kps)
		unregister_kprobes(kps, num);
	kfree(kps);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);
NOKPROBE_SYMBOL(unregister_kretprobes);

/**
 * unregister_kretprobe() - take a return probe off
 * @rp: the return probe
 *
 * See unregister_kretprobes().
 *
 * Context: Process context, may sleep.
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kprobe(rp ? &rp->kp : NULL);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);
NOKPROBE_SYMBOL(unregister_kretprobe);
