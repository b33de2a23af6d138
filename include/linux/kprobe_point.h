/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_POINT_H
#define _LINUX_KPROBE_POINT_H

/*
 * The contract between the core of kprobes (kernel/kprobes.c, kernel/kprobes/)
 * and the architectures: what a probe point is, what an architecture has to
 * supply, and what it may call. Nobody else includes this.
 *
 * An architecture knows instructions, text and registers. It knows nothing of
 * probes, lists, nesting or misses: those are the core's.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>

#ifdef CONFIG_KPROBES

/**
 * enum kprobe_mechanism - how a hit reaches the core
 * @KPROBE_BREAKPOINT: a breakpoint instruction at the address
 * @KPROBE_FTRACE:     the call that ftrace patches in at a function's entry
 */
enum kprobe_mechanism {
	KPROBE_BREAKPOINT,
	KPROBE_FTRACE,
};

/**
 * enum kprobe_point_state - where a point is in its life
 * @KPROBE_POINT_IDLE:     the text is the kernel's own; hits cannot happen
 * @KPROBE_POINT_ARMED:    the mechanism is in the text
 * @KPROBE_POINT_LEAVING:  nobody wants the point any more, but the mechanism
 *                         still is in the text until the reaper's next pass;
 *                         hits run the displaced instruction and nothing else
 * @KPROBE_POINT_GONE:     the text was freed; never to be written to again
 * @KPROBE_POINT_STATES:   number of states
 *
 * Legal edges, all under kprobe_mutex, all through kprobe_point_set_state()::
 *
 *             to  IDLE  ARMED  LEAVING  GONE
 *   from
 *   IDLE           -     arm      -     kill
 *   ARMED        disarm   -     leave   kill
 *   LEAVING       reap  return    -     kill
 *   GONE           -      -       -      -
 */
enum kprobe_point_state {
	KPROBE_POINT_IDLE,
	KPROBE_POINT_ARMED,
	KPROBE_POINT_LEAVING,
	KPROBE_POINT_GONE,
	KPROBE_POINT_STATES,
};

/**
 * struct kprobe_point - one probed address, with all the probes on it
 * @addr:      the probed address, key of the table
 * @probes:    its probes in order of registration; read under RCU by hits,
 *             written under kprobe_mutex
 * @nr_post:   how many probes on the point have a post-handler; read by hits
 * @emulated:  the architecture makes the instruction take effect on the
 *             registers; else it runs from a slot
 * @slot:      executable copy of the instruction that goes on behind it, NULL
 *             where none is needed
 * @post_slot: the same with a call of the post-handlers in between; made when
 *             the first probe with a post-handler arrives
 * @draining:  somebody waits until no hit looks at the probes
 * @pending:   probes that a registration under way is going to put on the
 *             point; under kprobe_mutex
 * @len:       length of the displaced instruction in bytes
 * @insn:      the bytes at @addr without any mechanism
 * @arch:      the architecture's plan for the instruction
 * @state:     under kprobe_mutex
 * @mechanism: fixed once the point is made
 * @on_func_entry: the point stands at a function's entry
 * @node:      in the table of points, one link for each of two generations
 * @batch:     in the batch that is being worked on, with the reaper, or gone
 * @dead:      on the way to be freed
 * @rcu:       for freeing
 */
struct kprobe_point {
	unsigned long addr;
	struct list_head probes;
	unsigned int nr_post;
	bool emulated;
	bool draining;
	void *slot;
	void *post_slot;
	u8 len;
	kprobe_opcode_t insn[MAX_INSN_SIZE];
	struct arch_kprobe_point arch;

	enum kprobe_point_state state;
	enum kprobe_mechanism mechanism;
	bool on_func_entry;
	struct hlist_node node[2];
	union {
		struct list_head batch;
		struct llist_node dead;
	};
	unsigned int pending;
	struct rcu_head rcu;
};

/*
 * A hit is counted as nested by the context it comes from: which of NMI,
 * hard interrupt and softirq handlers are under way, and how many.
 */
#define KPROBE_CONTEXT_MASK	(NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)

/* Supplied by the core, kernel/kprobes/. */
struct kprobe_point *kprobe_point_lookup(unsigned long addr);
void kprobe_hit(struct kprobe_point *point, struct pt_regs *regs,
		unsigned int entered);
bool kprobe_breakpoint_hit(unsigned long addr, struct pt_regs *regs,
			   unsigned int entered);
void kprobe_post_hit(struct kprobe_point *point, struct pt_regs *regs);
void *kprobe_slot_alloc(struct kprobe_point *owner);
void kprobe_slot_free(void *slot);
struct kprobe_point *kprobe_slot_running(unsigned long addr);
void kprobe_slot_write(void *slot, const void *code, size_t len);
int kprobe_blacklist_add_function(unsigned long entry);
int kprobe_blacklist_add_text(unsigned long start, unsigned long end);
int kprobe_read_insn(unsigned long addr, u8 *buf, size_t size);

/**
 * arch_kprobe_entry() - where a probe on a place in a function goes
 * @addr:          the function's first byte
 * @offset:        how far behind it the probe is asked for
 * @on_func_entry: set to whether that is the function's entry
 *
 * Several offsets may mean the entry, as before and behind a landing pad for
 * indirect branches. They all become the address that users know.
 *
 * Context: Any in which the text at @addr can be read.
 * Return: The address to probe.
 */
kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_func_entry);

/**
 * arch_kprobe_check_boundary() - does an instruction start here?
 * @addr:  the address asked for
 * @start: first byte of the function that it lies in
 *
 * Context: Process context, text_mutex held.
 * Return: 0, or -EILSEQ when @addr is inside an instruction or the function
 * cannot be decoded up to it.
 */
int arch_kprobe_check_boundary(unsigned long addr, unsigned long start);

/**
 * arch_kprobe_prepare() - plan how a point's instruction is displaced
 * @point: new point with @addr and @mechanism set
 *
 * Reads the instruction, fills in @insn, @len, @arch and @emulated, and makes
 * @slot where one is needed.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: 0, -EILSEQ when there is no instruction, -EINVAL when it cannot be
 * probed, -ENOMEM.
 */
int arch_kprobe_prepare(struct kprobe_point *point);

/**
 * arch_kprobe_prepare_post() - make a point ready for post-handlers
 * @point: prepared point; hits may be under way
 *
 * Makes @post_slot where one is needed and not there yet.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: 0 or -ENOMEM.
 */
int arch_kprobe_prepare_post(struct kprobe_point *point);

/**
 * arch_kprobe_arm() - put the breakpoint into the text
 * @point: prepared point, in the table of points
 *
 * CPUs may go on seeing the old text until arch_kprobe_sync().
 *
 * Context: Process context, text_mutex held.
 */
void arch_kprobe_arm(struct kprobe_point *point);

/**
 * arch_kprobe_disarm() - restore the text
 * @point: armed point, in the table of points
 *
 * CPUs may go on hitting the breakpoint until arch_kprobe_sync().
 *
 * Context: Process context, text_mutex held.
 */
void arch_kprobe_disarm(struct kprobe_point *point);

/**
 * arch_kprobe_sync() - make every CPU see the text as it is
 *
 * When it returns no CPU executes what was there before, nor is on its way
 * from an old breakpoint to the table of points.
 *
 * Context: Process context, text_mutex held.
 */
void arch_kprobe_sync(void);

/**
 * arch_kprobe_write_slot() - write code into executable memory
 * @slot: where, in memory that nobody executes yet
 * @code: the bytes
 * @len:  how many
 *
 * Context: Process context, may sleep.
 */
void arch_kprobe_write_slot(void *slot, const void *code, size_t len);

/**
 * arch_kprobe_fill_slots() - make fresh executable memory read-only
 * @page: memory from execmem
 * @size: its size in bytes, whole pages
 * @note: what the first word of it is set to
 *
 * Fills the rest with breakpoints and makes it read-only and executable.
 *
 * Context: Process context, may sleep.
 * Return: 0 or a negative errno, the memory then still writable.
 */
int arch_kprobe_fill_slots(void *page, size_t size, void *note);

/**
 * arch_kprobe_emulate() - make a point's instruction take effect on registers
 * @point: the point that was hit, with @emulated set
 * @regs:  registers at the hit; set to those behind the instruction
 *
 * Context: Hit path.
 * Return: True. False when it could not be done, because the instruction is
 * going to fault: @regs then are set to run it from its slot, to fault there.
 */
bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs);

/**
 * arch_kprobe_blacklist() - name the architecture's own no-go areas
 *
 * Context: Boot, single-threaded.
 * Return: 0 or a negative errno.
 */
int __init arch_kprobe_blacklist(void);

/**
 * arch_kprobe_init() - hook up with the architecture's traps
 *
 * Context: Boot, single-threaded, before the first probe.
 * Return: 0 or a negative errno.
 */
int __init arch_kprobe_init(void);

/**
 * arch_kprobe_ftrace_enter() - make an ftrace call look like a hit
 * @point: the point, of mechanism %KPROBE_FTRACE
 * @regs:  registers as ftrace gives them; the instruction pointer is set to
 *         what users of the architecture see in a pre-handler
 *
 * Context: Hit path.
 */
void arch_kprobe_ftrace_enter(struct kprobe_point *point,
			      struct pt_regs *regs);

#ifdef CONFIG_KRETPROBES

/* The architecture's return trampoline; it calls kretprobe_return(). */
void kretprobe_trampoline(void);

unsigned long kretprobe_return(struct pt_regs *regs, void *fp);

/*
 * Besides, asm/kprobe_point.h has, inline as they are on the hit path, all for
 * registers at a function's entry:
 *
 *   void *arch_kretprobe_frame(struct pt_regs *regs)
 *	what identifies the call: where its return address lies, or the value
 *	that the unwinder knows the call's frame by
 *   unsigned long arch_kretprobe_return_address(struct pt_regs *regs)
 *	where the call returns to
 *   void arch_kretprobe_set_return_address(struct pt_regs *regs,
 *					    unsigned long addr)
 *	makes it return elsewhere
 */
#endif /* CONFIG_KRETPROBES */

#include <asm/kprobe_point.h>

#endif /* CONFIG_KPROBES */
#endif /* _LINUX_KPROBE_POINT_H */
