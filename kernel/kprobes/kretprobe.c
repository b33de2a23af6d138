// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes: a probe at a function's entry that replaces the return
 * address by a trampoline's, and the trampoline's side of it.
 *
 * Each call in flight has an instance, on a stack of the task that made it,
 * and identified by the place where its return address lies. Several return
 * probes on one function, and functions that end by jumping to another probed
 * function, have instances with the same place on top of each other: a chain,
 * that ends with the one which found the true return address there. Calls that never return leave
 * instances behind, which are found when an outer call returns, or when the
 * task has ended.
 */
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "kretprobe.h"

static int kretprobe_entry(struct kprobe *p, struct pt_regs *regs);

#define TRAMPOLINE							\
	((unsigned long)dereference_function_descriptor(kretprobe_trampoline))

bool kprobe_is_return_probe(const struct kprobe *p)
{
	return p->pre_handler == kretprobe_entry;
}
NOKPROBE_SYMBOL(kprobe_is_return_probe);

static void push_instance(struct kretprobe_instance *ri)
{
	struct llist_head *stack = &current->kretprobe_instances;

	ri->llist.next = stack->first;
	/* An interrupt puts back what it finds, but it must find it whole. */
	barrier();
	WRITE_ONCE(stack->first, &ri->llist);
}

static __always_inline struct kretprobe_instance *
instance_of(struct llist_node *n)
{
	return n ? llist_entry(n, struct kretprobe_instance, llist) : NULL;
}

/* From a call's topmost instance to the one that knew the way back first. */
static struct kretprobe_instance *last_of_call(struct kretprobe_instance *ri)
{
	void *fp = ri->fp;

	while (ri && ri->fp == fp && ri->chained)
		ri = instance_of(ri->llist.next);
	return ri && ri->fp == fp ? ri : NULL;
}
NOKPROBE_SYMBOL(last_of_call);

/* The topmost instance of the call that returned by the slot at @fp. */
static struct kretprobe_instance *first_of_call(struct llist_node *n, void *fp)
{
	while (n && instance_of(n)->fp != fp)
		n = n->next;
	return instance_of(n);
}
NOKPROBE_SYMBOL(first_of_call);

/* Return probes already on this call hide the return address: ask them. */
static void identify(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe_instance *other;

	ri->fp = arch_kretprobe_frame(regs);
	ri->ret_addr = (void *)arch_kretprobe_return_address(regs);
	ri->chained = is_kretprobe_trampoline((unsigned long)ri->ret_addr);
	if (likely(!ri->chained))
		return;
	other = first_of_call(current->kretprobe_instances.first, ri->fp);
	if (other)
		ri->ret_addr = other->ret_addr;
}
NOKPROBE_SYMBOL(identify);

/* The pre-handler of every return probe: a function is being entered. */
static int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct kretprobe_instance *ri = kretprobe_pool_pop(rp->pool);

	if (unlikely(!ri)) {
		atomic_inc((atomic_t *)&rp->nmissed);
		return 0;
	}
	ri->rp = rp;
	ri->task = current;
	identify(ri, regs);
	if (rp->entry_handler && rp->entry_handler(ri, regs)) {
		kretprobe_pool_push(ri);
		return 0;
	}
	arch_kretprobe_set_return_address(regs, TRAMPOLINE);
	push_instance(ri);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_entry);

static void complain(const struct kretprobe_instance *ri, void *fp)
{
	pr_err("kretprobe BUG!: Processing kretprobe %px @ %px\n",
	       ri ? ri->rp : NULL, ri ? (void *)ri->ret_addr : fp);
}
NOKPROBE_SYMBOL(complain);

/* Publishes an instance's pool, then looks whether it has a return probe. */
static __always_inline struct kretprobe *
publish_pool(struct kprobe_frame *frame, struct kretprobe_instance *ri)
{
	WRITE_ONCE(frame->pool, ri->pool);
	barrier();	/* the CPU's part is kprobe_drain()'s */
	return READ_ONCE(ri->pool->rp);
}

static __always_inline void run_return_handler(struct kprobe_frame *frame,
					       struct kretprobe_instance *ri,
					       struct pt_regs *regs)
{
	struct kretprobe *rp = publish_pool(frame, ri);

	if (unlikely(!rp || !rp->handler))
		return;
	WRITE_ONCE(frame->probe, &rp->kp);
	rp->handler(ri, regs);
}

/* Runs the handlers of one call, from the topmost instance to @last. */
static void run_return_handlers(struct kprobe_frame *frame,
				struct kretprobe_instance *ri,
				struct kretprobe_instance *last,
				struct pt_regs *regs)
{
	for (; ri != last; ri = instance_of(ri->llist.next))
		run_return_handler(frame, ri, regs);
	run_return_handler(frame, last, regs);
}
NOKPROBE_SYMBOL(run_return_handlers);

