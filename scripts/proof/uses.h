/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _PROOF_USES_H
#define _PROOF_USES_H

/* Memory of the kernel that probes take some of. */
#define USES		100

/* A slab cache, or one of the lines of /proc/meminfo. */
struct use {
	char name[64];
	long long objects;		/* of a cache */
	long long bytes;
};

unsigned long long read_uses(struct use *uses);

#endif /* _PROOF_USES_H */
