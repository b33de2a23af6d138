// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures many probes on functions of modules: cost of registering and
 * unregistering them, time until they are optimized, memory. After each step
 * every probed function is called, and every call must be a hit.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "bench.h"

#define MAX_SETS	64
#define SETTLE_MS	200

static struct {
	const bench_function_t *entries;
	const unsigned char (*insns)[BENCH_INSNS];
} sets[MAX_SETS];
static unsigned int nr_functions;

/* From the init of a module with functions; they are loaded one after another. */
int kprobe_bench_add(const bench_function_t *entries, const unsigned char (*insns)[BENCH_INSNS])
{
	unsigned int set = nr_functions / BENCH_FUNCTIONS;

	if (set == MAX_SETS)
		return -ENOSPC;
	sets[set].entries = entries;
	sets[set].insns = insns;
	nr_functions += BENCH_FUNCTIONS;
	return 0;
}
EXPORT_SYMBOL_GPL(kprobe_bench_add);

static bench_function_t function_of(unsigned int i)
{
	return sets[i / BENCH_FUNCTIONS].entries[i % BENCH_FUNCTIONS];
}

/* The first instruction of each function, then the second of each ... */
static unsigned long insn_of(unsigned int i)
{
	unsigned int function = i % nr_functions;

	return (unsigned long)function_of(function) + sets[function / BENCH_FUNCTIONS]
		.insns[function % BENCH_FUNCTIONS][i / nr_functions];
}

/* The probes that are registered. */
static struct kprobe *probes;
static struct kprobe **list;
static unsigned int nr_probes;
static u64 registered_at;

static void forget(void)
{
	kvfree(list);
	kvfree(probes);
	list = NULL;
	probes = NULL;
	nr_probes = 0;
}

static int prepare(const char *what, unsigned int n)
{
	bool entries = !strcmp(what, "entry");
	unsigned int i;

	if (nr_probes)
		return bench_failed(what, "there are probes already");
	if (n > nr_functions * (entries ? 1 : BENCH_INSNS))
		return bench_failed(what, "%u are too many, load more", n);
	probes = kvcalloc(n, sizeof(*probes), GFP_KERNEL);
	list = kvcalloc(n, sizeof(*list), GFP_KERNEL);
	if (!probes || !list)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		unsigned long addr = entries ? (unsigned long)function_of(i) :
					       insn_of(i);

		probes[i].addr = (kprobe_opcode_t *)addr;
		probes[i].pre_handler = bench_pre;
		list[i] = &probes[i];
	}
	return 0;
}

/* Where it fails, so does the benchmark, and nothing is put back. */
static int register_all(bool batch, unsigned int n)
{
	unsigned int i;
	int ret = 0;

	nr_probes = n;
	if (batch)
		return register_kprobes(list, n);
	for (i = 0; i < n && !ret; i++) {
		ret = register_kprobe(&probes[i]);
		cond_resched();
	}
	return ret;
}

static void unregister_all(bool batch)
{
	unsigned int i;

	if (batch) {
		unregister_kprobes(list, nr_probes);
		return;
	}
	for (i = 0; i < nr_probes; i++) {
		unregister_kprobe(&probes[i]);
		cond_resched();
	}
}

int bench_call(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < min(n, nr_functions); i++) {
		function_of(i)(i);
		cond_resched();
	}
	return 0;
}

/* Calls each probed function once: with @n probes on, that is @n hits. */
static int check_books(const char *name, unsigned int n, unsigned int expected)
{
	bench_seen = 0;
	bench_call(n);
	if (bench_seen != expected)
		return bench_failed(name, "%lu hits seen, %u expected", bench_seen,
				    expected);
	return 0;
}

int bench_fill(const char *what, const char *how, unsigned int n,
	       const char *name)
{
	struct bench_cost cost;
	struct bench_span span;
	int ret = prepare(what, n);

	if (ret)
		return ret;
	bench_begin(&span);
	ret = register_all(!strcmp(how, "batch"), n);
	cost = bench_end(&span);
	if (ret)
		return bench_failed(name, "registering %u: %d", n, ret);
	registered_at = bench_clock();
	bench_cost(name, n, cost);
	return check_books(name, n, n);
}

