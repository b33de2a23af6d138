// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares what an instruction did and what its copy did. */
#include <stdio.h>
#include <string.h>
#include <linux/kernel.h>

#include "execute.h"

static const struct execute_arch *const arch = &execute_arch;

static const char *compare_memory(const struct machine_result *a, const struct machine_result *b,
				  const struct execute_subject *s, unsigned long sp)
{
	unsigned int sp_reg = machine_sp(), i = 0, j = 0;
	unsigned long top = min_t(unsigned long, sp, b->regs[sp_reg].number);
	const struct machine_change *x, *y;

	while (i < a->nr_changes || j < b->nr_changes) {
		x = i < a->nr_changes ? &a->changes[i] : NULL;
		y = j < b->nr_changes ? &b->changes[j] : NULL;
		if (x && y && x->addr == y->addr && x->value == y->value)
			i++;
		else if (!y || (x && x->addr <= y->addr))
			return "memory";
		else if (y->addr < b->lowest || y->addr >= top)
			return y->addr < top && y->addr >= top - 512 ? "memory below the stack" :
								       "memory";
		j++;
	}
	return NULL;
}

static bool is_dead(const struct execute_subject *s, unsigned int reg)
{
	return reg < 32 && s->insn.dead >> reg & 1;
}

static const char *compare_registers(const struct machine_result *a,
				     const struct machine_result *b,
				     const struct execute_subject *s)
{
	unsigned int ignored = arch->ignore ? arch->ignore(s->bytes, s->insn.len) : arch->nr_regs;
	static char what[64];
	unsigned int i;

	for (i = 0; i < arch->nr_regs; i++) {
		if (is_dead(s, i) || i == ignored ||
		    !memcmp(&a->regs[i], &b->regs[i], sizeof(a->regs[i])))
			continue;
		snprintf(what, sizeof(what), "register %u: %lx, %lx", i,
			 (unsigned long)a->regs[i].number, (unsigned long)b->regs[i].number);
		return what;
	}
	return NULL;
}

static const char *compare_ends(const struct machine_result *a, const struct machine_result *b,
				const struct execute_subject *s)
{
	static char what[64];

	snprintf(what, sizeof(what), "end: %u at %lx, %u at %lx", a->end,
		 a->end ? a->fault : a->pc, b->end, b->end ? b->fault : b->pc);
	/* If the CPU does not know the instruction then it may know others that the copy has. */
	if (a->end == MACHINE_UNDEFINED || a->end == MACHINE_ABORTED)
		return NULL;
	if (a->end != b->end)
		return what;
	if (a->end == MACHINE_WENT)
		return a->pc == b->pc || (a->pc == s->addr + s->len &&
					  b->pc == s->slot + s->copied) ? NULL : what;
	if (a->fault != b->fault || a->write != b->write)
		return what;
	/*
	 * What is in a delay slot comes after a branch there, too. Only slots have to have it right
	 * behind: detours have copies of branches whose slots have none.
	 */
	if (a->end == MACHINE_FAULT && (!a->at || s->insn.may_fault) &&
	    b->at != s->insn.fault + a->at)
		return "offset of the instruction that faults";
	return NULL;
}

/**
 * execute_compare() - compare what an instruction and its copy did
 * @a:  what the instruction did
 * @b:  what the copy did
 * @s:  both
 * @sp: the stack pointer before them
 *
 * Context: The host.
 * Return: What differs, NULL if nothing does.
 */
const char *execute_compare(const struct machine_result *a, const struct machine_result *b,
			    const struct execute_subject *s, unsigned long sp)
{
	const char *what;

	/* In a block Unicorn goes on with what an instruction does after a write that fails. */
	if (s->in_block && a->end == MACHINE_FAULT && a->write)
		return b->end == MACHINE_FAULT && b->write ? NULL : "no fault";
	what = compare_ends(a, b, s);
	if (!what && a->end < MACHINE_UNDEFINED)
		what = compare_registers(a, b, s) ?: compare_memory(a, b, s, sp);
	return what;
}
