// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes: handles the entry of a probed function and its return. The pre-handler at the
 * function's entry replaces the return address with the address of a trampoline. The trampoline
 * calls kretprobe_return(), which runs the return handlers, and goes on to the true return address.
 *
 * Each call under way has an instance, in a list of the task that made the call. The place of the
 * return address on the stack identifies the call. A call has several instances if the function
 * has several return probes, or if it has ended with a jump to another probed function. These
 * instances form a chain, and each has the return address that the first of them has replaced. A
 * call that never returns leaves its instance in the list until an outer call returns or the task
 * ends.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/printk.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "frame.h"
#include "kretprobe.h"
#include "kretprobe_call.h"
#include "kretprobe_pool.h"
#include "probed_code.h"
#include "return_trampoline.h"

static __always_inline struct kretprobe_instance *
instance_of(struct llist_node *n)
{
	return n ? llist_entry(n, struct kretprobe_instance, llist) : NULL;
}

/*
 * An instance's @call is the value of arch_kretprobe_frame(), which is aligned. This bit of @call
 * is set if the call has another instance further down the list.
 */
#define CHAINED	1UL

static bool is_chained(const struct kretprobe_instance *ri)
{
	return ri->call & CHAINED;
}
NOKPROBE_SYMBOL(is_chained);

static void *frame_of(const struct kretprobe_instance *ri)
{
	return (void *)(ri->call & ~CHAINED);
}
NOKPROBE_SYMBOL(frame_of);

/* Finds the last instance of a call, from the topmost one. NULL if the chain is broken. */
static struct kretprobe_instance *last_of_call(struct kretprobe_instance *ri)
{
	void *fp = frame_of(ri);

	while (ri && frame_of(ri) == fp && is_chained(ri))
		ri = instance_of(ri->llist.next);
	return ri && frame_of(ri) == fp ? ri : NULL;
}
NOKPROBE_SYMBOL(last_of_call);

/* The topmost instance, which is the newest, of the call with frame @fp. */
static struct kretprobe_instance *first_of_call(struct llist_node *n, void *fp)
{
	while (n && frame_of(instance_of(n)) != fp)
		n = n->next;
	return instance_of(n);
}
NOKPROBE_SYMBOL(first_of_call);

/* Another return probe has replaced the return address: chains @ri to its instance. */
static struct kretprobe_instance *see_through(struct kretprobe_instance *ri)
{
	struct kretprobe_instance *other;

	other = first_of_call(current->kretprobe_instances.first, frame_of(ri));
	ri->call |= CHAINED;
	if (other)
		ri->ret_addr = other->ret_addr;
	return other;
}
NOKPROBE_SYMBOL(see_through);

/* Has a newer probe on the same point made @other, just before and for the same hit? */
static bool is_of_same_hit(const struct kretprobe_instance *ri,
			   const struct kretprobe_instance *other)
{
	struct kprobe *p = &ri->rp->kp, *before;

	/* @other->rp may have been freed: it is compared, not dereferenced. */
	list_for_each_entry_rcu(before, &p->point->probes, list, true) {
		if (before == p)
			break;
		if (before == &other->rp->kp)
			return true;
	}
	return false;
}
NOKPROBE_SYMBOL(is_of_same_hit);

/*
 * Finds the instance below which @ri must be inserted. NULL if @ri goes on top of the list.
 *
 * Return handlers must run for the newest probe first, as entry handlers do. The newest probe has
 * pushed the first instance of the hit, so each further instance of the hit goes below the one
 * before. A function that has ended with a jump to this one returns later: its instances belong to
 * another hit and stay below @ri. The search ends with the chain: an instance after it may belong
 * to a call that had its return address in the same place and never returned.
 */
static struct kretprobe_instance *last_of_hit(struct kretprobe_instance *ri,
					      struct kretprobe_instance *other)
{
	struct kretprobe_instance *last = NULL;

