// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files in /sys/kernel/debug/kprobes. All but "enabled" are read-only. A file shows addresses
 * only to readers who may see them.
 *
 * A reader of "list" or "points" holds kprobe_mutex for one line at a time: for a whole page of
 * output it would delay registrations by milliseconds. Most of a line's time goes into looking the
 * symbol up, which is a binary search in the kernel and a linear one in a module. The reader
 * remembers the address where it was and finds it again in logarithmic time, so it needs no copy
 * either.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/uaccess.h>

#include "batch.h"
#include "blacklist.h"
#include "debugfs.h"
#include "hit.h"
#include "knob.h"
#include "optimizer.h"
#include "point.h"
#include "reason.h"

/*
 * Decides whether this open file shows addresses: by the credentials of the task that opens it,
 * not of one that reads it later, as /proc/kallsyms does.
 */
static int open_file(struct inode *inode, struct file *file)
{
	const struct kprobe_file *f = inode->i_private;
	struct kprobe_reader *reader = __seq_open_private(file, f->ops, f->size);

	if (!reader)
		return -ENOMEM;
	reader->sees_addresses = kallsyms_show_value(file->f_cred);
	return 0;
}

static const struct file_operations file_fops = {
	.open = open_file,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* The address, for %px, or NULL if the task that opened @m may not see addresses. */
static void *shown(const struct seq_file *m, unsigned long addr)
{
	const struct kprobe_reader *reader = m->private;

	return reader->sees_addresses ? (void *)addr : NULL;
}

/**
 * struct position - how far a reader has got
 * @reader:     who reads
 * @addr:       probed address of the point to show next
 * @gone:       address of its struct kprobe_point, if the point is gone
 * @among_gone: the points that are not gone have been shown
 *
 * Points may come and go between two calls that read a file. The reader therefore finds its
 * point again by address, and compares @gone but never dereferences it.
 */
struct position {
	struct kprobe_reader reader;
	unsigned long addr;
	unsigned long gone;
	bool among_gone;
};

/**
 * struct place - where a point is, in names
 * @symbol: the symbol, NULL if there is none
 * @offset: distance from it
 * @module: the module, NULL if it is in none
 * @name:   room for the symbol
 */
struct place {
	const char *symbol;
	unsigned long offset;
	char *module;
	char name[KSYM_NAME_LEN];
};

static struct kprobe_point *point_at(struct position *at)
{
	struct kprobe_point *point;
	unsigned long addr = at->addr;

	if (!at->among_gone) {
		point = kprobe_point_next(&addr, ULONG_MAX);
		if (point) {
			at->addr = point->addr;
			return point;
		}
		*at = (struct position){
			.reader = at->reader,
			.among_gone = true,
		};
	}
	/* Search by address: there may be too many to walk from the first one. */
	point = kprobe_point_next_gone(at->addr, at->gone);
	if (point) {
		at->addr = point->addr;
		at->gone = (unsigned long)point;
	}
	return point;
}

/* Takes kprobe_mutex until points_stop(). @pos 0 begins, with SEQ_START_TOKEN. */
static void *points_start(struct seq_file *m, loff_t *pos)
{
	struct position *at = m->private;

	mutex_lock(&kprobe_mutex);
	if (*pos)
		return point_at(at);
	*at = (struct position){ .reader = at->reader };
	return SEQ_START_TOKEN;
}

/* Releases kprobe_mutex for a moment, so that others get it between two lines. */
static void *points_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct position *at = m->private;

	++*pos;
	if (v != SEQ_START_TOKEN && at->among_gone)
		at->gone++;
	else if (v != SEQ_START_TOKEN)
		at->addr++;
	mutex_unlock(&kprobe_mutex);
	cond_resched();
	mutex_lock(&kprobe_mutex);
	return point_at(at);
}

static void points_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&kprobe_mutex);
}

/*
 * Finds symbol and module of a point. A point that is gone has no symbol: its address may be in
 * another module by now. The caller holds kprobe_mutex as long as it uses @place: the module stays.
 */
static void find_place(const struct kprobe_point *point, struct place *place)
{
	unsigned long size;

	lockdep_assert_held(&kprobe_mutex);
	place->module = NULL;
	place->symbol = NULL;
	if (point->state != KPROBE_POINT_GONE)
		place->symbol = kallsyms_lookup(point->addr, &size,
						&place->offset, &place->module,
						place->name);
}

