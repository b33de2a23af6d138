// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Handles a hit: everything between the trap, jump or ftrace callback and the displaced
 * instruction. All architectures share this code. A trap calls kprobe_breakpoint_hit(), a stub
 * kprobe_detour_enter(), ftrace's callback kprobe_entry_hit(). See detour.c for detours of an
 * architecture's own.
 *
 * Rules of the hit path: it takes no lock, allocates nothing, and waits for nothing. No function
 * in it can be probed, except the users' handlers.
 *
 * A hit that gets a frame, see frame.c, calls the handlers. Any other hit counts as a miss.
 */
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/context_tracking_irq.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "chunk.h"
#include "frame.h"
#include "hit.h"
#include "point.h"
#include "slot.h"
#include "stale.h"
#include "table.h"

DEFINE_STATIC_KEY_FALSE(kprobe_counting);

#define LEFT_ACCESS	(~(KPROBE_LEFT_RCU | KPROBE_LEFT_IRQS_ON))

/*
 * Does RCU watch in every trap? Where entry code is noinstr, that code has seen to it. Tests call
 * kprobe_breakpoint_hit() as other traps do.
 */
#define TRAPS_ARE_WATCHED	(__is_defined(ARCH_KPROBE_RCU_WATCHES) ||	\
				 (IS_ENABLED(CONFIG_ARCH_WANTS_NO_INSTR) &&	\
				  !IS_ENABLED(CONFIG_KPROBES_KUNIT_TEST)))

/*
 * Undoes what @left tells, which is not 0. Returns what the next function must redo.
 *
 * RCU is not watching in the idle loop, around a guest, and on the way to user space. A hit there
 * does what a trap does, except that it leaves the preemption count alone: handlers see that of the
 * probed code. The idle loop tells lockdep that interrupts are enabled, as they may be in
 * arch_cpu_idle(). Locks that handlers take would then seem to be taken with interrupts enabled.
 */
__kprobes unsigned int kprobe_leave_code_slowly(unsigned int left)
{
	if (left & LEFT_ACCESS)
		arch_kprobe_end_access(left & LEFT_ACCESS);
	if (!(left & KPROBE_LEFT_RCU))
		return left;
	if (raw_irqs_disabled() && lockdep_hardirqs_enabled()) {
		left |= KPROBE_LEFT_IRQS_ON;
		lockdep_hardirqs_off(CALLER_ADDR0);
	}
	ct_nmi_enter();
	if (left & KPROBE_LEFT_IRQS_ON)
		trace_hardirqs_off_finish();
	return left;
}

/*
 * The inverse of kprobe_leave_code_slowly(). Enables preemption, where the task may be rescheduled,
 * before it permits access to user memory: a task that can access it must not be rescheduled.
 */
__kprobes void kprobe_return_to_code_slowly(unsigned int left)
{
	if (left & KPROBE_LEFT_IRQS_ON) {
		trace_hardirqs_on_prepare();
		lockdep_hardirqs_on_prepare();
	}
	if (left & KPROBE_LEFT_RCU)
		ct_nmi_exit();
	if (left & KPROBE_LEFT_IRQS_ON)
		lockdep_hardirqs_on(CALLER_ADDR0);
	preempt_enable_notrace();
	if (left & LEFT_ACCESS)
		arch_kprobe_resume_access(left & LEFT_ACCESS);
}

/*
 * Counts a hit, whether or not it gets a frame. A detour of an architecture's own counts by itself
 * the hits that do not come here. A point that waits to be disarmed is not counted.
 */
static __always_inline void count_hit(struct kprobe_point *point)
{
	if (static_branch_unlikely(&kprobe_counting) &&
	    READ_ONCE(point->state) == KPROBE_POINT_ARMED)
		atomic_long_inc(&point->hits);
}

static __kprobes void count_miss(struct kprobe_point *point, struct kprobe *p,
				 enum kprobe_miss cause)
{
	/* @nmissed is a plain field of the API, but several CPUs may count at once. */
	atomic_long_inc((atomic_long_t *)&p->nmissed);
	atomic_inc(&point->misses[cause]);
}

