// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file "refused" in debugfs: a line for each of the last refused calls of the API.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/string_helpers.h>

#include "debugfs_file.h"
#include "reason.h"
#include "refused.h"

/**
 * struct refused_file - "refused", opened
 * @reader:  who has opened it
 * @refusal: the reader's copy of what is shown next
 */
struct refused_file {
	struct kprobe_reader reader;
	struct kprobe_refusal refusal;
};

/* The position in the file is the number of a refusal, not a count of lines. */
static void *refused_start(struct seq_file *m, loff_t *pos)
{
	struct refused_file *file = m->private;
	u64 number = *pos;

	if (!kprobe_get_refusal(&number, &file->refusal))
		return NULL;
	*pos = number;
	return &file->refusal;
}

static void *refused_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return refused_start(m, pos);
}

static void refused_stop(struct seq_file *m, void *v)
{
}

static void show_caller(struct seq_file *m, const struct kprobe_refusal *r)
{
	u64 time = r->time;
	u32 ns = do_div(time, NSEC_PER_SEC);

	seq_printf(m, "%llu.%03lu  ", time, ns / NSEC_PER_MSEC);
	seq_escape_str(m, r->comm, ESCAPE_ANY_NP, NULL);
	seq_printf(m, "[%d]  %s", r->pid, r->caller);
}

static void show_request(struct seq_file *m, const struct kprobe_refusal *r)
{
	static const char * const requests[] = {
		[KPROBE_SET] = "kprobe",
		[KPROBE_SET_RETURN] = "kretprobe",
		[KPROBE_ENABLE] = "enable",
	};

	seq_printf(m, "  %s  ", requests[r->request]);
}

static void show_address(struct seq_file *m, const struct kprobe_refusal *r)
{
	seq_printf(m, "0x%px+0x%x", kprobe_shown(m, r->addr), r->offset);
}

/* Shows symbol and address if the probe had both. */
static void show_place(struct seq_file *m, const struct kprobe_refusal *r)
{
	if (r->by_name) {
		seq_escape_str(m, r->symbol, ESCAPE_ANY_NP, NULL);
		seq_printf(m, "+0x%x", r->offset);
	}
	if (r->by_name && r->addr)
		seq_putc(m, ',');
	if (r->addr)
		show_address(m, r);
	if (!r->by_name && !r->addr)
		seq_putc(m, '-');
}

static int refused_show(struct seq_file *m, void *v)
{
	const struct kprobe_refusal *r = v;

	show_caller(m, r);
	show_request(m, r);
	show_place(m, r);
	seq_printf(m, "  %pe  %s\n", ERR_PTR(kprobe_reason_errno(r->reason)),
		   kprobe_reason_text(r->reason));
	return 0;
}

static const struct seq_operations refused_sops = {
	.start = refused_start,
	.next = refused_next,
	.stop = refused_stop,
	.show = refused_show,
};

const struct kprobe_file kprobe_refused_file = {
	.ops = &refused_sops,
	.size = sizeof(struct refused_file),
};
