// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files in /sys/kernel/debug/kprobes, and the sysctl debug.kprobes-optimization.
 *
 * A reader of "list" or "points" holds kprobe_mutex for one line at a time: for a whole page of
 * output it would delay registrations by milliseconds, most of which goes into looking symbols up.
 * It remembers the address where it was, and finds it again in logarithmic time.
 */
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/sysctl.h>
#include <linux/uaccess.h>

#include "check.h"
#include "debugfs.h"
#include "mechanism.h"
#include "place.h"
#include "point.h"
#include "reason.h"
#include "stale.h"

/*
 * Accepts 0, 1, n, y, off and on, with white space around the word. kstrtobool() would be less
 * strict: it looks at the first letters only.
 */
static __maybe_unused int parse_switch(char *word, bool *on)
{
	static const char * const words[] = { "0", "1", "n", "y", "off", "on" };
	unsigned int i;

	word = strim(word);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(word, words[i]))
			continue;
		*on = i & 1;
		return 0;
	}
	return -EINVAL;
}

#ifdef CONFIG_DEBUG_FS
/*
 * Decides whether this open file shows addresses: by the credentials of the task that opens it, not
 * of one that reads it later, as /proc/kallsyms does.
 */
static int open_file(struct inode *inode, struct file *file)
{
	struct kprobe_reader *at = __seq_open_private(file, inode->i_private, sizeof(*at));

	if (!at)
		return -ENOMEM;
	at->sees_addresses = kallsyms_show_value(file->f_cred);
	return 0;
}

