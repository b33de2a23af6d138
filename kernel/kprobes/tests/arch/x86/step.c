// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Single steps: with the trap flag set, the CPU takes a debug trap after each
 * instruction. Traps clear the flag for their handlers, so neither interrupts
 * nor the handlers of a breakpoint are stepped through.
 */
#include <linux/bottom_half.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/asm.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>

#include "step.h"

static struct kprobes_steps *stepping;

static int step(struct notifier_block *nb, unsigned long event, void *data)
{
	struct kprobes_steps *steps = READ_ONCE(stepping);
	struct die_args *args = data;

	if (event != DIE_DEBUG || !steps || steps->task != current ||
	    !(*(unsigned long *)ERR_PTR(args->err) & DR_STEP))
		return NOTIFY_DONE;
	if (++steps->nr > KPROBES_STEPS_MAX)
		args->regs->flags &= ~X86_EFLAGS_TF;
	else
		steps->each(steps, args->regs);
	return NOTIFY_STOP;
}

static struct notifier_block step_nb = {
	.notifier_call = step,
	.priority = INT_MAX,
};

int kprobes_steps_init(struct kunit *test)
{
	return register_die_notifier(&step_nb);
}

void kprobes_steps_exit(struct kunit *test)
{
	unregister_die_notifier(&step_nb);
}

static __always_inline void set_trap_flag(void)
{
	asm volatile("pushfq; orl %[tf], (%%rsp); popfq"
		     : ASM_CALL_CONSTRAINT : [tf] "i" (X86_EFLAGS_TF) : "memory", "cc");
}

static __always_inline void clear_trap_flag(void)
{
	asm volatile("pushfq; andl %[tf], (%%rsp); popfq"
		     : ASM_CALL_CONSTRAINT : [tf] "i" (~X86_EFLAGS_TF) : "memory", "cc");
}

/* An interrupt neither switches tasks nor executes softirqs, in which others would arrive. */
static void begin(struct kprobes_steps *steps, unsigned long *flags)
{
	steps->task = current;
	steps->nr = 0;
	if (!steps->irqs)
		local_irq_save(*flags);
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	else
		local_bh_disable();
	WRITE_ONCE(stepping, steps);
}

static void end(struct kprobes_steps *steps, unsigned long flags)
{
	WRITE_ONCE(stepping, NULL);
	if (!steps->irqs)
		local_irq_restore(flags);
	else if (IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
	else
		local_bh_enable();
}

/*
 * Single-steps the function. Returns its result. It must not sleep: another task would be
 * stepped.
 */
int kprobes_step(struct kprobes_steps *steps)
{
	unsigned long flags = 0;
	int ret;

	begin(steps, &flags);
	set_trap_flag();
	ret = steps->fn(steps->arg);
	clear_trap_flag();
	end(steps, flags);
	return ret;
}
NOKPROBE_SYMBOL(kprobes_step);
