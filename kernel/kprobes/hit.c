// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hit machine: what happens between a trap, jump or ftrace callback and
 * the displaced instruction. Written once for all architectures.
 *
 * Rules of this file: no lock, no allocation, nothing that waits, no function
 * that can itself be probed but the users' handlers.
 *
 * A hit takes a frame of its CPU. A hit that comes from inside a handler, in
 * the handler's own context, gets none: it is counted as a miss, and its
 * instruction runs without handlers, so that a handler may call anything. A
 * hit from an interrupt or NMI that came while a handler ran gets a frame of
 * its own.
 *
 * Unregistering does not wait for RCU. A hit publishes the point in its frame
 * before it looks at the probes. Whoever has unlinked a probe calls
 * kprobe_drain(): it interrupts every CPU once, which orders each CPU's
 * publishing and looking against the unlinking, and then waits for the frames
 * that hold the point.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/extable.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "internal.h"

DEFINE_PER_CPU(struct kprobe_cpu, kprobe_cpu) = {
	.frame = {
		[0 ... KPROBE_FRAMES - 1] = { .context = KPROBE_CONTEXT_NONE },
	},
};

/**
 * kprobe_count_miss() - a probe's handlers were due and did not run
 * @p:     the probe
 * @cause: why
 *
 * Context: Any.
 */
void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause)
{
	atomic_long_inc(&p->misses[cause]);
	/* A plain field of the interface, but CPUs may miss at the same time. */
	atomic_long_inc((atomic_long_t *)&p->nmissed);
}
NOKPROBE_SYMBOL(kprobe_count_miss);

/*
 * Handlers cannot sleep, so a task's frame whose task has been switched out
 * belongs to a task that died of an oops in a handler. Take the frame back,
 * or its CPU would miss every hit from now on.
 */
static __always_inline bool frame_is_stale(const struct kprobe_frame *frame)
{
	return !frame->context && frame->task != current;
}

/**
 * kprobe_frame_enter_nested() - begin a hit while another is under way
 * @cpu:     the CPU's hits
 * @entered: as for kprobe_frame_enter()
 *
 * Context: As kprobe_frame_enter().
 * Return: As kprobe_frame_enter().
 */
struct kprobe_frame *kprobe_frame_enter_nested(struct kprobe_cpu *cpu,
					       unsigned int entered)
{
	unsigned int from = (preempt_count() - entered) & KPROBE_CONTEXT_MASK;
	unsigned int depth = READ_ONCE(cpu->depth);
	struct kprobe_frame *outer;

	if (depth >= KPROBE_FRAMES)
		return NULL;
	outer = &cpu->frame[depth - 1];
	if (outer->context != from)
		return kprobe_frame_begin(cpu, depth);
	if (!frame_is_stale(outer))
		return NULL;
	outer->point = NULL;
	outer->pool = NULL;
	return kprobe_frame_begin(cpu, depth - 1);
}
NOKPROBE_SYMBOL(kprobe_frame_enter_nested);

/* The innermost frame, if its handler runs in the current context. */
static __always_inline struct kprobe_frame *running_frame(void)
{
	struct kprobe_cpu *cpu = raw_cpu_ptr(&kprobe_cpu);
	unsigned int depth = READ_ONCE(cpu->depth);
	struct kprobe_frame *frame;

	if (!depth || depth > KPROBE_FRAMES)
		return NULL;
	frame = &cpu->frame[depth - 1];
	return frame->context == kprobe_context() ? frame : NULL;
}

/* Without a frame to publish in, interrupts off hold up kprobe_drain(). */
static void miss_all(struct kprobe_point *point)
{
	enum kprobe_miss cause = kprobe_miss_cause();
	unsigned long flags;
	struct kprobe *p;

	raw_local_irq_save(flags);
	list_for_each_entry_rcu(p, &point->probes, list, true)
		if (!kprobe_disabled(p))
			kprobe_count_miss(p, cause);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(miss_all);

static void miss_rest(struct kprobe_point *point, struct kprobe *p)
{
	list_for_each_entry_continue_rcu(p, &point->probes, list)
		if (!kprobe_disabled(p))
			kprobe_count_miss(p, KPROBE_MISS_DIVERTED);
}
NOKPROBE_SYMBOL(miss_rest);

/* Returns whether a handler changed the execution path. */
static __always_inline bool run_pre_handlers(struct kprobe_frame *frame,
					     struct kprobe_point *point,
					     struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &point->probes, list, true) {
		if (!p->pre_handler || kprobe_disabled(p))
			continue;
		WRITE_ONCE(frame->probe, p);
		if (unlikely(p->pre_handler(p, regs))) {
			miss_rest(point, p);
			return true;
		}
	}
	return false;
}

