// SPDX-License-Identifier: GPL-2.0-or-later
/* Classes of arm's instructions, A32 and T32, by what objdump shows of them. */
#include <ctype.h>
#include <string.h>

#include "arm-class.h"

/*
 * Kinds of operands. General registers are "r", but sp and pc are themselves. Registers of
 * floating point and SIMD are named by their size. Shifts are part of the class. All others are
 * "o": status and system registers, coprocessors, operands of barriers.
 */
const char *arm_kind_of(const char *name)
{
	static const char *const parts[] = { "sp", "pc", "lsl", "lsr", "asr", "ror", "rrx", NULL };
	static const char *const general[] = { "sl", "fp", "ip", "lr", NULL };
	static const char *const sized[] = { "r", "s", "d", "q", NULL };
	const char *const *p;

	for (p = parts; *p; p++)
		if (!strcmp(name, *p))
			return NULL;
	for (p = general; *p; p++)
		if (!strcmp(name, *p))
			return "r";
	for (p = sized; *p; p++)
		if (name[0] == **p && isdigit(name[1]))
			return *p;
	return isxdigit(name[0]) && name[strspn(name, "0123456789abcdef")] == 0 ? "n" : "o";
}

/* The condition is not part of the class. It comes last, or in front of a type. */
void arm_shorten(char *mnemonic)
{
	static const char *const conditions[] = {
		"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
		NULL
	};
	static const char *const whole[] = {
		"teq", "mls", "smmls", "vmls", "vcls", "vceq", "vcge", "vcgt", "vcle", "vclt",
		"movs", "lsls", "bics", "adcs", "sbcs", "rscs", "muls", "svc", "hvc", "hlt", NULL
	};
	size_t len = strcspn(mnemonic, ".");
	const char *const *p;

	for (p = whole; *p; p++)
		if (strlen(*p) == len && !strncmp(mnemonic, *p, len))
			return;
	for (p = conditions; *p; p++)
		if (len > 2 && !strncmp(mnemonic + len - 2, *p, 2)) {
			memmove(mnemonic + len - 2, mnemonic + len, strlen(mnemonic + len) + 1);
			return;
		}
}
