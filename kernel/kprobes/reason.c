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

/* A keyword, which stays, and an explanation. */
static const struct {
	int error;
	const char *text;
} reasons[] = {
	[KPROBE_REASON_NONE] = { 0, "-" },
	[KPROBE_REASON_NO_MEMORY] = { -ENOMEM, "no-memory: out of memory" },
	[KPROBE_REASON_EARLY] = { -EAGAIN,
		"early: too early during boot, or kprobes not available" },
	[KPROBE_REASON_IN_HANDLER] = { -EBUSY, "in-handler: called by a probe's handler" },
	[KPROBE_REASON_NUM] = { -EINVAL, "num: number of probes is not positive" },
	[KPROBE_REASON_NULL_ENTRY] = { -EINVAL, "null: NULL entry" },
	[KPROBE_REASON_REGISTERED] = { -EINVAL, "registered: probe is registered already" },
	[KPROBE_REASON_NOT_REGISTERED] = { -EINVAL, "not-registered: probe is not registered" },
	[KPROBE_REASON_GONE] = { -EINVAL, "gone: text has gone" },
	[KPROBE_REASON_BOTH] = { -EINVAL, "both: both symbol and address" },
	[KPROBE_REASON_NEITHER] = { -EINVAL, "neither: neither symbol nor address" },
	[KPROBE_REASON_SYMBOL] = { -ENOENT, "symbol: unknown symbol" },
	[KPROBE_REASON_AMBIGUOUS] = { -EADDRNOTAVAIL,
		"ambiguous: several functions have this name" },
	[KPROBE_REASON_PENDING] = { -ENOENT,
		"pending: unknown symbol, and no module is named to wait for" },
	[KPROBE_REASON_PREFIX] = { -EINVAL,
		"prefix: in front of a function's entry (__cfi_, __pfx_)" },
	[KPROBE_REASON_TRAMPOLINE] = { -EINVAL, "trampoline: trampoline of a static call" },
	[KPROBE_REASON_NO_TEXT] = { -EINVAL, "no-text: no kernel text" },
	[KPROBE_REASON_INIT_TEXT] = { -ENOENT, "init-text: init text was freed" },
	[KPROBE_REASON_MODULE_COMING] = { -ENOENT, "module-coming: module is not ready yet" },
	[KPROBE_REASON_MODULE_GOING] = { -ENOENT, "module-going: module is going away" },
	[KPROBE_REASON_BLACKLIST] = { -EINVAL, "blacklisted: function must not be probed" },
	[KPROBE_REASON_RESERVED] = { -EINVAL,
		"reserved: needed by another subsystem (jump label, static call, BUG)" },
	[KPROBE_REASON_FTRACE_SITE] = { -EINVAL, "ftrace-site: patched or read by ftrace" },
	[KPROBE_REASON_CFI_TYPE] = { -EINVAL,
		"cfi-type: may be a type that indirect calls compare" },
	[KPROBE_REASON_DEBUGGER] = { -EINVAL, "debugger: has a debugger's breakpoint" },
	[KPROBE_REASON_DATA] = { -EINVAL, "data: the function reads it as data" },
	[KPROBE_REASON_INSIDE] = { -EILSEQ, "inside: inside an instruction" },
	[KPROBE_REASON_UNDECODABLE] = { -EILSEQ, "undecodable: no known instruction" },
	[KPROBE_REASON_TRAP] = { -EINVAL, "trap: its trap belongs to another subsystem" },
	[KPROBE_REASON_LEVEL] = { -EINVAL, "level: changes privilege level or segment" },
	[KPROBE_REASON_WORLD] = { -EINVAL,
		"world: goes to a guest, an enclave or the firmware" },
	[KPROBE_REASON_LANDING_PAD] = { -EINVAL,
		"landing-pad: indirect branches must find it there" },
	[KPROBE_REASON_TRANSACTION] = { -EINVAL, "transaction: begins a transaction" },
	[KPROBE_REASON_SLEEP] = { -EINVAL, "sleep: waits for an interrupt" },
	[KPROBE_REASON_SHADOW] = { -EINVAL,
		"shadow: keeps interrupts off for the next instruction" },
	[KPROBE_REASON_FORM] = { -EINVAL, "form: instruction in a form that is not known" },
	[KPROBE_REASON_FAR_OPERAND] = { -ENOMEM,
		"far-operand: no memory for a copy near enough to its operand" },
	[KPROBE_REASON_DELAY_SLOT] = { -EINVAL, "delay-slot: in a branch's delay slot" },
	[KPROBE_REASON_EXCLUSIVE] = { -EINVAL,
		"exclusive: in a sequence that must not be interrupted" },
	[KPROBE_REASON_ENTRY] = { -EINVAL, "not-entry: not a function's entry" },
	[KPROBE_REASON_DATA_SIZE] = { -E2BIG, "data-size: data_size is too large" },
	[KPROBE_REASON_FTRACE_OFF] = { -EBUSY,
		"ftrace-off: ftrace refused, kernel.ftrace_enabled is 0" },
	[KPROBE_REASON_FTRACE_DEAD] = { -ENODEV,
		"ftrace-dead: ftrace refused, it has been shut down" },
	[KPROBE_REASON_FTRACE] = { -EINVAL, "ftrace-failed: ftrace refused" },
	[KPROBE_REASON_FUNCTION_ENDS] = { -EINVAL,
		"function-ends: function ends within the jump" },
	[KPROBE_REASON_FUNCTION_UNDECODABLE] = { -EINVAL,
		"function-undecodable: function cannot be decoded" },
	[KPROBE_REASON_FUNCTION_LARGE] = { -EINVAL,
		"function-large: function is too large to be searched for branches" },
	[KPROBE_REASON_NOT_DISPLACED] = { -EINVAL, "not-displaced: instruction cannot be moved" },
	[KPROBE_REASON_JOINED] = { -EINVAL,
		"joined: instruction belongs to the one in front of it" },
	[KPROBE_REASON_CALL] = { -EINVAL, "call: would return into the jump" },
	[KPROBE_REASON_JUMPED_INTO] = { -EINVAL, "jumped-into: branch leads into the jump" },
	[KPROBE_REASON_TABLE_TARGET] = { -EINVAL,
		"table-target: jump label or exception fixup leads into the jump" },
	[KPROBE_REASON_PART] = { -EINVAL,
		"part: code from outside of the function may jump anywhere into it" },
	[KPROBE_REASON_INDIRECT_JUMP] = { -EINVAL,
		"indirect-jump: function has an indirect jump" },
	[KPROBE_REASON_EXTABLE] = { -EINVAL, "extable: instruction may fault" },
	[KPROBE_REASON_SCRATCH] = { -EINVAL, "scratch: no free register for the jump" },
	[KPROBE_REASON_DIRECTION] = { -EINVAL,
		"direction: function changes state that C code relies on" },
	[KPROBE_REASON_HYPERVISOR] = { -EINVAL, "hypervisor: no detours in this kind of guest" },
	[KPROBE_REASON_EVENTS] = { -EINVAL, "fred: no detours while FRED is in use" },
	[KPROBE_REASON_OUT_OF_REACH] = { -ERANGE,
		"out-of-reach: no memory that a jump reaches, as of modules far from the kernel" },
	[KPROBE_REASON_NEIGHBOUR] = { -EBUSY, "neighbour: another probe within the jump" },
	[KPROBE_REASON_QUEUED] = { -EAGAIN, "queued: waiting to be optimized" },
	[KPROBE_REASON_SWITCHED_OFF] = { -EAGAIN,
		"switched-off: debug.kprobes-optimization is 0" },
	[KPROBE_REASON_NOT_ARMED] = { -EAGAIN, "not-armed: no breakpoint is in the text" },
	[KPROBE_REASON_THROUGH_FTRACE] = { -EINVAL, "ftrace: reached through ftrace" },
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

/**
 * kprobe_reason_texts() - an array of which the first text is that of a reason
 * @reason: the reason
 *
 * For tracing_log_err(), which keeps such an array and an index.
 *
 * Context: Any.
 * Return: The array, which stays.
 */
const char **kprobe_reason_texts(enum kprobe_reason reason)
{
	return (const char **)&reasons[reason].text;
}

/* A line for those who look into the log and nowhere else. */
static void log_refusal(const struct kprobe_refusal *r)
{
	const char *text = kprobe_reason_text(r->reason);

	if (r->by_name)
		pr_info_ratelimited("kprobes: %*pE+0x%x: %s%s%s\n", (int)strlen(r->symbol),
				    r->symbol, r->offset, text, *r->candidates ? ": " : "",
				    r->candidates);
	else
		pr_info_ratelimited("kprobes: %pS: %s\n", (void *)r->addr + r->offset, text);
}

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
			   const struct kprobe *p, enum kprobe_reason reason,
			   const char *candidates)
{
	struct kprobe_refusal refusal = {
		.time = local_clock(),
		.pid = task_pid_nr(current),
		.request = request,
		.reason = reason,
	};
	char *symbol = refusal.symbol, last;
	long len = 0;

	get_task_comm(refusal.comm, current);
	strscpy(refusal.candidates, candidates);
	snprintf(refusal.caller, sizeof(refusal.caller), "%pS", (void *)caller);
	if (p) {
		refusal.by_name = p->symbol_name;
		/* The caller's string may have any length, and its pointer may be invalid. */
		if (p->symbol_name)
			len = strncpy_from_kernel_nofault(symbol, p->symbol_name,
							  KPROBE_REFUSAL_NAME);
		if (len < 0)
			strscpy(symbol, "(unreadable)", KPROBE_REFUSAL_NAME);
		else if (len == KPROBE_REFUSAL_NAME &&
			 (get_kernel_nofault(last, p->symbol_name + len - 1) || last))
			strscpy(symbol + len - sizeof("..."), "...", sizeof("..."));
		refusal.addr = (unsigned long)p->addr;
		refusal.offset = p->offset;
	}
	if (p)
		log_refusal(&refusal);
	spin_lock(&ring_lock);
	refusal.number = nr_refusals + 1;
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
