// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether an instruction can be probed where it stands, on architectures where
 * neighbouring instructions belong together: delay slots, sequences that no exception
 * may interrupt, text that is read as data. And which registers are dead there, so that
 * a detour may use them.
 *
 * The functions here depend on their arguments alone and keep nothing.
 */
#include <linux/kernel.h>

#include "function.h"
#include "site.h"

/* Longer sequences than this make progress on no CPU. */
#define EXCLUSIVE_MAX	32

/* Instructions that are looked at for a register, and branches, one in another. */
#define LIFE_MAX	32
#define BRANCHES_MAX	3

/* More than any instruction. */
#define BYTES_MAX	16

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
 * struct walk - on the way through a function to a site
 * @site:   the site
 * @slots:  how many of the instructions that follow are in delay slots
 * @window: how many may be in a sequence that has begun
 * @read:   the site is read or executed where it stands
 */
struct walk {
	unsigned long site;
	unsigned int slots;
	unsigned int window;
	bool read;
};

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
}

static enum kprobe_reason judge_site(const struct walk *w, const struct kprobe_insn *insn)
{
	if (w->slots)
		return KPROBE_REASON_DELAY_SLOT;
	if (w->window || insn->exclusive)
		return KPROBE_REASON_EXCLUSIVE;
	return KPROBE_REASON_NONE;
}

/**
 * kprobe_scan_site() - may a probe be at this place of its function?
 * @isa:  the instruction set
 * @text: what is known of the text
 * @site: the place
 *
 * What the instruction alone tells is left to kprobe_isa.plan().
 *
 * Context: As the functions of @text.
 * Return: %KPROBE_REASON_NONE, %KPROBE_REASON_NO_TEXT, %KPROBE_REASON_INSIDE,
 * %KPROBE_REASON_DELAY_SLOT, %KPROBE_REASON_EXCLUSIVE, or %KPROBE_REASON_RESERVED
 * for text that the function itself reads or executes where it stands.
 */
enum kprobe_reason kprobe_scan_site(const struct kprobe_isa *isa,
				    const struct kprobe_text *text, unsigned long site)
{
	enum kprobe_reason reason = KPROBE_REASON_INSIDE;
	struct walk w = { .site = site };
	struct kprobe_function f;
	struct kprobe_insn insn;
	unsigned long addr;

	if (!text->find(text, site, &f))
		return KPROBE_REASON_NO_TEXT;
	for (addr = f.start; addr < f.end; addr += insn.len) {
		plan_at(isa, text, addr, f.end, &insn);
		if (!insn.len)
			break;
		if (addr == site)
			reason = judge_site(&w, &insn);
		pass(&w, &insn);
	}
	return w.read ? KPROBE_REASON_RESERVED : reason;
}
NOKPROBE_SYMBOL(kprobe_scan_site);

/**
 * struct life - what is known of registers from some place on
 * @isa:      the instruction set
 * @text:     the text
 * @function: the function
 * @addr:     how far it was looked
 * @read:     those that are read before they are written
 * @dead:     those that are written before they are read
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

/* What is executed before the branch is taken, or perhaps not. */
static void pass_delay_slots(struct life *l, unsigned int nr)
{
	struct kprobe_insn insn;

	while (nr--) {
		plan_next(l, &insn);
		note_use(l, &insn, false);
	}
}

/* By convention nobody passes a value in those, to whom is called or calls. */
static u32 dead_elsewhere(const struct life *l)
{
	return l->isa->scratch & ~l->read;
}

/* Not the convention of a function's cold part, nor of anything's middle. */
static bool is_entry(const struct kprobe_text *text, unsigned long addr)
{
	struct kprobe_function f;

	return text->find(text, addr, &f) && f.kind == KPROBE_SYMBOL_FUNCTION &&
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

/* Both ways: dead is what is dead on each. */
static u32 dead_after_cond(const struct life *l, unsigned long target,
			   unsigned int branches)
{
	struct life next = *l;

	return dead_at_target(l, target, branches) & find_dead(&next, branches);
}

/* How many of the instructions that follow may not take effect. */
static unsigned int uncertain_after(const struct kprobe_insn *insn, unsigned int uncertain)
{
	if (insn->may_skip)
		return 1;
	if (insn->bundle && insn->flow == KPROBE_FLOW_NEXT)
		return insn->bundle;
	return uncertain ? uncertain - 1 : 0;
}

/* A fixup, or what is to be written there, may go on elsewhere. */
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
		case KPROBE_FLOW_CALL:
		case KPROBE_FLOW_CALL_INDIRECT:
			return dead_elsewhere(l);
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

/**
 * kprobe_dead_scratch() - which registers may a jump at a place use?
 * @isa:      the instruction set
 * @text:     what is known of the text
 * @function: the function around the place
 * @addr:     the place
 *
 * Context: As the functions of @text.
 * Return: Those of kprobe_isa.scratch that are written, or left behind, before
 * anybody can read them from there on.
 */
u32 kprobe_dead_scratch(const struct kprobe_isa *isa, const struct kprobe_text *text,
			const struct kprobe_function *function, unsigned long addr)
{
	struct life l = { .isa = isa, .text = text, .function = function, .addr = addr };

	return find_dead(&l, BRANCHES_MAX) & isa->scratch;
}
NOKPROBE_SYMBOL(kprobe_dead_scratch);
