// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The books of the torture test of kprobes: of each call of a target and each slot, what had to
 * happen and what handlers have seen.
 *
 * If a slot's probe was on from before the call to after it, each hit was handled, or the kernel
 * has counted it as a miss:
 * - each hit from a handler is missed,
 * - other hits without handlers are missed, or are calls whose return was not probed.
 * Hits while the probe changed are the slack of both. kprobes_nesting tests the causes.
 */
#include <linux/bcd.h>
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/math.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "torture.h"

/* How deep kprobes_torture_recursive() gets, and the argument of all targets. */
#define DEPTH		3
#define ARGUMENT	40
#define TEXT		64
#define MAGIC		0x7027a11e

/* Each target has a slot for each kind of probe. */
static const struct kind {
	unsigned int inside;	/* 0: the entry; 1, 2: an instruction, and the next one */
	bool has_post;
	bool is_return;
	int maxactive;
} kinds[] = {
	{ 0 }, { 0, .has_post = true }, { 1 }, { 1, .has_post = true }, { 2 },
	{ .is_return = true }, { .is_return = true, .maxactive = 1 },
};

#define KINDS		ARRAY_SIZE(kinds)

/* A function that only the torture calls. */
struct torture_target {
	const char *symbol;
	long (*call)(long a);
	unsigned int hits;	/* of a probe, by one call */
	bool sleeps;
	unsigned int inside[3];	/* offsets of instructions */
	long result;
	const void *addr;
	u8 text[TEXT];		/* at @addr, without probes */
};

static noinline __noipa long kprobes_torture_plain(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	a += 3;
	OPTIMIZER_HIDE_VAR(a);
	return a * 2 - a;
}

/* The lowest bits tell how deep. */
static noinline __noipa long kprobes_torture_recursive(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	if (a % 4 < DEPTH - 1)
		a = kprobes_torture_recursive(a + 1) - 1;
	OPTIMIZER_HIDE_VAR(a);
	return a;
}

static noinline __noipa long kprobes_torture_sleeping(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	usleep_range(100, 3000);
	OPTIMIZER_HIDE_VAR(a);
	return a + 5;
}

static noinline __noipa long kprobes_torture_nested(long a)
{
	OPTIMIZER_HIDE_VAR(a);
	a += 7;
	OPTIMIZER_HIDE_VAR(a);
	return a;
}

/* Functions of the kernel that have no other callers while it runs. */
static long call_int_sqrt(long a)
{
	return int_sqrt(a);
}

static long call_bin2bcd(long a)
{
	return _bin2bcd(a);
}

/* Some of the handlers of the first one call the second one, too. */
static struct torture_target targets[] = {
	{ "kprobes_torture_plain", kprobes_torture_plain, 1 },
	{ "kprobes_torture_nested", kprobes_torture_nested, 1 },
	{ "kprobes_torture_recursive", kprobes_torture_recursive, DEPTH },
	{ "kprobes_torture_sleeping", kprobes_torture_sleeping, 1, .sleeps = true },
	{ "int_sqrt", call_int_sqrt, 1 },
	{ "_bin2bcd", call_bin2bcd, 1 },
};

#define TARGETS		ARRAY_SIZE(targets)

/* What others call, and may be absent. A module comes and goes. */
static const char * const others[] = {
	"vfs_read", "vfs_write", "do_exit", "kernel_clone", "kmem_cache_free", "handle_mm_fault",
	"do_sys_openat2", "__queue_work", "load_module", "free_module", "proc_reg_read",
	"schedule_timeout", "kprobes_target:kprobes_target_function",
	"kprobes_target:kprobes_target_in_init",
};

/* Each CPU executes these all the time, also in what registering does. */
static const char * const busy[] = {
	"try_to_wake_up", "hrtimer_interrupt", "__schedule", "sched_clock_cpu",
	"update_process_times", "enqueue_task_fair",
};

/* So many of their instructions are probed. */
#define BUSY		24

