// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hit machine: what happens between a trap, jump or ftrace callback and
 * the displaced instruction. Written once for all architectures.
 *
 * Rules of this file: no lock, no allocation, nothing that waits, no function
 * that can itself be probed but the users' handlers.
 *
 * A hit that gets a frame, see frame.c, calls the handlers. All others are missed.
 */
#include <linux/atomic.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>

#include "frame.h"
#include "hit.h"
#include "miss.h"
#include "move_notes.h"
#include "point.h"
#include "probed_code.h"
#include "slot.h"
#include "table.h"

/* Breakpoint traps that found no breakpoint in the text. */
atomic_t kprobe_stale_breakpoints = ATOMIC_INIT(0);

/*
 * Without a frame to publish in, interrupts off hold up kprobe_synchronize(). Pairs with
 * pass_barrier(), which runs on this CPU before or after all of it.
 */
static void miss(struct kprobe_point *point, bool posts_alone)
{
	enum kprobe_miss cause = kprobe_miss_cause();
	unsigned long flags;
	struct kprobe *p;

	raw_local_irq_save(flags);
	list_for_each_entry_rcu(p, &point->probes, list, true)
		if (!kprobe_disabled(p) && (p->post_handler || !posts_alone))
			kprobe_count_miss(p, cause);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(miss);

static void miss_all(struct kprobe_point *point)
{
	miss(point, false);
}
NOKPROBE_SYMBOL(miss_all);

/*
 * Returns whether a handler changed the execution path. Sets @post if there are
 * post-handlers.
 */
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

	WRITE_ONCE(frame->post, true);
	list_for_each_entry_rcu(p, &point->probes, list, true) {
		kprobe_post_handler_t handler = p->post_handler;

		if (!handler || kprobe_disabled(p))
			continue;
		WRITE_ONCE(frame->probe, p);
		handler(p, regs, 0);
	}
	WRITE_ONCE(frame->post, false);
}

/* Returns false when the operand cannot be read: the slot then does, which should fault. */
static __always_inline bool emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	if (likely(arch_kprobe_emulate(point, regs)))
		return true;
	instruction_pointer_set(regs, (unsigned long)kprobe_point_slot(point));
	return false;
}

/* Sets @regs to what the displaced instruction makes of them, or will. */
static __always_inline void run_displaced(struct kprobe_point *point,
					  const struct kprobe_route *route,
					  struct pt_regs *regs)
{
	if (likely(route->run))
		instruction_pointer_set(regs, (unsigned long)route->run);
	else
		emulate(point, regs);
}

#ifdef CONFIG_OPTPROBES
/* The detour that a route leads to, NULL when it leads to a slot or back to the site. */
static __always_inline const struct kprobe_detour *
detour_of(const struct kprobe_point *point, const struct kprobe_route *route)
{
	if (!route->run || (unsigned long)route->run == point->site)
		return NULL;
	return kprobe_slot_detour((unsigned long)route->run);
}

/* Where to go on instead of at @ip, which a jump may cover. */
static __always_inline unsigned long moved_to(const struct kprobe_point *point,
					      const struct kprobe_route *route, unsigned long ip)
{
	const struct kprobe_detour *detour = detour_of(point, route);
	unsigned int i;

	for (i = 1; detour && i < detour->nr; i++)
		if (ip == point->site + detour->from[i])
			return (unsigned long)detour->slot + detour->insn[i];
	return ip;
}
#else
static __always_inline unsigned long moved_to(const struct kprobe_point *point,
					      const struct kprobe_route *route, unsigned long ip)
{
	return ip;
}
#endif

static void go_on(struct kprobe_point *point, const struct kprobe_route *route,
		  struct pt_regs *regs)
{
	unsigned long ip = instruction_pointer(regs);

	if (kprobe_point_skips_nop(point) && ip == point->site)
		run_displaced(point, route, regs);
	else
		instruction_pointer_set(regs, moved_to(point, route, ip));
}
NOKPROBE_SYMBOL(go_on);

/**
 * kprobe_go_on() - a hit goes on elsewhere than at the displaced instruction
 * @point: the point
 * @regs:  where a handler has sent the hit, or an emulated instruction goes
 *
 * What follows the displaced instruction may have moved to a detour, and the
 * displaced one itself, after a skipped nop, must not be hit again.
 *
 * Context: Hit path.
 */
void kprobe_go_on(struct kprobe_point *point, struct pt_regs *regs)
{
	go_on(point, kprobe_point_route(point), regs);
}
NOKPROBE_SYMBOL(kprobe_go_on);

