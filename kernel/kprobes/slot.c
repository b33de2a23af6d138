// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots: small pieces of executable memory for displaced instructions, and
 * larger ones for detours.
 *
 * execmem allocates the memory in chunks of whole pages. It is read-only from the beginning, full
 * of breakpoints, and slots are written through the architecture's text patching. Allocating a
 * chunk takes longer than writing its slots, so chunks get larger the more pages there are.
 *
 * A slot is as long as its code, which is made before the slot is taken. In front of the code is
 * the slot's owner: a struct kprobe_detour, or a struct kprobe_point with KPROBE_OWNER_IS_POINT.
 * A page begins with the address of its struct slot_chunk, so code that runs in a slot finds the
 * owner without a look-up. Unwinders, also in NMIs, find the chunk of any address in a latched
 * tree, without a lock.
 */
#include <linux/bitmap.h>
#include <linux/execmem.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/rbtree_latch.h>
#include <linux/rculist.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "point.h"
#include "slot.h"
#include "table.h"
#include "veneer.h"

/*
 * Slots consist of units. The first unit of a page has the address of the chunk. The last ones stay
 * free: the handlers of #VC and #VE decode an instruction that has faulted, and may read
 * KPROBE_INSN_MAX bytes from its start. The next page may not exist.
 */
#define UNIT		8
#define UNITS_PER_PAGE	(PAGE_SIZE / UNIT)
#define LAST_UNITS	DIV_ROUND_UP(KPROBE_INSN_MAX, UNIT)

/* A chunk has at most so many pages. */
#define CHUNK_MAX_PAGES	8

#define MAX_LEN		MAX(KPROBE_SLOT_SIZE, KPROBE_DETOUR_MAX_SIZE)

/* The name that /proc/kallsyms shows for a page, and perf for a chunk. */
#define SLOT_PAGE_NAME	"kprobe_insn_page"

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
	struct rcu_work rcu;
	unsigned long *used;
	unsigned long *starts;
	unsigned long bits[];
};

/* Chunks that may have room for a slot of the kind; kprobe_mutex. */
static struct hlist_head with_room[SLOT_KINDS];

/* Pages of all chunks; kprobe_mutex. */
static unsigned int nr_pages;

/* How often slots were written, for kprobe_slot_owner_at(). */
static unsigned int nr_writes;

/* Units for some slots of the greatest length: to map a page for writing takes long. */
#define WRITTEN_AT_ONCE	(4 * DIV_ROUND_UP(sizeof(unsigned long) + MAX_LEN, UNIT))

/* Slots that were made one after the other in a chunk, to be written at once; kprobe_mutex. */
static struct {
	struct slot_chunk *chunk;
	unsigned int unit;
	unsigned int nr;
	DECLARE_BITMAP(starts, WRITTEN_AT_ONCE);
	u8 bytes[WRITTEN_AT_ONCE * UNIT] __aligned(UNIT);
} unwritten;

/* Not every CPU fetches the slots that were written; kprobe_mutex. */
static bool unsynced;

static __always_inline struct slot_chunk *slot_chunk_of(struct latch_tree_node *node)
{
	return container_of(node, struct slot_chunk, node);
}

static __always_inline bool lies_before(struct latch_tree_node *a,
					struct latch_tree_node *b)
{
	return slot_chunk_of(a)->text < slot_chunk_of(b)->text;
}

static __always_inline int compare(void *addr, struct latch_tree_node *node)
{
	struct slot_chunk *chunk = slot_chunk_of(node);

	if (addr < chunk->text)
		return -1;
	return addr >= chunk->text + chunk->pages * PAGE_SIZE;
}

static const struct latch_tree_ops by_address = {
	.less = lies_before,
	.comp = compare,
};

/*
 * All chunks by address; changed under kprobe_mutex, read with preemption
 * disabled where RCU is watching. A lookup is inline, and removing a chunk
 * allocates no memory.
 */
static struct latch_tree_root chunk_tree;

/* All chunks in the same order, for /proc/kallsyms. */
static LIST_HEAD(all_chunks);

/*
 * Bounds of the addresses of all slots. They are only ever widened, before a route or the text
 * leads to a new slot; smp_store_release() of @route and smp_wmb() in write_sites() keep that
 * order. Nearly every address that is looked up lies outside, and must not cost a walk of the tree.
 */