static void show_place(struct seq_file *m, const struct kprobe_point *point,
		       const struct place *place)
{
	if (place->symbol)
		seq_printf(m, "  %s+0x%lx", place->symbol, place->offset);
	else
		seq_printf(m, "  0x%px", shown(m, point->addr));
}

static const char * const states[] = {
	[KPROBE_POINT_IDLE] = "idle",
	[KPROBE_POINT_ARMED] = "armed",
	[KPROBE_POINT_DISARM_PENDING] = "disarm-pending",
	[KPROBE_POINT_GONE] = "gone",
};

static_assert(ARRAY_SIZE(states) == KPROBE_POINT_STATES);

static const char * const mechanisms[] = {
	[KPROBE_BREAKPOINT] = "breakpoint",
	[KPROBE_FTRACE] = "ftrace",
	[KPROBE_JUMP] = "jump",
};

/* A breakpoint or jump may be after the probed entry nop. */
static void show_mechanism(struct seq_file *m, const struct kprobe_point *point)
{
	seq_printf(m, "  %s", mechanisms[point->mechanism]);
	if (point->site != point->addr && point->mechanism != KPROBE_FTRACE)
		seq_printf(m, "+%lu", point->site - point->addr);
}

static unsigned long count_misses(const struct kprobe_point *point,
				  enum kprobe_miss cause)
{
	unsigned long sum = 0;
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list)
		sum += kprobe_misses(p, cause);
	return sum;
}

static void show_counts(struct seq_file *m, const struct kprobe_point *point)
{
	enum kprobe_miss cause;

	seq_printf(m, "  %zu", list_count_nodes((void *)&point->probes));
	for (cause = 0; cause < KPROBE_MISS_CAUSES; cause++)
		seq_printf(m, "  %lu", count_misses(point, cause));
}

/* Why hits do not come by a jump; KPROBE_REASON_NONE if they do. */
static enum kprobe_reason reason_of(const struct kprobe_point *point)
{
	lockdep_assert_held(&kprobe_mutex);
	if (point->mechanism == KPROBE_FTRACE)
		return KPROBE_REASON_THROUGH_FTRACE;
	if (!kprobe_point_in_text(point) || point->state == KPROBE_POINT_DISARM_PENDING)
		return KPROBE_REASON_NOT_ARMED;
	if (point->mechanism == KPROBE_JUMP)
		return KPROBE_REASON_NONE;
	if (point->verdict == KPROBE_VERDICT_IMPOSSIBLE)
		return point->not_jump;
	if (!kprobe_optimizer_is_allowed())
		return KPROBE_REASON_SWITCHED_OFF;
	if (!kprobe_point_owns_site(point))
		return KPROBE_REASON_NEIGHBOUR;
	return point->optimization == KPROBE_OPT_IDLE ? point->not_jump :
							KPROBE_REASON_QUEUED;
}

static void show_point(struct seq_file *m, const struct kprobe_point *point)
{
	struct place place;

	find_place(point, &place);
	seq_printf(m, "%px", shown(m, point->addr));
	show_place(m, point, &place);
	seq_printf(m, "  %s", place.module ?: "-");
	show_mechanism(m, point);
	seq_printf(m, "  %s", kprobe_point_is_optimizing(point) ? "optimizing" :
		   states[point->state]);
	show_counts(m, point);
	seq_printf(m, "  %s\n", kprobe_reason_text(reason_of(point)));
}

static int points_show(struct seq_file *m, void *v)
{
	if (v == SEQ_START_TOKEN)
		seq_puts(m, "address  symbol  module  mechanism  state  probes  nested  depth  diverted  offline  not-optimized\n");
	else
		show_point(m, v);
	return 0;
}

static const struct seq_operations points_sops = {
	.start = points_start,
	.next = points_next,
	.stop = points_stop,
	.show = points_show,
};

const struct kprobe_file kprobe_points_file = {
	.ops = &points_sops,
	.size = sizeof(struct position),
};

#define FLAGS_SHOWN	(KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED |	\
			 KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE)

static void show_probe(struct seq_file *m, const struct kprobe_point *point,
		       const struct kprobe *p, const struct place *place)
{
	u32 flags = READ_ONCE(p->flags);

	seq_printf(m, "%px  %c", shown(m, point->addr),
		   kprobe_is_return_probe(p) ? 'r' : 'k');
	show_place(m, point, place);
	if (place->module)
		seq_printf(m, "  %s", place->module);
	if (flags & FLAGS_SHOWN)
		seq_puts(m, "  ");
	if (flags & KPROBE_FLAG_GONE)
		seq_puts(m, "[GONE]");
	if ((flags & KPROBE_FLAG_DISABLED) && !(flags & KPROBE_FLAG_GONE))
		seq_puts(m, "[DISABLED]");
	if (flags & KPROBE_FLAG_OPTIMIZED)
		seq_puts(m, "[OPTIMIZED]");
	if (flags & KPROBE_FLAG_FTRACE)
		seq_puts(m, "[FTRACE]");
	seq_putc(m, '\n');
}

