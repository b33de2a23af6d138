// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on PA-RISC: traps, text, emulation of branches, and text that must not be probed.
 *
 * A point's instruction becomes break 31, 0x1ffc. The trap restores two instruction pointers, so
 * that a branch is emulated by setting both: its delay slot runs in the text. All else runs from a
 * slot. Where it can, the breakpoint becomes a jump to a stub later on, two instructions that reach
 * all of the kernel.
 *
 * The trap masks interrupts, but does not count as one. It restores the stack pointer that handlers
 * leave.
 */
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cacheflush.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/asm-offsets.h>
#include <asm/patch.h>
#include <asm/sections.h>

#define WORD		4
#define REG_LINK	31	/* of be,l */

/* In branches: they nullify the delay slot, the conditional ones by direction; go backwards. */
#define NULLIFY		BIT(1)
#define BACKWARDS	BIT(0)

#define OPCODE(word)	((word) >> 26)
#define B(word)		((word) >> 21 & 0x1f)
#define X(word)		((word) >> 16 & 0x1f)

/* What a stub saves before it calls common code is part of what that saves. */
static_assert(PT_SZ_ALGN == KPROBE_STUB_FRAME);
static_assert(offsetof(struct pt_regs, gr[0]) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/* Memory of execmem is writable where it is executed. Flushing reaches the caches of all CPUs. */
void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	memcpy(slot, code, len);
	flush_icache_range((unsigned long)slot, (unsigned long)slot + len);
}

/**
 * struct stop - text that is written while all CPUs are stopped
 * @patches: what and where
 * @nr:      how many
 * @arrived: how many CPUs execute nothing but what waits for @written
 * @written: all of it is in memory
 */
struct stop {
	const struct kprobe_patch *patches;
	unsigned int nr;
	atomic_t arrived;
	bool written;
};

static __kprobes void write_all(const struct stop *stop)
{
	const struct kprobe_patch *patch;
	u32 words[KPROBE_JUMP_SIZE / WORD];

	for (patch = stop->patches; patch < stop->patches + stop->nr; patch++) {
		memcpy(words, patch->new, patch->len);
		__patch_text_multiple((void *)patch->addr, words, patch->len);
		flush_icache_range(patch->addr, patch->addr + patch->len);
	}
}

/*
 * The CPU that comes last writes. The others wait here, where nothing can be probed, and not in
 * stop_machine(), where the text that is written may be. A CPU may have fetched seven instructions
 * behind a sync.
 */
static __kprobes int write_stopped(void *data)
{
	struct stop *stop = data;

	if (atomic_inc_return(&stop->arrived) == num_online_cpus()) {
		write_all(stop);
		smp_store_release(&stop->written, true);	/* pairs with the CPUs that wait */
	} else {
		while (!smp_load_acquire(&stop->written))	/* pairs with the last CPU */
			cpu_relax();
	}
	asm volatile("sync\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop"
		     : : : "memory");
	return 0;
}

/*
 * Text has an alias while it is written, which no CPU may read or fetch by its own address. A trap
 * masks interrupts until it has looked up its point, so no CPU stops in between.
 */
void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	struct stop stop = { .patches = patches, .nr = nr };

	lockdep_assert_held(&text_mutex);
	stop_machine_cpuslocked(write_stopped, &stop, cpu_online_mask);
}

/* gr[0] is the processor status word, but as an operand 0. */
static __kprobes unsigned long get_reg(const struct pt_regs *regs, unsigned int reg)
{
	return reg ? regs->gr[reg] : 0;
}

static __kprobes void set_reg(struct pt_regs *regs, unsigned int reg, unsigned long value)
{
	if (reg)
		regs->gr[reg] = value;
}

/* A number of five bits, the lowest of which is its sign. */
static __always_inline long immediate(unsigned int field)
{
	return (long)(field >> 1) - (field & 1 ? 16 : 0);
}

#define NARROW	(BITS_PER_LONG - 32)

