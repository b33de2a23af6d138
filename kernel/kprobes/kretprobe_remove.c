// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of unregistering that is for return probes only. register.c calls this for every
 * probe. A pool is destroyed only after kprobe_synchronize() has waited for the hits that use it.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>

#include "kretprobe_pool.h"
#include "kretprobe_remove.h"

/* Detaches the pool of a return probe that is being unregistered. No-op for other probes. */
void kretprobe_detach(struct kprobe *p)
{
	if (kprobe_is_return_probe(p))
		kretprobe_pool_detach(container_of(p, struct kretprobe, kp)->pool);
}

/* The pool of a return probe, which its returns publish as hazard pointer. NULL for others. */
const void *kretprobe_hazard(const struct kprobe *p)
{
	return kprobe_is_return_probe(p) ? container_of(p, struct kretprobe, kp)->pool : NULL;
}

/*
 * Clears what registering has set in a return probe that no hit uses. Its probe may be registered
 * as a plain one next, and the pre-handler of return probes must not run without a pool.
 */
void kretprobe_forget_pool(struct kretprobe *rp)
{
	rp->pool = NULL;
	rp->spare = NULL;
	rp->kp.pre_handler = NULL;
}

/* Destroys the pool of a return probe that no hit uses any more. No-op for other probes. */
void kretprobe_destroy(struct kprobe *p)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	if (!kprobe_is_return_probe(p))
		return;
	kretprobe_pool_destroy(rp->pool);
	kretprobe_forget_pool(rp);
}
