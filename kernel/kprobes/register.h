/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_REGISTER_H
#define _KERNEL_KPROBES_REGISTER_H

/* register.c: registers and unregisters arrays of probes and of return probes */
#include <linux/init.h>
#include <linux/kprobe_reason.h>
#include <linux/list.h>
#include <linux/types.h>

#include "place.h"
#include "reason.h"

struct kprobe;
struct kprobe_point;

/**
 * struct kprobe_chunk - probes that are registered under one hold of kprobe_mutex
 * @batch:  their points
 * @lookup: cache of the last function that was looked up
 */
struct kprobe_chunk {
	struct list_head batch;
	struct kprobe_lookup lookup;
};

static inline void kprobe_chunk_init(struct kprobe_chunk *chunk)
{
	INIT_LIST_HEAD(&chunk->batch);
	kprobe_lookup_init(&chunk->lookup);
}

/**
 * struct kprobe_array - an array of probes or return probes
 * @entries: the caller's array of pointers
 * @num:     number of entries
 * @offset:  of the struct kprobe in what an entry points to
 * @add:     checks a probe, puts it on its point and adds that to a chunk; called with
 *           kprobe_mutex held. NULL for kprobe_add()
 */
struct kprobe_array {
	void *entries;
	int num;
	size_t offset;
	enum kprobe_reason (*add)(struct kprobe *p, struct kprobe_chunk *chunk);
};

extern bool kprobes_ready;

int __init kprobe_point_init(void);
enum kprobe_reason kprobe_make_point(unsigned long addr, bool on_func_entry,
				     struct kprobe_lookup *lookup, struct kprobe_point **made);
bool kprobe_is_known(const struct kprobe *p);
bool kprobe_is_registered(const struct kprobe *p);
enum kprobe_reason kprobe_attach(struct kprobe *p, struct kprobe_chunk *chunk);
enum kprobe_reason kprobe_add(struct kprobe *p, bool returns, struct kprobe_chunk *chunk);
void kprobe_refuse(enum kprobe_request request, unsigned long caller, struct kprobe *p,
		   enum kprobe_reason reason);
int kprobe_register_array(const struct kprobe_array *array,
			  enum kprobe_request request, unsigned long caller);
void kprobe_unregister_array(const struct kprobe_array *array);

#endif /* _KERNEL_KPROBES_REGISTER_H */