static __always_inline void run_post_handlers(struct kprobe_frame *frame,
					      struct kprobe_point *point,
					      struct pt_regs *regs)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &point->probes, list, true) {
		if (!p->post_handler || kprobe_disabled(p))
			continue;
		WRITE_ONCE(frame->probe, p);
		p->post_handler(p, regs, 0);
	}
}

/* Sets @regs to what the displaced instruction makes of them, or will. */
static __always_inline void run_displaced(struct kprobe_point *point,
					  struct pt_regs *regs)
{
	if (likely(!point->emulated))
		instruction_pointer_set(regs, (unsigned long)point->slot);
	else
		arch_kprobe_emulate(point, regs);
}

/* The same, and the post-handlers as well: now, or behind the slot. */
static void run_displaced_post(struct kprobe_frame *frame,
			       struct kprobe_point *point,
			       struct pt_regs *regs)
{
	if (!point->emulated) {
		instruction_pointer_set(regs, (unsigned long)point->post_slot);
		return;
	}
	if (arch_kprobe_emulate(point, regs))
		run_post_handlers(frame, point, regs);
}
NOKPROBE_SYMBOL(run_displaced_post);

static void miss_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	miss_all(point);
	run_displaced(point, regs);
}
NOKPROBE_SYMBOL(miss_hit);

static __always_inline void hit(struct kprobe_point *point,
				struct pt_regs *regs, unsigned int entered)
{
	struct kprobe_frame *frame = kprobe_frame_enter(entered);

	if (unlikely(!frame)) {
		miss_hit(point, regs);
		return;
	}
	kprobe_publish_point(frame, point);
	if (likely(!run_pre_handlers(frame, point, regs))) {
		/* A fault while emulating is no handler's. */
		WRITE_ONCE(frame->probe, NULL);
		if (likely(!READ_ONCE(point->nr_post)))
			run_displaced(point, regs);
		else
			run_displaced_post(frame, point, regs);
	}
	kprobe_withdraw_point(frame);
	kprobe_frame_exit(frame);
}

/**
 * kprobe_hit() - a point was hit
 * @point:   the point
 * @regs:    registers at the hit, as users of the architecture know them
 * @entered: what the way here has added to the preemption count
 *
 * Runs the handlers, and sets @regs so that the displaced instruction takes
 * effect when the caller returns.
 *
 * Context: Preemption disabled; any, NMI included.
 */
void kprobe_hit(struct kprobe_point *point, struct pt_regs *regs,
		unsigned int entered)
{
	hit(point, regs, entered);
}
NOKPROBE_SYMBOL(kprobe_hit);

/**
 * kprobe_breakpoint_hit() - a breakpoint was hit that may be ours
 * @addr:    its address
 * @regs:    as for kprobe_hit()
 * @entered: as for kprobe_hit()
 *
 * Context: As kprobe_hit().
 * Return: True when there is a point.
 */
bool kprobe_breakpoint_hit(unsigned long addr, struct pt_regs *regs,
			   unsigned int entered)
{
	struct kprobe_point *point = kprobe_table_find(addr);

	if (unlikely(!point))
		return false;
	hit(point, regs, entered);
	return true;
}
NOKPROBE_SYMBOL(kprobe_breakpoint_hit);

/**
 * kprobe_post_hit() - a displaced instruction has run, now the post-handlers
 * @point: the point
 * @regs:  registers behind the instruction
 *
 * Context: That of the probed code, but with preemption disabled.
 */
void kprobe_post_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	struct kprobe_frame *frame = kprobe_frame_enter(0);

	if (unlikely(!frame)) {
		miss_all(point);
		return;
	}
	kprobe_publish_point(frame, point);
	run_post_handlers(frame, point, regs);
	kprobe_withdraw_point(frame);
	kprobe_frame_exit(frame);
}
NOKPROBE_SYMBOL(kprobe_post_hit);

