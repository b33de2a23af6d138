/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_POINT_H
#define _LINUX_KPROBE_POINT_H

/*
 * Data that the core of kprobes (kernel/kprobes.c, kernel/kprobes/) and the architectures
 * share: probe points, detours, hits under way. The functions that they call of each
 * other are in linux/kprobe_arch.h. Nobody else must include this.
 */
#include <linux/bits.h>
#include <linux/kprobe_isa.h>
#include <linux/kprobe_reason.h>
#include <linux/kprobes.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rbtree_types.h>

#ifdef CONFIG_KPROBES

/* The top of kernel/kprobes.c says what this mutex protects. */
extern struct mutex kprobe_mutex;

/* Points handled under one hold of kprobe_mutex, and patched together. */
#define KPROBE_CHUNK	256

/* How far after the probed address is the instruction pointer that handlers see? */
#ifndef KPROBE_HIT_OFFSET
#define KPROBE_HIT_OFFSET	0
#endif

/**
 * enum kprobe_mechanism - how a hit reaches the core
 * @KPROBE_BREAKPOINT: a breakpoint instruction at the site
 * @KPROBE_JUMP:       a jump from the site to a detour
 * @KPROBE_FTRACE:     the call that ftrace patches in at a function's entry
 * @KPROBE_MECHANISMS: number of mechanisms
 *
 * A new point has a breakpoint or uses ftrace. The optimizer turns breakpoints into jumps and
 * back. A point that is disarmed has a breakpoint again. A point with a breakpoint after a
 * function's entry nop may have to switch to ftrace, and then stays there.
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
 * @KPROBE_POINT_DISARM_PENDING: the point is not wanted, but the mechanism stays in
 *                           the text until a work item disarms many such points together;
 *                           hits only execute the displaced instruction
 * @KPROBE_POINT_GONE:       the text was freed, and must not be written to any more
 * @KPROBE_POINT_STATES:     number of states
 *
 * Legal edges, all under kprobe_mutex, all through kprobe_point_set_state()::
 *
 *               to    IDLE   ARMED   DISARM_PENDING  GONE
 *   from
 *   IDLE               -      arm          -         kill
 *   ARMED            disarm    -         defer       kill
 *   DISARM_PENDING   disarm   keep         -         kill
 *   GONE               -       -           -          -
 *
 * "keep" is taken when a probe is registered before the point was disarmed.
 */
enum kprobe_point_state {
	KPROBE_POINT_IDLE,
	KPROBE_POINT_ARMED,
	KPROBE_POINT_DISARM_PENDING,
	KPROBE_POINT_GONE,
	KPROBE_POINT_STATES,
};

/**
 * enum kprobe_optimization - what the optimizer has to do for a point
 * @KPROBE_OPT_IDLE:    nothing
 * @KPROBE_OPT_QUEUED:  find out whether the point can have a jump; make its detour
 * @KPROBE_OPT_WAITING: the point is optimizing: its breakpoint is in the text, and hits
 *                      already continue in the detour. When a Tasks RCU grace period has
 *                      ended, no task is left among the bytes that the jump will cover:
 *                      write the jump
 * @KPROBE_OPT_STATES:  number of states
 *
 * Legal edges, all under kprobe_mutex, all through kprobe_point_set_optimization()::
 *
 *             to    IDLE           QUEUED   WAITING
 *   from
 *   IDLE             -             queue       -
 *   QUEUED        dequeue            -       look
 *   WAITING    write, dequeue        -         -
 *
 * "look" makes the detour. If there can be no jump, or one that needs no grace period, "write" or
 * "dequeue" follows under the same hold of the mutex. A point that is not KPROBE_POINT_ARMED is
 * IDLE: it is dequeued before it leaves that state.
 */
enum kprobe_optimization {
	KPROBE_OPT_IDLE,
	KPROBE_OPT_QUEUED,
	KPROBE_OPT_WAITING,
	KPROBE_OPT_STATES,
};

