/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_CHUNK_H
#define _KERNEL_KPROBES_CHUNK_H

/* chunk.c: pages of executable memory that slots are made in */
#include <linux/kprobe_arch.h>
#include <linux/rbtree_latch.h>
#include <linux/workqueue.h>

/*
 * Slots consist of units. The first unit of a page has the address of the chunk. The last ones stay
 * free: the handlers of #VC and #VE decode an instruction that has faulted, and may read
 * KPROBE_INSN_MAX bytes from its start. The next page may not exist.
 */
#define UNIT		8
#define UNITS_PER_PAGE	(PAGE_SIZE / UNIT)
#define LAST_UNITS	DIV_ROUND_UP(KPROBE_INSN_MAX, UNIT)

/* Slots of points and of detours: they look for room apart, as these are much longer. */
enum slot_kind {
	SLOT_DETOUR,
	SLOT_POINT,
	SLOT_KINDS,
};

/**
 * struct slot_chunk - pages of slots that were allocated together
 * @text:  the pages
 * @node:  in the tree of chunks by address
 * @all:   in the list of all chunks, in the same order; changed under kprobe_mutex,
 *         read under RCU
 * @room:  in the lists of chunks that may have room; kprobe_mutex
 * @from:  the first unit that may be free for a slot of the kind; kprobe_mutex
 * @pages: how many pages
 * @near:  they are part of the kernel's text, and never freed
 * @slots: how many slots are in use; kprobe_mutex
 * @rcu:   for freeing after an RCU grace period: lookups may still read the chunk
 * @used:  a bit for each unit that is not free; changed under kprobe_mutex, as @starts
 * @starts: a bit for each unit that a slot begins with
 * @bits:  both
 */
struct slot_chunk {
	void *text;
	struct latch_tree_node node;
	struct list_head all;
	struct hlist_node room[SLOT_KINDS];
	unsigned int from[SLOT_KINDS];
	unsigned int pages;
	unsigned int slots;
	bool near;
	struct rcu_work rcu;
	unsigned long *used;
	unsigned long *starts;
	unsigned long bits[];
};

static __always_inline unsigned long unit_of(const struct slot_chunk *chunk, unsigned long addr)
{
	return (addr - (unsigned long)chunk->text) / UNIT;
}

/* The chunk of a slot that is in use, by its page's header: takes no look-up. */
static __always_inline struct slot_chunk *kprobe_slot_chunk(unsigned long addr)
{
	return *(struct slot_chunk **)(addr & PAGE_MASK);
}

unsigned long kprobe_running_owner_slowly(unsigned long addr);

/*
 * The owner of a slot that is in use. The bit of the slot's start is mostly in the same word as
 * that of the address.
 */
static __always_inline unsigned long kprobe_running_owner(unsigned long addr)
{
	const struct slot_chunk *chunk = kprobe_slot_chunk(addr);
	unsigned long unit = unit_of(chunk, addr);
	unsigned long word = READ_ONCE(chunk->starts[unit / BITS_PER_LONG]);
	unsigned long owner;

	word <<= ~unit % BITS_PER_LONG;
	if (unlikely(!word))
		return kprobe_running_owner_slowly(addr);
	addr = addr - addr % UNIT - (BITS_PER_LONG - 1) * UNIT + __fls(word) * UNIT;
	owner = READ_ONCE(*(unsigned long *)addr);
	/* Such a slot has one. The compiler need not check that. */
	if (!owner)
		__builtin_unreachable();
	return owner;
}

#if KPROBE_NEAR_SIZE
extern u8 kprobe_near_text[];
#endif

struct slot_chunk *kprobe_chunk_make(bool near);
void kprobe_chunk_retire(struct slot_chunk *chunk);
struct slot_chunk *kprobe_chunk_of(unsigned long addr);
bool kprobe_may_be_slot(unsigned long addr);
#if KPROBE_NEAR_SIZE
bool kprobe_wants_near_slot(unsigned long site);
#else
static inline bool kprobe_wants_near_slot(unsigned long site)
{
	return false;
}
#endif
void kprobe_use_near_slots(bool use);

#endif /* _KERNEL_KPROBES_CHUNK_H */
