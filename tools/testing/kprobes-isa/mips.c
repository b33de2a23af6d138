// SPDX-License-Identifier: GPL-2.0-or-later
/* MIPS: 64 bit little-endian, also of release 6, and 32 bit big-endian. */
#include <ctype.h>
#include <string.h>

#include "harness.h"

/* Data, and words that are no instruction. */
static const char *const odd[] = { ".word", ".short", ".byte", "0x", NULL };

/*
 * General registers are "r", those of floating point "f", of MSA "w", accumulators "ac", control
 * registers "c0", "c1" and "msa".
 */
static const char *kind_of(const char *name)
{
	static const char *const general[] = { "zero", "at", "gp", "sp", "ra", "s8", NULL };
	static const char *const others[] = { "f", "w", "ac", "c0", "c1", "msa", NULL };
	const char *const *g = general;

	while (*g && strcmp(*g, name))
		g++;
	if (*g || (strchr("vatsk", name[0]) && isdigit(name[1]) && !name[2]))
		return "r";
	for (g = others; *g; g++)
		if (!strncmp(name, *g, strlen(*g)) &&
		    (isdigit(name[strlen(*g)]) || name[strlen(*g)] == '_'))
			return *g;
	return NULL;
}

/* Those of 64 bit. Of 32 bit fewer are made of the table, and excuses would be left over. */
#ifdef SEQUENCES_RUN
static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/mips/sequences.S", SEQUENCES_RUN, NULL
};
#endif

#define SIGN		(IS_ENABLED(CONFIG_64BIT) ? 0xffffffff00000000UL : 0)
/* Of an address in a table */
#define WORD		(IS_ENABLED(CONFIG_64BIT) ? 8 : 4)

/* Of addresses and jumps in segments of 256 MB. */
const struct harness_target harness_target = {
	.name = IS_ENABLED(CONFIG_CPU_MIPSR6) ? "mips64r6el" :
		IS_ENABLED(CONFIG_64BIT) ? "mips64el" : "mips32",
	.isa = &mips_kprobe_isa,
	.from = SIGN | 0x80234560,
	.near = SIGN | 0x81235560,
	.away = SIGN | 0xc0010000,
	.big_endian = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN),
	.jump_absolute = WORD,
	.fixup_size = 2 * WORD,
	.fixup_absolute = WORD,
	.objdump = IS_ENABLED(CONFIG_64BIT) ? "mips64el-linux-gnuabi64-objdump -d -w" :
					      "mips-linux-gnu-objdump -d -w",
	.odd = odd,
	.kind_of = kind_of,
#ifdef SEQUENCES_RUN
	.sequences = sequences,
	.not_run = IS_ENABLED(CONFIG_CPU_MIPSR6) ? "not-run/mips64r6el.txt" :
						   "not-run/mips64el.txt",
#endif
};
