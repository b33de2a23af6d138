/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_CYCLES_MADE_H
#define KPROBES_CYCLES_MADE_H

/* Between made.c, which is the kernel's, main.c, which is a program, and bare.S. */
#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#endif

#define MADE_POINTS	16
#define MADE_HANDLERS	4

enum made_returns {
	MADE_NO_RETURNS,
	MADE_RETURNS,
	MADE_RETURNS_SLOWLY,	/* there is an entry handler */
};

/**
 * struct made - what a detour is made for
 * @name:     of its row
 * @handlers: how many probes there are
 * @post:     they have post-handlers, and no pre-handlers
 * @counts:   hits are counted
 * @returns:  they are return probes
 */
struct made {
	const char *name;
	unsigned int handlers;
	bool post;
	bool counts;
	enum made_returns returns;
};

/* percpu.ld */
extern char __start_percpu[], __stop_percpu[];

/* What is probed: a jump covers the first two instructions. */
void probed(void);
/* The same after something that a hit does. */
void after_call(void);
void after_registers(void);
void after_all(void);
void after_flags(void);
void after_count(void);
void returns_elsewhere(void);
/* Calls it below some callers, whose returns the processor predicts as well. */
void call_deep(void (*code)(void));

void made_begin(unsigned long offset);
void *made_detour(const struct made *made, const void *function, void *buf, unsigned int size);

#endif /* KPROBES_CYCLES_MADE_H */
