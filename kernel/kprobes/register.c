// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registering and unregistering, with kprobe_mutex held.
 *
 * A probe is claimed first, so that nobody else registers it meanwhile, then
 * prepared, with a point that waits for it, which is where everything can fail,
 * and then joined to the point. In between others may have had their turn.
 */
#include <linux/init.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>

#include "internal.h"
#include "refused.h"

/*
 * All registered probes, by the address of their structure. What a caller
 * hands in to be unregistered may be anything; only what is found here is
 * looked into. kprobe_mutex.
 */
static struct rhashtable registry;

static u32 hash_probe(const void *data, u32 len, u32 seed)
{
	return hash_long(*(const unsigned long *)data ^ seed, 32);
}

static u32 hash_probe_object(const void *data, u32 len, u32 seed)
{
	return hash_probe(&data, len, seed);
}

static int compare_probe(struct rhashtable_compare_arg *arg, const void *obj)
{
	return *(void * const *)arg->key != obj;
}

static const struct rhashtable_params registry_params = {
	.head_offset = offsetof(struct kprobe, registered),
	.key_len = sizeof(void *),
	.hashfn = hash_probe,
	.obj_hashfn = hash_probe_object,
	.obj_cmpfn = compare_probe,
	.automatic_shrinking = true,
};

/**
 * kprobe_registry_init() - begin to know probes
 *
 * Context: Boot, single-threaded.
 * Return: 0 or a negative errno.
 */
int __init kprobe_registry_init(void)
{
	return rhashtable_init(&registry, &registry_params);
}

static bool is_claimed(const struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	return kprobes_ready && p &&
	       rhashtable_lookup_fast(&registry, &p, registry_params);
}

/**
 * kprobe_is_registered() - is this a registered probe?
 * @p: anything
 *
 * Context: kprobe_mutex held.
 * Return: True when it is, false also when it is just being registered.
 */
bool kprobe_is_registered(const struct kprobe *p)
{
	return is_claimed(p) && !list_empty(&p->list);
}
NOKPROBE_SYMBOL(kprobe_is_registered);

static int claim(struct kprobe *p)
{
	int ret;

	kprobe_ask_about(p);
	if (is_claimed(p))
		return kprobe_refuse(KPROBE_REFUSED_REGISTERED, -EINVAL);
	ret = rhashtable_insert_fast(&registry, &p->registered, registry_params);
	if (ret)
		return ret;
	INIT_LIST_HEAD(&p->list);
	p->point = NULL;
	p->asked = p->addr;
	return 0;
}

/**
 * kprobe_unclaim() - take kprobe_claim() back
 * @kps: the probes
 * @num: how many
 *
 * Context: kprobe_mutex held.
 */
void kprobe_unclaim(struct kprobe **kps, int num)
{
	int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < num; i++)
		rhashtable_remove_fast(&registry, &kps[i]->registered,
				       registry_params);
}
NOKPROBE_SYMBOL(kprobe_unclaim);

/**
 * kprobe_claim() - keep everybody else from registering some probes
 * @kps: the probes, none NULL
 * @num: how many, positive
 *
 * Context: Process context, kprobe_mutex held, let go of in between.
 * Return: 0, -EAGAIN too early during boot, -EINVAL when one is registered or
 * about to be, -ENOMEM.
 */
int kprobe_claim(struct kprobe **kps, int num)
{
	int i, ret;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobes_ready)
		return kprobe_refuse(KPROBE_REFUSED_EARLY, -EAGAIN);
	for (i = 0; i < num; i++) {
		ret = claim(kps[i]);
		if (ret) {
			kprobe_unclaim(kps, i);
			return ret;
		}
		kprobe_let_others_in_after(i + 1, KPROBE_SITES_PER_PASS);
	}
	return 0;
}
NOKPROBE_SYMBOL(kprobe_claim);

/* First half of registering: everything that can fail, for one probe. */
static int prepare(struct kprobe *p)
{
	struct kprobe_point *point;
	bool on_func_entry;
	unsigned long addr;
	int ret;

	ret = kprobe_resolve(p, &addr, &on_func_entry) ?:
	      kprobe_check_address(addr);
	if (ret)
		return ret;
	if (kprobe_is_return_probe(p) && !on_func_entry)
		return kprobe_refuse(KPROBE_REFUSED_ENTRY, -EINVAL);
	point = kprobe_point_get(addr, on_func_entry);
	if (IS_ERR(point))
		return PTR_ERR(point);
	ret = p->post_handler ? arch_kprobe_prepare_post(point) : 0;
	if (ret) {
		kprobe_point_put(point);
		return ret;
	}
	p->point = point;
	point->pending++;
	return 0;
}

static void unprepare(struct kprobe **kps, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		kps[i]->point->pending--;
		kprobe_point_put(kps[i]->point);
		kps[i]->point = NULL;
	}
}

