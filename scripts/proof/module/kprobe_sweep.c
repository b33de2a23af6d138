// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes of the sweep, their handlers, and the text that they are put into.
 *
 * The program in the guest writes orders to a file in debugfs, see orders[], and reads the report
 * and the text from files there. Each phase's plan is a file of the initial file system.
 *
 * Handlers count with instructions of their own alone: they call nothing that may be probed.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/kernel_read_file.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/* Room for the report. */
#define REPORT		SZ_8M
/* The kernel remembers the reasons of 128 refusals. Others may be refused as well. */
#define REFUSALS	100
/*
 * After so many hits with one mechanism a probe is disabled: more hits prove no more, and few
 * instructions have most. Not if it is reached through ftrace, which looks at all of its sites for
 * each change. So many may lose their post-handler or return probe: one a CPU.
 */
#define ENOUGH		200
#define LATE		2
/* Bytes of a text that are compared at once, and shown on either side. */
#define WINDOW		8

/* Where a handler sees the instruction pointer, from the probed address. */
#ifndef KPROBE_HIT_OFFSET
#define KPROBE_HIT_OFFSET	0
#endif

/* Flags of a record. */
#define POST		1	/* with a post-handler */
#define SEQUENTIAL	2	/* the next instruction is the next one in the text */
#define RETURN		4	/* a function's entry: a return probe as well */

/* An instruction, in the plan: where in the text it is. */
struct record {
	u32 offset;
	u8 length;
	u8 flags;
	u16 unused;
};

/* A probe, and a return probe at the same address if it is a function's entry. */
struct probe {
	struct kprobe kp;
	struct kretprobe rp;
	const struct record *record;
	int error;		/* of registering the probe */
	int rp_error;		/* of registering the return probe */
	atomic_t hits;		/* calls of the handlers */
	atomic_t posts;
	atomic_t faults;
	atomic_t wrong;		/* calls with a wrong instruction pointer */
	atomic_t entries;
	atomic_t returns;
	unsigned int limit;	/* hits after which it is disabled */
	unsigned int until;	/* hits before that, or before it began to be disarmed */
	unsigned int leaving;	/* hits after that, until it was disabled for the first time */
};

static DEFINE_MUTEX(lock);	/* serializes all but the handlers */
static struct record *plan;
static struct probe *probes;
static unsigned int nr_probes;

static struct kprobe **kps;	/* what is registered */
static struct kretprobe **rps;
static unsigned int nr_kps, nr_rps;

static bool running;		/* the workload: probes that were hit often are disabled */
static u32 jumps;		/* as many have become jumps, when that was counted */
static u32 unregistered;	/* records that are so: the program reads it */
static ulong start, length;	/* of the text that is swept */
static ulong stext;		/* where the running kernel has the symbol _stext */
static long offset;		/* from there to the start */
module_param(stext, ulong, 0400);
module_param(offset, long, 0400);
module_param(length, ulong, 0400);

/* A part of the text that has copies of instructions, by offsets. Its bytes come and go. */
static ulong room, room_end;
module_param(room, ulong, 0400);
module_param(room_end, ulong, 0400);

static struct debugfs_blob_wrapper copy;	/* of the text */
static struct debugfs_blob_wrapper reported;

static void append(const void *from, size_t count)
{
	if (WARN_ON_ONCE(reported.size + count > REPORT))
		return;
	memcpy(reported.data + reported.size, from, count);
	reported.size += count;
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
	    (unsigned long)p->addr == start + record->offset &&
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
static nokprobe_inline struct probe *returning(struct kretprobe_instance *ri)
{
	struct kretprobe *rp = get_kretprobe(ri);

	return rp ? container_of(rp, struct probe, rp) : NULL;
}

static int notrace count_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct probe *probe = returning(ri);

	if (probe)
		raw_atomic_inc(&probe->entries);
	return 0;
}
NOKPROBE_SYMBOL(count_entry);

