// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on LoongArch: traps, text, and where functions begin.
 *
 * A point's instruction becomes break 10. The displaced instruction is emulated where it depends
 * on its own address; everything else runs from a slot. Where it can, the breakpoint becomes a
 * branch to a stub later on. Slots are in the kernel's text, which branches from modules do not
 * reach, and in memory of modules.
 *
 * Instructions that are stored become visible to the instruction fetch of a CPU when it executes
 * ibar, each CPU for itself: the base's flush_icache_range() does so for the calling CPU alone.
 */
#include <linux/cacheflush.h>
#include <linux/entry-common.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/inst.h>
#include <asm/loongarch.h>
#include <asm/switch_to.h>

/* What a stub saves before it calls common code is part of what that saves. */
static_assert(sizeof(struct pt_regs) == KPROBE_STUB_FRAME);
static_assert(offsetof(struct pt_regs, regs[1]) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/*
 * Where text can be written: the page's address in the direct map, which is writable. That of
 * slots is read-only where it is executed, as that of modules may be.
 */
static void *writable(unsigned long addr)
{
	if (!is_vmalloc_or_module_addr((void *)addr))
		return (void *)addr;
	return page_address(vmalloc_to_page((void *)addr)) + offset_in_page(addr);
}

/* Pages that follow each other there need not do so in the direct map. */
void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	size_t part;

	for (; len; slot += part, code += part, len -= part) {
		part = min(len, PAGE_SIZE - offset_in_page(slot));
		memcpy(writable((unsigned long)slot), code, part);
	}
}

static void fetch_anew(void *unused)
{
	local_flush_icache_range(0, 0);
}

/* The interrupt comes after the stores, and waits for breakpoint traps, which have them masked. */
void kprobe_fetch_anew(void)
{
	on_each_cpu(fetch_anew, NULL, 1);
}

/*
 * A word is written by one store, so a CPU fetches the old one or the new one. An emulator with a
 * thread for each CPU drops what it has translated before the store: what another CPU translates in
 * between would stay, with the old word, until the next store.
 */
void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	unsigned int i;
	u32 *word;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i++) {
		word = writable(patches[i].addr);
		WRITE_ONCE(*word, *(const u32 *)patches[i].new);
		WRITE_ONCE(*word, *(const u32 *)patches[i].new);
	}
	kprobe_fetch_anew();
}

static __always_inline bool compare(u32 opcode, long a, long b)
{
	switch (opcode) {
	case beqz_op:
	case beq_op:
		return a == b;
	case bnez_op:
	case bne_op:
		return a != b;
	case blt_op:
		return a < b;
	case bge_op:
		return a >= b;
	case bltu_op:
		return (unsigned long)a < (unsigned long)b;
	default:
		return (unsigned long)a >= (unsigned long)b;
	}
}

/* The second register of beqz and bnez would be part of the offset. */
static __kprobes bool condition_holds(u32 word, const struct pt_regs *regs)
{
	u32 opcode = word >> 26;
	u32 rd = opcode <= bnez_op ? 0 : word & 0x1f;

	return compare(opcode, regs->regs[word >> 5 & 0x1f], regs->regs[rd]);
}

#define READ_FLAG(nr, value)						\
	case nr:							\
		asm volatile("movcf2gr	%0, $fcc" #nr : "=r" (value));	\
		break

/* Handlers of the hit have left the flags as they were: the kernel computes with integers. */
static __kprobes unsigned long read_flag(u32 nr)
{
	unsigned long value = 0;

	switch (nr) {
	READ_FLAG(0, value);
	READ_FLAG(1, value);
	READ_FLAG(2, value);
	READ_FLAG(3, value);
	READ_FLAG(4, value);
	READ_FLAG(5, value);
	READ_FLAG(6, value);
	READ_FLAG(7, value);
	}
	return value;
}

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long next = point->site + LOONGARCH_INSN_SIZE, to = next, rd_value = next;
	u32 word = point->insn[0];
	u32 rj = word >> 5 & 0x1f, rd = 0;

	switch (insn->flow) {
	case KPROBE_FLOW_NEXT:
		rd = word & 0x1f;
		rd_value = insn->arch.value;
		break;
	case KPROBE_FLOW_CALL:
		rd = LOONGARCH_GPR_RA;
		fallthrough;
	case KPROBE_FLOW_JUMP:
		to = insn->target;
		break;
	case KPROBE_FLOW_COND:
		if (!insn->may_fault) {
			if (condition_holds(word, regs))
				to = insn->target;
			break;
		}
		/* bceqz or bcnez, of a flag that is not in @regs. */
		if (!(csr_read32(LOONGARCH_CSR_EUEN) & CSR_EUEN_FPEN))
			return false;
		if (read_flag(rj & 7) == rj >> 3)
			to = insn->target;
		break;
	default:
		/* jiscr0 and jiscr1: their copies, which do not depend on their address, run. */
		if (insn->may_fault)
			return false;
		rd = word & 0x1f;
		to = regs->regs[rj] + insn->arch.value;
	}
	instruction_pointer_set(regs, to);
	if (rd)
		regs->regs[rd] = rd_value;
	return true;
}