/* Second half: nothing fails any more. */
static void join(struct kprobe *p, struct list_head *batch)
{
	struct kprobe_point *point = p->point;
	unsigned int i;

	p->addr = (kprobe_opcode_t *)point->addr;
	p->opcode = point->opcode;
	p->nmissed = 0;
	for (i = 0; i < KPROBE_MISS_CAUSES; i++)
		atomic_long_set(&p->misses[i], 0);
	p->flags &= KPROBE_FLAG_DISABLED;
	if (point->on_func_entry)
		p->flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	/* Its text may have gone since the point was prepared. */
	if (point->state == KPROBE_POINT_GONE)
		p->flags |= KPROBE_FLAG_GONE;
	p->flags |= kprobe_point_flag(point);
	point->pending--;
	kprobe_point_link(point, p);
	/* If it is in somebody's batch already, settle_all() will look again. */
	if (list_empty(&point->batch))
		list_add_tail(&point->batch, batch);
}

static void end_leaving(struct hlist_head *left)
{
	struct hlist_node *next;
	struct kprobe *p;

	hlist_for_each_entry_safe(p, next, left, hlist) {
		kretprobe_left(p);
		WRITE_ONCE(p->point->held.draining, false);
		p->point = NULL;
		INIT_LIST_HEAD(&p->list);
		hlist_del_init(&p->hlist);
	}
}

/**
 * kprobe_unregister_locked() - unregister_kprobes() under the mutex
 * @kps: the probes
 * @num: how many
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_unregister_locked(struct kprobe **kps, int num)
{
	HLIST_HEAD(left);
	LIST_HEAD(batch);
	int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < num; i++) {
		struct kprobe *p = kps[i];

		if (!kprobe_is_registered(p)) {
			/* One that is being registered is left alone. */
			if (p && !is_claimed(p))
				p->addr = NULL;
			continue;
		}
		rhashtable_remove_fast(&registry, &p->registered,
				       registry_params);
		kretprobe_leaving(p);
		kprobe_point_unlink(p);
		hlist_add_head(&p->hlist, &left);
		WRITE_ONCE(p->point->held.draining, true);
		list_move_tail(&p->point->batch, &batch);
	}
	if (hlist_empty(&left))
		return;
	kprobe_drain();
	end_leaving(&left);
	kprobe_batch_leave(&batch);
}
NOKPROBE_SYMBOL(kprobe_unregister_locked);

static int prepare_all(struct kprobe **kps, int num)
{
	int i, ret;

	kprobe_table_reserve(num);
	for (i = 0; i < num; i++) {
		cond_resched();
		kprobe_ask_about(kps[i]);
		ret = prepare(kps[i]);
		if (ret) {
			unprepare(kps, i);
			return ret;
		}
		kprobe_let_others_in_after(i + 1, KPROBE_POINTS_PER_TURN);
	}
	return 0;
}

static void join_all(struct kprobe **kps, int num, struct list_head *batch)
{
	int i;

	for (i = 0; i < num; i++) {
		join(kps[i], batch);
		kprobe_let_others_in_after(i + 1, KPROBE_SITES_PER_PASS);
	}
}

static bool is_settled(const struct kprobe_point *point)
{
	return point->state != KPROBE_POINT_IDLE &&
	       point->state != KPROBE_POINT_LEAVING;
}

/*
 * Points that were in others' batches when the probes joined, or were taken there
 * and not armed, because ftrace has refused.
 */
static int settle_all(struct kprobe **kps, int num)
{
	LIST_HEAD(batch);
	int i;

	for (i = 0; i < num; i++)
		if (kprobe_is_registered(kps[i]) && !is_settled(kps[i]->point))
			list_move_tail(&kps[i]->point->batch, &batch);
	return kprobe_batch_commit(&batch);
}

/* Of a batch that could not be armed: the first probe that needs ftrace. */
static void refused_by_ftrace(struct kprobe **kps, int num, int error)
{
	int i = 0;

	while (i < num - 1 && !(kps[i]->flags & KPROBE_FLAG_FTRACE))
		i++;
	kprobe_ask_about(kps[i]);
	kprobe_refuse(KPROBE_REFUSED_FTRACE, error);
}

static int register_all(struct kprobe **kps, int num)
{
	LIST_HEAD(batch);
	int i, ret;

	ret = prepare_all(kps, num);
	if (ret) {
		kprobe_unclaim(kps, num);
		return ret;
	}
	join_all(kps, num, &batch);
	ret = kprobe_batch_commit_all(&batch) ?: settle_all(kps, num);
	if (ret) {
		refused_by_ftrace(kps, num, ret);
		kprobe_unregister_locked(kps, num);
	}
	for (i = 0; ret && i < num; i++) {
		kps[i]->addr = kps[i]->asked;
		kps[i]->flags &= KPROBE_FLAG_DISABLED;
	}
	return ret;
}

/**
 * kprobe_register_claimed() - register_kprobes() under the mutex
 * @kps: the probes, claimed; not any more if this fails
 * @num: how many, positive
 *
 * Context: Process context, kprobe_mutex held, let go of in between.
 * Return: As register_kprobes().
 */
int kprobe_register_claimed(struct kprobe **kps, int num)
{
	int ret;

	lockdep_assert_held(&kprobe_mutex);
	kprobe_optimizer_hold(true);
	ret = register_all(kps, num);
	kprobe_optimizer_hold(false);
	return ret;
}
NOKPROBE_SYMBOL(kprobe_register_claimed);
