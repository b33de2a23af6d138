// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots: small pieces of executable memory for displaced instructions, and
 * larger ones for detours.
 *
 * execmem allocates them in pages. A page is filled while it is writable and not
 * executable, and then becomes read-only and executable. Later writes go through the
 * architecture's text patching.
 *
 * Each class of slots has a list of its pages with a free slot, and each page has a
 * bitmap of its slots. Unwinders, also in NMIs, find the page of an address in a
 * latched tree, without a lock. Code that runs in a slot does not need the tree: a
 * page begins with a pointer to its struct slot_page.
 */
#include <linux/bitmap.h>
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

#include "slot.h"
#include "table.h"

/* Size of a page's header, which also separates slots from the memory before the page. */
#define SLOT_PAGE_HEADER	KPROBE_SLOT_SIZE

#define MAX_SLOTS_PER_PAGE	((PAGE_SIZE - SLOT_PAGE_HEADER) / KPROBE_SLOT_SIZE)

/* The name that /proc/kallsyms and perf show for a page. */
#define SLOT_PAGE_NAME	"kprobe_insn_page"

/**
 * struct slot_class - slots of one size; a page has slots of one class
 * @size: the size in bytes
 * @room: pages with a free slot; kprobe_mutex
 */
struct slot_class {
	unsigned int size;
	struct list_head room;
};

#define SLOT_CLASS(i, bytes) \
	[i] = { .size = (bytes), .room = LIST_HEAD_INIT(slot_classes[i].room) }

/* The first is for instructions, the others are for detours, by size. */
static struct slot_class slot_classes[] = {
	SLOT_CLASS(0, KPROBE_SLOT_SIZE),
#ifdef CONFIG_OPTPROBES
	SLOT_CLASS(1, KPROBE_DETOUR_SIZE),
	SLOT_CLASS(2, KPROBE_DETOUR_MAX_SIZE),
#endif
};

/**
 * struct slot_page - one page of slots
 * @text:  the page
 * @class: what kind of slots
 * @node:  in the tree of pages by address
 * @all:   in the list of all pages, in the same order; changed under kprobe_mutex,
 *         read under RCU
 * @list:  in the class's pages with room while some slot is free; kprobe_mutex
 * @used:  which slots are taken; kprobe_mutex
 * @rcu:   for freeing after an RCU grace period: lookups may still read the page
 * @owner: what each slot belongs to, NULL for a free one: a struct kprobe_point
 *         in pages for instructions, else a struct kprobe_detour
 */
struct slot_page {
	void *text;
	struct slot_class *class;
	struct latch_tree_node node;
	struct list_head all;
	struct list_head list;
	DECLARE_BITMAP(used, MAX_SLOTS_PER_PAGE);
	struct rcu_work rcu;
	void *owner[];
};

static __always_inline struct slot_page *slot_page_of(struct latch_tree_node *node)
{
	return container_of(node, struct slot_page, node);
}

static __always_inline bool lies_before(struct latch_tree_node *a,
					struct latch_tree_node *b)
{
	return slot_page_of(a)->text < slot_page_of(b)->text;
}

static __always_inline int compare(void *addr, struct latch_tree_node *node)
{
	void *text = slot_page_of(node)->text;

	if (addr < text)
		return -1;
	return addr >= text + PAGE_SIZE;
}

static const struct latch_tree_ops by_address = {
	.less = lies_before,
	.comp = compare,
};

/*
 * All pages by address; changed under kprobe_mutex, read with preemption
 * disabled where RCU is watching. A lookup is inline, and removing a page
 * allocates no memory.
 */
static struct latch_tree_root page_tree;

/* All pages in the same order, for /proc/kallsyms. */
static LIST_HEAD(all_pages);

/*
 * Bounds of the addresses of all slots, only ever widened, and before a route or the text
 * leads to a slot: smp_store_release() of @route, smp_wmb() in write_sites(). Nearly every
 * address that is looked up lies outside of them, and must not cost a walk of the tree.
 */
static unsigned long lowest_slot = ULONG_MAX;
static unsigned long highest_slot;

static unsigned int slots_per_page(const struct slot_class *class)
{
	return (PAGE_SIZE - SLOT_PAGE_HEADER) / class->size;
}

static bool holds_detours(const struct slot_page *page)
{
	return page->class != &slot_classes[0];
}

static void announce(struct slot_page *page, bool unregister)
{
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL,
			   (unsigned long)page->text, PAGE_SIZE, unregister,
			   SLOT_PAGE_NAME);
}

static void free_slot_page(struct work_struct *work)
{
	struct slot_page *page;

	page = container_of(to_rcu_work(work), struct slot_page, rcu);
	execmem_free(page->text);
	kfree(page);
}

/* The entry of all_pages to add a page after, so that the list has the tree's order. */
static struct list_head *entry_before(struct slot_page *page)
{
	struct rb_node *prev = rb_prev(&page->node.node[0]);

	return prev ? &container_of(prev, struct slot_page, node.node[0])->all : &all_pages;
}