/* Of a sum, or of a comparison, which subtracts. NARROW shifts 32 bits to where signs are. */
static __kprobes bool condition_holds(unsigned int condition, long a, long b, bool adds,
				      unsigned int narrow)
{
	bool overflows, wraps;
	long result;

	a <<= narrow;
	b <<= narrow;
	if (adds) {
		overflows = check_add_overflow(a, b, &result);
		wraps = (unsigned long)result < (unsigned long)a;
	} else {
		overflows = check_sub_overflow(a, b, &result);
		wraps = (unsigned long)a < (unsigned long)b;
	}
	switch (condition) {
	case 0:
		return false;
	case 1:
		return !result;
	case 2:
		return (result < 0) != overflows;
	case 3:
		return !result || (result < 0) != overflows;
	case 4:
		return wraps != adds;
	case 5:
		return !result || wraps != adds;
	case 6:
		return overflows;
	default:
		return result >> narrow & 1;
	}
}

/* Of what movb moves, 32 bits. */
static __kprobes bool move_holds(unsigned int condition, u32 value)
{
	bool holds = false;

	switch (condition & 3) {
	case 1:
		holds = !value;
		break;
	case 2:
		holds = (s32)value < 0;
		break;
	case 3:
		holds = value & 1;
	}
	return holds ^ (condition >> 2);
}

/* Bits count from the highest one on, and without a flag in the lower half. */
static __kprobes bool bit_holds(const struct pt_regs *regs, u32 word)
{
	unsigned int bit = OPCODE(word) & 1 ? B(word) : regs->sar;

	if (IS_ENABLED(CONFIG_64BIT) && !(word & BIT(13)))
		bit |= 32;
	bit = BITS_PER_LONG - 1 - bit % BITS_PER_LONG;
	return (get_reg(regs, X(word)) >> bit & 1) ^ (word >> 15 & 1);
}

/* In 64 bit the last three conditions are of all bits, and the first ones again. */
static __kprobes bool addition_holds(unsigned long a, unsigned long b, unsigned int condition)
{
	if (IS_ENABLED(CONFIG_64BIT) && condition >= 5)
		return condition_holds(condition & 3, a, b, true, 0);
	return condition_holds(condition, a, b, true, NARROW);
}

static __kprobes bool comparison_holds(const struct pt_regs *regs, u32 word, unsigned int condition)
{
	unsigned int major = OPCODE(word);
	unsigned long a, b = get_reg(regs, B(word));

	if (major == 0x3b) {
		/* Of eight conditions half negate the other, and the first is another one. */
		a = immediate(X(word));
		return condition_holds(condition & 3 ?: 4, a, b, false, 0) ^ (condition >> 2);
	}
	if (major == 0x27 || major == 0x2f) {
		a = get_reg(regs, X(word));
		return condition_holds(condition, a, b, false, 0) ^ (word >> 29 & 1);
	}
	a = major & 1 ? immediate(X(word)) : get_reg(regs, X(word));
	return condition_holds(condition, a, b, false, NARROW) ^ (word >> 27 & 1);
}

/* Is a conditional branch taken? Those that add or move write their result. */
static __kprobes bool is_taken(struct pt_regs *regs, u32 word)
{
	unsigned int major = OPCODE(word), condition = word >> 13 & 7;
	unsigned long a, b = get_reg(regs, B(word));

	switch (major) {
	case 0x28 ... 0x2b:
		a = major & 1 ? immediate(X(word)) : get_reg(regs, X(word));
		set_reg(regs, B(word), a + b);
		return addition_holds(a, b, condition) ^ (word >> 27 & 1);
	case 0x30 ... 0x31:
		return bit_holds(regs, word);
	case 0x32 ... 0x33:
		a = major & 1 ? immediate(X(word)) : get_reg(regs, X(word));
		set_reg(regs, B(word), a);
		return move_holds(condition, a);
	default:
		return comparison_holds(regs, word, condition);
	}
}

