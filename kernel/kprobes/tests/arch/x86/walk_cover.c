// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a walk must have looked at: all code that a point's hits execute out of place.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <asm/insn.h>

#include "walk.h"

/* More than any walk leads through. */
#define COVERS_MAX	8

/* Adds code that is to be looked at. */
struct kprobes_cover *kprobes_walk_cover(struct kunit *test, struct kprobes_walk *w,
					 const char *name, const void *start, unsigned int size)
{
	struct kprobes_cover *c;

	if (!w->covers)
		w->covers = kunit_kcalloc(test, COVERS_MAX, sizeof(*c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->covers);
	KUNIT_ASSERT_LT(test, w->nr_covers, COVERS_MAX);
	KUNIT_ASSERT_LE(test, size, KPROBES_COVER_MAX);
	c = &w->covers[w->nr_covers];
	kprobes_cover_init(c, name, (unsigned long)start, size);
	w->nr_covers++;
	return c;
}

/* Code that begins at @addr is executed. At that first byte the registers are the site's. */
static void start_at(struct kunit *test, struct kprobes_walk *w, struct kprobes_cover *c,
		     const void *addr)
{
	unsigned int i = w->nr_starts++;

	KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(w->starts));
	w->starts[i] = (unsigned long)addr;
	KUNIT_ASSERT_EQ(test, 0, kprobes_cover_reach(c, w->starts[i]));
}

/* Where a copy of one instruction ends: after the jump back. */
static const void *end_of_copy(struct kunit *test, const void *copy)
{
	struct insn insn;

	do {
		KUNIT_ASSERT_EQ(test, 0, insn_decode_kernel(&insn, copy));
		copy += insn.length;
	} while (insn.opcode.bytes[0] != JMP32_INSN_OPCODE);
	return copy;
}

static void cover_slot(struct kunit *test, struct kprobes_walk *w, const char *name,
		       const void *slot)
{
	unsigned int size;

	if (!slot)
		return;
	size = end_of_copy(test, slot) - slot;
	start_at(test, w, kprobes_walk_cover(test, w, name, slot, size), slot);
}

static unsigned int detour_size(struct kunit *test, const struct kprobe_detour *detour)
{
	const void *end = detour->slot + detour->copies;

	if (detour->route.run >= end)
		end = end_of_copy(test, detour->route.run);
	if (detour->route.run_post)
		end = max(end, end_of_copy(test, detour->route.run_post));
	return end - detour->slot;
}

static void cover_detour(struct kunit *test, struct kprobes_walk *w,
			 const struct kprobe_detour *detour)
{
	struct kprobes_cover *c = kprobes_walk_cover(test, w, "detour", detour->slot,
						     detour_size(test, detour));

	start_at(test, w, c, detour->slot);
	start_at(test, w, c, detour->route.run);
	if (detour->route.run_post)
		start_at(test, w, c, detour->route.run_post);
	if (!detour->veneer)
		return;
	c = kprobes_walk_cover(test, w, "veneer", detour->slot + detour->veneer,
			       KPROBE_JUMP_SIZE);
	start_at(test, w, c, (void *)c->start);
}

/* The slots or the detour that the point's hits are executed in. */
void kprobes_walk_cover_point(struct kunit *test, struct kprobes_walk *w,
			      const struct kprobe_point *point)
{
	w->nr_covers = 0;
	w->nr_starts = 0;
	w->site = point->site;
	w->after = point->site + point->len;
	if (kprobes_walk_is_detoured(point)) {
		cover_detour(test, w, point->detour);
		return;
	}
	cover_slot(test, w, "slot", point->text.run);
	cover_slot(test, w, "slot for post-handlers", point->text.run_post);
}

void kprobes_walk_cover_trampoline(struct kunit *test, struct kprobes_walk *w,
				   const char *name, const void *trampoline)
{
	unsigned long size, offset;
	struct kprobes_cover *c;

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset((unsigned long)trampoline, &size,
							    &offset));
	KUNIT_ASSERT_EQ(test, offset, 0);
	c = kprobes_walk_cover(test, w, name, trampoline, size);
	KUNIT_ASSERT_EQ(test, 0, kprobes_cover_reach(c, c->start));
}

void kprobes_walk_expect_covered(struct kunit *test, const struct kprobes_walk *w,
				 const char *what)
{
	unsigned int i;

	for (i = 0; i < w->nr_covers; i++)
		kprobes_cover_expect(test, &w->covers[i], what);
}
