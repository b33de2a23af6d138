// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Return probes: handles the entry of a probed function and its return. The pre-handler at the
 * entry replaces the return address with that of a trampoline. The trampoline calls
 * kretprobe_return(), which runs the return handlers, and goes on to the true return address.
 *
 * Each call under way has an instance, in a list of its task. The place of the return address on
 * the stack identifies the call. A call has several instances, a chain, if the function has several
 * return probes, or has ended with a jump to another probed function. All of these have the return
 * address that the first has replaced. A call that never returns leaves its instance in the list
 * until an outer call returns or the task ends.
 */
#include <linux/ftrace.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "frame.h"
#include "hit.h"
#include "kretprobe_pool.h"
#include "place.h"

#define KRETPROBE_TRAMPOLINE						\
	((unsigned long)dereference_function_descriptor(kretprobe_trampoline))

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

static __kprobes bool is_chained(const struct kretprobe_instance *ri)
{
	return ri->call & CHAINED;
}

static __kprobes void *frame_of(const struct kretprobe_instance *ri)
{
	return (void *)(ri->call & ~CHAINED);
}

/* Finds the last instance of a call, from the topmost one. NULL if the chain is broken. */
static __kprobes struct kretprobe_instance *last_of_call(struct kretprobe_instance *ri)
{
	void *fp = frame_of(ri);

	while (ri && frame_of(ri) == fp && is_chained(ri))
		ri = instance_of(ri->llist.next);
	return ri && frame_of(ri) == fp ? ri : NULL;
}

/* The topmost instance, which is the newest, of the call with frame @fp. */
static __kprobes struct kretprobe_instance *first_of_call(struct llist_node *n, void *fp)
{
	while (n && frame_of(instance_of(n)) != fp)
		n = n->next;
	return instance_of(n);
}

/* Interrupts pop the instances that they push, so the list needs no atomic exchange. */
static __always_inline void push(struct kretprobe_instance *ri)
{
	struct llist_head *stack = &current->kretprobe_instances;

	WRITE_ONCE(ri->llist.next, stack->first);
	/* The instance is complete before an interrupt or find_of_other() can find it. */
	smp_store_release(&stack->first, &ri->llist);
}

/* Pops the topmost instance. Reads @task: else the compiler would keep the task's address. */
static __always_inline void pop(struct kretprobe_instance *ri)
{
	WRITE_ONCE(ri->task->kretprobe_instances.first, ri->llist.next);
}

/* Returns an instance, without a frame. Disabled interrupts hold up kprobe_synchronize(). */
static __kprobes void give_back(struct kretprobe_instance *ri)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	kretprobe_pool_push(ri);
	raw_local_irq_restore(flags);
}

static __always_inline void identify(struct kretprobe_instance *ri, void *fp,
				     unsigned long ret_addr)
{
	ri->task = current;
	ri->call = (unsigned long)fp;
	ri->ret_addr = (void *)ret_addr;
}

/* Pushes the instance and makes the call return to the trampoline. */
static __always_inline void hijack(struct kretprobe_instance *ri, struct pt_regs *regs, void *fp)
{
	push(ri);
	/* An unwinder that finds the trampoline's address must find the instance. */
	barrier();
	arch_kretprobe_set_return_address(regs, fp, KRETPROBE_TRAMPOLINE);
}

