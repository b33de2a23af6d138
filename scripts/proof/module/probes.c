// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of the sweep, their handlers, and the text that they are put into.
 *
 * The program in the guest writes orders to a file in debugfs, see orders[]. The plan comes and the
 * report goes through memory that the kernel leaves alone (memmap=) and the host has as a file.
 *
 * Handlers count with instructions of their own alone: they call nothing that may be probed.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "sweep.h"

/* Texts that are swept: the kernel's, and sections of modules. */
#define OBJECTS		16
/* The shared memory: the plan, and from there on the report. */
#define REPORT		SZ_16M
/* The kernel remembers the reasons of 128 refusals. Others may be refused as well. */
#define REFUSALS	100
/* Bytes of a text that are compared at once, and shown on either side. */
#define WINDOW		8

/* Flags of a record. */
#define POST		1	/* with a post-handler */
#define SEQUENTIAL	2	/* the next instruction is the next one in the text */
#define RETURN		4	/* a function's entry: a return probe as well */

/**
 * struct record - an instruction, in the plan
 * @offset: from the start of its object's text
 * @object: the object
 * @length: of the instruction
 * @flags:  see above
 * @unused: for alignment
 */
struct record {
	u32 offset;
	u8 object;
	u8 length;
	u8 flags;
	u8 unused;
};

/**
 * struct returning - a return probe
 * @rp:      the return probe
 * @error:   of registering it
 * @entries: calls of the entry handler
 * @returns: calls of the handler
 * @before:  hits of the probe at the same address before the return probe was armed
 */
struct returning {
	struct kretprobe rp;
	int error;
	atomic_t entries;
	atomic_t returns;
	unsigned int before;
};

/**
 * struct probe - a probe
 * @kp:        the probe
 * @record:    its record
 * @error:     of registering it
 * @shown:     its flags when it was last looked at
 * @hits:      calls of the pre-handler
 * @posts:     calls of the post-handler
 * @faults:    calls of the fault handler
 * @wrong:     calls with a wrong instruction pointer
 * @early:     hits before the optimizer was turned on
 * @late:      hits after it was done
 * @until:     hits before it began to be disarmed
 * @returning: the return probe at the same address, or NULL
 */
struct probe {
	struct kprobe kp;
	const struct record *record;
	int error;
	u32 shown;
	atomic_t hits;
	atomic_t posts;
	atomic_t faults;
	atomic_t wrong;
	unsigned int early;
	unsigned int late;
	unsigned int until;
	struct returning *returning;
};

static struct {
	u8 *start;
	unsigned long size;
	u8 *copy;
} texts[OBJECTS];

static DEFINE_MUTEX(lock);	/* serializes all but the handlers */
static struct record *plan;
static struct probe *probes;
static struct returning *returns;
static unsigned int nr_probes;

static struct kprobe **kps;	/* what is registered */
static struct kretprobe **rps;
static unsigned int nr_kps, nr_rps;

static u32 unexamined, jumps;	/* records and probes that are so: the program reads it */
static ulong address, size;	/* of the shared memory */
module_param(address, ulong, 0400);
module_param(size, ulong, 0400);

static u8 *shared;
static unsigned long reported;

static void append(const void *from, size_t length)
{
	if (WARN_ON_ONCE(REPORT + reported + length >= size))
		return;
	memcpy(shared + REPORT + reported, from, length);
	reported += length;
}

static __printf(1, 2) void report(const char *format, ...)
{
	char line[160];
	va_list args;

	va_start(args, format);
	append(line, vscnprintf(line, sizeof(line), format, args));
	va_end(args);
}

static nokprobe_inline struct probe *probe_of(struct kprobe *p)
{
	return container_of(p, struct probe, kp);
}

static int notrace count_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct probe *probe = probe_of(p);

	raw_atomic_inc(&probe->hits);
	if (instruction_pointer(regs) != (unsigned long)p->addr + KPROBE_HIT_OFFSET)
		raw_atomic_inc(&probe->wrong);
	return 0;
}
NOKPROBE_SYMBOL(count_hit);

/* An entry is probed after its landing pad: what comes next is not known from the plan. */
static void notrace count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct probe *probe = probe_of(p);
	const struct record *record = probe->record;

	raw_atomic_inc(&probe->posts);
	if ((record->flags & SEQUENTIAL) &&
	    (u8 *)p->addr == texts[record->object].start + record->offset &&
	    instruction_pointer(regs) != (unsigned long)p->addr + record->length)
		raw_atomic_inc(&probe->wrong);
}
NOKPROBE_SYMBOL(count_post);