/* The copy that a hit just goes on in. */
static __always_inline void *copy_of(const struct kprobe_point *point,
				     const struct kprobe_route *route, bool post)
{
	if (likely(!post))
		return route->run;
	/* Of a nop the post-handlers come first. */
	return kprobe_point_skips_nop(point) ? NULL : route->run_post;
}

/* The same, and the post-handlers as well: here, as there is no copy that calls them. */
static void run_displaced_post(struct kprobe_frame *frame,
			       struct kprobe_point *point,
			       const struct kprobe_route *route,
			       struct pt_regs *regs)
{
	if (kprobe_point_skips_nop(point)) {
		/* Probed is the nop in front; the displaced one is still to come. */
		instruction_pointer_set(regs, point->site);
		run_post_handlers(frame, point, regs);
		WRITE_ONCE(frame->probe, NULL);
		run_displaced(point, route, regs);
	} else if (emulate(point, regs)) {
		run_post_handlers(frame, point, regs);
		go_on(point, route, regs);
	}
}
NOKPROBE_SYMBOL(run_displaced_post);

static void miss_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	miss_all(point);
	run_displaced(point, kprobe_point_route(point), regs);
}
NOKPROBE_SYMBOL(miss_hit);

/* What is left to do when it is not just to go on in a copy. */
static void finish_hit(struct kprobe_frame *frame, struct kprobe_point *point,
		       const struct kprobe_route *route, struct pt_regs *regs,
		       bool post)
{
	/* A fault while emulating is no handler's. */
	WRITE_ONCE(frame->probe, NULL);
	if (post)
		run_displaced_post(frame, point, route, regs);
	else
		run_displaced(point, route, regs);
}
NOKPROBE_SYMBOL(finish_hit);

static __always_inline void go_on_in_copy(struct kprobe_frame *frame, struct kprobe_point *point,
					  struct pt_regs *regs, bool post)
{
	const struct kprobe_route *route = kprobe_point_route(point);
	void *copy = copy_of(point, route, post);

	if (likely(copy))
		instruction_pointer_set(regs, (unsigned long)copy);
	else
		finish_hit(frame, point, route, regs, post);
}

static __always_inline void hit(struct kprobe_point *point, struct pt_regs *regs,
				unsigned int entered)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, entered);
	bool post = false;

	if (unlikely(!frame)) {
		miss_hit(point, regs);
		return;
	}
	arch_kprobe_enter(point, regs);
	if (likely(!run_pre_handlers(frame, point, regs, &post)))
		go_on_in_copy(frame, point, regs, post);
	else
		kprobe_go_on(point, regs);
	kprobe_frame_exit(frame);
}

/* No handler must run if the point waits to be disarmed until it has moved. */
static __always_inline bool is_armed(const struct kprobe_point *point)
{
	return READ_ONCE(point->state) == KPROBE_POINT_ARMED;
}

/*
 * Executes what is at a moving point's site: the hit of the point there, or the
 * displaced instruction. While that point comes or goes, the route may lead back to
 * the site. The call must not return there, where it would be seen once more: look
 * again. After the move the text at the site is right.
 */
static void go_on_at_site(struct kprobe_point *point, struct pt_regs *regs,
			  unsigned int entered)
{
	struct kprobe_point *next;
	struct kprobe_move *move;

	/* @move is read once per turn: after its end the point's route may skip @next. */
	while (instruction_pointer(regs) == point->site && (move = kprobe_move_of(point))) {
		next = kprobe_move_next(move);
		if (next && is_armed(next))
			hit(next, regs, entered);
		else
			run_displaced(next ?: point, kprobe_point_route(next ?: point), regs);
		if (next)
			return;
	}
}
NOKPROBE_SYMBOL(go_on_at_site);

/*
 * The point moves to ftrace. A call that ftrace did not report is a hit. What is at
 * the site comes after it, for all calls.
 */
static void moving_hit(struct kprobe_point *point, struct pt_regs *regs,
		       unsigned int entered)
{
	bool reported;

	smp_rmb();	/* @move is read after @mechanism: pairs with kprobe_move_begin() */
	reported = kprobe_move_take_note(point, kernel_stack_pointer(regs));
	if (reported || !is_armed(point))
		instruction_pointer_set(regs, point->site);
	else
		hit(point, regs, entered);
	go_on_at_site(point, regs, entered);
}
NOKPROBE_SYMBOL(moving_hit);