static const struct file_operations file_fops = {
	.open = open_file,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* The address, for %px, or NULL if it must not be seen. */
static void *shown(const struct seq_file *m, unsigned long addr)
{
	const struct kprobe_reader *at = m->private;

	return at->sees_addresses ? (void *)addr : NULL;
}

/* Points may come and go between two lines, so the reader finds its point again by address. */
static struct kprobe_point *point_at(struct kprobe_reader *at)
{
	struct kprobe_point *point = NULL;
	unsigned long addr = at->addr;

	if (!at->among_gone) {
		point = kprobe_point_next(&addr, ULONG_MAX);
		if (!point) {
			at->addr = 0;
			at->gone = 0;
			at->among_gone = true;
		}
	}
	if (!point)
		point = kprobe_point_next_gone(at->addr, at->gone);
	if (point) {
		at->addr = point->addr;
		at->gone = point->order;
	}
	return point;
}

/* Takes kprobe_mutex until points_stop(). @pos 0 begins, with SEQ_START_TOKEN. */
static void *points_start(struct seq_file *m, loff_t *pos)
{
	struct kprobe_reader *at = m->private;

	mutex_lock(&kprobe_mutex);
	if (*pos)
		return point_at(at);
	at->addr = 0;
	at->gone = 0;
	at->among_gone = false;
	return SEQ_START_TOKEN;
}

/* Releases kprobe_mutex for a moment, so that others get it between two lines. */
static void *points_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct kprobe_reader *at = m->private;

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

/* The newest of the probes on the point that wait for a module, NULL if there is none. */
static const struct kprobe *waiting_on(const struct kprobe_point *point)
{
	const struct kprobe *p;

	if (point->state != KPROBE_POINT_GONE)
		return NULL;
	list_for_each_entry(p, &point->probes, list)
		if (kprobe_is_waiting(p))
			return p;
	return NULL;
}

/* Writes a word, in which nothing separates fields, which two spaces do. */
static void put_word(char *buf, size_t size, const char *word)
{
	int len = string_escape_mem(word, strlen(word), buf, size,
				    ESCAPE_ANY_NP | ESCAPE_APPEND, " ");

	buf[min_t(size_t, len, size - 1)] = '\0';
}

/* The address of a point, 0 if a probe waits for it to have one. */
static unsigned long address_of(const struct kprobe_point *point)
{
	return waiting_on(point) ? 0 : point->addr;
}

/*
 * Writes symbol and offset of a point to @place, else its address. Returns the name of its module,
 * or NULL. The module stays while kprobe_mutex is held. A point that is gone has no symbol, as its
 * address may be in another module by now, but that which a probe waits for.
 */
static const char *find_place(const struct seq_file *m, const struct kprobe_point *point,
			      char place[KSYM_SYMBOL_LEN])
{
	const struct kprobe *waiting = waiting_on(point);
	unsigned long size, offset;
	char *module = NULL;

	lockdep_assert_held(&kprobe_mutex);
	if (waiting) {
		offset = waiting->offset;
		put_word(place, KSYM_NAME_LEN, waiting->symbol_name);
	} else if (point->state == KPROBE_POINT_GONE ||
		   !kallsyms_lookup(point->addr, &size, &offset, &module, place)) {
		sprintf(place, "0x%px", shown(m, point->addr));
		return NULL;
	}
	sprintf(place + strlen(place), "+0x%lx", offset);
	return module;
}

static const char * const states[] = {
	[KPROBE_POINT_IDLE] = "idle",
	[KPROBE_POINT_ARMED] = "armed",
	[KPROBE_POINT_DISARM_PENDING] = "disarm-pending",
	[KPROBE_POINT_GONE] = "gone",
};

static_assert(ARRAY_SIZE(states) == KPROBE_POINT_STATES);

static void show_point(struct seq_file *m, const struct kprobe_point *point)
{
	char place[KSYM_SYMBOL_LEN];
	const char *module = find_place(m, point, place);
	enum kprobe_miss cause;

	seq_printf(m, "%px  %s  %s  %s", shown(m, address_of(point)), place, module ?: "-",
		   kprobe_mechanism_names[point->mechanism]);
	/* A breakpoint or jump may be after the probed entry nop. */
	if (point->site != point->addr && point->mechanism != KPROBE_FTRACE)
		seq_printf(m, "+%lu", point->site - point->addr);
	seq_printf(m, "  %s  %zu", kprobe_point_is_optimizing(point) ? "optimizing" :
		   waiting_on(point) ? "pending" : states[point->state],
		   list_count_nodes((void *)&point->probes));
	for (cause = 0; cause < KPROBE_MISS_CAUSES; cause++)
		seq_printf(m, "  %u", atomic_read(&point->misses[cause]));
	seq_printf(m, "  %s  ", kprobe_reason_text(kprobe_why_no_jump(point)));
	if (kprobe_has_count(point))
		seq_printf(m, "%lu\n", atomic_long_read(&point->hits));
	else
		seq_puts(m, "-\n");
}

static int points_show(struct seq_file *m, void *v)
{
	if (v == SEQ_START_TOKEN)
		seq_puts(m, "address  symbol  module  mechanism  state  probes  nested  depth  diverted  offline  no-instance  branched  not-optimized  hits\n");
	else
		show_point(m, v);
	return 0;
}

const struct seq_operations kprobe_points_ops = {
	.start = points_start,
	.next = points_next,
	.stop = points_stop,
	.show = points_show,
};

static const struct {
	u32 flag;
	const char *word;
} flag_words[] = {
	{ KPROBE_FLAG_PENDING, "PENDING" },
	{ KPROBE_FLAG_GONE, "GONE" },
	{ KPROBE_FLAG_DISABLED, "DISABLED" },
	{ KPROBE_FLAG_OPTIMIZED, "OPTIMIZED" },
	{ KPROBE_FLAG_FTRACE, "FTRACE" },
};

static int list_show(struct seq_file *m, void *v)
{
	struct kprobe_point *point = v;
	char place[KSYM_SYMBOL_LEN];
	const char *module, *gap;
	unsigned long addr;
	struct kprobe *p;
	int i;

	if (v == SEQ_START_TOKEN)
		return 0;
	module = find_place(m, point, place);
	addr = address_of(point);
	list_for_each_entry(p, &point->probes, list) {
		u32 flags = READ_ONCE(p->flags);

		seq_printf(m, "%px  %c  %s", shown(m, addr),
			   kprobe_is_return_probe(p) ? 'r' : 'k', place);
		if (module)
			seq_printf(m, "  %s", module);
		/* Only what waits can be enabled. */
		if (kprobe_is_waiting(p))
			flags &= ~KPROBE_FLAG_GONE;
		else if (flags & KPROBE_FLAG_GONE)
			flags &= ~KPROBE_FLAG_DISABLED;
		else
			flags &= ~KPROBE_FLAG_PENDING;
		for (i = 0, gap = "  "; i < ARRAY_SIZE(flag_words); i++) {
			if (!(flags & flag_words[i].flag))
				continue;
			seq_printf(m, "%s[%s]", gap, flag_words[i].word);
			gap = " ";
		}
		seq_putc(m, '\n');
	}
	return 0;
}

const struct seq_operations kprobe_list_ops = {
	.start = points_start,
	.next = points_next,
	.stop = points_stop,
	.show = list_show,
};

/* Finds the range at @addr, or else the next one. */
static void *blacklist_at(struct kprobe_reader *at, unsigned long addr)
{
	unsigned long start = kprobe_blacklist_next(addr, &at->end);

	/* After the last range, further reads stay at the end. */
	at->addr = start ?: ULONG_MAX;
	return start ? at : NULL;
}

static void *blacklist_start(struct seq_file *m, loff_t *pos)
{
	struct kprobe_reader *at = m->private;

	return blacklist_at(at, *pos ? at->addr : 0);
}

static void *blacklist_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct kprobe_reader *at = v;

	++*pos;
	return blacklist_at(at, at->end);
}

