// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots: small pieces of executable memory for displaced instructions, and
 * larger ones for detours.
 *
 * execmem allocates slots in chunks of whole pages. A chunk is filled while it is writable
 * and not executable, and then becomes read-only and executable. Later writes go through the
 * architecture's text patching. Allocating a chunk takes longer than filling its slots, so
 * chunks get larger the more slots there are.
 *
 * The slots of a chunk have the same size, and for each size there is a list of the chunks
 * with a free slot. Unwinders, also in NMIs, find the chunk of an address in a latched
 * tree, without a lock. Code that runs in a slot does not need the tree: a page begins
 * with a pointer to its struct slot_page.
 */
#include <linux/execmem.h>
#include <linux/extable.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/rbtree_latch.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "point.h"
#include "slot.h"
#include "slot_write.h"
#include "table.h"
#include "veneer.h"

/* Size of a page's header, which also separates slots from the memory before the page. */
#define SLOT_PAGE_HEADER	16

/*
 * Bytes after a page's last slot. The handlers of #VC and #VE decode an instruction that has
 * faulted, and may read KPROBE_INSN_MAX bytes from its start. The next page may not exist.
 */
#define SLOT_PAGE_TAIL		(KPROBE_INSN_MAX - KPROBE_INSN_ALIGN)

/* A chunk has at most so many slots, unless a single page has more. */
#define SLOTS_PER_CHUNK		128

/* The name that /proc/kallsyms shows for a page, and perf for a chunk. */
#define SLOT_PAGE_NAME	"kprobe_insn_page"

/**
 * struct slot_page - one page of slots
 * @owner: what each slot belongs to, 0 for a free one: a struct kprobe_point, or a
 *         struct kprobe_detour with %KPROBE_OWNER_IS_DETOUR; changed under kprobe_mutex
 * @size:  the size of its slots in bytes
 */
struct slot_page {
	unsigned long *owner;
	unsigned int size;
};

/**
 * struct slot_chunk - pages of slots that were allocated together
 * @text:  the pages
 * @node:  in the tree of chunks by address
 * @all:   in the list of all chunks, in the same order; changed under kprobe_mutex,
 *         read under RCU
 * @list:  in the list of chunks with room while some slot is free; kprobe_mutex
 * @size:  the size of its slots in bytes
 * @used:  how many slots have an owner; kprobe_mutex
 * @pages: how many pages
 * @rcu:   for freeing after an RCU grace period: lookups may still read the chunk
 * @page:  the pages. The owners of all slots are in one array, in the slots' order
 */
struct slot_chunk {
	void *text;
	struct latch_tree_node node;
	struct list_head all;
	struct hlist_node list;
	u16 size;
	u16 used;
	u16 pages;
	struct rcu_work rcu;
	struct slot_page page[] __counted_by(pages);
};

/**
 * struct room - chunks whose slots have the same size
 * @chunks: those with a free slot
 * @pages:  how many pages all of them have
 */
struct room {
	struct hlist_head chunks;
	unsigned int pages;
};

/* Indexed by the size of the slots in units of KPROBE_SLOT_UNIT; kprobe_mutex. */
static struct room rooms[KPROBE_SLOT_MAX_SIZE / KPROBE_SLOT_UNIT + 1];

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

static unsigned int slots_per_page(unsigned int size)
{
	return (PAGE_SIZE - SLOT_PAGE_HEADER - SLOT_PAGE_TAIL) / size;
}

static struct room *room_of(unsigned int size)
{
	return &rooms[size / KPROBE_SLOT_UNIT];
}

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
	kfree(chunk->page[0].owner);
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

static void publish_chunk(struct slot_chunk *chunk)
{
	unsigned long start = (unsigned long)chunk->text;

	WRITE_ONCE(lowest_slot, min(lowest_slot, start));
	WRITE_ONCE(highest_slot, max(highest_slot, start + chunk_bytes(chunk) - 1));
	latch_tree_insert(&chunk->node, &chunk_tree, &by_address);
	list_add_rcu(&chunk->all, entry_before(chunk));
	hlist_add_head(&chunk->list, &room_of(chunk->size)->chunks);
	room_of(chunk->size)->pages += chunk->pages;
	announce(chunk, false);
}

