// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands of the benchmark, its clock and its output.
 *
 *   echo COMMAND >/sys/module/kprobe_bench/parameters/run
 *
 * executes a command. It fails if the command fails, or if not every call was a hit:
 *
 *   bare                     cost of calls without probes; must be first
 *   attach plain|entry pre|post|two|return [N]  detach
 *   hits NAME N              cost of a hit of the attached probes
 *   fill insn|entry batch|single N NAME         register N probes
 *   drain batch|single NAME                     unregister them
 *   settled NAME             cost of that with the work that it has deferred
 *   optimized NAME BELOW     wait until each hit of them costs less than that
 *   call N                   call the first N functions
 *   latency insn|entry|memory N NAME   how long other tasks wait during a batch of N, or
 *                                      while as much memory is taken
 *   begin, wait, idle        cost of waiting when nothing is to be done
 *   begin, ..., end NAME N   cost of what the script does in between
 *   ..., settled NAME N      that with what the script waits for afterwards
 */
#define pr_fmt(fmt) "kprobe_bench: " fmt

#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tick.h>

#include "bench.h"

unsigned long bench_seen, bench_seen_post;

int bench_pre(struct kprobe *p, struct pt_regs *regs)
{
	bench_seen++;
	return 0;
}

void bench_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	bench_seen_post++;
}

int bench_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	bench_seen++;
	return 0;
}

/* All of the guest's idling, in nanoseconds; of one CPU, as -icount has it. */
static u64 idle_ns(void)
{
	return get_cpu_idle_time_us(0, NULL) * NSEC_PER_USEC;
}

void bench_begin_now(struct bench_span *span)
{
	span->idle = idle_ns();
	span->begin = bench_clock();
}

/*
 * Just after a tick of the clock: how many of them fall into the span shall
 * not depend on how long the kernel took to boot.
 */
void bench_begin(struct bench_span *span)
{
	schedule_timeout_uninterruptible(1);
	bench_begin_now(span);
}

/* The busy part of the last figure: the script decides by it how far to go. */
static unsigned long last;
module_param(last, ulong, 0444);
MODULE_PARM_DESC(last, "busy ticks of the last span");

struct bench_cost bench_end(const struct bench_span *span)
{
	u64 ticks = bench_clock() - span->begin;
	u64 idle = min(idle_ns() - span->idle, ticks);

	last = ticks - idle;
	return (struct bench_cost){ .ticks = ticks, .busy = last };
}

void bench_figure(const char *name, u64 n, u64 total, u64 parts)
{
	u64 tenths = div64_u64(total * 10 + parts / 2, parts);
	u32 tenth;
	u64 whole = div_u64_rem(tenths, 10, &tenth);

	pr_info("figure %s %llu %llu.%u\n", name, n, whole, tenth);
}

void bench_cost(const char *name, u64 n, struct bench_cost cost)
{
	char time[64];

	snprintf(time, sizeof(time), "%s.time", name);
	bench_figure(name, n, cost.busy, 1);
	bench_figure(time, n, cost.ticks, 1);
}

int bench_failed(const char *name, const char *format, ...)
{
	struct va_format text;
	va_list args;

	va_start(args, format);
	text.fmt = format;
	text.va = &args;
	pr_err("failed %s %pV\n", name, &text);
	va_end(args);
	return -EIO;
}

static struct bench_span script_span;
static u64 idle_load;

/* The cost of a span in which the script has waited, without that and without @others. */
void bench_rest(const char *name, u64 n, const struct bench_span *span, u64 others)
{
	u64 busy = bench_end(span).busy;

	bench_figure(name, n, busy - min(busy, others + idle_load), 1);
}

#define MAX_WORDS 5

static int run_command(unsigned int words, char *w[MAX_WORDS], unsigned int n)
{
	if (words == 1 && !strcmp(w[0], "bare"))
		return bench_bare();
	if ((words == 3 || words == 4) && !strcmp(w[0], "attach"))
		return bench_attach(w[1], w[2], n);
	if (words == 1 && !strcmp(w[0], "detach"))
		return bench_detach();
	if (words == 3 && !strcmp(w[0], "hits"))
		return bench_hits(w[1], n);
	if (words == 5 && !strcmp(w[0], "fill"))
		return bench_fill(w[1], w[2], n, w[4]);
	if (words == 3 && !strcmp(w[0], "drain"))
		return bench_drain(w[1], w[2]);
	if (words == 2 && !strcmp(w[0], "settled"))
		return bench_settled(w[1]);
	if (words == 3 && !strcmp(w[0], "optimized"))
		return bench_optimized(w[1], n);
	if (words == 2 && !strcmp(w[0], "call"))
		return bench_call(n);
	if (words == 4 && !strcmp(w[0], "latency"))
		return bench_latency(w[1], n, w[3]);
	if (words == 1 && !strcmp(w[0], "begin")) {
		bench_begin(&script_span);
		return 0;
	}
	if (words == 1 && !strcmp(w[0], "idle")) {
		idle_load = bench_end(&script_span).busy;
		return 0;
	}
	if (words == 3 && !strcmp(w[0], "end")) {
		bench_cost(w[1], n, bench_end(&script_span));
		return 0;
	}
	if (words == 3 && !strcmp(w[0], "settled")) {
		bench_rest(w[1], n, &script_span, 0);
		return 0;
	}
	return bench_failed(w[0], "is no command, or has other words");
}

static int set_run(const char *text, const struct kernel_param *kp)
{
	char line[128], *rest = line, *w[MAX_WORDS], *word;
	unsigned int words = 0, n = 0;

	strscpy(line, text, sizeof(line));
	while ((word = strsep(&rest, "\n ")) && words < MAX_WORDS) {
		if (!*word)
			continue;
		/* No name is a number, and no command has two of them. */
		if (words && kstrtouint(word, 10, &n) == 0 && !n)
			return -EINVAL;
		w[words++] = word;
	}
	return words ? run_command(words, w, n) : 0;
}

static const struct kernel_param_ops run_ops = { .set = set_run };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "a command, see main.c");

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What kprobes cost");