/* Where an indirect branch leads. */
static __kprobes unsigned long indirect_target(const struct pt_regs *regs, u32 word,
					       unsigned long site)
{
	unsigned long base = get_reg(regs, B(word)), index = get_reg(regs, X(word)) * 2 * WORD;
	long words;

	switch (word & 0xfc00f000) {
	case 0xe8004000:		/* blr */
		return site + 2 * WORD + index;
	case 0xe800c000:		/* bv */
		return base + index;
	case 0xe800d000:		/* bve */
	case 0xe800f000:
		return base;
	}
	/* be: 17 bits in three fields */
	words = (word >> 3 & 0x3ff) | (word & BIT(2)) << 8 | X(word) << 11;
	return base + (words - ((long)(word & BACKWARDS) << 16)) * WORD;
}

/* The register that a call puts the return address in. */
static __kprobes unsigned int link_of(u32 word)
{
	if (OPCODE(word) == 0x39)
		return REG_LINK;
	/* b,l of 17 bits, and blr, have a field for it; the others call by rp. */
	return word & BIT(15) ? 2 : B(word);
}

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	unsigned long next = point->site + WORD, to = insn->target;
	bool taken = insn->flow != KPROBE_FLOW_NEXT, nullifies;
	u32 word = point->insn[0];

	switch (insn->flow) {
	case KPROBE_FLOW_NEXT:
		if (insn->action != KPROBE_NOP)		/* mfia */
			set_reg(regs, word & 0x1f, point->site);
		break;
	case KPROBE_FLOW_JUMP:
	case KPROBE_FLOW_CALL:
		break;
	case KPROBE_FLOW_COND:
		taken = is_taken(regs, word);
		break;
	default:
		to = indirect_target(regs, word, point->site) & ~3UL;
	}
	if (insn->flow == KPROBE_FLOW_CALL || insn->flow == KPROBE_FLOW_CALL_INDIRECT) {
		set_reg(regs, link_of(word), next + WORD);
		if (OPCODE(word) == 0x39)
			regs->sr[0] = 0;
	}
	/* Conditional branches nullify when they go forwards, and when they do not go backwards. */
	nullifies = insn->flow != KPROBE_FLOW_NEXT && word & NULLIFY &&
		    (insn->flow != KPROBE_FLOW_COND || taken == !(word & BACKWARDS));
	if (nullifies)
		next = taken ? to : next + WORD;
	instruction_pointer_set(regs, next);
	if (taken && !nullifies)
		regs->iaoq[1] = to;
	return true;
}

/*
 * Called before anything else is done about a breakpoint's trap in the kernel, with interrupts
 * disabled. Returns whether it was a probe's breakpoint.
 */
__kprobes bool kprobe_break_handler(struct pt_regs *regs)
{
	unsigned long addr = instruction_pointer(regs);
	void *detour;

	if ((u32)regs->iir != KPROBE_BREAKPOINT_WORD)
		return false;
	detour = kprobe_breakpoint_detour(addr);
	if (detour) {
		/* It is to call the handlers instead of the trap. */
		instruction_pointer_set(regs, (unsigned long)detour);
		return true;
	}
	return kprobe_trap_hit(addr, regs);
}

/*
 * An interrupt may come between the two instructions of a jump, and the jump be gone when the task
 * goes on. It begins the jump again, or what is there then: nobody reads the register that the
 * first instruction writes. Where RCU is not watching no task is preempted.
 */
__kprobes void kprobe_interrupted(struct pt_regs *regs)
{
	unsigned long site = regs->iaoq[0] - WORD;
	u32 word;

	if (user_mode(regs) || regs->iaoq[1] != regs->iaoq[0] + WORD || !rcu_is_watching())
		return;
	__get_kernel_nofault(&word, (void *)regs->iaoq[0], u32, unreadable);
	/* be,n R%addr(sr4, b) */
	if ((word & 0xfc00e002) == 0xe0002002 && kprobe_is_in_jump(site, regs->iaoq[0]))
		instruction_pointer_set(regs, site);
unreadable:
	return;
}