static int notrace count_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	raw_atomic_inc(&probe_of(p)->faults);
	return 0;
}
NOKPROBE_SYMBOL(count_fault);

/* NULL while it is being unregistered. */
static nokprobe_inline struct returning *returning_of(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct returning, rp) : NULL;
}

static int notrace count_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct returning *r = returning_of(ri);

	if (r)
		raw_atomic_inc(&r->entries);
	return 0;
}
NOKPROBE_SYMBOL(count_entry);

static int notrace count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct returning *r = returning_of(ri);

	if (r)
		raw_atomic_inc(&r->returns);
	return 0;
}
NOKPROBE_SYMBOL(count_return);

/* A probe can be registered again. */
static void prepare(struct kprobe *kp, const struct record *record, u32 flags)
{
	kp->addr = (kprobe_opcode_t *)(texts[record->object].start + record->offset);
	kp->offset = 0;
	kp->flags = flags;
}

static void prepare_return(struct probe *probe, u32 flags)
{
	prepare(&probe->returning->rp.kp, probe->record, flags);
	probe->returning->rp.maxactive = 0;
}

static void set_handlers(struct probe *probe, struct returning **next)
{
	u8 flags = probe->record->flags;

	probe->kp.pre_handler = count_hit;
	if (flags & POST) {
		probe->kp.post_handler = count_post;
		probe->kp.fault_handler = count_fault;
	}
	if (flags & RETURN) {
		probe->returning = (*next)++;
		probe->returning->rp.entry_handler = count_entry;
		probe->returning->rp.handler = count_return;
	}
}

/* text OBJECT START SIZE: says where an object's text is */
static int set_text(const unsigned long *args)
{
	if (args[0] >= OBJECTS)
		return -EINVAL;
	texts[args[0]].start = (u8 *)args[1];
	texts[args[0]].size = args[2];
	return 0;
}

/* show: puts all texts into the report */
static int show_texts(const unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < OBJECTS && texts[i].size; i++) {
		report("text %u %px %lu\n", i, texts[i].start, texts[i].size);
		append(texts[i].start, texts[i].size);
	}
	return 0;
}

/* disarm: unregisters all probes */
static int disarm(const unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++)
		probes[i].until = atomic_read(&probes[i].hits);
	/* A task that was preempted in the copy of an instruction still gets its post-handler. */
	synchronize_rcu_tasks();
	if (nr_rps)
		unregister_kretprobes(rps, nr_rps);
	if (nr_kps)
		unregister_kprobes(kps, nr_kps);
	nr_kps = 0;
	nr_rps = 0;
	return 0;
}

/* unload: ends a phase */
static int unload(const unsigned long *args)
{
	disarm(NULL);
	nr_probes = 0;
	unexamined = 0;
	kvfree(plan);
	kvfree(probes);
	kvfree(returns);
	kvfree(kps);
	kvfree(rps);
	plan = NULL;
	probes = NULL;
	returns = NULL;
	kps = NULL;
	rps = NULL;
	return 0;
}

static int make_probes(const struct record *records, unsigned int number)
{
	struct returning *next;
	unsigned int i;

	plan = kvmemdup(records, number * sizeof(*plan), GFP_KERNEL);
	probes = kvcalloc(number, sizeof(*probes), GFP_KERNEL);
	returns = kvcalloc(number, sizeof(*returns), GFP_KERNEL);
	kps = kvcalloc(number, sizeof(*kps), GFP_KERNEL);
	rps = kvcalloc(number, sizeof(*rps), GFP_KERNEL);
	if (!plan || !probes || !returns || !kps || !rps)
		return -ENOMEM;
	next = returns;
	for (i = 0; i < number; i++) {
		if (plan[i].object >= OBJECTS || plan[i].offset >= texts[plan[i].object].size)
			return -EINVAL;
		probes[i].record = &plan[i];
		set_handlers(&probes[i], &next);
	}
	nr_probes = number;
	unexamined = number;
	return 0;
}

