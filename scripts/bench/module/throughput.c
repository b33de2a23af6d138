// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hits a second on one CPU and on several at once, by the clock: of use where
 * the virtual CPUs run at the same time.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "bench.h"

#define MAX_CPUS	8
#define RUN_NS		(1 * NSEC_PER_SEC)

static DEFINE_PER_CPU(unsigned long, cpu_hits);

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	this_cpu_inc(cpu_hits);
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	this_cpu_inc(cpu_hits);
	return 0;
}

struct caller {
	struct task_struct *task;
	unsigned long calls;
	u64 ns;
};

static DECLARE_COMPLETION(all_done);
static atomic_t waiting, running;

static int call_it(void *arg)
{
	struct caller *c = arg;
	u64 begin, now;

	/* All begin together. */
	atomic_dec(&waiting);
	while (atomic_read(&waiting))
		cond_resched();
	begin = ktime_get_ns();
	do {
		unsigned int i;

		for (i = 0; i < 1000; i++)
			bench_plain(i);
		c->calls += 1000;
		cond_resched();
		now = ktime_get_ns();
	} while (now - begin < RUN_NS);
	c->ns = now - begin;
	if (atomic_dec_and_test(&running))
		complete(&all_done);
	return 0;
}

/* Calls a second of all CPUs together, and the number of calls. */
static int run_callers(unsigned int cpus, u64 *rate, unsigned long *calls)
{
	struct caller callers[MAX_CPUS] = {};
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		struct task_struct *task;

		task = kthread_create_on_cpu(call_it, &callers[i], i, "bench/%u");
		if (IS_ERR(task)) {
			while (i--)
				kthread_stop(callers[i].task);
			return PTR_ERR(task);
		}
		callers[i].task = task;
	}
	reinit_completion(&all_done);
	atomic_set(&waiting, cpus);
	atomic_set(&running, cpus);
	for (i = 0; i < cpus; i++)
		wake_up_process(callers[i].task);
	wait_for_completion(&all_done);
	*rate = *calls = 0;
	for (i = 0; i < cpus; i++) {
		*calls += callers[i].calls;
		*rate += div64_u64((u64)callers[i].calls * NSEC_PER_SEC, callers[i].ns);
	}
	return 0;
}

static unsigned long sum_hits(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(cpu_hits, cpu);
	return sum;
}

static struct kprobe probe;
static struct kretprobe rprobe;

static int attach(const char *kind)
{
	if (!strcmp(kind, "bare"))
		return 0;
	if (!strcmp(kind, "return")) {
		memset(&rprobe, 0, sizeof(rprobe));
		rprobe.kp.addr = (kprobe_opcode_t *)bench_plain;
		rprobe.handler = count_return;
		return register_kretprobe(&rprobe);
	}
	memset(&probe, 0, sizeof(probe));
	probe.addr = (kprobe_opcode_t *)bench_plain;
	probe.pre_handler = count_pre;
	return register_kprobe(&probe);
}

static unsigned long detach(const char *kind)
{
	if (!strcmp(kind, "bare"))
		return 0;
	if (!strcmp(kind, "return")) {
		unregister_kretprobe(&rprobe);
		return rprobe.nmissed + rprobe.kp.nmissed;
	}
	unregister_kprobe(&probe);
	return probe.nmissed;
}

int bench_throughput(const char *kind, unsigned int cpus, const char *name)
{
	unsigned long hits = sum_hits(), calls, missed;
	u64 rate;
	int ret;

	if (cpus > min_t(unsigned int, num_online_cpus(), MAX_CPUS))
		return bench_failed(name, "%u CPUs are online", num_online_cpus());
	ret = attach(kind);
	if (ret)
		return bench_failed(name, "cannot register: %d", ret);
	ret = run_callers(cpus, &rate, &calls);
	missed = detach(kind);
	hits = sum_hits() - hits;
	if (ret)
		return ret;
	if (strcmp(kind, "bare") && hits + missed != calls)
		return bench_failed(name, "%lu hits, %lu misses, %lu calls", hits,
				    missed, calls);
	bench_figure(name, cpus, rate, 1);
	return 0;
}
