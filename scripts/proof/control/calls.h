/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>

#define CALL_KINDS_MAX	32

/* @make: makes such a call, and tells whether it succeeded. */
struct call {
	const char *name;
	bool (*make)(void);
};

extern const struct call calls[];
extern const unsigned int nr_calls;

bool prepare_calls(void);
void take_back(void);

/* A decision between so many. */
unsigned int pick(unsigned int below);

#endif /* CALLS_H */