/* load FROM NUMBER: begins a phase with that part of the plan's records */
static int load(const unsigned long *args)
{
	const struct record *records = (void *)shared;
	int ret;

	unload(NULL);
	if ((args[0] + args[1]) * sizeof(*records) > REPORT)
		return -EINVAL;
	ret = make_probes(records + args[0], args[1]);
	if (ret)
		unload(NULL);
	return ret;
}

/* Returns how many were refused. */
static unsigned int try(struct probe *probe)
{
	prepare(&probe->kp, probe->record, KPROBE_FLAG_DISABLED);
	probe->error = register_kprobe(&probe->kp);
	if (!probe->error)
		kps[nr_kps++] = &probe->kp;
	if (!probe->returning)
		return !!probe->error;
	prepare_return(probe, KPROBE_FLAG_DISABLED);
	probe->returning->error = register_kretprobe(&probe->returning->rp);
	if (!probe->returning->error)
		rps[nr_rps++] = &probe->returning->rp;
	return !!probe->error + !!probe->returning->error;
}

/*
 * examine: finds out which probes are refused, until there are so many that the program has to read
 * the reasons. Each probe is registered, not armed, and unregistered.
 */
static int examine(const unsigned long *args)
{
	unsigned int refused = 0;

	for (; unexamined && refused + 2 <= REFUSALS; unexamined--) {
		refused += try(&probes[nr_probes - unexamined]);
		cond_resched();
	}
	return disarm(NULL);
}

static void gather(struct probe *probe)
{
	if (!probe->error) {
		prepare(&probe->kp, probe->record, 0);
		kps[nr_kps++] = &probe->kp;
	}
	if (probe->returning && !probe->returning->error) {
		prepare_return(probe, 0);
		rps[nr_rps++] = &probe->returning->rp;
	}
}

/* arm: registers all probes that are not refused, together */
static int arm(const unsigned long *args)
{
	int error, return_error = 0;
	unsigned int i;

	for (i = 0; i < nr_probes; i++)
		gather(&probes[i]);
	error = nr_kps ? register_kprobes(kps, nr_kps) : 0;
	if (error)
		nr_kps = 0;
	else if (nr_rps)
		return_error = register_kretprobes(rps, nr_rps);
	if (error || return_error)
		nr_rps = 0;
	/* Hits of the probe at the same address tell how often a return probe has to be entered. */
	for (i = 0; i < nr_probes; i++)
		if (probes[i].returning)
			probes[i].returning->before = atomic_read(&probes[i].hits);
	report("armed %u %u %d\n", nr_kps, nr_rps, error ?: return_error);
	return 0;
}

/* look: counts the probes that are reached by a jump */
static int look(const unsigned long *args)
{
	unsigned int i;

	jumps = 0;
	for (i = 0; i < nr_kps; i++) {
		probe_of(kps[i])->shown = READ_ONCE(kps[i]->flags);
		jumps += !!(probe_of(kps[i])->shown & KPROBE_FLAG_OPTIMIZED);
	}
	return 0;
}

/* note 0|1: remembers the hits before the optimizer is turned on, or when it is done */
static int note(const unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++)
		*(args[0] ? &probes[i].late : &probes[i].early) = atomic_read(&probes[i].hits);
	return 0;
}

/* copy: remembers the texts as they are */
static int copy_texts(const unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < OBJECTS && texts[i].size; i++) {
		kvfree(texts[i].copy);
		texts[i].copy = kvmemdup(texts[i].start, texts[i].size, GFP_KERNEL);
		if (!texts[i].copy)
			return -ENOMEM;
	}
	return 0;
}

/* A part of a text with its surroundings. The text may begin in there, or end. */
static void report_bytes(const u8 *text, unsigned long at, unsigned long end)
{
	u8 bytes[3 * WINDOW] = {};
	unsigned long i;

	for (i = 0; i < sizeof(bytes); i++)
		if (at + i >= WINDOW && at + i - WINDOW < end)
			bytes[i] = READ_ONCE(text[at + i - WINDOW]);
	report(" %*phN", (int)sizeof(bytes), bytes);
}

/* compare: reports where the texts differ from their copies */
static int compare_texts(const unsigned long *args)
{
	unsigned long at, end;
	unsigned int i;

	report("compared\n");
	for (i = 0; i < OBJECTS && texts[i].size; i++) {
		end = texts[i].size;
		for (at = 0; at < end; at += WINDOW) {
			if (!memcmp(texts[i].start + at, texts[i].copy + at,
				    min_t(unsigned long, WINDOW, end - at)))
				continue;
			report("differs %px", texts[i].start + at);
			report_bytes(texts[i].copy, at, end);
			report_bytes(texts[i].start, at, end);
			report("\n");
		}
	}
	return 0;
}