static unsigned long lowest_slot = ULONG_MAX;
static unsigned long highest_slot;

static size_t chunk_bytes(const struct slot_chunk *chunk)
{
	return chunk->pages * PAGE_SIZE;
}

static void announce(struct slot_chunk *chunk, bool unregister)
{
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL,
			   (unsigned long)chunk->text, chunk_bytes(chunk), unregister,
			   SLOT_PAGE_NAME);
}

static void free_chunk(struct slot_chunk *chunk)
{
	execmem_free(chunk->text);
	kfree(chunk);
}

static void free_chunk_work(struct work_struct *work)
{
	free_chunk(container_of(to_rcu_work(work), struct slot_chunk, rcu));
}

/* The entry of all_chunks to add a chunk after, so that the list has the tree's order. */
static struct list_head *entry_before(struct slot_chunk *chunk)
{
	struct rb_node *prev = rb_prev(&chunk->node.node[0]);

	return prev ? &container_of(prev, struct slot_chunk, node.node[0])->all : &all_chunks;
}

/* The units from @unit on may be free. */
static void note_room(struct slot_chunk *chunk, unsigned int unit)
{
	enum slot_kind kind;

	for (kind = 0; kind < SLOT_KINDS; kind++) {
		chunk->from[kind] = min(chunk->from[kind], unit);
		if (hlist_unhashed(&chunk->room[kind]))
			hlist_add_head(&chunk->room[kind], &with_room[kind]);
	}
}

static void publish_chunk(struct slot_chunk *chunk)
{
	unsigned long start = (unsigned long)chunk->text;

	WRITE_ONCE(lowest_slot, min(lowest_slot, start));
	WRITE_ONCE(highest_slot, max(highest_slot, start + chunk_bytes(chunk) - 1));
	latch_tree_insert(&chunk->node, &chunk_tree, &by_address);
	list_add_rcu(&chunk->all, entry_before(chunk));
	nr_pages += chunk->pages;
	note_room(chunk, 0);
	announce(chunk, false);
}

/* Has a page begin with the address of the chunk, and fills the rest with breakpoints. */
static void write_page(struct slot_chunk *chunk, unsigned int page)
{
	static u8 image[PAGE_SIZE];	/* kprobe_mutex */
	const struct kprobe_insn insn = {
		.len = KPROBE_INSN_ALIGN, .breakpoint_len = KPROBE_INSN_ALIGN,
	};
	struct kprobe_code code = { .buf = image, .size = sizeof(image) };

	arch_kprobe_isa->breakpoint(&code, &insn);
	for (; code.len < sizeof(image); code.len *= 2)
		memcpy(image + code.len, image, code.len);
	memcpy(image, &chunk, sizeof(chunk));
	arch_kprobe_write_slot(chunk->text + page * PAGE_SIZE, image, sizeof(image));
	__set_bit(page * UNITS_PER_PAGE, chunk->used);
	bitmap_set(chunk->used, (page + 1) * UNITS_PER_PAGE - LAST_UNITS, LAST_UNITS);
}

/* The chunk gets an eighth of the pages that there are already, within limits. */
static struct slot_chunk *make_chunk(void)
{
	unsigned int pages = clamp(nr_pages / 8, 1, CHUNK_MAX_PAGES), page;
	unsigned int longs = BITS_TO_LONGS(pages * UNITS_PER_PAGE);
	struct slot_chunk *chunk;

	chunk = kzalloc(struct_size(chunk, bits, 2 * longs), GFP_KERNEL);
	if (!chunk)
		return NULL;
	chunk->pages = pages;
	chunk->used = chunk->bits;
	chunk->starts = chunk->bits + longs;
	INIT_RCU_WORK(&chunk->rcu, free_chunk_work);
	chunk->text = execmem_alloc(EXECMEM_KPROBES, chunk_bytes(chunk));
	if (!chunk->text)
		goto failed;
	set_vm_flush_reset_perms(chunk->text);
	/* KMSAN does not see the pages being filled. Text patching reads them back. */
	kmsan_unpoison_memory(chunk->text, chunk_bytes(chunk));
	if (set_memory_rox((unsigned long)chunk->text, pages))
		goto failed;
	for (page = 0; page < pages; page++)
		write_page(chunk, page);
	publish_chunk(chunk);
	return chunk;
failed:
	free_chunk(chunk);
	return NULL;
}