/* The handler of @p has diverted a hit: the probes after @p miss it. */
__kprobes void kprobe_miss_rest(struct kprobe_point *point, struct kprobe *p)
{
	list_for_each_entry_continue_rcu(p, &point->probes, list)
		if (!kprobe_disabled(p))
			count_miss(point, p, KPROBE_MISS_DIVERTED);
}

/*
 * Counts a miss of each enabled probe, or only of those with a post-handler (@posts_alone). The
 * hit may have no frame to publish a hazard pointer in, so disabled interrupts hold up
 * kprobe_synchronize(): pairs with pass_barrier(), which runs on this CPU before or after the walk.
 */
static __kprobes void miss(struct kprobe_point *point, enum kprobe_miss cause, bool posts_alone)
{
	unsigned long flags;
	struct kprobe *p;

	raw_local_irq_save(flags);
	list_for_each_entry_rcu(p, &point->probes, list, true)
		if (!kprobe_disabled(p) && (p->post_handler || !posts_alone))
			count_miss(point, p, cause);
	raw_local_irq_restore(flags);
}

/* Returns whether a handler changed the execution path. Sets @post if there are post-handlers. */
static __always_inline bool run_pre_handlers(struct kprobe_frame *frame,
					     struct kprobe_point *point,
					     struct pt_regs *regs, bool *post)
{
	struct kprobe *p;

	list_for_each_entry_rcu(p, &point->probes, list, true) {
		kprobe_pre_handler_t handler = p->pre_handler;

		if (kprobe_disabled(p))
			continue;
		if (unlikely(p->post_handler))
			*post = true;
		if (!handler)
			continue;
		WRITE_ONCE(frame->probe, p);
		if (unlikely(handler(p, regs))) {
			kprobe_miss_rest(point, p);
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

	/* kprobe_is_before() asks where an instruction may be shorter than the breakpoint. */
	if (KPROBE_HIT_OFFSET)
		WRITE_ONCE(frame->post, true);
	list_for_each_entry_rcu(p, &point->probes, list, true) {
		kprobe_post_handler_t handler = p->post_handler;

		if (!handler || kprobe_disabled(p))
			continue;
		WRITE_ONCE(frame->probe, p);
		handler(p, regs, 0);
	}
	if (KPROBE_HIT_OFFSET)
		WRITE_ONCE(frame->post, false);
}

/* Returns false if the operand cannot be read: the hit goes on in the slot, to fault there. */
static __always_inline bool emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	struct kprobe_emulation *emulation;

	if (likely(arch_kprobe_emulate(point, regs)))
		return true;
	emulation = kprobe_point_emulation(point);
	WRITE_ONCE(emulation->entered, true);	/* read after a Tasks RCU grace period */
	instruction_pointer_set(regs, (unsigned long)emulation->slot);
	return false;
}

/* Has the displaced instruction take effect: in a slot or detour, or by emulation. */
static __always_inline void run_displaced(struct kprobe_point *point,
					  const struct kprobe_route *route,
					  struct pt_regs *regs)
{
	if (likely(route->run))
		instruction_pointer_set(regs, (unsigned long)route->run);
	else
		emulate(point, regs);
}

/*
 * A branch was emulated by setting both instruction pointers, the first one to its delay slot. A
 * jump covers that: the hit goes on with the copy of it, which is behind what can fault.
 */
static __always_inline void go_on_in_slot(const struct kprobe_point *point,
					  const struct kprobe_route *route, struct pt_regs *regs)
{
	unsigned long next = arch_kprobe_next_ip(regs);

	instruction_pointer_set(regs, (unsigned long)route->run + kprobe_point_fault(point) +
				      point->len);
	arch_kprobe_set_next_ip(regs, next);
}

/*
 * Sends a hit on to the instruction pointer in @regs, which a handler or an emulated instruction
 * has set, or to the displaced copy of the instruction there.
 */
__kprobes void kprobe_go_on(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_route *route = kprobe_point_route(point);
	unsigned long ip = instruction_pointer(regs);
	const struct kprobe_detour *detour = NULL;
	unsigned int i;

	if (kprobe_point_skips_nop(point) && ip == point->site) {
		run_displaced(point, route, regs);
		return;
	}
	if (route->run)
		detour = kprobe_slot_detour((unsigned long)route->run);
	if (__is_defined(ARCH_KPROBE_JUMP_COVERS_SLOT) && detour && point->has_slot &&
	    ip == point->site + point->len)
		go_on_in_slot(point, route, regs);
	for (i = 1; detour && i < detour->nr; i++)
		if (ip == point->site + detour->from[i])
			instruction_pointer_set(regs, (unsigned long)detour->slot +
						      detour->insn[i]);
}

/*
 * Runs the post-handlers of an emulated instruction. A branch that takes its delay slot along goes
 * on with a copy of both, to which emulation has set the instruction pointer. Post-handlers see
 * what comes next in the text: the delay slot.
 */
static __kprobes void run_emulated_post(struct kprobe_frame *frame, struct kprobe_point *point,
					struct pt_regs *regs)
{
	unsigned long copy = instruction_pointer(regs);