	for (; other && frame_of(other) == frame_of(ri) && is_of_same_hit(ri, other);
	     other = is_chained(other) ? instance_of(other->llist.next) : NULL)
		last = other;
	return last;
}
NOKPROBE_SYMBOL(last_of_hit);

/* Inserts @ri below @above, which is of the same call and has the same @ret_addr. */
static void push_below(struct kretprobe_instance *ri, struct kretprobe_instance *above)
{
	ri->call = above->call;
	ri->llist.next = above->llist.next;
	/* An unwinder that interrupts this finds the true address in one of the two. */
	smp_store_release(&above->llist.next, &ri->llist);
	WRITE_ONCE(above->call, above->call | CHAINED);
}
NOKPROBE_SYMBOL(push_below);

/*
 * While the handler runs, the instance is in the task's list with a frame that no call has. If the
 * task dies in the handler, kprobe_flush_task() finds the instance there.
 */
static int call_entry_handler(struct kretprobe *rp, struct pt_regs *regs,
			      struct kretprobe_instance *ri)
{
	unsigned long call = ri->call;
	int ret;

	ri->call = 0;
	kretprobe_push(ri);
	ret = rp->entry_handler(ri, regs);
	WRITE_ONCE(current->kretprobe_instances.first, ri->llist.next);
	ri->call = call;
	return ret;
}
NOKPROBE_SYMBOL(call_entry_handler);

/* The general case of an entry. @ri is NULL if this CPU has no spare instance. */
static noinline int enter(struct kretprobe *rp, struct pt_regs *regs,
			  struct kretprobe_instance *ri)
{
	unsigned long ret_addr = arch_kretprobe_return_address(regs);
	struct kretprobe_instance *other = NULL;
	void *fp = arch_kretprobe_frame(regs);

	ri = ri ?: kretprobe_pool_pop_slowly(rp->pool);
	if (unlikely(!ri)) {
		atomic_inc((atomic_t *)&rp->nmissed);
		return 0;
	}
	kretprobe_identify(ri, fp, ret_addr);
	if (ret_addr == KRETPROBE_TRAMPOLINE)
		other = see_through(ri);
	if (rp->entry_handler && call_entry_handler(rp, regs, ri)) {
		kretprobe_pool_push(ri);
		return 0;
	}
	other = last_of_hit(ri, other);
	if (other)
		push_below(ri, other);
	else
		kretprobe_hijack(ri, regs, fp);
	return 0;
}
NOKPROBE_SYMBOL(enter);

/* Pre-handler of return probes that have an entry handler. */
int kretprobe_entry_handled(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	return enter(rp, regs, kretprobe_pool_pop_spare(rp));
}
NOKPROBE_SYMBOL(kretprobe_entry_handled);

/* Pre-handler of return probes without an entry handler. */
int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct kretprobe_instance *ri = kretprobe_pool_pop_spare(rp);
	unsigned long ret_addr = arch_kretprobe_return_address(regs);
	void *fp = arch_kretprobe_frame(regs);

	if (unlikely(!ri || ret_addr == KRETPROBE_TRAMPOLINE))
		return enter(rp, regs, ri);
	kretprobe_identify(ri, fp, ret_addr);
	kretprobe_hijack(ri, regs, fp);
	return 0;
}
NOKPROBE_SYMBOL(kretprobe_entry);

static void complain(const struct kretprobe_instance *ri, void *fp)
{
	pr_err("kretprobe BUG!: Processing kretprobe %px @ %px\n",
	       ri ? ri->rp : NULL, ri ? (void *)ri->ret_addr : fp);
}
NOKPROBE_SYMBOL(complain);

/* Makes the instance's pool the hazard pointer of the frame, which stays claimed. */
static void publish_pool(struct kprobe_frame *frame, struct kretprobe_instance *ri)
{
	/* The previous pool's handler has returned: pairs with is_used() in synchronize.c. */
	smp_store_release(&frame->hazard, ri->pool);
	barrier();	/* before the return probe is read, as in kprobe_frame_begin() */
}
NOKPROBE_SYMBOL(publish_pool);

