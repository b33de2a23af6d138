// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What unregistering does for the return probes among the probes: register.c calls
 * this for every probe.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "kretprobe_pool.h"
#include "kretprobe_remove.h"

/**
 * kretprobe_detach() - a probe is being unregistered, in whatever way
 * @p: the probe, of a return probe or not
 *
 * Context: kprobe_mutex held.
 */
void kretprobe_detach(struct kprobe *p)
{
	if (kprobe_is_return_probe(p))
		kretprobe_pool_detach(container_of(p, struct kretprobe, kp)->pool);
}
NOKPROBE_SYMBOL(kretprobe_detach);

/**
 * kretprobe_hazard() - what hits of a return publish
 * @p: a probe, of a return probe or not
 *
 * Context: The probe is being unregistered by the caller.
 * Return: The return probe's pool, NULL for other probes.
 */
const void *kretprobe_hazard(const struct kprobe *p)
{
	return kprobe_is_return_probe(p) ? container_of(p, struct kretprobe, kp)->pool : NULL;
}
NOKPROBE_SYMBOL(kretprobe_hazard);

/**
 * kretprobe_destroy() - no hit looks at the probe any more
 * @p: the probe, of a return probe or not
 *
 * Context: Process context.
 */
void kretprobe_destroy(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	if (!kprobe_is_return_probe(p))
		return;
	kretprobe_pool_destroy(rp->pool);
	rp->pool = NULL;
}
NOKPROBE_SYMBOL(kretprobe_destroy);
