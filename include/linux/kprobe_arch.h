/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_ARCH_H
#define _LINUX_KPROBE_ARCH_H

/*
 * The contract between the core of kprobes and the architectures: what an
 * architecture has to supply, and what it may call. Nobody else includes this.
 *
 * An architecture knows instructions, text and registers. It knows nothing of
 * probes, lists, nesting or misses: those are the core's.
 *
 * What every architecture supplies comes first, then what has a default. What unwinders need is in
 * linux/kprobe_arch_unwind.h, and what is not needed where instructions have a fixed length in
 * linux/kprobe_arch_optional.h.
 */
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kprobe_point.h>
#include <linux/sizes.h>

#ifdef CONFIG_KPROBES

struct kprobe_detour;

/* Supplied by the core, kernel/kprobes/. */
struct kprobe_point *kprobe_point_lookup(unsigned long addr);
void kprobe_entry_hit(struct kprobe_point *point, struct pt_regs *regs);
int kprobe_breakpoint_hit(unsigned long addr, struct pt_regs *regs,
			  unsigned int entered);
void *kprobe_breakpoint_detour(unsigned long addr);
int kprobe_blacklist_add_text(unsigned long start, unsigned long end);
int __init kprobe_blacklist_add_symbols(const char * const ranges[][2], unsigned int nr);
int __init kprobe_blacklist_add_functions(const char * const *names, unsigned int nr);
size_t kprobe_read_insn(unsigned long addr, u8 *buf, size_t size);
unsigned long kprobe_entry_of(unsigned long start);
void kprobe_detour_enter(struct pt_regs *regs, struct kprobe_detour *detour);
void kprobe_detour_post(struct pt_regs *regs, unsigned long where);

/* Is it the probe of a registered struct kretprobe? */
static inline bool kprobe_is_return_probe(const struct kprobe *p)
{
	return p->returns;
}

/**
 * struct kprobe_patch - text to be replaced
 * @addr: where
 * @old:  what is there
 * @new:  what must be there
 * @len:  how many bytes, at most KPROBE_JUMP_SIZE
 *
 * Either of @old and @new is a breakpoint and the other is what CPUs may execute in its
 * place, or a breakpoint before @addr keeps CPUs away, or no CPU executes the text.
 */
struct kprobe_patch {
	unsigned long addr;
	const u8 *old;
	const u8 *new;
	u8 len;
};

/**
 * arch_kprobe_patch() - replace text
 * @patches: what and where, not in any order
 * @nr:      how many; at most KPROBE_CHUNK
 *
 * When it returns every CPU executes the new text, and no CPU is on its way from a
 * breakpoint that was replaced to the table of points. It may write bytes between patches
 * anew as they are.
 *
 * Context: Process context, cpus_read_lock() and text_mutex held, may sleep.
 */
void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr);

/**
 * arch_kprobe_write_slot() - write code into executable memory
 * @slot: where, in memory that nobody executes yet
 * @code: the bytes
 * @len:  how many
 *
 * CPUs may go on fetching what was there before until arch_kprobe_sync_slots().
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
void arch_kprobe_write_slot(void *slot, const void *code, size_t len);

/* What unwinders ask, see unwind.c. */
bool kprobe_is_site(unsigned long addr);

/* What interrupts ask, see text.c. */
bool kprobe_is_in_jump(unsigned long site, unsigned long addr);

/**
 * arch_kprobe_emulate() - make a point's instruction take effect on registers
 * @point: the point that was hit, of an instruction that is emulated
 * @regs:  registers at the hit; set to those after the instruction
 *
 * Context: Hit path.
 * Return: True. False, with @regs as they were, when an operand in memory could not be
 * read: the hit goes on in a slot, where a copy of the instruction faults with the right
 * registers and address.
 */
bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs);

/**
 * arch_kprobe_blacklist() - forbid probes in text of the architecture
 *
 * Context: Boot, single-threaded.
 * Return: 0 or a negative errno.
 */
int __init arch_kprobe_blacklist(void);

/*
 * In the architecture's assembly: what slots call, for the post-handlers, and stubs. Labels of
 * code, without a descriptor where functions have one.
 */
extern const char kprobe_post_trampoline[], kprobe_detour_common[];

/*
 * With a link register kprobe_post_trampoline comes first, then the other trampolines, the one
 * of return probes included, and then this.
 */
extern const char kprobe_trampolines_end[];

/*
 * What is the same on most architectures; inline, as it is on the hit path. One where it
 * differs defines the name as well, in asm/kprobe_point.h.
 */
