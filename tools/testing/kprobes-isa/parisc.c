// SPDX-License-Identifier: GPL-2.0-or-later
/* PA-RISC, 32 bit or 64. */
#include <ctype.h>
#include <string.h>

#include "harness.h"

/* Data, which objdump shows as words. */
static const char *const odd[] = { "#", ".word", NULL };

/*
 * Kinds of operands. General registers are "r", those of the floating point unit "f", control
 * registers "c". Numbers are in hex and have no prefix. Completers belong to the mnemonic.
 */
static const char *kind_of(const char *name)
{
	static const char *const general[] = { "rp", "dp", "sp", "ret0", "ret1", NULL };
	static const char *const control[] = {
		"rctr", "pidr", "ccr", "sar", "iva", "eiem", "itmr", "pcsq", "pcoq", "iir", "isr",
		"ior", "psw", "eirr", "tr", "cr", NULL
	};
	const char *const *p;

	for (p = general; *p; p++)
		if (!strcmp(name, *p))
			return "r";
	if (name[0] == 'r' && isdigit(name[1]))
		return "r";
	if (!strncmp(name, "fr", 2) || !strncmp(name, "fpe", 3))
		return "f";
	if (!strncmp(name, "sr", 2) && isdigit(name[2]))
		return "s";
	for (p = control; *p; p++)
		if (!strncmp(name, *p, strlen(*p)))
			return "c";
	return strspn(name, "0123456789abcdef") == strlen(name) ? "n" : NULL;
}

/* Those of 64 bit. Of 32 bit fewer are made of the table, and excuses would be left over. */
#ifdef SEQUENCES_RUN
static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/parisc/sequences.S", SEQUENCES_RUN, NULL
};
#endif

const struct harness_target harness_target = {
	.isa = &parisc_kprobe_isa,
	.big_endian = true,
	.entry_nop = 4,
	.odd = odd,
	.kind_of = kind_of,
#ifdef CONFIG_64BIT
	.name = "parisc64",
	.from = 0x40234560,
	.near = 0x40235560,
	.away = 0x08000000,
	.entry_lead = 28,
	.bug_size = 8,
	.objdump = "hppa64-linux-gnu-objdump -d -w",
	.sequences = sequences,
	.not_run = "not-run/parisc64.txt",
#else
	.name = "parisc",
	.from = 0x10234560,
	.near = 0x10235560,
	.away = 0x08000000,
	.entry_lead = 16,
	.bug_size = 8,
	.bug_absolute = 4,
	.objdump = "hppa-linux-gnu-objdump -d -w",
#endif
};
