// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls of the API, and a model of it. The arguments are what callers in a hurry pass: probes
 * that are registered already or never were, arrays with NULL and with a probe twice, places
 * that are refused, memory that is no probe, any flags. The model knows of each probe whether it
 * is registered and disabled, and how often it was hit; it predicts what each call returns.
 */
#include <kunit/test.h>
#include <linux/kprobe_arch.h>
#include <linux/vmalloc.h>

#include "../batch.h"
#include "../optimizer.h"
#include "../reason.h"
#include "../register.h"
#include "../table.h"
#include "model.h"

static const char * const call_names[MODEL_CALLS] = {
	"register", "unregister", "register array", "unregister array",
	"register array of return probes", "unregister array of return probes",
	"enable", "disable", "run", "arm all", "optimize", "settle",
};

/*
 * Places after those of kprobes_place(): one on the instruction after the entry nop, because of
 * which ftrace has to lead to the probes of the entry, and some that are refused.
 */
enum place { AFTER_NOP, BOTH, NEITHER, UNKNOWN, BLACKLISTED, FREED, DATA, USER, OTHER_PLACES };

static const struct {
	const char *name;
	int error;
} other_places[] = {
	[AFTER_NOP] = { "after the nop" },
	[BOTH] = { "symbol and address", -EINVAL },
	[NEITHER] = { "neither symbol nor address", -EINVAL },
	[UNKNOWN] = { "unknown symbol", -ENOENT },
	[BLACKLISTED] = { "blacklisted", -EINVAL },
	[FREED] = { "freed memory", -EINVAL },
	[DATA] = { "data", -EINVAL },
	[USER] = { "user address", -EINVAL },
};

static const char *place_name(unsigned int place)
{
	return place < kprobes_places() ? kprobes_place(place)->name :
					  other_places[place - kprobes_places()].name;
}