static void no_stop(struct seq_file *m, void *v)
{
}

static int blacklist_show(struct seq_file *m, void *v)
{
	const struct kprobe_reader *at = v;
	unsigned long size, offset;

	seq_printf(m, "0x%px-0x%px\t", shown(m, at->addr), shown(m, at->end));
	/* Without a symbol %ps would show the address to readers who must not see it. */
	if (kallsyms_lookup_size_offset(at->addr, &size, &offset))
		seq_printf(m, "%ps\n", (void *)at->addr);
	else
		seq_printf(m, "0x%px\n", shown(m, at->addr));
	return 0;
}

static const struct seq_operations blacklist_ops = {
	.start = blacklist_start,
	.next = blacklist_next,
	.stop = no_stop,
	.show = blacklist_show,
};

/* The position in the file is the number of a refusal, not a count of lines; 0 is the header. */
static void *refused_start(struct seq_file *m, loff_t *pos)
{
	struct kprobe_reader *at = m->private;
	u64 number = *pos - 1;

	if (!*pos)
		return SEQ_START_TOKEN;
	if (!kprobe_get_refusal(&number, &at->refusal))
		return NULL;
	*pos = at->refusal.number;
	return &at->refusal;
}

static void *refused_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return refused_start(m, pos);
}

/* Nothing in it separates fields, which two spaces do. */
static void show_word(struct seq_file *m, const char *word)
{
	seq_escape_mem(m, word, strlen(word), ESCAPE_ANY_NP | ESCAPE_APPEND, " ");
}

static int refused_show(struct seq_file *m, void *v)
{
	static const char * const requests[] = {
		[KPROBE_SET] = "kprobe",
		[KPROBE_SET_RETURN] = "kretprobe",
		[KPROBE_ENABLE] = "enable",
	};
	const struct kprobe_refusal *r = v;
	u64 time;
	u32 ns;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "number  time  task  caller  request  place  error  reason\n");
		return 0;
	}
	time = r->time;
	ns = do_div(time, NSEC_PER_SEC);
	seq_printf(m, "%llu  %llu.%03lu  ", r->number, time, ns / NSEC_PER_MSEC);
	show_word(m, r->comm);
	seq_printf(m, "[%d]  %s  %s  ", r->pid, r->caller, requests[r->request]);
	/* Symbol and address if the probe had both. */
	if (r->by_name) {
		show_word(m, r->symbol);
		seq_printf(m, "+0x%x", r->offset);
	}
	if (r->by_name && r->addr)
		seq_putc(m, ',');
	if (r->addr)
		seq_printf(m, "0x%px+0x%x", shown(m, r->addr), r->offset);
	if (!r->by_name && !r->addr)
		seq_putc(m, '-');
	seq_printf(m, "  %pe  %s%s%s\n", ERR_PTR(kprobe_reason_errno(r->reason)),
		   kprobe_reason_text(r->reason), *r->candidates ? ": " : "", r->candidates);
	return 0;
}

