// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes detours as the kernel does, for a program that runs them in user space: the objects of the
 * kernel are linked with it. What they need of the rest of the kernel is below, and is not called
 * by what is timed.
 */
#include <linux/context_tracking_state.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <asm/ibt.h>

#include "arch/x86/kernel/kprobes-opt.h"
#include "kernel/kprobes/frame.h"
#include "kernel/kprobes/kretprobe_pool.h"
#include "made.h"

DEFINE_PER_CPU_ALIGNED(struct pcpu_hot, pcpu_hot);
DEFINE_PER_CPU_READ_MOSTLY(unsigned long, this_cpu_off);
DEFINE_PER_CPU(struct context_tracking, context_tracking) = {
	.state = ATOMIC_INIT(CT_RCU_WATCHING),
};
unsigned long __per_cpu_offset[NR_CPUS];
struct cpuinfo_x86 boot_cpu_data;
unsigned int nr_cpu_ids = 1;
kmem_buckets kmalloc_caches[NR_KMALLOC_TYPES];

/* Calls go to what follows the landing pad. */
unsigned long kprobe_entry_of(unsigned long addr)
{
	return addr + (is_endbr(*(u32 *)addr) ? ENDBR_INSN_SIZE : 0);
}

/* What detours call, and what it was linked with. */
static struct task_struct task;
static struct kprobe_point points[MADE_POINTS];
static struct kprobe_detour detours[MADE_POINTS];
static struct kretprobe probes[MADE_POINTS][MADE_HANDLERS];
static unsigned int nr_points;

static noinline int pre(struct kprobe *p, struct pt_regs *regs)
{
	barrier();
	return 0;
}

static noinline void post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	barrier();
}

static int handle_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	barrier();
	return 0;
}

void made_begin(unsigned long offset)
{
	unsigned int i;

	raw_cpu_write(this_cpu_off, offset);
	__per_cpu_offset[0] = offset;
	raw_cpu_write(pcpu_hot.current_task, &task);
	for (i = 0; i < KPROBE_FRAMES; i++)
		raw_cpu_ptr(&kprobe_cpu)->frame[i].context = KPROBE_CONTEXT_NONE;
}

static void add_probe(struct kprobe_point *point, struct kretprobe *rp, const struct made *made)
{
	struct kprobe *p = &rp->kp;

	p->point = point;
	if (made->returns) {
		p->pre_handler = kretprobe_entry;
		rp->handler = handle_return;
		if (made->returns == MADE_RETURNS_SLOWLY)
			rp->entry_handler = handle_return;
		kretprobe_pool_make(rp, 4, false);
	} else if (made->post) {
		p->post_handler = post;
	} else {
		p->pre_handler = pre;
	}
	list_add_tail(&p->list, &point->probes);
}

/* Returns the code that a jump at @function leads to, in @buf. */
void *made_detour(const struct made *made, const void *function, void *buf, unsigned int size)
{
	struct kprobe_code code = { .buf = buf, .size = size, .base = (unsigned long)buf };
	struct kprobe_point *point = &points[nr_points];
	struct kprobe_detour *detour = &detours[nr_points];
	struct kprobe_region region;
	unsigned int i;

	point->addr = (unsigned long)function;
	point->site = point->addr;
	memcpy(point->insn, function, sizeof(point->insn));
	INIT_LIST_HEAD(&point->probes);
	if (kprobe_plan_region(&x86_kprobe_isa, &region, (u8 *)point->insn, sizeof(point->insn),
			       point->site))
		return NULL;
	point->len = region.from[1];
	for (i = 0; i < made->handlers; i++)
		add_probe(point, &probes[nr_points][i], made);
	*detour = (struct kprobe_detour){
		.point = point, .direct = true, .counts = made->counts, .nr = region.nr,
	};
	memcpy(detour->from, region.from, region.nr + 1);
	x86_emit_detour(detour, &region, &code);
	point->route = &detour->route;
	nr_points++;
	return code.len <= size ? buf : NULL;
}
