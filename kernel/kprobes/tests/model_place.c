// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places for the probes of the model, and what registering returns there.
 *
 * Some places are known: those of targets.c, and one of each kind that is refused. Others are
 * random: addresses in the text, in the tables of those who patch it, in no text at all. For
 * these the model looks for objections in the kernel's tables and in the instructions. If there
 * are none, the probe is accepted or its instruction cannot be displaced; what a place was once,
 * it stays.
 */
#include <kunit/test.h>
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <asm/sections.h>

#include "../place.h"
#include "model.h"

#define MODULE_SYMBOL(name)	"kprobes_target:kprobes_target_" name

/* Known places after those of kprobes_place(). */
enum place {
	/*
	 * The instruction after the entry nop, because of which ftrace has to lead to the probes
	 * of the entry.
	 */
	AFTER_NOP,
	BOTH, NEITHER, UNKNOWN, OVERFLOW,
	BLACKLISTED, BLACKLISTED_HIT, BLACKLISTED_RUNNING, BLACKLISTED_TRAMPOLINE,
	FREED, FREED_TEXT, DATA, USER,
	INSIDE, INSIDE_LONG, FTRACE_POINTER,
	INIT,
	MODULE_ENTRY, MODULE_INSIDE, MODULE_BLACKLISTED, MODULE_TEXT,
	OTHER_PLACES
};

/* Without a symbol the address is given. MODEL_OTHER: it depends. */
static const struct {
	const char *name;
	const char *symbol;
	u8 outcomes;
} other_places[] = {
	[AFTER_NOP] = { "after the nop", NULL, MODEL_OK },
	[BOTH] = { "symbol and address", "kprobes_target_c", MODEL_EINVAL },
	[NEITHER] = { "neither symbol nor address", NULL, MODEL_EINVAL },
	[UNKNOWN] = { "unknown symbol", "kprobes_there_is_no_such_symbol", MODEL_ENOENT },
	[OVERFLOW] = { "address and offset overflow", NULL, MODEL_EINVAL },
	[BLACKLISTED] = { "kprobe_busy_begin", "kprobe_busy_begin", MODEL_EINVAL },
	[BLACKLISTED_HIT] = { "kprobe_hit", "kprobe_hit", MODEL_EINVAL },
	[BLACKLISTED_RUNNING] = { "kprobe_running", "kprobe_running", MODEL_EINVAL },
	[BLACKLISTED_TRAMPOLINE] = { "trampoline", "kretprobe_trampoline", MODEL_EINVAL },
	[FREED] = { "freed data", NULL, MODEL_EINVAL },
	[FREED_TEXT] = { "freed text", NULL, MODEL_EINVAL },
	[DATA] = { "data", NULL, MODEL_EINVAL },
	[USER] = { "user address", NULL, MODEL_EINVAL },
	[INSIDE] = { "inside the first instruction", NULL, MODEL_EILSEQ },
	[INSIDE_LONG] = { "inside a long instruction", NULL, MODEL_EILSEQ },
	[FTRACE_POINTER] = { "pointer of ftrace", NULL, MODEL_EINVAL },
	[INIT] = { "init text", "start_kernel", MODEL_OTHER },
	[MODULE_ENTRY] = { "module", MODULE_SYMBOL("function"), MODEL_OTHER },
	[MODULE_INSIDE] = { "inside a module's instruction", MODULE_SYMBOL("function"),
			    MODEL_OTHER },
	[MODULE_BLACKLISTED] = { "module's blacklist", MODULE_SYMBOL("forbidden"), MODEL_OTHER },
	[MODULE_TEXT] = { "module by address", NULL, MODEL_OTHER },
};

static bool init_text_is_freed(void)
{
	return system_state >= SYSTEM_FREEING_INITMEM;
}

static bool is_other(unsigned int place)
{
	return place >= kprobes_places() && place < kprobes_places() + OTHER_PLACES;
}

bool kprobes_model_is_spot(unsigned int place)
{
	return place >= kprobes_places() + OTHER_PLACES;
}

static struct model_spot *spot_of(struct model *m, unsigned int place)
{
	return &m->spots[place - kprobes_places() - OTHER_PLACES];
}

