// SPDX-License-Identifier: GPL-2.0-or-later
/* Arm, A32, little endian. */
#include "arm-class.h"
#include "harness.h"

/* Data, and what objdump does not know. */
static const char *const odd[] = { ".word", ".short", ".byte", "@ <UNDEFINED>", NULL };

static const char *const sequences[] = {
	"../../../kernel/kprobes/tests/arch/arm/sequences.S",
	"../../../kernel/kprobes/tests/arch/arm/sequences-both.inc",
	SEQUENCES_RUN,
	NULL
};

const struct harness_target harness_target = {
	.name = "arm",
	.isa = &arm_kprobe_isa,
	.from = 0xc0234560,
	.near = 0xc0235560,
	.away = 0xc4000000,
	.entry_nop = 4,
	.bug_size = 12,
	.bug_absolute = 4,
	.jump_absolute = 4,
	.fixup_size = 8,
	.fixup_absolute = 4,
	.objdump = OBJDUMP,
	.odd = odd,
	.kind_of = arm_kind_of,
	.shorten = arm_shorten,
	.sequences = sequences,
	.not_run = "not-run/arm.txt",
};