struct torture_slot torture_slots[TARGETS * KINDS + 2 * ARRAY_SIZE(others) +
				  BUSY * ARRAY_SIZE(busy)];
unsigned int torture_nr_slots;
atomic_long_t torture_counts[TORTURE_COUNTS];
unsigned long torture_armed = TORTURE_ON;
int torture_hold_us;

/* What handlers have seen of a call */
struct torture_call {
	struct torture_call *outer;	/* in whose handler or interrupt this one is made */
	const struct torture_target *target;
	bool nested;			/* the caller is a handler */
	u8 seen[KINDS][TORTURE_HANDLERS];
};

static DEFINE_PER_CPU(struct torture_call *, innermost);

/*
 * Calls in interrupts end before this CPU goes on with anything else, as do calls of a handler that
 * runs in a trap. Softirqs that can be preempted have preemption disabled meanwhile.
 */
static struct torture_call **place_of_call(void)
{
	return in_task() ? torture_call_of_task() : this_cpu_ptr(&innermost);
}

/* The call that a handler runs in. A trap does not count as a task. */
static struct torture_call *current_call(void)
{
	struct torture_call **of_task, *call = this_cpu_read(innermost);

	of_task = call ? NULL : torture_call_of_task();
	return of_task ? *of_task : call;
}
NOKPROBE_SYMBOL(current_call);

static void count(struct torture_slot *slot, enum torture_sum sum, unsigned long n)
{
	atomic_long_add(n, &slot->sums[sum]);
}

static unsigned long sum_of(const struct torture_slot *slot, enum torture_sum sum)
{
	return atomic_long_read(&slot->sums[sum]);
}

enum rule { LOST, NESTED, EXCESS, AWAKE, DISARMED, TWICE, POSTS, RETURNS, RULES };

static const char * const rules[RULES] = {
	[LOST] = "a hit was neither handled nor missed",
	[NESTED] = "a hit from a handler was not missed",
	[EXCESS] = "more misses than hits without handlers",
	[AWAKE] = "a handler ran while the probe was off",
	[DISARMED] = "a handler ran while no probe was armed",
	[TWICE] = "handlers ran more often than the probe was hit",
	[POSTS] = "post-handlers ran more or less often than pre-handlers",
	[RETURNS] = "returns were handled more or less often than entries",
};

/* A probe that changes may lose the second of two handlers of a hit. */
static bool do_not_match(unsigned int first, unsigned int second, bool stable)
{
	return stable ? first != second : first < second;
}

static void book_handled(struct torture_slot *slot, const u8 *seen, unsigned int hits, bool stable)
{
	unsigned int absent = hits - min_t(unsigned int, hits, seen[TORTURE_PRE]);

	if (slot->is_return && do_not_match(seen[TORTURE_ENTERED], seen[TORTURE_PRE], stable))
		set_bit(RETURNS, &slot->broken);
	if (slot->has_post && do_not_match(seen[TORTURE_PRE], seen[TORTURE_POST], stable))
		set_bit(POSTS, &slot->broken);
	if (seen[TORTURE_PRE] > hits || seen[TORTURE_ENTERED] > hits)
		set_bit(TWICE, &slot->broken);
	count(slot, stable ? TORTURE_STABLE : TORTURE_UNSTABLE, hits);
	count(slot, stable ? TORTURE_STABLE_ABSENT : TORTURE_UNSTABLE_ABSENT, absent);
}

static void book_call(struct torture_slot *slot, const struct torture_call *call,
		      enum torture_state state)
{
	const u8 *seen = call->seen[slot->index];
	bool any = seen[TORTURE_PRE] || seen[TORTURE_POST] || seen[TORTURE_ENTERED];
	unsigned int hits = call->target->hits;

	if (state == TORTURE_OFF || state == TORTURE_DISARMED) {
		count(slot, TORTURE_NEVER, hits);
		if (any)
			set_bit(state == TORTURE_OFF ? AWAKE : DISARMED, &slot->broken);
	} else if (call->nested) {
		count(slot, state == TORTURE_ON ? TORTURE_STABLE_NESTED : TORTURE_UNSTABLE_NESTED,
		      hits);
		if (any)
			set_bit(NESTED, &slot->broken);
	} else {
		book_handled(slot, seen, hits, state == TORTURE_ON);
	}
}