	if (!point->has_slot || !kprobe_point_slot(point)) {
		run_post_handlers(frame, point, regs);
		kprobe_go_on(point, regs);
		return;
	}
	instruction_pointer_set(regs, point->site + point->len);
	run_post_handlers(frame, point, regs);
	instruction_pointer_set(regs, copy);
}

/*
 * Runs the displaced instruction and the post-handlers where no slot or detour calls them: at an
 * entry nop, or if the instruction is emulated. If its copy may branch they are not called.
 */
static __kprobes void run_displaced_post(struct kprobe_frame *frame,
					 struct kprobe_point *point,
					 const struct kprobe_route *route,
					 struct pt_regs *regs)
{
	if (kprobe_point_skips_nop(point)) {
		/* The nop is the probed instruction. The displaced one runs after it. */
		instruction_pointer_set(regs, point->site);
		run_post_handlers(frame, point, regs);
		WRITE_ONCE(frame->probe, NULL);
		run_displaced(point, route, regs);
	} else if (!point->emulated) {
		miss(point, KPROBE_MISS_BRANCHED, true);
		run_displaced(point, route, regs);
	} else if (emulate(point, regs)) {
		run_emulated_post(frame, point, regs);
	} else {
		miss(point, KPROBE_MISS_DIVERTED, true);
	}
}

static noinline __kprobes void miss_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	count_hit(point);
	miss(point, kprobe_miss_cause(), false);
	run_displaced(point, kprobe_point_route(point), regs);
}

static __always_inline void hit(struct kprobe_point *point, struct pt_regs *regs,
				unsigned int entered)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, entered);
	const struct kprobe_route *route;
	bool post = false;
	void *copy;

	if (unlikely(!frame)) {
		miss_hit(point, regs);
		return;
	}
	count_hit(point);
	instruction_pointer_set(regs, point->addr + KPROBE_HIT_OFFSET);
	if (unlikely(run_pre_handlers(frame, point, regs, &post))) {
		kprobe_go_on(point, regs);
		goto out;
	}
	route = kprobe_point_route(point);
	/* At an entry nop, post-handlers run before the displaced instruction. */
	if (likely(!post))
		copy = route->run;
	else
		copy = kprobe_point_skips_nop(point) ? NULL : route->run_post;
	if (likely(copy)) {
		instruction_pointer_set(regs, (unsigned long)copy);
		goto out;
	}
	/* A fault of the emulation does not belong to a handler. */
	WRITE_ONCE(frame->probe, NULL);
	if (post)
		run_displaced_post(frame, point, route, regs);
	else
		run_displaced(point, route, regs);
out:
	kprobe_frame_exit(frame);
}

/* Handles a hit of @point. @regs and @entered are as for kprobe_breakpoint_hit(). */
__kprobes void kprobe_hit(struct kprobe_point *point, struct pt_regs *regs, unsigned int entered)
{
	hit(point, regs, entered);
}

#ifndef ARCH_KPROBE_OWN_DETOURS
/* Out of line: else kprobe_detour_enter() would save one more register, for @left. */
static noinline __kprobes void detour_enter_slowly(struct kprobe_point *point,
						   struct pt_regs *regs,
						   unsigned int left)
{
	left = kprobe_leave_code_slowly(left);
	kprobe_hit(point, regs, 0);
	kprobe_return_to_code_slowly(left);
}