static char mechanism(const struct probe *probe)
{
	if (probe->shown & KPROBE_FLAG_FTRACE)
		return 'f';
	return probe->shown & KPROBE_FLAG_OPTIMIZED ? 'j' : 'b';
}

static void report_return(unsigned int i, const struct probe *probe)
{
	const struct returning *r = probe->returning;
	unsigned int hits = atomic_read(&probe->hits), entries = atomic_read(&r->entries);
	unsigned int outside = hits - (probe->until - r->before);
	unsigned int returned = atomic_read(&r->returns);

	if (r->error)
		report("refused %u return %d\n", i, r->error);
	else if (hits || entries || returned || r->rp.nmissed)
		report("return %u %u %u %d %u\n", i, entries, returned, r->rp.nmissed, outside);
}

static void report_probe(unsigned int i, const struct probe *probe)
{
	unsigned int hits = atomic_read(&probe->hits), posts = atomic_read(&probe->posts);
	unsigned int wrong = atomic_read(&probe->wrong);

	if (probe->error)
		report("refused %u probe %d\n", i, probe->error);
	else if (hits || posts || wrong || probe->kp.nmissed)
		report("hit %u %u %u %u %lu %u %c %u %u %u\n", i, hits, posts,
		       atomic_read(&probe->faults), probe->kp.nmissed, wrong, mechanism(probe),
		       probe->early, hits - probe->late, hits - probe->until);
}

/* results: reports what became of the records */
static int report_results(const unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++) {
		report_probe(i, &probes[i]);
		if (probes[i].returning)
			report_return(i, &probes[i]);
	}
	return 0;
}

/* interrupts 1|0: begins or ends a load of interrupts */
static int interrupt(const unsigned long *args)
{
	return sweep_interrupt(args[0]);
}

static const struct {
	const char *name;
	int (*carry_out)(const unsigned long *args);
} orders[] = {
	{ "text", set_text }, { "show", show_texts }, { "load", load }, { "copy", copy_texts },
	{ "examine", examine }, { "arm", arm }, { "look", look }, { "note", note },
	{ "disarm", disarm }, { "compare", compare_texts },
	{ "results", report_results }, { "unload", unload }, { "interrupts", interrupt },
};

static ssize_t take_order(struct file *file, const char __user *buf, size_t length, loff_t *pos)
{
	unsigned long args[3] = {};
	char line[80], name[16];
	unsigned int i;
	int ret;

	if (length >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, length))
		return -EFAULT;
	line[length] = '\0';
	if (sscanf(line, "%15s %li %li %li", name, &args[0], &args[1], &args[2]) < 1)
		return -EINVAL;
	guard(mutex)(&lock);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (strcmp(name, orders[i].name))
			continue;
		ret = orders[i].carry_out(args);
		return ret ?: length;
	}
	return -EINVAL;
}

static const struct file_operations order_fops = {
	.owner = THIS_MODULE,
	.write = take_order,
	.llseek = noop_llseek,
};

/* What the program itself reports. */
static ssize_t write_report(struct file *file, const char __user *buf, size_t length, loff_t *pos)
{
	void *text = vmemdup_user(buf, length);

	if (IS_ERR(text))
		return PTR_ERR(text);
	scoped_guard(mutex, &lock)
		append(text, length);
	kvfree(text);
	return length;
}

static const struct file_operations report_fops = {
	.owner = THIS_MODULE,
	.write = write_report,
	.llseek = noop_llseek,
};

static int __init sweep_init(void)
{
	struct dentry *dir;

	shared = memremap(address, size, MEMREMAP_WB);
	if (!shared || size <= REPORT)
		return -EINVAL;
	dir = debugfs_create_dir("sweep", NULL);
	debugfs_create_file("order", 0200, dir, NULL, &order_fops);
	debugfs_create_file("report", 0200, dir, NULL, &report_fops);
	debugfs_create_u32("unexamined", 0400, dir, &unexamined);
	debugfs_create_u32("jumps", 0400, dir, &jumps);
	return 0;
}
module_init(sweep_init);

MODULE_DESCRIPTION("Probes on every instruction of the kernel");
MODULE_LICENSE("GPL");
