// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why registrations were refused: the last ones are kept, with their callers.
 *
 * A single -EINVAL stands for a dozen reasons, and the one who could tell them
 * apart is deep in a check that knows neither the probe nor the caller. So the
 * reason is noted where it is found, and the record is made where the call
 * ends. Nothing of it is left to the caller's memory, nor allocated: what is
 * out of memory is to be seen as well.
 */
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/uaccess.h>

#include "debugfs.h"
#include "internal.h"
#include "refused.h"

static const char * const words[] = {
	[KPROBE_REFUSED_UNKNOWN] = "no reason is known",
	[KPROBE_REFUSED_NO_MEMORY] = "out of memory",
	[KPROBE_REFUSED_EARLY] = "too early during boot, or kprobes not available",
	[KPROBE_REFUSED_NUM] = "num is not positive",
	[KPROBE_REFUSED_NULL] = "NULL entry",
	[KPROBE_REFUSED_REGISTERED] = "already registered",
	[KPROBE_REFUSED_NOT_REGISTERED] = "not registered",
	[KPROBE_REFUSED_GONE] = "text has gone",
	[KPROBE_REFUSED_BOTH] = "both symbol and address",
	[KPROBE_REFUSED_NEITHER] = "neither symbol nor address",
	[KPROBE_REFUSED_SYMBOL] = "unknown symbol",
	[KPROBE_REFUSED_PREFIX] = "in front of a function's entry (__cfi_, __pfx_)",
	[KPROBE_REFUSED_TRAMPOLINE] = "trampoline of a static call",
	[KPROBE_REFUSED_NO_TEXT] = "no kernel text",
	[KPROBE_REFUSED_INIT_TEXT] = "init text was freed",
	[KPROBE_REFUSED_MODULE_COMING] = "module is not ready yet",
	[KPROBE_REFUSED_MODULE_GOING] = "module is going away",
	[KPROBE_REFUSED_BLACKLIST] = "blacklisted",
	[KPROBE_REFUSED_RESERVED] =
		"patched or read by somebody else (jump label, static call, BUG, ftrace)",
	[KPROBE_REFUSED_INSIDE] = "inside an instruction",
	[KPROBE_REFUSED_UNDECODABLE] = "no instruction that can be decoded",
	[KPROBE_REFUSED_INSTRUCTION] = "instruction cannot be probed",
	[KPROBE_REFUSED_TRAP] = "instruction cannot be probed: traps for somebody else",
	[KPROBE_REFUSED_LEVEL] =
		"instruction cannot be probed: changes privilege level or segment",
	[KPROBE_REFUSED_WORLD] = "instruction cannot be probed: goes to a guest or an enclave",
	[KPROBE_REFUSED_LANDING_PAD] =
		"instruction cannot be probed: landing pad of indirect branches",
	[KPROBE_REFUSED_TRANSACTION] = "instruction cannot be probed: begins a transaction",
	[KPROBE_REFUSED_SLEEP] = "instruction cannot be probed: waits for an interrupt",
	[KPROBE_REFUSED_SHADOW] =
		"instruction cannot be probed: keeps interrupts from the next one",
	[KPROBE_REFUSED_FORM] = "instruction cannot be probed: in a form that is not known",
	[KPROBE_REFUSED_ENTRY] = "not a function's entry",
	[KPROBE_REFUSED_DATA_SIZE] = "data_size too large",
	[KPROBE_REFUSED_FTRACE] = "ftrace refused",
};

static_assert(ARRAY_SIZE(words) == KPROBE_REFUSALS);

/**
 * kprobe_refusal_words() - a reason in words
 * @reason: the reason
 *
 * Return: The words.
 */
const char *kprobe_refusal_words(enum kprobe_refusal reason)
{
	return words[reason];
}
NOKPROBE_SYMBOL(kprobe_refusal_words);

/* The call under way; kprobe_mutex, but for the task that is looked at bare. */
static struct kprobe_asking asking;

/**
 * kprobe_asking() - who has kprobe_mutex, and what for
 *
 * Context: kprobe_mutex held.
 * Return: What kprobe_ask_again() takes once the mutex is held again.
 */
