// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks whether an instruction can be probed, as far as that depends on the function
 * around it: delay slots, sequences that no exception may interrupt, text that is read as
 * data. Also finds registers that are dead at an instruction, so that a jump may use them.
 *
 * The functions here depend on their arguments alone and keep no state.
 */
#include <linux/kernel.h>
#include <linux/sizes.h>

#include "function.h"
#include "site.h"

/* No CPU guarantees that longer exclusive sequences succeed. */
#define EXCLUSIVE_MAX	32

/* How many instructions are searched for uses of a register, and how deep in branches. */
#define LIFE_MAX	32
#define BRANCHES_MAX	3

/* At least as long as the longest instruction of any architecture. */
#define BYTES_MAX	16

/*
 * How far from a function is_literal() looks for code that loads from it, and how much of that code
 * it reads at once.
 */
#define NEIGHBOURHOOD	SZ_4K
#define PIECE		256

static enum kprobe_reason plan_at(const struct kprobe_isa *isa,
				  const struct kprobe_text *text, unsigned long addr,
				  unsigned long end, struct kprobe_insn *insn)
{
	u8 bytes[BYTES_MAX];
	size_t avail;

	avail = text->read(addr, bytes, min_t(size_t, isa->insn_max, end - addr));
	return isa->plan(insn, bytes, avail, addr);
}

/**
 * struct walk - state while a function is decoded
 * @site:   the site of the new probe
 * @slots:  how many of the next instructions are in delay slots
 * @window: how many of the next instructions may be in an exclusive sequence
 * @read:   an instruction reads or executes the text at the site as data
 * @landing: the last address up to the site that a branch leads to, or the function's start
 * @taken:  the last address up to the site that an instruction takes
 * @fresh:  the same, while no branch has come since; 0 if none
 * @ended:  the last address up to the site that the instruction in front does not go on to
 * @open:   the last instruction that is not a nop goes on, or is none
 */
struct walk {
	unsigned long site;
	unsigned int slots;
	unsigned int window;
	bool read;
	unsigned long landing;
	unsigned long taken;
	unsigned long fresh;
	unsigned long ended;
	bool open;
};

/*
 * Notes which addresses an instruction takes or leads to. An address taken before an indirect jump,
 * with no other branch in between, is code: the first place of a jump table.
 */
static void note_addresses(struct walk *w, const struct kprobe_insn *insn)
{
	if (insn->takes_address && insn->data <= w->site)
		w->fresh = max(w->fresh, insn->data);
	if (insn->flow == KPROBE_FLOW_NEXT)
		return;
	if (kprobe_insn_has_target(insn) && insn->target <= w->site)
		w->landing = max(w->landing, insn->target);
	if (insn->flow != KPROBE_FLOW_JUMP_INDIRECT)
		w->taken = max(w->taken, w->fresh);
	w->fresh = 0;
}

/*
 * Notes whether execution goes on after an instruction. It may not after a call, if the called
 * function does not return.
 */
static void note_flow(struct walk *w, const struct kprobe_insn *insn, enum kprobe_reason reason,
		      unsigned long next)
{
	bool ends = kprobe_insn_ends_flow(insn) || reason == KPROBE_REASON_TRAP;

	if (reason || insn->action != KPROBE_NOP)
		w->open = !ends && insn->flow != KPROBE_FLOW_CALL;
	if (next <= w->site && (ends || reason == KPROBE_REASON_UNDECODABLE))
		w->ended = next;
}

static void pass(struct walk *w, const struct kprobe_insn *insn)
{
	if (w->slots)
		w->slots--;
	if (insn->bundle && insn->flow != KPROBE_FLOW_NEXT)
		w->slots = insn->bundle;
	if (w->window)
		w->window--;
	if (insn->exclusive)
		w->window = insn->exclusive > 0 ? EXCLUSIVE_MAX : 0;
	w->read |= w->site - insn->data < insn->data_len;
	note_addresses(w, insn);
}