/* How many there are. */
unsigned int kprobes_model_places(void)
{
	return kprobes_places() + OTHER_PLACES + MODEL_SPOTS;
}

/* One that is not refused. */
unsigned int kprobes_model_good_place(u32 random)
{
	return random % (kprobes_places() + 1);	/* with AFTER_NOP */
}

/* One whose text goes: at boot init text, later that of the module. */
unsigned int kprobes_model_fleeting_place(u32 random)
{
	static const enum place in_module[] = { MODULE_ENTRY, MODULE_TEXT };

	return kprobes_places() + (init_text_is_freed() ? in_module[random % 2] : INIT);
}

/* Does kprobes_targets_run() pass it, and nobody else? */
bool kprobes_model_is_passed(unsigned int place)
{
	return place <= kprobes_places();
}

void kprobes_model_place_name(const struct model *m, unsigned int place, char *name, size_t size)
{
	if (kprobes_model_is_spot(place)) {
		const struct model_spot *spot = spot_of((struct model *)m, place);

		snprintf(name, size, "%s %pS", spot->kind, (void *)spot->addr);
	} else {
		strscpy(name, is_other(place) ? other_places[place - kprobes_places()].name :
						kprobes_place(place)->name, size);
	}
}

static unsigned long entry_addr(void)
{
	return kprobes_place_addr(kprobes_place_named(KPROBES_PLACE_C));
}

/* Without ftrace there is no nop. */
static unsigned long after_nop(void)
{
	if (IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		return kprobe_after_nop(entry_addr());
	return entry_addr();
}

/* In front of functions, at the end of the ones before. 0 where there is none. */
static unsigned long ftrace_pointer(void)
{
	unsigned long entry = (unsigned long)kprobes_target_c;

	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) || !ftrace_location(entry))
		return 0;
	return entry - 8;
}

static bool may_be_a_module(unsigned long addr)
{
#ifdef CONFIG_MODULES
	guard(preempt)();
	return __module_address(addr);
#else
	return false;
#endif
}

/* Of the places that are given by an address. Where it is 0 they are NEITHER. */
static unsigned long other_addr(const struct model *m, enum place place)
{
	switch (place) {
	case AFTER_NOP:
		return after_nop();
	case BOTH:
	case DATA:
		return (unsigned long)other_places;
	case OVERFLOW:
		return ULONG_MAX - 3;
	case FREED:
		return (unsigned long)m->freed;
	case FREED_TEXT:
		/* A module may have come there since. */
		return may_be_a_module((unsigned long)m->freed_text) ? (unsigned long)m->freed :
								       (unsigned long)m->freed_text;
	case USER:
		return 0x10000;
	case INSIDE:
		return entry_addr();
	case INSIDE_LONG:
		return kprobes_place_addr(kprobes_place_named(KPROBES_PLACE_LONG));
	case FTRACE_POINTER:
		return ftrace_pointer();
	case MODULE_TEXT:
		return m->module_text;
	default:
		return 0;
	}
}

static void set_other_place(const struct model *m, struct kprobe *kp, enum place place)
{
	kp->symbol_name = other_places[place].symbol;
	kp->addr = (kprobe_opcode_t *)other_addr(m, place);
	if (place == OVERFLOW)
		kp->offset = 16;
	if (place == INSIDE || place == INSIDE_LONG || place == MODULE_INSIDE)
		kp->offset = 1;
}

/* perf names every place of the kernel by its distance from the first one. */
static void set_spot(struct kprobe *kp, const struct model_spot *spot,
		     const struct model_step *step)
{
	unsigned long base = kallsyms_lookup_name("_stext");

	if (!step->by_addr && base && spot->addr >= base && spot->addr - base <= INT_MAX) {
		kp->symbol_name = "_stext";
		kp->offset = spot->addr - base;
	} else if (spot->addr > step->delta) {
		kp->offset = step->delta;
		kp->addr = (kprobe_opcode_t *)(spot->addr - step->delta);
	} else {
		kp->addr = (kprobe_opcode_t *)spot->addr;
	}
	/* In a pointer they do not tell where it leads. */
	kp->offset += (unsigned long)kp->addr & KPROBE_POINTER_FLAGS;
	kp->addr = (kprobe_opcode_t *)((unsigned long)kp->addr & ~KPROBE_POINTER_FLAGS);
}

