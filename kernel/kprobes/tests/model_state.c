// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares what the files "list", "points" and "refused" in debugfs show with the model. The
 * files are read without a file system, which is not there yet when KUnit runs at boot.
 */
#include <kunit/test.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../debugfs.h"
#include "../reason.h"
#include "model.h"

#ifdef CONFIG_DEBUG_FS

#define SIZE	SZ_64K

/* A call that failed has left one record, with its errno; one that did not has left none. */
void kprobes_model_check_refusal(struct model *m, int ret)
{
	struct kprobe_refusal refusal;
	unsigned int n = 0;
	int error = 0;

	while (kprobe_get_refusal(&m->refusals, &refusal)) {
		error = kprobe_reason_errno(refusal.reason);
		m->refusals++;
		n++;
	}
	if (n != !!ret || error != ret)
		kprobes_model_wrong(m, "%u refusals recorded, the last %d, for %d", n, error, ret);
}

/* Returns the file's text, NULL without memory. */
static char *read_file(const struct seq_operations *ops)
{
	struct kprobe_reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	struct seq_file m = {
		.buf = kvzalloc(SIZE, GFP_KERNEL), .size = SIZE - 1, .private = reader,
	};
	loff_t pos = 0;
	void *v;

	if (!reader || !m.buf)
		goto out;
	reader->sees_addresses = true;
	for (v = ops->start(&m, &pos); v; v = ops->next(&m, v, &pos))
		ops->show(&m, v);
	ops->stop(&m, v);
out:
	kfree(reader);
	return m.buf;
}

static struct kprobe *registered(struct model *m, unsigned int subject)
{
	return kprobes_model_is_registered(m, subject) ? kprobes_model_probe(m, subject) : NULL;
}

/* Is it a line of "list" that a probe of the model must have? */
static bool is_line_of(struct model *m, unsigned int subject, const char *line)
{
	const struct model_expected *e = &m->expected[subject];
	struct kprobe *kp = registered(m, subject);
	unsigned long addr;
	char type;

	return kp && sscanf(line, "%lx %c", &addr, &type) == 2 &&
	       addr == (unsigned long)kp->addr &&
	       type == (kprobes_model_is_return(subject) ? 'r' : 'k') &&
	       !!strstr(line, "[GONE]") == e->gone &&
	       !!strstr(line, "[DISABLED]") == (e->disabled && !e->gone);
}

/* Takes a line off the probes that have not got theirs yet, a bit for each. */
static bool take_line(struct model *m, const char *line, unsigned long *missing)
{
	unsigned int i;

	for_each_set_bit(i, missing, MODEL_GARBAGE)
		if (is_line_of(m, i, line)) {
			__clear_bit(i, missing);
			return true;
		}
	return false;
}

/* Returns how many lines are of others; sets @missing to the probes without a line. */
static unsigned int read_list(struct model *m, unsigned long *missing)
{
	char *text = read_file(&kprobe_list_ops), *at = text, *line;
	unsigned int i, others = 0;

	for (i = 0; i < MODEL_GARBAGE; i++)
		__assign_bit(i, missing, registered(m, i));
	while (text && (line = strsep(&at, "\n")))
		if (*line && !take_line(m, line, missing))
			others++;
	kvfree(text);
	return others;
}

static void check_list(struct model *m)
{
	unsigned long missing = 0;
	unsigned int others = read_list(m, &missing);

	if (missing)
		kprobes_model_wrong(m, "list lacks probe %lu, or flags are wrong",
				    find_first_bit(&missing, MODEL_GARBAGE));
	else if (others != m->others)
		kprobes_model_wrong(m, "list has %u lines of others, not %u", others, m->others);
}

/**
 * struct shown_point - a line of "points"
 * @addr:   the address
 * @state:  the state
 * @probes: how many probes are on it
 */
struct shown_point {
	unsigned long addr;
	char state[16];
	unsigned int probes;
};

static bool parse_point(const char *line, struct shown_point *point)
{
	return sscanf(line, "%lx %*s %*s %*s %15s %u", &point->addr, point->state,
		      &point->probes) == 3;
}

static bool is_gone(const struct shown_point *point)
{
	return !strcmp(point->state, "gone");
}

/* Counts the model's probes on a point; @enabled: those whose handlers run. */
static unsigned int count_probes(struct model *m, const struct shown_point *point,
				 unsigned int *enabled)
{
	unsigned int i, n = 0;

	*enabled = 0;
	for (i = 0; i < MODEL_GARBAGE; i++) {
		struct kprobe *kp = registered(m, i);

		if (!kp || (unsigned long)kp->addr != point->addr ||
		    m->expected[i].gone != is_gone(point))
			continue;
		n++;
		*enabled += !m->expected[i].disabled;
	}
	return n;
}

/* Points that are gone and had the same address are not told apart. */
static void check_point(struct model *m, const struct shown_point *point)
{
	bool armed = !strcmp(point->state, "armed") || !strcmp(point->state, "optimizing");
	unsigned int enabled, probes = count_probes(m, point, &enabled);

	if (!probes || is_gone(point))
		return;
	if (point->probes != probes)
		kprobes_model_wrong(m, "%pS: points shows %u probes, not %u",
				    (void *)point->addr, point->probes, probes);
	else if (enabled && m->armed && !armed)
		kprobes_model_wrong(m, "%pS: %s with %u probes enabled", (void *)point->addr,
				    point->state, enabled);
}

/* Returns the sum of the probes on all points; @gone: on those that are gone. */
static unsigned int read_points(struct model *m, unsigned int *gone)
{
	char *text = read_file(&kprobe_points_ops), *at = text, *line;
	struct shown_point point;
	unsigned int probes = 0;

	*gone = 0;
	while (text && (line = strsep(&at, "\n"))) {
		if (!parse_point(line, &point))
			continue;
		check_point(m, &point);
		probes += point.probes;
		*gone += is_gone(&point) ? point.probes : 0;
	}
	kvfree(text);
	return probes;
}

static void check_points(struct model *m)
{
	unsigned int i, gone, probes = read_points(m, &gone), wanted = 0, wanted_gone = 0;

	for (i = 0; i < MODEL_GARBAGE; i++) {
		wanted += m->expected[i].registered;
		wanted_gone += m->expected[i].registered && m->expected[i].gone;
	}
	if (probes != wanted + m->others || gone < wanted_gone)
		kprobes_model_wrong(m, "points shows %u probes, not %u; %u gone, not %u", probes,
				    wanted + m->others, gone, wanted_gone);
}

void kprobes_model_check_state(struct model *m)
{
	check_list(m);
	check_points(m);
}

/* To be called while no probe of the model is registered. */
void kprobes_model_state_begin(struct model *m)
{
	struct kprobe_refusal ignored;
	unsigned long missing = 0;

	m->others = read_list(m, &missing);
	while (kprobe_get_refusal(&m->refusals, &ignored))
		m->refusals++;
}

#else
void kprobes_model_check_refusal(struct model *m, int ret)
{
}

void kprobes_model_check_state(struct model *m)
{
}

void kprobes_model_state_begin(struct model *m)
{
}
#endif
