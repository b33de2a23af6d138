/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_REFUSED_H
#define _KERNEL_KPROBES_REFUSED_H

/*
 * What was refused, and why, for the file "refused" in debugfs. A call of the
 * API that can be refused goes
 *
 *	kprobe_ask()			whose call it is
 *	  kprobe_ask_about()		the probe that is being looked at
 *	    return kprobe_refuse()	whoever finds a reason, however deep
 *	return kprobe_answer()		kept, if it is an error
 *
 * with kprobe_mutex held from first to last.
 */
#include <linux/kprobe_point.h>
#include <linux/sched.h>

/**
 * enum kprobe_request - what was asked for
 * @KPROBE_SET:        a probe
 * @KPROBE_SET_RETURN: a return probe
 * @KPROBE_ENABLE:     that a probe's handlers run again
 */
enum kprobe_request {
	KPROBE_SET,
	KPROBE_SET_RETURN,
	KPROBE_ENABLE,
};

/* Room for a symbol's name and for a caller; what is longer is cut. */
#define KPROBE_REFUSED_NAME	80

/* How many are kept. */
#define KPROBE_REFUSED_KEPT	128

/**
 * struct kprobe_refused - a call that was refused
 * @time:    when, in nanoseconds of the log's clock
 * @error:   the errno that the caller got
 * @pid:     who: the task
 * @comm:    its name
 * @caller:  the function that called, with its module. As text, because the
 *           module may be gone the next moment: its init function has failed
 * @request: what it asked for
 * @reason:  why it did not get it
 * @by_name: @symbol is set; the caller's string may not outlive the call
 * @symbol:  the symbol that it named
 * @addr:    the address that it gave
 * @offset:  what is to be added to either
 */
struct kprobe_refused {
	u64 time;
	int error;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	char caller[KPROBE_REFUSED_NAME];
	enum kprobe_request request;
	enum kprobe_refusal reason;
	bool by_name;
	char symbol[KPROBE_REFUSED_NAME];
	unsigned long addr;
	unsigned int offset;
};

/**
 * struct kprobe_asking - the call of the API that is under way
 * @task:    who has made it
 * @caller:  where it comes from
 * @request: what it asks for
 * @p:       the probe that is being looked at, if it is known
 * @reason:  why it was refused
 * @error:   the errno that belongs to @reason, 0 before there is one
 */
struct kprobe_asking {
	const struct task_struct *task;
	unsigned long caller;
	enum kprobe_request request;
	const struct kprobe *p;
	enum kprobe_refusal reason;
	int error;
};

#ifdef CONFIG_DEBUG_FS
struct kprobe_asking kprobe_asking(void);
void kprobe_ask_again(const struct kprobe_asking *asked);
void kprobe_ask(enum kprobe_request request, unsigned long caller);
void kprobe_ask_about(const struct kprobe *p);
int kprobe_answer(int error);

bool kprobe_refused_get(u64 *number, struct kprobe_refused *refused);
const char *kprobe_refusal_words(enum kprobe_refusal reason);
extern const struct file_operations kprobe_refused_fops;
#else
static inline struct kprobe_asking kprobe_asking(void)
{
	return (struct kprobe_asking){ };
}

static inline void kprobe_ask_again(const struct kprobe_asking *asked) { }
static inline void kprobe_ask(enum kprobe_request request,
			      unsigned long caller) { }
static inline void kprobe_ask_about(const struct kprobe *p) { }

static inline int kprobe_answer(int error)
{
	return error;
}
#endif

#endif /* _KERNEL_KPROBES_REFUSED_H */
