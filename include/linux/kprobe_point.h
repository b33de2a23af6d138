/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_POINT_H
#define _LINUX_KPROBE_POINT_H

/*
 * What the core of kprobes (kernel/kprobes.c, kernel/kprobes/) and the
 * architectures both know of: probe points, detours, hits under way. What they
 * call of each other is in linux/kprobe_arch.h. Nobody else includes this.
 */
#include <linux/bits.h>
#include <linux/kprobe_isa.h>
#include <linux/kprobe_reason.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rbtree_types.h>

#ifdef CONFIG_KPROBES

/* How many bytes of text a point may patch. */
#ifndef KPROBE_JUMP_SIZE
#define KPROBE_JUMP_SIZE	sizeof(kprobe_opcode_t)
#endif

/* Points handled under one hold of kprobe_mutex, and patched together. */
#define KPROBE_CHUNK	256

/* How far after the probed address is the instruction pointer that handlers see? */
#ifndef KPROBE_HIT_OFFSET
#define KPROBE_HIT_OFFSET	0
#endif

/* What addresses and lengths of instructions are multiples of. */
#ifndef KPROBE_INSN_ALIGN
#define KPROBE_INSN_ALIGN	1
#endif

/**
 * enum kprobe_mechanism - how a hit reaches the core
 * @KPROBE_BREAKPOINT: a breakpoint instruction at the site
 * @KPROBE_JUMP:       a jump from the site to a detour
 * @KPROBE_FTRACE:     the call that ftrace patches in at a function's entry
 * @KPROBE_MECHANISMS: number of mechanisms
 *
 * Points begin with a breakpoint or with ftrace. The optimizer turns
 * breakpoints into jumps and back. A breakpoint after a function's entry nop
 * may have to give way to ftrace; nothing leads back from there.
 */
enum kprobe_mechanism {
	KPROBE_BREAKPOINT,
	KPROBE_JUMP,
	KPROBE_FTRACE,
	KPROBE_MECHANISMS,
};

/**
 * enum kprobe_point_state - where a point is in its life
 * @KPROBE_POINT_IDLE:       the text is the kernel's own; hits cannot happen
 * @KPROBE_POINT_ARMED:      the mechanism is in the text
 * @KPROBE_POINT_OPTIMIZING: the breakpoint is in the text and will become a jump.
 *                           Hits go on in the detour already, until a Tasks RCU grace
 *                           period has ended: no task is left among the bytes that
 *                           the jump will cover
 * @KPROBE_POINT_DISARM_PENDING: no probe wants the point, but the mechanism is in the
 *                           text until a work item takes many such points out
 *                           together; hits execute the displaced instruction
 * @KPROBE_POINT_GONE:       the text was freed; never to be written to again
 * @KPROBE_POINT_STATES:     number of states
 *
 * Legal edges, all under kprobe_mutex, all through kprobe_point_set_state()::
 *
 *               to    IDLE   ARMED    OPTIMIZING  DISARM_PENDING  GONE
 *   from
 *   IDLE               -      arm         -             -         kill
 *   ARMED            disarm    -       optimize       defer       kill
 *   OPTIMIZING         -     end          -             -         kill
 *   DISARM_PENDING   disarm   keep        -             -         kill
 *   GONE               -       -          -             -          -
 *
 * "end" is taken after the jump was written, or to give it up: a point that is being
 * optimized gives up before anything else happens to it. "keep" is taken when a
 * probe comes before the point was disarmed.
 */
enum kprobe_point_state {
	KPROBE_POINT_IDLE,
	KPROBE_POINT_ARMED,
	KPROBE_POINT_OPTIMIZING,
	KPROBE_POINT_DISARM_PENDING,
	KPROBE_POINT_GONE,
	KPROBE_POINT_STATES,
};

/**
 * enum kprobe_optimization - what the optimizer has to do for a point
 * @KPROBE_OPT_IDLE:    nothing
 * @KPROBE_OPT_QUEUED:  look whether there can be a jump, or a detour that is up to date
 * @KPROBE_OPT_WAITING: write the jump when a Tasks RCU grace period has ended; the point
 *                      is KPROBE_POINT_OPTIMIZING as long
 * @KPROBE_OPT_STATES:  number of states
 *
 * Legal edges, all under kprobe_mutex, all through kprobe_point_set_optimization()::
 *
 *             to    IDLE           QUEUED   WAITING
 *   from
 *   IDLE             -             queue       -
 *   QUEUED     look, dequeue         -       begin
 *   WAITING    write, dequeue        -         -
 *
 * "look" is taken when there is to be no jump, or one that needs no grace period.
 */
enum kprobe_optimization {
	KPROBE_OPT_IDLE,
	KPROBE_OPT_QUEUED,
	KPROBE_OPT_WAITING,
	KPROBE_OPT_STATES,
};

/**
 * enum kprobe_verdict - may a jump ever replace the text at a point's site?
 * @KPROBE_VERDICT_NONE:       the text was not examined yet
 * @KPROBE_VERDICT_POSSIBLE:   it may; another probe can still be in the way
 * @KPROBE_VERDICT_IMPOSSIBLE: never, as long as the text is there
 */
