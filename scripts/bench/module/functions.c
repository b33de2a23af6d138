// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions to probe, of which a small kernel has too few: f1000 to f1999, in each module
 * bench_fns_N once more. In each function two instructions are for probes.
 */
#include <linux/module.h>

#include "bench.h"

#define TEN(X, n)	X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n)	TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4)	\
			TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define ALL(X)		HUNDRED(X, 10) HUNDRED(X, 11) HUNDRED(X, 12) HUNDRED(X, 13) HUNDRED(X, 14)	\
			HUNDRED(X, 15) HUNDRED(X, 16) HUNDRED(X, 17) HUNDRED(X, 18) HUNDRED(X, 19)

#define FUNCTION(n)								\
static __attribute__((noipa)) unsigned long f##n(unsigned long x)		\
{										\
	asm volatile(".Lbench_" #n "_0: " BENCH_INSN(n, "%0")			\
		     ".Lbench_" #n "_1: " BENCH_INSN(n - 1000, "%0") : "+r" (x));	\
	return x;								\
}
#define ENTRY(n)	f##n,
#define INSNS(n)	".byte .Lbench_" #n "_0 - f" #n ", .Lbench_" #n "_1 - f" #n "\n"

ALL(FUNCTION)
/*
 * The last function is not for probes. For kallsyms it ends at the end of the page, and the base
 * decodes beyond the page when it checks whether it can optimize such a probe.
 */
__used FUNCTION(2000)

static const bench_function_t entries[BENCH_FUNCTIONS] = { ALL(ENTRY) };
extern const unsigned char bench_insns[BENCH_FUNCTIONS][BENCH_INSNS];
asm(".pushsection .rodata\n"
    "bench_insns:\n" ALL(INSNS)
    ".popsection\n");

static int __init bench_functions_init(void)
{
	return kprobe_bench_add(entries, bench_insns);
}
module_init(bench_functions_init);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Functions to probe");
