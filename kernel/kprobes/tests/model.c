// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls of the API, and a model of it. The arguments are what callers in a hurry pass: probes
 * that are registered already or never were, arrays with NULL and with a probe twice, places
 * that are refused, memory that is no probe, any flags. The model knows of each probe whether it
 * is registered, disabled and gone, and how often it was hit; it predicts what each call returns.
 */
#include <kunit/test.h>
#include <linux/execmem.h>
#include <linux/kprobe_arch.h>
#include <linux/vmalloc.h>
#include <asm/sections.h>

#include "../mechanism.h"
#include "../reason.h"
#include "../register.h"
#include "model.h"

static const char * const call_names[MODEL_CALLS] = {
	"register", "unregister", "register array", "unregister array",
	"register array of return probes", "unregister array of return probes",
	"enable", "disable", "run", "arm all", "optimize", "settle", "free init memory",
	"load or unload the module and register",
};

/* Subjects */

static struct kretprobe *return_probe(struct model *m, unsigned int subject)
{
	if (subject == MODEL_NOTHING)
		return NULL;
	if (kprobes_model_is_return(subject))
		return &m->returns[subject - MODEL_PROBES].rp;
	return &m->garbage;
}

struct kprobe *kprobes_model_probe(struct model *m, unsigned int subject)
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

/* Notes what is wrong, unless something was before. */
void kprobes_model_wrong(struct model *m, const char *format, ...)
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
		kprobes_model_wrong(m, "returned %d, not %d", got, wanted);
}

/* Calls, each beside what the model expects of it */

static void reset_counts(struct model *m, unsigned int subject)
{
	m->expected[subject].hits = 0;
	if (kprobes_model_is_return(subject)) {
		struct kprobes_returns *r = &m->returns[subject - MODEL_PROBES];

		atomic_set(&r->entries, 0);
		atomic_set(&r->returns, 0);
	} else {
		atomic_set(&m->probes[subject].pre, 0);
		atomic_set(&m->probes[subject].post, 0);
	}
}

/* Fills in what the caller of a registration fills in. Leaves registered probes alone. */
static void prepare(struct model *m, unsigned int subject, unsigned int place,
		    const struct model_step *step)
{
	struct model_expected *e = expected(m, subject);
	struct kprobe *kp = kprobes_model_probe(m, subject);

	if (!e || e->registered)
		return;
	*e = (struct model_expected){ .place = place };
	reset_counts(m, subject);
	kprobes_model_set_place(m, kp, place, step);
	kp->flags = step->flags;
	/* Probes that wait for a module have tests of their own. */
	if (kp->symbol_name && strchr(kp->symbol_name, ':'))
		kp->flags &= ~KPROBE_FLAG_PENDING;
	if (kprobes_model_is_return(subject)) {
		struct kretprobe *rp = return_probe(m, subject);

		e->large = step->large;
		e->many = step->maxactive == INT_MAX;
		rp->maxactive = step->maxactive;
		rp->data_size = e->large ? KRETPROBE_MAX_DATA_SIZE + 1 : 0;
	}
}

static unsigned int outcome(int ret)
{
	switch (ret) {
	case 0:
		return MODEL_OK;
	case -EINVAL:
		return MODEL_EINVAL;
	case -EILSEQ:
		return MODEL_EILSEQ;
	case -ENOENT:
		return MODEL_ENOENT;
	case -E2BIG:
		return MODEL_E2BIG;
	case -ENOMEM:
		return MODEL_ENOMEM;
	default:
		return MODEL_OTHER;
	}
}

static void check_outcome(struct model *m, unsigned int outcomes, int ret)
{
	if (!(outcome(ret) & outcomes))
		kprobes_model_wrong(m, "returned %d, not one of %#x", ret, outcomes);
	kprobes_model_check_refusal(m, ret);
}

/* What registering may return. With several things wrong any of them is named. */
static unsigned int outcomes(struct model *m, unsigned int subject)
{
	bool returns = kprobes_model_is_return(subject);
	unsigned int set;

	if (subject == MODEL_NOTHING || kprobes_model_is_registered(m, subject))
		return MODEL_EINVAL;
	set = kprobes_model_outcomes(m, expected(m, subject)->place, returns);
	if (expected(m, subject)->large)
		set = (set & ~MODEL_OK) | MODEL_E2BIG;
	if (expected(m, subject)->many)
		set = (set & ~MODEL_OK) | MODEL_ENOMEM;
	return set;
}

