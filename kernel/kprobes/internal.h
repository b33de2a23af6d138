/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_INTERNAL_H
#define _KERNEL_KPROBES_INTERNAL_H

/*
 * What the files of kprobes share among themselves. The locking rules stand at
 * the top of kernel/kprobes.c.
 */
#include <linux/context_tracking.h>
#include <linux/hash.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>

#include "scan.h"

struct module;
struct module_memory;

extern struct mutex kprobe_mutex;

/* ../kprobes.c */
extern bool kprobes_ready;

/* table.c: address to point, for hits */

/**
 * struct kprobe_buckets - one generation of the table of points
 * @bits:        log2 of the number of chains
 * @shift:       what is left of a hash's bits
 * @generation:  which link of a point this generation uses
 * @link_offset: where that link is in a point
 * @free:        for freeing once no reader is left
 * @chain:       the chains
 */
struct kprobe_buckets {
	unsigned int bits;
	unsigned int shift;
	unsigned int generation;
	unsigned long link_offset;
	struct rcu_work free;
	struct hlist_head chain[];
};

extern struct kprobe_buckets __rcu *kprobe_buckets;

/* As hash_long(), but for the shift that needs not be computed. */
static __always_inline struct hlist_head *
kprobe_chain(struct kprobe_buckets *b, unsigned long site)
{
	return &b->chain[site * (unsigned long)GOLDEN_RATIO_64 >> b->shift];
}

#define kprobe_table_for_each(point, b, n, at)				\
	for (n = rcu_dereference_raw(hlist_first_rcu(kprobe_chain(b, at))); \
	     n && (point = (void *)n - (b)->link_offset);		\
	     n = rcu_dereference_raw(hlist_next_rcu(n)))

/* The point that a breakpoint at @site belongs to. */
static __always_inline struct kprobe_point *kprobe_table_find(unsigned long site)
{
	struct kprobe_buckets *b = rcu_dereference_raw(kprobe_buckets);
	struct kprobe_point *point;
	struct hlist_node *n;

	kprobe_table_for_each(point, b, n, site)
		if (likely(READ_ONCE(point->key) == site))
			return point;
	return NULL;
}

/* The point that users have put at @addr, where the displaced one is @site. */
static __always_inline struct kprobe_point *
kprobe_table_find_user(unsigned long addr, unsigned long site)
{
	struct kprobe_buckets *b = rcu_dereference_raw(kprobe_buckets);
	struct kprobe_point *point;
	struct hlist_node *n;

	kprobe_table_for_each(point, b, n, site)
		if (likely(point->addr == addr))
			return point;
	return NULL;
}

void kprobe_table_reserve(unsigned int more);
void kprobe_table_insert(struct kprobe_point *point);
void kprobe_table_remove(struct kprobe_point *point);

/* point.c: points, their states, the probes on them */
enum kprobe_reason kprobe_point_get(unsigned long addr, bool on_func_entry,
				    struct kprobe_point **point);
enum kprobe_reason kprobe_point_prepare_post(struct kprobe_point *point);
void kprobe_point_put(struct kprobe_point *point);
void kprobe_point_free(struct kprobe_point *point);
void kprobe_point_add(struct kprobe_point *point);
void kprobe_point_remove(struct kprobe_point *point);
void kprobe_point_add_gone(struct kprobe_point *point);
void kprobe_point_remove_gone(struct kprobe_point *point);
void kprobe_point_changed(struct kprobe_point *point);
void kprobe_point_set_mechanism(struct kprobe_point *point,
				enum kprobe_mechanism mechanism);
u32 kprobe_point_flag(const struct kprobe_point *point);
void kprobe_point_link(struct kprobe_point *point, struct kprobe *p);
void kprobe_point_unlink(struct kprobe *p);
extern bool kprobe_armed_globally;
void kprobe_take_chunk(struct list_head *from, struct list_head *to);
bool kprobe_point_wanted(struct kprobe_point *point);
bool kprobe_point_may_become(enum kprobe_point_state from,
			     enum kprobe_point_state to);
void kprobe_point_set_state(struct kprobe_point *point,
			    enum kprobe_point_state state);
void kprobe_point_kill(struct kprobe_point *point);
struct kprobe_point *kprobe_point_next(unsigned long *addr, unsigned long last);
struct kprobe_point *kprobe_point_next_gone(unsigned long addr,
					    unsigned long from);

