/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_REASON_H
#define _KERNEL_KPROBES_REASON_H

/* The errno and the text of each reason, and the records of refused calls. */
#include <linux/kprobe_reason.h>
#include <linux/sched.h>
#include <linux/types.h>

struct kprobe;

int kprobe_reason_errno(enum kprobe_reason reason);
const char *kprobe_reason_text(enum kprobe_reason reason);

/**
 * enum kprobe_request - what a call of the API asks for
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
#define KPROBE_REFUSAL_NAME	80

/* How many are kept. */
#define KPROBE_REFUSALS_KEPT	128

/**
 * struct kprobe_refusal - record of a call that was refused
 * @time:    when, in nanoseconds of the log's clock
 * @pid:     the task that made the call
 * @comm:    its name
 * @caller:  the function that called, with its module. As text, because the
 *           module may be gone the next moment: its init function has failed
 * @request: what the call asked for
 * @reason:  why it was refused; the caller got the errno that belongs to it
 * @by_name: @symbol is set; the caller's string may not outlive the call
 * @symbol:  the symbol that the probe named
 * @addr:    the address that it gave
 * @offset:  what is to be added to either
 */
struct kprobe_refusal {
	u64 time;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	char caller[KPROBE_REFUSAL_NAME];
	enum kprobe_request request;
	enum kprobe_reason reason;
	bool by_name;
	char symbol[KPROBE_REFUSAL_NAME];
	unsigned long addr;
	unsigned int offset;
};

#ifdef CONFIG_DEBUG_FS
void kprobe_record_refusal(enum kprobe_request request, unsigned long caller,
			   const struct kprobe *p, enum kprobe_reason reason);
bool kprobe_get_refusal(u64 *number, struct kprobe_refusal *refusal);
#else
static inline void kprobe_record_refusal(enum kprobe_request request,
					 unsigned long caller, const struct kprobe *p,
					 enum kprobe_reason reason) { }
#endif

#endif /* _KERNEL_KPROBES_REASON_H */
