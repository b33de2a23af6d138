/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBE_BENCH_H
#define _KPROBE_BENCH_H

/*
 * A benchmark of kprobes that uses their public API only, so that one source
 * measures any implementation. The guest's script says what to do next by
 * writing commands to the parameter "run" (main.c).
 */
#include "machine.h"

typedef unsigned long (*bench_function_t)(unsigned long x);

/* Functions to probe of a module, and offsets of their instructions that are for probes. */
#define BENCH_FUNCTIONS	1000
#define BENCH_INSNS	2

int kprobe_bench_add(const bench_function_t *entries, const unsigned char (*insns)[BENCH_INSNS]);

/*
 * Time of the guest in ticks of bench_clock(), and how much of it the CPU was idle.
 * Under QEMU's "-icount shift=0" a tick is an instruction or a nanosecond of idling.
 */
struct bench_span {
	u64 begin;
	u64 idle;
};

struct bench_cost {
	u64 ticks;
	u64 busy;
};

void bench_begin_now(struct bench_span *span);
void bench_begin(struct bench_span *span);
struct bench_cost bench_end(const struct bench_span *span);

/*
 * Results. A figure is a line of the kernel log: name, size, value to a tenth.
 * A name that has two values, busy and passed time, gets the latter as name.time.
 */
void bench_figure(const char *name, u64 n, u64 total, u64 parts);
void bench_cost(const char *name, u64 n, struct bench_cost cost);
void bench_rest(const char *name, u64 n, const struct bench_span *span, u64 others);
int bench_failed(const char *name, const char *format, ...) __printf(2, 3);

/* Counts of handlers: those before an instruction or at a return, and those after one. */
extern unsigned long bench_seen, bench_seen_post;

struct kprobe;
struct kretprobe;
struct kretprobe_instance;
struct pt_regs;

int bench_pre(struct kprobe *p, struct pt_regs *regs);
void bench_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags);
int bench_return(struct kretprobe_instance *ri, struct pt_regs *regs);

/* Commands: 0 or an errno, with what is wrong in the kernel log. */
int bench_bare(void);
int bench_attach(const char *target, const char *kind, unsigned int maxactive);
int bench_hits(const char *name, unsigned int n);
int bench_detach(void);
__noendbr unsigned long bench_plain(unsigned long x);

int bench_fill(const char *what, const char *how, unsigned int n,
	       const char *name);
int bench_drain(const char *how, const char *name);
int bench_settled(const char *name);
int bench_optimized(const char *name, unsigned int below);
int bench_call(unsigned int n);
int bench_latency(const char *what, unsigned int n, const char *name);

int bench_monitors_start(void);
void bench_monitors_stop(const char *name, unsigned int n);

#endif /* _KPROBE_BENCH_H */
