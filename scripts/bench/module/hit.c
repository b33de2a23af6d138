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
#include "machine.h"

#define CALLS	1000

/* No landing pad or nop. */
asm(".pushsection .text, \"ax\"\n"
	".globl bench_plain\n"
	".type bench_plain, %function\n"
	".balign 4\n"
	"bench_plain:\n"
	BENCH_PLAIN
	BENCH_FILL
	".size bench_plain, .-bench_plain\n"
	".popsection\n");

/* With the landing pad and nop that the compiler puts at a function's entry. */
static noinline unsigned long bench_entry(unsigned long x)
{
	unsigned long sum = 0;

	asm volatile(".rept 12\n" BENCH_ADD("%1", "%0") ".endr" : "+r"(sum) : "r"(x));
	return sum;
}

static struct target {
	const char *name;
	bench_function_t function;
	u64 bare;
} targets[] = {
	{ "plain", bench_plain },
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

/* No failure of the benchmark: there are kernels that cannot probe a function's entry. */
static int cannot_attach(int error)
{
	pr_info("missing cannot probe target %s: %d\n", target->name, error);
	return error;
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
			return cannot_attach(ret);
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
	if (!ret)
		return 0;
	rprobe.handler = NULL;
	return cannot_attach(ret);
}

/* A return probe can have @maxactive calls in flight, 0: the default. */
int bench_attach(const char *name, const char *kind, unsigned int maxactive)
{
	unsigned int i;

	bench_detach();
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		if (!strcmp(targets[i].name, name))
			target = &targets[i];
	if (!target || !target->bare)
		return bench_failed("attach", "no such target, or no bare cost");
	if (!strcmp(kind, "return"))
		return attach_return(maxactive);
	if (!strcmp(kind, "two"))
		return attach_probes(2, false);
	return attach_probes(1, !strcmp(kind, "post"));
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

/* Hits and misses of everything attached. */
static unsigned long accounted(void)
{
	unsigned long sum = bench_pre_hits + bench_return_hits;
	unsigned int i;

	for (i = 0; i < nr_probes; i++)
		sum += probes[i].nmissed;
	if (rprobe.handler)
		sum += rprobe.nmissed + rprobe.kp.nmissed;
	return sum;
}

/* The script decides by it what an optimized hit costs. */
static unsigned int hit;
module_param(hit, uint, 0444);
MODULE_PARM_DESC(hit, "ticks of the last hit");

int bench_hits(const char *name, unsigned int n)
{
	unsigned long expected, before, seen, posts;
	u64 probed;

	if (!target)
		return bench_failed(name, "nothing is attached");
	bench_post_hits = 0;
	before = accounted();
	probed = ticks_of(target->function);
	seen = accounted() - before;
	expected = (CALLS + 1) * (nr_probes ?: 1);
	posts = nr_probes && probes[0].post_handler ? expected : 0;
	if (seen != expected || bench_post_hits != posts)
		return bench_failed(name, "%lu of %lu hits seen, %lu of %lu after",
				    seen, expected, bench_post_hits, posts);
	if (probed < target->bare)
		return bench_failed(name, "cheaper than without a probe");
	hit = div_u64(probed - target->bare, CALLS);
	bench_figure(name, n, probed - target->bare, CALLS);
	return 0;
}