/* Runs the handlers of one call, from the topmost instance to @last. */
static void run_return_handlers(struct kprobe_frame *frame,
				struct kretprobe_instance *ri,
				struct kretprobe_instance *last,
				struct pt_regs *regs)
{
	for (;; ri = instance_of(ri->llist.next)) {
		kretprobe_handler_t handler;

		publish_pool(frame, ri);
		handler = READ_ONCE(ri->pool->handler);
		if (handler) {
			WRITE_ONCE(frame->probe, &ri->rp->kp);
			handler(ri, regs);
		}
		if (ri == last)
			return;
	}
}
NOKPROBE_SYMBOL(run_return_handlers);

/* Counts the misses of a call whose handlers cannot run for lack of a frame. */
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

/* Pops the task's instances down to @last, and returns them to their pools. */
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

	/* No frame has a hazard pointer: disabled interrupts hold up kprobe_synchronize(). */
	raw_local_irq_save(flags);
	count_return_misses(first, last);
	pop_instances(NULL, last);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(pass_return);

/*
 * A function has returned to the trampoline, but its call has no instance: the function has
 * returned more often than it was called. The true return address is unknown, so the task dies.
 */
static void __noreturn die_without_caller(void *fp)
{
	complain(NULL, fp);
	preempt_enable_notrace();
	make_task_dead(SIGSEGV);
}
NOKPROBE_SYMBOL(die_without_caller);

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/* resolve_trampoline() calls this on the hit path. */
NOKPROBE_SYMBOL(ftrace_graph_ret_addr);
#endif

/**
 * struct replacers - how far the search for a true return address has come
 * @fp:      where the return address is
 * @own:     the last instance of a return probe that was looked at
 * @rethook: the same of rethooks
 * @graph:   the same of the graph tracer
 */
struct replacers {
	void *fp;
	struct llist_node *own;
	struct llist_node *rethook;
	int graph;
};

/* Finds what the trampoline at @addr has replaced. Returns @addr or 0 if nothing is found. */
static unsigned long resolve_trampoline(unsigned long addr, struct replacers *by)
{
	if (addr == KRETPROBE_TRAMPOLINE)
		return kretprobe_find_ret_addr(current, by->fp, &by->own) ?: addr;
	if (IS_ENABLED(CONFIG_RETHOOK) && is_rethook_trampoline(addr))
		return rethook_find_ret_addr(current, (unsigned long)by->fp, &by->rethook);
	return ftrace_graph_ret_addr(current, &by->graph, addr, by->fp);
}
NOKPROBE_SYMBOL(resolve_trampoline);

/*
 * Finds the true return address. Every tracer may have replaced it, in any order, and after a tail
 * call another return probe may have as well.
 */
static unsigned long resolve_trampolines(struct kretprobe_instance *ri)
{
	struct replacers by = { .fp = frame_of(ri), .own = &ri->llist };
	unsigned long addr, next = (unsigned long)ri->ret_addr;

	do {
		addr = next;
		next = resolve_trampoline(addr, &by);
	} while (next && next != addr);
	return addr;
}
NOKPROBE_SYMBOL(resolve_trampolines);

/*
 * Execution continues at a trampoline of the graph tracer or of a rethook, as
 * arch_kretprobe_go_back() has arranged. Handlers see the address in the caller nevertheless, in
 * @regs and in the instances, and stack traces continue from there.
 */
static void show_true_caller(struct kretprobe_instance *first,
			     struct kretprobe_instance *last, struct pt_regs *regs)
{
	unsigned long addr = resolve_trampolines(last);

	for (; first != last; first = instance_of(first->llist.next))
		WRITE_ONCE(first->ret_addr, (void *)addr);
	WRITE_ONCE(last->ret_addr, (void *)addr);
	instruction_pointer_set(regs, addr);
}
NOKPROBE_SYMBOL(show_true_caller);