#ifndef arch_kprobe_access
/**
 * arch_kprobe_access() - can the probed code access user memory?
 *
 * For hits without a trap. A trap ends such an access on its way in. An architecture need
 * not tell what its trampolines do about it themselves.
 *
 * Context: Hit path.
 * Return: 0 if it cannot, else what the architecture has to end; below 1 << 30.
 */
static __always_inline unsigned int arch_kprobe_access(void)
{
	return 0;
}

/**
 * arch_kprobe_end_access() - keep handlers away from user memory
 * @access: what arch_kprobe_access() has returned, not 0
 *
 * Context: Hit path.
 */
static inline void arch_kprobe_end_access(unsigned int access) { }

/**
 * arch_kprobe_resume_access() - let the probed code go on with its access
 * @access: as for arch_kprobe_end_access()
 *
 * Context: That of the probed code.
 */
static inline void arch_kprobe_resume_access(unsigned int access) { }
#endif

/**
 * kprobe_trap_hit() - kprobe_breakpoint_hit() for a trap that leaves preemption enabled
 * @addr: address of the breakpoint
 * @regs: as for kprobe_breakpoint_hit()
 *
 * Context: Interrupts disabled; the trap has added nothing to the preemption count.
 * Return: False if the breakpoint is somebody else's.
 */
static __always_inline bool kprobe_trap_hit(unsigned long addr, struct pt_regs *regs)
{
	bool handled;

	preempt_disable_notrace();
	handled = kprobe_breakpoint_hit(addr, regs, 0);
	preempt_enable_no_resched_notrace();
	return handled;
}

#ifndef arch_kprobe_next_ip
/**
 * arch_kprobe_next_ip() - get the second instruction pointer, where branches have a delay slot
 * @regs: registers
 *
 * instruction_pointer_set() makes it that of the next instruction, so a branch whose delay slot
 * comes next would be lost.
 *
 * Context: Hit path.
 * Return: It; 0 if there is none.
 */
static __always_inline unsigned long arch_kprobe_next_ip(const struct pt_regs *regs)
{
	return 0;
}

/**
 * arch_kprobe_set_next_ip() - set the second instruction pointer
 * @regs: registers
 * @next: what arch_kprobe_next_ip() has returned
 *
 * Context: Hit path.
 */
static __always_inline void arch_kprobe_set_next_ip(struct pt_regs *regs, unsigned long next) { }
#endif

#ifndef arch_kprobe_copy_len
/**
 * arch_kprobe_copy_len() - how long is the copy of an instruction in a slot?
 * @point: the instruction's point, with such a slot
 *
 * Context: Any.
 * Return: Its length in bytes: how much kprobe_isa.emit() has written.
 */
static __always_inline unsigned int arch_kprobe_copy_len(const struct kprobe_point *point)
{
	return point->len;
}
#endif

#ifndef arch_kprobe_slot_ended
/**
 * arch_kprobe_slot_ended() - where does a hit go on after the breakpoint that a slot ends in?
 * @point:  the slot's point
 * @regs:   registers at that breakpoint; may be changed to those after the instruction
 * @offset: where in the slot it is: a copy may have one of its own, for when it skips the next
 *          instruction
 *
 * Context: Hit path.
 * Return: An address of the text.
 */
static __always_inline unsigned long arch_kprobe_slot_ended(const struct kprobe_point *point,
							    struct pt_regs *regs,
							    unsigned int offset)
{
	return point->site + point->len;
}
#endif

/* The first unit of what ftrace replaces by its call at a function's entry. */
#ifndef KPROBE_ENTRY_OPCODE
#define KPROBE_ENTRY_OPCODE	0
#endif

/* What in a pointer to a function is no part of its address, but tells the instruction set. */
#ifndef KPROBE_POINTER_FLAGS
#define KPROBE_POINTER_FLAGS	0UL
#endif

/* Size of the nop at a function's entry; 0 if no probe is ever placed after it. */
#ifndef KPROBE_ENTRY_NOP_SIZE
#define KPROBE_ENTRY_NOP_SIZE	0
#endif

/**
 * kprobe_after_nop() - find the instruction after the entry nop
 * @addr: address of the nop that ftrace replaces by its call
 *
 * Context: Any.
 * Return: Where that instruction is; @addr if no probe is ever placed after a nop.
 */
static __always_inline unsigned long kprobe_after_nop(unsigned long addr)
{
	return addr + KPROBE_ENTRY_NOP_SIZE;
}

/* Was an entry nop probed, and breakpoint or jump are after it? */
static __always_inline bool kprobe_point_skips_nop(const struct kprobe_point *point)
{
	return KPROBE_ENTRY_NOP_SIZE && point->site != point->addr;
}

