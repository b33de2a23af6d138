// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of unregistering that is for return probes only. register.c calls this for
 * every probe.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "kretprobe_pool.h"
#include "kretprobe_remove.h"

/**
 * kretprobe_detach() - detach the pool of a return probe that is being unregistered
 * @p: the probe; nothing is done unless it is that of a return probe
 *
 * Context: kprobe_mutex held.
 */
void kretprobe_detach(struct kprobe *p)
{
	if (kprobe_is_return_probe(p))
		kretprobe_pool_detach(container_of(p, struct kretprobe, kp)->pool);
}

/**
 * kretprobe_hazard() - get the hazard pointer that returns publish
 * @p: a probe, of a return probe or not
 *
 * Context: The probe is being unregistered by the caller.
 * Return: The return probe's pool, NULL for other probes.
 */
const void *kretprobe_hazard(const struct kprobe *p)
{
	return kprobe_is_return_probe(p) ? container_of(p, struct kretprobe, kp)->pool : NULL;
}

/**
 * kretprobe_forget_pool() - take what registering has set out of a return probe
 * @rp: a return probe that is not registered, and that no hit uses
 *
 * Its probe may be registered as a plain one next, whose pre-handler must not be that of
 * return probes, without a pool.
 *
 * Context: Process context.
 */
void kretprobe_forget_pool(struct kretprobe *rp)
{
	rp->pool = NULL;
	rp->spare = NULL;
	rp->kp.pre_handler = NULL;
}

/**
 * kretprobe_destroy() - destroy the pool of a return probe
 * @p: the probe, which no hit uses any more; nothing is done unless it is that of a
 *     return probe
 *
 * Context: Process context.
 */
void kretprobe_destroy(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	if (!kprobe_is_return_probe(p))
		return;
	kretprobe_pool_destroy(rp->pool);
	kretprobe_forget_pool(rp);
}
