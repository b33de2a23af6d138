// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The books of slots. For each call of a target in which a slot's probe was stable, on or off,
 * the handlers that ran are compared with the hits. Hits without handlers must be what the kernel
 * counts as misses, by cause:
 *
 * - A hit from a handler is missed as nested, and no other hit is.
 * - All other hits without handlers have other causes, or are calls whose return was not probed.
 *
 * Both equations have a slack: the hits while the probe changed.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "internal.h"

static void break_rule(struct storm_slot *slot, enum storm_rule rule)
{
	set_bit(rule, &slot->broken);
}
NOKPROBE_SYMBOL(break_rule);

/* What a probe's own handlers have in common, also while it changes. */
static void check_handlers(struct storm_slot *slot, const struct storm_tally *tally, bool stable)
{
	unsigned int pre = tally->seen[STORM_PRE][slot->kind];
	unsigned int post = tally->seen[STORM_POST][slot->kind];
	unsigned int entered = tally->seen[STORM_ENTERED][slot->kind];

	if (storm_is_return(slot)) {
		if (pre > entered || (stable && pre < entered))
			break_rule(slot, STORM_RETURN_MISMATCH);
		pre = entered;
	} else if (storm_has_post(slot) && (post > pre || (stable && post < pre))) {
		break_rule(slot, STORM_POST_MISMATCH);
	}
	if (pre > tally->target->hits)
		break_rule(slot, STORM_TWICE);
}
NOKPROBE_SYMBOL(check_handlers);

static bool has_seen_any(const struct storm_tally *tally, unsigned int kind)
{
	return tally->seen[STORM_PRE][kind] || tally->seen[STORM_POST][kind] ||
	       tally->seen[STORM_ENTERED][kind];
}
NOKPROBE_SYMBOL(has_seen_any);

static void book_nested(struct storm_slot *slot, const struct storm_tally *tally, bool stable)
{
	storm_count(slot, stable ? STORM_NESTED : STORM_MAY_NESTED, tally->target->hits);
	if (has_seen_any(tally, slot->kind))
		break_rule(slot, STORM_NOT_NESTED);
}
NOKPROBE_SYMBOL(book_nested);

/**
 * storm_book_call() - note what became of a call of a target
 * @slot:  a slot of the target
 * @tally: what handlers have seen of the call
 * @state: the state of the slot's probe during the call: CHANGING if it was not one throughout
 *
 * Context: Any.
 */
void storm_book_call(struct storm_slot *slot, const struct storm_tally *tally, unsigned int state)
{
	unsigned int hits = tally->target->hits, absent = hits - tally->seen[STORM_PRE][slot->kind];

	if (state == STORM_OFF) {
		storm_count(slot, STORM_NEVER, hits);
		if (has_seen_any(tally, slot->kind))
			break_rule(slot, STORM_AWAKE);
		return;
	}
	if (tally->nested) {
		book_nested(slot, tally, state == STORM_ON);
		return;
	}
	check_handlers(slot, tally, state == STORM_ON);
	storm_count(slot, state == STORM_ON ? STORM_MUST : STORM_MAY, hits);
	storm_count(slot, state == STORM_ON ? STORM_MUST_ABSENT : STORM_MAY_ABSENT, absent);
}
NOKPROBE_SYMBOL(storm_book_call);

/**
 * storm_book_probe() - note what the kernel has counted for a slot's probe
 * @slot: the slot, which is locked. Its probe was unregistered.
 *
 * Context: Process context.
 */
void storm_book_probe(struct storm_slot *slot)
{
	const struct kretprobe *rp = &slot->probe->rp;
	unsigned long others = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rp->kp.misses); i++)
		others += atomic_long_read(&rp->kp.misses[i]);
	slot->missed += rp->kp.nmissed;
	slot->inner += rp->kp.nmissed - others;
	slot->lost += storm_is_return(slot) ? rp->nmissed : 0;
}

static u32 check_calls(const struct storm_book *book)
{
	const u64 *sums = book->sums, others = book->missed - book->inner + book->lost;
	u32 wrong = 0;

	if (sums[STORM_MUST_ABSENT] > others)
		wrong |= BIT(STORM_LOST);
	if (others > sums[STORM_MUST_ABSENT] + sums[STORM_MAY_ABSENT])
		wrong |= BIT(STORM_EXCESS);
	if (sums[STORM_NESTED] > book->inner)
		wrong |= BIT(STORM_NOT_NESTED);
	if (book->inner > sums[STORM_NESTED] + sums[STORM_MAY_NESTED])
		wrong |= BIT(STORM_NESTED_EXCESS);
	return wrong;
}

/*
 * Of functions whose calls others make. With preemption, some calls may not have come to the probe
 * at the end of a term.
 */
static u32 check_witnessed(const struct storm_book *book, const struct storm_slot *slot)
{
	u64 preempted = IS_ENABLED(CONFIG_PREEMPTION) ? book->terms : 0;
	u32 wrong = 0;

	if (book->unanswered > preempted)
		wrong |= BIT(STORM_UNANSWERED);
	if (storm_is_return(slot) && book->sums[STORM_HANDLED] > book->sums[STORM_ENTRIES])
		wrong |= BIT(STORM_RETURN_MISMATCH);
	if (storm_has_post(slot) && book->sums[STORM_POSTS] > book->sums[STORM_HANDLED])
		wrong |= BIT(STORM_POST_MISMATCH);
	if (!storm_is_return(slot) && book->lost)
		wrong |= BIT(STORM_EXCESS);
	return wrong;
}

static const char * const kinds[STORM_KINDS] = {
	"entry", "entry post", "inside", "inside post", "return", "return one",
};

/**
 * storm_get_book() - look at a slot's book
 * @book: its index; filled in
 *
 * Context: Process context. Nothing is registered or called.
 * Return: 0, or -ERANGE after the last one.
 */
int storm_get_book(struct storm_book *book)
{
	const struct storm_slot *slot;
	unsigned int i;

	if (book->index >= storm_nr_slots)
		return -ERANGE;
	slot = &storm_slots[book->index];
	*book = (struct storm_book){
		.index = book->index,
		.missed = slot->missed,
		.inner = slot->inner,
		.lost = slot->lost,
		.probes = slot->probes,
		.terms = slot->terms,
		.witnessed = slot->witnessed,
		.unanswered = slot->unanswered,
	};
	for (i = 0; i < STORM_SUMS_OF_BOOK; i++)
		book->sums[i] = atomic_long_read(&slot->sums[i]);
	snprintf(book->name, sizeof(book->name), "%.25s %s",
		 slot->target ? slot->target->name : slot->symbol, kinds[slot->kind]);
	book->wrong = slot->broken |
		      (slot->target ? check_calls(book) : check_witnessed(book, slot));
	return 0;
}

static void reset_book(struct storm_slot *slot)
{
	unsigned int i;

	for (i = 0; i < STORM_SUMS_OF_BOOK; i++)
		atomic_long_set(&slot->sums[i], 0);
	slot->broken = 0;
	slot->missed = 0;
	slot->inner = 0;
	slot->lost = 0;
	slot->probes = 0;
	slot->terms = 0;
	slot->witnessed = 0;
	slot->unanswered = 0;
}

/**
 * storm_reset_books() - begin anew
 *
 * Context: Process context. Nothing is registered or called.
 */
void storm_reset_books(void)
{
	unsigned int i;

	for (i = 0; i < storm_nr_slots; i++)
		reset_book(&storm_slots[i]);
}