/*
 * Is the site in data of unknown size, which instructions only take the address of? Such data
 * begins at the address taken, behind an instruction that execution does not go on from. It ends
 * where a branch leads to code.
 */
static bool is_in_data(const struct kprobe_isa *isa, const struct kprobe_text *text,
		       const struct walk *w, unsigned long end)
{
	struct kprobe_insn insn;
	unsigned long addr;

	if (w->taken <= w->landing)
		return false;
	for (addr = w->landing; addr < w->taken; addr += insn.len) {
		plan_at(isa, text, addr, end, &insn);
		if (!insn.len)
			return false;
		if (kprobe_insn_ends_flow(&insn))
			return true;
	}
	return false;
}

/* Does an instruction in some text load from the site? Each aligned address may begin one. */
static bool is_loaded_from(const struct kprobe_isa *isa, const struct kprobe_text *text,
			   unsigned long from, unsigned long to, unsigned long site)
{
	struct kprobe_insn insn;
	u8 piece[PIECE];
	size_t avail, at;

	for (; from < to; from += PIECE) {
		avail = text->read(from, piece, min_t(size_t, PIECE, to - from));
		for (at = 0; at < avail; at += isa->align) {
			isa->plan(&insn, piece + at, avail - at, from + at);
			if (site - insn.data < insn.data_len)
				return true;
		}
	}
	return false;
}

/*
 * Is the site in a literal that another function loads? That is searched for only if no instruction
 * leads to the site, or if execution seems to go on after the end of the function around it, as it
 * does if a literal has a symbol of its own. Nearly all text is neither.
 */
static bool is_literal(const struct kprobe_isa *isa, const struct kprobe_text *text,
		       const struct walk *w, const struct kprobe_function *f)
{
	if (w->ended <= w->landing && !w->open)
		return false;
	return is_loaded_from(isa, text, f->start - NEIGHBOURHOOD, f->start, w->site) ||
	       is_loaded_from(isa, text, f->end, f->end + NEIGHBOURHOOD, w->site);
}

static enum kprobe_reason judge_site(const struct walk *w, const struct kprobe_insn *insn)
{
	if (w->slots)
		return KPROBE_REASON_DELAY_SLOT;
	if (w->window || insn->exclusive)
		return KPROBE_REASON_EXCLUSIVE;
	return KPROBE_REASON_NONE;
}

/*
 * Does the function around a site permit a probe there? kprobe_isa.plan() decides on the
 * instruction itself. KPROBE_REASON_RESERVED is for text that is read as data.
 */
enum kprobe_reason kprobe_scan_site(const struct kprobe_isa *isa,
				    const struct kprobe_text *text, unsigned long site)
{
	enum kprobe_reason reason = KPROBE_REASON_INSIDE;
	struct walk w = { .site = site };
	enum kprobe_reason planned;
	struct kprobe_function f;
	struct kprobe_insn insn;
	unsigned long addr;

	if (!text->find(text->lookup, site, &f))
		return KPROBE_REASON_NO_TEXT;
	w.landing = f.start;
	for (addr = f.start; addr < f.end; addr += insn.len) {
		planned = plan_at(isa, text, addr, f.end, &insn);
		if (!insn.len)
			break;
		if (addr == site)
			reason = judge_site(&w, &insn);
		pass(&w, &insn);
		note_flow(&w, &insn, planned, addr + insn.len);
	}
	if (w.read || is_in_data(isa, text, &w, f.end))
		return KPROBE_REASON_RESERVED;
	if (!reason && is_literal(isa, text, &w, &f))
		return KPROBE_REASON_RESERVED;
	return reason;
}

/**
 * struct life - liveness of registers at some address
 * @isa:      the instruction set
 * @text:     the text
 * @function: the function
 * @addr:     the next instruction to look at
 * @read:     registers that are read before they are written
 * @dead:     registers that are written before they are read
 */
struct life {
	const struct kprobe_isa *isa;
	const struct kprobe_text *text;
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
	if (l->addr >= l->function->start && l->addr < l->function->end)
		plan_at(l->isa, l->text, l->addr, l->function->end, insn);
	l->addr += insn->len;
}

