/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_INTERNAL_H
#define _KERNEL_KPROBES_INTERNAL_H

/*
 * What the files of kprobes share among themselves. The locking rules stand at
 * the top of kernel/kprobes.c.
 */
#include <linux/hash.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>
#include <linux/rculist.h>

struct module;
struct module_memory;

extern struct mutex kprobe_mutex;

/* ../kprobes.c: the API with kprobe_mutex held */
bool kprobe_is_registered(const struct kprobe *p);
int kprobe_register_locked(struct kprobe **kps, int num);
void kprobe_unregister_locked(struct kprobe **kps, int num);

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
kprobe_chain(struct kprobe_buckets *b, unsigned long addr)
{
	return &b->chain[addr * (unsigned long)GOLDEN_RATIO_64 >> b->shift];
}

/* Inline on the hit path; kprobe_point_lookup() is for everybody else. */
static __always_inline struct kprobe_point *
kprobe_table_find(unsigned long addr)
{
	struct kprobe_buckets *b = rcu_dereference_raw(kprobe_buckets);
	struct hlist_node *n;

	n = rcu_dereference_raw(hlist_first_rcu(kprobe_chain(b, addr)));
	for (; n; n = rcu_dereference_raw(hlist_next_rcu(n))) {
		struct kprobe_point *point = (void *)n - b->link_offset;

		if (likely(point->addr == addr))
			return point;
	}
	return NULL;
}

void kprobe_table_reserve(unsigned int more);
void kprobe_table_insert(struct kprobe_point *point);
void kprobe_table_remove(struct kprobe_point *point);

/* point.c: points, their states, the probes on them */
struct kprobe_point *kprobe_point_get(unsigned long addr, bool on_func_entry);
void kprobe_point_put(struct kprobe_point *point);
void kprobe_point_link(struct kprobe_point *point, struct kprobe *p);
void kprobe_point_unlink(struct kprobe *p);
bool kprobe_point_wanted(struct kprobe_point *point);
bool kprobe_point_may_become(enum kprobe_point_state from,
			     enum kprobe_point_state to);
void kprobe_point_set_state(struct kprobe_point *point,
			    enum kprobe_point_state state);
void kprobe_point_kill(struct kprobe_point *point);
struct kprobe_point *kprobe_point_next(unsigned long *addr, unsigned long last);
extern struct list_head kprobe_gone_points;

/* batch.c: arming and disarming, many points at once */
int kprobe_batch_commit(struct list_head *batch);
void kprobe_batch_leave(struct list_head *batch);
void kprobe_batch_restore(struct list_head *points);
void kprobe_reap(void);
int kprobe_arm_all(bool arm);
bool kprobe_armed_globally(void);

/* hit.c: the hit machine */

/**
 * struct kprobe_frame - one hit under way on a CPU
 * @point:   the point whose probes are being looked at
 * @pool:    the return probe's pool that is being looked at
 * @probe:   the probe whose handler runs
 * @faulting: its fault handler runs
 * @task:    who runs it
 * @context: the context that the handler runs in, KPROBE_CONTEXT_MASK;
 *           %KPROBE_CONTEXT_NONE while it is not known yet
 *
 * A power of two in size: frames are found by shifting.
 */
struct kprobe_frame {
	struct kprobe_point *point;
	struct kretprobe_pool *pool;
	struct kprobe *probe;
	struct task_struct *task;
	unsigned int context;
	bool faulting;
} __aligned(64);

/* No hit can come from there. */
#define KPROBE_CONTEXT_NONE	(~0U)

/* Task, softirq, hard interrupt, NMI, and what can interrupt an NMI. */
#define KPROBE_FRAMES	8

/**
 * struct kprobe_cpu - the hits under way on one CPU, innermost last
 * @frame: the hits
 * @depth: how many
 *
 * Written by its own CPU only. Interrupts and NMIs leave it as they found it,
 * so no atomic access is needed.
 */
struct kprobe_cpu {
	struct kprobe_frame frame[KPROBE_FRAMES];
	unsigned int depth;
};

DECLARE_PER_CPU(struct kprobe_cpu, kprobe_cpu);