static void publish_page(struct slot_page *page)
{
	unsigned long start = (unsigned long)page->text;

	WRITE_ONCE(lowest_slot, min(lowest_slot, start));
	WRITE_ONCE(highest_slot, max(highest_slot, start + PAGE_SIZE - 1));
	latch_tree_insert(&page->node, &page_tree, &by_address);
	list_add_rcu(&page->all, entry_before(page));
	list_add(&page->list, &page->class->room);
	announce(page, false);
}

static struct slot_page *make_slot_page(struct slot_class *class)
{
	struct slot_page *page;

	page = kzalloc(struct_size(page, owner, slots_per_page(class)), GFP_KERNEL);
	if (!page)
		return NULL;
	page->class = class;
	INIT_RCU_WORK(&page->rcu, free_slot_page);
	page->text = execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);
	if (!page->text)
		goto free_page;
	set_vm_flush_reset_perms(page->text);
	if (arch_kprobe_fill_slots(page->text, PAGE_SIZE, page))
		goto free_text;
	/* KMSAN did not see the page being filled. Text patching reads it back. */
	kmsan_unpoison_memory(page->text, PAGE_SIZE);
	publish_page(page);
	return page;

free_text:
	execmem_free(page->text);
free_page:
	kfree(page);
	return NULL;
}

static struct slot_page *page_with_room(struct slot_class *class)
{
	struct slot_page *page;

	page = list_first_entry_or_null(&class->room, struct slot_page, list);
	return page ?: make_slot_page(class);
}

static bool is_full(const struct slot_page *page)
{
	return bitmap_full(page->used, slots_per_page(page->class));
}

static void *alloc_slot(struct slot_class *class, void *owner)
{
	struct slot_page *page = page_with_room(class);
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	if (!page)
		return NULL;
	i = find_first_zero_bit(page->used, slots_per_page(class));
	__set_bit(i, page->used);
	if (is_full(page))
		list_del_init(&page->list);
	/* Unwinders on other CPUs dereference it: pairs with owner_at(). */
	smp_store_release(&page->owner[i], owner);
	return page->text + SLOT_PAGE_HEADER + i * class->size;
}

/**
 * kprobe_slot_alloc() - get a slot for an instruction
 * @owner: the point that it is for
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: %KPROBE_SLOT_SIZE bytes of executable memory, NULL when there are
 * none.
 */
void *kprobe_slot_alloc(struct kprobe_point *owner)
{
	return alloc_slot(&slot_classes[0], owner);
}
NOKPROBE_SYMBOL(kprobe_slot_alloc);

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_detour_slot_alloc() - get a slot for a detour
 * @owner: the detour that it is for
 * @size:  how many bytes are needed, at most %KPROBE_DETOUR_MAX_SIZE
 *
 * Context: Process context, kprobe_mutex held, may sleep.
 * Return: Executable memory, NULL when there is none.
 */
void *kprobe_detour_slot_alloc(struct kprobe_detour *owner, size_t size)
{
	return alloc_slot(&slot_classes[size > KPROBE_DETOUR_SIZE ? 2 : 1], owner);
}
NOKPROBE_SYMBOL(kprobe_detour_slot_alloc);
#endif

/**
 * kprobe_slot_write() - put code into a slot
 * @slot: the slot; nobody executes it yet
 * @code: the bytes
 * @len:  how many, at most %KPROBE_SLOT_SIZE
 *
 * Context: Process context, may sleep.
 */
void kprobe_slot_write(void *slot, const void *code, size_t len)
{
	/* KMSAN did not see the code being made. */
	kmsan_unpoison_memory(code, len);
	arch_kprobe_write_slot(slot, code, len);
	perf_event_text_poke(slot, NULL, 0, code, len);
}
NOKPROBE_SYMBOL(kprobe_slot_write);

/*
 * Unwinders ask about every address, also where RCU is not watching. RCU is watching
 * wherever a slot is executed, so that without RCU no address is in a slot, and no page
 * is looked at.
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
static __always_inline struct slot_page *page_of(unsigned long addr)
{
	struct latch_tree_node *node;

	node = latch_tree_find((void *)addr, &page_tree, &by_address);
	return node ? slot_page_of(node) : NULL;
}

static void retire_page(struct slot_page *page)
{
	list_del(&page->list);
	list_del_rcu(&page->all);
	latch_tree_erase(&page->node, &page_tree, &by_address);
	announce(page, true);
	queue_rcu_work(system_unbound_wq, &page->rcu);
}

static unsigned int slot_index(const struct slot_page *page, unsigned long addr)
{
	return (offset_in_page(addr) - SLOT_PAGE_HEADER) / page->class->size;
}
NOKPROBE_SYMBOL(slot_index);

/**
 * kprobe_slot_free() - give a slot back
 * @slot: a slot that nobody executes any more, or NULL
 *
 * Context: Process context, kprobe_mutex held.
 */