/**
 * enum kprobe_verdict - whether a jump may ever replace the text at a point's site
 * @KPROBE_VERDICT_NONE:       the text was not examined yet, or had a debugger's breakpoint
 * @KPROBE_VERDICT_POSSIBLE:   it may, unless another probe is in the region, or no veneer is
 *                             free
 * @KPROBE_VERDICT_IMPOSSIBLE: it may not, as long as the text exists; or only a short one
 *                             may, and no veneer was free when the text was examined
 */
enum kprobe_verdict {
	KPROBE_VERDICT_NONE,
	KPROBE_VERDICT_POSSIBLE,
	KPROBE_VERDICT_IMPOSSIBLE,
};

/**
 * union kprobe_deferred_free - member of an object that is freed by Tasks RCU
 * @rcu:       for the Tasks RCU grace period, and for kfree_rcu() after that
 * @quiescent: in between, in the list of objects whose grace period has ended
 * @free:      frees the object then
 */
union kprobe_deferred_free {
	struct rcu_head rcu;
	struct {
		struct llist_node quiescent;
		void (*free)(union kprobe_deferred_free *deferred);
	};
};

/**
 * struct kprobe_route - where a hit continues and what it calls
 * @enter:    entry of the detour to which the breakpoint's trap returns at once; the
 *            detour calls the handlers. NULL when the trap calls them
 * @run:      where a hit continues after the pre-handlers: at a copy of the displaced
 *            instruction, after which there is a jump back. NULL when the architecture
 *            emulates the instruction
 * @run_post: the same with a call of the post-handlers after the instruction; NULL
 *            likewise, and when the copy may branch: struct kprobe_insn's @branches
 *
 * If @run is in a detour, execution also continues there after the displaced instruction.
 *
 * After it was published only @run_post may change, from NULL, before the first probe with
 * a post-handler is linked, and @enter of a shared site's. It is a member of the point,
 * detour or entry that it leads to, and is freed with that after a Tasks RCU grace period.
 */
struct kprobe_route {
	void *enter;
	void *run;
	void *run_post;
};

/**
 * struct kprobe_emulation - how the instruction of a point is emulated
 * @insn: the plan for it
 * @slot: a copy of it, for when its operand cannot be read; NULL if it has none in memory
 * @entered: a hit has gone on in @slot, which may be a return address from then on
 */
struct kprobe_emulation {
	struct kprobe_insn insn;
	void *slot;
	bool entered;
};