/* Is the mechanism in the text? */
static inline bool kprobe_point_in_text(const struct kprobe_point *point)
{
	return point->state == KPROBE_POINT_ARMED ||
	       point->state == KPROBE_POINT_OPTIMIZING ||
	       point->state == KPROBE_POINT_DISARM_PENDING;
}

/* Does the breakpoint at its site belong to a point that moves to ftrace? */
static inline bool kprobe_point_has_no_breakpoint(const struct kprobe_point *point)
{
	return point->mechanism == KPROBE_BREAKPOINT && !point->key;
}

/*
 * Routes. A hit reads one, after it has called the pre-handlers:
 *
 *   kprobe_point_set_route()		kprobe_point_link()	a hit
 *     store @route (release)		  list_add_rcu()	  probes
 *							  smp_rmb()
 *							  load @route
 *
 * The store of a route comes before that of a probe which needs it, so whoever has
 * seen the probe reads that route or a later one.
 */
static inline void kprobe_point_set_route(struct kprobe_point *point,
					  const struct kprobe_route *route)
{
	lockdep_assert_held(&kprobe_mutex);
	smp_store_release(&point->route, route);	/* see above */
}

static __always_inline const struct kprobe_route *
kprobe_point_route(const struct kprobe_point *point)
{
	smp_rmb();	/* pairs with list_add_rcu() in kprobe_point_link() */
	return READ_ONCE(point->route);
}

#ifdef CONFIG_OPTPROBES
void kprobe_point_choose_route(struct kprobe_point *point);
#else
static inline void kprobe_point_choose_route(struct kprobe_point *point)
{
	kprobe_point_set_route(point, &point->text[!!point->post_slot]);
}
#endif

/* deferred_free.c: memory that tasks may still execute */
void kprobe_free_rcu_tasks(struct kprobe_deferred_free *deferred,
			   void (*free)(struct kprobe_deferred_free *deferred));

/* batch.c: arming and disarming, many points at once */

/* Points dealt with under one hold of kprobe_mutex, before others get their turn. */
#define KPROBE_CHUNK	256

enum kprobe_reason kprobe_batch_commit(struct list_head *batch);
void kprobe_batch_defer_disarm(struct list_head *batch);
void kprobe_batch_restore(struct list_head *points);
void kprobe_batch_drop(struct list_head *points);
void kprobe_disarm_pending(void);
enum kprobe_reason kprobe_arm_all(bool arm);

/* hit.c: the hit machine */

static __always_inline unsigned int kprobe_context(void)
{
	return preempt_count() & KPROBE_CONTEXT_MASK;
}

/* The contexts that a frame's handler runs in. */
static __always_inline unsigned int
kprobe_frame_context(const struct kprobe_frame *frame)
{
	return READ_ONCE(frame->context) & KPROBE_CONTEXT_MASK;
}

struct kprobe_frame *kprobe_running_frame(void);
struct kprobe_frame *kprobe_frame_enter_nested(const void *hazard,
					       unsigned int entered);

static __always_inline struct kprobe_frame *
kprobe_frame_begin(struct kprobe_frame *frame, const void *hazard)
{
	WRITE_ONCE(frame->hazard, hazard);
	/*
	 * Claimed: an interrupt from here on takes the next frame. And
	 * published before the probes are looked at; the CPU's part of that is
	 * kprobe_synchronize()'s.
	 */
	barrier();
	WRITE_ONCE(frame->context, arch_kprobe_preempt_count());
	return frame;
}

/**
 * kprobe_frame_enter() - begin a hit
 * @hazard:  what leads to the probes, a point or a pool; published
 * @entered: what the way here has added to the preemption count, so that the
 *           context that the hit comes from can be told
 *
 * Context: Preemption disabled.
 * Return: The frame, to be given back with kprobe_frame_exit(). NULL when the
 * handlers must not run; kprobe_miss_cause() then knows why.
 */
static __always_inline struct kprobe_frame *
kprobe_frame_enter(const void *hazard, unsigned int entered)
{
	struct kprobe_frame *frame = raw_cpu_ptr(&kprobe_cpu.frame[0]);

	if (unlikely(READ_ONCE(frame->hazard)))
		return kprobe_frame_enter_nested(hazard, entered);
	kprobe_frame_begin(frame, hazard);
	/* The kernel is compiled as if NULL could be a frame's address. */
	if (!frame)
		__builtin_unreachable();
	return frame;
}

