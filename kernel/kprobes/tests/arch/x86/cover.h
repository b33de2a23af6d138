/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_X86_COVER_H
#define _KERNEL_KPROBES_TESTS_X86_COVER_H

/* cover.c: which instructions of a piece of code a test has looked at */
#include <linux/kprobe_arch.h>
#include <linux/types.h>

struct kunit;

/* The longest piece of code. */
#define KPROBES_COVER_MAX	KPROBE_DETOUR_MAX_SIZE

/**
 * enum kprobes_how - what has looked
 * @KPROBES_IN_STEP: the debug trap of a single step
 * @KPROBES_IN_IRQ:  an interrupt
 * @KPROBES_IN_NMI:  an NMI
 * @KPROBES_HOWS:    how many there are
 */
enum kprobes_how {
	KPROBES_IN_STEP,
	KPROBES_IN_IRQ,
	KPROBES_IN_NMI,
	KPROBES_HOWS,
};

/**
 * struct kprobes_cover - a piece of code
 * @name:    what it is
 * @start:   its first byte
 * @size:    its size
 * @reached: offsets of the instructions that control flow leads to
 * @seen:    offsets of those that were looked at
 */
struct kprobes_cover {
	const char *name;
	unsigned long start;
	unsigned int size;
	DECLARE_BITMAP(reached, KPROBES_COVER_MAX);
	DECLARE_BITMAP(seen[KPROBES_HOWS], KPROBES_COVER_MAX);
};

void kprobes_cover_init(struct kprobes_cover *c, const char *name, unsigned long start,
			unsigned int size);
int kprobes_cover_reach(struct kprobes_cover *c, unsigned long addr);
void kprobes_cover_see(struct kprobes_cover *c, unsigned long addr, enum kprobes_how how);
void kprobes_cover_expect(struct kunit *test, const struct kprobes_cover *c, const char *what);

/* Is the address in it? */
static inline bool kprobes_cover_has(const struct kprobes_cover *c, unsigned long addr)
{
	return addr - c->start < c->size;
}

#endif /* _KERNEL_KPROBES_TESTS_X86_COVER_H */
