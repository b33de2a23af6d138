// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chunks: executable memory in whole pages, which slots are made in.
 *
 * execmem allocates the memory. Where that is too far from the kernel for a jump, the kernel's text
 * has some as well. It is read-only from the beginning and full of breakpoints. Allocating a chunk
 * takes longer than writing its slots, so chunks get larger the more pages there are.
 *
 * A page begins with the address of its struct slot_chunk, so code that runs in a slot finds the
 * owner without a look-up. Unwinders, also in NMIs, find the chunk of any address in a latched
 * tree, without a lock.
 */
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/execmem.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/objtool.h>
#include <linux/perf_event.h>
#include <linux/rbtree_latch.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "chunk.h"
#include "point.h"
#include "table.h"

/* A chunk of execmem's has at most so many pages. */
#define CHUNK_MAX_PAGES	8

/* The name that /proc/kallsyms shows for a page, and perf for a chunk. */
#define SLOT_PAGE_NAME	"kprobe_insn_page"

/* Pages of chunks in memory of execmem; kprobe_mutex. */
static unsigned int nr_pages;

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
 * Bounds of the addresses of slots in execmem's memory. They are only ever widened, before a route
 * or the text leads to a new slot; smp_store_release() of @route and smp_wmb() in write_sites()
 * keep that order. Nearly every address that is looked up lies outside, and must not cost a walk of
 * the tree.
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
	if (!chunk->near)
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

static void publish(struct slot_chunk *chunk)
{
	unsigned long start = (unsigned long)chunk->text;

	if (!chunk->near) {
		nr_pages += chunk->pages;
		WRITE_ONCE(lowest_slot, min(lowest_slot, start));
		WRITE_ONCE(highest_slot, max(highest_slot, start + chunk_bytes(chunk) - 1));
	}
	latch_tree_insert(&chunk->node, &chunk_tree, &by_address);
	list_add_rcu(&chunk->all, entry_before(chunk));
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

/*
 * Memory of execmem may be out of a jump's reach: the kernel's text then has some of its own,
 * beside the trampolines. Nothing executes it before it was filled with breakpoints.
 */
#if KPROBE_NEAR_SIZE
asm(".pushsection .kprobes.text, \"ax\"\n"
	".balign 1 << " __stringify(PAGE_SHIFT) "\n"
	"kprobe_near_text:\n"
	ANNOTATE_NOENDBR
	".skip " __stringify(KPROBE_NEAR_SIZE) "\n"
	".popsection");
#else
#define kprobe_near_text	((u8 *)NULL)
#endif

/* Not within those bounds: they would span all that lies between text and execmem. */
static __always_inline bool is_near(unsigned long addr)
{
	return addr - (unsigned long)kprobe_near_text < KPROBE_NEAR_SIZE;
}

/* For tests, where an architecture has no need of it. */
static bool use_near = !__is_defined(KPROBE_NEAR_FOR_TESTS);
static bool near_is_made;

void kprobe_use_near_slots(bool use)
{
	lockdep_assert_held(&kprobe_mutex);
	use_near = use;
}

#if KPROBE_NEAR_SIZE
static bool jump_reaches(unsigned long from, unsigned long to)
{
	u8 jump[KPROBE_JUMP_SIZE];
	struct kprobe_code code = { .buf = jump, .size = sizeof(jump), .base = from };

	arch_kprobe_isa->jump(&code, to, arch_kprobe_isa->scratch & -arch_kprobe_isa->scratch);
	return !code.far;
}

/* Should the slot for a site be in the kernel's text? It should if all of that is in reach. */
bool kprobe_wants_near_slot(unsigned long site)
{
	unsigned long near = (unsigned long)kprobe_near_text;

	/* objtool would take its end for the address of what comes next. */
	OPTIMIZER_HIDE_VAR(near);
	return use_near && jump_reaches(near, site) &&
	       jump_reaches(near + KPROBE_NEAR_SIZE, site) && jump_reaches(site, near) &&
	       jump_reaches(site, near + KPROBE_NEAR_SIZE);
}
#endif

static bool get_memory(struct slot_chunk *chunk)
{
	size_t size = chunk_bytes(chunk);

	if (chunk->near) {
		chunk->text = kprobe_near_text;
	} else {
		chunk->text = execmem_alloc(EXECMEM_KPROBES, size);
		if (!chunk->text)
			return false;
		set_vm_flush_reset_perms(chunk->text);
	}
	/* KMSAN does not see the pages being filled. Text patching reads them back. */
	kmsan_unpoison_memory(chunk->text, size);
	return chunk->near || !set_memory_rox((unsigned long)chunk->text, chunk->pages);
}

/*
 * Makes a chunk, @near in the kernel's text, where there is one. Another one gets an eighth of the
 * pages that there are already, within limits. All of the text's is filled under one hold of
 * kprobe_mutex, once. Returns NULL without memory.
 */
struct slot_chunk *kprobe_chunk_make(bool near)
{
	unsigned int pages = near ? KPROBE_NEAR_SIZE / PAGE_SIZE :
			     clamp(nr_pages / 8, 1, CHUNK_MAX_PAGES), page;
	unsigned int longs = BITS_TO_LONGS(pages * UNITS_PER_PAGE);
	struct slot_chunk *chunk;

	lockdep_assert_held(&kprobe_mutex);
	if (near && near_is_made)
		return NULL;
	chunk = kzalloc(struct_size(chunk, bits, 2 * longs), GFP_KERNEL);
	if (!chunk)
		return NULL;
	chunk->pages = pages;
	chunk->near = near;
	chunk->used = chunk->bits;
	chunk->starts = chunk->bits + longs;
	INIT_RCU_WORK(&chunk->rcu, free_chunk_work);
	if (!get_memory(chunk)) {
		free_chunk(chunk);
		return NULL;
	}
	for (page = 0; page < pages; page++) {
		write_page(chunk, page);
		cond_resched();
	}
	near_is_made |= near;
	publish(chunk);
	return chunk;
}

/* Frees a chunk without slots. */
void kprobe_chunk_retire(struct slot_chunk *chunk)
{
	lockdep_assert_held(&kprobe_mutex);
	nr_pages -= chunk->pages;
	list_del_rcu(&chunk->all);
	latch_tree_erase(&chunk->node, &chunk_tree, &by_address);
	announce(chunk, true);
	queue_rcu_work(system_unbound_wq, &chunk->rcu);
}

/*
 * Unwinders ask about every address, also where RCU is not watching. RCU is watching wherever a
 * slot is executed: if it is not, the address is in no slot, and no page is looked at.
 */
__kprobes bool kprobe_may_be_slot(unsigned long addr)
{
	if (likely(addr < READ_ONCE(lowest_slot) || addr > READ_ONCE(highest_slot)) &&
	    !is_near(addr))
		return false;
	/* A task that migrated in between could read the state of an idle CPU. */
	guard(preempt_notrace)();
	return kprobe_rcu_is_watching();
}

/* With preemption disabled, or kprobe_mutex held. */
__kprobes struct slot_chunk *kprobe_chunk_of(unsigned long addr)
{
	struct latch_tree_node *node;

	node = latch_tree_find((void *)addr, &chunk_tree, &by_address);
	return node ? slot_chunk_of(node) : NULL;
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
	if (!kprobe_may_be_slot(addr))
		return false;
	guard(preempt_notrace)();
	return kprobe_chunk_of(addr);
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
