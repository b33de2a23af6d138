// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files "list", "enabled", "blacklist" and "stale" in /sys/kernel/debug/kprobes, and the
 * directory itself. The files "points" and "refused" are in points.c and refused.c. All files
 * but "enabled" are read-only.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "batch.h"
#include "blacklist.h"
#include "debugfs.h"
#include "debugfs_file.h"
#include "hit.h"
#include "knob.h"
#include "point.h"
#include "points.h"
#include "reason.h"
#include "refused.h"

#define FLAGS_SHOWN	(KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED |	\
			 KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE)

static void show_probe(struct seq_file *m, const struct kprobe_point *point,
		       const struct kprobe *p, const struct kprobe_place *place)
{
	u32 flags = READ_ONCE(p->flags);

	seq_printf(m, "%px  %c", kprobe_shown(m, point->addr),
		   kprobe_is_return_probe(p) ? 'r' : 'k');
	kprobe_show_place(m, point, place);
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
	struct kprobe_place place;
	struct kprobe *p;

	if (v == SEQ_START_TOKEN)
		return 0;
	kprobe_point_place(point, &place);
	list_for_each_entry(p, &point->probes, list)
		show_probe(m, point, p, &place);
	return 0;
}

static const struct seq_operations list_sops = {
	.start = kprobe_points_start,
	.next = kprobe_points_next,
	.stop = kprobe_points_stop,
	.show = list_show,
};

const struct kprobe_file kprobe_list_file = {
	.ops = &list_sops,
	.size = sizeof(struct kprobe_position),
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

	seq_printf(m, "0x%px-0x%px\t", kprobe_shown(m, file->start),
		   kprobe_shown(m, file->end));
	/* Without a symbol %ps would show the address to readers who must not see it. */
	if (kallsyms_lookup_size_offset(file->start, &size, &offset))
		seq_printf(m, "%ps\n", (void *)file->start);
	else
		seq_printf(m, "0x%px\n", kprobe_shown(m, file->start));
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

static void __init create_file(const char *name, struct dentry *dir,
			       const struct kprobe_file *file)
{
	debugfs_create_file(name, 0400, dir, (void *)file, &kprobe_file_fops);
}

static int __init kprobe_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	create_file("list", dir, &kprobe_list_file);
	create_file("blacklist", dir, &blacklist_file);
	create_file("points", dir, &kprobe_points_file);
	create_file("refused", dir, &kprobe_refused_file);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_atomic_t("stale", 0400, dir, &kprobe_stale_breakpoints);
	return 0;
}
late_initcall(kprobe_debugfs_init);