/* Why kprobe_frame_enter() has just refused. */
static __always_inline enum kprobe_miss kprobe_miss_cause(void)
{
	return raw_cpu_read(kprobe_cpu.frame[KPROBE_FRAMES - 1].hazard) ?
	       KPROBE_MISS_DEPTH : KPROBE_MISS_NESTED;
}

/* The handlers are through with the probes. */
static __always_inline void kprobe_frame_exit(struct kprobe_frame *frame)
{
	WRITE_ONCE(frame->context, KPROBE_CONTEXT_NONE);
	/* Whoever claims it next finds it like this. Pairs with kprobe_synchronize(). */
	smp_store_release(&frame->hazard, NULL);
}

extern atomic_t kprobe_stale_breakpoints;

void kprobe_hit(struct kprobe_point *point, struct pt_regs *regs,
		unsigned int entered);
void kprobe_go_on(struct kprobe_point *point, struct pt_regs *regs);
void kprobe_miss_rest(struct kprobe_point *point, struct kprobe *p);
void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause);

/* synchronize.c: until no hit uses what was unlinked */
typedef bool (*kprobe_uses_t)(const void *hazard, const void *arg);
void kprobe_synchronize(kprobe_uses_t uses, const void *arg);

/* knob.c */
int kprobe_parse_switch(char *word, bool *on);

/* function.c: functions, and where instructions begin */
bool kprobe_is_prefix_symbol(const char *name);
bool kprobe_find_function(unsigned long addr, struct kprobe_function *f);
bool kprobe_is_boundary(unsigned long addr);
void kprobe_drop_functions(const struct module *mod);

/* reserved.c: what others know of text, and do to it */
bool kprobe_text_is_reserved(unsigned long start, unsigned long end);
bool kprobe_jump_label_lands_in(unsigned long start, unsigned long end);
bool kprobe_fixup_lands_in(unsigned long start, unsigned long end);
bool kprobe_fault_is_expected(unsigned long start, unsigned long end);
unsigned long kprobe_next_label_target(unsigned long *site, unsigned long end);
unsigned long kprobe_next_fixup(unsigned long *site, unsigned long end);

/* address.c: from what the caller gave to an address that can be probed */
enum kprobe_reason kprobe_resolve(const struct kprobe *p, unsigned long *addr,
				  bool *on_func_entry);
enum kprobe_reason kprobe_check_address(unsigned long addr);

/* Does RCU keep what is read here? */
static __always_inline bool kprobe_rcu_is_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	/* One CPU: what frees it cannot run before this is over. */
	return true;
#endif
}

/* slot.c: executable copies of instructions */
struct kprobe_point *kprobe_slot_owner(unsigned long addr,
				       unsigned int *offset);

/* blacklist.c; the linker script gives the bounds of all NOKPROBE_SYMBOL()s */
extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];

int kprobe_blacklist_init(void);
void kprobe_blacklist_add_module(struct module *mod);
void kprobe_blacklist_remove_module(struct module *mod);
void kprobe_blacklist_remove_memory(const struct module_memory *mem);
unsigned long kprobe_blacklist_next(unsigned long addr, unsigned long *end);

/* module.c: text that comes and goes */
int kprobe_module_init(void);

/* module_text.c: which module an address belongs to */
enum kprobe_reason kprobe_check_module_text(unsigned long addr);
struct module *kprobe_module_of(unsigned long addr);
int kprobe_module_comes(struct module *mod);
void kprobe_module_has_come(struct module *mod);
void kprobe_module_changes(void);

/* optimizer.c: breakpoints that become jumps */
#ifdef CONFIG_OPTPROBES
bool kprobe_optimizer_prepare(struct kprobe_point *point);
void kprobe_optimizer_queue(struct kprobe_point *point);
void kprobe_optimizer_hold(bool begins);
void kprobe_optimizer_queue_overlapping(struct kprobe_point *point);
void kprobe_optimizer_dequeue(struct kprobe_point *point);
void kprobe_point_free_detour(struct kprobe_point *point);
void kprobe_unoptimize_overlapping(struct list_head *points);
void kprobe_unoptimize(struct list_head *points);
bool kprobe_optimizer_is_idle(void);
void kprobe_optimizer_allow(bool allow);
bool kprobe_optimizer_is_allowed(void);