static int notrace count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct probe *probe = returning(ri);

	if (probe)
		raw_atomic_inc(&probe->returns);
	return 0;
}
NOKPROBE_SYMBOL(count_return);

static bool is_entry(const struct probe *probe)
{
	return probe->record->flags & RETURN;
}

static void prepare(struct probe *probe)
{
	const struct record *record = probe->record;
	void *addr = (void *)(start + record->offset);

	probe->limit = ENOUGH;
	probe->kp.addr = addr;
	probe->rp.kp.addr = addr;
	probe->kp.pre_handler = count_hit;
	if (record->flags & POST) {
		probe->kp.post_handler = count_post;
		probe->kp.fault_handler = count_fault;
	}
	probe->rp.entry_handler = count_entry;
	probe->rp.handler = count_return;
}

/* shown: the report was read */
static int empty_report(const unsigned long *args)
{
	reported.size = 0;
	return 0;
}

/*
 * Disables the probes that were hit often, now and then. Not while others wait for kprobes to arm
 * and optimize all: this would wait for the same mutex, and spin.
 */
static void disable_some(struct work_struct *work)
{
	struct probe *probe;
	unsigned int hits;

	guard(mutex)(&lock);
	for (probe = probes; running && probe < probes + nr_probes; probe++) {
		hits = atomic_read(&probe->hits);
		if (hits < probe->limit || kprobe_disabled(&probe->kp) || kprobe_ftrace(&probe->kp))
			continue;
		probe->until = hits - LATE;
		if (is_entry(probe))
			disable_kretprobe(&probe->rp);
		disable_kprobe(&probe->kp);
	}
	queue_delayed_work(system_unbound_wq, to_delayed_work(work), HZ / 10);
}

static DECLARE_DELAYED_WORK(disabling, disable_some);

/* run 1, run 0: the workload runs, or does not */
static int run(const unsigned long *args)
{
	running = args[0];
	return 0;
}

/* enable: enables the probes that were disabled */
static int enable(const unsigned long *args)
{
	struct probe *probe;
	bool was_disabled;

	for (probe = probes; probe < probes + nr_probes; probe++) {
		was_disabled = kprobe_disabled(&probe->kp);
		if (was_disabled)
			enable_kprobe(&probe->kp);
		if (was_disabled && is_entry(probe))
			enable_kretprobe(&probe->rp);
		if (was_disabled)
			probe->leaving = atomic_read(&probe->hits) - probe->until;
		probe->limit = atomic_read(&probe->hits) + ENOUGH;
	}
	return 0;
}

/* count: counts the probes that have become jumps */
static int count_jumps(const unsigned long *args)
{
	unsigned int i;

	jumps = 0;
	for (i = 0; i < nr_probes; i++)
		jumps += !!kprobe_optimized(&probes[i].kp);
	return 0;
}

/* disarm: unregisters all probes */
static int disarm(const unsigned long *args)
{
	unsigned int i;

	running = false;
	for (i = 0; i < nr_probes; i++)
		if (!kprobe_disabled(&probes[i].kp))
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
	unregistered = 0;
	kvfree(plan);
	kvfree(probes);
	kvfree(kps);
	kvfree(rps);
	plan = NULL;
	probes = NULL;
	kps = NULL;
	rps = NULL;
	return 0;
}

static int make_probes(unsigned int number)
{
	unsigned int i;

	probes = kvcalloc(number, sizeof(*probes), GFP_KERNEL);
	kps = kvcalloc(number, sizeof(*kps), GFP_KERNEL);
	rps = kvcalloc(number, sizeof(*rps), GFP_KERNEL);
	if (!probes || !kps || !rps)
		return -ENOMEM;
	for (i = 0; i < number; i++) {
		if (plan[i].offset >= length)
			return -EINVAL;
		probes[i].record = &plan[i];
		prepare(&probes[i]);
	}
	nr_probes = number;
	unregistered = number;
	return 0;
}

