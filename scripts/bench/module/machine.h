/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBE_BENCH_MACHINE_H
#define _KPROBE_BENCH_MACHINE_H

/*
 * What the benchmark must know of an architecture, as strings for the assembler:
 *
 * BENCH_INSN(nr, to)    what one probe is for, as long as a jump: adds a constant
 *                       that depends on nr, below 2000, to a register
 * BENCH_ADD(from, to)   adds a register to another one
 * BENCH_PLAIN           a function's code: a sum of its first argument, begun by
 *                       instructions that can be displaced
 * BENCH_FILL            fills the gap after it
 *
 * and bench_clock(). Under QEMU's "-icount shift=0" a nanosecond is an instruction, or
 * one of idling. Where the clock ticks slowly, BENCH_REPEAT calls are needed to tell a
 * jump from a breakpoint.
 */
#include <linux/types.h>

#if defined(CONFIG_X86)
#include <asm/asm.h>
#include <asm/tsc.h>

#define BENCH_INSN(nr, to)	"lea 4096 + " #nr "(" to "), " to "\n"
#define BENCH_ADD(from, to)	"add " from ", " to "\n"
#ifdef CONFIG_X86_64
#define BENCH_PLAIN		"xorl %eax, %eax\n"			\
				"movq %rdi, %rdx\n"			\
				".rept 12\n"				\
				"addq %rdx, %rax\n"			\
				".endr\n"				\
				"ret\n"
#else
#define BENCH_PLAIN		"movl %eax, %edx\n"			\
				"xorl %eax, %eax\n"			\
				".rept 12\n"				\
				"addl %edx, %eax\n"			\
				".endr\n"				\
				"ret\n"
#endif
#define BENCH_FILL		"int3\n"
#define BENCH_REPEAT		1

/* The time stamp counter, which ticks once a nanosecond there. */
static inline u64 bench_clock(void)
{
	return rdtsc_ordered();
}

#else
#include <linux/timekeeping.h>

#if defined(CONFIG_RISCV)
#define BENCH_INSN(nr, to)	".option push\n"			\
				".option norvc\n"			\
				"addi " to ", " to ", " #nr "\n"	\
				"addi " to ", " to ", " #nr "\n"	\
				".option pop\n"
#define BENCH_PLAIN		"li a5, 0\n"				\
				"mv a4, a0\n"				\
				".rept 12\n"				\
				"add a5, a5, a4\n"			\
				".endr\n"				\
				"mv a0, a5\n"				\
				"ret\n"
#define BENCH_FILL		"ebreak\n"
#define BENCH_REPEAT		16
#elif defined(CONFIG_ARM64)
#define BENCH_INSN(nr, to)	"add " to ", " to ", " #nr "\n"
#define BENCH_PLAIN		"mov x1, #0\n"				\
				"mov x2, x0\n"				\
				".rept 12\n"				\
				"add x1, x1, x2\n"			\
				".endr\n"				\
				"mov x0, x1\n"				\
				"ret\n"
#define BENCH_FILL		"brk #0\n"
#define BENCH_REPEAT		4
#else
#error "scripts/bench/module/machine.h does not know this architecture"
#endif
#define BENCH_ADD(from, to)	"add " to ", " to ", " from "\n"

static inline u64 bench_clock(void)
{
	return ktime_get_raw_ns();
}
#endif

#endif /* _KPROBE_BENCH_MACHINE_H */