struct kprobe_asking kprobe_asking(void)
{
	lockdep_assert_held(&kprobe_mutex);
	return asking;
}
NOKPROBE_SYMBOL(kprobe_asking);

/**
 * kprobe_ask_again() - others had kprobe_mutex in between
 * @asked: what kprobe_asking() has returned before
 *
 * Context: kprobe_mutex held.
 */
void kprobe_ask_again(const struct kprobe_asking *asked)
{
	lockdep_assert_held(&kprobe_mutex);
	/* Works that let others in ask for nothing. */
	if (asked->task == current)
		asking = *asked;
}
NOKPROBE_SYMBOL(kprobe_ask_again);

/**
 * kprobe_ask() - a call of the API begins that can be refused
 * @request: what it asks for
 * @caller:  where the call comes from
 *
 * Context: kprobe_mutex held until kprobe_answer().
 */
void kprobe_ask(enum kprobe_request request, unsigned long caller)
{
	lockdep_assert_held(&kprobe_mutex);
	asking.caller = caller;
	asking.request = request;
	asking.p = NULL;
	asking.error = 0;
	WRITE_ONCE(asking.task, current);
}
NOKPROBE_SYMBOL(kprobe_ask);

/**
 * kprobe_ask_about() - from here on it is about this probe
 * @p: the probe, the caller's own; NULL when it may be anything else
 *
 * Context: kprobe_mutex held.
 */
void kprobe_ask_about(const struct kprobe *p)
{
	lockdep_assert_held(&kprobe_mutex);
	asking.p = p;
}
NOKPROBE_SYMBOL(kprobe_ask_about);

/**
 * kprobe_refuse() - note why a probe is refused
 * @reason: why
 * @error:  the errno that says so
 *
 * Checks may be made outside of any registration, without kprobe_mutex. Only
 * the task that registers finds itself noted as the one that does, and it has
 * the mutex.
 *
 * Context: Any task.
 * Return: @error.
 */
int kprobe_refuse(enum kprobe_refusal reason, int error)
{
	if (READ_ONCE(asking.task) == current) {
		asking.reason = reason;
		asking.error = error;
	}
	return error;
}
NOKPROBE_SYMBOL(kprobe_refuse);

/* What the architecture says without a reason is about the instruction. */
static enum kprobe_refusal reason_for(int error)
{
	if (error == asking.error)
		return asking.reason;
	switch (error) {
	case -ENOMEM:
		return KPROBE_REFUSED_NO_MEMORY;
	case -EILSEQ:
		return KPROBE_REFUSED_UNDECODABLE;
	case -EINVAL:
		return KPROBE_REFUSED_INSTRUCTION;
	default:
		return KPROBE_REFUSED_UNKNOWN;
	}
}

/* The last ones, where the next one goes last; written under kprobe_mutex. */
static struct kprobe_refused ring[KPROBE_REFUSED_KEPT];

/* How many there have been. */
static u64 nr_refused;

/* For both, so that a reader never waits for kprobe_mutex. */
static DEFINE_SPINLOCK(ring_lock);

/* The string is the caller's: of any length, and perhaps not even mapped. */
static void copy_symbol(char *to, const char *from)
{
	long len = strncpy_from_kernel_nofault(to, from, KPROBE_REFUSED_NAME);

	if (len < 0)
		strscpy(to, "(unreadable)", KPROBE_REFUSED_NAME);
	else if (len == KPROBE_REFUSED_NAME)
		strscpy(to + len - sizeof("..."), "...", sizeof("..."));
}

static void describe_probe(struct kprobe_refused *refused,
			   const struct kprobe *p)
{
	if (!p)
		return;
	refused->by_name = p->symbol_name;
	if (p->symbol_name)
		copy_symbol(refused->symbol, p->symbol_name);
	refused->addr = (unsigned long)p->addr;
	refused->offset = p->offset;
}

static void describe_call(struct kprobe_refused *refused, int error)
{
	*refused = (struct kprobe_refused){
		.time = local_clock(),
		.error = error,
		.pid = task_pid_nr(current),
		.request = asking.request,
		.reason = reason_for(error),
	};
	get_task_comm(refused->comm, current);
	snprintf(refused->caller, sizeof(refused->caller), "%pS",
		 (void *)asking.caller);
	describe_probe(refused, asking.p);
}