/* load ID: begins a phase with the plan that is in the file /plan/ID */
static int load(const unsigned long *args)
{
	void *records = NULL;
	char path[32];
	ssize_t count;
	int ret;

	unload(NULL);
	snprintf(path, sizeof(path), "/plan/%lu", args[0]);
	count = kernel_read_file_from_path(path, 0, &records, INT_MAX, NULL, READING_UNKNOWN);
	if (count < 0)
		return count;
	plan = records;
	ret = make_probes(count / sizeof(*plan));
	if (ret)
		unload(NULL);
	return ret;
}

/* Returns how many were refused. */
static unsigned int try(struct probe *probe)
{
	probe->error = register_kprobe(&probe->kp);
	if (!probe->error)
		kps[nr_kps++] = &probe->kp;
	if (!is_entry(probe))
		return !!probe->error;
	probe->rp_error = register_kretprobe(&probe->rp);
	if (!probe->rp_error)
		rps[nr_rps++] = &probe->rp;
	return !!probe->error + !!probe->rp_error;
}

/*
 * register: registers probes, until all are or so many were refused that the program has to read
 * the reasons. The program has switched probes off meanwhile, and arms them together.
 */
static int register_probes(const unsigned long *args)
{
	unsigned int refused = 0;

	for (; unregistered && refused + 2 <= REFUSALS; unregistered--) {
		refused += try(&probes[nr_probes - unregistered]);
		cond_resched();
	}
	return 0;
}

/* copy: remembers the text as it is */
static int copy_text(const unsigned long *args)
{
	memcpy(copy.data, (void *)start, length);
	return 0;
}

/* A part of a text with its surroundings. The text may begin in there, or end. */
static void report_bytes(const u8 *text, unsigned long at)
{
	u8 bytes[3 * WINDOW] = {};
	unsigned long i;

	for (i = 0; i < sizeof(bytes); i++)
		if (at + i >= WINDOW && at + i - WINDOW < length)
			bytes[i] = READ_ONCE(text[at + i - WINDOW]);
	report(" %*phN", (int)sizeof(bytes), bytes);
}

/* compare: reports where the text differs from its copy */
static int compare_text(const unsigned long *args)
{
	const u8 *text = (void *)start;
	unsigned long at;

	report("compared\n");
	for (at = 0; at < length; at += WINDOW) {
		if (at >= room && at < room_end)
			continue;
		if (!memcmp(text + at, copy.data + at, min_t(unsigned long, WINDOW, length - at)))
			continue;
		report("differs %px", text + at);
		report_bytes(copy.data, at);
		report_bytes(text, at);
		report("\n");
	}
	return 0;
}

static void report_probe(unsigned int i, const struct probe *probe)
{
	unsigned int hits = atomic_read(&probe->hits), posts = atomic_read(&probe->posts);
	unsigned int wrong = atomic_read(&probe->wrong);

	if (probe->error)
		report("refused %u probe %d\n", i, probe->error);
	else if (hits || posts || wrong || probe->kp.nmissed)
		report("hit %u %u %u %u %lu %u %u\n", i, hits, posts, atomic_read(&probe->faults),
		       probe->kp.nmissed, wrong,
		       probe->leaving + hits - probe->until);
}

static void report_return(unsigned int i, const struct probe *probe)
{
	unsigned int hits = atomic_read(&probe->hits), entries = atomic_read(&probe->entries);
	unsigned int outside = probe->leaving + hits - probe->until;
	unsigned int returns = atomic_read(&probe->returns);

	if (probe->rp_error)
		report("refused %u return %d\n", i, probe->rp_error);
	else if (is_entry(probe) && (hits || entries || returns || probe->rp.nmissed))
		report("return %u %u %u %d %u\n", i, entries, returns, probe->rp.nmissed, outside);
}

