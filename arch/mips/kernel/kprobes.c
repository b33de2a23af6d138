// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on MIPS: traps, text, and where functions begin.
 *
 * A point's instruction becomes break 515. The displaced instruction runs from a slot, a branch
 * together with the one in its delay slot. Where it can, the breakpoint becomes a jump to a stub
 * later on. An exception in the jump's delay slot returns to the jump, so nobody is ever within it.
 * Slots are in the kernel's text, which jumps from modules do not reach, and in memory of modules.
 *
 * The trap of a breakpoint masks interrupts, but does not count as one. It restores the stack
 * pointer that handlers leave.
 */
#include <linux/cacheflush.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/overflow.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <asm/hazards.h>
#include <asm/mipsregs.h>

/* What a stub saves before it calls common code is part of what that saves. */
static_assert(sizeof(struct pt_regs) == KPROBE_STUB_FRAME);
static_assert(offsetof(struct pt_regs, regs[31]) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/* Slots were written that not every CPU has to fetch yet; kprobe_mutex. */
static bool slots_are_written;

/* Neither the kernel's text nor that of modules is ever read-only. Other CPUs fetch from memory. */
void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	unsigned long from = (unsigned long)slot;

	guard(preempt)();
	memcpy(slot, code, len);
	local_flush_icache_range(from, from + len);
	slots_are_written = true;
}

/*
 * A range from one slot to another may have pages in it that are not mapped, on which operations by
 * address fault. Of a range that is longer than the caches a CPU flushes all that it has.
 */
static void fetch_slots_anew(void *unused)
{
	local_flush_icache_range(0, ~0UL);
	instruction_hazard();
}

/* flush_icache_range() does not wait for Octeon's other cores. */
void kprobe_sync_slots(void)
{
	if (slots_are_written)
		on_each_cpu(fetch_slots_anew, NULL, 1);
	slots_are_written = false;
}

/**
 * struct patched - text that was written
 * @patches: where
 * @nr:      how many
 */
struct patched {
	const struct kprobe_patch *patches;
	unsigned int nr;
};

static void fetch_anew(void *info)
{
	const struct patched *patched = info;
	const struct kprobe_patch *patch;

	for (patch = patched->patches; patch < patched->patches + patched->nr; patch++)
		local_flush_icache_range(patch->addr, patch->addr + patch->len);
	/* The CPU that has written comes here without an exception that it returns from. */
	instruction_hazard();
}

static void write_words(const struct kprobe_patch *patch)
{
	size_t at;

	for (at = 0; at < patch->len; at += sizeof(u32))
		WRITE_ONCE(*(u32 *)(patch->addr + at),
			   get_unaligned((const u32 *)(patch->new + at)));
}

/*
 * A word is written by one store, so a CPU fetches the old one or the new one. The interrupt comes
 * after the stores, and waits for breakpoint traps, which have them masked. Caches of instructions
 * are virtual: each CPU flushes its own.
 */
void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	struct patched patched = { .patches = patches, .nr = nr };
	unsigned int i;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i++)
		write_words(&patches[i]);
	on_each_cpu(fetch_anew, &patched, 1);
}

#ifdef CONFIG_CPU_MIPSR6
/* Of words; in 64 bit, other operands count as an overflow, too. */
static __always_inline bool sum_overflows(long a, long b)
{
	s32 sum;

	return a != (s32)a || b != (s32)b || check_add_overflow((s32)a, (s32)b, &sum);
}

/*
 * Is a compact branch with a condition taken? MIPS Architecture For Programmers, volume II, release
 * 6: which one it is depends on which register has the greater number.
 */
static __kprobes bool is_taken(u32 word, const struct pt_regs *regs)
{
	unsigned int rs = word >> 21 & 31, rt = word >> 16 & 31;
	long s = rs ? regs->regs[rs] : 0, t = rt ? regs->regs[rt] : 0;

	switch (word >> 26) {
	case blez_op:		/* blezalc, bgezalc, bgeuc */
		return !rs ? t <= 0 : rs == rt ? t >= 0 : (unsigned long)s >= (unsigned long)t;
	case bgtz_op:		/* bgtzalc, bltzalc, bltuc */
		return !rs ? t > 0 : rs == rt ? t < 0 : (unsigned long)s < (unsigned long)t;
	case blezl_op:		/* blezc, bgezc, bgec */
		return !rs ? t <= 0 : rs == rt ? t >= 0 : s >= t;
	case bgtzl_op:		/* bgtzc, bltzc, bltc */
		return !rs ? t > 0 : rs == rt ? t < 0 : s < t;
	case pop10_op:		/* bovc, beqzalc, beqc */
		return rs >= rt ? sum_overflows(s, t) : s == t;
	case pop30_op:		/* bnvc, bnezalc, bnec */
		return rs >= rt ? !sum_overflows(s, t) : s != t;
	case pop66_op:		/* beqzc */
		return !s;
	case pop76_op:		/* bnezc */
		return s;
	default:		/* bc, balc */
		return true;
	}
}

