// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Surveys a function: marks for each of its bytes what the function's instructions tell of it.
 *
 * An instruction begins there, a branch leads there, another instruction reads it, it belongs to
 * the instruction in front. The function is decoded once, with its cold part, and the caller keeps
 * the survey for other points in the function. Where decoding takes long (kprobe_isa.glance), a
 * search for bytes that could begin a branch takes its place as far as it suffices.
 *
 * The functions here depend on their arguments alone and keep no state. They use an
 * instruction set by its struct kprobe_isa, and text by struct kprobe_text.
 */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "survey.h"

/* No CPU guarantees that longer exclusive sequences succeed. */
#define EXCLUSIVE_MAX	32

/* How far from a function to look for code that leads to it or loads from it. */
#define NEIGHBOURHOOD	SZ_4K

static bool is_exit(const struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	return kprobe_insn_has_target(insn) && insn->flow != KPROBE_FLOW_CALL &&
	       insn->target - scan->start >= scan->end - scan->start;
}

static bool has_marks(const struct kprobe_scan *scan, unsigned long addr)
{
	return addr - scan->base < scan->size;
}

static void mark(struct kprobe_scan *scan, unsigned long addr, u8 mark)
{
	if (has_marks(scan, addr))
		scan->marks[addr - scan->base] |= mark;
}

/* Marks an address. In front of the marks the last such address is kept in @last. */
static void mark_or_keep(struct kprobe_scan *scan, unsigned long addr, u8 what,
			 unsigned long *last)
{
	mark(scan, addr, what);
	if (addr < scan->base)
		*last = max(*last, addr);
}

static bool is_pad(const struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	return insn->flow == KPROBE_FLOW_PAD && scan->isa->pads;
}

/* Marks the target of a direct branch, or a landing pad itself. */
static void mark_landing(struct kprobe_scan *scan, const struct kprobe_insn *insn,
			 unsigned long addr)
{
	if (kprobe_insn_has_target(insn))
		mark_or_keep(scan, insn->target, KPROBE_MARK_LANDED, &scan->landed);
	else if (is_pad(scan, insn))
		mark_or_keep(scan, addr, KPROBE_MARK_LANDED, &scan->landed);
}

static void mark_read(struct kprobe_scan *scan, unsigned long addr, unsigned int len)
{
	while (len--)
		mark(scan, addr++, KPROBE_MARK_READ);
}

static bool is_landed_on(const struct kprobe_scan *scan, unsigned long addr)
{
	return has_marks(scan, addr) &&
	       kprobe_scan_marks(scan, addr, addr + 1) & KPROBE_MARK_LANDED;
}

/*
 * Marks the entry of a jump table that may be at @addr. Returns its length, 0 if there is none. The
 * instruction behind a table is reached by a branch, which may be one in front of the table.
 */
static unsigned int mark_entry(struct kprobe_scan *scan, const u8 *bytes, size_t avail,
			       unsigned long addr)
{
	unsigned int len = 0;

	if (!scan->table.start || addr < scan->table.start)
		return 0;
	if (addr < scan->table.end && !is_landed_on(scan, addr))
		len = scan->isa->entry(bytes, avail, addr, &scan->table);
	if (len) {
		mark(scan, addr, KPROBE_MARK_BEGINS);
		mark_read(scan, addr, len);
		/* What nullifies its delay slot may have the table there. */
		scan->slots = 0;
		return len;
	}
	if (addr > scan->table.start)
		mark_or_keep(scan, addr, KPROBE_MARK_LANDED, &scan->landed);
	scan->table.start = 0;
	return 0;
}

/*
 * Marks a part of the literal that there may be at @addr and that an instruction in front of it
 * reads. Returns its length, 0 if there is none.
 */
static unsigned int mark_literal(struct kprobe_scan *scan, unsigned long addr)
{
	if (!scan->isa->literals || !has_marks(scan, addr) ||
	    !(kprobe_scan_marks(scan, addr, addr + 1) & KPROBE_MARK_READ))
		return 0;
	mark(scan, addr, KPROBE_MARK_BEGINS);
	return scan->isa->align;
}

static void mark_taken(struct kprobe_scan *scan)
{
	while (scan->nr_fresh)
		mark_or_keep(scan, scan->fresh[--scan->nr_fresh], KPROBE_MARK_TAKEN, &scan->taken);
}

