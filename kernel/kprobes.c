// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes: the public API and the life of a probe.
 *
 * A struct kprobe is its owner's: a subscription to a probe point. The point,
 * struct kprobe_point, is ours: one for each probed address, with the pristine
 * instruction, its executable copy and the list of probes. Registering makes
 * or finds the points of all probes of the call, links the probes, and hands
 * the points to one batch, which patches the text for many at once.
 *
 * Locking
 * -------
 * kprobe_mutex covers everything that is not on the hit path: the registry of
 * probes, the links between probes and points, the states of points, batches,
 * slots, and the modules that are coming. Order of locks::
 *
 *   trace's event_mutex -> kprobe_mutex -> cpus_read_lock (in ftrace and jump
 *   labels) -> jump_label_mutex, ftrace_lock -> text_mutex
 *
 * No RCU grace period is waited for under any of them, nor by any call of the
 * API. Whatever takes long lets go of kprobe_mutex now and then: points that wait
 * for that in a batch may be armed, disarmed or killed by others meanwhile, who
 * then take them out. Module notifiers take kprobe_mutex; so do work items that free.
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
 *    its CPU before it reads the list: see kprobe_drain();
 *  - the flags of a probe and nr_post of a point, single words that change
 *    under it at any time.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/rhashtable.h>

#include "kprobes/internal.h"
#include "kprobes/refused.h"

/* See above. */
DEFINE_MUTEX(kprobe_mutex);

/* Set once boot has come far enough; false when that failed. */
static bool kprobes_ready __ro_after_init;

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

/*
 * A probe is claimed first, so that nobody else registers it meanwhile, then
 * prepared, with a point that waits for it, and then joined to the point.
 */
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

/**
 * kprobe_let_others_in() - let go of kprobe_mutex for a moment
 *
 * What takes long does this after each %KPROBE_SITES_PER_PASS of its steps, or
 * after %KPROBE_POINTS_PER_TURN if a step examines text.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_let_others_in(void)
{
	struct kprobe_asking asking = kprobe_asking();

	mutex_unlock(&kprobe_mutex);
	cond_resched();
	mutex_lock(&kprobe_mutex);
	kprobe_ask_again(&asking);
}
NOKPROBE_SYMBOL(kprobe_let_others_in);

/* The same, for loops. */
static void let_others_in_after(unsigned int done, unsigned int portion)
{
	if (!(done % portion))
		kprobe_let_others_in();
}

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
		let_others_in_after(i + 1, KPROBE_SITES_PER_PASS);
	}
	return 0;
}
NOKPROBE_SYMBOL(kprobe_claim);

/* Adds to a batch; a point with several probes in it is added once. */
static void batch_add(struct list_head *batch, struct kprobe_point *point)
{
	list_move_tail(&point->batch, batch);
}

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
	batch_add(batch, point);
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
			/* While it is being registered it is not ours. */
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
		batch_add(&batch, p->point);
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
		let_others_in_after(i + 1, KPROBE_POINTS_PER_TURN);
	}
	return 0;
}

/* What is armed before all have joined is armed again with the batch. */
static void join_all(struct kprobe **kps, int num, struct list_head *batch)
{
	int i;

	for (i = 0; i < num; i++) {
		join(kps[i], batch);
		let_others_in_after(i + 1, KPROBE_SITES_PER_PASS);
	}
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
	LIST_HEAD(batch);
	int i, ret;

	lockdep_assert_held(&kprobe_mutex);
	ret = prepare_all(kps, num);
	if (ret) {
		kprobe_unclaim(kps, num);
		return ret;
	}
	join_all(kps, num, &batch);
	ret = kprobe_batch_commit_all(&batch);
	if (ret) {
		refused_by_ftrace(kps, num, ret);
		kprobe_unregister_locked(kps, num);
	}
	for (i = 0; ret && i < num; i++)
		kps[i]->addr = kps[i]->asked;
	return ret;
}
NOKPROBE_SYMBOL(kprobe_register_claimed);

static int check_array(struct kprobe **kps, int num)
{
	int i;

	if (num <= 0)
		return kprobe_refuse(KPROBE_REFUSED_NUM, -EINVAL);
	if (!kps)
		return kprobe_refuse(KPROBE_REFUSED_NULL, -EINVAL);
	for (i = 0; i < num; i++)
		if (!kps[i])
			return kprobe_refuse(KPROBE_REFUSED_NULL, -EINVAL);
	return 0;
}

