// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function whose name another one has, in symbol_kunit.c, and a clone of another one.
 */
#include <linux/compiler.h>

#include "../place.h"
#include "symbol_twin.h"

int kprobes_cloned_twice_part(int x) __asm__("kprobes_cloned_twice.part.0");

noinline __noclone int kprobes_cloned_twice_part(int x)
{
	barrier();
	return x + 5;
}

static noinline __noclone int kprobes_symbol_twin(int x)
{
	barrier();
	return x + 2;
}

int kprobes_call_other_twin(int x)
{
	return kprobes_symbol_twin(x) + kprobes_cloned_twice_part(x);
}

unsigned long kprobes_other_twin(void)
{
	return kprobe_code_address(kprobes_symbol_twin);
}