struct phases {
	unsigned long armed;
	unsigned long slot[KINDS];
};

static void read_phases(const struct torture_slot *slots, struct phases *p)
{
	unsigned int i;

	/* Pairs with torture_set_state(). */
	p->armed = smp_load_acquire(&torture_armed);
	for (i = 0; i < KINDS; i++)
		p->slot[i] = smp_load_acquire(&slots[i].phase);	/* the same */
}

static bool was(unsigned long before, unsigned long after, enum torture_state state)
{
	return before == after && TORTURE_STATE(before) == state;
}

/* What a slot's probe was during a call. */
static enum torture_state state_of(const struct phases *before, const struct phases *after,
				   unsigned int i)
{
	unsigned long old = before->slot[i], new = after->slot[i];

	if (was(old, new, TORTURE_ON) && was(before->armed, after->armed, TORTURE_ON))
		return TORTURE_ON;
	if (was(old, new, TORTURE_OFF))
		return TORTURE_OFF;
	if (was(before->armed, after->armed, TORTURE_OFF))
		return TORTURE_DISARMED;
	return TORTURE_CHANGING;
}

static void call_target(const struct torture_target *target, bool nested)
{
	struct torture_slot *slots = &torture_slots[(target - targets) * KINDS];
	struct torture_call call = { .target = target, .nested = nested };
	struct torture_call **place = place_of_call();
	struct phases before, after;
	unsigned int i;

	read_phases(slots, &before);
	call.outer = *place;
	WRITE_ONCE(*place, &call);
	smp_mb();	/* before the call: pairs with torture_set_state() */
	if (target->call(ARGUMENT) != target->result)
		torture_count(TORTURE_WRONG, 1);
	smp_mb();	/* and after it */
	WRITE_ONCE(*place, call.outer);
	read_phases(slots, &after);
	for (i = 0; i < KINDS; i++)
		book_call(&slots[i], &call, state_of(&before, &after, i));
}

/* Context: A task that torture_call_of_task() knows, or an interrupt with preemption disabled. */
void torture_call_all(enum torture_count context, bool sleep)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++) {
		if (targets[i].sleeps && !sleep)
			continue;
		call_target(&targets[i], false);
		torture_count(context, 1);
	}
}

/* The slot of a probe that is registered, or else NULL. */
static struct torture_slot *slot_of(const struct torture_probe *probe)
{
	if (READ_ONCE(probe->magic) == MAGIC)
		return probe->slot;
	torture_count(TORTURE_LATE, 1);
	return NULL;
}
NOKPROBE_SYMBOL(slot_of);

/* Some handlers take long. Who unregisters the probe meanwhile has to wait for them. */
static void note(const struct torture_probe *probe, enum torture_sum what)
{
	struct torture_slot *slot = slot_of(probe);
	struct torture_call *call;

	if (slot)
		count(slot, what, 1);
	if (!slot || !slot->target)
		return;
	call = current_call();
	if (call && call->target == slot->target)
		call->seen[slot->index][what]++;
	else
		torture_count(TORTURE_STRAY, 1);
	if (slot->target == &targets[0] && what == TORTURE_PRE && !(sum_of(slot, what) % 16))
		call_target(&targets[1], true);
	if (!(sum_of(slot, what) % 128))
		udelay(torture_hold_us);
	slot_of(probe);
}
NOKPROBE_SYMBOL(note);

static int pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	note(container_of(p, struct torture_probe, rp.kp), TORTURE_PRE);
	return 0;
}
NOKPROBE_SYMBOL(pre_handler);

static void post_handler(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	note(container_of(p, struct torture_probe, rp.kp), TORTURE_POST);
}
NOKPROBE_SYMBOL(post_handler);