static unsigned int units_for(unsigned int len)
{
	return DIV_ROUND_UP(sizeof(unsigned long) + len, UNIT);
}

/* Finds free units for @len bytes of code: sets @unit to the first. NULL without memory. */
static struct slot_chunk *find_room(enum slot_kind kind, unsigned int len, unsigned int *unit)
{
	struct hlist_head *list = &with_room[kind];
	unsigned int nr = units_for(len), end;
	struct slot_chunk *chunk;

	while (!hlist_empty(list) || make_chunk()) {
		chunk = hlist_entry(list->first, struct slot_chunk, room[kind]);
		end = chunk->pages * UNITS_PER_PAGE;
		*unit = bitmap_find_next_zero_area(chunk->used, end, chunk->from[kind], nr, 0);
		chunk->from[kind] = *unit;
		if (*unit < end)
			return chunk;
		hlist_del_init(&chunk->room[kind]);
	}
	return NULL;
}

/* The owner of a free slot may be read while it is written: see kprobe_slot_owner_at(). */
static void write_slots(void)
{
	unsigned int i;

	if (!unwritten.nr)
		return;
	/* KMSAN did not see the code being made. */
	kmsan_unpoison_memory(unwritten.bytes, unwritten.nr * UNIT);
	smp_wmb();	/* the bit of a freed slot is 0: pairs with kprobe_slot_owner_at() */
	WRITE_ONCE(nr_writes, nr_writes + 1);
	smp_wmb();	/* likewise */
	arch_kprobe_write_slot(unwritten.chunk->text + unwritten.unit * UNIT,
			       unwritten.bytes, unwritten.nr * UNIT);
	smp_wmb();	/* the owners are there: pairs with kprobe_slot_owner_at() */
	for_each_set_bit(i, unwritten.starts, unwritten.nr)
		__set_bit(unwritten.unit + i, unwritten.chunk->starts);
	bitmap_zero(unwritten.starts, unwritten.nr);
	unwritten.nr = 0;
	unsynced = true;
}

/*
 * Writes the slots that were made, and has every CPU fetch them as they are. To be called before a
 * hit can reach them. The caller must not hold text_mutex, which writing takes.
 */
void kprobe_slots_sync(void)
{
	lockdep_assert_held(&kprobe_mutex);
	write_slots();
	if (unsynced)
		arch_kprobe_sync_slots();
	unsynced = false;
}

/* Where to make the slot that begins at a unit. */
static u8 *next_bytes(struct slot_chunk *chunk, unsigned int unit)
{
	if (unwritten.chunk != chunk || unwritten.unit + unwritten.nr != unit ||
	    WRITTEN_AT_ONCE - unwritten.nr < units_for(MAX_LEN))
		write_slots();
	if (!unwritten.nr) {
		unwritten.chunk = chunk;
		unwritten.unit = unit;
	}
	return unwritten.bytes + unwritten.nr * UNIT;
}

/*
 * Makes a slot, which nobody executes yet. @emit makes the code, perhaps several times: there may
 * be no room at the address that it is made for, and its length may depend on the address. The code
 * is there after kprobe_slots_sync(). Sets @slot to NULL on failure, and returns why or what @emit
 * returns.
 */
enum kprobe_reason kprobe_slot_make(void **slot, unsigned long owner, kprobe_emit_t emit,
				    void *arg)
{
	/* Code is mostly as long as the last one of its kind. */
	static unsigned int lens[SLOT_KINDS];
	enum slot_kind kind = owner & KPROBE_OWNER_IS_POINT ? SLOT_POINT : SLOT_DETOUR;
	unsigned int len = lens[kind], unit, nr;
	enum kprobe_reason reason;
	struct slot_chunk *chunk;
	struct kprobe_code code;
	u8 *bytes;

	lockdep_assert_held(&kprobe_mutex);
	for (;; len = code.len) {
		chunk = find_room(kind, len, &unit);
		if (!chunk) {
			reason = KPROBE_REASON_NO_MEMORY;
			break;
		}
		*slot = chunk->text + unit * UNIT + sizeof(owner);
		bytes = next_bytes(chunk, unit);
		code = (struct kprobe_code){
			.buf = bytes + sizeof(owner), .size = MAX_LEN,
			.base = (unsigned long)*slot,
		};
		reason = emit(arg, &code);
		if (!reason && (code.far || WARN_ON_ONCE(code.len > code.size)))
			reason = KPROBE_REASON_OUT_OF_REACH;
		if (reason)
			break;
		nr = units_for(code.len);
		if (find_next_bit(chunk->used, unit + nr, unit) < unit + nr)
			continue;
		lens[kind] = code.len;
		memcpy(bytes, &owner, sizeof(owner));
		/* The rest of the last unit stays as it is in memory. */
		len = sizeof(owner) + code.len;
		memcpy(bytes + len, *slot + code.len, nr * UNIT - len);
		__set_bit(unwritten.nr, unwritten.starts);
		unwritten.nr += nr;
		bitmap_set(chunk->used, unit, nr);
		chunk->slots++;
		perf_event_text_poke(*slot, NULL, 0, code.buf, code.len);
		return KPROBE_REASON_NONE;
	}
	*slot = NULL;
	return reason;
}

