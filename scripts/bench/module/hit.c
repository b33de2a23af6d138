// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the cost of a hit: a call of a small function with the probe, less the
 * call without. The handlers' counts prove that every call was a hit.
 */
#define pr_fmt(fmt) "kprobe_bench: " fmt

#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "bench.h"

#define CALLS	1000

static __always_inline unsigned long twelve_times(unsigned long x)
{
	unsigned long sum = 0;

	asm volatile(".rept 12\n" BENCH_ADD("%1", "%0") ".endr" : "+r"(sum) : "r"(x));
	return sum;
}

noinline notrace __noendbr unsigned long bench_plain(unsigned long x)
{
	return twelve_times(x);
}

/* With the landing pad and nop that the compiler puts at a function's entry. */
static noinline unsigned long bench_entry(unsigned long x)
{
	return twelve_times(x);
}

static struct target {
	const char *name;
	bench_function_t function;
	u64 bare;
} targets[] = {
	{ "plain", (bench_function_t)bench_plain },
	{ "entry", bench_entry },
};

/* The target of the attached probes: up to two probes, or a return probe. */
static struct target *target;
static struct kprobe probes[2];
static unsigned int nr_probes;
static struct kretprobe rprobe;

/* Ticks for CALLS calls. Interrupts are disabled, to leave out those of the clock. */
static u64 ticks_of(bench_function_t function)
{
	unsigned long flags;
	unsigned int i;
	u64 start, end;

	local_irq_save(flags);
	function(1);
	start = bench_clock();
	for (i = 0; i < CALLS; i++)
		function(i);
	end = bench_clock();
	local_irq_restore(flags);
	return end - start;
}

/* What a trap costs that is not a probe's: a fault that the exception table has an answer to. */
static noinline unsigned long bench_fault(unsigned long x)
{
	return copy_from_kernel_nofault(&x, (void *)-PAGE_SIZE, sizeof(x));
}

int bench_bare(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(targets); i++)
		targets[i].bare = ticks_of(targets[i].function);
	if (!bench_fault(0))
		return bench_failed("trap.bare", "there is something in the last page");
	bench_figure("trap.bare", 1, ticks_of(bench_fault), CALLS);
	return 0;
}

static int attach_probes(unsigned int nr, bool post)
{
	unsigned int i;
	int ret;

	memset(probes, 0, sizeof(probes));
	for (i = 0; i < nr; i++) {
		probes[i].addr = (kprobe_opcode_t *)target->function;
		probes[i].pre_handler = bench_pre;
		if (post)
			probes[i].post_handler = bench_post;
		ret = register_kprobe(&probes[i]);
		if (ret)
			return ret;
		nr_probes++;
	}
	return 0;
}

static int attach_return(unsigned int maxactive)
{
	int ret;

	memset(&rprobe, 0, sizeof(rprobe));
	rprobe.kp.addr = (kprobe_opcode_t *)target->function;
	rprobe.handler = bench_return;
	rprobe.maxactive = maxactive;
	ret = register_kretprobe(&rprobe);
	if (ret)
		rprobe.handler = NULL;
	return ret;
}

/* A return probe can have @maxactive calls in flight, 0: the default. */
int bench_attach(const char *name, const char *kind, unsigned int maxactive)
{
	unsigned int i;
	int ret;

	bench_detach();
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(targets[i].name, name))
			target = &targets[i];
	if (!target || !target->bare)
		return bench_failed("attach", "no such target, or no bare cost");
	if (!strcmp(kind, "return"))
		ret = attach_return(maxactive);
	else
		ret = attach_probes(strcmp(kind, "two") ? 1 : 2, !strcmp(kind, "post"));
	/* No failure of the benchmark: there are kernels that cannot probe a function's entry. */
	if (ret)
		pr_info("missing cannot probe target %s: %d\n", name, ret);
	return ret;
}

int bench_detach(void)
{
	while (nr_probes)
		unregister_kprobe(&probes[--nr_probes]);
	if (rprobe.handler)
		unregister_kretprobe(&rprobe);
	rprobe.handler = NULL;
	target = NULL;
	return 0;
}

/* The script decides by it what an optimized hit costs. */
static unsigned int hit;
module_param(hit, uint, 0444);
MODULE_PARM_DESC(hit, "ticks of the last hit");

int bench_hits(const char *name, unsigned int n)
{
	unsigned long expected, posts;
	u64 probed;

	if (!target)
		return bench_failed(name, "nothing is attached");
	bench_seen = 0;
	bench_seen_post = 0;
	probed = ticks_of(target->function);
	expected = (CALLS + 1) * (nr_probes ?: 1);
	posts = nr_probes && probes[0].post_handler ? expected : 0;
	if (bench_seen != expected || bench_seen_post != posts)
		return bench_failed(name, "%lu of %lu hits seen, %lu of %lu after",
				    bench_seen, expected, bench_seen_post, posts);
	if (probed < target->bare)
		return bench_failed(name, "cheaper than without a probe");
	hit = div_u64(probed - target->bare, CALLS);
	bench_figure(name, n, probed - target->bare, CALLS);
	return 0;
}