/*
 * Unregistering may leave work for later. It is counted by bench_settled(),
 * without the calls that are made here meanwhile and what waiting takes.
 */
static struct bench_span drain_span;
static u64 drain_check;
static unsigned int nr_drained;

int bench_drain(const char *how, const char *name)
{
	unsigned int n = nr_probes;
	struct bench_cost cost;
	struct bench_span span;
	int ret;

	ret = check_books(name, n, n);
	bench_begin(&drain_span);
	unregister_all(!strcmp(how, "batch"));
	cost = bench_end(&drain_span);
	bench_begin_now(&span);
	bench_cost(name, n, cost);
	ret = ret ?: check_books(name, n, 0);
	forget();
	nr_drained = n;
	drain_check = bench_end(&span).busy;
	return ret;
}

int bench_settled(const char *name)
{
	bench_rest(name, nr_drained, &drain_span, drain_check);
	return 0;
}

/* The first probed function from @i on of which a call costs @below or more a hit. */
static unsigned int first_slow_function(unsigned int i, unsigned int below)
{
	for (; i < min(nr_probes, nr_functions); i++) {
		unsigned int hits = DIV_ROUND_UP(nr_probes - i, nr_functions);
		bench_function_t function = function_of(i);
		unsigned int calls = BENCH_REPEAT;
		unsigned long flags;
		u64 ticks;

		local_irq_save(flags);
		ticks = bench_clock();
		while (calls--)
			function(i);
		ticks = bench_clock() - ticks;
		local_irq_restore(flags);
		if (ticks >= (u64)below * hits * BENCH_REPEAT)
			break;
		cond_resched();
	}
	return i;
}

#define OPTIMIZED_SECONDS	300

/* Time from registering until all are optimized, as seen by what hits cost. */
int bench_optimized(const char *name, unsigned int below)
{
	unsigned int i = 0, wait_ms = 1;
	u64 ticks;

	while ((i = first_slow_function(i, below)) < min(nr_probes, nr_functions)) {
		ticks = bench_clock() - registered_at;
		if (ticks > OPTIMIZED_SECONDS * NSEC_PER_SEC)
			return bench_failed(name, "some of %u hits stay slow", nr_probes);
		msleep(wait_ms);
		wait_ms = min(2 * wait_ms, 10u);
	}
	bench_figure(name, nr_probes, bench_clock() - registered_at, 1);
	return 0;
}

/* Stops after deferred work, because that makes others wait as well. */
static void stop_monitors(const char *name, const char *did, unsigned int n)
{
	char text[64];

	msleep(SETTLE_MS);
	snprintf(text, sizeof(text), "%s.%s", name, did);
	bench_monitors_stop(text, n);
}

/* About what a point takes, with its probe and its detour. */
#define POINT_BYTES	640

/*
 * Take as much memory as @n points, and give it back, without kprobes: the page
 * allocator refills and drains its lists with interrupts off, by as many pages as
 * CONFIG_PCP_BATCH_SCALE_MAX lets them grow.
 */
static int take_memory(void **blocks, unsigned int n)
{
	while (n--) {
		*blocks++ = kmalloc(POINT_BYTES, GFP_KERNEL);
		cond_resched();
	}
	return 0;
}

static void give_memory(void **blocks, unsigned int n)
{
	while (n--) {
		kfree(*blocks++);
		cond_resched();
	}
}

int bench_latency(const char *what, unsigned int n, const char *name)
{
	bool memory = !strcmp(what, "memory");
	int ret = prepare(what, n);

	ret = ret ?: bench_monitors_start();
	if (ret)
		return ret;
	ret = memory ? take_memory((void **)list, n) : register_all(true, n);
	stop_monitors(name, "reg", n);
	if (ret)
		return bench_failed(name, "registering %u: %d", n, ret);
	ret = bench_monitors_start();
	if (ret)
		return ret;
	if (memory)
		give_memory((void **)list, n);
	else
		unregister_all(true);
	stop_monitors(name, "unreg", n);
	forget();
	return 0;
}