/**
 * kprobe_detour_enter() - handle a hit that has entered a stub
 * @regs:   registers of the probed code; set to where the hit goes on
 * @detour: the stub's detour
 *
 * Context: That of the probed code.
 */
__kprobes void kprobe_detour_enter(struct pt_regs *regs, struct kprobe_detour *detour)
{
	unsigned int left = kprobe_begin_to_leave_code(regs);

	if (unlikely(left)) {
		detour_enter_slowly(detour->point, regs, left);
		return;
	}
	hit(detour->point, regs, 0);
	preempt_enable_notrace();
}
#endif /* !ARCH_KPROBE_OWN_DETOURS */

/**
 * kprobe_breakpoint_detour() - find the detour that a breakpoint leads to
 * @addr: address of the breakpoint
 *
 * An architecture may call this before it does anything else about the trap, and return from the
 * trap to the detour. If RCU is not watching, the table cannot be read, and detours of an
 * architecture's own may rely on RCU. If the trap has made RCU watch before it calls this, the
 * check here is of no use: kprobe_detour_enter() checks again in the probed code's context.
 *
 * Context: Any, interrupts disabled.
 * Return: The detour's entry. NULL if the breakpoint is not of kprobes, or if
 * kprobe_breakpoint_hit() must handle the trap.
 */
noinstr void *kprobe_breakpoint_detour(unsigned long addr)
{
	struct kprobe_point *point;

	if (unlikely(!kprobe_rcu_is_watching()))
		return NULL;
	point = kprobe_table_find(addr);
	return point ? READ_ONCE(point->route)->enter : NULL;
}

/**
 * kprobe_entry_hit() - handle a function call that ftrace reports
 * @point: the point at the function's entry
 * @regs:  registers as ftrace gives them
 *
 * The displaced instruction is a nop: @regs stay as the handlers leave them. The instruction
 * pointer stays as it was unless a handler has diverted the call.
 *
 * Context: Preemption disabled; any, NMI included.
 */
__kprobes void kprobe_entry_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, 0);
	unsigned long to = instruction_pointer(regs);
	bool post = false;

	count_hit(point);
	if (unlikely(!frame)) {
		miss(point, kprobe_miss_cause(), false);
		return;
	}
	instruction_pointer_set(regs, point->addr + KPROBE_HIT_OFFSET);
	if (likely(!run_pre_handlers(frame, point, regs, &post))) {
		instruction_pointer_set(regs, point->site);
		if (post)
			run_post_handlers(frame, point, regs);
		/* The call goes on where ftrace or a livepatch sends it. */
		instruction_pointer_set(regs, to);
	}
	kprobe_frame_exit(frame);
}

static __always_inline void post_hit(struct kprobe_point *point, struct pt_regs *regs,
				     unsigned int entered)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, entered);

	if (unlikely(!frame)) {
		/* The pre-handlers have run, so only post-handlers are missed. */
		miss(point, kprobe_miss_cause(), true);
		return;
	}
	run_post_handlers(frame, point, regs);
	kprobe_frame_exit(frame);
}

/*
 * Goes on at the site of a point at an entry nop after the point's own hit, when the breakpoint in
 * its pass slot is hit: with a hit of the other point at the site, or else with the displaced
 * instruction. A handler that sends the hit back to the site means the other point.
 */
static __kprobes void pass_hit(struct kprobe_point *point, struct pt_regs *regs,
			       unsigned int entered)
{
	struct kprobe_point *other = kprobe_point_at_site(point);

	if (other && READ_ONCE(other->state) == KPROBE_POINT_ARMED)
		hit(other, regs, entered);
	else
		run_displaced(point, &point->text, regs);
	if (instruction_pointer(regs) == point->site)
		instruction_pointer_set(regs, (unsigned long)kprobe_point_pass(point));
}

/*
 * Handles a breakpoint in a slot: that of a pass slot, or the one that a slot may end in instead of
 * a jump back, after which the post-handlers run if the slot is for them. Returns false if @addr is
 * not such a breakpoint.
 */
