// SPDX-License-Identifier: GPL-2.0-or-later
/* x86, 64 bit or 32. */
#include "../../../arch/x86/kernel/kprobes-insn.h"
#include "harness.h"
#include "x86-class.h"

/* Data, and x87 instructions that objdump shows together with the fwait in front. */
static const char *const odd[] = {
	".byte", "rex", "finit", "fclex", "fsave", "fstcw", "fstenv", "fstsw", NULL
};

const struct harness_target harness_target = {
	.isa = &x86_kprobe_isa,
#ifdef CONFIG_X86_64
	.name = "x86_64",
	.from = 0xffffffff81234560,
	.near = 0xffffffff81235560,
	.away = 0xffffc90000000000,
	.entry_nop = 5,
	.bug_size = 12,
	.not_run = "not-run/x86_64.txt",
	.class_of = x86_class_of,
#else
	.name = "i386",
	.from = 0xc1234560,
	.near = 0xc1235560,
	.away = 0xf8000000,
	.entry_nop = 5,
	.bug_size = 12,
	.bug_absolute = 4,
#endif
	.objdump = "objdump -d -w",
	.odd = odd,
};
