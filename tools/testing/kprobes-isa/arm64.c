// SPDX-License-Identifier: GPL-2.0-or-later
/* arm64, as in a kernel with BTI. */
#include <ctype.h>
#include <string.h>

#include "harness.h"

/* Data, and what objdump does not know. */
static const char *const odd[] = { ".word", ".short", ".byte", ".inst", "udf", NULL };

/*
 * Kinds of operands. General registers are "r". Vectors are named by their elements, and
 * scalars in vector registers by their size. Shifts and extensions are part of the class.
 * Addresses are "n" like other numbers. All others are "o": conditions, system registers,
 * and operands of barriers, prefetches and cache maintenance.
 */
static const char *kind_of(const char *name)
{
	static const char *const parts[] = {
		"sp", "wsp", "lsl", "lsr", "asr", "ror", "msl", "uxtb", "uxth", "uxtw", "uxtx",
		"sxtb", "sxth", "sxtw", "sxtx", NULL
	};
	static const char *const scalars[] = { "b", "h", "s", "d", "q", NULL };
	const char *const *p;

	for (p = parts; *p; p++)
		if (!strcmp(name, *p))
			return NULL;
	for (p = scalars; *p; p++)
		if (name[0] == **p && isdigit(name[1]))
			return *p;
	if (!strncmp(name, "ffff", 4))
		return "n";
	if (strchr("wx", name[0]) && (isdigit(name[1]) || !strcmp(name + 1, "zr")))
		return "r";
	if (strchr("vzp", name[0]) && isdigit(name[1]))
		return strchr(name, '.') ?: "z";
	return "o";
}

static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/arm64/sequences.S",
	SEQUENCES_RUN,
	NULL
};

const struct harness_target harness_target = {
	.name = "arm64",
	.isa = &arm64_kprobe_isa,
	.from = 0xffff800080234560,
	.near = 0xffff800081235560,
	.away = 0xffff800090000000,
	/* Only ftrace writes the second word of its nops, and a probe is on the first. */
	.entry_nop = 0,
	.bug_size = 12,
	.objdump = "aarch64-linux-gnu-objdump -d -w",
	.odd = odd,
	.kind_of = kind_of,
	.sequences = sequences,
	.not_run = "not-run/arm64.txt",
};