/* A branch without a delay slot, or what takes the address of data or loads it. */
static __kprobes bool emulate_compact(struct kprobe_point *point, struct pt_regs *regs)
{
	unsigned long next = point->site + KPROBE_INSN_ALIGN, to = next, value = next;
	const struct kprobe_insn *insn = point->emulated;
	const void *data = (void *)insn->data;
	unsigned int reg = insn->arch.link;
	u32 word = point->insn[0];
	s32 loaded;

	if (insn->flow == KPROBE_FLOW_NEXT) {
		reg = word >> 21 & 31;
		value = insn->data;
	} else if (!kprobe_insn_has_target(insn)) {
		to = regs->regs[word >> 16 & 31] + (s16)word;	/* jic, jialc */
	} else if (is_taken(word, regs)) {
		to = insn->target;
	}
	if (insn->data_len == sizeof(u32)) {
		__get_kernel_nofault(&loaded, data, s32, unreadable);
		value = word & BIT(20) ? (u32)loaded : loaded;	/* lwupc, lwpc */
	} else if (insn->data_len) {
		__get_kernel_nofault(&value, data, unsigned long, unreadable);
	}
	if (reg)
		regs->regs[reg] = value;
	instruction_pointer_set(regs, to);
	return true;
unreadable:
	return false;
}
#endif

/*
 * Of a branch with a delay slot only the return address is written here. It goes on with its copy,
 * behind what writes that address there: the CPU evaluates the condition, and nothing after it
 * comes back. A nop does nothing.
 */
__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long next = point->site + KPROBE_INSN_ALIGN;

#ifdef CONFIG_CPU_MIPSR6
	if (!insn->bundle)
		return emulate_compact(point, regs);
#endif
	if (insn->bundle) {
		if (insn->arch.link)
			regs->regs[insn->arch.link] = next + KPROBE_INSN_ALIGN;
		next = (unsigned long)kprobe_point_slot(point) + kprobe_point_fault(point);
	}
	instruction_pointer_set(regs, next);
	return true;
}

/*
 * Called before anything else is done about a breakpoint's trap in the kernel, with interrupts
 * disabled. Returns whether it was a probe's breakpoint, which is in no delay slot.
 */
__kprobes bool kprobe_break_handler(struct pt_regs *regs)
{
	unsigned long fault = current->thread.cp0_baduaddr;
	unsigned long addr = instruction_pointer(regs);
	void *detour;
	bool handled;

	if (regs->cp0_cause & CAUSEF_BD)
		return false;
	detour = kprobe_breakpoint_detour(addr);
	if (detour) {
		instruction_pointer_set(regs, (unsigned long)detour);
		return true;
	}
	handled = kprobe_trap_hit(addr, regs);
	/* Handlers have faults, and the probed code may be what reads it after its own. */
	current->thread.cp0_baduaddr = fault;
	return handled;
}

#ifdef CONFIG_DYNAMIC_FTRACE
#define JALR_V1		0x0060f809

/*
 * A function of a module may begin with ftrace's call, by a register, since jal does not reach the
 * kernel. The first word of that, which ftrace makes a branch over the rest, cannot be probed. The
 * call leaves arguments, $31 and the stack pointer as they were.
 */
unsigned long arch_kprobe_entry(unsigned long start)
{
	u32 words[6];
	size_t i;

	if (core_kernel_text(start) || ftrace_location(start) != start ||
	    copy_from_kernel_nofault(words, (void *)start, sizeof(words)))
		return start;
	/* The call itself may be probed. */
	kprobe_unpatch(start, words, sizeof(words));
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i] == JALR_V1)
			return start + (i + 2) * sizeof(u32);
	return start;
}
#endif

/* Labels in system calls' entries: $31 is a user's, or has been. */
static const char * const labels[] = {
	"syscall_common", "n64_syscall_exit", "o32_syscall_exit", "syscall_trace_entry",
	"n32_syscall_trace_entry", "trace_a_syscall", "illegal_syscall", "not_o32_scall",
	"not_n32_scall", "einval", "load_a4", "load_a5", "load_a6", "load_a7", "loads_done",
	"bad_stack", "bad_stack_a4", "bad_stack_a5", "bad_stack_a6", "bad_stack_a7",
};

bool arch_kprobe_is_called(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !core_kernel_text(addr) || lookup_symbol_name(addr, name) ||
	       match_string(labels, ARRAY_SIZE(labels), name) < 0;
}