/* Without a frame nothing runs; the books still have to balance. */
static void count_return_misses(struct kretprobe_instance *ri,
				struct kretprobe_instance *last)
{
	for (;; ri = instance_of(ri->llist.next)) {
		struct kretprobe *rp = get_kretprobe(ri);

		if (rp)
			atomic_inc((atomic_t *)&rp->nmissed);
		if (ri == last)
			return;
	}
}
NOKPROBE_SYMBOL(count_return_misses);

/* Takes everything down to @last off the task's stack and gives it back. */
static void pop_instances(struct kprobe_frame *frame,
			  struct kretprobe_instance *last)
{
	struct llist_node *n = current->kretprobe_instances.first;
	struct llist_node *rest = last->llist.next;

	WRITE_ONCE(current->kretprobe_instances.first, rest);
	while (n != rest) {
		struct kretprobe_instance *ri = instance_of(n);

		n = n->next;
		if (frame)
			publish_pool(frame, ri);
		kretprobe_pool_push(ri);
	}
}
NOKPROBE_SYMBOL(pop_instances);

static void pass_return(struct kretprobe_instance *first,
			struct kretprobe_instance *last)
{
	unsigned long flags;

	/* As in miss_all(): no frame, so interrupts off hold up the drain. */
	raw_local_irq_save(flags);
	count_return_misses(first, last);
	pop_instances(NULL, last);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(pass_return);

/*
 * The trampoline was reached, but no call is known that returns from here: the
 * function returned more often than it was called. There is nowhere to go.
 */
static void __noreturn no_way_back(void *fp)
{
	complain(NULL, fp);
	preempt_enable_notrace();
	make_task_dead(SIGSEGV);
}
NOKPROBE_SYMBOL(no_way_back);

static __always_inline void withdraw_pool(struct kprobe_frame *frame)
{
	smp_store_release(&frame->pool, NULL);	/* pairs with kprobe_drain() */
	kprobe_frame_exit(frame);
}

/* A call with several instances, or with some on top that never returned. */
static unsigned long return_from_chain(struct pt_regs *regs, void *fp,
				       struct kretprobe_instance *top)
{
	struct kretprobe_instance *first, *last;
	struct kprobe_frame *frame;
	unsigned long ret;

	first = first_of_call(top ? &top->llist : NULL, fp);
	if (first != top || !top)
		complain(top, fp);
	last = first ? last_of_call(first) : NULL;
	if (!last)
		no_way_back(fp);

	ret = (unsigned long)last->ret_addr;
	instruction_pointer_set(regs, ret);
	frame = kprobe_frame_enter(0);
	if (frame) {
		run_return_handlers(frame, first, last, regs);
		pop_instances(frame, last);
		withdraw_pool(frame);
	} else {
		pass_return(first, last);
	}
	return ret;
}
NOKPROBE_SYMBOL(return_from_chain);

/* The common case: one return probe on the call, and every call returned. */
static __always_inline unsigned long
return_from_call(struct pt_regs *regs, struct kretprobe_instance *ri)
{
	unsigned long ret = (unsigned long)ri->ret_addr;
	struct kprobe_frame *frame;

	instruction_pointer_set(regs, ret);
	frame = kprobe_frame_enter(0);
	if (unlikely(!frame)) {
		pass_return(ri, ri);
		return ret;
	}
	run_return_handler(frame, ri, regs);
	WRITE_ONCE(current->kretprobe_instances.first, ri->llist.next);
	kretprobe_pool_push(ri);
	withdraw_pool(frame);
	return ret;
}

/**
 * kretprobe_return() - a probed function has returned to the trampoline
 * @regs: registers after the return; the instruction pointer is set to the
 *        true return address
 * @fp:   what arch_kretprobe_frame() said when the function was entered
 *
 * Context: That of the function that returned.
 * Return: The address where the function returns to.
 */
unsigned long kretprobe_return(struct pt_regs *regs, void *fp)
{
	struct kretprobe_instance *top;
	unsigned long ret;

	preempt_disable_notrace();
	top = instance_of(current->kretprobe_instances.first);
	if (likely(top && top->fp == fp && !top->chained))
		ret = return_from_call(regs, top);
	else
		ret = return_from_chain(regs, fp, top);
	preempt_enable_notrace();
	return ret;
}
NOKPROBE_SYMBOL(kretprobe_return);

/**
 * is_kretprobe_trampoline() - is this where probed functions return to?
 * @addr: an address found on a stack
 *
 * Context: Any.
 * Return: True for the address that stands in for a true return address.
 */
bool is_kretprobe_trampoline(unsigned long addr)
{
	return addr == TRAMPOLINE;
}
NOKPROBE_SYMBOL(is_kretprobe_trampoline);

/**
 * kretprobe_find_ret_addr() - the true return address of a call
 * @tsk: the task whose stack is being unwound: current, or not running
 * @fp:  where the trampoline's address was found
 * @cur: where the last search ended, points to NULL at first; makes unwinding
 *       a whole stack take one walk of the task's instances
 *
 * Context: Any, also NMI.
 * Return: The address, 0 when the call is unknown.
 */
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	struct kretprobe_instance *ri;
	struct llist_node *n;

