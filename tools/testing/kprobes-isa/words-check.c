// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks of an instruction's plan and of its copy that need no other decoder: what
 * linux/kprobe_isa.h promises of any plan.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>

#include "harness.h"
#include "words-check.h"

#define COPY_SIZE	128
#define SHOWN_MAX	10

/* What was found of all instructions. */
static struct {
	u64 words, compared;
	u64 by_len[WORDS_BYTES + 1];
	u64 by_reason[KPROBE_REASONS];
	u64 by_action[KPROBE_EMULATE + 1];
	u64 far, bad;
	unsigned int longest;
} tally;

/* As long as an instruction may be and not longer, so that the sanitizer sees what reads beyond. */
static u8 *exact, *copy;

static void report(const char *what, const u8 *bytes, const struct kprobe_insn *insn)
{
	if (tally.bad++ < SHOWN_MAX)
		tap_note("%02x %02x %02x %02x %02x %02x: %s: len %u, flow %u, action %u", bytes[0],
			 bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], what, insn->len,
			 insn->flow, insn->action);
}

/* What is wrong with a plan, or NULL. */
static const char *fault_of(const struct kprobe_insn *insn, enum kprobe_reason reason)
{
	const struct kprobe_isa *isa = harness_target.isa;
	bool refused = reason != KPROBE_REASON_NONE;

	if (reason >= KPROBE_REASONS || !reason_names[reason])
		return "no reason";
	if (insn->len > isa->insn_max || insn->len % isa->align)
		return "length";
	if (!insn->len && reason != KPROBE_REASON_UNDECODABLE && reason != KPROBE_REASON_FORM)
		return "no length";
	if (!insn->len && isa->align == isa->insn_max)
		return "no length of a word";
	if (!refused && (!insn->breakpoint_len || insn->breakpoint_len > insn->len))
		return "length of the breakpoint";
	if (insn->action > KPROBE_EMULATE || insn->flow > KPROBE_FLOW_PAD)
		return "action or flow";
	if (insn->action == KPROBE_NOP && insn->flow != KPROBE_FLOW_NEXT &&
	    insn->flow != KPROBE_FLOW_PAD)
		return "a branch without effect";
	if (kprobe_insn_has_target(insn) ? insn->target % isa->align : insn->target)
		return "target";
	/* Post-handlers are not called after it, and a miss of each must be counted. */
	if (!refused && insn->action == KPROBE_RUN && kprobe_flow_is_branch(insn->flow) &&
	    !insn->branches)
		return "a copy that branches in silence";
	if (!refused && insn->branches && insn->action != KPROBE_RUN)
		return "branches without a copy";
	if (insn->exclusive < -1 || insn->exclusive > 1)
		return "exclusive";
	if (insn->exclusive > 0 && insn->flow != KPROBE_FLOW_NEXT)
		return "a branch begins a sequence";
	if (insn->executes && !insn->data_len)
		return "executes nothing";
	if (!refused && insn->may_fault && insn->action != KPROBE_EMULATE)
		return "faults without emulation";
	if (insn->state && isa->stateless)
		return "state";
	return NULL;
}

/* What is wrong with a copy, or NULL. */
static const char *fault_of_copy(const struct kprobe_insn *insn, const struct kprobe_code *code)
{
	if (code->len > code->size)
		return "a long copy";
	if (code->len % harness_target.isa->align)
		return "part of an instruction in a copy";
	if (!code->len && insn->action != KPROBE_NOP)
		return "no copy";
	return NULL;
}

/* What finds branches and pads without decoding misses none; conditional ones are jumps to it. */
static const char *fault_of_glance(const struct kprobe_insn *insn, const u8 *bytes,
				   unsigned long addr)
{
	static const u8 prefixes[] = {
		0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3
	};
	const struct kprobe_isa *isa = harness_target.isa;
	struct kprobe_insn seen = {};

	/* Prefixes come before no branch in the kernel. Without them it has 2, 5 or 6 bytes. */
	if (!isa->glance || memchr(prefixes, bytes[0], sizeof(prefixes)))
		return NULL;
	if (insn->len == 3 || insn->len == 4 || insn->len > 6 ||
	    (insn->len == 6 && bytes[0] != 0x0f))
		return NULL;
	if (isa->first_bytes[bytes[0]])
		isa->glance(&seen, bytes, addr);
	if (seen.flow == KPROBE_FLOW_JUMP_INDIRECT)
		return NULL;
	if (insn->len == 1 && insn->state != seen.state)
		return "state at a glance";
	if (!kprobe_insn_has_target(insn))
		return NULL;
	return !kprobe_insn_has_target(&seen) || seen.target != insn->target ?
		"target at a glance" : NULL;
}

