// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on x86: traps, text, and where functions begin.
 *
 * A point's first byte becomes int3. The displaced instruction is emulated where it
 * depends on its own address; everything else runs from a slot. Where it can, the
 * breakpoint becomes a jump later on: for 64-bit kernels see kprobes-opt.c.
 */
#include <linux/array_size.h>
#include <linux/cpufeature.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kdebug.h>
#include <linux/kprobe_arch.h>
#include <linux/memory.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/uaccess.h>
#include <asm/alternative.h>
#include <asm/idtentry.h>
#include <asm/insn.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace.h>
#include <asm/sections.h>
#include <asm/suspend.h>
#include <asm/switch_to.h>
#include <asm/text-patching.h>
#include <asm/vsyscall.h>

#include "kprobes-insn.h"
#include "kprobes-opt.h"

/* A lock prefix that comes and goes with the second CPU. */
bool arch_kprobe_text_reserved(unsigned long start, unsigned long end)
{
	return alternatives_text_reserved((void *)start, (void *)end);
}

/* Text that is patched at once: to map a page for writing takes longer than to copy this. */
#define PATCHED_AT_ONCE	1024

/*
 * Writes the first of some patches, with those that follow in the same page and the text in
 * between, which stays the same. Returns how many.
 */
static unsigned int poke_some(const struct kprobe_patch *patches, unsigned int nr)
{
	static u8 text[PATCHED_AT_ONCE];	/* text_mutex */
	unsigned long start = patches->addr;
	size_t room = min(sizeof(text), PAGE_SIZE - offset_in_page(start));
	size_t size = patches->len;
	unsigned int i;

	memcpy(text, patches->new, size);
	for (i = 1; i < nr; i++) {
		unsigned long from = patches[i].addr - start, to = from + patches[i].len;

		if (from < size || from >= room || to > room)
			break;
		memcpy(text + size, (void *)start + size, from - size);
		memcpy(text + from, patches[i].new, patches[i].len);
		size = to;
	}
	text_poke((void *)start, text, size);
	return i;
}

void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i += poke_some(patches + i, nr - i))
		;
	text_poke_sync();
}

void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	guard(mutex)(&text_mutex);
	/* It may be in the kernel's text. */
	text_poke_copy_locked(slot, code, len, true);
}

/*
 * A new task comes to ret_from_fork_asm with its registers on top of the stack. The return
 * address of __switch_to_asm is where unwinding of a task that does not run begins.
 */
bool arch_kprobe_is_called(unsigned long addr)
{
	return addr != (unsigned long)ret_from_fork_asm && addr != (unsigned long)__switch_to_asm;
}

/*
 * A detour masks interrupts by cli, and may end with an iret that restores the flags. In a PV guest
 * of Xen a word in memory masks them. An iret also unblocks NMIs, which with FRED it must not.
 */
enum kprobe_reason arch_kprobe_refuses_detours(void)
{
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return KPROBE_REASON_HYPERVISOR;
	if (IS_ENABLED(CONFIG_X86_FRED) && boot_cpu_has(X86_FEATURE_FRED))
		return KPROBE_REASON_EVENTS;
	return KPROBE_REASON_NONE;
}

#ifdef CONFIG_PREFIX_SYMBOLS
/* Calls execute them where each call is counted. */
const u8 *arch_kprobe_unused_prefix(void)
{
	static const u8 nops[KPROBE_JUMP_SIZE] = { [0 ... KPROBE_JUMP_SIZE - 1] = BYTES_NOP1 };

	return cpu_feature_enabled(X86_FEATURE_CALL_DEPTH) ? NULL : nops;
}
#endif

unsigned long arch_kprobe_way_out(void)
{
#ifdef CONFIG_MITIGATION_RETHUNK
	return (unsigned long)x86_return_thunk;
#else
	return 0;
#endif
}

/* Of no interest where they cannot get into a region. */
bool arch_kprobe_is_thunk(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !IS_ENABLED(CONFIG_X86_KERNEL_IBT) &&
	       !lookup_symbol_name(addr, name) && strstarts(name, "__x86_indirect_");
}

#define AT(name)	offsetof(struct pt_regs, name)

static const u8 reg_offset[] = {	/* as ModRM, SIB and REX number them */
	[0] = AT(ax), [1] = AT(cx), [2] = AT(dx), [3] = AT(bx),
	[4] = AT(sp), [5] = AT(bp), [6] = AT(si), [7] = AT(di),
#ifdef CONFIG_X86_64
	[8] = AT(r8), [9] = AT(r9), [10] = AT(r10), [11] = AT(r11),
	[12] = AT(r12), [13] = AT(r13), [14] = AT(r14), [15] = AT(r15),
#endif
};

