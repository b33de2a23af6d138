/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _PROOF_SWEEP_DRIVER_H
#define _PROOF_SWEEP_DRIVER_H

/* What all of the program that drives the sweep uses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../module/proof.h"
#include "../program.h"

static FILE *output;
static int device;
static struct proof_text texts[PROOF_OBJECTS];

static void fail(const char *what)
{
	say("<0>proof: %s: %s", what, strerror(errno));
	exit(1);
}

#endif /* _PROOF_SWEEP_DRIVER_H */
