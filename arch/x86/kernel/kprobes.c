// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on x86: traps, text, and where functions begin.
 *
 * A point's first byte becomes int3. The displaced instruction is emulated
 * where it depends on its own address (kprobes-emulate.c); everything else runs
 * from a slot. Where it can, the breakpoint becomes a jump later on: 64-bit kernels
 * have detours of their own for that, kprobes-opt.c.
 */
#include <linux/cpufeature.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kdebug.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/set_memory.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/alternative.h>
#include <asm/ibt.h>
#include <asm/idtentry.h>
#include <asm/insn.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "kprobes-detour.h"
#include "kprobes-insn.h"

kprobe_opcode_t *arch_kprobe_entry(unsigned long addr, unsigned long offset,
				   bool *on_func_entry)
{
	u32 first;

	/* Behind the landing pad; both its ends mean the function's entry. */
	if (!get_kernel_nofault(first, (u32 *)addr) && is_endbr(first)) {
		*on_func_entry = !offset || offset == ENDBR_INSN_SIZE;
		if (*on_func_entry)
			offset = ENDBR_INSN_SIZE;
	} else {
		*on_func_entry = !offset;
	}
	return (kprobe_opcode_t *)(addr + offset);
}
NOKPROBE_SYMBOL(arch_kprobe_entry);

unsigned int arch_kprobe_insn_len(const u8 *bytes, size_t avail)
{
	struct insn insn;

	return x86_kprobe_decode(&insn, bytes, avail) ? 0 : insn.length;
}
NOKPROBE_SYMBOL(arch_kprobe_insn_len);

/* A lock prefix that comes and goes with the second CPU. */
bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	return alternatives_text_reserved((void *)start, (void *)end);
}
NOKPROBE_SYMBOL(arch_kprobe_text_reserved);

void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i++)
		text_poke((void *)patches[i].addr, patches[i].new, patches[i].len);
	text_poke_sync();
}
NOKPROBE_SYMBOL(arch_kprobe_patch);

void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	text_poke_copy(slot, code, len);
}
NOKPROBE_SYMBOL(arch_kprobe_write_slot);

int arch_kprobe_fill_slots(void *page, size_t size, void *note)
{
	memset(page, INT3_INSN_OPCODE, size);
	*(void **)page = note;
	return set_memory_rox((unsigned long)page, size >> PAGE_SHIFT);
}
NOKPROBE_SYMBOL(arch_kprobe_fill_slots);

#ifdef CONFIG_OPTPROBES
/*
 * A detour masks interrupts by cli, and may end with an iret that restores the
 * flags. In a PV guest of Xen interrupts are masked by a word in memory, which
 * neither changes, and which the iret's hypercall clears.
 */
enum kprobe_reason arch_kprobe_refuses_detours(void)
{
	return boot_cpu_has(X86_FEATURE_XENPV) ? KPROBE_REASON_HYPERVISOR :
						 KPROBE_REASON_NONE;
}
NOKPROBE_SYMBOL(arch_kprobe_refuses_detours);

unsigned long arch_kprobe_way_out(void)
{
#ifdef CONFIG_MITIGATION_RETHUNK
	return (unsigned long)x86_return_thunk;
#else
	return 0;
#endif
}
NOKPROBE_SYMBOL(arch_kprobe_way_out);

/* Of no interest where they cannot get into a region. */
bool arch_kprobe_is_thunk(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !IS_ENABLED(CONFIG_X86_KERNEL_IBT) &&
	       !lookup_symbol_name(addr, name) && strstarts(name, "__x86_indirect_");
}
NOKPROBE_SYMBOL(arch_kprobe_is_thunk);
#endif /* CONFIG_OPTPROBES */

/* A breakpoint trap in the kernel counts as an NMI. */
#define INT3_ENTERED	(NMI_OFFSET + HARDIRQ_OFFSET)

/**
 * kprobe_int3_handler() - a breakpoint was hit
 * @regs: registers of the trap
 *
 * Context: Breakpoint trap: interrupts disabled, counted as an NMI when from
 * the kernel.
 * Return: 1 when the breakpoint was a probe's, else 0.
 */
int kprobe_int3_handler(struct pt_regs *regs)
{
	if (user_mode(regs))
		return 0;
	return kprobe_breakpoint_hit(regs->ip - INT3_INSN_SIZE, regs,
				     INT3_ENTERED);
}
NOKPROBE_SYMBOL(kprobe_int3_handler);

/* Are registers those that were saved at a hit? */
static bool is_from_hit(unsigned long ip)
{
#if defined(CONFIG_OPTPROBES) && defined(ARCH_KPROBE_OWN_DETOURS)
	if (ip - (unsigned long)kprobe_detour_saved < 2 ||
	    (ip >= (unsigned long)kprobe_detour_stale &&
	     ip <= (unsigned long)kprobe_detour_stale_end))
		return true;
#endif
	/* They follow each other. */
	return ip >= (unsigned long)asm_exc_int3 && ip < (unsigned long)asm_exc_page_fault;
}
NOKPROBE_SYMBOL(is_from_hit);

/**
 * kprobe_is_hit() - does an instruction pointer stand after a breakpoint?
 * @ip:   of registers on a stack
 * @from: the instruction of the kernel's entry code, or where a detour stands for
 *        it, that has saved them
 *
 * A breakpoint's registers tell the byte after it, and so do those that handlers
 * see of a detour. After a short instruction, the stack is another.
 *
 * Context: Any. Where RCU is not watching, nothing is known of probes.
 * Return: True while the handlers of a probe one byte before @ip run: unwinding
 * goes on from there.
 */
bool kprobe_is_hit(unsigned long ip, unsigned long from)
{
	return is_from_hit(from) && kprobe_is_site(ip - INT3_INSN_SIZE);
}
NOKPROBE_SYMBOL(kprobe_is_hit);

#ifdef CONFIG_OPTPROBES
/**
 * kprobe_int3_leave() - leave a breakpoint's trap for a detour
 * @regs: registers of a trap from the kernel
 *
 * Before anything else is done about the trap: what a detour calls is called by
 * the probed code, not by the trap. Nothing that KMSAN instruments sees these
 * @regs; a detour saves registers of its own.
 *
 * Context: Breakpoint trap: interrupts disabled.
 * Return: True when that is where @regs now lead; false when
 * kprobe_int3_handler() is to be asked.
 */
noinstr bool kprobe_int3_leave(struct pt_regs *regs)
{
	void *entry = kprobe_breakpoint_detour(regs->ip - INT3_INSN_SIZE);

	if (!entry)
		return false;
	regs->ip = (unsigned long)entry;
	return true;
}
#endif

/* Some traps reach probes only by way of the notifier chain. */
static int kprobe_die_event(struct notifier_block *nb, unsigned long event,
			    void *data)
{
	struct die_args *args = data;

	if (event != DIE_TRAP || !args->regs || user_mode(args->regs))
		return NOTIFY_DONE;
	return kprobe_fault_handler(args->regs, args->trapnr) ? NOTIFY_STOP :
								NOTIFY_DONE;
}
NOKPROBE_SYMBOL(kprobe_die_event);

static struct notifier_block kprobe_die_nb = {
	.notifier_call = kprobe_die_event,
	.priority = INT_MAX,
};

int __init arch_kprobe_init(void)
{
	return register_die_notifier(&kprobe_die_nb);
}
