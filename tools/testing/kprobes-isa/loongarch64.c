// SPDX-License-Identifier: GPL-2.0-or-later
/* LoongArch, 64 bit. */
#include <ctype.h>
#include <string.h>

#include "harness.h"

/* Words that are no instruction. */
static const char *const odd[] = { "<unknown>", NULL };

/*
 * General registers are "r", those of floating point "f", vectors "v" and "x", control registers
 * "fcsr", flags "fcc".
 */
static const char *kind_of(const char *name)
{
	static const char *const general[] = { "zero", "ra", "tp", "sp", "fp", NULL };
	const char *const *g = general;

	while (*g && strcmp(*g, name))
		g++;
	if (*g || (strchr("rast", name[0]) && isdigit(name[1])))
		return "r";
	if (name[0] == 'f' && strchr("ast", name[1]) && isdigit(name[2]))
		return "f";
	if (!strncmp(name, "fcsr", strlen("fcsr")))
		return "fcsr";
	if (!strncmp(name, "fcc", strlen("fcc")))
		return "fcc";
	if (name[1] == 'r' && isdigit(name[2]))
		return name[0] == 'v' ? "v" : name[0] == 'x' ? "x" : NULL;
	return NULL;
}

static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/loongarch/sequences.S", SEQUENCES_RUN, NULL
};

const struct harness_target harness_target = {
	.name = "loongarch64",
	.isa = &loongarch_kprobe_isa,
	.from = 0x9000000000234560,
	.near = 0x9000000001235560,
	.away = 0x9000000010000000,
	.entry_nop = 8,
	.bug_size = 12,
	.objdump = "./loongarch64-objdump",
	.odd = odd,
	.sequences = sequences,
	.not_run = "not-run/loongarch64.txt",
	.kind_of = kind_of,
};
