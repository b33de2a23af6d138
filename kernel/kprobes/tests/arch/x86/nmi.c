// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An NMI that calls a function, for nesting_kunit.c.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "kprobes_test.h"

static atomic_t nmi_cpu = ATOMIC_INIT(-1);
static void (*called)(void);

static int call_in_nmi(unsigned int type, struct pt_regs *regs)
{
	if (atomic_cmpxchg(&nmi_cpu, raw_smp_processor_id(), -1) != raw_smp_processor_id())
		return NMI_DONE;
	called();
	return NMI_HANDLED;
}

/* Sends one to this CPU. */
void kprobes_raise_nmi(void)
{
	atomic_set(&nmi_cpu, raw_smp_processor_id());
	__apic_send_IPI_mask(cpumask_of(raw_smp_processor_id()), NMI_VECTOR);
}

int kprobes_register_nmi(void (*fn)(void))
{
	called = fn;
	return register_nmi_handler(NMI_LOCAL, call_in_nmi, NMI_FLAG_FIRST, "kprobes_kunit");
}

void kprobes_unregister_nmi(void)
{
	unregister_nmi_handler(NMI_LOCAL, "kprobes_kunit");
}