static void keep(const struct kprobe_refused *refused)
{
	spin_lock(&ring_lock);
	ring[nr_refused++ % KPROBE_REFUSED_KEPT] = *refused;
	spin_unlock(&ring_lock);
}

/**
 * kprobe_answer() - a call of the API ends
 * @error: what it returns; kept with its reason, if it is not 0
 *
 * Context: Process context, kprobe_mutex held.
 * Return: @error.
 */
int kprobe_answer(int error)
{
	struct kprobe_refused refused;

	lockdep_assert_held(&kprobe_mutex);
	WRITE_ONCE(asking.task, NULL);
	if (error) {
		describe_call(&refused, error);
		keep(&refused);
	}
	return error;
}
NOKPROBE_SYMBOL(kprobe_answer);

/**
 * kprobe_refused_get() - look a refused call up
 * @number:  which, counted from the first; set to the number of the one found
 * @refused: set to it
 *
 * Context: Process context.
 * Return: True when it, or else the oldest that came later, is still kept.
 */
bool kprobe_refused_get(u64 *number, struct kprobe_refused *refused)
{
	bool found;

	spin_lock(&ring_lock);
	if (*number + KPROBE_REFUSED_KEPT < nr_refused)
		*number = nr_refused - KPROBE_REFUSED_KEPT;
	found = *number < nr_refused;
	if (found)
		*refused = ring[*number % KPROBE_REFUSED_KEPT];
	spin_unlock(&ring_lock);
	return found;
}
NOKPROBE_SYMBOL(kprobe_refused_get);

/**
 * struct refused_file - "refused", opened
 * @reader:  who has opened it
 * @refused: the reader's copy of what is shown next
 */
struct refused_file {
	struct kprobe_reader reader;
	struct kprobe_refused refused;
};

/* A position is a number. */
static void *refused_start(struct seq_file *m, loff_t *pos)
{
	struct refused_file *file = m->private;
	u64 number = *pos;

	if (!kprobe_refused_get(&number, &file->refused))
		return NULL;
	*pos = number;
	return &file->refused;
}

static void *refused_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return refused_start(m, pos);
}

static void refused_stop(struct seq_file *m, void *v)
{
}

static void show_caller(struct seq_file *m, const struct kprobe_refused *r)
{
	u64 time = r->time;
	u32 ns = do_div(time, NSEC_PER_SEC);

	seq_printf(m, "%llu.%03lu  ", time, ns / NSEC_PER_MSEC);
	seq_escape_str(m, r->comm, ESCAPE_ANY_NP, NULL);
	seq_printf(m, "[%d]  %s", r->pid, r->caller);
}

static void show_request(struct seq_file *m, const struct kprobe_refused *r)
{
	static const char * const requests[] = {
		[KPROBE_SET] = "kprobe",
		[KPROBE_SET_RETURN] = "kretprobe",
		[KPROBE_ENABLE] = "enable",
	};

	seq_printf(m, "  %s  ", requests[r->request]);
}

static void show_address(struct seq_file *m, const struct kprobe_refused *r)
{
	seq_printf(m, "0x%px+0x%x", kprobe_shown(m, r->addr), r->offset);
}

/* Both, if both were given. */
static void show_place(struct seq_file *m, const struct kprobe_refused *r)
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
	const struct kprobe_refused *r = v;

	show_caller(m, r);
	show_request(m, r);
	show_place(m, r);
	seq_printf(m, "  %pe  %s\n", ERR_PTR(r->error),
		   kprobe_refusal_words(r->reason));
	return 0;
}

static const struct seq_operations refused_sops = {
	.start = refused_start,
	.next = refused_next,
	.stop = refused_stop,
	.show = refused_show,
};

static int refused_open(struct inode *inode, struct file *file)
{
	return kprobe_file_open(file, &refused_sops, sizeof(struct refused_file));
}

const struct file_operations kprobe_refused_fops = {
	.open = refused_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};