/**
 * kprobe_running() - the probe whose handler is running
 *
 * Context: Preemption disabled.
 * Return: The probe, if the caller is in its handler; NULL otherwise, also in
 * an interrupt that came while a handler ran.
 */
struct kprobe *kprobe_running(void)
{
	struct kprobe_frame *frame = running_frame();

	return frame ? READ_ONCE(frame->probe) : NULL;
}
NOKPROBE_SYMBOL(kprobe_running);

/* Stands for whoever asked for kprobe_busy_begin(). */
static struct kprobe busy_probe = {
	.addr = (kprobe_opcode_t *)kprobe_busy_begin,
};

/**
 * kprobe_busy_begin() - treat what follows as a probe's handler
 *
 * Until kprobe_busy_end() hits in this context are missed.
 *
 * Context: Any. Disables preemption.
 */
void kprobe_busy_begin(void)
{
	struct kprobe_cpu *cpu;
	unsigned int depth;

	preempt_disable_notrace();
	cpu = raw_cpu_ptr(&kprobe_cpu);
	depth = READ_ONCE(cpu->depth);
	/* Even inside a handler, and without a frame: it comes in pairs. */
	if (depth < KPROBE_FRAMES)
		kprobe_frame_begin(cpu, depth)->probe = &busy_probe;
	else
		WRITE_ONCE(cpu->depth, depth + 1);
}
NOKPROBE_SYMBOL(kprobe_busy_begin);

/**
 * kprobe_busy_end() - end what kprobe_busy_begin() began
 *
 * Context: As kprobe_busy_begin(). Enables preemption.
 */
void kprobe_busy_end(void)
{
	struct kprobe_cpu *cpu = raw_cpu_ptr(&kprobe_cpu);
	unsigned int depth = READ_ONCE(cpu->depth) - 1;

	if (depth < KPROBE_FRAMES)
		kprobe_frame_exit(&cpu->frame[depth]);
	else
		WRITE_ONCE(cpu->depth, depth);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_busy_end);

/* The fault handler's own faults are for the kernel to treat. */
static int call_fault_handler(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	struct kprobe_frame *frame = running_frame();
	int handled;

	if (!p->fault_handler || !frame || READ_ONCE(frame->faulting))
		return 0;
	WRITE_ONCE(frame->faulting, true);
	handled = p->fault_handler(p, regs, trapnr);
	WRITE_ONCE(frame->faulting, false);
	return handled;
}
NOKPROBE_SYMBOL(call_fault_handler);

/* Offers a fault of the displaced instruction to the probes of its point. */
static int displaced_fault(struct kprobe_point *point, struct pt_regs *regs,
			   int trapnr)
{
	struct kprobe_frame *frame = kprobe_frame_enter(0);
	struct kprobe *p;
	int handled = 0;

	if (!frame)
		return 0;
	kprobe_publish_point(frame, point);
	list_for_each_entry_rcu(p, &point->probes, list, true) {
		if (kprobe_disabled(p))
			continue;
		WRITE_ONCE(frame->probe, p);
		handled = call_fault_handler(p, regs, trapnr);
		if (handled)
			break;
	}
	kprobe_withdraw_point(frame);
	kprobe_frame_exit(frame);
	return handled;
}
NOKPROBE_SYMBOL(displaced_fault);

/* Offers a fault to the probe in whose handler it happened, if in any. */
static int handler_fault(struct pt_regs *regs, int trapnr)
{
	struct kprobe *p = preemptible() ? NULL : kprobe_running();

	return p ? call_fault_handler(p, regs, trapnr) : 0;
}
NOKPROBE_SYMBOL(handler_fault);