/* How many there are. */
unsigned int kprobes_model_places(void)
{
	return kprobes_places() + OTHER_PLACES;
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

static void set_other_place(struct model *m, struct kprobe *kp, enum place place)
{
	switch (place) {
	case AFTER_NOP:
		kp->addr = (kprobe_opcode_t *)after_nop();
		break;
	case BOTH:
		kp->addr = (kprobe_opcode_t *)kprobes_target_c;
		fallthrough;
	case BLACKLISTED:
		kp->symbol_name = "register_kprobe";
		break;
	case UNKNOWN:
		kp->symbol_name = "kprobes_there_is_no_such_symbol";
		break;
	case FREED:
		kp->addr = m->freed;
		break;
	case DATA:
		kp->addr = (kprobe_opcode_t *)call_names;
		break;
	case USER:
		kp->addr = (kprobe_opcode_t *)0x10000;
		break;
	default:
		break;
	}
}

static void set_place(struct model *m, struct kprobe *kp, const struct model_step *step)
{
	const struct kprobes_place *place;

	kp->symbol_name = NULL;
	kp->addr = NULL;
	kp->offset = 0;
	if (step->place >= kprobes_places()) {
		set_other_place(m, kp, step->place - kprobes_places());
		return;
	}
	place = kprobes_place(step->place);
	kp->offset = place->offset;
	if (step->by_addr)
		kp->addr = kprobe_lookup_name(place->symbol, 0);
	else
		kp->symbol_name = place->symbol;
}

static bool is_entry(unsigned int place)
{
	if (place < kprobes_places())
		return !kprobes_place(place)->offset;
	return after_nop() == entry_addr();
}

static int place_error(const struct model_step *step, bool returns)
{
	int error = 0;

	if (step->place >= kprobes_places())
		error = other_places[step->place - kprobes_places()].error;
	return error ?: returns && !is_entry(step->place) ? -EINVAL : 0;
}

/* Subjects */

static bool is_return(unsigned int subject)
{
	return subject >= MODEL_PROBES && subject < MODEL_GARBAGE;
}

static struct kretprobe *return_probe(struct model *m, unsigned int subject)
{
	if (subject == MODEL_NOTHING)
		return NULL;
	return is_return(subject) ? &m->returns[subject - MODEL_PROBES].rp : &m->garbage;
}

static struct kprobe *probe(struct model *m, unsigned int subject)
{
	struct kretprobe *rp;

	if (subject < MODEL_PROBES)
		return &m->probes[subject].kp;
	rp = return_probe(m, subject);
	return rp ? &rp->kp : NULL;
}

static struct model_expected *expected(struct model *m, unsigned int subject)
{
	return subject < MODEL_GARBAGE ? &m->expected[subject] : NULL;
}

static bool is_registered(struct model *m, unsigned int subject)
{
	return subject < MODEL_GARBAGE && m->expected[subject].registered;
}

static __printf(2, 3) void wrong(struct model *m, const char *format, ...)
{
	va_list args;

	if (m->wrong[0])
		return;
	va_start(args, format);
	vscnprintf(m->wrong, sizeof(m->wrong), format, args);
	va_end(args);
}

static void check_returned(struct model *m, int wanted, int got)
{
	if (got != wanted)
		wrong(m, "returned %d, not %d", got, wanted);
}

/* Calls, each beside what the model expects of it */

/* Fills in what the caller of a registration fills in. Leaves registered probes alone. */
static void prepare(struct model *m, unsigned int subject, const struct model_step *step)
{
	struct kprobe *kp = probe(m, subject);

	if (!kp || is_registered(m, subject))
		return;
	set_place(m, kp, step);
	kp->flags = step->flags;
}

static int expect_added(struct model *m, unsigned int subject, const struct model_step *step)
{
	struct model_expected *e = expected(m, subject);
	int error;

	if (subject == MODEL_NOTHING || is_registered(m, subject))
		return -EINVAL;
	error = place_error(step, subject >= MODEL_PROBES);
	if (error)
		return error;
	e->registered = true;
	e->disabled = step->flags & KPROBE_FLAG_DISABLED;
	return 0;
}

static void do_register(struct model *m, const struct model_step *step)
{
	struct kretprobe *rp = return_probe(m, step->subject);
	int ret;

	/* Something that is not initialized but has a place is a probe. */
	if (step->subject == MODEL_GARBAGE)
		return;
	prepare(m, step->subject, step);
	if (is_return(step->subject))
		ret = register_kretprobe(rp);
	else
		ret = register_kprobe(probe(m, step->subject));
	check_returned(m, expect_added(m, step->subject, step), ret);
}

static void expect_removed(struct model *m, unsigned int subject)
{
	struct kprobe *kp = probe(m, subject);

	if (!kp)
		return;
	if (is_registered(m, subject))
		m->expected[subject].registered = false;
	else if (kp->addr)
		wrong(m, "unregistering what is not registered left its address");
}

static void do_unregister(struct model *m, const struct model_step *step)
{
	if (is_return(step->subject))
		unregister_kretprobe(return_probe(m, step->subject));
	else
		unregister_kprobe(probe(m, step->subject));
	expect_removed(m, step->subject);
}

/* The subject of an entry of an array: NULL now and then, never what is no probe. */
static unsigned int entry(const struct model_step *step, unsigned int i)
{
	unsigned int subject = step->array[i];

	if (step->call == MODEL_REGISTER_RETURNS || step->call == MODEL_UNREGISTER_RETURNS)
		return subject % 16 ? MODEL_PROBES + subject % MODEL_RETURNS : MODEL_NOTHING;
	return subject % 16 ? subject % MODEL_PROBES : MODEL_NOTHING;
}

static int expect_array(struct model *m, const struct model_step *step)
{
	int i, ret = 0;

	if (!step->num)
		return -EINVAL;
	for (i = 0; i < step->num; i++)
		if (entry(step, i) == MODEL_NOTHING)
			return -EINVAL;
	for (i = 0; i < step->num && !ret; i++)
		ret = expect_added(m, entry(step, i), step);
	/* The last one was refused; those before it are unregistered again. */
	for (i--; ret && i--; )
		m->expected[entry(step, i)].registered = false;
	return ret;
}

static void do_array(struct model *m, const struct model_step *step)
{
	struct kretprobe *rps[MODEL_ENTRIES];
	struct kprobe *kps[MODEL_ENTRIES];
	int i, ret = 0, num = step->num;

	for (i = 0; i < MODEL_ENTRIES; i++) {
		kps[i] = probe(m, entry(step, i));
		rps[i] = return_probe(m, entry(step, i));
		if (step->call == MODEL_REGISTER_ARRAY || step->call == MODEL_REGISTER_RETURNS)
			prepare(m, entry(step, i), step);
	}
	switch (step->call) {
	case MODEL_REGISTER_ARRAY:
		ret = register_kprobes(kps, num);
		check_returned(m, expect_array(m, step), ret);
		return;
	case MODEL_REGISTER_RETURNS:
		ret = register_kretprobes(rps, num);
		check_returned(m, expect_array(m, step), ret);
		return;
	case MODEL_UNREGISTER_ARRAY:
		unregister_kprobes(kps, num);
		break;
	default:
		unregister_kretprobes(rps, num);
	}
	for (i = 0; i < num; i++)
		if (is_registered(m, entry(step, i)))
			m->expected[entry(step, i)].registered = false;
}

static void do_enable(struct model *m, const struct model_step *step)
{
	bool on = step->call == MODEL_ENABLE;
	struct kprobe *kp = probe(m, step->subject);
	int wanted = is_registered(m, step->subject) ? 0 : -EINVAL;

	if (is_return(step->subject)) {
		struct kretprobe *rp = return_probe(m, step->subject);

		check_returned(m, wanted, on ? enable_kretprobe(rp) : disable_kretprobe(rp));
	} else {
		check_returned(m, wanted, on ? enable_kprobe(kp) : disable_kprobe(kp));
	}
	if (!wanted)
		m->expected[step->subject].disabled = !on;
}

static void do_run(struct model *m)
{
	int i;

	if (kprobes_targets_run(7) != KPROBES_TARGETS_RESULT(7))
		wrong(m, "wrong result");
	for (i = 0; i < MODEL_GARBAGE; i++)
		if (m->armed && m->expected[i].registered && !m->expected[i].disabled)
			m->expected[i].hits++;
}

static void execute(struct model *m, const struct model_step *step)
{
	bool on = step->flags & KPROBE_FLAG_DISABLED;

	switch (step->call) {
	case MODEL_REGISTER:
		return do_register(m, step);
	case MODEL_UNREGISTER:
		return do_unregister(m, step);
	case MODEL_REGISTER_ARRAY:
	case MODEL_UNREGISTER_ARRAY:
	case MODEL_REGISTER_RETURNS:
	case MODEL_UNREGISTER_RETURNS:
		return do_array(m, step);
	case MODEL_ENABLE:
	case MODEL_DISABLE:
		return do_enable(m, step);
	case MODEL_ARM_ALL:
		check_returned(m, 0, kprobe_reason_errno(kprobe_arm_all(on)));
		m->armed = on;
		return;
	case MODEL_OPTIMIZE:
		return kprobe_optimizer_allow(on);
	case MODEL_SETTLE:
		return wait_for_kprobe_optimizer();
	default:
		return do_run(m);
	}
}

static int work_handler(struct kprobe *p, struct pt_regs *regs)
{
	schedule_work(&container_of(p, struct model, trigger)->work);
	return 0;
}

static void execute_work(struct work_struct *work)
{
	struct model *m = container_of(work, struct model, work);

	execute(m, m->step);
	m->step = NULL;
}

static noinline void __noipa trigger(void)
{
	barrier();
}

static void execute_in_work(struct model *m, const struct model_step *step)
{
	m->step = step;
	trigger();
	flush_work(&m->work);
	if (m->step)
		wrong(m, "the handler that queues work did not run");
}

/* Checking the probes against the model */

static void check_hits(struct model *m, unsigned int subject, atomic_t *first, atomic_t *second)
{
	int hits = m->expected[subject].hits;

	if (atomic_read(first) != hits || atomic_read(second) != hits)
		wrong(m, "probe %u: %d and %d hits, not %d", subject, atomic_read(first),
		      atomic_read(second), hits);
}

static void check_probe(struct model *m, unsigned int subject)
{
	const struct model_expected *e = expected(m, subject);
	struct kprobe *kp = probe(m, subject);

	scoped_guard(mutex, &kprobe_mutex)
		if (kprobe_is_registered(kp) != e->registered)
			wrong(m, "probe %u: registered is not %d", subject, e->registered);
	if (!e->registered)
		return;
	if (kprobe_disabled(kp) != e->disabled)
		wrong(m, "probe %u: disabled is not %d", subject, e->disabled);
	if (kp->nmissed)
		wrong(m, "probe %u: %lu missed", subject, kp->nmissed);
}

static void check_probes(struct model *m)
{
	int i;

	for (i = 0; i < MODEL_PROBES; i++)
		check_hits(m, i, &m->probes[i].pre, &m->probes[i].post);
	for (i = 0; i < MODEL_RETURNS; i++)
		check_hits(m, MODEL_PROBES + i, &m->returns[i].entries, &m->returns[i].returns);
	for (i = 0; i < MODEL_GARBAGE; i++)
		check_probe(m, i);
}

/* Executes a step and checks all probes; m->wrong is then what was not as expected. */
void kprobes_model_step(struct model *m, const struct model_step *step)
{
	if (step->in_work && m->armed)
		execute_in_work(m, step);
	else
		execute(m, step);
	check_probes(m);
}

void kprobes_model_unregister_all(struct model *m)
{
	int i;

	for (i = 0; i < MODEL_GARBAGE; i++)
		unregister_kprobe(probe(m, i));
	kprobe_arm_all(true);
	kprobe_optimizer_allow(true);
}

void kprobes_model_begin(struct model *m)
{
	int i;

	memset(m->expected, 0, sizeof(m->expected));
	m->wrong[0] = 0;
	m->armed = true;
	for (i = 0; i < MODEL_PROBES; i++)
		m->probes[i] = (struct kprobes_counter){
			.kp.pre_handler = kprobes_count_pre,
			.kp.post_handler = kprobes_count_post,
		};
	for (i = 0; i < MODEL_RETURNS; i++)
		kprobes_returns_init(&m->returns[i], NULL);
	memset(&m->garbage, 0x6b, sizeof(m->garbage));
}

static void end_model(void *data)
{
	struct model *m = data;

	kprobes_model_unregister_all(m);
	unregister_kprobe(&m->trigger);
	flush_work(&m->work);
	wait_for_kprobe_optimizer();
}

struct model *kprobes_model(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->freed = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, m->freed);
	vfree(m->freed);
	INIT_WORK(&m->work, execute_work);
	m->trigger.addr = (kprobe_opcode_t *)trigger;
	m->trigger.pre_handler = work_handler;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_model, m));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&m->trigger));
	return m;
}

void kprobes_model_print(struct kunit *test, const struct model_step *step)
{
	kunit_err(test, "%s %u [%u %u %u %u / %u] at \"%s\"%s, flags %#x%s\n",
		  call_names[step->call], step->subject, entry(step, 0), entry(step, 1),
		  entry(step, 2), entry(step, 3), step->num, place_name(step->place),
		  step->by_addr ? " by address" : "", step->flags,
		  step->in_work ? ", in a work item" : "");
}