/**
 * struct kprobe_point - one probed address, with all the probes on it
 * @generation: incremented when enabled probes come or go, when probes are enabled or
 *             disabled, when a detour without code for post-handlers is left, when the
 *             point comes to use ftrace, when another one comes to its site, and when
 *             counting of hits is turned on or off: a detour that was made before must not
 *             call handlers any more
 * @route:     where hits continue; written by kprobe_point_set_route(), read by hits
 * @text:      route of hits that continue in the text after the displaced instruction.
 *             Its @run is a slot: an executable copy of the instruction, followed by a
 *             jump back to the text. @run_post is the same with a call of the
 *             post-handlers in between
 * @addr:      the probed address, as users know it
 * @site:      address of the displaced instruction, where breakpoint or jump are: @addr,
 *             or for a function's entry the instruction after the entry nop
 * @key:       by which hits of a breakpoint find the point: @site. 0 when the breakpoint there, or
 *             the right to write one, is not the point's: it uses ftrace, or the right belongs
 *             to the other point at the site, see kprobe_point_other()
 * @order:     instead, of a point that is gone: how many had gone before it, and one more
 * @probes:    its probes, the newest first; read under RCU by hits, written
 *             under kprobe_mutex
 * @len:       length of the displaced instruction in bytes
 * @breakpoint_len: length of the breakpoint that replaces it
 * @ends_in_trap: a breakpoint follows the copies in slots, not a jump back
 * @block:     state of the block that the instruction is in, see kprobe_isa.within()
 * @dead:      the register that the jump back uses: fls() of struct kprobe_insn's @dead
 * @opcode:    first unit of the instruction at @addr
 * @insn:      the original bytes at @site: the instruction, and what a jump covers
 * @emulated:  the plan by which the architecture emulates the instruction, in a struct
 *             kprobe_emulation; NULL if it runs from a slot
 * @state:     enum kprobe_point_state; written under kprobe_mutex, read by hits
 * @mechanism: enum kprobe_mechanism; under kprobe_mutex, read by hits through ftrace
 * @entry:     of a point at an entry nop: route for a site with another point, and state of the
 *             switch to ftrace. NULL until needed; under kprobe_mutex, read by hits
 * @on_func_entry: @addr is a function's entry
 * @fault:     offset in its copy of what can fault of the instruction, see kprobe_point_fault()
 * @detour:    the detour that a jump or breakpoint leads to; NULL until the optimizer
 *             has looked at the point
 * @not_jump:  enum kprobe_reason: why the optimizer has not made it a jump
 * @verdict:   enum kprobe_verdict on the text at @site
 * @optimization: enum kprobe_optimization: what the optimizer has to do; under
 *             kprobe_mutex
 * @region_len: how many bytes a jump at @site replaces, 0 while that is not known
 * @has_slot:  the copy includes the instruction in its delay slot
 * @has_fixup: the instruction has an exception table entry, or that in its delay slot
 * @no_stub:   handlers are called from the trap alone: the function has an instruction after which
 *             stubs may not, see kprobe_insn.state
 * @scratch:   the register that the jump uses: fls() of struct kprobe_region's @scratch,
 *             0 when it needs none
 * @misses:    how often handlers of its probes, also of those that have left, did not run since
 *             the first one came; by enum kprobe_miss
 * @hits:      how often execution has reached the armed point since counting was turned on; of
 *             use while kprobe_counting is on, and afterwards until it is on again
 * @optimize:  in the optimizer's list for @optimization, or in one of what it does next
 * @next:      the next in its chain of the table of points
 * @batch:     in the current batch, or in the list of points that are DISARM_PENDING
 * @by_addr:   in the tree of all points, or of those that are gone, until no probe needs it
 * @deferred:     for freeing
 */
struct kprobe_point {
	u32 generation;
	u8 len;
	u8 state;
	u8 mechanism;
	u8 breakpoint_len:3;
	u8 ends_in_trap:1;
	u8 on_func_entry:1;
	u8 fault:3;
	const struct kprobe_route *route;
	unsigned long addr;
	unsigned long site;
	union {
		unsigned long key;
		unsigned long order;
	};
	struct list_head probes;
	struct kprobe_route text;
	const struct kprobe_insn *emulated;
	kprobe_opcode_t opcode;
	kprobe_opcode_t insn[KPROBE_TEXT_SIZE / sizeof(kprobe_opcode_t)];
	u8 dead:6;
	u8 verdict:2;
	u8 scratch:6;
	u8 optimization:2;
	u8 region_len:5;
	u8 has_slot:1;
	u8 no_stub:1;
	u8 has_fixup:1;
	u8 not_jump;
#ifdef KPROBE_BLOCKS
	u8 block;
#endif
	atomic_t misses[KPROBE_MISS_CAUSES];
	atomic_long_t hits;
	struct kprobe_detour *detour;
	struct list_head optimize;
#ifdef CONFIG_KPROBES_ON_FTRACE
	struct kprobe_entry *entry;
#endif
	struct kprobe_point *next;
	struct list_head batch;
	union {
		struct rb_node by_addr;
		union kprobe_deferred_free deferred;
	};
};

