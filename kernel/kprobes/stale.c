// SPDX-License-Identifier: GPL-2.0-or-later
/* Traps that no breakpoint explains: the CPU has to execute the text that is there now. */
#include <linux/jiffies.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>

#include "stale.h"
#include "table.h"

/* How many there were. */
atomic_t kprobe_stale_breakpoints = ATOMIC_INIT(0);

/**
 * struct stale_trap - the last trap on a CPU that no breakpoint explains
 * @addr:  where
 * @since: when the first of a sequence there was, in jiffies
 * @times: how many there were since
 */
struct stale_trap {
	unsigned long addr;
	unsigned long since;
	unsigned int times;
};

static DEFINE_PER_CPU(struct stale_trap, stale_trap);

/* So many traps at an address in a second are no accident: the instruction traps by itself. */
#define STALE_TIMES	1000

static __kprobes bool is_accident(unsigned long addr)
{
	struct stale_trap *last = this_cpu_ptr(&stale_trap);

	if (last->addr != addr || time_after(jiffies, last->since + HZ))
		*last = (struct stale_trap){ .addr = addr, .since = jiffies };
	return last->times++ < STALE_TIMES;
}

/*
 * A CPU can trap on a breakpoint while another CPU removes the breakpoint from the text and its
 * point from the table: where traps leave interrupts enabled, and on emulators that do not
 * synchronize their translations. The CPU must execute the text that is there now. If a new point
 * was armed after the lookup, the text has a breakpoint again, and the table has the point. Returns
 * 0 if the trap is somebody else's: of a breakpoint, or of an instruction that traps for more
 * reasons than arch_kprobe_has_breakpoint() knows.
 */
__kprobes int kprobe_retry_trap(unsigned long addr, struct pt_regs *regs)
{
	if (arch_kprobe_has_breakpoint(addr)) {
		smp_rmb();	/* pairs with write_sites() and kprobe_point_give_site() */
		if (!kprobe_table_find(addr))
			return 0;
	} else if (!is_accident(addr)) {
		return 0;
	}
	atomic_inc(&kprobe_stale_breakpoints);
	/* The trap of somebody else may be in a delay slot: arch_kprobe_next_ip(). */
	if (instruction_pointer(regs) != addr)
		instruction_pointer_set(regs, addr);
	return 1;
}