static void expect_added(struct model *m, unsigned int subject, const struct model_step *step)
{
	struct model_expected *e = expected(m, subject);

	e->registered = true;
	e->disabled = step->flags & KPROBE_FLAG_DISABLED;
	e->gone = false;
}

static int call_register(struct model *m, unsigned int subject)
{
	if (kprobes_model_is_return(subject))
		return register_kretprobe(return_probe(m, subject));
	return register_kprobe(kprobes_model_probe(m, subject));
}

/* Registers the subject of a step, and compares. */
void kprobes_model_register(struct model *m, const struct model_step *step)
{
	unsigned int set, subject = step->subject;
	bool was_registered;
	int ret;

	/* Something that is not initialized but has a place is a probe. */
	if (subject == MODEL_GARBAGE)
		return;
	was_registered = kprobes_model_is_registered(m, subject);
	prepare(m, subject, step->places[0], step);
	set = outcomes(m, subject);
	ret = call_register(m, subject);
	check_outcome(m, set, ret);
	if (was_registered || subject == MODEL_NOTHING)
		return;
	if (!expected(m, subject)->large && !expected(m, subject)->many)
		kprobes_model_seen(m, step->places[0], kprobes_model_is_return(subject),
				   outcome(ret));
	if (!ret)
		expect_added(m, subject, step);
}

static void expect_no_addr(struct model *m, unsigned int subject)
{
	struct kprobe *kp = kprobes_model_probe(m, subject);

	if (kp && kp->addr)
		kprobes_model_wrong(m, "unregistering what is not registered left its address");
}

static void expect_removed(struct model *m, unsigned int subject)
{
	if (kprobes_model_is_registered(m, subject))
		m->expected[subject].registered = false;
	else
		expect_no_addr(m, subject);
}

static void do_unregister(struct model *m, const struct model_step *step)
{
	if (kprobes_model_is_return(step->subject))
		unregister_kretprobe(return_probe(m, step->subject));
	else
		unregister_kprobe(kprobes_model_probe(m, step->subject));
	expect_removed(m, step->subject);
}

/* The subject of an entry of an array: NULL now and then, what is no probe only to unregister. */
static unsigned int entry(const struct model_step *step, unsigned int i)
{
	bool returns = step->call == MODEL_REGISTER_RETURNS ||
		       step->call == MODEL_UNREGISTER_RETURNS;
	bool add = step->call == MODEL_REGISTER_ARRAY || step->call == MODEL_REGISTER_RETURNS;
	unsigned int subject = step->array[i];

	if (subject % 16 == 0)
		return MODEL_NOTHING;
	if (subject % 16 == 1 && !add)
		return MODEL_GARBAGE;
	return returns ? MODEL_PROBES + subject % MODEL_RETURNS : subject % MODEL_PROBES;
}

static bool is_bad_array(const struct model_step *step)
{
	int i;

	if (step->num <= 0 || step->null_array)
		return true;
	for (i = 0; i < step->num; i++)
		if (entry(step, i) == MODEL_NOTHING)
			return true;
	return false;
}

/*
 * Takes the entries of an array for registered one after another, as far as they may be. Returns
 * what the call may return.
 */
static unsigned int expect_array(struct model *m, const struct model_step *step, int *added)
{
	unsigned int set, errors = 0;

	for (*added = 0; *added < step->num; ++*added) {
		set = outcomes(m, entry(step, *added));
		errors |= set & ~MODEL_OK;
		if (!(set & MODEL_OK))
			return errors;
		expect_added(m, entry(step, *added), step);
	}
	return errors | MODEL_OK;
}

static void register_array(struct model *m, const struct model_step *step,
			   struct kprobe **kps, struct kretprobe **rps)
{
	unsigned int set = MODEL_EINVAL;
	int i, ret, added = 0;