/*
 * An address taken before an indirect jump, with no other branch in between, is code: the first
 * place of a jump table. Any other may be that of data.
 */
static void note_address(struct kprobe_scan *scan, const struct kprobe_insn *insn)
{
	if (insn->takes_address) {
		if (scan->nr_fresh == KPROBE_TAKEN_MAX)
			mark_taken(scan);
		scan->fresh[scan->nr_fresh++] = insn->data;
	}
	if (insn->flow == KPROBE_FLOW_JUMP_INDIRECT)
		scan->nr_fresh = 0;
	else if (insn->flow != KPROBE_FLOW_NEXT)
		mark_taken(scan);
}

/* Marks an instruction with what those in front of it make of it. */
static void note_joins(struct kprobe_scan *scan, const struct kprobe_insn *insn,
		       unsigned long addr)
{
	u8 marks = KPROBE_MARK_BEGINS;

	if (scan->slots) {
		marks |= KPROBE_MARK_SLOT;
		scan->slots--;
	}
	if (scan->block)
		marks |= KPROBE_MARK_SLOT;
	if (scan->exclusive || insn->exclusive)
		marks |= KPROBE_MARK_EXCLUSIVE;
	mark(scan, addr, marks);
	scan->block = scan->isa->within ? insn->block : 0;
	if (insn->bundle && insn->flow != KPROBE_FLOW_NEXT)
		scan->slots = insn->bundle;
	if (insn->exclusive)
		scan->exclusive = insn->exclusive > 0 ? EXCLUSIVE_MAX : 0;
	else if (scan->exclusive)
		scan->exclusive--;
	if (insn->may_skip)
		mark(scan, addr + insn->len, KPROBE_MARK_SKIPPED);
}

/*
 * Notes whether execution goes on after an instruction. It may not after a call, if the called
 * function does not return.
 */
static void note_flow(struct kprobe_scan *scan, const struct kprobe_insn *insn,
		      enum kprobe_reason reason, unsigned long next)
{
	bool ends = kprobe_insn_ends_flow(insn) || reason == KPROBE_REASON_TRAP;

	if (reason || insn->action != KPROBE_NOP) {
		scan->open = !ends && insn->flow != KPROBE_FLOW_CALL;
		scan->goes_on = scan->open && insn->flow != KPROBE_FLOW_CALL_INDIRECT &&
				reason != KPROBE_REASON_UNDECODABLE;
	}
	if (ends || reason == KPROBE_REASON_UNDECODABLE)
		mark_or_keep(scan, next, KPROBE_MARK_ENDED, &scan->ended);
}

/*
 * Decodes an instruction and notes in @scan what matters of it. Returns its length; 0 if the bytes
 * are no instruction or end within it.
 */
unsigned int kprobe_scan_insn(struct kprobe_scan *scan, const u8 *bytes,
			      size_t avail, unsigned long addr)
{
	enum kprobe_reason reason;
	struct kprobe_insn insn;
	unsigned int len;

	scan->exit = 0;
	len = mark_entry(scan, bytes, avail, addr) ?: mark_literal(scan, addr);
	if (len)
		return len;
	/* Instructions that cannot be probed count as well. */
	reason = scan->isa->plan(&insn, bytes, avail, addr);
	if (!insn.len)
		return 0;
	if (scan->block)
		scan->isa->within(&insn, bytes, scan->block);
	note_joins(scan, &insn, addr);
	mark_landing(scan, &insn, addr);
	mark_read(scan, insn.data, insn.data_len);
	note_address(scan, &insn);
	note_flow(scan, &insn, reason, addr + insn.len);
	if (insn.table)
		scan->table = (struct kprobe_jump_table){
			.start = addr + insn.table, .end = ~0UL, .limit = scan->end,
			.unit = insn.table_unit,
		};
	scan->indirect |= insn.flow == KPROBE_FLOW_JUMP_INDIRECT;
	scan->state |= insn.state;
	scan->touched |= insn.reads | insn.writes;
	if (is_exit(scan, &insn) && !has_marks(scan, insn.target))
		scan->exit = insn.target;
	return insn.len;
}

/* Marks where the instruction leads. True if the function must be decoded because of it. */
static bool may_matter(struct kprobe_scan *scan, const struct kprobe_insn *insn,
		       unsigned long addr)
{
	if (insn->state || insn->flow == KPROBE_FLOW_JUMP_INDIRECT)
		return true;
	if (kprobe_insn_has_target(insn) && insn->target == scan->way_out)
		return false;
	mark_landing(scan, insn, addr);
	return is_exit(scan, insn);
}