	/* It was asked to be at rest, but may have woken up meanwhile. */
	if (tsk != current && task_is_running(tsk))
		return 0;
	n = *cur ? (*cur)->next : READ_ONCE(tsk->kretprobe_instances.first);
	ri = first_of_call(n, fp);
	ri = ri ? last_of_call(ri) : NULL;
	if (!ri)
		return 0;
	*cur = &ri->llist;
	return (unsigned long)ri->ret_addr;
}
NOKPROBE_SYMBOL(kretprobe_find_ret_addr);

/**
 * kprobe_flush_task() - a task has ended, take its instances back
 * @tsk: the task, which never runs again
 *
 * Context: RCU callback.
 */
void kprobe_flush_task(struct task_struct *tsk)
{
	struct llist_node *n = tsk->kretprobe_instances.first;

	tsk->kretprobe_instances.first = NULL;
	while (n) {
		struct kretprobe_instance *ri = instance_of(n);

		n = n->next;
		kretprobe_pool_return_later(ri);
	}
}
NOKPROBE_SYMBOL(kprobe_flush_task);

static int check_kretprobes(struct kretprobe **rps, int num)
{
	int i;

	if (num <= 0 || !rps)
		return -EINVAL;
	for (i = 0; i < num; i++) {
		if (!rps[i])
			return -EINVAL;
		if (rps[i]->data_size > KRETPROBE_MAX_DATA_SIZE)
			return -E2BIG;
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
	rp->kp.pre_handler = kretprobe_entry;
	rp->kp.post_handler = NULL;
	rp->kp.fault_handler = NULL;
}

static int make_pools(struct kretprobe **rps, struct kretprobe_pool **pools,
		      int num)
{
	int i;

	for (i = 0; i < num; i++) {
		pools[i] = kretprobe_pool_make(rps[i]);
		if (!pools[i])
			goto destroy;
	}
	return 0;

destroy:
	while (i--)
		kretprobe_pool_destroy(pools[i]);
	return -ENOMEM;
}

/* One that got as far as being unregistered again has lost its pool there. */
static void drop_pools(struct kretprobe **rps, struct kretprobe_pool **pools,
		       int num)
{
	int i;

	for (i = 0; i < num; i++)
		if (rps[i]->pool)
			kretprobe_pool_destroy(pools[i]);
	for (i = 0; i < num; i++)
		rps[i]->pool = NULL;
}

/* The return probes get their pools, and the probes their points. */
static int register_locked(struct kretprobe **rps, struct kprobe **kps,
			   struct kretprobe_pool **pools, int num)
{
	int i, ret;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < num; i++)
		if (kprobe_is_registered(kps[i]))
			return -EINVAL;
	ret = make_pools(rps, pools, num);
	if (ret)
		return ret;
	for (i = 0; i < num; i++) {
		set_up(rps[i]);
		rps[i]->pool = pools[i];
	}
	ret = kprobe_register_locked(kps, num);
	if (ret)
		drop_pools(rps, pools, num);
	for (i = 0; !ret && i < num; i++)
		rps[i]->maxactive = kretprobe_pool_size(pools[i]);
	return ret;
}

/**
 * register_kretprobes() - set a number of return probes, or none of them
 * @rps: the return probes
 * @num: how many
 *
 * As register_kprobes(): all are checked first, and the text is patched in one
 * pass.
 *
 * Context: Process context, may sleep.
 * Return: As register_kretprobe() for the first that was refused; -EINVAL also
 * when @rps or one of its entries is NULL or @num is not positive.
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kretprobe_pool **pools;
	struct kprobe **kps;
	int ret;

	ret = check_kretprobes(rps, num);
	if (ret)
		return ret;
	kps = probes_of(rps, num);
	pools = kcalloc(num, sizeof(*pools), GFP_KERNEL);
	ret = -ENOMEM;
	if (kps && pools) {
		mutex_lock(&kprobe_mutex);
		ret = register_locked(rps, kps, pools, num);
		mutex_unlock(&kprobe_mutex);
	}
	kfree(pools);
	kfree(kps);
	return ret;
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
	return register_kretprobes(&rp, 1);
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