/*
 * The general case of a return: the call may have several instances, or be below instances of
 * calls that never returned.
 */
static noinline void return_from_chain(struct pt_regs *regs, void *fp,
				       struct kretprobe_instance *top)
{
	struct kretprobe_instance *first, *last;
	struct kprobe_frame *frame;
	unsigned long addr;

	first = first_of_call(top ? &top->llist : NULL, fp);
	last = first ? last_of_call(first) : NULL;
	if (!last)
		die_without_caller(fp);
	if (first != top)
		complain(top, fp);

	addr = (unsigned long)last->ret_addr;
	arch_kretprobe_go_back(regs, fp, addr);
	instruction_pointer_set(regs, addr);
	if (kprobe_is_return_trampoline(addr))
		show_true_caller(first, last, regs);
	frame = kprobe_frame_enter(first->pool, 0);
	if (frame) {
		run_return_handlers(frame, first, last, regs);
		pop_instances(frame, last);
		kprobe_frame_exit(frame);
	} else {
		pass_return(first, last);
	}
}
NOKPROBE_SYMBOL(return_from_chain);

/*
 * Is this the common case of a return? The topmost instance @ri is then the only one of the call,
 * no other tracer has replaced the return address, and no hit is under way on this CPU.
 */
static __always_inline bool is_plain(const struct kretprobe_instance *ri, void *fp)
{
	/* Equal only if %CHAINED is not set in @call. */
	return ri && ri->call == (unsigned long)fp &&
	       !kprobe_is_return_trampoline((unsigned long)ri->ret_addr) &&
	       !kprobe_frame_is_used();
}

/* Pops the topmost instance. Reads @task: else the compiler would keep the task's address. */
static __always_inline void pop_top(struct kretprobe_instance *ri)
{
	WRITE_ONCE(ri->task->kretprobe_instances.first, ri->llist.next);
}

static noinline void end_slowly(struct kretprobe_instance *ri, struct kprobe_frame *frame)
{
	kretprobe_pool_push(ri);
	kprobe_frame_exit(frame);
}
NOKPROBE_SYMBOL(end_slowly);

/* A return for which is_plain() is true. */
static __always_inline void return_from_call(struct pt_regs *regs, void *fp,
					     struct kretprobe_instance *ri)
{
	struct kprobe_frame *frame = kprobe_first_frame();
	unsigned long addr = (unsigned long)ri->ret_addr;
	struct kretprobe_pool *pool = ri->pool;
	kretprobe_handler_t handler;

	arch_kretprobe_go_back(regs, fp, addr);
	instruction_pointer_set(regs, addr);
	kprobe_frame_begin(frame, pool);
	handler = READ_ONCE(pool->handler);
	if (unlikely(!handler)) {
		pop_top(ri);
		end_slowly(ri, frame);
		return;
	}
	WRITE_ONCE(frame->probe, &ri->rp->kp);
	handler(ri, regs);
	pop_top(ri);
	ri = kretprobe_pool_swap_spare(ri);
	if (likely(!ri))
		kprobe_frame_exit(frame);
	else
		end_slowly(ri, frame);
}

/**
 * kretprobe_return() - handle the return of a probed function
 * @regs: registers after the return; the instruction pointer is set to the
 *        true return address
 * @fp:   what arch_kretprobe_frame() returned when the function was entered
 *
 * The trampoline calls this, and goes on as arch_kretprobe_go_back() has arranged.
 *
 * Context: That of the function that returned.
 */
void kretprobe_return(struct pt_regs *regs, void *fp)
{
	unsigned int left = kprobe_leave_code(regs);
	struct kretprobe_instance *top = instance_of(current->kretprobe_instances.first);

	if (likely(is_plain(top, fp)))
		return_from_call(regs, fp, top);
	else
		return_from_chain(regs, fp, top);
	kprobe_return_to_code(left);
}
NOKPROBE_SYMBOL(kretprobe_return);