void kprobes_model_set_place(struct model *m, struct kprobe *kp, unsigned int i,
			     const struct model_step *step)
{
	const struct kprobes_place *place;

	kp->symbol_name = NULL;
	kp->addr = NULL;
	kp->offset = 0;
	if (is_other(i))
		return set_other_place(m, kp, i - kprobes_places());
	if (kprobes_model_is_spot(i))
		return set_spot(kp, spot_of(m, i), step);
	place = kprobes_place(i);
	kp->offset = place->offset;
	if (step->by_addr)
		kp->addr = kprobe_lookup_name(place->symbol, 0);
	else
		kp->symbol_name = place->symbol;
}

/* What is known of a place */

/* Of a symbol in the module, or if @by_addr of its text. */
static unsigned int in_module(const struct model *m, unsigned int live, bool by_addr)
{
	switch (m->module) {
	case MODEL_LIVE:
	case MODEL_COMING:
		return live;
	case MODEL_GOING:
		return MODEL_ENOENT;
	default:
		return by_addr ? MODEL_EINVAL : MODEL_ENOENT;
	}
}

static unsigned int other_outcomes(const struct model *m, enum place place)
{
	switch (place) {
	case INIT:
		return init_text_is_freed() ? MODEL_ENOENT : MODEL_OK;
	case MODULE_ENTRY:
		return in_module(m, MODEL_OK, false);
	case MODULE_INSIDE:
		return in_module(m, MODEL_EILSEQ, false);
	case MODULE_BLACKLISTED:
		return in_module(m, MODEL_EINVAL, false);
	case MODULE_TEXT:
		return in_module(m, MODEL_OK, true);
	default:
		return other_places[place].outcomes;
	}
}

static bool is_entry(unsigned int place)
{
	if (place < kprobes_places())
		return !kprobes_place(place)->offset;
	return place != kprobes_places() + AFTER_NOP || after_nop() == entry_addr();
}

/* What registering returns for a probe or a return probe on a place. */
unsigned int kprobes_model_outcomes(struct model *m, unsigned int place, bool returns)
{
	unsigned int outcomes = MODEL_OK;

	if (kprobes_model_is_spot(place))
		return spot_of(m, place)->known[returns];
	if (is_other(place))
		outcomes = other_outcomes(m, place - kprobes_places());
	if (returns && !is_entry(place))
		outcomes = MODEL_EINVAL;
	return outcomes;
}

/* A spot in the text stays what it was seen to be. */
void kprobes_model_seen(struct model *m, unsigned int place, bool returns, unsigned int outcome)
{
	if (kprobes_model_is_spot(place) && core_kernel_text(spot_of(m, place)->addr))
		spot_of(m, place)->known[returns] = outcome;
}

/* Random addresses */

/* A landing pad may be in front of the entry. */
#define LANDING_PAD	4U

/* Symbols of the text that are no functions. */
static bool is_no_function(const char *name)
{
	return str_has_prefix(name, "__pfx_") || str_has_prefix(name, "__cfi_") ||
	       str_has_prefix(name, "__SCT__");
}

static unsigned int text_outcomes(unsigned long addr, bool returns)
{
	unsigned long size, offset;
	unsigned int objections = 0;
	char name[KSYM_NAME_LEN];
	const char *symbol;
	char *module;

	symbol = kallsyms_lookup(addr, &size, &offset, &module, name);
	if (!symbol)
		return MODEL_EINVAL;
	if (is_no_function(symbol) || within_kprobe_blacklist(addr))
		objections |= MODEL_EINVAL;
	if (!kprobes_is_boundary(addr, addr - offset))
		objections |= MODEL_EILSEQ;
	if (returns && offset > max(LANDING_PAD, kprobes_landing_pad(addr - offset)))
		objections |= MODEL_EINVAL;
	if (objections)
		return objections;
	/* Data between functions are not told from instructions. */
	return MODEL_OK | MODEL_EINVAL | (KPROBES_TEXT_HAS_DATA ? MODEL_EILSEQ : 0);
}

