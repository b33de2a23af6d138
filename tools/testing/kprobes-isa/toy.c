// SPDX-License-Identifier: GPL-2.0-or-later
/* The made-up instruction set of a KUnit suite. */
#include "../../../kernel/kprobes/tests/toy_isa.h"
#include "harness.h"

static const char *const odd[] = { NULL };

const struct harness_target harness_target = {
	.name = "toy",
	.isa = &toy_isa,
	.from = 0x10000,
	.near = 0x10040,
	.away = 0x20000,
	.odd = odd,
};