static int entry_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	*(unsigned long *)ri->data = ~(unsigned long)ri;
	if (rp)
		note(container_of(rp, struct torture_probe, rp), TORTURE_ENTERED);
	return 0;
}
NOKPROBE_SYMBOL(entry_handler);

/* An instance is one call's at a time: what the entry handler has stored is still there. */
static int return_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (*(unsigned long *)ri->data != ~(unsigned long)ri)
		torture_count(TORTURE_MIXED_UP, 1);
	if (rp)
		note(container_of(rp, struct torture_probe, rp), TORTURE_PRE);
	return 0;
}
NOKPROBE_SYMBOL(return_handler);

/* Has a probe, which is zeroed, be what belongs into a slot. */
void torture_init_probe(struct torture_probe *probe, struct torture_slot *slot)
{
	struct kprobe *kp = &probe->rp.kp;

	probe->magic = MAGIC;
	probe->slot = slot;
	kp->symbol_name = slot->symbol;
	kp->offset = slot->offset;
	if (slot->is_return) {
		probe->rp.handler = return_handler;
		probe->rp.entry_handler = entry_handler;
		probe->rp.data_size = sizeof(long);
		probe->rp.maxactive = slot->maxactive;
		return;
	}
	kp->pre_handler = pre_handler;
	kp->post_handler = slot->has_post ? post_handler : NULL;
}

/* Notes what the kernel has counted for a slot's probe, which was unregistered. */
void torture_book_probe(struct torture_slot *slot)
{
	const struct kretprobe *rp = &slot->probe->rp;

	slot->missed += rp->kp.nmissed;
	slot->lost += rp->nmissed;
}

static void check_sums(struct torture_slot *slot)
{
	unsigned long least = sum_of(slot, TORTURE_STABLE_ABSENT) +
			      sum_of(slot, TORTURE_STABLE_NESTED);
	unsigned long missed = slot->missed + slot->lost;

	if (least > missed)
		set_bit(LOST, &slot->broken);
	if (missed > least + sum_of(slot, TORTURE_UNSTABLE_ABSENT) +
		     sum_of(slot, TORTURE_UNSTABLE_NESTED))
		set_bit(EXCESS, &slot->broken);
}

/* Of functions that others call, it is not known how often. */
static void check_handlers(struct torture_slot *slot)
{
	unsigned long pre = sum_of(slot, TORTURE_PRE);

	if (slot->is_return ? pre > sum_of(slot, TORTURE_ENTERED) : slot->lost)
		set_bit(RETURNS, &slot->broken);
	if (sum_of(slot, TORTURE_POST) > pre)
		set_bit(POSTS, &slot->broken);
}

static void show_broken(const struct torture_slot *slot)
{
	unsigned int i;

	for_each_set_bit(i, &slot->broken, RULES)
		pr_alert("kprobes-torture:!!! books of %s+%#x, slot %td: %s\n", slot->symbol,
			 slot->offset, slot - torture_slots, rules[i]);
	pr_alert("kprobes-torture: stable: %lu absent: %lu nested: %lu unstable: %lu absent: %lu nested: %lu missed: %lu lost: %lu\n",
		 sum_of(slot, TORTURE_STABLE), sum_of(slot, TORTURE_STABLE_ABSENT),
		 sum_of(slot, TORTURE_STABLE_NESTED), sum_of(slot, TORTURE_UNSTABLE),
		 sum_of(slot, TORTURE_UNSTABLE_ABSENT), sum_of(slot, TORTURE_UNSTABLE_NESTED),
		 slot->missed, slot->lost);
}

/* Shows which rules are broken. Nothing is registered or called. */
bool torture_books_are_right(void)
{
	bool right = true;
	unsigned int i;

	for (i = 0; i < torture_nr_slots; i++) {
		struct torture_slot *slot = &torture_slots[i];

		if (slot->target)
			check_sums(slot);
		else
			check_handlers(slot);
		if (!slot->broken)
			continue;
		show_broken(slot);
		right = false;
	}
	return right;
}

