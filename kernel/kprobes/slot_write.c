// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes code into slots. Writing text takes much longer than copying the bytes, so code for
 * slots that follow each other is collected. It is written before anything leads there: before
 * a route is set or text is patched.
 */
#include <linux/kmsan-checks.h>
#include <linux/kprobe_arch.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "slot_write.h"

/* The collected code, and where in one page of slots it belongs; kprobe_mutex. */
static u8 collected[PAGE_SIZE];
static void *collected_for;
static size_t collected_len;

/* Does the slot follow the collected code, but for the padding of the slot before it? */
static bool comes_next(const void *slot, size_t len)
{
	size_t at = slot - collected_for;

	return collected_len && at >= collected_len &&
	       at < collected_len + KPROBE_SLOT_UNIT + KPROBE_SLOT_SLACK &&
	       offset_in_page(collected_for) + at + len <= PAGE_SIZE;
}

/* Nobody executes the slot yet. The code is certainly there only after kprobe_flush_slots(). */
void kprobe_slot_write(void *slot, const void *code, size_t len)
{
	lockdep_assert_held(&kprobe_mutex);
	if (!comes_next(slot, len)) {
		kprobe_flush_slots();
		collected_for = slot;
	}
	/* The padding stays as it is. */
	while (collected_for + collected_len < slot) {
		collected[collected_len] = *(u8 *)(collected_for + collected_len);
		collected_len++;
	}
	/* KMSAN did not see the code being made. */
	kmsan_unpoison_memory(code, len);
	memcpy(collected + collected_len, code, len);
	collected_len += len;
	perf_event_text_poke(slot, NULL, 0, code, len);
}
NOKPROBE_SYMBOL(kprobe_slot_write);

/* Writes what was collected into the slots. Takes text_mutex. */
void kprobe_flush_slots(void)
{
	lockdep_assert_held(&kprobe_mutex);
	if (collected_len)
		arch_kprobe_write_slot(collected_for, collected, collected_len);
	collected_len = 0;
}
NOKPROBE_SYMBOL(kprobe_flush_slots);