/*
 * Unwinders ask about every address, also where RCU is not watching. RCU is watching wherever a
 * slot is executed: if it is not, the address is in no slot, and no page is looked at.
 */
static __always_inline bool may_be_slot(unsigned long addr)
{
	if (likely(addr < READ_ONCE(lowest_slot) || addr > READ_ONCE(highest_slot)))
		return false;
	/* A task that migrated in between could read the state of an idle CPU. */
	guard(preempt_notrace)();
	return kprobe_rcu_is_watching();
}

/* With preemption disabled, or kprobe_mutex held. */
static __always_inline struct slot_chunk *chunk_of(unsigned long addr)
{
	struct latch_tree_node *node;

	node = latch_tree_find((void *)addr, &chunk_tree, &by_address);
	return node ? slot_chunk_of(node) : NULL;
}

static __always_inline unsigned int unit_of(const struct slot_chunk *chunk, unsigned long addr)
{
	return (addr - (unsigned long)chunk->text) / UNIT;
}

static void retire_chunk(struct slot_chunk *chunk)
{
	enum slot_kind kind;

	for (kind = 0; kind < SLOT_KINDS; kind++)
		hlist_del(&chunk->room[kind]);
	nr_pages -= chunk->pages;
	list_del_rcu(&chunk->all);
	latch_tree_erase(&chunk->node, &chunk_tree, &by_address);
	announce(chunk, true);
	queue_rcu_work(system_unbound_wq, &chunk->rcu);
}

/* Nobody executes the slot any more. Does nothing for NULL. */
void kprobe_slot_free(void *slot)
{
	unsigned int unit, end, free;
	struct slot_chunk *chunk;

	lockdep_assert_held(&kprobe_mutex);
	if (!slot)
		return;
	write_slots();
	chunk = chunk_of((unsigned long)slot);
	if (WARN_ON_ONCE(!chunk))
		return;
	unit = unit_of(chunk, (unsigned long)slot - sizeof(unsigned long));
	end = round_up(unit + 1, UNITS_PER_PAGE) - LAST_UNITS;
	end = find_next_bit(chunk->starts, end, unit + 1);
	free = find_next_zero_bit(chunk->used, end, unit);
	/* Before retire_chunk(): perf needs the chunk's ksymbol to place the bytes. */
	perf_event_text_poke(slot, slot, (free - unit) * UNIT - sizeof(unsigned long), NULL, 0);
	__clear_bit(unit, chunk->starts);
	bitmap_clear(chunk->used, unit, free - unit);
	/* A gap before that was too short may be long enough now. */
	note_room(chunk, find_last_bit(chunk->used, unit));
	/* Keep one page: a probe that comes and goes again and again allocates none. */
	if (!--chunk->slots &&
	    (chunk->pages > 1 || !hlist_is_singular_node(&chunk->room[SLOT_POINT],
							 &with_room[SLOT_POINT])))
		retire_chunk(chunk);
}

/* The owner of the last slot that begins at or before a unit, 0 if there is none. */
static __always_inline unsigned long owner_before(const struct slot_chunk *chunk,
						  unsigned int unit, unsigned int *start)
{
	unsigned int i = unit / BITS_PER_LONG;
	unsigned long word = READ_ONCE(chunk->starts[i]) & BITMAP_LAST_WORD_MASK(unit + 1);

	while (!word && i)
		word = READ_ONCE(chunk->starts[--i]);
	if (!word)
		return 0;
	*start = i * BITS_PER_LONG + __fls(word);
	return READ_ONCE(*(unsigned long *)(chunk->text + *start * UNIT));
}

