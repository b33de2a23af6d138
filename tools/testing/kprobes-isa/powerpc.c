// SPDX-License-Identifier: GPL-2.0-or-later
/* PowerPC of 64 bit in either byte order, or of 32 bit. */
#include <ctype.h>
#include <string.h>

#include "harness.h"

/* Data, and words that are no instruction. */
static const char *const odd[] = { ".long", ".byte", ".short", NULL };

/*
 * General registers are "r", those of floating point "f", of vectors "v" and "vs"; fields of
 * conditions are "c".
 */
static const char *kind_of(const char *name)
{
	static const char *const kinds[] = { "cr", "vs", "r", "f", "v", "a", NULL };
	const char *const *kind;

	for (kind = kinds; *kind; kind++)
		if (!strncmp(name, *kind, strlen(*kind)) && isdigit(name[strlen(*kind)]))
			return *kind;
	if (strstr(" lt gt eq so ", name) && strlen(name) == 2)
		return "c";
	return !strncmp(name, "c0", 2) ? "n" : NULL;
}

#ifdef SEQUENCES_RUN
static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/powerpc/sequences.S", SEQUENCES_RUN, NULL
};
#endif

const struct harness_target harness_target = {
	.isa = &powerpc_kprobe_isa,
#if defined(CONFIG_CPU_LITTLE_ENDIAN)
	.name = "ppc64le",
	.objdump = "powerpc64le-linux-gnu-objdump -d -w -M power10",
#elif defined(CONFIG_PPC64)
	.name = "ppc64",
	.objdump = "powerpc64-linux-gnu-objdump -d -w -M power10",
#else
	.name = "ppc32",
	.objdump = "powerpc-linux-gnu-objdump -d -w",
#endif
	/* A branch reaches back from the last of these, but not if it goes further. */
#ifdef CONFIG_PPC64
	.from = 0xc000000000234560,
	.near = 0xc000000000235560,
	.away = 0xc000000002234560,
#else
	.from = 0xc0234560,
	.near = 0xc0235560,
	.away = 0xc2234560,
#endif
	.big_endian = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN),
	.bug_size = 12,
	.fixup_size = 8,
	.odd = odd,
	.kind_of = kind_of,
#ifdef SEQUENCES_RUN
	.sequences = sequences,
#ifdef CONFIG_PPC64
	.not_run = "not-run/ppc64le.txt",
#else
	.not_run = "not-run/ppc32.txt",
#endif
#endif
};
