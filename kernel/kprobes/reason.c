// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reasons: the errno and the text of each, and the records of refused calls.
 *
 * Many reasons share the errno -EINVAL. Checks therefore return the reason. The API, which knows
 * the probe and its caller, turns the reason into the errno and records the call.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/sched/clock.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "reason.h"

static const struct {
	int error;
	const char *text;
} reasons[] = {
	[KPROBE_REASON_NONE] = { 0, "-" },
	[KPROBE_REASON_NO_MEMORY] = { -ENOMEM, "out of memory" },
	[KPROBE_REASON_EARLY] = { -EAGAIN, "too early during boot, or kprobes not available" },
	[KPROBE_REASON_IN_HANDLER] = { -EBUSY, "called by a probe's handler" },
	[KPROBE_REASON_NUM] = { -EINVAL, "num is not positive" },
	[KPROBE_REASON_NULL_ENTRY] = { -EINVAL, "NULL entry" },
	[KPROBE_REASON_REGISTERED] = { -EINVAL, "already registered" },
	[KPROBE_REASON_NOT_REGISTERED] = { -EINVAL, "not registered" },
	[KPROBE_REASON_GONE] = { -EINVAL, "text has gone" },
	[KPROBE_REASON_BOTH] = { -EINVAL, "both symbol and address" },
	[KPROBE_REASON_NEITHER] = { -EINVAL, "neither symbol nor address" },
	[KPROBE_REASON_SYMBOL] = { -ENOENT, "unknown symbol" },
	[KPROBE_REASON_PREFIX] = { -EINVAL, "in front of a function's entry (__cfi_, __pfx_)" },
	[KPROBE_REASON_TRAMPOLINE] = { -EINVAL, "trampoline of a static call" },
	[KPROBE_REASON_NO_TEXT] = { -EINVAL, "no kernel text" },
	[KPROBE_REASON_INIT_TEXT] = { -ENOENT, "init text was freed" },
	[KPROBE_REASON_MODULE_COMING] = { -ENOENT, "module is not ready yet" },
	[KPROBE_REASON_MODULE_GOING] = { -ENOENT, "module is going away" },
	[KPROBE_REASON_BLACKLIST] = { -EINVAL, "blacklisted" },
	[KPROBE_REASON_RESERVED] = { -EINVAL,
		"patched or read by another subsystem (jump label, static call, BUG, ftrace)" },
	[KPROBE_REASON_INSIDE] = { -EILSEQ, "inside an instruction" },
	[KPROBE_REASON_UNDECODABLE] = { -EILSEQ, "no instruction that can be decoded" },
	[KPROBE_REASON_TRAP] = { -EINVAL,
		"instruction cannot be probed: its trap belongs to another subsystem" },
	[KPROBE_REASON_LEVEL] = { -EINVAL,
		"instruction cannot be probed: changes privilege level or segment" },
	[KPROBE_REASON_WORLD] = { -EINVAL,
		"instruction cannot be probed: goes to a guest, an enclave or the firmware" },
	[KPROBE_REASON_LANDING_PAD] = { -EINVAL, "landing pad of indirect branches" },
	[KPROBE_REASON_TRANSACTION] = { -EINVAL,
		"instruction cannot be probed: begins a transaction" },
	[KPROBE_REASON_SLEEP] = { -EINVAL,
		"instruction cannot be probed: waits for an interrupt" },
	[KPROBE_REASON_SHADOW] = { -EINVAL,
		"instruction cannot be probed: keeps interrupts off for the next one" },
	[KPROBE_REASON_FORM] = { -EINVAL,
		"instruction cannot be probed: in a form that is not known" },
	[KPROBE_REASON_FAR_OPERAND] = { -ENOMEM,
		"instruction cannot be probed: no slot near enough to its operand" },
	[KPROBE_REASON_DELAY_SLOT] = { -EINVAL,
		"instruction cannot be probed: in a branch's delay slot" },
	[KPROBE_REASON_EXCLUSIVE] = { -EINVAL,
		"instruction cannot be probed: in a sequence that must not be interrupted" },
	[KPROBE_REASON_ENTRY] = { -EINVAL, "not a function's entry" },
	[KPROBE_REASON_DATA_SIZE] = { -E2BIG, "data_size too large" },
	[KPROBE_REASON_FTRACE_OFF] = { -EBUSY, "ftrace refused: kernel.ftrace_enabled is 0" },
	[KPROBE_REASON_FTRACE_DEAD] = { -ENODEV, "ftrace refused: it has been shut down" },
	[KPROBE_REASON_FTRACE] = { -EINVAL, "ftrace refused" },
	[KPROBE_REASON_FUNCTION_ENDS] = { -EINVAL, "function ends within the jump" },
	[KPROBE_REASON_FUNCTION_UNDECODABLE] = { -EINVAL, "function cannot be decoded" },
	[KPROBE_REASON_NOT_DISPLACED] = { -EINVAL, "instruction cannot be moved" },
	[KPROBE_REASON_CALL] = { -EINVAL, "call would return into the jump" },
	[KPROBE_REASON_JUMPED_INTO] = { -EINVAL,
		"branch, jump label or fixup leads into the jump" },
	[KPROBE_REASON_INDIRECT_JUMP] = { -EINVAL, "function has an indirect jump" },
	[KPROBE_REASON_EXTABLE] = { -EINVAL, "instruction may fault" },
	[KPROBE_REASON_SCRATCH] = { -EINVAL, "no free register for the jump" },
	[KPROBE_REASON_DIRECTION] = { -EINVAL, "function sets the direction flag" },
	[KPROBE_REASON_HYPERVISOR] = { -EINVAL, "no detours in this kind of guest" },
	[KPROBE_REASON_EVENTS] = { -EINVAL, "no detours while FRED is in use" },
	[KPROBE_REASON_OUT_OF_REACH] = { -ERANGE,
		"no memory within reach of a jump, as of modules far from the kernel" },
	[KPROBE_REASON_NEIGHBOUR] = { -EBUSY, "another probe within the jump" },
	[KPROBE_REASON_QUEUED] = { -EAGAIN, "waiting to be optimized" },
	[KPROBE_REASON_SWITCHED_OFF] = { -EAGAIN, "switched off" },
	[KPROBE_REASON_NOT_ARMED] = { -EAGAIN, "not armed" },
	[KPROBE_REASON_THROUGH_FTRACE] = { -EINVAL, "reached through ftrace" },
};