/* A fault at @slot_ip, where a copy of the point's instruction stands. */
static int slot_fault(struct kprobe_point *point, struct pt_regs *regs,
		      int trapnr)
{
	unsigned long slot_ip = instruction_pointer(regs);
	int handled;

	preempt_disable_notrace();
	instruction_pointer_set(regs, point->addr);
	handled = displaced_fault(point, regs, trapnr) ?:
		  handler_fault(regs, trapnr);
	/*
	 * Back to the copy, to try again or to be fixed up from there: going
	 * through the point once more would run the handlers twice. Where
	 * nothing can fix it, the report should name the probed function.
	 */
	if (instruction_pointer(regs) == point->addr &&
	    (handled || search_exception_tables(point->addr)))
		instruction_pointer_set(regs, slot_ip);
	preempt_enable_notrace();
	return handled;
}
NOKPROBE_SYMBOL(slot_fault);

/**
 * kprobe_fault_handler() - a fault happened in kernel mode
 * @regs:   registers at the fault
 * @trapnr: the architecture's number of the trap
 *
 * Context: Any.
 * Return: 1 when a probe's fault handler has dealt with it, 0 when the kernel
 * should go on as it would without probes.
 */
int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	unsigned int offset;
	struct kprobe_point *point;

	point = kprobe_slot_owner(instruction_pointer(regs), &offset);
	if (unlikely(point && !offset))
		return slot_fault(point, regs, trapnr);
	return handler_fault(regs, trapnr);
}
NOKPROBE_SYMBOL(kprobe_fault_handler);

/**
 * kprobe_search_exception_tables() - exception table entry of displaced code
 * @addr: an address
 *
 * Context: Any.
 * Return: The entry of the probed instruction when @addr is a copy of it, else
 * NULL.
 */
const struct exception_table_entry *
kprobe_search_exception_tables(unsigned long addr)
{
	struct kprobe_point *point;
	unsigned int offset;

	if (!is_kprobe_insn_slot(addr))
		return NULL;
	guard(rcu)();
	point = kprobe_slot_owner(addr, &offset);
	return point && !offset ? search_exception_tables(point->addr) : NULL;
}
NOKPROBE_SYMBOL(kprobe_search_exception_tables);

static void pass_barrier(void *unused)
{
	smp_mb();	/* between the caller's unlinking and this CPU's frames */
}

static bool frame_is_draining(struct kprobe_frame *frame)
{
	struct kretprobe_pool *pool;
	struct kprobe_point *point;

	/* Both are freed a grace period after the last hit that published them. */
	guard(rcu)();
	/* Both pair with the hit's withdrawing: its handlers are through. */
	point = smp_load_acquire(&frame->point);
	/* As above. */
	pool = smp_load_acquire(&frame->pool);
	return (point && READ_ONCE(point->draining)) ||
	       (pool && kretprobe_pool_draining(pool));
}

/* Seen from another CPU: has the frame's task died in a handler? */
static bool frame_is_abandoned(struct kprobe_frame *frame, int cpu)
{
	struct task_struct *task = READ_ONCE(frame->task);

	return !READ_ONCE(frame->context) && cpu_curr_snapshot(cpu) != task &&
	       READ_ONCE(frame->task) == task;
}

/* Nobody else is going to withdraw what it published. */
static void clear_frame(struct kprobe_frame *frame)
{
	WRITE_ONCE(frame->point, NULL);
	WRITE_ONCE(frame->pool, NULL);
}

static void wait_for_frame(struct kprobe_frame *frame, int cpu)
{
	unsigned long patience = jiffies + HZ;

	while (frame_is_draining(frame)) {
		cpu_relax();
		if (time_before(jiffies, patience))
			continue;
		if (frame_is_abandoned(frame, cpu))
			clear_frame(frame);
		msleep(20);
	}
}

/**
 * kprobe_drain() - wait until no hit looks at what was unlinked
 *
 * The caller has unlinked probes and marked their points, or return probes'
 * pools, as draining. Takes one round of interrupts and the time of the
 * handlers under way there, no grace period.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void kprobe_drain(void)
{
	unsigned int i;
	int cpu;

	lockdep_assert_held(&kprobe_mutex);
	/* A CPU that comes or goes meanwhile would not be asked. */
	guard(cpus_read_lock)();
	on_each_cpu(pass_barrier, NULL, 1);
	for_each_possible_cpu(cpu)
		for (i = 0; i < KPROBE_FRAMES; i++)
			wait_for_frame(&per_cpu(kprobe_cpu, cpu).frame[i], cpu);
}
NOKPROBE_SYMBOL(kprobe_drain);