static int list_show(struct seq_file *m, void *v)
{
	struct kprobe_point *point = v;
	struct place place;
	struct kprobe *p;

	if (v == SEQ_START_TOKEN)
		return 0;
	find_place(point, &place);
	list_for_each_entry(p, &point->probes, list)
		show_probe(m, point, p, &place);
	return 0;
}

static const struct seq_operations list_sops = {
	.start = points_start,
	.next = points_next,
	.stop = points_stop,
	.show = list_show,
};

const struct kprobe_file kprobe_list_file = {
	.ops = &list_sops,
	.size = sizeof(struct position),
};

/**
 * struct blacklist_file - private data of the open file "blacklist"
 * @reader: what the task that opened it may see
 * @start:  the range to show next
 * @end:    the byte after it
 */
struct blacklist_file {
	struct kprobe_reader reader;
	unsigned long start;
	unsigned long end;
};

/* Finds the range at @addr, or else the next one. */
static void *blacklist_at(struct blacklist_file *file, unsigned long addr)
{
	unsigned long start = kprobe_blacklist_next(addr, &file->end);

	/* After the last range, further reads stay at the end. */
	file->start = start ?: ULONG_MAX;
	return start ? file : NULL;
}

static void *blacklist_start(struct seq_file *m, loff_t *pos)
{
	struct blacklist_file *file = m->private;

	return blacklist_at(file, *pos ? file->start : 0);
}

static void *blacklist_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return blacklist_at(v, ((struct blacklist_file *)v)->end);
}

static void blacklist_stop(struct seq_file *m, void *v)
{
}

static int blacklist_show(struct seq_file *m, void *v)
{
	const struct blacklist_file *file = v;
	unsigned long size, offset;

	seq_printf(m, "0x%px-0x%px\t", shown(m, file->start),
		   shown(m, file->end));
	/* Without a symbol %ps would show the address to readers who must not see it. */
	if (kallsyms_lookup_size_offset(file->start, &size, &offset))
		seq_printf(m, "%ps\n", (void *)file->start);
	else
		seq_printf(m, "0x%px\n", shown(m, file->start));
	return 0;
}

static const struct seq_operations blacklist_sops = {
	.start = blacklist_start,
	.next = blacklist_next,
	.stop = blacklist_stop,
	.show = blacklist_show,
};

static const struct kprobe_file blacklist_file = {
	.ops = &blacklist_sops,
	.size = sizeof(struct blacklist_file),
};

static ssize_t enabled_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	const char *text = READ_ONCE(kprobe_armed_globally) ? "1\n" : "0\n";

	return simple_read_from_buffer(buf, count, pos, text, 2);
}

static ssize_t enabled_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	char word[8];
	bool enable;
	int ret;

	if (count >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, buf, count))
		return -EFAULT;
	word[count] = '\0';
	ret = kprobe_parse_switch(word, &enable);
	if (!ret)
		ret = kprobe_reason_errno(kprobe_arm_all(enable));
	return ret ?: count;
}

static const struct file_operations enabled_fops = {
	.read = enabled_read,
	.write = enabled_write,
	.llseek = default_llseek,
};

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
	seq_printf(m, "0x%px+0x%x", shown(m, r->addr), r->offset);
}

/* Shows symbol and address if the probe had both. */
static void show_refused_place(struct seq_file *m, const struct kprobe_refusal *r)
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
	show_refused_place(m, r);
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

static const struct kprobe_file refused_file = {
	.ops = &refused_sops,
	.size = sizeof(struct refused_file),
};

static void __init create_file(const char *name, struct dentry *dir,
			       const struct kprobe_file *file)
{
	debugfs_create_file(name, 0400, dir, (void *)file, &file_fops);
}

static int __init kprobe_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	create_file("list", dir, &kprobe_list_file);
	create_file("blacklist", dir, &blacklist_file);
	create_file("points", dir, &kprobe_points_file);
	create_file("refused", dir, &refused_file);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_atomic_t("stale", 0400, dir, &kprobe_stale_breakpoints);
	return 0;
}
late_initcall(kprobe_debugfs_init);
