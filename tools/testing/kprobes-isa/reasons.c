// SPDX-License-Identifier: GPL-2.0-or-later
/* Names in golden tables and results: of reasons, and of what plans say. */
#include "harness.h"

const char *const reason_names[KPROBE_REASONS] = {
	[KPROBE_REASON_NONE] = "yes",
	[KPROBE_REASON_RESERVED] = "reserved",
	[KPROBE_REASON_DATA] = "data",
	[KPROBE_REASON_INSIDE] = "inside",
	[KPROBE_REASON_UNDECODABLE] = "undecodable",
	[KPROBE_REASON_TRAP] = "trap",
	[KPROBE_REASON_LEVEL] = "level",
	[KPROBE_REASON_WORLD] = "world",
	[KPROBE_REASON_LANDING_PAD] = "landing-pad",
	[KPROBE_REASON_TRANSACTION] = "transaction",
	[KPROBE_REASON_SLEEP] = "sleep",
	[KPROBE_REASON_SHADOW] = "shadow",
	[KPROBE_REASON_FORM] = "form",
	[KPROBE_REASON_EXCLUSIVE] = "exclusive",
	[KPROBE_REASON_FUNCTION_ENDS] = "function-ends",
	[KPROBE_REASON_FUNCTION_UNDECODABLE] = "function-undecodable",
	[KPROBE_REASON_FUNCTION_LARGE] = "function-large",
	[KPROBE_REASON_NOT_DISPLACED] = "not-displaced",
	[KPROBE_REASON_JOINED] = "joined",
	[KPROBE_REASON_CALL] = "call",
	[KPROBE_REASON_JUMPED_INTO] = "jumped-into",
	[KPROBE_REASON_TABLE_TARGET] = "table-target",
	[KPROBE_REASON_PART] = "part",
	[KPROBE_REASON_INDIRECT_JUMP] = "indirect-jump",
	[KPROBE_REASON_EXTABLE] = "extable",
	[KPROBE_REASON_SCRATCH] = "scratch",
	[KPROBE_REASON_DIRECTION] = "direction",
};

const char *const action_names[] = {
	[KPROBE_RUN] = "run",
	[KPROBE_NOP] = "nop",
	[KPROBE_EMULATE] = "emulate",
};

const char *const flow_names[] = {
	[KPROBE_FLOW_NEXT] = "next",
	[KPROBE_FLOW_JUMP] = "jump",
	[KPROBE_FLOW_COND] = "cond",
	[KPROBE_FLOW_CALL] = "call",
	[KPROBE_FLOW_JUMP_INDIRECT] = "jump-indirect",
	[KPROBE_FLOW_CALL_INDIRECT] = "call-indirect",
	[KPROBE_FLOW_RETURN] = "return",
	[KPROBE_FLOW_PAD] = "pad",
};