/* results: reports what became of the records */
static int report_results(const unsigned long *args)
{
	unsigned int i;

	for (i = 0; i < nr_probes; i++) {
		report_probe(i, &probes[i]);
		report_return(i, &probes[i]);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*carry_out)(const unsigned long *args);
} orders[] = {
	{ "shown", empty_report }, { "load", load }, { "copy", copy_text },
	{ "register", register_probes }, { "run", run }, { "enable", enable },
	{ "count", count_jumps }, { "disarm", disarm }, { "compare", compare_text },
	{ "results", report_results }, { "unload", unload },
};

static ssize_t take_order(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	unsigned long args[1] = {};
	char line[80], name[16];
	unsigned int i;
	int ret;

	if (count >= sizeof(line))
		return -EINVAL;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	line[count] = '\0';
	if (sscanf(line, "%15s %li", name, &args[0]) < 1)
		return -EINVAL;
	guard(mutex)(&lock);
	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		if (strcmp(name, orders[i].name))
			continue;
		ret = orders[i].carry_out(args);
		return ret ?: count;
	}
	return -EINVAL;
}

static const struct file_operations order_fops = {
	.owner = THIS_MODULE,
	.write = take_order,
	.llseek = noop_llseek,
};

/* What the program itself reports. */
static ssize_t write_report(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	void *text = vmemdup_user(buf, count);

	if (IS_ERR(text))
		return PTR_ERR(text);
	scoped_guard(mutex, &lock)
		append(text, count);
	kvfree(text);
	return count;
}

static const struct file_operations report_fops = {
	.owner = THIS_MODULE,
	.write = write_report,
	.llseek = noop_llseek,
};

#ifdef CONFIG_S390
static void write_unit(u16 *at, u16 unit)
{
	unsigned long addr = (unsigned long)at & ~7UL;
	unsigned int shift = 48 - 8 * ((unsigned long)at & 7);
	u64 word = *(u64 *)addr;

	word = (word & ~(0xffffULL << shift)) | (u64)unit << shift;
	asm volatile("lra %0,0(%0)\n\tsturg %1,%0" : "+a" (addr) : "d" (word) : "cc", "memory");
}

/* lpswe 0x290 for b 0x400; nopr */
static int leave_at_once(void *unused)
{
	u16 *at, *end = (u16 *)(start + length) - 2;

	for (at = (u16 *)start; at < end; at++) {
		if (at[0] != 0x47f0 || at[1] != 0x0400 || at[2] != 0x0700)
			continue;
		write_unit(at, 0xb2b2);
		write_unit(at + 1, 0x0290);
	}
	return 0;
}

/*
 * The last instruction of a trap is in the lowcore, in the page that each trap writes to: QEMU
 * translates it anew for each, which takes longer than all else. Have it where the branch to it is.
 */
static void prepare_machine(void)
{
	stop_machine(leave_at_once, NULL, NULL);
}
#else
static void prepare_machine(void) { }
#endif

static int __init sweep_init(void)
{
	struct dentry *dir;

	start = stext + offset;
	prepare_machine();
	queue_delayed_work(system_unbound_wq, &disabling, HZ / 10);
	reported.data = vmalloc(REPORT);
	copy.data = vmalloc(length);
	copy.size = length;
	if (!reported.data || !copy.data)
		return -ENOMEM;
	dir = debugfs_create_dir("sweep", NULL);
	debugfs_create_file("order", 0200, dir, NULL, &order_fops);
	debugfs_create_file("say", 0200, dir, NULL, &report_fops);
	debugfs_create_blob("report", 0400, dir, &reported);
	debugfs_create_blob("text", 0400, dir, &copy);
	debugfs_create_u32("jumps", 0400, dir, &jumps);
	debugfs_create_u32("unregistered", 0400, dir, &unregistered);
	return 0;
}
module_init(sweep_init);

MODULE_DESCRIPTION("Probes on every instruction of the kernel");
MODULE_LICENSE("GPL");