void kprobe_slot_free(void *slot)
{
	struct slot_page *page;
	unsigned int i;

	lockdep_assert_held(&kprobe_mutex);
	if (!slot)
		return;
	page = page_of((unsigned long)slot);
	if (WARN_ON_ONCE(!page))
		return;
	i = slot_index(page, (unsigned long)slot);
	/* Before retire_page(): perf needs the page's ksymbol to place the bytes. */
	perf_event_text_poke(slot, slot, page->class->size, NULL, 0);
	if (is_full(page))
		list_add(&page->list, &page->class->room);
	WRITE_ONCE(page->owner[i], NULL);
	__clear_bit(i, page->used);
	/* Keep one page: a probe that comes and goes again and again allocates none. */
	if (bitmap_empty(page->used, slots_per_page(page->class)) &&
	    !list_is_singular(&page->class->room))
		retire_page(page);
}
NOKPROBE_SYMBOL(kprobe_slot_free);

/* The owner of the slot around an address, and the slot's page. */
static void *owner_at(unsigned long addr, struct slot_page **page)
{
	unsigned int i;

	*page = page_of(addr);
	if (!*page || offset_in_page(addr) < SLOT_PAGE_HEADER)
		return NULL;
	i = slot_index(*page, addr);
	if (i >= slots_per_page((*page)->class))
		return NULL;
	/* What it points to was written before: pairs with alloc_slot(), by dependency. */
	return READ_ONCE((*page)->owner[i]);
}
NOKPROBE_SYMBOL(owner_at);

/**
 * kprobe_slot_owner() - find the point of a slot or detour
 * @addr:   any address
 * @offset: set to 0 if a copy of the probed instruction begins at @addr, to
 *          nonzero if @addr is elsewhere in the slot
 *
 * Context: Any in which RCU is watching; an RCU reader, unless the slot is known
 * to be executing.
 * Return: The point that owns the slot around @addr. NULL when there is none.
 */
struct kprobe_point *kprobe_slot_owner(unsigned long addr, unsigned int *offset)
{
	struct slot_page *page;
	void *owner;

	if (!may_be_slot(addr))
		return NULL;
	guard(preempt_notrace)();
	owner = owner_at(addr, &page);
	if (!owner)
		return NULL;
	if (!holds_detours(page)) {
		*offset = (offset_in_page(addr) - SLOT_PAGE_HEADER) % KPROBE_SLOT_SIZE;
		return owner;
	}
	*offset = !kprobe_detour_has_insn_at(owner, addr);
	return kprobe_detour_point(owner);
}
NOKPROBE_SYMBOL(kprobe_slot_owner);

/**
 * kprobe_slot_running() - find the point of a slot or detour that is in use
 * @addr: an address in a slot that is in use
 *
 * Context: Any.
 * Return: The point that owns the slot.
 */
struct kprobe_point *kprobe_slot_running(unsigned long addr)
{
	struct slot_page *page = *(struct slot_page **)(addr & PAGE_MASK);
	void *owner = page->owner[slot_index(page, addr)];

	return holds_detours(page) ? kprobe_detour_point(owner) : owner;
}
NOKPROBE_SYMBOL(kprobe_slot_running);

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_detour_running() - find a detour that is in use
 * @addr: an address in it
 *
 * Context: Any.
 * Return: The detour.
 */
struct kprobe_detour *kprobe_detour_running(unsigned long addr)
{
	struct slot_page *page = *(struct slot_page **)(addr & PAGE_MASK);

	return page->owner[slot_index(page, addr)];
}
NOKPROBE_SYMBOL(kprobe_detour_running);
#endif

/**
 * is_kprobe_insn_slot() - is this code a displaced instruction?
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
	return page_of(addr);
}
NOKPROBE_SYMBOL(is_kprobe_insn_slot);

/**
 * kprobe_search_exception_tables() - exception table entry of displaced code
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
 * An unwinder uses what it knows about the returned address: the probed
 * instruction if @addr is the slot's start, else the instruction after that. The
 * slot's own code has pushed @pushed bytes, which come in addition.
 *
 * Context: Any. Where RCU is not watching, nothing is known of slots.
 * Return: The address in the kernel's or a module's text that @addr stands
 * for; @addr itself when that is not in a slot.
 */
unsigned long kprobe_displaced_frame(unsigned long addr, unsigned int *pushed)
{
	struct kprobe_point *point;
	struct slot_page *page;
	void *owner;

	*pushed = 0;
	if (!may_be_slot(addr))
		return addr;
	guard(preempt_notrace)();
	owner = owner_at(addr, &page);
	if (!owner)
		return addr;
	if (holds_detours(page))
		return arch_kprobe_detour_ip(owner, addr, pushed);
	point = owner;
	if (!((offset_in_page(addr) - SLOT_PAGE_HEADER) % KPROBE_SLOT_SIZE))
		return point->site;
	return point->site + point->len;
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
	struct slot_page *page;

	guard(rcu)();
	list_for_each_entry_rcu(page, &all_pages, all) {
		if (symnum--)
			continue;
		*value = (unsigned long)page->text;
		*type = 't';
		strscpy(sym, SLOT_PAGE_NAME, KSYM_NAME_LEN);
		return 0;
	}
	return -ERANGE;
}
NOKPROBE_SYMBOL(kprobe_get_kallsym);