/* The chunk gets as many pages as there are of its size already, within limits. */
static struct slot_chunk *alloc_chunk(unsigned int size)
{
	unsigned int nr = slots_per_page(size), max = SLOTS_PER_CHUNK / nr ?: 1, i;
	unsigned int pages = clamp(room_of(size)->pages, 1, max);
	struct slot_chunk *chunk = kzalloc(struct_size(chunk, page, pages), GFP_KERNEL);
	unsigned long *owner = kcalloc(nr * pages, sizeof(*owner), GFP_KERNEL);

	if (!chunk || !owner) {
		kfree(chunk);
		kfree(owner);
		return NULL;
	}
	chunk->pages = pages;
	chunk->size = size;
	INIT_RCU_WORK(&chunk->rcu, free_chunk_work);
	for (i = 0; i < pages; i++)
		chunk->page[i] = (struct slot_page){ .owner = owner + i * nr, .size = size };
	return chunk;
}

static int alloc_text(struct slot_chunk *chunk)
{
	size_t bytes = chunk_bytes(chunk);

	chunk->text = execmem_alloc(EXECMEM_KPROBES, bytes);
	if (!chunk->text)
		return -ENOMEM;
	set_vm_flush_reset_perms(chunk->text);
	/* KMSAN does not see the pages being filled. Text patching reads them back. */
	kmsan_unpoison_memory(chunk->text, bytes);
	return arch_kprobe_fill_slots(chunk->text, bytes, chunk->page, sizeof(chunk->page[0]));
}

static struct slot_chunk *make_chunk(unsigned int size)
{
	struct slot_chunk *chunk = alloc_chunk(size);

	if (!chunk)
		return NULL;
	if (alloc_text(chunk)) {
		free_chunk(chunk);
		return NULL;
	}
	publish_chunk(chunk);
	return chunk;
}

static struct slot_chunk *chunk_with_room(unsigned int size)
{
	unsigned int most = min(size + KPROBE_SLOT_SLACK, KPROBE_SLOT_MAX_SIZE), fits;
	struct slot_chunk *chunk;

	for (fits = size; fits <= most; fits += KPROBE_SLOT_UNIT) {
		chunk = hlist_entry_safe(room_of(fits)->chunks.first, struct slot_chunk, list);
		if (chunk)
			return chunk;
	}
	return make_chunk(size);
}

static bool is_full(const struct slot_chunk *chunk)
{
	return chunk->used == chunk->pages * slots_per_page(chunk->size);
}

static void *slot_at(const struct slot_chunk *chunk, unsigned int i)
{
	unsigned int nr = slots_per_page(chunk->size);

	return chunk->text + i / nr * PAGE_SIZE + SLOT_PAGE_HEADER + i % nr * chunk->size;
}

/*
 * @owner is the point that the slot is for, or the detour with KPROBE_OWNER_IS_DETOUR. @len is at
 * most KPROBE_SLOT_SIZE for a point, KPROBE_DETOUR_MAX_SIZE for a detour. NULL if there is no
 * memory.
 */
void *kprobe_slot_alloc(unsigned long owner, unsigned int len)
{
	struct slot_chunk *chunk = chunk_with_room(kprobe_slot_size(len));
	unsigned long *owners;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	if (!chunk)
		return NULL;
	owners = chunk->page[0].owner;
	/* In most cases this one is free: the slots in front are in use. */
	i = owners[chunk->used] ? 0 : chunk->used;
	while (owners[i])
		i++;
	chunk->used++;
	if (is_full(chunk))
		hlist_del_init(&chunk->list);
	/* Unwinders on other CPUs dereference @owner: pairs with owner_at(). */
	smp_store_release(&owners[i], owner);
	return slot_at(chunk, i);
}
NOKPROBE_SYMBOL(kprobe_slot_alloc);

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

static __always_inline struct slot_page *page_in(struct slot_chunk *chunk, unsigned long addr)
{
	return &chunk->page[(addr - (unsigned long)chunk->text) >> PAGE_SHIFT];
}