/* Notes uses by instructions in delay slots, which are not executed for certain. */
static void pass_delay_slots(struct life *l, unsigned int nr)
{
	struct kprobe_insn insn;

	while (nr--) {
		plan_next(l, &insn);
		note_use(l, &insn, false);
	}
}

/*
 * The registers that are dead at a return and at a function's entry: by the calling
 * convention no value is passed in scratch registers.
 */
static u32 dead_elsewhere(const struct life *l)
{
	return l->isa->scratch & ~l->read;
}

/* The calling convention holds at entries of functions, not inside them or in cold parts. */
static bool is_entry(const struct kprobe_text *text, unsigned long addr)
{
	struct kprobe_function f;

	return text->find(text->lookup, addr, &f) && f.kind == KPROBE_SYMBOL_FUNCTION &&
	       f.start == addr;
}

static u32 dead_at_target(const struct life *l, unsigned long target,
			  unsigned int branches)
{
	struct life there = { .isa = l->isa, .text = l->text,
			      .function = l->function, .addr = target };

	if (target < l->function->start || target >= l->function->end)
		return is_entry(l->text, target) ? dead_elsewhere(l) : l->dead;
	return l->dead | (find_dead(&there, branches) & ~l->read);
}

/* A register is dead at a conditional branch if it is dead on both ways. */
static u32 dead_after_cond(const struct life *l, unsigned long target,
			   unsigned int branches)
{
	struct life next = *l;

	return dead_at_target(l, target, branches) & find_dead(&next, branches);
}

/* How many of the next instructions are executed conditionally. */
static unsigned int uncertain_after(const struct kprobe_insn *insn, unsigned int uncertain)
{
	if (insn->may_skip)
		return 1;
	if (insn->bundle && insn->flow == KPROBE_FLOW_NEXT)
		return insn->bundle;
	return uncertain ? uncertain - 1 : 0;
}

/* May execution continue elsewhere: at a fixup, or at a jump label's target? */
static bool may_divert(const struct life *l, const struct kprobe_insn *insn)
{
	return l->text->may_fault(l->text, l->addr - insn->len, l->addr) ||
	       l->text->is_reserved(l->text, l->addr - insn->len, l->addr);
}

static u32 find_dead(struct life *l, unsigned int branches)
{
	unsigned int i, uncertain = 0;
	struct kprobe_insn insn;

	for (i = 0; i < LIFE_MAX; i++) {
		plan_next(l, &insn);
		if (!insn.len || may_divert(l, &insn))
			break;
		note_use(l, &insn, !uncertain);
		uncertain = uncertain_after(&insn, uncertain);
		if (insn.flow != KPROBE_FLOW_NEXT)
			pass_delay_slots(l, insn.bundle);
		switch (insn.flow) {
		case KPROBE_FLOW_RETURN:
			return dead_elsewhere(l);
		case KPROBE_FLOW_CALL:
		case KPROBE_FLOW_CALL_INDIRECT:
			return l->dead | (insn.dead & ~l->read);
		case KPROBE_FLOW_JUMP_INDIRECT:
			return l->dead;
		case KPROBE_FLOW_JUMP:
			return branches ? dead_at_target(l, insn.target, branches - 1) :
					  l->dead;
		case KPROBE_FLOW_COND:
			return branches ? dead_after_cond(l, insn.target, branches - 1) :
					  l->dead;
		}
	}
	return l->dead;
}

/*
 * Finds registers of kprobe_isa.scratch that are dead at @addr: before anything reads them they are
 * certainly written, or the calling convention does not use them any longer.
 */
u32 kprobe_dead_scratch(const struct kprobe_isa *isa, const struct kprobe_text *text,
			const struct kprobe_function *function, unsigned long addr)
{
	struct life l = { .isa = isa, .text = text, .function = function, .addr = addr };

	return find_dead(&l, BRANCHES_MAX) & isa->scratch;
}
