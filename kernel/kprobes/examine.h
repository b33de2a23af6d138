/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_EXAMINE_H
#define _KERNEL_KPROBES_EXAMINE_H

/* examine.c: may a probe or a jump stand in the text? */
#include <linux/kprobe_point.h>

struct kprobe_lookup;

enum kprobe_reason kprobe_examine(const struct kprobe_isa *isa, struct kprobe_region *region,
				  struct kprobe_lookup *lookup, unsigned long site,
				  unsigned long from);
enum kprobe_reason kprobe_examine_point(struct kprobe_point *point,
					struct kprobe_lookup *lookup,
					struct kprobe_region *region);
bool kprobe_text_is_reserved(struct kprobe_lookup *lookup, unsigned long start,
			     unsigned long end);
bool kprobe_is_boundary(struct kprobe_lookup *lookup, unsigned long addr);
enum kprobe_reason kprobe_examine_site(struct kprobe_lookup *lookup, unsigned long site);
u32 kprobe_examine_scratch(struct kprobe_lookup *lookup, unsigned long addr);

#endif /* _KERNEL_KPROBES_EXAMINE_H */