static __always_inline void any_hit(struct kprobe_point *point, struct pt_regs *regs,
				    unsigned int entered)
{
	if (unlikely(READ_ONCE(point->mechanism) == KPROBE_FTRACE)) {
		moving_hit(point, regs, entered);
		return;
	}
	hit(point, regs, entered);
	/* Meanwhile it has begun to move: the breakpoint would count the hit again. */
	if (unlikely(instruction_pointer(regs) == point->site))
		go_on_at_site(point, regs, entered);
}

/**
 * kprobe_hit() - a point was hit
 * @point:   the point
 * @regs:    as for kprobe_breakpoint_hit()
 * @entered: as for kprobe_breakpoint_hit()
 *
 * Context: As kprobe_breakpoint_hit().
 */
void kprobe_hit(struct kprobe_point *point, struct pt_regs *regs,
		unsigned int entered)
{
	any_hit(point, regs, entered);
}
NOKPROBE_SYMBOL(kprobe_hit);

#ifdef CONFIG_OPTPROBES
#ifndef ARCH_KPROBE_OWN_DETOURS
/* Apart from the rest, which would save more registers to remember @left. */
static noinline void detour_enter_slowly(struct kprobe_point *point, struct pt_regs *regs,
					 unsigned int left)
{
	left = kprobe_leave_code_slowly(left);
	kprobe_hit(point, regs, 0);
	kprobe_return_to_code_slowly(left);
}
NOKPROBE_SYMBOL(detour_enter_slowly);

/**
 * kprobe_detour_enter() - a stub was entered
 * @regs:   registers as the probed code has them; set to where to go on
 * @detour: the stub's detour
 *
 * Context: That of the probed code.
 */
void kprobe_detour_enter(struct pt_regs *regs, struct kprobe_detour *detour)
{
	unsigned int left = kprobe_begin_to_leave_code(regs);

	if (unlikely(left)) {
		detour_enter_slowly(detour->point, regs, left);
		return;
	}
	any_hit(detour->point, regs, 0);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_detour_enter);

#endif /* ARCH_KPROBE_OWN_DETOURS */

/**
 * kprobe_breakpoint_detour() - where a breakpoint leads
 * @addr: its address
 *
 * For architectures that can ask before anything else is done about the trap, and
 * leave it for there. If RCU is not watching the table cannot be read yet, and detours of
 * an architecture's own may rely on RCU. If the trap has RCU watch before it asks, this
 * does not notice: kprobe_detour_enter() looks once more.
 *
 * Context: Any, interrupts disabled.
 * Return: A detour's entry, or NULL: the breakpoint is not ours, or it is
 * kprobe_breakpoint_hit()'s.
 */
noinstr void *kprobe_breakpoint_detour(unsigned long addr)
{
	struct kprobe_point *point;

	if (unlikely(!kprobe_rcu_is_watching()))
		return NULL;
	point = kprobe_table_find(addr);
	return point ? READ_ONCE(point->route)->enter : NULL;
}
#endif

/**
 * kprobe_entry_hit() - a function was entered that ftrace called us for
 * @point: the point at its entry
 * @regs:  registers as ftrace gives them
 *
 * The displaced instruction is a nop: @regs are left as the handlers leave them,
 * with the instruction pointer where it was unless a handler has diverted it.
 *
 * Context: Preemption disabled; any, NMI included.
 */
void kprobe_entry_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, 0);
	unsigned long to = instruction_pointer(regs);
	bool post = false;

	if (unlikely(!frame)) {
		miss_all(point);
		return;
	}
	arch_kprobe_enter(point, regs);
	if (likely(!run_pre_handlers(frame, point, regs, &post))) {
		instruction_pointer_set(regs, point->site);
		if (post)
			run_post_handlers(frame, point, regs);
		/* On to where ftrace, or a livepatch, goes. */
		instruction_pointer_set(regs, to);
	}
	kprobe_frame_exit(frame);
}
NOKPROBE_SYMBOL(kprobe_entry_hit);

/*
 * A CPU can trap on a breakpoint that another CPU has taken out of the text
 * meanwhile, and its point out of the table. Architectures whose breakpoint
 * traps leave interrupts on cannot rule that out. Nor can an emulator that does
 * not synchronise its translations, whoever has written the breakpoint. The
 * text that is there now must be executed. It has a breakpoint again if a new
 * point was armed after the look into the table: then the table has the point.
 */
static int retry_stale_breakpoint(unsigned long addr, struct pt_regs *regs)
{
	if (arch_kprobe_has_breakpoint(addr)) {
		smp_rmb();	/* pairs with write_sites() and give_up_breakpoint() */
		if (!kprobe_table_find(addr))
			return 0;
	}
	atomic_inc(&kprobe_stale_breakpoints);
	instruction_pointer_set(regs, addr);
	return 1;
}
NOKPROBE_SYMBOL(retry_stale_breakpoint);