/* Has the counts tell the sums of all slots. */
void torture_add_up(void)
{
	unsigned int i, j;

	for (j = 0; j < TORTURE_SUMS; j++) {
		long sum = 0;

		for (i = 0; i < torture_nr_slots; i++)
			sum += atomic_long_read(&torture_slots[i].sums[j]);
		atomic_long_set(&torture_counts[j], sum);
	}
}

/* Is the text of all targets what it was? */
bool torture_text_is_back(void)
{
	unsigned int i;

	for (i = 0; i < TARGETS; i++)
		if (targets[i].addr && memcmp(targets[i].addr, targets[i].text, TEXT))
			return false;
	return true;
}

/* Targets and slots */

static atomic_t hits;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&hits);
	return 0;
}

/* How often does a call hit the instruction there? -errno if there is none. */
static int count_hits(const struct torture_target *target, unsigned int offset, void **addr)
{
	struct kprobe p = {
		.symbol_name = target->symbol,
		.offset = offset,
		.pre_handler = count_hit,
	};
	int ret = register_kprobe(&p);

	if (ret)
		return ret;
	atomic_set(&hits, 0);
	target->call(ARGUMENT);
	unregister_kprobe(&p);
	*addr = p.addr;
	return atomic_read(&hits);
}

/* Finds the text of a target, and two instructions in it that a call hits as often as its entry. */
static int init_target(struct torture_target *target)
{
	struct kprobe entry = { .symbol_name = target->symbol, .flags = KPROBE_FLAG_DISABLED };
	unsigned int offset, n = 1;
	int ret = register_kprobe(&entry);
	void *addr;

	if (ret)
		return ret;
	unregister_kprobe(&entry);
	target->addr = entry.addr;
	memcpy(target->text, entry.addr, TEXT);
	target->result = target->call(ARGUMENT);
	for (offset = 1; offset < TEXT && n < ARRAY_SIZE(target->inside); offset++)
		if (count_hits(target, offset, &addr) == target->hits && addr != entry.addr)
			target->inside[n++] = offset;
	return n < ARRAY_SIZE(target->inside) ? -ENOEXEC : 0;
}

static struct torture_slot *add_slot(const char *symbol, unsigned int offset, unsigned int together)
{
	struct torture_slot *slot = &torture_slots[torture_nr_slots++];

	mutex_init(&slot->lock);
	slot->symbol = symbol;
	slot->offset = offset;
	slot->together = together;
	return slot;
}

static void add_slots_of(const struct torture_target *target)
{
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		unsigned int offset = target->inside[kinds[i].inside];
		struct torture_slot *slot = add_slot(target->symbol, offset, 6);

		slot->target = target;
		slot->index = i;
		slot->has_post = kinds[i].has_post;
		slot->is_return = kinds[i].is_return;
		slot->maxactive = kinds[i].maxactive;
	}
}

/* What is refused is no instruction, or must not be probed. */
static void add_busy_slots(const char *symbol)
{
	unsigned int n = 0, offset;

	for (offset = 0; n < BUSY && offset < 8 * BUSY; offset++) {
		struct kprobe p = {
			.symbol_name = symbol, .offset = offset, .flags = KPROBE_FLAG_DISABLED,
		};

		if (register_kprobe(&p)) {
			torture_count(TORTURE_REFUSED, 1);
			continue;
		}
		unregister_kprobe(&p);
		add_slot(symbol, offset, TORTURE_BATCH)->has_post = !(n++ % 3);
	}
}

/* Examines targets, and says what belongs into each slot. Those of targets come first. */
int torture_init_books(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < TARGETS; i++) {
		ret = init_target(&targets[i]);
		add_slots_of(&targets[i]);
	}
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		add_slot(others[i], 0, 1)->has_post = true;
		add_slot(others[i], 0, 1)->is_return = true;
	}
	for (i = 0; i < ARRAY_SIZE(busy); i++)
		add_busy_slots(busy[i]);
	return ret;
}