static int register_probes(struct kprobe **kps, int num, unsigned long caller)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_ask(KPROBE_SET, caller);
	return kprobe_answer(check_array(kps, num) ?:
			     kprobe_claim(kps, num) ?:
			     kprobe_register_claimed(kps, num));
}

/**
 * register_kprobes() - set a number of probes, or none of them
 * @kps: the probes
 * @num: how many
 *
 * All probes are checked before the kernel's text is touched, and the text is
 * then patched in passes of %KPROBE_SITES_PER_PASS sites, with room for others
 * in between. When one probe is refused, none is registered and all are as they
 * were before the call.
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
 *   given; the offset is behind the function's end; the place is not text, is
 *   blacklisted, in front of a function's entry, or a jump label, static call,
 *   BUG() or other site that somebody else patches or reads; the instruction
 *   cannot be displaced
 * * -ENOENT - the symbol is unknown, or the module or init section that the
 *   place is in has gone or is going
 * * -EILSEQ - the place is inside an instruction
 * * -EAGAIN - too early during boot
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
 * the caller's again. A probe that is not registered has its @addr cleared;
 * NULL entries are passed over.
 *
 * Context: Process context, may sleep. Waits for handlers under way, but for
 * no grace period.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	int i;

	if (num <= 0 || !kps)
		return;
	for (i = 0; i < num; i += KPROBE_SITES_PER_PASS) {
		cond_resched();
		guard(mutex)(&kprobe_mutex);
		kprobe_unregister_locked(kps + i,
					 min(num - i, KPROBE_SITES_PER_PASS));
	}
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

static int settle_point(struct kprobe_point *point)
{
	LIST_HEAD(batch);

	batch_add(&batch, point);
	return kprobe_batch_commit(&batch);
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
	guard(mutex)(&kprobe_mutex);
	if (!kprobe_is_registered(kp))
		return -EINVAL;
	if (kprobe_disabled(kp))
		return 0;
	WRITE_ONCE(kp->flags, kp->flags | KPROBE_FLAG_DISABLED);
	kprobe_point_changed(kp->point);
	WRITE_ONCE(kp->point->held.draining, true);
	kprobe_drain();
	WRITE_ONCE(kp->point->held.draining, false);
	return settle_point(kp->point);
}
EXPORT_SYMBOL_GPL(disable_kprobe);
NOKPROBE_SYMBOL(disable_kprobe);

static int enable_probe(struct kprobe *kp)
{
	int ret;

	if (!kprobe_is_registered(kp))
		return kprobe_refuse(KPROBE_REFUSED_NOT_REGISTERED, -EINVAL);
	kprobe_ask_about(kp);
	if (kprobe_gone(kp))
		return kprobe_refuse(KPROBE_REFUSED_GONE, -EINVAL);
	WRITE_ONCE(kp->flags, kp->flags & ~KPROBE_FLAG_DISABLED);
	kprobe_point_changed(kp->point);
	ret = settle_point(kp->point);
	if (!ret)
		return 0;
	WRITE_ONCE(kp->flags, kp->flags | KPROBE_FLAG_DISABLED);
	kprobe_point_changed(kp->point);
	return kprobe_refuse(KPROBE_REFUSED_FTRACE, ret);
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
	guard(mutex)(&kprobe_mutex);
	kprobe_ask(KPROBE_ENABLE, _RET_IP_);
	return kprobe_answer(enable_probe(kp));
}
EXPORT_SYMBOL_GPL(enable_kprobe);
NOKPROBE_SYMBOL(enable_kprobe);

/**
 * get_kprobe() - a probe at an address
 * @addr: the address
 *
 * Context: Preemption disabled, or kprobe_mutex held.
 * Return: The first of the probes there, NULL when there is none.
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
	mutex_lock(&kprobe_mutex);
	kprobe_reap();
	mutex_unlock(&kprobe_mutex);
	kprobe_optimizer_wait();
}
NOKPROBE_SYMBOL(wait_for_kprobe_optimizer);

static int __init init_kprobes(void)
{
	int ret;

	ret = rhashtable_init(&registry, &registry_params) ?:
	      kprobe_blacklist_init() ?:
	      kprobe_module_init() ?:
	      arch_kprobe_init();
	kprobes_ready = !ret;
	if (ret)
		pr_err("kprobes: not available: %d\n", ret);
	return ret;
}
early_initcall(init_kprobes);