static nokprobe_inline unsigned long reg_value(const struct pt_regs *regs, u8 reg)
{
	if (reg == X86_KPROBE_NO_REG)
		return 0;
	return *(unsigned long *)((void *)regs + reg_offset[reg]);
}

/*
 * May an exception table handle a fault at this address? The kernel does not let it for
 * user addresses, and warns of addresses that are not canonical.
 */
static nokprobe_inline bool is_kernel_address(unsigned long addr)
{
	if (!IS_ENABLED(CONFIG_X86_64))
		return addr >= TASK_SIZE_MAX;
	return addr >= TASK_SIZE_MAX + PAGE_SIZE && !is_vsyscall_vaddr(addr) &&
	       __is_canonical_address(addr, boot_cpu_data.x86_virt_bits);
}

/* Like copy_from_kernel_nofault(), which a hit must not call because it can be probed. */
static nokprobe_inline bool read_target(unsigned long addr, unsigned long *target)
{
	if (!is_kernel_address(addr))
		return false;
	__get_kernel_nofault(target, addr, unsigned long, fault);
	return true;
fault:
	return false;
}

static nokprobe_inline bool find_target(const struct kprobe_insn *insn,
					const struct pt_regs *regs,
					unsigned long next, unsigned long *target)
{
	const struct arch_kprobe_insn *op = &insn->arch;
	unsigned long addr;

	addr = op->base == X86_KPROBE_NEXT_INSN ? next : reg_value(regs, op->base);
	if (!insn->may_fault) {
		*target = addr;
		return true;
	}
	addr += (reg_value(regs, op->index) << op->shift) + op->disp;
	if (op->percpu)
		addr = (unsigned long)raw_cpu_ptr((void __percpu *)addr);
	return read_target(addr, target);
}

enum { COND_LOOPNE, COND_LOOPE, COND_LOOP, COND_JCXZ };

static nokprobe_inline bool loop_goes_on(const struct kprobe_insn *insn, struct pt_regs *regs)
{
	unsigned long mask = ~0UL >> (BITS_PER_LONG - 8 * insn->arch.width);
	unsigned long count = (regs->cx - 1) & mask;
	bool zf = regs->flags & X86_EFLAGS_ZF;

	if (insn->arch.cond == COND_JCXZ)
		return !(regs->cx & mask);
	/* As on the CPU, writing 32 bits of a 64-bit register clears the others. */
	regs->cx = insn->arch.width == sizeof(u16) ? (regs->cx & ~mask) | count : count;
	if (!count)
		return false;
	return insn->arch.cond == COND_LOOP || zf == (insn->arch.cond == COND_LOOPE);
}

/*
 * The registers are those of a trap in the kernel, which leaves a gap for a push on the stack.
 * They stay as they are if the memory that holds an indirect branch's target cannot be read.
 */
__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long next = point->site + point->len, target = next;

	switch (insn->flow) {
	case KPROBE_FLOW_COND:
		if (!insn->arch.loop)
			int3_emulate_jcc(regs, insn->arch.cond, next, insn->target - next);
		else
			int3_emulate_jmp(regs, loop_goes_on(insn, regs) ? insn->target : next);
		return true;
	case KPROBE_FLOW_RETURN:
		int3_emulate_ret(regs);
		regs->sp += insn->arch.disp;
		return true;
	case KPROBE_FLOW_CALL:
		int3_emulate_push(regs, next);
		fallthrough;
	case KPROBE_FLOW_JUMP:
		target = insn->target;
		break;
	case KPROBE_FLOW_JUMP_INDIRECT:
	case KPROBE_FLOW_CALL_INDIRECT:
		/* Before the push: the operand may be relative to the stack pointer. */
		if (!find_target(insn, regs, next, &target))
			return false;
		if (insn->flow == KPROBE_FLOW_CALL_INDIRECT)
			int3_emulate_push(regs, next);
		break;
	}
	int3_emulate_jmp(regs, target);
	return true;
}

/* A breakpoint trap in the kernel counts as an NMI. */
#define INT3_ENTERED	(NMI_OFFSET + HARDIRQ_OFFSET)

