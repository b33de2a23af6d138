// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interrupts and NMIs that arrive right before a given instruction: the instruction pointer
 * that they save is its address.
 *
 * They are sent from a debug trap, whose iret goes on at that instruction. An interrupt is
 * held back until then, as the trap has interrupts off.
 *
 * An NMI would interrupt the trap's handler, unless NMIs are blocked. A first NMI blocks them.
 * It interrupts a loop that the trap returns to, sends the second NMI, and loads the
 * registers of the code that the trap has interrupted. Its iret goes on there, and lets the
 * second NMI in. The loop is forgotten, and with it the stack below the code's stack pointer.
 */
#include <linux/kprobes.h>
#include <linux/nmi.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/processor-flags.h>
#include <asm/unwind.h>

#include "arrive.h"

/* Room for what the trapped code has pushed last: nothing looks below its stack pointer. */
#define BELOW	256

static struct kprobes_arrival *nmi_arrival;

static void send_nmi(void)
{
	__apic_send_IPI(raw_smp_processor_id(), NMI_VECTOR);
}

/* Returns whether another one is due. */
static bool arrived(struct kprobes_arrival *a, struct pt_regs *regs)
{
	if (a->next >= a->nr || regs->ip != a->ips[a->next]) {
		a->strayed++;
		return false;
	}
	a->look(a, regs);
	if (++a->next == a->nr)
		return false;
	regs->ip = a->ips[a->next];
	return true;
}

/* The registers that the interrupt has saved: the first ones on the stack. */
static struct pt_regs *interrupted_regs(void)
{
	struct unwind_state state;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state))
		if (unwind_get_entry_regs(&state, NULL))
			return unwind_get_entry_regs(&state, NULL);
	return NULL;
}

static void irq_arrives(struct irq_work *work)
{
	struct kprobes_arrival *a = container_of(work, struct kprobes_arrival, work);
	struct pt_regs *regs = interrupted_regs();

	if (regs && arrived(a, regs))
		irq_work_queue(&a->work);
}

void kprobes_arrival_init(struct kprobes_arrival *a,
			  void (*look)(struct kprobes_arrival *a, struct pt_regs *regs))
{
	*a = (struct kprobes_arrival){
		.look = look,
		.work = IRQ_WORK_INIT_HARD(irq_arrives),
	};
}

/* Called from the debug trap of those registers, which have interrupts on. */
void kprobes_arrive_in_irq(struct kprobes_arrival *a, struct pt_regs *regs)
{
	a->next = 0;
	regs->ip = a->ips[0];
	irq_work_queue(&a->work);
}

/* Whatever it calls must hold nothing: an NMI ends it at any instruction. */
static void __noreturn __no_sanitize_address launch(void)
{
	WRITE_ONCE(nmi_arrival->launched, true);
	send_nmi();
	for (;;)
		cpu_relax();
}
NOKPROBE_SYMBOL(launch);

/* Called from the debug trap of those registers. Not for code that an NMI executes. */
void kprobes_arrive_in_nmi(struct kprobes_arrival *a, struct pt_regs *regs)
{
	a->next = 0;
	a->task = current;
	a->launched = false;
	a->loaded = false;
	regs->ip = a->ips[0];
	a->regs = *regs;
	WRITE_ONCE(nmi_arrival, a);
	regs->ip = (unsigned long)launch;
	/* As after a call. */
	regs->sp = ALIGN_DOWN(regs->sp - BELOW, 16) - sizeof(long);
	regs->flags &= ~X86_EFLAGS_TF;
}

/*
 * Has the NMI return to changed registers. asm_exc_nmi returns by a second copy of what the
 * CPU has saved, which is after the registers on the stack.
 */
static void return_to(struct pt_regs *regs)
{
	unsigned long *iret = (unsigned long *)(regs + 1);

	iret[0] = regs->ip;
	iret[1] = regs->cs;
	iret[2] = regs->flags;
	iret[3] = regs->sp;
	iret[4] = regs->ss;
}

static int nmi_arrives(unsigned int type, struct pt_regs *regs)
{
	struct kprobes_arrival *a = READ_ONCE(nmi_arrival);

	if (!a || a->task != current || !READ_ONCE(a->launched))
		return NMI_DONE;
	if (a->loaded && !arrived(a, regs)) {
		WRITE_ONCE(nmi_arrival, NULL);
		return NMI_HANDLED;
	}
	if (!a->loaded)
		*regs = a->regs;
	a->loaded = true;
	return_to(regs);
	send_nmi();
	return NMI_HANDLED;
}

int kprobes_arrive_start(void)
{
	return register_nmi_handler(NMI_LOCAL, nmi_arrives, 0, "kprobes_arrive");
}

void kprobes_arrive_stop(void)
{
	unregister_nmi_handler(NMI_LOCAL, "kprobes_arrive");
}
