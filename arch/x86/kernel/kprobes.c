// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on x86: breakpoints, slots, and where functions begin.
 *
 * A point's first byte becomes int3. The displaced instruction is emulated
 * where it depends on its own address (kprobes-emulate.c); everything else runs
 * from a slot, with the flags, interrupts and preemption that the probed code
 * has, and jumps back from there. Nothing is single-stepped, so nothing has to
 * be remembered between a hit and its instruction: it may be interrupted,
 * preempted, and hit again.
 *
 * Where it can, the breakpoint becomes a jump later on: kprobes-opt.c.
 *
 * A slot is one of
 *
 *	instruction				instruction
 *	jmp	behind the original		pushf
 *						call	kprobe_post_trampoline
 *						popf
 *						jmp	behind the original
 */
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/kmsan.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/set_memory.h>
#include <linux/uaccess.h>
#include <asm/alternative.h>
#include <asm/ibt.h>
#include <asm/idtentry.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "kprobes-detour.h"
#include "kprobes-insn.h"

#define PUSHF_INSN_OPCODE	0x9c
#define POPF_INSN_OPCODE	0x9d

__visible void kprobe_post_callback(struct pt_regs *regs);

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

unsigned int arch_kprobe_insn_len(unsigned long addr)
{
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;
	size_t avail;

	avail = kprobe_read_insn(addr, bytes, sizeof(bytes));
	if (x86_kprobe_decode(&insn, bytes, avail))
		return 0;
	return insn.length;
}
NOKPROBE_SYMBOL(arch_kprobe_insn_len);

unsigned int arch_kprobe_slot_pushed(const struct kprobe_point *point,
				     unsigned long addr)
{
	unsigned long offset = addr - (unsigned long)point->post_slot;

	return offset < KPROBE_SLOT_SIZE ? x86_kprobe_post_pushed(offset - point->len) : 0;
}
NOKPROBE_SYMBOL(arch_kprobe_slot_pushed);

static void put_byte(struct kprobe_code *code, u8 byte)
{
	kprobe_code_put(code, &byte, sizeof(byte));
}

/* Both kinds of slot begin with the instruction and end with the way back. */
static bool fill_slot(struct kprobe_point *point, void *slot, bool post)
{
	u8 buf[KPROBE_SLOT_SIZE];
	struct kprobe_code code = { .buf = buf, .size = sizeof(buf),
				    .base = (unsigned long)slot };

	BUILD_BUG_ON(MAX_INSN_SIZE + 2 + CALL_INSN_SIZE + JMP32_INSN_SIZE >
		     KPROBE_SLOT_SIZE);

	x86_kprobe_isa.emit(&code, &point->plan, point->insn, point->site);
	if (post) {
		put_byte(&code, PUSHF_INSN_OPCODE);
		x86_kprobe_isa.enter(&code, (unsigned long)kprobe_post_trampoline);
		put_byte(&code, POPF_INSN_OPCODE);
	}
	x86_kprobe_isa.jump(&code, point->site + point->len, 0);
	if (code.far)
		return false;
	kprobe_slot_write(slot, buf, code.len);
	return true;
}

static enum kprobe_reason make_slot(struct kprobe_point *point, void **slot, bool post)
{
	*slot = kprobe_slot_alloc(point);
	if (!*slot)
		return KPROBE_REASON_NO_MEMORY;
	if (!fill_slot(point, *slot, post)) {
		kprobe_slot_free(*slot);
		*slot = NULL;
		return KPROBE_REASON_FAR_OPERAND;
	}
	return KPROBE_REASON_NONE;
}

/* A lock prefix that comes and goes with the second CPU. */
bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	return alternatives_text_reserved((void *)start, (void *)end);
}
NOKPROBE_SYMBOL(arch_kprobe_text_reserved);

static enum kprobe_reason plan_insn(struct kprobe_point *point)
{
	enum kprobe_reason reason;
	bool reserved;
	size_t avail;

	mutex_lock(&text_mutex);
	reserved = arch_kprobe_text_reserved(point->site, point->site + 1);
	avail = kprobe_read_insn(point->site, point->insn, sizeof(point->insn));
	mutex_unlock(&text_mutex);
	if (reserved)
		return KPROBE_REASON_RESERVED;
	reason = x86_kprobe_plan(&point->plan, point->insn, avail, point->site);
	point->len = point->plan.len;
	point->emulated = point->plan.action != KPROBE_RUN;
	return reason;
}

enum kprobe_reason arch_kprobe_prepare(struct kprobe_point *point)
{
	enum kprobe_reason reason = plan_insn(point);

	if (!reason && x86_kprobe_has_slot(&point->plan))
		reason = make_slot(point, &point->slot, false);
	return reason;
}
NOKPROBE_SYMBOL(arch_kprobe_prepare);

enum kprobe_reason arch_kprobe_prepare_post(struct kprobe_point *point)
{
	/* At a function's entry, post-handlers come before the displaced one. */
	if (point->emulated || point->post_slot || kprobe_point_is_behind_entry(point))
		return KPROBE_REASON_NONE;
	return make_slot(point, &point->post_slot, true);
}
NOKPROBE_SYMBOL(arch_kprobe_prepare_post);

static void poke_first_byte(struct kprobe_point *point, const u8 *old,
			    const u8 *new)
{
	void *site = (void *)point->site;

	lockdep_assert_held(&text_mutex);
	text_poke(site, new, INT3_INSN_SIZE);
	perf_event_text_poke(site, old, INT3_INSN_SIZE, new, INT3_INSN_SIZE);
}

static const u8 int3_insn = INT3_INSN_OPCODE;

void arch_kprobe_arm(struct kprobe_point *point)
{
	poke_first_byte(point, point->insn, &int3_insn);
}
NOKPROBE_SYMBOL(arch_kprobe_arm);

void arch_kprobe_disarm(struct kprobe_point *point)
{
	poke_first_byte(point, &int3_insn, point->insn);
}
NOKPROBE_SYMBOL(arch_kprobe_disarm);

void arch_kprobe_sync(void)
{
	text_poke_sync();
}
NOKPROBE_SYMBOL(arch_kprobe_sync);

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

bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	if (x86_kprobe_emulate(&point->plan, regs, point->site))
		return true;
	regs->ip = (unsigned long)point->slot;
	return false;
}
NOKPROBE_SYMBOL(arch_kprobe_emulate);

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
#ifdef CONFIG_OPTPROBES
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

/**
 * kprobe_post_callback() - a displaced instruction has run from its slot
 * @regs: registers after the instruction; the instruction pointer still is in
 *        the slot, at the pushf
 */
__visible void kprobe_post_callback(struct pt_regs *regs)
{
	unsigned long *saved_flags = (unsigned long *)regs->sp - 1;
	struct kprobe_point *point;

	kmsan_unpoison_entry_regs(regs);
	preempt_disable_notrace();
	point = kprobe_slot_running(regs->ip);
	regs->ip = point->site + point->len;
	kprobe_post_hit(point, regs);
	*saved_flags = regs->flags;
	preempt_enable_notrace();
}
NOKPROBE_SYMBOL(kprobe_post_callback);

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