static_assert(ARRAY_SIZE(reasons) == KPROBE_REASONS);

int kprobe_reason_errno(enum kprobe_reason reason)
{
	return reasons[reason].error;
}

const char *kprobe_reason_text(enum kprobe_reason reason)
{
	return reasons[reason].text;
}

#ifdef CONFIG_DEBUG_FS
/* The last refused calls, not allocated: a call may be refused for lack of memory. */
static struct kprobe_refusal ring[KPROBE_REFUSALS_KEPT];

/* How many calls have been refused since boot. */
static u64 nr_refusals;

/* Protects @ring and @nr_refusals. */
static DEFINE_SPINLOCK(ring_lock);

/*
 * @caller is the address that the API returns to. @p is NULL if the probe that was refused is
 * unknown or must not be read.
 */
void kprobe_record_refusal(enum kprobe_request request, unsigned long caller,
			   const struct kprobe *p, enum kprobe_reason reason)
{
	struct kprobe_refusal refusal = {
		.time = local_clock(),
		.pid = task_pid_nr(current),
		.request = request,
		.reason = reason,
	};
	char *symbol = refusal.symbol;
	long len = 0;

	get_task_comm(refusal.comm, current);
	snprintf(refusal.caller, sizeof(refusal.caller), "%pS", (void *)caller);
	if (p) {
		refusal.by_name = p->symbol_name;
		/* The caller's string may have any length, and its pointer may be invalid. */
		if (p->symbol_name)
			len = strncpy_from_kernel_nofault(symbol, p->symbol_name,
							  KPROBE_REFUSAL_NAME);
		if (len < 0)
			strscpy(symbol, "(unreadable)", KPROBE_REFUSAL_NAME);
		else if (len == KPROBE_REFUSAL_NAME)
			strscpy(symbol + len - sizeof("..."), "...", sizeof("..."));
		refusal.addr = (unsigned long)p->addr;
		refusal.offset = p->offset;
	}
	spin_lock(&ring_lock);
	ring[nr_refusals++ % KPROBE_REFUSALS_KEPT] = refusal;
	spin_unlock(&ring_lock);
}

/*
 * Copies record @number, or the oldest one that is kept if that one is not, and sets @number to the
 * number of the record found. Records count from 0. False if there are not so many yet.
 */
bool kprobe_get_refusal(u64 *number, struct kprobe_refusal *refusal)
{
	bool found;

	spin_lock(&ring_lock);
	if (*number + KPROBE_REFUSALS_KEPT < nr_refusals)
		*number = nr_refusals - KPROBE_REFUSALS_KEPT;
	found = *number < nr_refusals;
	if (found)
		*refusal = ring[*number % KPROBE_REFUSALS_KEPT];
	spin_unlock(&ring_lock);
	return found;
}
#endif