/* Symbols that a configuration does not have are passed over. */
static const char * const no_go[] __initconst = {
	/* Traps begin with them. */
	"handle_interruption",
	/* The firmware is called, or has called, with physical addresses. */
	"real64_call_asm", "r64_ret", "toc_handler", "toc_intr",
	/* Space registers and diagnose registers are changed. */
	"disable_sr_hashing", "perf_rdr_shift_in_W", "perf_rdr_shift_out_W",
	"perf_rdr_shift_in_U", "perf_rdr_shift_out_U",
	"perf_intrigue_enable_perf_counters", "perf_intrigue_disable_perf_counters",
	/* Atomics that a hit uses: they take a lock that others share. */
	"__xchg64", "__xchg32", "__xchg8", "__cmpxchg_u64", "__cmpxchg_u32", "__cmpxchg_u16",
	"__cmpxchg_u8",
	/* Multiplies in floating point registers, which a hit without a trap does not save. */
	"__muldi3",
	/* Traces from handlers take the lock of the tables of modules. */
	"unwind_once", "unwind_frame_regs", "find_unwind_entry", "unwind_table_add",
	"unwind_table_remove",
	/* A CPU comes up: without a vector, or its task. */
	"smp_callin", "smp_cpu_init", "init_per_cpu",
	/* A CPU goes offline: as dying[] of kernel/kprobes/blacklist.c. */
	"flush_cache_all_local", "cache_flush_local_cpu", "__pdc_cpu_rendezvous", "real32_call",
	"real64_call",
};

/* From one symbol to the end of another: labels in between are symbols as well. */
static const char * const no_go_text[][2] __initconst = {
	{ "fault_vector_20", "set_register" },
	{ "os_hpmc", "os_hpmc_6" },
	/* The firmware is called with physical addresses. */
	{ "real32_call_asm", "rfi_r2v_1" },
	/* Likewise, as the TLB is flushed. A CPU that goes offline flushes its caches, too. */
	{ "flush_tlb_all_local", "fdsync" },
	/* Likewise, as diagnose registers are changed. */
	{ "disable_sr_hashing_asm", "srdis_done" },
	/* From a copy, while the kernel is overwritten. */
	{ "relocate_new_kernel", "relocate_new_kernel_size" },
};

static const char * const millicode[] __initconst = { millicode_rem, millicode_div };

/* kallsyms leaves these out: their text counts as that of the symbol before, up to the next one. */
static int __init forbid_millicode(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(millicode); i++) {
		unsigned long size, offset, start = (unsigned long)millicode[i];

		if (!kallsyms_lookup_size_offset(start, &size, &offset))
			continue;
		err = kprobe_blacklist_add_text(start, start - offset + size);
	}
	return err;
}

/* ldil to r1, and be,n by it: the linker's, behind functions, for calls that do not reach. */
static bool __init is_linker_stub(const u32 *words)
{
	return (words[0] & 0xffe00000) == 0x20200000 && (words[1] & 0xffe0e002) == 0xe0202002;
}

/* Hits call by them as well, and nothing tells for whom they are. */
static int __init forbid_linker_stubs(void)
{
	const u32 *word = (u32 *)_stext, *end = (u32 *)_etext - 1, *start;
	int err = 0;

	while (!err && word < end) {
		for (start = word; word < end && is_linker_stub(word); word += 2)
			;
		if (word > start)
			err = kprobe_blacklist_add_text((unsigned long)start, (unsigned long)word);
		else
			word++;
	}
	return err;
}

int __init arch_kprobe_blacklist(void)
{
	return kprobe_blacklist_add_text((unsigned long)linux_gateway_page,
					 (unsigned long)end_linux_gateway_page) ?:
	       kprobe_blacklist_add_symbols(no_go_text, ARRAY_SIZE(no_go_text)) ?:
	       forbid_millicode() ?:
	       forbid_linker_stubs() ?:
	       kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