/* Has a newer probe on the same point made @other, just before and for the same hit? */
static __kprobes bool is_of_same_hit(const struct kretprobe_instance *ri,
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

/*
 * Chains @ri to the instances of its call, since another return probe has replaced the return
 * address. Returns the instance below which @ri must be inserted. NULL if @ri goes on top of the
 * list.
 *
 * Return handlers run for the newest probe first, as entry handlers do, so each instance of a hit
 * goes below the one before. A function that has ended with a jump to this one returns later: its
 * instances belong to another hit and stay below @ri. An instance after the chain may belong to a
 * call that had its return address in the same place and never returned.
 */
static __kprobes struct kretprobe_instance *chain(struct kretprobe_instance *ri)
{
	struct kretprobe_instance *other, *last = NULL;
	void *fp = frame_of(ri);

	other = first_of_call(current->kretprobe_instances.first, fp);
	ri->call |= CHAINED;
	if (other)
		ri->ret_addr = other->ret_addr;
	for (; other && frame_of(other) == fp && is_of_same_hit(ri, other);
	     other = is_chained(other) ? instance_of(other->llist.next) : NULL)
		last = other;
	return last;
}

/* Inserts @ri below @above, which is of the same call and has the same @ret_addr. */
static __kprobes void push_below(struct kretprobe_instance *ri, struct kretprobe_instance *above)
{
	ri->call = above->call;
	ri->llist.next = above->llist.next;
	/* An unwinder that interrupts this finds the true address in one of the two. */
	smp_store_release(&above->llist.next, &ri->llist);
	WRITE_ONCE(above->call, above->call | CHAINED);
}

/* The general case of an entry. @ri is NULL if this CPU has no spare instance. */
static noinline __kprobes int enter(struct kretprobe *rp, struct pt_regs *regs,
				    struct kretprobe_instance *ri)
{
	unsigned long ret_addr = arch_kretprobe_return_address(regs);
	struct kretprobe_instance *above = NULL;
	void *fp = arch_kretprobe_frame(regs);
	unsigned long call;
	int drop = 0;

	ri = ri ?: kretprobe_pool_pop_slowly(rp->pool);
	if (unlikely(!ri)) {
		atomic_inc((atomic_t *)&rp->nmissed);
		atomic_inc(&rp->kp.point->misses[KPROBE_MISS_INSTANCE]);
		return 0;
	}
	identify(ri, fp, ret_addr);
	if (ret_addr == KRETPROBE_TRAMPOLINE)
		above = chain(ri);
	if (rp->entry_handler) {
		/* The task may die in the handler: have its instance in the list, as of no call. */
		call = ri->call;
		ri->call = 0;
		push(ri);
		drop = rp->entry_handler(ri, regs);
		pop(ri);
		ri->call = call;
	}
	if (drop)
		kretprobe_pool_push(ri);
	else if (above)
		push_below(ri, above);
	else
		hijack(ri, regs, fp);
	return 0;
}

/* The pre-handler of return probes. */
__kprobes int kretprobe_entry(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct kretprobe_instance *ri = kretprobe_pool_pop_spare(rp);
	unsigned long ret_addr = arch_kretprobe_return_address(regs);
	void *fp = arch_kretprobe_frame(regs);

	if (unlikely(!ri || ret_addr == KRETPROBE_TRAMPOLINE || rp->entry_handler))
		return enter(rp, regs, ri);
	identify(ri, fp, ret_addr);
	hijack(ri, regs, fp);
	return 0;
}

#ifdef ARCH_KPROBE_OWN_DETOURS
/* GCC has the attribute since version 7. Without it ARCH_KPROBE_KEEPS_REGISTERS is empty. */
#if __has_attribute(__no_caller_saved_registers__)
#define KEEPS_REGISTERS	true
#else
#define KEEPS_REGISTERS	false
#endif

/**
 * kretprobe_enters_quickly() - check whether a detour may call kretprobe_enter_quickly()
 * @detour: the detour
 * @entry:  filled in for it
 *
 * Never with CONFIG_FRAME_POINTER: the unwinder would not find the caller of the probed function.
 *
 * Context: As arch_kprobe_emit_detour().
 * Return: True if the point has one return probe, without an entry handler, and no other probe.
 */
bool kretprobe_enters_quickly(const struct kprobe_detour *detour,
			      struct kretprobe_quick_entry *entry)
{
	const struct kprobe_point *point = detour->point;
	struct kprobe *p = list_first_entry(&point->probes, struct kprobe, list);
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	if (!KEEPS_REGISTERS || IS_ENABLED(CONFIG_FRAME_POINTER) ||
	    IS_ENABLED(CONFIG_ZERO_CALL_USED_REGS) || !list_is_singular(&point->probes) ||
	    kprobe_disabled(p) || !kprobe_is_return_probe(p) || rp->entry_handler)
		return false;
	*entry = (struct kretprobe_quick_entry){
		.rp = rp, .point = point, .generation = detour->generation,
	};
	return true;
}

/**
 * kretprobe_enter_quickly() - handle a hit that calls kretprobe_entry() only
 * @entry: filled in when the detour was made
 * @fp:    as for kretprobe_return()
 *
 * kretprobe_entry() reads and writes the return address, and no user sees registers. Saving and
 * restoring all registers would take longer than everything else. The detour therefore first calls
 * this function, which keeps all registers, and saves registers only if this has done nothing.
 *
 * Context: That of the probed code.
 * Return: False if nothing was done: the detour must call handlers as for any hit.
 */
__kprobes bool ARCH_KPROBE_KEEPS_REGISTERS
kretprobe_enter_quickly(const struct kretprobe_quick_entry *entry, void *fp)
{
	const struct kprobe_point *point = entry->point;
	unsigned long ret_addr = *(unsigned long *)fp;
	struct kretprobe_instance *ri = NULL;

	preempt_disable_notrace();
	if (likely(!kprobe_frame_is_used() && ret_addr != KRETPROBE_TRAMPOLINE)) {
		struct kprobe_frame *frame = kprobe_first_frame();

		/* Like kprobe_frame_begin(), but no code here can be hit in this context. */
		WRITE_ONCE(frame->hazard, point);
		barrier();
		if (likely(READ_ONCE(point->generation) == entry->generation))
			ri = kretprobe_pool_pop_spare(entry->rp);
		if (likely(ri)) {
			identify(ri, fp, ret_addr);
			hijack(ri, NULL, fp);
		}
		smp_store_release(&frame->hazard, NULL);	/* as in kprobe_frame_exit() */
	}
	preempt_enable_notrace();
	return ri;
}
#endif /* ARCH_KPROBE_OWN_DETOURS */

static noinline __kprobes void miss_return(struct kretprobe_instance *ri)
{
	enum kprobe_miss cause = kprobe_miss_cause();
	struct kretprobe *rp;
	unsigned long flags;

	/* As in give_back(): the return probe is not freed meanwhile. */
	raw_local_irq_save(flags);
	rp = get_kretprobe(ri);
	if (rp) {
		atomic_inc((atomic_t *)&rp->nmissed);
		atomic_inc(&rp->kp.point->misses[cause]);
	}
	raw_local_irq_restore(flags);
	pop(ri);
	give_back(ri);
}

/* Ends the call of the topmost instance: runs the return handler, and returns the instance. */
static __always_inline void end_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kprobe_frame *frame = kprobe_frame_enter(ri->pool, 0);
	kretprobe_handler_t handler;

	if (unlikely(!frame)) {
		miss_return(ri);
		return;
	}
	handler = READ_ONCE(ri->pool->handler);
	if (likely(handler)) {
		WRITE_ONCE(frame->probe, &ri->rp->kp);
		handler(ri, regs);
		pop(ri);
		ri = kretprobe_pool_swap_spare(ri);
	} else {
		pop(ri);
	}
	if (unlikely(ri))
		kretprobe_pool_push_slowly(ri);
	kprobe_frame_exit(frame);
}