	for (i = 0; i < MODEL_ENTRIES; i++)
		prepare(m, entry(step, i), step->places[i], step);
	if (!is_bad_array(step))
		set = expect_array(m, step, &added);
	if (step->call == MODEL_REGISTER_ARRAY)
		ret = register_kprobes(kps, step->num);
	else
		ret = register_kretprobes(rps, step->num);
	check_outcome(m, set, ret);
	/* All or none. */
	while (ret && added--)
		m->expected[entry(step, added)].registered = false;
}

static void unregister_array(struct model *m, const struct model_step *step,
			     struct kprobe **kps, struct kretprobe **rps)
{
	int i;

	if (step->call == MODEL_UNREGISTER_ARRAY)
		unregister_kprobes(kps, step->num);
	else
		unregister_kretprobes(rps, step->num);
	/* One that is in the array twice has an address until it is unregistered. */
	for (i = 0; i < step->num && !step->null_array; i++)
		if (!kprobes_model_is_registered(m, entry(step, i)))
			expect_no_addr(m, entry(step, i));
	for (i = 0; i < step->num && !step->null_array; i++)
		if (kprobes_model_is_registered(m, entry(step, i)))
			m->expected[entry(step, i)].registered = false;
}

static void do_array(struct model *m, const struct model_step *step)
{
	bool add = step->call == MODEL_REGISTER_ARRAY || step->call == MODEL_REGISTER_RETURNS;
	struct kretprobe *rps[MODEL_ENTRIES];
	struct kprobe *kps[MODEL_ENTRIES];
	int i;

	for (i = 0; i < MODEL_ENTRIES; i++) {
		kps[i] = kprobes_model_probe(m, entry(step, i));
		rps[i] = return_probe(m, entry(step, i));
	}
	if (add)
		register_array(m, step, step->null_array ? NULL : kps,
			       step->null_array ? NULL : rps);
	else
		unregister_array(m, step, step->null_array ? NULL : kps,
				 step->null_array ? NULL : rps);
}

/* Probes whose text has gone can be disabled, which they are, but not enabled. */
static int expect_enabled(const struct model *m, unsigned int subject, bool on)
{
	if (!kprobes_model_is_registered(m, subject))
		return -EINVAL;
	return on && m->expected[subject].gone ? -EINVAL : 0;
}

static int call_enable(struct model *m, unsigned int subject, bool on)
{
	struct kretprobe *rp;

	if (kprobes_model_is_return(subject)) {
		rp = return_probe(m, subject);
		return on ? enable_kretprobe(rp) : disable_kretprobe(rp);
	}
	return on ? enable_kprobe(kprobes_model_probe(m, subject)) :
		    disable_kprobe(kprobes_model_probe(m, subject));
}

static void do_enable(struct model *m, const struct model_step *step)
{
	bool on = step->call == MODEL_ENABLE;
	int wanted = expect_enabled(m, step->subject, on);
	int ret = call_enable(m, step->subject, on);

	check_returned(m, wanted, ret);
	/* What cannot be disabled leaves no record. */
	kprobes_model_check_refusal(m, on ? ret : 0);
	if (!wanted && !m->expected[step->subject].gone)
		m->expected[step->subject].disabled = !on;
}

static void do_run(struct model *m)
{
	int i;

	if (kprobes_targets_run(7) != KPROBES_TARGETS_RESULT(7))
		kprobes_model_wrong(m, "wrong result");
	for (i = 0; i < MODEL_GARBAGE; i++)
		if (m->armed && m->expected[i].registered &&
		    (!m->expected[i].disabled || m->errs) &&
		    kprobes_model_is_passed(m->expected[i].place))
			m->expected[i].hits++;
}

/* Init text is not run again, but at boot it is still there. */
static void do_free_init(struct model *m)
{
	int i;

	kprobe_free_init_mem();
	for (i = 0; i < MODEL_GARBAGE; i++) {
		unsigned long addr = (unsigned long)kprobes_model_probe(m, i)->addr;

		if (m->expected[i].registered && is_kernel_inittext(addr))
			m->expected[i].gone = true;
	}
}