static __always_inline unsigned int kprobe_context(void)
{
	return preempt_count() & KPROBE_CONTEXT_MASK;
}

struct kprobe_frame *kprobe_frame_enter_nested(struct kprobe_cpu *cpu,
					       unsigned int entered);

static __always_inline struct kprobe_frame *
kprobe_frame_begin(struct kprobe_cpu *cpu, unsigned int depth)
{
	struct kprobe_frame *frame = &cpu->frame[depth];

	WRITE_ONCE(cpu->depth, depth + 1);
	barrier();	/* claimed: an interrupt from here on takes the next one */
	frame->task = current;
	WRITE_ONCE(frame->context, kprobe_context());
	return frame;
}

/**
 * kprobe_frame_enter() - begin a hit
 * @entered: what the way here has added to the preemption count, so that the
 *           context that the hit comes from can be told
 *
 * Context: Preemption disabled.
 * Return: The frame, to be given back with kprobe_frame_exit(). NULL when the
 * handlers must not run; kprobe_miss_cause() then knows why.
 */
static __always_inline struct kprobe_frame *
kprobe_frame_enter(unsigned int entered)
{
	struct kprobe_cpu *cpu = raw_cpu_ptr(&kprobe_cpu);

	if (unlikely(READ_ONCE(cpu->depth)))
		return kprobe_frame_enter_nested(cpu, entered);
	return kprobe_frame_begin(cpu, 0);
}

/* Why kprobe_frame_enter() has just refused. */
static inline enum kprobe_miss kprobe_miss_cause(void)
{
	return raw_cpu_read(kprobe_cpu.depth) < KPROBE_FRAMES ?
	       KPROBE_MISS_NESTED : KPROBE_MISS_DEPTH;
}

/* The caller has withdrawn what the frame published, if anything. */
static __always_inline void kprobe_frame_exit(struct kprobe_frame *frame)
{
	WRITE_ONCE(frame->context, KPROBE_CONTEXT_NONE);
	barrier();	/* whoever claims the frame next finds it like this */
	raw_cpu_dec(kprobe_cpu.depth);
}

static __always_inline void kprobe_publish_point(struct kprobe_frame *frame,
						 struct kprobe_point *point)
{
	WRITE_ONCE(frame->point, point);
	barrier();	/* before the probes; the CPU's part is kprobe_drain()'s */
}

static __always_inline void kprobe_withdraw_point(struct kprobe_frame *frame)
{
	/* The handlers are through with the probes: pairs with kprobe_drain(). */
	smp_store_release(&frame->point, NULL);
}

void kprobe_count_miss(struct kprobe *p, enum kprobe_miss cause);
void kprobe_drain(void);

/* address.c: from what the caller gave to an address that can be probed */
int kprobe_resolve(const struct kprobe *p, unsigned long *addr,
		   bool *on_func_entry);
int kprobe_check_address(unsigned long addr);

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
int kprobe_check_module_text(unsigned long addr);

/* ftrace.c: points at function entries that ftrace patches */
#ifdef CONFIG_KPROBES_ON_FTRACE
int kprobe_ftrace_arm(struct list_head *points);
int kprobe_ftrace_disarm(struct list_head *points);
#else
static inline int kprobe_ftrace_arm(struct list_head *points)
{
	return list_empty(points) ? 0 : -EINVAL;
}

static inline int kprobe_ftrace_disarm(struct list_head *points)
{
	return 0;
}
#endif

/* kretprobe.c */
#ifdef CONFIG_KRETPROBES
bool kprobe_is_return_probe(const struct kprobe *p);
bool kretprobe_pool_draining(struct kretprobe_pool *pool);
void kretprobe_leaving(struct kprobe *p);
void kretprobe_left(struct kprobe *p);
#else
static inline bool kprobe_is_return_probe(const struct kprobe *p)
{
	return false;
}

static inline bool kretprobe_pool_draining(struct kretprobe_pool *pool)
{
	return false;
}

static inline void kretprobe_leaving(struct kprobe *p) { }
static inline void kretprobe_left(struct kprobe *p) { }
#endif

#endif /* _KERNEL_KPROBES_INTERNAL_H */