/*
 * Bytes of the kernel's text for slots and stubs, whole pages whatever the size of a page is, where
 * execmem's memory is out of a jump's reach. Elsewhere tests alone use some:
 * kprobe_use_near_slots().
 */
#if defined(CONFIG_KPROBES_NEAR_SHIFT)
#define KPROBE_NEAR_SIZE	(SZ_64K << (CONFIG_KPROBES_NEAR_SHIFT - 16))
#elif defined(CONFIG_KPROBES_KUNIT_TEST)
#define KPROBE_NEAR_SIZE	SZ_64K
#define KPROBE_NEAR_FOR_TESTS	1
#else
#define KPROBE_NEAR_SIZE	0
#endif

/*
 * What the core cannot know of text. An architecture that has something to say
 * defines the name as well, in asm/kprobe_point.h.
 */
#ifndef arch_kprobe_text_reserved
/**
 * arch_kprobe_text_reserved() - does the architecture itself patch or read some text?
 * @start: its first byte
 * @end:   the first one after it
 *
 * By default it does not. With KPROBE_PATCHED_SLOTS, what ftrace and jump labels patch may become a
 * branch, and what follows is in its delay slot then: they have only the branch in their tables.
 *
 * Context: Process context, text_mutex held.
 * Return: True when it does, in a table of its own.
 */
static inline bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
#ifdef KPROBE_PATCHED_SLOTS
	/* By instructions: a range that begins in front of a module would be in no text. */
	for (; start < end; start += KPROBE_INSN_ALIGN) {
		void *at = (void *)(start - KPROBE_INSN_ALIGN);

		if (ftrace_text_reserved(at, at) || jump_label_text_reserved(at, at))
			return true;
	}
	return false;
#else
	return false;
#endif
}
#endif

/*
 * Size of the type in front of a function that kCFI compares, and that has no symbol: it counts as
 * text of the function before.
 */
#ifndef KPROBE_CFI_TYPE_SIZE
#define KPROBE_CFI_TYPE_SIZE	(IS_ENABLED(CONFIG_CFI_CLANG) ? 4 : 0)
#endif

/* How far behind a relocation's place the last instruction is that livepatch changes with it. */
#ifndef KPROBE_RELOCATION_LAST
#define KPROBE_RELOCATION_LAST	0
#endif

#ifndef arch_kprobe_passes
/**
 * arch_kprobe_passes() - does execution pass a breakpoint without a hit?
 * @point: the breakpoint's point
 * @regs:  registers at the breakpoint; may be changed to those after the instruction, but for the
 *         instruction pointer, if that is passed
 *
 * For instruction sets where nearly every instruction has a condition, and the breakpoint has none.
 *
 * Context: Hit path.
 * Return: True if the point's instruction has no effect with these flags.
 */
static __always_inline bool arch_kprobe_passes(const struct kprobe_point *point,
					       struct pt_regs *regs)
{
	return false;
}
#endif

#ifndef arch_kprobe_adapt_jump
/**
 * arch_kprobe_adapt_jump() - adapt a jump to the instruction that it replaces
 * @point: the point
 * @jump:  the jump as kprobe_isa.jump() writes it; one that is passed where
 *         arch_kprobe_passes() says so when this returns
 *
 * Context: Process context, text_mutex held.
 */
static inline void arch_kprobe_adapt_jump(const struct kprobe_point *point, u8 *jump)
{
}
#endif

/* What the function graph tracer knows a call by, of what arch_kretprobe_frame() returns. */
#ifndef KRETPROBE_GRAPH_KEY
#define KRETPROBE_GRAPH_KEY(fp)	(fp)
#endif

#ifndef arch_kprobe_init
/**
 * arch_kprobe_init() - hook up with traps that do not call kprobes by name
 *
 * Context: Boot, single-threaded, before the first probe.
 * Return: 0 or a negative errno.
 */
static inline int arch_kprobe_init(void)
{
	return 0;
}
#endif

#ifndef arch_kprobe_sync_slots
/**
 * arch_kprobe_sync_slots() - have every CPU fetch slots as they were written
 *
 * Called when slots were written, before a hit can reach them.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 */
static inline void arch_kprobe_sync_slots(void)
{
}
#endif

#ifndef arch_kprobe_entry
/**
 * arch_kprobe_entry() - where is a function entered?
 * @start: its first byte
 *
 * Context: Any in which text can be read.
 * Return: The first instruction that every call executes, if not all calls begin at @start.
 */
static inline unsigned long arch_kprobe_entry(unsigned long start)
{
	return start;
}
#endif

#ifndef arch_kprobe_is_called
/**
 * arch_kprobe_is_called() - is code at a symbol entered by a call, and left by a return?
 * @addr: the symbol's address
 *
 * Assembly may be entered in another way: a return probe would replace what is no return
 * address, or one that somebody else reads.
 *
 * Context: Process context.
 * Return: False if return probes must not be set there.
 */