/*
 * Tries each of @nr bytes as the start of an instruction, and marks where branches lead. The true
 * instructions of the function are among those that were tried: if this returns false, they lead to
 * marked bytes or to @way_out, and nothing else about them matters. After the @nr bytes come
 * kprobe_isa.glance_len more, with zeros for those after the function's end.
 */
bool kprobe_scan_may_matter(struct kprobe_scan *scan, const u8 *bytes,
			    size_t nr, unsigned long addr)
{
	const bool *first_bytes = scan->isa->first_bytes;
	struct kprobe_insn insn = {};
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!first_bytes[bytes[i]])
			continue;
		scan->isa->glance(&insn, bytes + i, addr + i);
		if (may_matter(scan, &insn, addr + i))
			return true;
	}
	return false;
}

/* The marks that any byte from @from to the one before @to has. */
u8 kprobe_scan_marks(const struct kprobe_scan *scan, unsigned long from, unsigned long to)
{
	u8 marks = 0;

	while (from < to)
		marks |= scan->marks[from++ - scan->base];
	return marks;
}

/*
 * Reads text from @addr on, up to @end. Sets @avail to how many bytes there are: at least @least,
 * unless the text ends before. Zeros come after its last byte.
 */
const u8 *kprobe_survey_look(struct kprobe_survey *s, unsigned long addr, unsigned long end,
			     size_t least, size_t *avail)
{
	size_t seen = addr - s->addr, left = end - addr;

	if (seen > s->avail || s->avail - seen < min(least, left)) {
		s->addr = addr;
		s->avail = s->text->read(addr, s->window,
					 min_t(size_t, KPROBE_WINDOW_SIZE, left));
		memset(s->window + s->avail, 0, KPROBE_GLANCE_MAX);
		seen = 0;
	}
	*avail = min(s->avail - seen, left);
	return s->window + seen;
}

/* Plans the instruction at @addr, in text that ends at @end. */
enum kprobe_reason kprobe_survey_plan(struct kprobe_survey *s, struct kprobe_insn *insn,
				      unsigned long addr, unsigned long end)
{
	size_t avail;
	const u8 *bytes = kprobe_survey_look(s, addr, end, s->isa->insn_max, &avail);

	return s->isa->plan(insn, bytes, avail, addr);
}

/*
 * Notes what a jump that leaves the function means. It may lead to the function's cold part, to
 * another function, or to a thunk, which jumps to an unknown target. Some thunks have no symbol.
 */
static enum kprobe_reason follow_exit(struct kprobe_survey *s, unsigned long target)
{
	struct kprobe_function *part = &s->other;

	if (target == s->exit || target == s->scan.way_out ||
	    kprobe_is_in_function(&s->function, target) || kprobe_is_in_function(&s->cold, target))
		return KPROBE_REASON_NONE;
	s->exit = target;
	if (!kprobe_is_in_function(part, target) &&
	    !s->text->find(s->text->lookup, target, part)) {
		part->end = 0;
		s->scan.indirect = true;
	} else if (s->text->is_thunk(target)) {
		s->scan.indirect = true;
	} else if (part->kind == KPROBE_SYMBOL_COLD) {
		if (s->cold.end)
			return KPROBE_REASON_PART;
		s->cold = *part;
	} else if (part->start != target) {
		s->scan.touched = s->scan.isa->scratch;
	}
	return KPROBE_REASON_NONE;
}

/* Are the bytes padding? Modules have a few zeros between the code of two sections. */
static bool is_padding(const struct kprobe_isa *isa, const u8 *bytes, size_t size)
{
	if (size >= isa->insn_max)
		return false;
	while (size && !bytes[size - 1])
		size--;
	return !size;
}

/*
 * A fast check: does no byte of the function begin what could be an instruction that matters? Marks
 * where the branches lead that could begin at any byte.
 */
static bool is_plain(struct kprobe_survey *s)
{
	const struct kprobe_isa *isa = s->scan.isa;
	unsigned long addr, end = s->scan.end;
	const u8 *bytes;
	size_t avail;

	for (addr = s->scan.start; addr < end; addr += avail) {
		bytes = kprobe_survey_look(s, addr, end, isa->glance_len + 1, &avail);
		/* The last bytes are tried in the next piece, with those that follow them. */
		if (addr + avail < end)
			avail -= min_t(size_t, avail, isa->glance_len);
		if (!avail || kprobe_scan_may_matter(&s->scan, bytes, avail, addr))
			return false;
	}
	return true;
}

