/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_REGISTER_H
#define _KERNEL_KPROBES_REGISTER_H

/* Arrays of probes, and of return probes, for the API. */
#include <linux/kprobe_reason.h>
#include <linux/types.h>

#include "reason.h"

struct kprobe;

/**
 * struct kprobe_array - an array of probes or return probes
 * @entries: the caller's array of pointers
 * @num:     number of entries
 * @probe:   gives the probe of an entry, NULL for NULL
 * @add:     checks a probe, puts it on its point and adds that to a batch; with
 *           kprobe_mutex held. For registering only
 */
struct kprobe_array {
	void *entries;
	int num;
	struct kprobe *(*probe)(void *entries, int i);
	enum kprobe_reason (*add)(struct kprobe *p, struct list_head *batch);
};

extern bool kprobes_ready;

int kprobe_registry_init(void);
bool kprobe_is_known(const struct kprobe *p);
bool kprobe_is_registered(const struct kprobe *p);
enum kprobe_reason kprobe_add(struct kprobe *p, bool returns, struct list_head *batch);
int kprobe_register_array(const struct kprobe_array *array,
			  enum kprobe_request request, unsigned long caller);
void kprobe_unregister_array(const struct kprobe_array *array);

#endif /* _KERNEL_KPROBES_REGISTER_H */
