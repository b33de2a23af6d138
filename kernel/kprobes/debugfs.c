// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What admins see and turn under /sys/kernel/debug/kprobes.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "internal.h"

/**
 * struct list_position - how far a reader of "list" has got
 * @addr: address of the point to show next
 * @gone: how many of the points without text have been shown
 *
 * Kept by address, so that the file can be read in portions while probes come
 * and go.
 */
struct list_position {
	unsigned long addr;
	unsigned int gone;
};

static struct kprobe_point *gone_point(unsigned int n)
{
	struct kprobe_point *point;

	list_for_each_entry(point, &kprobe_gone_points, batch)
		if (!n--)
			return point;
	return NULL;
}

static struct kprobe_point *point_at(struct list_position *at)
{
	unsigned long addr = at->addr;
	struct kprobe_point *point = NULL;

	if (!at->gone)
		point = kprobe_point_next(&addr, ULONG_MAX);
	if (point)
		at->addr = point->addr;
	return point ?: gone_point(at->gone);
}

static void *list_start(struct seq_file *m, loff_t *pos)
{
	struct list_position *at = m->private;

	mutex_lock(&kprobe_mutex);
	if (!*pos)
		*at = (struct list_position){};
	return point_at(at);
}

static void *list_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct list_position *at = m->private;
	struct kprobe_point *point = v;

	++*pos;
	if (point->state == KPROBE_POINT_GONE)
		at->gone++;
	else
		at->addr = point->addr + 1;
	return point_at(at);
}

static void list_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&kprobe_mutex);
}

static void show_symbol(struct seq_file *m, unsigned long addr)
{
	char name[KSYM_NAME_LEN], *module = NULL;
	unsigned long size, offset;
	const char *symbol;

	symbol = kallsyms_lookup(addr, &size, &offset, &module, name);
	if (symbol)
		seq_printf(m, "  %s+0x%lx", symbol, offset);
	else
		seq_printf(m, "  0x%px", (void *)addr);
	if (module)
		seq_printf(m, "  %s", module);
}

#define FLAGS_SHOWN	(KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED |	\
			 KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE)

static void show_probe(struct seq_file *m, const struct kprobe_point *point,
		       const struct kprobe *p)
{
	u32 flags = READ_ONCE(p->flags);

	seq_printf(m, "%px  %c", (void *)point->addr,
		   kprobe_is_return_probe(p) ? 'r' : 'k');
	show_symbol(m, point->addr);
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
	struct kprobe *p;

	list_for_each_entry(p, &point->probes, list)
		show_probe(m, point, p);
	return 0;
}

static const struct seq_operations list_sops = {
	.start = list_start,
	.next = list_next,
	.stop = list_stop,
	.show = list_show,
};

static int list_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &list_sops, sizeof(struct list_position));
}

static const struct file_operations list_fops = {
	.open = list_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

/* "blacklist": a line a function; a position is an entry's first byte. */
static int blacklist_show(struct seq_file *m, void *unused)
{
	unsigned long start = 0, end = 0;

	while ((start = kprobe_blacklist_next(end, &end)))
		seq_printf(m, "0x%px-0x%px\t%ps\n", (void *)start, (void *)end,
			   (void *)start);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(blacklist);

static ssize_t enabled_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	const char *text = kprobe_armed_globally() ? "1\n" : "0\n";

	return simple_read_from_buffer(buf, count, pos, text, 2);
}

/* Stricter than kstrtobool(), which looks at the first letters only. */
static int parse_switch(const char *word, bool *on)
{
	static const char * const words[] = { "0", "1", "n", "y", "off", "on" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(word, words[i]))
			continue;
		*on = i & 1;
		return 0;
	}
	return -EINVAL;
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
	ret = parse_switch(strim(word), &enable) ?: kprobe_arm_all(enable);
	return ret ?: count;
}

static const struct file_operations enabled_fops = {
	.read = enabled_read,
	.write = enabled_write,
	.llseek = default_llseek,
};

static int __init kprobe_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	debugfs_create_file("list", 0400, dir, NULL, &list_fops);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_file("blacklist", 0400, dir, NULL, &blacklist_fops);
	return 0;
}
late_initcall(kprobe_debugfs_init);