static void retire_chunk(struct slot_chunk *chunk)
{
	/* Code for the chunk must not be written after it was freed. */
	kprobe_flush_slots();
	hlist_del(&chunk->list);
	room_of(chunk->size)->pages -= chunk->pages;
	list_del_rcu(&chunk->all);
	latch_tree_erase(&chunk->node, &chunk_tree, &by_address);
	announce(chunk, true);
	queue_rcu_work(system_unbound_wq, &chunk->rcu);
}

/* The index of a slot in its page. */
static unsigned int slot_index(const struct slot_page *page, unsigned long addr)
{
	return (offset_in_page(addr) - SLOT_PAGE_HEADER) / page->size;
}
NOKPROBE_SYMBOL(slot_index);

/* Nobody executes the slot any more. Does nothing for NULL. */
void kprobe_slot_free(void *slot)
{
	struct slot_chunk *chunk;
	struct slot_page *page;
	struct room *room;

	lockdep_assert_held(&kprobe_mutex);
	if (!slot)
		return;
	chunk = chunk_of((unsigned long)slot);
	if (WARN_ON_ONCE(!chunk))
		return;
	page = page_in(chunk, (unsigned long)slot);
	room = room_of(chunk->size);
	/* Before retire_chunk(): perf needs the chunk's ksymbol to place the bytes. */
	perf_event_text_poke(slot, slot, chunk->size, NULL, 0);
	if (is_full(chunk))
		hlist_add_head(&chunk->list, &room->chunks);
	WRITE_ONCE(page->owner[slot_index(page, (unsigned long)slot)], 0);
	/* Keep one page: a probe that comes and goes again and again allocates none. */
	if (!--chunk->used && (chunk->pages > 1 ||
			       !hlist_is_singular_node(&chunk->list, &room->chunks)))
		retire_chunk(chunk);
}
NOKPROBE_SYMBOL(kprobe_slot_free);

static __always_inline struct kprobe_detour *detour_of(unsigned long owner)
{
	return owner & KPROBE_OWNER_IS_DETOUR ? (void *)(owner - KPROBE_OWNER_IS_DETOUR) : NULL;
}

static __always_inline struct kprobe_point *point_of(unsigned long owner)
{
	if (owner & KPROBE_OWNER_IS_DETOUR)
		return kprobe_detour_point((void *)(owner - KPROBE_OWNER_IS_DETOUR));
	return (void *)owner;
}

/* The owner of the slot around an address, and how far in the slot that is. */
static unsigned long owner_at(unsigned long addr, unsigned int *offset)
{
	struct slot_chunk *chunk = chunk_of(addr);
	struct slot_page *page;
	unsigned int i;

	if (!chunk || offset_in_page(addr) < SLOT_PAGE_HEADER)
		return 0;
	page = page_in(chunk, addr);
	i = slot_index(page, addr);
	if (i >= slots_per_page(page->size))
		return 0;
	*offset = (offset_in_page(addr) - SLOT_PAGE_HEADER) % page->size;
	/* The owner was written before its address: pairs with kprobe_slot_alloc(). */
	return READ_ONCE(page->owner[i]);
}
NOKPROBE_SYMBOL(owner_at);

/*
 * Finds the point that owns the slot around any address, NULL if there is none. Sets @offset to 0
 * if a copy of the probed instruction begins at @addr; else to how far @addr is in an instruction's
 * slot, or to nonzero in a detour. RCU must be watching. The caller is an RCU reader, unless the
 * slot is known to be executing.
 */
struct kprobe_point *kprobe_slot_owner(unsigned long addr, unsigned int *offset)
{
	unsigned long owner;

	if (!may_be_slot(addr))
		return NULL;
	guard(preempt_notrace)();
	owner = owner_at(addr, offset);
	if (detour_of(owner))
		*offset = !kprobe_detour_has_insn_at(detour_of(owner), addr);
	return point_of(owner);
}
NOKPROBE_SYMBOL(kprobe_slot_owner);