static unsigned int outcomes_at(unsigned long addr, bool returns)
{
	if (is_kernel_inittext(addr) && init_text_is_freed())
		return MODEL_ENOENT;
	if (core_kernel_text(addr))
		return text_outcomes(addr, returns);
	if (may_be_a_module(addr))
		return MODEL_OK | MODEL_EINVAL | MODEL_EILSEQ | MODEL_ENOENT;
	return MODEL_EINVAL;
}

static unsigned long random_text(struct rnd_state *random)
{
	return (unsigned long)_stext + prandom_u32_state(random) % (_etext - _stext);
}

static unsigned long random_entry(struct rnd_state *random)
{
	unsigned long size, offset, addr = random_text(random);

	return kallsyms_lookup_size_offset(addr, &size, &offset) ? addr - offset : addr;
}

static unsigned long random_init_text(struct rnd_state *random)
{
	return (unsigned long)_sinittext + prandom_u32_state(random) % (_einittext - _sinittext);
}

static unsigned long random_blacklisted(struct rnd_state *random)
{
	unsigned long end, start = kprobe_blacklist_next(random_text(random), &end);

	return start ? start + prandom_u32_state(random) % (end - start) : 0;
}

static unsigned long random_number(struct rnd_state *random)
{
	return (unsigned long)prandom_u32_state(random) << (BITS_PER_LONG - 32) |
	       prandom_u32_state(random);
}

static unsigned long random_module_address(struct rnd_state *random)
{
#ifdef MODULES_VADDR
	return MODULES_VADDR + prandom_u32_state(random) % (MODULES_END - MODULES_VADDR);
#else
	return random_number(random);
#endif
}

/* Around functions that other probes of the script are on. */
static unsigned long random_target(struct rnd_state *random)
{
	return (prandom_u32_state(random) % 2 ? (unsigned long)kprobes_target_c :
		(unsigned long)kprobe_lookup_name("kprobes_target_asm", 0)) +
	       prandom_u32_state(random) % 48;
}

/* Sites that others patch or read. Without such a table 0. */

static unsigned long random_jump_label(struct rnd_state *random)
{
#ifdef CONFIG_JUMP_LABEL
	return jump_entry_code(__start___jump_table + prandom_u32_state(random) %
			       (__stop___jump_table - __start___jump_table));
#else
	return 0;
#endif
}

static unsigned long random_static_call(struct rnd_state *random)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	struct static_call_site *site = __start_static_call_sites + prandom_u32_state(random) %
					(__stop_static_call_sites - __start_static_call_sites);

	return (long)&site->addr + site->addr;
#else
	return 0;
#endif
}

static unsigned long random_bug(struct rnd_state *random)
{
#ifdef CONFIG_GENERIC_BUG
	struct bug_entry *bug = __start___bug_table + prandom_u32_state(random) %
				(__stop___bug_table - __start___bug_table);

#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	return (long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return bug->bug_addr;
#endif
#else
	return 0;
#endif
}

static const struct {
	const char *name;
	unsigned long (*addr)(struct rnd_state *random);
	bool refused;
} kinds[] = {
	{ "text", random_text },
	{ "entry", random_entry },
	{ "target", random_target },
	{ "init text", random_init_text },
	{ "blacklist", random_blacklisted },
	{ "number", random_number },
	{ "module address", random_module_address },
	{ "jump label", random_jump_label, true },
	{ "static call", random_static_call, true },
	{ "bug", random_bug, true },
};

static void choose_spot(struct model_spot *spot, struct rnd_state *random)
{
	unsigned int returns, kind = prandom_u32_state(random) % ARRAY_SIZE(kinds);

	spot->kind = kinds[kind].name;
	spot->addr = kinds[kind].addr(random);
	/* The model has no place for address 0, which is given like none. */
	spot->addr = spot->addr ?: 1;
	for (returns = 0; returns < 2; returns++) {
		spot->outcomes[returns] = outcomes_at(spot->addr, returns);
		if (kinds[kind].refused && core_kernel_text(spot->addr))
			spot->outcomes[returns] = MODEL_EINVAL;
	}
}

/* To be called when no probe is armed. */
void kprobes_model_choose_spots(struct model *m, struct rnd_state *random)
{
	int i;

	for (i = 0; i < MODEL_SPOTS; i++)
		choose_spot(&m->spots[i], random);
}