/* Decodes a part of the function. Returns where it has stopped. */
static unsigned long decode_part(struct kprobe_survey *s)
{
	unsigned long addr = s->scan.start;
	unsigned int len;
	const u8 *bytes;
	size_t avail;

	for (; addr < s->scan.end; addr += len) {
		bytes = kprobe_survey_look(s, addr, s->scan.end, s->scan.isa->insn_max, &avail);
		len = kprobe_scan_insn(&s->scan, bytes, avail, addr);
		if (!len) {
			if (!s->reason && (addr + avail != s->scan.end ||
					   !is_padding(s->scan.isa, bytes, avail)))
				s->reason = KPROBE_REASON_FUNCTION_UNDECODABLE;
			break;
		}
		if (s->scan.exit && !s->reason)
			s->reason = follow_exit(s, s->scan.exit);
	}
	return addr;
}

/* Marks where a fixup outside of the function comes back. It sets a result before. */
static void follow_fixup(struct kprobe_survey *s, unsigned long addr)
{
	unsigned long end = addr + SZ_64;
	struct kprobe_insn insn;

	if (kprobe_is_in_function(&s->function, addr) || kprobe_is_in_function(&s->cold, addr))
		return;
	do {
		kprobe_survey_plan(s, &insn, addr, end);
		mark_landing(&s->scan, &insn, addr);
		addr += insn.len;
	} while (insn.len && addr < end && !kprobe_insn_ends_flow(&insn));
}

/* Follows jump labels and exception fixups: no instruction has their targets. */
static void follow_tables(struct kprobe_survey *s)
{
	unsigned long site = s->scan.start, target;

	while (!s->reason && (target = s->text->next_target(&site, s->scan.end))) {
		follow_fixup(s, target);
		s->reason = follow_exit(s, target);
	}
}

static void begin_part(struct kprobe_survey *s, const struct kprobe_function *part)
{
	s->scan.start = part->start;
	s->scan.end = part->end;
	s->scan.goes_on = false;
	s->scan.open = false;
	s->scan.slots = 0;
	s->scan.block = 0;
	s->scan.exclusive = 0;
	s->scan.nr_fresh = 0;
	s->scan.table.start = 0;
}

static unsigned long scan_part(struct kprobe_survey *s, const struct kprobe_function *part)
{
	unsigned long stop;

	begin_part(s, part);
	stop = decode_part(s);
	if (s->scan.goes_on)
		s->scan.touched = s->scan.isa->scratch;
	follow_tables(s);
	return stop;
}

static void forget(struct kprobe_survey *s)
{
	const struct kprobe_scan *scan = &s->scan;

	s->cold.end = 0;
	s->other.end = 0;
	s->exit = 0;
	s->begun = s->function.start;
	s->reason = KPROBE_REASON_NONE;
	s->scan = (struct kprobe_scan){
		.isa = s->isa, .base = scan->base, .size = scan->size,
		.marks = s->marks, .way_out = s->text->way_out, .landed = s->function.start,
	};
	memset(s->marks, 0, s->scan.size);
}

static void decode_function(struct kprobe_survey *s)
{
	forget(s);
	s->vague = false;
	s->begun = scan_part(s, &s->function);
	s->open = s->scan.open;
	if (!s->reason && s->cold.end)
		scan_part(s, &s->cold);
}

/*
 * Most functions have no byte that could begin an instruction that matters, other than a branch
 * inside the function. This check takes a tenth of the time that decoding takes.
 */
static void scan_function(struct kprobe_survey *s)
{
	s->scanned = true;
	if (s->vague) {
		begin_part(s, &s->function);
		if (is_plain(s)) {
			follow_tables(s);
			if (!s->reason && s->cold.end)
				scan_part(s, &s->cold);
			return;
		}
	}
	decode_function(s);
}

/*
 * Where marks begin that are to include @from. If that may be in a block then what the block begins
 * with has marks too.
 */
static unsigned long base_for(const struct kprobe_survey *s, unsigned long from)
{
	unsigned long start = s->function.start;
	unsigned long base = start + round_down(from - start, KPROBE_SURVEY_SIZE / 2);

	return base > start && s->isa->within ? base - KPROBE_BLOCK_SIZE : base;
}