/*
 * Execution continues at a trampoline of another tracer. Handlers see the true return address
 * nevertheless, in @regs and in the instances, and stack traces continue from there. Every tracer
 * may have replaced it, in any order, and after a tail call another return probe may have as well.
 */
static __kprobes void show_caller(struct kretprobe_instance *first,
				  struct kretprobe_instance *last, struct pt_regs *regs)
{
	struct llist_node *own = &last->llist, *rethook = NULL;
	unsigned long addr, next = (unsigned long)last->ret_addr;
	void *fp = frame_of(last);
	int graph = 0;

	do {
		addr = next;
		if (addr == KRETPROBE_TRAMPOLINE)
			next = kretprobe_find_ret_addr(current, fp, &own);
		else if (IS_ENABLED(CONFIG_RETHOOK) && is_rethook_trampoline(addr))
			next = rethook_find_ret_addr(current, (unsigned long)fp, &rethook);
		else
			next = ftrace_graph_ret_addr(current, &graph, addr,
						     KRETPROBE_GRAPH_KEY(fp));
	} while (next && next != addr);
	for (; first != last; first = instance_of(first->llist.next))
		WRITE_ONCE(first->ret_addr, (void *)addr);
	WRITE_ONCE(last->ret_addr, (void *)addr);
	instruction_pointer_set(regs, addr);
}

/*
 * The general case of a return: the call has several instances, or is below instances of calls
 * that never returned, or another tracer has replaced its return address as well.
 */
static noinline __kprobes void return_from_chain(struct pt_regs *regs, void *fp,
						 struct kretprobe_instance *top)
{
	struct kretprobe_instance *first, *last, *ri;
	unsigned long addr;