static inline bool arch_kprobe_is_called(unsigned long addr)
{
	return true;
}
#endif

/*
 * Detours are the core's, kernel/kprobes/detour.c: a call of kprobe_detour_common, which
 * is the architecture's and calls kprobe_detour_enter(), and copies of instructions. An
 * architecture that defines ARCH_KPROBE_OWN_DETOURS in asm/kprobes.h supplies struct
 * arch_kprobe_detour there, ARCH_KPROBE_KEEPS_REGISTERS, the attribute of a function that
 * keeps all registers, and what follows.
 */

/**
 * arch_kprobe_emit_detour() - write the code that a jump or breakpoint leads to
 * @detour: with @point, @generation, @alone, @counts, @slot, @nr and @from set
 * @region: the instructions to be displaced
 * @code:   appended to, for @slot; %KPROBE_DETOUR_MAX_SIZE bytes of room
 *
 * Fills in what tells where things are in the detour, and @direct. The code calls the
 * handlers of the probes that are on the point now, and if @counts first increments the
 * point's @hits. Once @generation is not the point's any
 * more, it leaves the hit to kprobe_detour_changed() or kprobe_detour_post_changed(). The
 * route's @run_post is NULL if there is no code for post-handlers: kprobe_leave_detour().
 * Code that turns out too long for its slot is written again for another @slot.
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_REASON_NONE, or %KPROBE_REASON_NOT_DISPLACED if a copy cannot run in a
 * detour, or, for an instruction alone, if the detour would not call the handlers anyway.
 */
enum kprobe_reason arch_kprobe_emit_detour(struct kprobe_detour *detour,
					   const struct kprobe_region *region,
					   struct kprobe_code *code);

/* The architecture's return trampoline; it calls kretprobe_return(). */
void kretprobe_trampoline(void);
#ifdef KRETPROBE_TRAMPOLINE_MARKS
/* Addresses in it, for unwinders: of its call, and of its last instruction. */
extern const unsigned long kretprobe_trampoline_marks[2];
#endif

void kretprobe_return(struct pt_regs *regs, void *fp);

/*
 * Besides, asm/kprobe_point.h has arch_kprobe_isa, the instruction set, and, inline as they
 * are on the hit path:
 *
 *   bool arch_kprobe_has_breakpoint(unsigned long addr)
 *	whether the text at addr, which has trapped, holds a breakpoint now; true
 *	also when it cannot be read
 *
 * and where ftrace does not save all registers:
 *
 *   void arch_kprobe_get_call(struct pt_regs *regs, struct ftrace_regs *fregs)
 *	fills in what ftrace has saved of a call's registers, and clears the rest
 *   void arch_kprobe_put_call(struct ftrace_regs *fregs, struct pt_regs *regs)
 *	makes them those that ftrace restores
 *
 * and for registers at a function's entry either KPROBE_LINK(regs), the link register, or
 *
 *   unsigned long arch_kretprobe_return_address(struct pt_regs *regs)
 *	where the call returns to
 *   void arch_kretprobe_set_return_address(struct pt_regs *regs, void *fp,
 *					    unsigned long addr)
 *	makes it return elsewhere; fp is what arch_kretprobe_frame() has said
 */
#ifdef KPROBE_LINK
static __always_inline unsigned long arch_kretprobe_return_address(struct pt_regs *regs)
{
	return KPROBE_LINK(regs);
}

static __always_inline void
arch_kretprobe_set_return_address(struct pt_regs *regs, void *fp, unsigned long addr)
{
	KPROBE_LINK(regs) = addr;
}
#endif

#ifndef arch_kretprobe_frame
/**
 * arch_kretprobe_frame() - what identifies a call
 * @regs: registers at the function's entry
 *
 * Context: Hit path.
 * Return: Where its return address lies, or the value that the unwinder knows its frame by.
 */
static __always_inline void *arch_kretprobe_frame(struct pt_regs *regs)
{
	return (void *)kernel_stack_pointer(regs);
}
#endif

/*
 * arch_kretprobe_go_back(regs, fp, addr), on what the return trampoline has saved, makes it go on
 * at addr. From here on the unwinder finds that address where it looks for the caller, and not the
 * trampoline's.
 */
#ifndef arch_kretprobe_go_back
#define arch_kretprobe_go_back	arch_kretprobe_set_return_address
#endif

#include <linux/kprobe_arch_optional.h>
#include <linux/kprobe_arch_unwind.h>

#endif /* CONFIG_KPROBES */
#endif /* _LINUX_KPROBE_ARCH_H */