/* renew.c: what jumps and breakpoints lead to */
void kprobe_detour_free(struct kprobe_detour *detour);
bool kprobe_detour_is_current(const struct kprobe_point *point);
enum kprobe_reason kprobe_detour_for_jump(struct kprobe_point *point);
bool kprobe_has_breakpoint_detour(const struct kprobe_point *point);
void kprobe_detour_for_breakpoint(struct kprobe_point *point);
void kprobe_detour_retire_replaced(struct kprobe_point *point);
#else
static inline bool kprobe_optimizer_prepare(struct kprobe_point *point)
{
	return false;
}

static inline void kprobe_optimizer_queue(struct kprobe_point *point) { }
static inline void kprobe_optimizer_hold(bool begins) { }
static inline void
kprobe_optimizer_queue_overlapping(struct kprobe_point *point) { }
static inline void kprobe_optimizer_dequeue(struct kprobe_point *point) { }
static inline void kprobe_point_free_detour(struct kprobe_point *point) { }
static inline void kprobe_unoptimize_overlapping(struct list_head *points) { }
static inline void kprobe_unoptimize(struct list_head *points) { }

static inline bool kprobe_optimizer_is_idle(void)
{
	return true;
}

static inline void kprobe_optimizer_allow(bool allow) { }
#endif

#ifdef CONFIG_OPTPROBES
static __always_inline struct kprobe_point *
kprobe_detour_point(const struct kprobe_detour *detour)
{
	return detour->point;
}

/* Where to go on instead of at @ip, which a jump may cover. */
static __always_inline unsigned long
kprobe_moved_to(const struct kprobe_route *route, unsigned long ip)
{
	return route->detour ? arch_kprobe_detour_copy(route->detour, ip) : ip;
}
#else
struct kprobe_detour;

static __always_inline unsigned long
kprobe_moved_to(const struct kprobe_route *route, unsigned long ip)
{
	return ip;
}

static __always_inline bool
kprobe_detour_has_insn_at(const struct kprobe_detour *detour, unsigned long addr)
{
	return false;
}

static __always_inline struct kprobe_point *
kprobe_detour_point(const struct kprobe_detour *detour)
{
	return NULL;
}

static inline unsigned long
arch_kprobe_detour_ip(const struct kprobe_detour *detour, unsigned long addr,
		      unsigned int *pushed)
{
	return addr;
}
#endif

/* ftrace.c: points at function entries that ftrace patches */
#ifdef CONFIG_KPROBES_ON_FTRACE
bool kprobe_ftrace_may_stand_behind(struct kprobe_point *point);
enum kprobe_reason kprobe_ftrace_take_over(struct kprobe_point *point);
enum kprobe_reason kprobe_ftrace_arm(struct list_head *points);
int kprobe_ftrace_disarm(struct list_head *points);

/* move.c: from a breakpoint to ftrace */
enum kprobe_reason kprobe_move_prepare(struct list_head *points);
void kprobe_move_cancel(struct list_head *points);
void kprobe_move_begin(struct list_head *points);
void kprobe_move_end(struct kprobe_point *point);
void kprobe_move_join(struct kprobe_point *next);
void kprobe_move_leave(struct kprobe_point *next);
bool kprobe_moves(void);
void kprobe_move_wait(void);
#else
static inline enum kprobe_reason kprobe_ftrace_take_over(struct kprobe_point *point)
{
	return KPROBE_REASON_FTRACE;
}

static inline enum kprobe_reason kprobe_ftrace_arm(struct list_head *points)
{
	return list_empty(points) ? KPROBE_REASON_NONE : KPROBE_REASON_FTRACE;
}

static inline int kprobe_ftrace_disarm(struct list_head *points)
{
	return 0;
}

static inline void kprobe_move_join(struct kprobe_point *next) { }
static inline void kprobe_move_leave(struct kprobe_point *next) { }

static inline bool kprobe_moves(void)
{
	return false;
}
#endif

#endif /* _KERNEL_KPROBES_INTERNAL_H */