/*
 * The owner of the slot around an address, 0 if there is none, and how far in the slot that is. The
 * slot may be freed, and another one be written in its place, while this reads its owner. This then
 * looks again. The caller is an RCU reader, unless the slot is known to be executing.
 */
__kprobes unsigned long kprobe_slot_owner_at(unsigned long addr, unsigned int *offset)
{
	unsigned int unit, start, writes;
	struct slot_chunk *chunk;
	unsigned long owner;

	if (!may_be_slot(addr))
		return 0;
	guard(preempt_notrace)();
	chunk = chunk_of(addr);
	/* The first unit of a page and the last ones are in no slot. */
	if (!chunk || offset_in_page(addr) - UNIT >= PAGE_SIZE - (1 + LAST_UNITS) * UNIT)
		return 0;
	unit = unit_of(chunk, addr);
	do {
		writes = READ_ONCE(nr_writes);
		smp_rmb();	/* pairs with write_slots() */
		owner = 0;
		if (READ_ONCE(chunk->used[unit / BITS_PER_LONG]) >> unit % BITS_PER_LONG & 1)
			owner = owner_before(chunk, unit, &start);
		smp_rmb();	/* likewise */
	} while (writes != READ_ONCE(nr_writes));
	if (!owner || addr < (unsigned long)chunk->text + start * UNIT + sizeof(owner))
		return 0;
	*offset = addr - (unsigned long)chunk->text - start * UNIT - sizeof(owner);
	return owner;
}

/*
 * Finds the point that owns the slot around any address, NULL if there is none. Sets @offset to 0
 * if a copy of the probed instruction begins at @addr; else to how far @addr is in an instruction's
 * slot, or to nonzero in a detour. The caller is as that of kprobe_slot_owner_at().
 */
__kprobes struct kprobe_point *kprobe_slot_owner(unsigned long addr, unsigned int *offset)
{
	unsigned long owner;

	guard(preempt_notrace)();
	owner = kprobe_slot_owner_at(addr, offset);
	if (kprobe_owner_detour(owner))
		*offset = !kprobe_detour_has_insn_at(kprobe_owner_detour(owner), addr);
	return kprobe_owner_point(owner);
}

static __always_inline unsigned long running_owner(unsigned long addr)
{
	struct slot_chunk *chunk = *(struct slot_chunk **)(addr & PAGE_MASK);
	unsigned int start;

	return owner_before(chunk, unit_of(chunk, addr), &start);
}

/* Finds the point of a slot that is in use, by its page's header: takes no look-up. */
__kprobes struct kprobe_point *kprobe_slot_running(unsigned long addr)
{
	return kprobe_owner_point(running_owner(addr));
}

/* Finds the detour of a slot that is in use, NULL if the slot is for an instruction. */
__kprobes struct kprobe_detour *kprobe_slot_detour(unsigned long addr)
{
	return kprobe_owner_detour(running_owner(addr));
}

/**
 * is_kprobe_insn_slot() - is this address in a page of slots?
 * @addr: any address
 *
 * Context: Any.
 * Return: True when @addr is in a page of slots, and RCU is watching.
 */
__kprobes bool is_kprobe_insn_slot(unsigned long addr)
{
	if (!may_be_slot(addr))
		return false;
	guard(preempt_notrace)();
	return chunk_of(addr);
}

/**
 * kprobe_get_kallsym() - list the pages of slots for /proc/kallsyms
 * @symnum: which one, from 0
 * @value:  set to its address
 * @type:   set to the type of symbol
 * @sym:    set to its name, %KSYM_NAME_LEN bytes
 *
 * Context: Any in which RCU can be read.
 * Return: 0, or -ERANGE after the last.
 */
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym)
{
	struct slot_chunk *chunk;

	guard(rcu)();
	list_for_each_entry_rcu(chunk, &all_chunks, all) {
		if (symnum >= chunk->pages) {
			symnum -= chunk->pages;
			continue;
		}
		*value = (unsigned long)chunk->text + symnum * PAGE_SIZE;
		*type = 't';
		strscpy(sym, SLOT_PAGE_NAME, KSYM_NAME_LEN);
		return 0;
	}
	return -ERANGE;
}