static __always_inline void post_hit(struct kprobe_point *point, struct pt_regs *regs,
				     unsigned int entered)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, entered);

	if (unlikely(!frame)) {
		/* The pre-handlers have run. */
		miss(point, true);
		return;
	}
	run_post_handlers(frame, point, regs);
	kprobe_frame_exit(frame);
}

/*
 * The slot of an emulated instruction has read the operand after all: the fault was repaired,
 * or the memory was back. Without a frame the hit had none either, and was missed.
 */
static __always_inline void operand_was_read(struct kprobe_point *point, struct pt_regs *regs,
					     unsigned int entered)
{
	struct kprobe_frame *frame = kprobe_frame_enter(point, entered);

	arch_kprobe_emulate_read(point, regs);
	/* Of a nop the post-handlers have been called. */
	if (frame && !kprobe_point_skips_nop(point))
		run_post_handlers(frame, point, regs);
	kprobe_go_on(point, regs);
	if (frame)
		kprobe_frame_exit(frame);
}

/*
 * The breakpoint that a slot ends in, where no jump leads back from there: goes on
 * after the probed instruction, in one of the slots after the post-handlers.
 */
static bool slot_has_ended(unsigned long addr, struct pt_regs *regs, unsigned int entered)
{
	unsigned int offset;
	struct kprobe_point *point = kprobe_slot_owner(addr, &offset);
	void *slot;
	bool post;

	if (!point || !offset || !(point->ends_in_trap || point->emulated))
		return false;
	slot = (void *)addr - offset;
	post = slot == point->text.run_post;
	if (!post && slot != kprobe_point_slot(point))
		return false;
	if (KPROBE_READ_PUSHED && point->emulated) {
		operand_was_read(point, regs, entered);
		return true;
	}
	instruction_pointer_set(regs, point->site + point->len);
	if (post)
		post_hit(point, regs, entered);
	return true;
}
NOKPROBE_SYMBOL(slot_has_ended);

/**
 * kprobe_breakpoint_hit() - a breakpoint was hit that may be ours
 * @addr:    its address
 * @regs:    registers at the hit, as users of the architecture know them at
 *           @addr
 * @entered: what the way here has added to the preemption count
 *
 * Runs the handlers, and sets @regs so that the displaced instruction takes
 * effect when the caller returns. If the text has no breakpoint any more, sets
 * @regs to execute it again.
 *
 * Context: Preemption disabled; any, NMI included.
 * Return: 1 when the caller can return to @regs; 0 when the breakpoint is
 * somebody else's.
 */
int kprobe_breakpoint_hit(unsigned long addr, struct pt_regs *regs,
			  unsigned int entered)
{
	struct kprobe_point *point = kprobe_table_find(addr);

	if (likely(point))
		kprobe_hit(point, regs, entered);
	else if (!slot_has_ended(addr, regs, entered))
		return retry_stale_breakpoint(addr, regs);
	return 1;
}
NOKPROBE_SYMBOL(kprobe_breakpoint_hit);

/**
 * kprobe_post_hit() - a displaced instruction has run, now the post-handlers
 * @point: the point
 * @regs:  registers after the instruction
 *
 * Context: That of the probed code, but with preemption disabled.
 */
void kprobe_post_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	post_hit(point, regs, 0);
}
NOKPROBE_SYMBOL(kprobe_post_hit);

/* As detour_enter_slowly(). */
static noinline void detour_post_slowly(struct kprobe_point *point, struct pt_regs *regs,
					unsigned int left)
{
	left = kprobe_leave_code_slowly(left);
	kprobe_post_hit(point, regs);
	kprobe_return_to_code_slowly(left);
}
NOKPROBE_SYMBOL(detour_post_slowly);

/**
 * kprobe_detour_post() - a copy of a displaced instruction calls for the post-handlers
 * @regs:  registers after the instruction; the instruction pointer is set
 * @where: the address that the call returns to, in a slot or detour
 *
 * The architecture's kprobe_post_trampoline calls this.
 *
 * Context: That of the probed code.
 */
void kprobe_detour_post(struct pt_regs *regs, unsigned long where)
{
	unsigned int left = kprobe_begin_to_leave_code(regs);
	struct kprobe_point *point = kprobe_slot_running(where);

	instruction_pointer_set(regs, point->site + point->len);
	if (unlikely(left)) {
		detour_post_slowly(point, regs, left);
		return;
	}
	post_hit(point, regs, 0);
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_detour_post);