#ifdef CONFIG_KPROBES_ON_FTRACE
/**
 * struct kprobe_entry - of a point at an entry nop that has shared its site, or switched to ftrace
 * @point:     the point
 * @pass:      slot with a breakpoint alone. A hit of it goes on at the site after the point's own
 *             hit: with a hit of the other point there, or else with the displaced instruction
 * @shared:    route of the point's hits while there is another point at its site: @run is @pass,
 *             and @enter is the entry of the point's detour
 * @switching: the point switches from a breakpoint to ftrace: the breakpoint is in the text still
 * @waits:     the grace period of its switch has not ended; kprobe_mutex
 * @deferred:  for that grace period
 */
struct kprobe_entry {
	struct kprobe_point *point;
	void *pass;
	struct kprobe_route shared;
	bool switching;
	bool waits;
	union kprobe_deferred_free deferred;
};
#endif

/**
 * struct kprobe_detour - what a jump or breakpoint at a point's site leads to
 * @point:      the point
 * @generation: the point's when the detour was made; as long as they are equal, the
 *              point's handlers are those that the detour was made for
 * @alone:      only the probed instruction is displaced, not all that a jump
 *              covers; for breakpoints
 * @direct:     a breakpoint's hit leaves the trap for it: its code calls the handlers itself, or
 *              is a stub. False when there is another point at the site
 * @counts:     its code counts the hits for which it calls handlers itself
 * @slot:       its code, where a jump or breakpoint leads
 * @route:      route of hits that continue here: @run executes all displaced instructions
 *              and jumps back to the text after them, @run_post also calls the
 *              post-handlers after the first instruction. It may be NULL if no probe with
 *              a post-handler had come yet: kprobe_leave_detour()
 * @replaced:   the point's previous detour, while jump or route may still lead there
 * @nr:         number of displaced instructions
 * @from:       offset of each in the text from the site, and of what follows the last
 * @insn:       offset of each copy from @slot, and of the jump back after the last
 * @copies:     offset from @slot of further copies of the first instruction
 * @retired:    how many previous detours of the point were not freed yet; counted in the
 *              latest one, under kprobe_mutex
 * @veneer:     offset from @slot of the veneer that a short jump leads to, see veneer.c;
 *              0 if there is none
 * @arch:       the architecture's part
 * @deferred:   for freeing
 */
struct kprobe_detour {
	struct kprobe_point *point;
	void *slot;
	struct kprobe_route route;
	u32 generation;
	bool alone;
	bool direct;
	bool counts;
	u8 nr;
	u8 from[KPROBE_REGION_INSNS + 1];
	u16 insn[KPROBE_REGION_INSNS + 1];
	u16 copies;
	u32 retired;
	s32 veneer;
#ifdef ARCH_KPROBE_OWN_DETOURS
	struct arch_kprobe_detour arch;
#endif
	union {
		struct kprobe_detour *replaced;
		union kprobe_deferred_free deferred;
	};
};

/*
 * Do hits go on with the copy of the instruction after the probed one? There is no copy of a nop:
 * the next instruction's begins where that of the nop would.
 */
static __always_inline bool kprobe_detour_runs_next(const struct kprobe_detour *detour)
{
	return detour->insn[0] == detour->insn[1] &&
	       detour->route.run == detour->slot + detour->insn[1];
}

/* Offset in its copy of what can fault of a point's instruction. */
static __always_inline unsigned int kprobe_point_fault(const struct kprobe_point *point)
{
	return point->fault * KPROBE_INSN_ALIGN;
}

/* Has the copy of the probed instruction at @addr begun, and not come further than to its fault? */
static __always_inline bool
kprobe_detour_has_insn_at(const struct kprobe_detour *detour, unsigned long addr)
{
	unsigned int fault = kprobe_point_fault(detour->point);

	if (addr - (unsigned long)detour->slot - detour->insn[0] <= fault)
		return !kprobe_detour_runs_next(detour);
	return addr - (unsigned long)detour->route.run <= fault ||
	       addr - (unsigned long)detour->route.run_post <= fault;
}

/* Index of the displaced instruction whose copy is at @offset; @nr for what follows them. */
static __always_inline unsigned int
kprobe_detour_index(const struct kprobe_detour *detour, unsigned long offset)
{
	unsigned int i = 0;

	while (i < detour->nr && detour->insn[i + 1] <= offset)
		i++;
	return i;
}