/* A breakpoint trap that does not lead to a detour counts as an NMI: it may come anywhere. */
#define BREAK_ENTERED	(NMI_OFFSET + HARDIRQ_OFFSET)

/*
 * Called before anything else is done about a breakpoint's trap in the kernel, with interrupts
 * disabled: what a detour calls is called by the probed code. Returns false if the breakpoint is
 * somebody else's.
 */
noinstr bool kprobe_break_handler(struct pt_regs *regs)
{
	void *detour = kprobe_breakpoint_detour(regs->csr_era);
	irqentry_state_t state;
	bool ours;

	if (detour) {
		regs->csr_era = (unsigned long)detour;
		return true;
	}
	state = irqentry_nmi_enter(regs);
	instrumentation_begin();
	ours = kprobe_breakpoint_hit(regs->csr_era, regs, BREAK_ENTERED);
	instrumentation_end();
	irqentry_nmi_exit(regs, state);
	return ours;
}

/* Runs on two stacks, one after the other: neither is the one of "current". */
NOKPROBE_SYMBOL(__switch_to);

/*
 * Executed from copies, without the kernel's exception vectors, by each exception before it can be
 * told what has happened, or while what a breakpoint overwrites is needed. Symbols that a
 * configuration does not have are passed over.
 */
static const char * const no_go[] __initconst = {
	/* Exceptions: those that are copied to the vectors, and what these call on their way. */
	"handle_ade", "handle_ale", "handle_bce", "handle_bp", "handle_fpe", "handle_fpu",
	"handle_lsx", "handle_lasx", "handle_lbt", "handle_ri", "handle_watch", "handle_reserved",
	"handle_sys", "handle_vint", "except_vec_cex", "cache_parity_error",
	"handle_tlb_protect", "handle_tlb_load", "handle_tlb_load_ptw", "handle_tlb_store",
	"handle_tlb_store_ptw", "handle_tlb_modify", "handle_tlb_modify_ptw", "handle_tlb_refill",
	"tlb_do_page_fault_0", "tlb_do_page_fault_1",
	/* They end with the registers of user space, where a trap knows neither CPU nor task. */
	"ret_from_fork", "ret_from_kernel_thread",
	/* An exception of the TLB, in a handler, overwrites the registers that they use. */
	"__update_tlb", "__update_hugetlb",
	/* handle_vint() knows its instructions by their addresses. */
	"__arch_cpu_idle",
	/* kexec, suspend and hibernation: the kernel is overwritten, or there are no vectors. */
	"relocate_new_kernel", "kexec_smp_wait",
	"swsusp_asm_suspend", "swsusp_asm_resume", "swsusp_arch_suspend", "swsusp_arch_resume",
	"loongarch_suspend_enter", "loongarch_wakeup_start", "loongarch_common_suspend",
	"loongarch_common_resume", "loongarch_acpi_suspend", "local_flush_tlb_all",
	/* A CPU comes up, until per_cpu_trap_init() has set the vectors. */
	"kernel_entry", "smpboot_entry", "start_secondary", "sync_counter", "cpu_probe",
	"per_cpu_trap_init", "tlb_init", "setup_ptwalker", "setup_tlb_handler",
	/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
	"idle_play_dead", "poll_play_dead", "local_flush_tlb_user",
	/*
	 * ftrace patches its own calls of tracers without a record of the place. The labels are
	 * symbols of their own.
	 */
	"ftrace_common", "ftrace_call", "ftrace_graph_call", "ftrace_common_return",
	"ftrace_caller", "ftrace_regs_caller",
};

int __init arch_kprobe_blacklist(void)
{
	return kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