static const struct seq_operations refused_ops = {
	.start = refused_start,
	.next = refused_next,
	.stop = no_stop,
	.show = refused_show,
};

/* A file that is 0 or 1. */
struct file_switch {
	bool (*is_on)(void);
	int (*turn)(bool on);
};

static bool is_armed(void)
{
	return READ_ONCE(kprobe_armed_globally);
}

static int arm(bool on)
{
	return kprobe_reason_errno(kprobe_arm_all(on));
}

static int count(bool on)
{
	kprobe_set_counting(on);
	return 0;
}

static const struct file_switch enabled_switch = { is_armed, arm };
static const struct file_switch count_switch = { kprobe_is_counting, count };

static ssize_t switch_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	const struct file_switch *of = file_inode(file)->i_private;

	return simple_read_from_buffer(buf, count, pos, of->is_on() ? "1\n" : "0\n", 2);
}

static ssize_t switch_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	const struct file_switch *of = file_inode(file)->i_private;
	char word[8] = "";
	bool on;
	int ret;

	if (count >= sizeof(word))
		return -EINVAL;
	if (copy_from_user(word, buf, count))
		return -EFAULT;
	ret = parse_switch(word, &on) ?: of->turn(on);
	return ret ?: count;
}

static const struct file_operations switch_fops = {
	.read = switch_read,
	.write = switch_write,
	.llseek = default_llseek,
};

static int __init kprobe_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	debugfs_create_file("list", 0400, dir, (void *)&kprobe_list_ops, &file_fops);
	debugfs_create_file("blacklist", 0400, dir, (void *)&blacklist_ops, &file_fops);
	debugfs_create_file("points", 0400, dir, (void *)&kprobe_points_ops, &file_fops);
	debugfs_create_file("refused", 0400, dir, (void *)&refused_ops, &file_fops);
	debugfs_create_file("check", 0600, dir, NULL, &kprobe_check_fops);
	debugfs_create_file("enabled", 0600, dir, (void *)&enabled_switch, &switch_fops);
	debugfs_create_file("count", 0600, dir, (void *)&count_switch, &switch_fops);
	debugfs_create_atomic_t("stale", 0400, dir, &kprobe_stale_breakpoints);
	return 0;
}
late_initcall(kprobe_debugfs_init);
#endif /* CONFIG_DEBUG_FS */

#ifdef CONFIG_SYSCTL
static int optimization_sysctl(const struct ctl_table *table, int write,
			       void *buffer, size_t *length, loff_t *pos)
{
	char word[8] = "0";
	struct ctl_table text = { .data = word, .maxlen = sizeof(word) };
	bool allow;
	int ret;

	if (kprobe_optimizer_is_allowed())
		word[0] = '1';
	/* Longer input is not one of the words; proc_dostring() would truncate it. */
	if (write && *length > sizeof(word))
		return -EINVAL;
	ret = proc_dostring(&text, write, buffer, length, pos);
	if (ret || !write)
		return ret;
	ret = parse_switch(word, &allow);
	if (!ret)
		kprobe_optimizer_allow(allow);
	return ret;
}

/* Both spellings are documented: the file has a hyphen, the sysctl an underscore. */
static struct ctl_table kprobe_sysctls[] = {
	{
		.procname = "kprobes-optimization",
		.mode = 0644,
		.proc_handler = optimization_sysctl,
	},
	{
		.procname = "kprobes_optimization",
		.mode = 0644,
		.proc_handler = optimization_sysctl,
	},
};

static int __init kprobe_sysctl_init(void)
{
	return register_sysctl("debug", kprobe_sysctls) ? 0 : -ENOMEM;
}
late_initcall(kprobe_sysctl_init);
#endif /* CONFIG_SYSCTL */