/* A breakpoint was hit. Returns whether it was a probe's. */
__kprobes int kprobe_int3_handler(struct pt_regs *regs)
{
	return !user_mode(regs) &&
	       kprobe_breakpoint_hit(regs->ip - INT3_INSN_SIZE, regs, INT3_ENTERED);
}

/* Are registers those that were saved at a hit? */
static __kprobes bool is_from_hit(unsigned long ip)
{
#ifdef ARCH_KPROBE_OWN_DETOURS
	if (ip - (unsigned long)kprobe_detour_saved < 2 ||
	    (ip >= (unsigned long)kprobe_detour_stale &&
	     ip <= (unsigned long)kprobe_detour_stale_end))
		return true;
#endif
	/* They follow each other. */
	return ip >= (unsigned long)asm_exc_int3 && ip < (unsigned long)asm_exc_page_fault;
}

/*
 * For unwinders: is @ip, of registers on a stack, the byte after a probe's breakpoint? Unwinding
 * goes on from the breakpoint, as the stack may differ after a short instruction. @from is the
 * instruction that has saved the registers, or what stands for a detour's.
 */
__kprobes bool kprobe_is_hit(unsigned long ip, unsigned long from)
{
	return is_from_hit(from) && kprobe_is_site(ip - INT3_INSN_SIZE);
}

/*
 * Leaves a breakpoint's trap for a detour, before anything else is done about the trap: what a
 * detour calls is called by the probed code. If this returns false, kprobe_int3_handler() is next.
 */
noinstr bool kprobe_int3_leave(struct pt_regs *regs)
{
	void *entry = kprobe_breakpoint_detour(regs->ip - INT3_INSN_SIZE);

	if (!entry)
		return false;
	regs->ip = (unsigned long)entry;
	return true;
}

/* Some traps reach probes only by way of the notifier chain. */
static __kprobes int kprobe_die_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct die_args *args = data;

	return event == DIE_TRAP && args->regs && !user_mode(args->regs) &&
	       kprobe_fault_handler(args->regs, args->trapnr) ? NOTIFY_STOP : NOTIFY_DONE;
}

static struct notifier_block kprobe_die_nb = {
	.notifier_call = kprobe_die_event,
	.priority = INT_MAX,
};

int __init arch_kprobe_init(void)
{
	return register_die_notifier(&kprobe_die_nb);
}

/*
 * What must not be probed, and does not say so itself: text that is executed from a copy,
 * text that is executed where a breakpoint's trap cannot be taken, and what the way of a
 * hit leads through. Symbols that a configuration does not have are passed over.
 */

/* Runs on two stacks, one after the other: neither is the one of "current". */
NOKPROBE_SYMBOL(__switch_to);

/*
 * Executed from copies: a breakpoint or jump would be copied as well, to where no
 * probe is known. Text from one symbol to the end of another.
 */
static const char * const copied[][2] __initconst = {
#ifdef CONFIG_X86_64
	/* ftrace makes its trampolines of them. */
	{ "ftrace_caller", "ftrace_caller_end" },
	{ "ftrace_regs_caller", "ftrace_regs_caller_end" },
#else
	/* Not copied, but ftrace patches the calls in it. */
	{ "ftrace_caller", "ftrace_regs_call" },
#endif
	/* Resume from hibernation overwrites the kernel that executes it. */
	{ "swsusp_arch_suspend", "core_restore_code" },
	/* kexec goes on in its control page. */
	{ "relocate_kernel", "swap_pages" },
	/* The kernel is encrypted in place. */
	{ "sme_encrypt_execute", "__enc_copy" },
};

/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
static const char * const dying[] __initconst = {
	"native_play_dead", "play_dead_common", "hlt_play_dead", "mwait_play_dead",
	"acpi_mp_play_dead", "resume_play_dead", "sev_es_play_dead", "xen_pv_play_dead",
};

/*
 * Executed without the kernel's IDT, page tables or segments: a CPU that comes up or
 * leaves, and calls of firmware.
 */