/* The original of the displaced instruction at @offset, or of what follows it. */
static __always_inline unsigned long
kprobe_detour_original(const struct kprobe_detour *detour, unsigned long offset)
{
	const struct kprobe_point *point = detour->point;

	if (kprobe_detour_has_insn_at(detour, (unsigned long)detour->slot + offset))
		return point->site;
	if (offset >= detour->copies)
		return point->site + point->len;
	return point->site + detour->from[kprobe_detour_index(detour, offset)];
}

/* The register that a point's jump uses, as a bit; 0 when it needs none. */
static inline u32 kprobe_point_scratch(const struct kprobe_point *point)
{
	return point->scratch ? BIT(point->scratch - 1) : 0;
}

/* How the point's instruction is emulated, NULL if it runs from a slot. */
static __always_inline struct kprobe_emulation *
kprobe_point_emulation(const struct kprobe_point *point)
{
	if (!point->emulated)
		return NULL;
	return container_of(point->emulated, struct kprobe_emulation, insn);
}

/* The copy of a point's instruction, NULL where none is needed. */
static __always_inline void *kprobe_point_slot(const struct kprobe_point *point)
{
	struct kprobe_emulation *emulation = kprobe_point_emulation(point);

	return emulation ? emulation->slot : point->text.run;
}

/*
 * The bits of the preemption count that tell contexts apart: which of NMI, hard interrupt
 * and softirq handlers run, and how many. A hit is nested in another one if both are in
 * the same context.
 */
#define KPROBE_CONTEXT_MASK	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/**
 * struct kprobe_frame - one hit under way on a CPU
 * @hazard:  hazard pointer: the point or return probe's pool that leads to the probes
 *           in use; NULL in a free frame
 * @probe:   the probe whose handler runs
 * @context: the preemption count that the handler runs with, of which only
 *           %KPROBE_CONTEXT_MASK is used; %KPROBE_CONTEXT_NONE while no handler runs
 * @post:    post-handlers run, for unwinders: the instruction may have changed the stack
 * @faulting: the probe's fault handler runs
 *
 * The code of detours writes all but the last itself, in the order of
 * kprobe_frame_begin() and kprobe_frame_exit(): to claim a frame it writes @hazard and
 * then @context, to release it @context and then @hazard. In between @context is
 * %KPROBE_CONTEXT_NONE, which differs from any hit's: a hit in an interrupt takes the
 * next frame then. kretprobe_enter_quickly() writes @hazard alone.
 */
struct kprobe_frame {
	const void *hazard;
	struct kprobe *probe;
	unsigned int context;
	bool post;
	bool faulting;
} __aligned(64);

/* Not the context of any hit. */
#define KPROBE_CONTEXT_NONE	(~0U)

/* Enough for task, softirq, hard interrupt, NMI, and exceptions that interrupt an NMI. */
#define KPROBE_FRAMES	8

/**
 * struct kprobe_cpu - the hits under way on one CPU, innermost last
 * @frame:    the hits; frames in use come first
 * @overflow: how many calls of kprobe_busy_begin() found no free frame
 *
 * Its own CPU writes it, and another one if a handler has slept, which none must: that
 * releases the frame where it returns. Interrupts and NMIs release the frames that they claim,
 * so no atomic access is needed. Handlers run with preemption disabled, so the
 * frames of task context belong to the task that runs on the CPU. If that dies in a
 * handler it must release them: kprobe_task_dies().
 */
struct kprobe_cpu {
	struct kprobe_frame frame[KPROBE_FRAMES];
	unsigned int overflow;
};

DECLARE_PER_CPU(struct kprobe_cpu, kprobe_cpu);

#include <asm/kprobe_point.h>

#endif /* CONFIG_KPROBES */
#endif /* _LINUX_KPROBE_POINT_H */