	first = first_of_call(top ? &top->llist : NULL, fp);
	last = first ? last_of_call(first) : NULL;
	if (first != top || !last) {
		pr_err("kretprobe BUG!: Processing kretprobe %px @ %px\n",
		       last ? top->rp : NULL, last ? (void *)top->ret_addr : fp);
		if (!last) {
			/* More returns than calls: nobody knows where this one leads. */
			preempt_enable_notrace();
			make_task_dead(SIGSEGV);
		}
	}
	while (top != first) {
		ri = top;
		top = instance_of(ri->llist.next);
		pop(ri);
		give_back(ri);
	}
	addr = (unsigned long)last->ret_addr;
	arch_kretprobe_go_back(regs, fp, addr);
	instruction_pointer_set(regs, addr);
	if (kprobe_is_return_trampoline(addr))
		show_caller(first, last, regs);
	do {
		ri = top;
		top = instance_of(ri->llist.next);
		end_call(ri, regs);
	} while (ri != last);
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
__kprobes void kretprobe_return(struct pt_regs *regs, void *fp)
{
	unsigned int left = kprobe_begin_to_leave_code(regs);
	struct kretprobe_instance *ri;
	unsigned long addr;

	if (unlikely(left))
		left = kprobe_leave_code_slowly(left);
	ri = instance_of(current->kretprobe_instances.first);
	/* @call and @fp are equal only if %CHAINED is not set. */
	if (unlikely(!ri || ri->call != (unsigned long)fp ||
		     kprobe_is_return_trampoline((unsigned long)ri->ret_addr))) {
		return_from_chain(regs, fp, ri);
	} else {
		addr = (unsigned long)ri->ret_addr;
		arch_kretprobe_go_back(regs, fp, addr);
		instruction_pointer_set(regs, addr);
		end_call(ri, regs);
	}
	if (likely(!left))
		preempt_enable_notrace();
	else
		kprobe_return_to_code_slowly(left);
}

/**
 * is_kretprobe_trampoline() - check whether a return address is the trampoline's
 * @addr: an address found on a stack
 *
 * Context: Any.
 * Return: True if @addr is the address of the trampoline.
 */
__kprobes bool is_kretprobe_trampoline(unsigned long addr)
{
	return addr == KRETPROBE_TRAMPOLINE;
}

/* How often a task was switched out. */
static __kprobes unsigned long switches_of(const struct task_struct *tsk)
{
	return READ_ONCE(tsk->nvcsw) + READ_ONCE(tsk->nivcsw);
}

/* Has @tsk, which is not current, been off its CPU since switches_of() returned @switches? */
static __kprobes bool is_at_rest(const struct task_struct *tsk, unsigned long switches)
{
	smp_rmb();	/* the caller's reads come before those here */
#ifdef CONFIG_SMP
	/* Pairs with finish_task(): what the task did before is visible. */
	if (smp_load_acquire(&tsk->on_cpu))
		return false;
#endif
	return switches_of(tsk) == switches;
}

/*
 * Finds the return address of a call of another task. That task may wake up at any time, and other
 * tasks may then use its instances while they are read here: the values are void then, and the list
 * might never end. RCU keeps the memory: disabling preemption begins an RCU read-side section, and
 * calls nothing that can be probed.
 */
static __kprobes unsigned long find_of_other(struct task_struct *tsk, void *fp,
					     unsigned long *passed)
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

/**
 * kretprobe_find_ret_addr() - find the true return address of a call
 * @tsk: the task whose stack is being unwound
 * @fp:  where the trampoline's address was found
 * @cur: where the last search ended, points to NULL at first; so the unwinding of the stack of
 *       current walks the task's instances once
 *
 * If @tsk is not current, it may run meanwhile, and its calls are then unknown. For such a task
 * *@cur counts the instances passed, as the last of them may be gone when the next search begins.
 * A second search for the same call finds a second address if the function has ended with a jump to
 * another probed function, and another tracer has replaced the return address in between. The
 * caller must hold a reference to the task.
 *
 * Context: Any, also NMI; for another task one in which RCU is watching.
 * Return: The address; 0 if the call is unknown.
 */
__kprobes unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
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

/**
 * kprobe_flush_task() - take back the instances of a task that has ended
 * @tsk: the task, which never runs again
 *
 * Context: RCU callback.
 */
__kprobes void kprobe_flush_task(struct task_struct *tsk)
{
	struct kretprobe_instance *ri, *next = instance_of(tsk->kretprobe_instances.first);

	WRITE_ONCE(tsk->kretprobe_instances.first, NULL);
	while ((ri = next)) {
		next = instance_of(ri->llist.next);
		give_back(ri);
	}
}