static const char * const without_idt[] __initconst = {
	"startup_32", "startup_64", "pvh_start_xen",
	/* A CPU comes up, until it has its IDT. */
	"startup_32_smp", "secondary_startup_64", "secondary_startup_64_no_verify",
	"common_startup_64",
	"verify_cpu", "sev_verify_cbit", "vc_boot_ghcb", "soft_restart_cpu",
	"early_setup_idt", "startup_64_load_idt", "setup_ghcb", "snp_register_per_cpu_ghcb",
	"snp_register_ghcb_early",
	"start_secondary", "cr4_init", "cr4_update_irqsoff", "write_cr4_without_idt",
	"cpu_init_exception_handling", "cpu_init_fred_exceptions", "cpu_init_fred_rsps",
	"load_current_idt",
	/* Inline functions that compilers leave out of line there, as their callers are many. */
	"cr4_set_bits", "cr4_set_bits_irqsoff", "setup_getcpu", "tss_setup_ist",
	"tss_setup_io_bitmap", "__set_tss_desc", "load_TR_desc", "trace_write_msr",
#ifdef CONFIG_KCSAN
	/* What it checks it delays. */
	"__udelay", "__const_udelay", "__delay", "delay_loop", "delay_tsc", "delay_halt",
	"delay_halt_tpause", "delay_halt_mwaitx",
#endif
#ifdef CONFIG_X86_32
	/* It comes up with other page tables, and flushes. */
	"__flush_tlb_all", "native_flush_tlb_global", "flush_tlb_local",
	"native_flush_tlb_local", "native_write_cr4",
#ifdef CONFIG_DEBUG_VIRTUAL
	"__phys_addr", "slow_virt_to_phys", "lookup_address", "lookup_address_in_pgd",
	"lookup_address_in_pgd_attr",
#endif
#endif
	/* Out of line in kernels that can be guests of Xen. */
	"native_write_msr", "do_trace_write_msr", "native_write_gdt_entry", "native_load_tr_desc",
	"native_load_idt", "native_write_cr3",
	"early_cpu_to_node",
	/* It resumes. */
	"wakeup_long64", "wakeup_pmode_return", "do_suspend_lowlevel", "restore_processor_state",
	"__restore_processor_state", "write_cr0_without_idt", "wakeup_start",
	"do_olpc_suspend_lowlevel", "ret_point", "restore_registers",
	"kasan_unpoison_task_stack_below", "kasan_unpoison", "kasan_poison",
	/* It leaves. */
	"machine_kexec", "asm_acpi_mp_play_dead",
	/* It executes this from another address. */
	"__efi64_thunk",
	/* It calls firmware with other segments. */
	"__apm_bios_call", "__apm_bios_call_simple", "pnp_bios_callfunc",
};

static const char * const others[] __initconst = {
	/* A breakpoint's trap calls them before it asks whether there is a probe. */
	"kgdb_ll_trap", "__kgdb_notify",
	/* Idle, with RCU not watching: no grace period waits for a task in a jump's place. */
	"apm_cpu_idle", "apm_do_idle",
	/* Entries from Xen and the way back, in plain text: RCU is not watching there. */
	"xen_entry_SYSCALL_64", "xen_entry_SYSCALL_compat", "xen_entry_SYSENTER_compat",
	"xenpv_restore_regs_and_return_to_usermode",
};

#ifdef CONFIG_HIBERNATION
/*
 * Others have symbols of these names, and there are labels in between. In 32 bit it is the
 * last function of the file, in 64 bit the first. Resume returns to create_image(), which a
 * compiler may make a part of its caller.
 */
static int __init blacklist_hibernation(void)
{
	/* The blacklist reads them until it has seen all symbols. */
	static const char * const create[] __initconst = { "create_image" };
	static const char * const snapshot[] __initconst = { "hibernation_snapshot" };
	unsigned long suspend = (unsigned long)swsusp_arch_suspend;
	unsigned long restore = (unsigned long)restore_registers;

	return kprobe_blacklist_add_text(min(suspend, restore), max(suspend, restore)) ?:
	       kprobe_blacklist_add_functions(kallsyms_lookup_name("create_image") ? create :
					      snapshot, 1);
}
#else
static int __init blacklist_hibernation(void)
{
	return 0;
}
#endif

/*
 * The linker puts nothing into the last part of the text but what hits go through:
 * the thunks of indirect branches and returns, static calls, and the entry code.
 */
int __init arch_kprobe_blacklist(void)
{
	return kprobe_blacklist_add_text((unsigned long)__softirqentry_text_end,
					 (unsigned long)_etext) ?:
	       kprobe_blacklist_add_symbols(copied, ARRAY_SIZE(copied)) ?:
	       blacklist_hibernation() ?:
	       kprobe_blacklist_add_functions(dying, ARRAY_SIZE(dying)) ?:
	       kprobe_blacklist_add_functions(without_idt, ARRAY_SIZE(without_idt)) ?:
	       kprobe_blacklist_add_functions(others, ARRAY_SIZE(others));
}
