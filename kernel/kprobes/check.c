// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file /sys/kernel/debug/kprobes/check: a place is written to it, and it reads whether a probe
 * could be set there, and how its hits would come.
 *
 * A point is made as for a probe, looked at, and freed. Nobody else ever knows it, nothing is
 * patched, and a refusal is not recorded.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "check.h"
#include "mechanism.h"
#include "place.h"
#include "point.h"
#include "reason.h"
#include "register.h"

const char * const kprobe_mechanism_names[] = {
	[KPROBE_BREAKPOINT] = "breakpoint",
	[KPROBE_FTRACE] = "ftrace",
	[KPROBE_JUMP] = "jump",
};

static_assert(ARRAY_SIZE(kprobe_mechanism_names) == KPROBE_MECHANISMS);

/**
 * struct prospect - what a probe would come to
 * @addr:          the address that is probed
 * @on_func_entry: it is a function's entry
 * @mechanism:     how hits come after a while
 * @not_jump:      why they do not come by a jump
 */
struct prospect {
	unsigned long addr;
	bool on_func_entry;
	enum kprobe_mechanism mechanism;
	enum kprobe_reason not_jump;
};

/* Of a point that is made for this alone. */
static void foresee(struct kprobe_point *point, struct kprobe_lookup *lookup,
		    struct prospect *prospect)
{
	static struct kprobe_region region;	/* kprobe_mutex */

	prospect->mechanism = point->mechanism;
	if (point->mechanism == KPROBE_FTRACE) {
		prospect->not_jump = KPROBE_REASON_THROUGH_FTRACE;
		return;
	}
	prospect->not_jump = kprobe_decide_jump(point, lookup, &region);
	if (prospect->not_jump)
		return;
	if (kprobe_optimizer_is_allowed())
		prospect->mechanism = KPROBE_JUMP;
	else
		prospect->not_jump = KPROBE_REASON_SWITCHED_OFF;
}

static enum kprobe_reason look_at(const struct kprobe *p, struct prospect *prospect)
{
	struct kprobe_lookup lookup;
	struct kprobe_point *point;
	enum kprobe_reason reason;

	guard(kprobe_lock)();
	if (!kprobes_ready)
		return KPROBE_REASON_EARLY;
	kprobe_lookup_init(&lookup);
	reason = kprobe_resolve(p, &lookup, &prospect->addr, &prospect->on_func_entry) ?:
		 kprobe_check_address(&lookup, prospect->addr, false);
	if (reason)
		return reason;
	point = kprobe_point_lookup(prospect->addr);
	if (point) {
		prospect->mechanism = point->mechanism;
		prospect->not_jump = kprobe_why_no_jump(point);
		return KPROBE_REASON_NONE;
	}
	reason = kprobe_make_point(prospect->addr, prospect->on_func_entry, &lookup, &point);
	if (reason)
		return reason;
	foresee(point, &lookup, prospect);
	kprobe_point_free(point);
	return KPROBE_REASON_NONE;
}

/* Takes "symbol", "symbol+offset", "module:symbol+offset" or "0xaddress" apart. */
static int parse_place(char *place, struct kprobe *p)
{
	char *plus = strrchr(place, '+');
	unsigned long addr;

	if (plus) {
		*plus = '\0';
		if (kstrtouint(plus + 1, 0, &p->offset))
			return -EINVAL;
	}
	if (!*place)
		return -EINVAL;
	if (strncmp(place, "0x", 2)) {
		p->symbol_name = place;
		return 0;
	}
	if (kstrtoul(place, 0, &addr))
		return -EINVAL;
	p->addr = (kprobe_opcode_t *)addr;
	return 0;
}

#define PLACE_MAX	256

/* The answer to what was written last, to whichever open file. */
static char answer[2 * PLACE_MAX];
static DEFINE_MUTEX(answer_lock);

static ssize_t check_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char text[PLACE_MAX], candidates[KPROBE_REFUSAL_CANDIDATES] = "";
	struct prospect prospect = {};
	struct kprobe p = {};
	enum kprobe_reason reason;
	int ret;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	text[count] = '\0';
	ret = parse_place(strim(text), &p);
	if (ret)
		return ret;
	guard(mutex)(&answer_lock);
	reason = look_at(&p, &prospect);
	if (reason == KPROBE_REASON_AMBIGUOUS)
		kprobe_list_candidates(p.symbol_name, candidates, sizeof(candidates));
	if (reason)
		scnprintf(answer, sizeof(answer), "%pe  %s%s%s\n",
			  ERR_PTR(kprobe_reason_errno(reason)), kprobe_reason_text(reason),
			  *candidates ? ": " : "", candidates);
	else
		scnprintf(answer, sizeof(answer), "ok  %s  %s  %pS  %s\n",
			  kprobe_mechanism_names[prospect.mechanism],
			  prospect.on_func_entry ? "entry" : "inside", (void *)prospect.addr,
			  kprobe_reason_text(prospect.not_jump));
	return count;
}

static ssize_t check_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	guard(mutex)(&answer_lock);
	return simple_read_from_buffer(buf, count, pos, answer, strlen(answer));
}

const struct file_operations kprobe_check_fops = {
	.read = check_read,
	.write = check_write,
	.llseek = default_llseek,
};
