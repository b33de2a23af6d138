/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_LINUX_PRANDOM_H
#define KPROBES_ISA_LINUX_PRANDOM_H

/* Numbers that are the same in each run, though others than the kernel's. */
#include <linux/types.h>

/**
 * struct rnd_state - where the sequence is
 * @value: the last number
 */
struct rnd_state {
	u64 value;
};

static inline void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	state->value = seed;
}

static inline u32 prandom_u32_state(struct rnd_state *state)
{
	state->value = state->value * 6364136223846793005ULL + 1442695040888963407ULL;
	return state->value >> 32;
}

static inline void prandom_bytes_state(struct rnd_state *state, void *buf, size_t size)
{
	u8 *byte = buf;

	while (size--)
		*byte++ = prandom_u32_state(state) >> 8;
}

#endif /* KPROBES_ISA_LINUX_PRANDOM_H */