static __always_inline unsigned long running_owner(unsigned long addr)
{
	struct slot_page *page = *(struct slot_page **)(addr & PAGE_MASK);

	return page->owner[slot_index(page, addr)];
}

/* Finds the point of a slot that is in use, by its page's header: takes no look-up. */
struct kprobe_point *kprobe_slot_running(unsigned long addr)
{
	return point_of(running_owner(addr));
}
NOKPROBE_SYMBOL(kprobe_slot_running);

/* Finds the detour of a slot that is in use, NULL if the slot is for an instruction. */
struct kprobe_detour *kprobe_slot_detour(unsigned long addr)
{
	return detour_of(running_owner(addr));
}
NOKPROBE_SYMBOL(kprobe_slot_detour);

/**
 * is_kprobe_insn_slot() - is this address in a page of slots?
 * @addr: any address
 *
 * Context: Any.
 * Return: True when @addr is in a page of slots, and RCU is watching.
 */
bool is_kprobe_insn_slot(unsigned long addr)
{
	if (!may_be_slot(addr))
		return false;
	guard(preempt_notrace)();
	return chunk_of(addr);
}
NOKPROBE_SYMBOL(is_kprobe_insn_slot);

/**
 * kprobe_search_exception_tables() - find the exception table entry of displaced code
 * @addr: an address
 *
 * Context: Any.
 * Return: The entry of the probed instruction when @addr is a copy of it, else
 * NULL.
 */
const struct exception_table_entry *
kprobe_search_exception_tables(unsigned long addr)
{
	struct kprobe_point *point;
	unsigned int offset;

	if (!may_be_slot(addr))
		return NULL;
	guard(preempt_notrace)();
	point = kprobe_slot_owner(addr, &offset);
	return point && !offset ? search_exception_tables(point->site) : NULL;
}
NOKPROBE_SYMBOL(kprobe_search_exception_tables);

/**
 * kprobe_displaced_frame() - where displaced code comes from, for unwinding
 * @addr:   an instruction pointer
 * @pushed: set to how many bytes more are on the stack at @addr
 *
 * An unwinder uses what it knows about the returned address: the probed instruction if @addr
 * is the slot's start, else the instruction after that. The slot's own code has pushed @pushed
 * bytes, which come in addition. On architectures with a link register, @pushed is the size of
 * the frame that has the register, or 0: see kprobe_unwind_stub().
 *
 * Context: Any. Where RCU is not watching, nothing is known of slots.
 * Return: The address in the kernel's or a module's text that @addr stands
 * for; @addr itself when that is neither in a slot nor a veneer.
 */
unsigned long kprobe_displaced_frame(unsigned long addr, unsigned int *pushed)
{
	/* At a veneer registers and stack are those at the start of the detour. */
	unsigned long slot = kprobe_veneer_target(addr);
	struct kprobe_point *point;
	unsigned long owner;
	unsigned int offset;

	*pushed = 0;
	if (!may_be_slot(slot))
		return addr;
	guard(preempt_notrace)();
	owner = owner_at(slot, &offset);
	if (!owner)
		return addr;
	if (detour_of(owner))
		return arch_kprobe_detour_ip(detour_of(owner), slot, pushed);
	point = point_of(owner);
	if ((void *)slot - offset == kprobe_point_pass(point))
		return point->site;
	if ((void *)slot - offset == READ_ONCE(point->text.run_post))
		*pushed = kprobe_call_pushed(offset,
					     arch_kprobe_copy_len(point) + KPROBE_STUB_ENTER);
	return point->site + (offset ? point->len : 0);
}
NOKPROBE_SYMBOL(kprobe_displaced_frame);

/**
 * kprobe_displaced_ip() - where displaced code comes from
 * @addr: an instruction pointer
 *
 * Context: As kprobe_displaced_frame().
 * Return: As kprobe_displaced_frame().
 */
unsigned long kprobe_displaced_ip(unsigned long addr)
{
	unsigned int pushed;

	return kprobe_displaced_frame(addr, &pushed);
}
NOKPROBE_SYMBOL(kprobe_displaced_ip);

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
NOKPROBE_SYMBOL(kprobe_get_kallsym);