/* Symbols that a configuration does not have are passed over. */
static const char * const no_go[] __initconst = {
	/* Exceptions, until they have saved what a breakpoint would overwrite. See genex.S, too. */
	"handle_sys", "handle_sys64", "handle_sysn32", "tlb_do_page_fault_0", "tlb_do_page_fault_1",
	"octeon_mult_save", "octeon_mult_restore",
	/* Written at boot. Exceptions of the TLB, and what has its registers in use. */
	"handle_tlbm", "handle_tlbs", "handle_tlbl", "tlbmiss_handler_setup_pgd", "__update_tlb",
	"local_flush_tlb_all", "local_flush_tlb_range", "local_flush_tlb_kernel_range",
	"local_flush_tlb_page", "local_flush_tlb_one", "add_wired_entry", "mod_wired_entry",
	"__kmap_pgprot", "kmap_coherent", "kmap_noncoherent", "kunmap_coherent", "dump_tlb",
	"dump_tlb_all", "_kvm_mips_host_tlb_inv", "kvm_vz_host_tlb_inv",
	"kvm_vz_local_flush_roottlb_all_guests", "kvm_vz_guest_tlb_lookup", "kvm_vz_save_guesttlb",
	"kvm_vz_load_guesttlb", "kvm_loongson_clear_guest_vtlb", "kvm_loongson_clear_guest_ftlb",
	/* Have 64-bit addresses in registers, of which a 32-bit kernel saves half. */
	"indy_sc_wipe", "indy_sc_wback_invalidate", "indy_sc_enable", "indy_sc_disable",
	/* Runs on two stacks, one after the other: neither is the one of "current". */
	"resume",
	/* A CPU comes up, until per_cpu_trap_init() has set the vectors and emptied the TLB. */
	"start_after_reset", "kernel_entry", "octeon_spin_wait_boot", "smp_bootstrap",
	"start_secondary", "plat_wired_tlb_setup", "cpu_probe", "cpu_set_fpu_opts",
	"cpu_set_nofpu_opts", "cpu_set_nan_2008", "cpu_set_nofpu_2008", "cpu_set_fpu_2008",
	"cpu_set_nofpu_id", "__cpu_has_fpu", "mm_config", "calculate_ftlb_probability",
	"cpu_set_core", "mips_probe_watch_registers", "spram_config", "probe_spram",
	"ispram_load_tag", "ispram_store_tag", "dspram_load_tag", "dspram_store_tag",
	"bis_c0_errctl",
	"loongson3_cpucfg_synthesize_data", "reserve_exception_space", "per_cpu_trap_init",
	"configure_status", "configure_hwrena", "configure_exception_vector", "current_cpu_type",
	"__get_cpu_type", "cpu_cache_init", "r4k_cache_init", "mips_sc_init", "build_clear_page",
	"build_copy_page", "local_r4k___flush_cache_all", "tlb_init", "r4k_tlb_configure",
	"r4k_tlb_pm_notifier", "r4k_tlb_uniquify", "r4k_tlb_uniquify_read",
	"r4k_tlb_uniquify_write", "r4k_entry_cmp", "build_tlb_refill_handler", "check_pabits",
	"config_htw_params", "octeon_cache_init", "coherency_setup", "r4k_cache_pm_notifier",
	"probe_pcache", "setup_scache", "cache_noop",
	"blast_dcache16", "blast_dcache32", "blast_dcache64", "blast_dcache128",
	"blast_icache16", "blast_icache32", "blast_icache64", "blast_icache128",
	"blast_scache16", "blast_scache32", "blast_scache64", "blast_scache128",
	"blast_scache16_node", "blast_scache32_node", "blast_scache64_node",
	"blast_scache128_node",
	/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
	"play_dead", "r4k_dma_cache_wback_inv", "cps_shutdown_this_cpu", "cps_pm_enter_state",
	"coupled_barrier", "mips_cps_smp_in_use", "loongson3_type1_play_dead",
	"loongson3_type2_play_dead", "loongson3_type3_play_dead",
#ifdef CONFIG_MIPS_CPS_PM
	/* A core was without power, until trap_pm_notifier() has set the vectors. */
	"cps_nc_enter", "cpu_pm_exit", "cpu_pm_notify", "raw_notifier_call_chain",
	"notifier_call_chain", "trap_pm_notifier",
#endif
	/* Addresses, in the text. */
	"sys_call_table", "sys32_call_table", "sysn32_call_table",
	/*
	 * ftrace patches its own calls of tracers without a record of the place. The labels are
	 * symbols of their own. They have the caller's address in another register than $31.
	 */
	"_mcount", "ftrace_caller", "ftrace_call", "ftrace_graph_call", "ftrace_graph_caller",
	"ftrace_stub", "static_trace", "return_to_handler",
};

int __init arch_kprobe_blacklist(void)
{
	return kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