static void execute(struct model *m, const struct model_step *step)
{
	bool on = step->flags & KPROBE_FLAG_DISABLED;

	switch (step->call) {
	case MODEL_REGISTER:
		return kprobes_model_register(m, step);
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
	case MODEL_FREE_INIT:
		return do_free_init(m);
	case MODEL_MODULE:
		return kprobes_model_module_step(m, step);
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
		kprobes_model_wrong(m, "the handler that queues work did not run");
}

/* Checking the probes against the model */

static void check_hits(struct model *m, unsigned int subject, atomic_t *first, atomic_t *second)
{
	int hits = m->expected[subject].hits;

	/* Anybody may pass a random address. */
	if (kprobes_model_is_spot(m->expected[subject].place))
		return;
	if (atomic_read(first) != hits || atomic_read(second) != hits)
		kprobes_model_wrong(m, "probe %u: %d and %d hits, not %d", subject,
				    atomic_read(first), atomic_read(second), hits);
}

static void check_flags(struct model *m, unsigned int subject)
{
	const struct model_expected *e = expected(m, subject);
	struct kprobe *kp = kprobes_model_probe(m, subject);

	if (kprobe_gone(kp) != e->gone)
		kprobes_model_wrong(m, "probe %u: gone is not %d", subject, e->gone);
	if (kprobe_disabled(kp) != (e->disabled || e->gone))
		kprobes_model_wrong(m, "probe %u: disabled is not %d", subject, e->disabled);
	if (kp->nmissed && !kprobes_model_is_spot(e->place))
		kprobes_model_wrong(m, "probe %u: %lu missed", subject, kp->nmissed);
}

static void check_probe(struct model *m, unsigned int subject)
{
	const struct model_expected *e = expected(m, subject);
	struct kprobe *kp = kprobes_model_probe(m, subject);

	scoped_guard(mutex, &kprobe_mutex)
		if (kprobe_is_registered(kp) != e->registered)
			kprobes_model_wrong(m, "probe %u: registered is not %d", subject,
					    e->registered);
	if (e->registered)
		check_flags(m, subject);
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
	kprobes_model_check_state(m);
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
		unregister_kprobe(kprobes_model_probe(m, i));
	kprobe_arm_all(true);
	kprobe_optimizer_allow(true);
	kprobes_model_module_reset(m);
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
	for (i = 0; i < MODEL_SPOTS; i++)
		memcpy(m->spots[i].known, m->spots[i].outcomes, sizeof(m->spots[i].known));
	kprobes_model_state_begin(m);
}

static void end_model(void *data)
{
	struct model *m = data;

	kprobes_model_unregister_all(m);
	kprobes_model_module_end(m);
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
	m->freed_text = execmem_alloc(EXECMEM_MODULE_TEXT, PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, m->freed_text);
	execmem_free(m->freed_text);
	INIT_WORK(&m->work, execute_work);
	m->trigger.addr = (kprobe_opcode_t *)trigger;
	m->trigger.pre_handler = work_handler;
	kprobes_model_module_begin(m);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, end_model, m));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&m->trigger));
	return m;
}

static void print_array(struct kunit *test, const struct model *m, const struct model_step *step)
{
	char name[80];
	int i;

	kunit_err(test, "%s, num %d%s, flags %#x, maxactive %d%s\n", call_names[step->call],
		  step->num, step->null_array ? " of NULL" : "", step->flags, step->maxactive,
		  step->in_work ? ", in a work item" : "");
	for (i = 0; i < step->num; i++) {
		kprobes_model_place_name(m, step->places[i], name, sizeof(name));
		kunit_err(test, "    [%d] %u at \"%s\"\n", i, entry(step, i), name);
	}
}

void kprobes_model_print(struct kunit *test, const struct model *m, const struct model_step *step)
{
	char name[80];

	if (step->call >= MODEL_REGISTER_ARRAY && step->call <= MODEL_UNREGISTER_RETURNS)
		return print_array(test, m, step);
	kprobes_model_place_name(m, step->places[0], name, sizeof(name));
	kunit_err(test, "%s %u at \"%s\"%s, flags %#x, maxactive %d%s\n", call_names[step->call],
		  step->subject, name, step->by_addr ? " by address" : "", step->flags,
		  step->maxactive, step->in_work ? ", in a work item" : "");
}
