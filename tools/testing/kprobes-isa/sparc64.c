// SPDX-License-Identifier: GPL-2.0-or-later
/* sparc64. Text is in the first 4 GB, where the kernel's is linked and modules are loaded. */
#include <ctype.h>
#include <string.h>

#include "harness.h"

/* Data, and what objdump does not know. */
static const char *const odd[] = { ".word", ".byte", "unknown", NULL };

/*
 * Kinds of operands. Names of registers follow a "%". General registers are "r", those of
 * floating point "f", address spaces "asi". Parts of an address, condition codes and state
 * registers are themselves.
 */
static const char *kind_of(const char *name)
{
	if (!strcmp(name, "sp") || !strcmp(name, "fp"))
		return "r";
	if (strchr("gilo", name[0]) && isdigit(name[1]) && !name[2])
		return "r";
	if (name[0] == 'f' && isdigit(name[1]))
		return "f";
	if (!strncmp(name, "ASI_", 4))
		return "asi";
	return NULL;
}

const struct harness_target harness_target = {
	.name = "sparc64",
	.isa = &sparc_kprobe_isa,
	.from = 0x612340,
	.near = 0x613340,
	.away = 0x10012340,
	.big_endian = true,
	.bug_size = 12,
	.jump_absolute = 4,
	.fixup_size = 8,
	.fixup_absolute = 4,
	.objdump = "sparc64-linux-gnu-objdump -d -w -m sparc:v9v",
	.odd = odd,
	.kind_of = kind_of,
};
