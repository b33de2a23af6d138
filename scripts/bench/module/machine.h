/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBE_BENCH_MACHINE_H
#define _KPROBE_BENCH_MACHINE_H

/*
 * What the benchmark must know of an architecture, as strings for the assembler:
 *
 * BENCH_INSN(nr, to)    what one probe is for, as long as a jump: adds a constant
 *                       that depends on nr, at most 2000, to a register
 * BENCH_ADD(from, to)   adds a register to another one
 *
 * and bench_clock(). Under QEMU's "-icount shift=0" a nanosecond is an instruction, or
 * one of idling. Where the clock ticks slowly, or takes long to read, BENCH_REPEAT calls
 * are needed to tell a jump from a breakpoint.
 */
#include <linux/types.h>

#if defined(CONFIG_X86)
#include <asm/ibt.h>
#include <asm/tsc.h>

#define BENCH_INSN(nr, to)	"lea 4096 + " #nr "(" to "), " to "\n"
#define BENCH_ADD(from, to)	"add " from ", " to "\n"
#define BENCH_REPEAT		1

/* The time stamp counter, which ticks once a nanosecond there. */
static inline u64 bench_clock(void)
{
	return rdtsc_ordered();
}

#else
#include <linux/timekeeping.h>

#define __noendbr
#if defined(CONFIG_RISCV)
#define BENCH_INSN(nr, to)	".option push\n"			\
				".option norvc\n"			\
				"addi " to ", " to ", " #nr "\n"	\
				"addi " to ", " to ", " #nr "\n"	\
				".option pop\n"
#define BENCH_REPEAT		16
#elif defined(CONFIG_ARM64)
#define BENCH_INSN(nr, to)	"add " to ", " to ", " #nr "\n"
#define BENCH_REPEAT		4
#elif defined(CONFIG_LOONGARCH)
#define BENCH_INSN(nr, to)	"addi.d " to ", " to ", " #nr "\n"
#define BENCH_ADD(from, to)	"add.d " to ", " to ", " from "\n"
#define BENCH_REPEAT		4
#elif defined(CONFIG_ARM)
#define BENCH_INSN(nr, to)	"add " to ", " to ", #(" #nr ") & 255\n"
#define BENCH_REPEAT		4
#elif defined(CONFIG_S390)
#define BENCH_INSN(nr, to)	"agfi " to ", " #nr "\n"
#define BENCH_ADD(from, to)	"agr " to ", " from "\n"
#define BENCH_REPEAT		4
#elif defined(CONFIG_SPARC64)
#define BENCH_INSN(nr, to)	"add " to ", " #nr ", " to "\n"
#define BENCH_ADD(from, to)	"add " to ", " from ", " to "\n"
#define BENCH_REPEAT		64
#elif defined(CONFIG_MIPS)
#define BENCH_INSN(nr, to)	"addiu " to ", " to ", " #nr "\n"
#define BENCH_ADD(from, to)	"addu " to ", " to ", " from "\n"
#define BENCH_REPEAT		4
#elif defined(CONFIG_PARISC)
#define BENCH_INSN(nr, to)	"ldo " #nr "(" to "), " to "\n"
#define BENCH_ADD(from, to)	"add " to ", " from ", " to "\n"
#define BENCH_REPEAT		4
#elif defined(CONFIG_PPC)
/* Of r0 addi would take zero for the value. */
#define BENCH_INSN(nr, to)	"addic " to ", " to ", " #nr "\n"
#define BENCH_REPEAT		4
#else
#error "scripts/bench/module/machine.h does not know this architecture"
#endif
#ifndef BENCH_ADD
#define BENCH_ADD(from, to)	"add " to ", " to ", " from "\n"
#endif

static inline u64 bench_clock(void)
{
	return ktime_get_raw_ns();
}
#endif

#endif /* _KPROBE_BENCH_MACHINE_H */