static __kprobes bool slot_hit(unsigned long addr, struct pt_regs *regs, unsigned int entered)
{
	unsigned int offset;
	struct kprobe_point *point = kprobe_slot_owner(addr, &offset);
	void *slot;
	bool post;

	if (!point)
		return false;
	slot = (void *)addr - offset;
	if (slot == kprobe_point_pass(point)) {
		pass_hit(point, regs, entered);
		return true;
	}
	if (!offset || !point->ends_in_trap)
		return false;
	post = slot == point->text.run_post;
	if (!post && slot != kprobe_point_slot(point))
		return false;
	instruction_pointer_set(regs, arch_kprobe_slot_ended(point, regs, offset));
	if (post)
		post_hit(point, regs, entered);
	return true;
}

static __always_inline int breakpoint_hit(unsigned long addr, struct pt_regs *regs,
					  unsigned int entered)
{
	struct kprobe_point *point = kprobe_table_find(addr);

	if (likely(point)) {
		if (arch_kprobe_passes(point, regs))
			instruction_pointer_set(regs, addr + point->len);
		else
			kprobe_hit(point, regs, entered);
	} else if (!slot_hit(addr, regs, entered)) {
		return kprobe_retry_trap(addr, regs);
	}
	return 1;
}

/* Out of line like detour_enter_slowly(). RCU is not watching. */
static noinline __kprobes int breakpoint_hit_slowly(unsigned long addr, struct pt_regs *regs,
						    unsigned int entered)
{
	unsigned int left;
	int handled;

	preempt_disable_notrace();
	left = kprobe_leave_code_slowly(KPROBE_LEFT_RCU);
	handled = breakpoint_hit(addr, regs, entered);
	kprobe_return_to_code_slowly(left);
	return handled;
}

/**
 * kprobe_breakpoint_hit() - handle a trap on a breakpoint that may be of kprobes
 * @addr:    address of the breakpoint
 * @regs:    registers at the hit, as users of the architecture know them at @addr
 * @entered: how much the way here has added to the preemption count
 *
 * Runs the handlers, and sets @regs so that the displaced instruction takes effect when the caller
 * returns. If the text has no breakpoint any more, sets @regs to execute the text again. Has RCU
 * watch where it does not, unless the architecture selects ARCH_WANTS_NO_INSTR.
 *
 * Context: Preemption disabled; any, NMI included.
 * Return: 1 if the caller can return to @regs; 0 if the breakpoint is somebody else's.
 */
__kprobes int kprobe_breakpoint_hit(unsigned long addr, struct pt_regs *regs, unsigned int entered)
{
	if (!TRAPS_ARE_WATCHED && unlikely(!kprobe_rcu_is_watching()))
		return breakpoint_hit_slowly(addr, regs, entered);
	return breakpoint_hit(addr, regs, entered);
}

/* Calls the post-handlers. Preemption is disabled, else the context is that of the probed code. */
__kprobes void kprobe_post_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	post_hit(point, regs, 0);
}

/* The point whose code has called, after its instruction. */
static __always_inline struct kprobe_point *point_of_post(struct pt_regs *regs, unsigned long where)
{
	struct kprobe_point *point = kprobe_owner_point(kprobe_running_owner(where));

	instruction_pointer_set(regs, point->site + point->len);
	return point;
}

/* Out of line like detour_enter_slowly(). */
static noinline __kprobes void detour_post_slowly(struct pt_regs *regs, unsigned long where,
						  unsigned int left)
{
	left = kprobe_leave_code_slowly(left);
	kprobe_post_hit(point_of_post(regs, where), regs);
	kprobe_return_to_code_slowly(left);
}

/**
 * kprobe_detour_post() - call the post-handlers for a slot or detour
 * @regs:  registers after the displaced instruction; the instruction pointer is set
 * @where: the address in the slot or detour that the call returns to
 *
 * The architecture's kprobe_post_trampoline calls this.
 *
 * Context: That of the probed code.
 */
__kprobes void kprobe_detour_post(struct pt_regs *regs, unsigned long where)
{
	unsigned int left = kprobe_begin_to_leave_code(regs);

	if (unlikely(left)) {
		detour_post_slowly(regs, where, left);
		return;
	}
	post_hit(point_of_post(regs, where), regs, 0);
	preempt_enable_notrace();
}
