// SPDX-License-Identifier: GPL-2.0-or-later
/* RISC-V, 64 bit. */
#include <ctype.h>
#include <string.h>

#include "harness.h"

/* Other sections with code have data as well. */
#define OBJDUMP	"riscv64-linux-gnu-objdump -d -w -M no-aliases -j .text -j .init.text -j .exit.text"

/* Data, and words that are no instruction. */
static const char *const odd[] = { ".byte", ".short", ".2byte", ".word", ".4byte", ".insn", NULL };

/* Integer registers are "r", those of floating point "f", vectors "v"; counters are one kind. */
static const char *kind_of(const char *name)
{
	static const char *const integer[] = { "zero", "ra", "sp", "gp", "tp", NULL };
	const char *const *r = integer;

	while (*r && strcmp(*r, name))
		r++;
	if (*r || (strchr("ast", name[0]) && isdigit(name[1])))
		return "r";
	if (name[0] == 'f' && strchr("ast", name[1]) && isdigit(name[2]))
		return "f";
	if (!strncmp(name, "hpmcounter", strlen("hpmcounter")))
		return "hpmcounter";
	return name[0] == 'v' && isdigit(name[1]) ? "v" : NULL;
}

static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/riscv/sequences.S", SEQUENCES_RUN, NULL
};

const struct harness_target harness_target = {
	.name = "riscv64",
	.isa = &riscv_kprobe_isa,
	.from = 0xffffffff80234560,
	.near = 0xffffffff80235560,
	.away = 0xffffffff01000000,
	.entry_nop = 8,
	.bug_size = 12,
	.objdump = OBJDUMP,
	.odd = odd,
	.kind_of = kind_of,
	.partial = !IS_ENABLED(CONFIG_FPU),
	/* Kernels that run them have floating point. */
	.sequences = IS_ENABLED(CONFIG_FPU) ? sequences : NULL,
	.not_run = "not-run/riscv64.txt",
};