/* Makes the survey that of @function, with marks for the text from @from to @to at least. */
void kprobe_survey_function(struct kprobe_survey *s, const struct kprobe_function *function,
			    unsigned long from, unsigned long to)
{
	if (s->function.start != function->start || s->function.end != function->end ||
	    from < s->scan.base || to > s->scan.base + s->scan.size) {
		s->function = *function;
		s->scan.base = base_for(s, from);
		s->scan.size = min_t(size_t, function->end - s->scan.base, KPROBE_SURVEY_SIZE);
		s->scanned = false;
		s->asked = false;
		s->vague = s->isa->glance && !s->isa->scratch;
		forget(s);
	}
	if (!s->scanned && !s->isa->glance)
		scan_function(s);
}

/*
 * What instructions from @from to @to make of the text from @start to @end: KPROBE_MARK_LANDED if
 * one branches there, KPROBE_MARK_READ if one reads there.
 */
static u8 marks_made(struct kprobe_survey *s, unsigned long from, unsigned long to,
		     unsigned long start, unsigned long end)
{
	struct kprobe_insn insn;
	const u8 *bytes;
	size_t avail;
	u8 marks = 0;

	while (from < to) {
		bytes = kprobe_survey_look(s, from, to, s->isa->insn_max, &avail);
		if (!avail) {
			/* Text that cannot be read ends where a page does. */
			from = round_down(from, SZ_4K) + SZ_4K;
			continue;
		}
		s->isa->plan(&insn, bytes, avail, from);
		if (kprobe_insn_has_target(&insn) && insn.target >= start && insn.target < end)
			marks |= KPROBE_MARK_LANDED;
		if (insn.data_len && insn.data < end && insn.data + insn.data_len > start)
			marks |= KPROBE_MARK_READ;
		from += insn.len ?: s->isa->align;
	}
	return marks;
}

/*
 * What the code around the function makes of the text from @start to @end. Compilers do not lead
 * into another function, and assembly does so from near by; fixups are followed by follow_tables().
 */
u8 kprobe_survey_around(struct kprobe_survey *s, unsigned long start, unsigned long end)
{
	unsigned long from = s->function.start - NEIGHBOURHOOD, to = s->function.end;
	struct kprobe_function before;

	/* Decode from the start of a function on, where an instruction begins for certain. */
	if (s->text->find(s->text->lookup, from, &before))
		from = before.start;
	return marks_made(s, from, s->function.start, start, end) |
	       marks_made(s, to, to + NEIGHBOURHOOD, start, end);
}

/* Why not all branches into the function's middle are its own, if they are not. */
enum kprobe_reason kprobe_survey_whole(struct kprobe_survey *s)
{
	if (!s->asked)
		s->whole = s->text->is_whole(s);
	s->asked = true;
	return s->whole;
}

/*
 * Completes the marks for branches from @from to @to. Returns why no jump can be in the function,
 * if that does not depend on the place.
 */
enum kprobe_reason kprobe_survey_branches(struct kprobe_survey *s, unsigned long from,
					  unsigned long to)
{
	if (kprobe_survey_whole(s))
		return s->whole;
	if (!s->scanned)
		scan_function(s);
	if (s->vague && !s->reason && kprobe_scan_marks(&s->scan, from, to) & KPROBE_MARK_LANDED)
		decode_function(s);
	return s->reason;
}

/* Does an instruction begin at @addr? */
bool kprobe_survey_begins(struct kprobe_survey *s, const struct kprobe_function *function,
			  unsigned long addr)
{
	/* The last instruction may go on after the next symbol. */
	unsigned long end = function->end + s->isa->insn_max;
	struct kprobe_insn insn;

	if (!kprobe_is_in_function(function, addr))
		return false;
	kprobe_survey_function(s, function, addr, addr + 1);
	while (s->isa->glance && s->begun < addr) {
		kprobe_survey_plan(s, &insn, s->begun, end);
		if (!insn.len)
			break;
		mark(&s->scan, s->begun, KPROBE_MARK_BEGINS);
		s->begun += insn.len;
	}
	return (s->isa->glance && s->begun == addr) ||
	       kprobe_scan_marks(&s->scan, addr, addr + 1) & KPROBE_MARK_BEGINS;
}
