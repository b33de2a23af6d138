// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Slots: small pieces of executable memory for displaced instructions, and
 * larger ones for detours.
 *
 * Their memory comes in chunks, see chunk.c, and is written through the architecture's text
 * patching. A slot is as long as its code, which is made before the slot is taken. In front of the
 * code is the slot's owner: a struct kprobe_detour, or a struct kprobe_point with
 * KPROBE_OWNER_IS_POINT.
 */
#include <linux/bitmap.h>
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>

#include "chunk.h"
#include "point.h"
#include "slot.h"
#include "table.h"

#define MAX_LEN		MAX(KPROBE_SLOT_SIZE, KPROBE_DETOUR_MAX_SIZE)

/* Chunks that may have room for the kind, those in the kernel's text apart; kprobe_mutex. */
static struct hlist_head with_room[2][SLOT_KINDS];

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

/* The units from @unit on may be free. */
static void note_room(struct slot_chunk *chunk, unsigned int unit)
{
	enum slot_kind kind;

	for (kind = 0; kind < SLOT_KINDS; kind++) {
		chunk->from[kind] = min(chunk->from[kind], unit);
		if (hlist_unhashed(&chunk->room[kind]))
			hlist_add_head(&chunk->room[kind], &with_room[chunk->near][kind]);
	}
}

static unsigned int units_for(unsigned int len)
{
	return DIV_ROUND_UP(sizeof(unsigned long) + len, UNIT);
}

