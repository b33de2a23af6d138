// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds registers that are dead at an instruction, so that a jump may use them.
 *
 * The functions here depend on their arguments alone and keep no state.
 */
#include <linux/kernel.h>

#include "survey.h"

/* How many instructions are searched for uses of a register, and how deep in branches. */
#define LIFE_MAX	32
#define BRANCHES_MAX	3

/**
 * struct life - liveness of registers at some address
 * @survey:   the instruction set, the text, and what was read of it
 * @function: the function
 * @addr:     the next instruction to look at
 * @read:     registers that are read before they are written
 * @dead:     registers that are written before they are read
 */
struct life {
	struct kprobe_survey *survey;
	const struct kprobe_function *function;
	unsigned long addr;
	u32 read;
	u32 dead;
};

static u32 find_dead(struct life *l, unsigned int branches);

static void note_use(struct life *l, const struct kprobe_insn *insn, bool certain)
{
	l->read |= insn->reads & ~l->dead;
	if (certain)
		l->dead |= insn->writes & ~l->read;
}

static void plan_next(struct life *l, struct kprobe_insn *insn)
{
	*insn = (struct kprobe_insn){};
	if (!kprobe_is_in_function(l->function, l->addr))
		return;
	kprobe_survey_plan(l->survey, insn, l->addr, l->function->end);
	l->addr += insn->len;
}

/*
 * The registers that are dead at a return and at a function's entry: by the calling
 * convention no value is passed in scratch registers.
 */
static u32 dead_elsewhere(const struct life *l)
{
	return l->survey->isa->scratch & ~l->read;
}

static u32 dead_at_target(const struct life *l, unsigned long target, unsigned int branches)
{
	struct life there = { .survey = l->survey, .function = l->function, .addr = target };
	const struct kprobe_text *text = l->survey->text;
	struct kprobe_function f;

	if (kprobe_is_in_function(l->function, target))
		return l->dead | (find_dead(&there, branches) & ~l->read);
	/* The calling convention holds at entries of functions, not in their cold parts. */
	return text->find(text->lookup, target, &f) && f.kind == KPROBE_SYMBOL_FUNCTION &&
	       f.start == target ? dead_elsewhere(l) : l->dead;
}

/* The registers that are dead where an instruction leads that does not go on to the next one. */
static u32 dead_after(const struct life *l, const struct kprobe_insn *insn, unsigned int branches)
{
	switch (insn->flow) {
	case KPROBE_FLOW_RETURN:
		return dead_elsewhere(l);
	case KPROBE_FLOW_CALL:
	case KPROBE_FLOW_CALL_INDIRECT:
		return l->dead | (insn->dead & ~l->read);
	case KPROBE_FLOW_JUMP:
	case KPROBE_FLOW_COND:
		return branches ? dead_at_target(l, insn->target, branches - 1) : l->dead;
	default:
		return l->dead;
	}
}

static u32 find_dead(struct life *l, unsigned int branches)
{
	const struct kprobe_text *text = l->survey->text;
	unsigned int i, uncertain = 0;	/* how many of the next are executed conditionally */
	struct kprobe_insn insn, slot;
	unsigned long addr;
	struct life next;
	bool may_go_on;
	u32 dead;

	for (i = 0; i < LIFE_MAX; i++) {
		addr = l->addr;
		plan_next(l, &insn);
		/* Execution may continue elsewhere: at a fixup, or at a jump label's target. */
		if (!insn.len || text->any_in(KPROBE_TEXT_FAULTS, addr, l->addr) ||
		    text->reserved(text, addr, l->addr))
			break;
		note_use(l, &insn, !uncertain);
		may_go_on = uncertain || insn.flow == KPROBE_FLOW_COND;
		if (insn.may_skip)
			uncertain = 1;
		else if (insn.bundle && insn.flow == KPROBE_FLOW_NEXT)
			uncertain = insn.bundle;
		else if (uncertain)
			uncertain--;
		/* Those in delay slots are not executed for certain. */
		while (insn.flow != KPROBE_FLOW_NEXT && insn.bundle--) {
			plan_next(l, &slot);
			note_use(l, &slot, false);
		}
		if (insn.flow == KPROBE_FLOW_NEXT)
			continue;
		dead = dead_after(l, &insn, branches);
		if (!may_go_on)
			return dead;
		if (!branches)
			return l->dead;
		/* On both ways. */
		next = *l;
		return dead & find_dead(&next, branches - 1);
	}
	return l->dead;
}

/*
 * Finds registers of kprobe_isa.scratch that are dead at @addr: before anything reads them they are
 * certainly written, or the calling convention does not use them any longer.
 */
u32 kprobe_dead_scratch(struct kprobe_survey *s, const struct kprobe_function *function,
			unsigned long addr)
{
	struct life l = { .survey = s, .function = function, .addr = addr };

	return find_dead(&l, BRANCHES_MAX) & s->isa->scratch;
}

/*
 * Registers of kprobe_isa.scratch whose value nobody needs at @addr: if possible those that the
 * function does not use at all.
 */
u32 kprobe_free_scratch(struct kprobe_survey *s, const struct kprobe_function *function,
			unsigned long addr)
{
	u32 unused = 0;

	if (s->scanned && kprobe_is_in_function(&s->function, addr) && !s->reason &&
	    !s->scan.indirect && !kprobe_survey_whole(s))
		unused = s->isa->scratch & ~s->scan.touched;
	return unused ?: kprobe_dead_scratch(s, function, addr);
}
