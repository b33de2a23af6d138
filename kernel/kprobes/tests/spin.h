/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_SPIN_H
#define _KERNEL_KPROBES_TESTS_SPIN_H

#include <linux/processor.h>
#include <linux/timekeeping.h>

/*
 * A turn of a loop that waits for another CPU, in any context: passes so many microseconds.
 * udelay() and cpu_relax() without it end the turn of an emulated CPU every few instructions,
 * which takes the emulator longer than thousands of instructions.
 */
static inline void kprobes_spin(unsigned int us)
{
	u64 begin = ktime_get_mono_fast_ns();
	int i;

	do {
		for (i = 0; i < 200; i++)
			barrier();
	} while (ktime_get_mono_fast_ns() - begin < us * NSEC_PER_USEC);
	cpu_relax();
}

#endif /* _KERNEL_KPROBES_TESTS_SPIN_H */