/* Finds free units for @len bytes of code: sets @unit to the first. NULL without memory. */
static struct slot_chunk *find_room(bool near, enum slot_kind kind, unsigned int len,
				    unsigned int *unit)
{
	struct hlist_head *list = &with_room[near][kind];
	unsigned int nr = units_for(len), end;
	struct slot_chunk *chunk;

	for (;;) {
		if (hlist_empty(list)) {
			chunk = kprobe_chunk_make(near);
			if (!chunk)
				return NULL;
			note_room(chunk, 0);
		}
		chunk = hlist_entry(list->first, struct slot_chunk, room[kind]);
		end = chunk->pages * UNITS_PER_PAGE;
		*unit = bitmap_find_next_zero_area(chunk->used, end, chunk->from[kind], nr, 0);
		chunk->from[kind] = *unit;
		if (*unit < end)
			return chunk;
		hlist_del_init(&chunk->room[kind]);
	}
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
	bool near = kprobe_wants_near_slot(kprobe_owner_point(owner)->site);
	struct slot_chunk *chunk = NULL;
	enum kprobe_reason reason;
	struct kprobe_code code;
	u8 *bytes;

	lockdep_assert_held(&kprobe_mutex);
	for (;; len = code.len) {
		if (near)
			chunk = find_room(true, kind, len, &unit);
		if (!near || !chunk)
			chunk = find_room(false, kind, len, &unit);
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
 * Where to look for room after the slot at @unit was freed:
 *
 *	| in use | free units | @unit: freed |
 *	        ^ here
 *
 * The free units in front of it were too few so far, and may be enough with it. If no unit is in
 * use within the length of the longest slot, the free ones were enough for any slot, so that @from
 * is not after them: then from @unit.
 */
static unsigned int look_from(const struct slot_chunk *chunk, unsigned int unit)
{
	unsigned int longs = unit / BITS_PER_LONG, most = BITS_TO_LONGS(units_for(MAX_LEN));
	unsigned int first = longs > most ? longs - most : 0;

	return first * BITS_PER_LONG +
	       find_last_bit(chunk->used + first, unit - first * BITS_PER_LONG);
}

static void retire(struct slot_chunk *chunk)
{
	enum slot_kind kind;

	for (kind = 0; kind < SLOT_KINDS; kind++)
		hlist_del(&chunk->room[kind]);
	kprobe_chunk_retire(chunk);
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
	chunk = kprobe_slot_chunk((unsigned long)slot);
	unit = unit_of(chunk, (unsigned long)slot - sizeof(unsigned long));
	end = round_up(unit + 1, UNITS_PER_PAGE) - LAST_UNITS;
	end = find_next_bit(chunk->starts, end, unit + 1);
	free = find_next_zero_bit(chunk->used, end, unit);
	/* Before retire(): perf needs the chunk's ksymbol to place the bytes. */
	perf_event_text_poke(slot, slot, (free - unit) * UNIT - sizeof(unsigned long), NULL, 0);
	__clear_bit(unit, chunk->starts);
	bitmap_clear(chunk->used, unit, free - unit);
	note_room(chunk, look_from(chunk, unit));
	/* Keep one page: a probe that comes and goes again and again allocates none. */
	if (!--chunk->slots && !chunk->near &&
	    (chunk->pages > 1 || !hlist_is_singular_node(&chunk->room[SLOT_POINT],
							 &with_room[false][SLOT_POINT])))
		retire(chunk);
}

/* The owner of the last slot that begins at or before a unit, 0 if there is none. */
static __always_inline unsigned long owner_before(const struct slot_chunk *chunk,
						  unsigned long unit, unsigned long *start)
{
	unsigned long i = unit / BITS_PER_LONG;
	unsigned long word = READ_ONCE(chunk->starts[i]) & BITMAP_LAST_WORD_MASK(unit + 1);

	while (!word && i)
		word = READ_ONCE(chunk->starts[--i]);
	if (!word)
		return 0;
	*start = i * BITS_PER_LONG + __fls(word);
	return READ_ONCE(*(unsigned long *)(chunk->text + *start * UNIT));
}

/* kprobe_running_owner() of a slot that begins before what a word of bits is for. */
__kprobes unsigned long kprobe_running_owner_slowly(unsigned long addr)
{
	struct slot_chunk *chunk = kprobe_slot_chunk(addr);
	unsigned long start;

	return owner_before(chunk, unit_of(chunk, addr), &start);
}

/*
 * The owner of the slot around an address, 0 if there is none, and how far in the slot that is. The
 * slot may be freed, and another one be written in its place, while this reads its owner. This then
 * looks again. The caller is an RCU reader, unless the slot is known to be executing.
 */
__kprobes unsigned long kprobe_slot_owner_at(unsigned long addr, unsigned int *offset)
{
	unsigned long owner, start;
	struct slot_chunk *chunk;
	unsigned int unit, writes;

	if (!kprobe_may_be_slot(addr))
		return 0;
	guard(preempt_notrace)();
	chunk = kprobe_chunk_of(addr);
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
 * if a copy of the probed instruction begins at @addr, or has begun and not come further than to
 * what can fault; else to how far @addr is in an instruction's slot, or to nonzero in a detour. The
 * caller is as that of kprobe_slot_owner_at().
 */
__kprobes struct kprobe_point *kprobe_slot_owner(unsigned long addr, unsigned int *offset)
{
	struct kprobe_point *point;
	unsigned long owner;

	guard(preempt_notrace)();
	owner = kprobe_slot_owner_at(addr, offset);
	point = kprobe_owner_point(owner);
	if (kprobe_owner_detour(owner))
		*offset = !kprobe_detour_has_insn_at(kprobe_owner_detour(owner), addr);
	else if (point && *offset <= kprobe_point_fault(point))
		*offset = 0;
	return point;
}

/*
 * Finds the point whose copy faults at an address, NULL if there is none. Sets @original to what
 * would fault in the text: the probed instruction, or that in its delay slot. The caller is as
 * that of kprobe_slot_owner_at().
 */
__kprobes struct kprobe_point *kprobe_slot_fault(unsigned long addr, unsigned long *original)
{
	struct kprobe_point *point;
	unsigned int offset;

	guard(preempt_notrace)();
	point = kprobe_slot_owner(addr, &offset);
	if (!point)
		return NULL;
	*original = point->site;
	if (offset && point->has_slot) {
		*original += point->len;
		kprobe_slot_owner(addr - point->len, &offset);
	}
	return offset ? NULL : point;
}

/* Finds the detour of a slot that is in use, NULL if the slot is for an instruction. */
__kprobes struct kprobe_detour *kprobe_slot_detour(unsigned long addr)
{
	return kprobe_owner_detour(kprobe_running_owner(addr));
}