/* An instruction of which bytes are missing is none. What comes after it does not count. */
static const char *fault_of_short(const u8 *bytes, const struct kprobe_insn *insn)
{
	struct kprobe_insn cut;
	u8 *end = exact + harness_target.isa->insn_max;
	unsigned int avail;

	memcpy(end - insn->len, bytes, insn->len);
	harness_target.isa->plan(&cut, end - insn->len, insn->len, harness_target.from);
	if (!insn->bundle && memcmp(&cut, insn, sizeof(cut)))
		return "another plan alone";
	for (avail = 0; avail < insn->len; avail++) {
		memcpy(end - avail, bytes, avail);
		if (harness_target.isa->plan(&cut, end - avail, avail, harness_target.from) !=
		    KPROBE_REASON_UNDECODABLE || cut.len)
			return "planned without its end";
	}
	return NULL;
}

static void emit(struct kprobe_code *code, const struct kprobe_insn *insn, const u8 *bytes)
{
	struct kprobe_insn used = *insn;

	if (insn->flow == KPROBE_FLOW_JUMP || insn->flow == KPROBE_FLOW_COND)
		used.dead = harness_target.isa->scratch;
	harness_target.isa->emit(code, &used, bytes, harness_target.from);
	tally.far += code->far;
	tally.longest = max(tally.longest, code->len);
}

/**
 * words_begin() - prepare for words_check()
 * @differences: file with known differences to other decoders
 *
 * Context: The host.
 */
void words_begin(const char *differences)
{
	exact = malloc(harness_target.isa->insn_max);
	copy = malloc(COPY_SIZE);
	if (!exact || !copy)
		exit(2);
	compare_begin(differences);
}

/**
 * words_check() - check the plan of an instruction, and its copy
 * @bytes: the instruction and what comes after it, %WORDS_BYTES in all
 * @compared: compare it with other decoders too
 *
 * Context: The host, after words_begin().
 */
void words_check(const u8 *bytes, bool compared)
{
	const struct kprobe_isa *isa = harness_target.isa;
	/* Not on the stack, which sanitizers mark in each call. */
	static struct kprobe_insn insn, with_slot;
	static struct kprobe_code code;
	enum kprobe_reason reason;
	const char *fault;

	code = (struct kprobe_code){ .buf = copy, .size = COPY_SIZE, .base = harness_target.near };
	reason = isa->plan(&insn, bytes, isa->insn_max, harness_target.from);
	fault = fault_of(&insn, reason) ?: fault_of_glance(&insn, bytes, harness_target.from);
	tally.words++;
	tally.by_len[min_t(unsigned int, insn.len, WORDS_BYTES)]++;
	tally.by_reason[min_t(unsigned int, reason, KPROBE_REASONS - 1)]++;
	if (!fault && reason == KPROBE_REASON_NONE) {
		tally.by_action[insn.action]++;
		with_slot = insn;
		/* With its delay slot it may be refused. */
		if (!insn.bundle || isa->plan(&with_slot, bytes, WORDS_BYTES,
					      harness_target.from) == KPROBE_REASON_NONE) {
			if (!with_slot.no_copy || insn.action == KPROBE_RUN)
				emit(&code, &with_slot, bytes);
			else
				code.len = isa->align;
			fault = fault_of_copy(&insn, &code);
		}
	}
	if (compared) {
		tally.compared++;
		fault = fault ?: fault_of_short(bytes, &insn);
		compare(bytes, &insn, reason, insn.bundle || insn.no_copy ? NULL : &code);
	}
	if (fault)
		report(fault, bytes, &insn);
}

/**
 * words_end() - print what was found
 * @all: all words were planned, not a sample
 *
 * Context: The host.
 * Return: Whether there was another decoder.
 */
bool words_end(bool all)
{
	bool compared;

	unsigned int i;

	tap_note("%llu words planned, %llu of them compared", (unsigned long long)tally.words,
		 (unsigned long long)tally.compared);
	for (i = 0; i <= WORDS_BYTES; i++)
		if (tally.by_len[i])
			tap_note("length %u: %llu", i, (unsigned long long)tally.by_len[i]);
	for (i = 0; i < KPROBE_REASONS; i++)
		if (tally.by_reason[i])
			tap_note("%s: %llu", i ? reason_names[i] ?: "?" : "accepted",
				 (unsigned long long)tally.by_reason[i]);
	tap_note("run %llu, nop %llu, emulate %llu", (unsigned long long)tally.by_action[0],
		 (unsigned long long)tally.by_action[1], (unsigned long long)tally.by_action[2]);
	tap_note("copies of %u bytes at most, %llu out of reach", tally.longest,
		 (unsigned long long)tally.far);
	tap_result(tally.words && !tally.bad, "plans and copies of %s words",
		   all ? "all" : "a sample of");
	compared = compare_end(all);
	free(exact);
	free(copy);
	return compared;
}