enum kprobe_verdict {
	KPROBE_VERDICT_NONE,
	KPROBE_VERDICT_POSSIBLE,
	KPROBE_VERDICT_IMPOSSIBLE,
};

/**
 * struct kprobe_deferred_free - what waits to be freed until nobody executes it
 * @rcu:       for the Tasks RCU grace period, and for freeing afterwards
 * @quiescent: in between, among those whose grace period has ended
 * @free:      frees what the deferred is in
 */
struct kprobe_deferred_free {
	union {
		struct rcu_head rcu;
		struct llist_node quiescent;
	};
	void (*free)(struct kprobe_deferred_free *deferred);
};

/**
 * struct kprobe_route - where a hit goes and what it calls
 * @enter:    entry of the detour that a breakpoint's trap is left for, which calls
 *            the handlers; NULL when the trap calls them
 * @run:      where a hit goes on: at a copy of the displaced instruction, which goes
 *            on by itself. NULL when the architecture makes the instruction take
 *            effect on the registers
 * @run_post: the same with a call of the post-handlers in between, NULL as @run
 * @detour:   has copies of the instructions after the displaced one, to go on at;
 *            NULL when the text has them
 *
 * Never changes after it was published. Part of what it leads to, and freed with
 * that after a Tasks RCU grace period.
 */
struct kprobe_route {
	void *enter;
	void *run;
	void *run_post;
	const struct kprobe_detour *detour;
};

/**
 * struct kprobe_point - one probed address, with all the probes on it
 * @generation: changes whenever something does that a detour was made for: the
 *             probes on the point, their handlers, which are disabled
 * @route:     where hits go on; written by kprobe_point_set_route(), read by hits
 * @text:      routes that go on in the text after the displaced instruction: the
 *             second one is filled in when the first post-handler comes
 * @addr:      the probed address, as users know it
 * @site:      the displaced instruction, where the mechanism is: @addr, or for a
 *             function's entry the instruction after the entry nop
 * @key:       what breakpoint hits find the point by: @site. 0 when ftrace leads
 *             to it, or while the breakpoint there belongs to a moving point
 * @shares:    it has no breakpoint of its own: a moving point has one at @site
 * @probes:    its probes, the newest first; read under RCU by hits, written
 *             under kprobe_mutex
 * @slot:      executable copy of the instruction that goes on in the text, NULL
 *             where none is needed
 * @post_slot: the same with a call of the post-handlers in between; made when
 *             the first probe with a post-handler arrives
 * @len:       length of the displaced instruction in bytes
 * @emulated:  the architecture makes the instruction take effect on the
 *             registers; else it runs from a slot
 * @opcode:    first unit of the instruction at @addr
 * @insn:      the bytes at @site without any mechanism: the instruction, and what
 *             a jump covers
 * @plan:      the architecture's verdict on the instruction
 * @state:     under kprobe_mutex
 * @mechanism: under kprobe_mutex; read by hits through ftrace
 * @move:      set while the point moves from a breakpoint to ftrace, see move.c;
 *             under kprobe_mutex, read by hits
 * @on_func_entry: the point stands at a function's entry
 * @detour:    what a jump goes to, or a breakpoint; NULL until the optimizer has
 *             looked at the point
 * @not_jump:  why the optimizer has not made it a jump
 * @verdict:   on the text at @site
 * @optimization: what the optimizer has to do; under kprobe_mutex
 * @region_len: how many bytes a jump at @site replaces, 0 while that is not known
 * @scratch:   the register that it goes by, numbered by fls() of struct kprobe_region's;
 *             0 when it needs none
 * @optimize:  links the points that the optimizer has the same to do for
 * @node:      in the table of points, one link for each of two generations
 * @batch:     in the batch that is being worked on, or among those to be disarmed
 * @by_addr:   among all points, or those that are gone, until it is to be freed
 * @deferred:     for freeing
 */
struct kprobe_point {
	u32 generation;
	const struct kprobe_route *route;
	u8 len;
	bool emulated;
	unsigned long addr;
	unsigned long site;
	unsigned long key;
	struct list_head probes;
	struct kprobe_route text[2];
	void *slot;
	void *post_slot;
	kprobe_opcode_t opcode;
	kprobe_opcode_t insn[KPROBE_TEXT_SIZE / sizeof(kprobe_opcode_t)];
	struct kprobe_insn plan;

	enum kprobe_point_state state;
	enum kprobe_mechanism mechanism;
#ifdef CONFIG_KPROBES_ON_FTRACE
	struct kprobe_move *move;
#endif
	bool on_func_entry;
	bool shares;
	struct hlist_node node[2];
	struct list_head batch;
	union {
		struct rb_node by_addr;
		struct kprobe_deferred_free deferred;
	};
#ifdef CONFIG_OPTPROBES
	enum kprobe_verdict verdict : 8;
	enum kprobe_optimization optimization : 8;
	u8 region_len;
	u8 scratch;
	enum kprobe_reason not_jump;
	struct kprobe_detour *detour;
	struct list_head optimize;
#endif
};

