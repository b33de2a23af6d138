/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_REASON_H
#define _KERNEL_KPROBES_REASON_H

/* reason.c: errno and text of each reason, and the records of refused calls */
#include <linux/kprobe_reason.h>
#include <linux/sched.h>
#include <linux/types.h>

struct kprobe;

int kprobe_reason_errno(enum kprobe_reason reason);
const char *kprobe_reason_text(enum kprobe_reason reason);

/**
 * enum kprobe_request - what a call of the API asks for
 * @KPROBE_SET:        to register a probe
 * @KPROBE_SET_RETURN: to register a return probe
 * @KPROBE_ENABLE:     to enable a probe
 */
enum kprobe_request {
	KPROBE_SET,
	KPROBE_SET_RETURN,
	KPROBE_ENABLE,
};

#define KPROBE_REFUSAL_NAME	80	/* longer names of symbols and callers are truncated */
#define KPROBE_REFUSAL_CANDIDATES 160
#define KPROBE_REFUSALS_KEPT	(IS_ENABLED(CONFIG_DEBUG_FS) ? 128 : 1)

/**
 * struct kprobe_refusal - record of a call that was refused
 * @number:  how many calls have been refused since boot, with this one
 * @time:    when, in nanoseconds of the log's clock
 * @pid:     the task that made the call
 * @comm:    its name
 * @caller:  the calling function, with its module. As text, because the module may be
 *           freed next: if a call is refused, the module's init function often fails
 * @request: what the call asked for
 * @reason:  why it was refused; the caller got the errno that belongs to it
 * @by_name: whether the probe has given a symbol
 * @symbol:  copy of the symbol's name, as the caller's string may not outlive the call
 * @candidates: of an ambiguous name: names that mean one symbol each
 * @addr:    the address that the probe has given
 * @offset:  the offset from either
 */
struct kprobe_refusal {
	u64 number;
	u64 time;
	pid_t pid;
	char comm[TASK_COMM_LEN];
	char caller[KPROBE_REFUSAL_NAME];
	enum kprobe_request request;
	enum kprobe_reason reason;
	bool by_name;
	char symbol[KPROBE_REFUSAL_NAME];
	char candidates[KPROBE_REFUSAL_CANDIDATES];
	unsigned long addr;
	unsigned int offset;
};

void kprobe_record_refusal(enum kprobe_request request, unsigned long caller,
			   const struct kprobe *p, enum kprobe_reason reason,
			   const char *candidates);
bool kprobe_get_refusal(u64 *number, struct kprobe_refusal *refusal);

#endif /* _KERNEL_KPROBES_REASON_H */