/**
 * is_kretprobe_trampoline() - check whether a return address is the trampoline's
 * @addr: an address found on a stack
 *
 * Context: Any.
 * Return: True if @addr is the address of the trampoline.
 */
bool is_kretprobe_trampoline(unsigned long addr)
{
	return addr == KRETPROBE_TRAMPOLINE;
}
NOKPROBE_SYMBOL(is_kretprobe_trampoline);

/* How often a task was switched out. */
static unsigned long switches_of(const struct task_struct *tsk)
{
	return READ_ONCE(tsk->nvcsw) + READ_ONCE(tsk->nivcsw);
}
NOKPROBE_SYMBOL(switches_of);

/* Has @tsk, which is not current, been off its CPU since switches_of() returned @switches? */
static bool is_at_rest(const struct task_struct *tsk, unsigned long switches)
{
	smp_rmb();	/* the caller's reads come before those here */
#ifdef CONFIG_SMP
	/* Pairs with finish_task(): what the task did before is visible. */
	if (smp_load_acquire(&tsk->on_cpu))
		return false;
#endif
	return switches_of(tsk) == switches;
}
NOKPROBE_SYMBOL(is_at_rest);

/*
 * Finds the return address of a call of another task. That task may wake up at any time, and other
 * tasks may then use its instances while they are read here. RCU keeps their memory: disabling
 * preemption begins an RCU read-side section, and calls nothing that can be probed. After each
 * instance this checks that the task has been at rest all the time. Otherwise the values are void,
 * and the list might never end.
 */
static unsigned long find_of_other(struct task_struct *tsk, void *fp, unsigned long *passed)
{
	unsigned long found = 0, switches = switches_of(tsk);
	unsigned long addr, i = 0;
	struct llist_node *n;

	guard(preempt_notrace)();
	if (!is_at_rest(tsk, switches))
		return 0;
	n = READ_ONCE(tsk->kretprobe_instances.first);
	while (n) {
		struct kretprobe_instance *ri = instance_of(n);
		unsigned long call = READ_ONCE(ri->call);

		addr = (unsigned long)READ_ONCE(ri->ret_addr);
		n = READ_ONCE(n->next);
		if (!is_at_rest(tsk, switches))
			return 0;
		if (i++ < *passed || (void *)(call & ~CHAINED) != fp)
			continue;
		*passed = i;
		found = addr == KRETPROBE_TRAMPOLINE ? 0 : addr;
		if (!(call & CHAINED))
			break;
	}
	return found;
}
NOKPROBE_SYMBOL(find_of_other);

/**
 * kretprobe_find_ret_addr() - find the true return address of a call
 * @tsk: the task whose stack is being unwound
 * @fp:  where the trampoline's address was found
 * @cur: where the last search ended, points to NULL at first; so the unwinding of the stack of
 *       current walks the task's instances once
 *
 * If @tsk is not current, it may run meanwhile, and its calls are then unknown. For such a task
 * *@cur counts the instances passed, as the last of them may be gone when the next search begins.
 * For any task, a second search for the same call finds a second address if the function has ended
 * with a jump to another probed function, and another tracer has replaced the return address in
 * between. The caller must hold a reference to the task, but need not be in an RCU read-side
 * section.
 *
 * Context: Any, also NMI; for another task one in which RCU is watching.
 * Return: The address; 0 if the call is unknown.
 */
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	struct kretprobe_instance *ri;
	struct llist_node *n;

	if (tsk != current)
		return find_of_other(tsk, fp, (unsigned long *)cur);
	n = *cur ? (*cur)->next : tsk->kretprobe_instances.first;
	ri = first_of_call(n, fp);
	ri = ri ? last_of_call(ri) : NULL;
	if (!ri)
		return 0;
	*cur = &ri->llist;
	return (unsigned long)ri->ret_addr;
}
NOKPROBE_SYMBOL(kretprobe_find_ret_addr);