#ifdef CONFIG_OPTPROBES
/**
 * struct kprobe_detour - what a jump or breakpoint at a point's site leads to
 * @point:      the point
 * @generation: the point's when the detour was made: while they are the same,
 *              the detour knows all handlers and calls them directly
 * @alone:      only the probed instruction is displaced, not all that a jump
 *              covers; for breakpoints
 * @direct:     it calls handlers by itself, as long as @generation is the point's
 * @entry:      its first instruction
 * @route:      leads hits here: @run executes all displaced instructions and goes back
 *              to the text after them, @run_post calls the post-handlers after the
 *              first
 * @replaced:   the detour that it takes the place of, while somebody may still be
 *              sent there
 * @inlined:    the first instruction, where the detour itself calls
 *              post-handlers after it; else NULL
 * @nr:         how many displaced instructions there are
 * @from:       where they come from, and what follows them: bytes from the site
 * @insn:       where they are, and the way back after them: bytes from @entry
 * @copies:     where further copies of the first one begin
 * @arch:       the architecture's part
 * @deferred:   for freeing
 */
struct kprobe_detour {
	struct kprobe_point *point;
	u32 generation;
	bool alone;
	bool direct;
	void *entry;
	struct kprobe_route route;
	void *inlined;
	struct kprobe_detour *replaced;
	u8 nr;
	u8 from[KPROBE_REGION_INSNS + 1];
	u16 insn[KPROBE_REGION_INSNS + 1];
	u16 copies;
#ifdef ARCH_KPROBE_OWN_DETOURS
	struct arch_kprobe_detour arch;
#endif
	struct kprobe_deferred_free deferred;
};

/* Is the probed instruction's copy at @addr? */
static __always_inline bool
kprobe_detour_has_insn_at(const struct kprobe_detour *detour, unsigned long addr)
{
	return addr == (unsigned long)detour->route.run ||
	       addr == (unsigned long)detour->route.run_post ||
	       addr == (unsigned long)detour->inlined;
}

/* Which displaced instruction is @offset bytes after @entry? @nr for what follows them. */
static __always_inline unsigned int
kprobe_detour_index(const struct kprobe_detour *detour, unsigned long offset)
{
	unsigned int i = 0;

	while (i < detour->nr && detour->insn[i + 1] <= offset)
		i++;
	return i;
}
#endif

#ifdef CONFIG_OPTPROBES
/* The register that a point's jump goes by, as a bit; 0 when it needs none. */
static inline u32 kprobe_point_scratch(const struct kprobe_point *point)
{
	return point->scratch ? BIT(point->scratch - 1) : 0;
}
#endif

/* Is the mechanism after the entry nop, which is what users have probed? */
static __always_inline bool kprobe_point_skips_nop(const struct kprobe_point *point)
{
	return point->site != point->addr;
}

/*
 * A hit is counted as nested by the context it comes from: which of NMI,
 * hard interrupt and softirq handlers are under way, and how many.
 */
#define KPROBE_CONTEXT_MASK	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/**
 * struct kprobe_frame - one hit under way on a CPU
 * @hazard:  hazard pointer: the point or return probe's pool that leads to the probes
 *           in use; NULL in a free frame
 * @probe:   the probe whose handler runs
 * @context: the preemption count that the handler runs with, of which
 *           %KPROBE_CONTEXT_MASK matters; %KPROBE_CONTEXT_NONE while it is not
 *           known yet
 * @faulting: its fault handler runs
 *
 * Detours write all but the last by themselves, in the same order: @hazard first,
 * which claims the frame, then @context; and to give it back @context first. In
 * between @context is %KPROBE_CONTEXT_NONE, which is no hit's: an interrupt's hit
 * takes the next frame, whatever the stack and context that it comes with.
 */
struct kprobe_frame {
	const void *hazard;
	struct kprobe *probe;
	unsigned int context;
	bool faulting;
} __aligned(64);

/* No hit can come from there. */
#define KPROBE_CONTEXT_NONE	(~0U)

/* Task, softirq, hard interrupt, NMI, and what can interrupt an NMI. */
#define KPROBE_FRAMES	8

/**
 * struct kprobe_cpu - the hits under way on one CPU, innermost last
 * @frame:    the hits; those in use come first
 * @overflow: how many of kprobe_busy_begin() found no frame
 *
 * Written by its own CPU only. Interrupts and NMIs leave it as they found it,
 * so no atomic access is needed. Handlers run with preemption disabled, so all
 * frames of the task context are those of the task that runs there; a task that
 * dies in a handler gives them back itself: kprobe_task_dies().
 */
struct kprobe_cpu {
	struct kprobe_frame frame[KPROBE_FRAMES];
	unsigned int overflow;
};

DECLARE_PER_CPU(struct kprobe_cpu, kprobe_cpu);

#include <asm/kprobe_point.h>

#endif /* CONFIG_KPROBES */
#endif /* _LINUX_KPROBE_POINT_H */
