// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kprobes on s390: traps, text, emulation, and text that must not be probed.
 *
 * The breakpoint is an illegal operation of two bytes, the length of the shortest instruction. Its
 * program check asks kprobes before it enables interrupts. Nothing is single-stepped: PER is not
 * used.
 *
 * Slots and detours lie in the modules' memory, from where brcl reaches the kernel and all modules.
 */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/smp.h>
#include <linux/unaligned.h>
#include <asm/stacktrace.h>
#include <asm/stp.h>
#include <asm/text-patching.h>

#include "entry.h"
#include "ftrace.h"

/* A stub makes a frame as a program check does, and saves %r14 there. */
static_assert(STACK_FRAME_OVERHEAD + sizeof(struct pt_regs) == KPROBE_STUB_FRAME);
static_assert(STACK_FRAME_OVERHEAD + offsetof(struct pt_regs, gprs[14]) == KPROBE_STUB_LINK);
static_assert(offsetof(struct kprobe_detour, route.run_post) == KPROBE_DETOUR_RUN_POST);

/*
 * A CPU may execute what it has fetched before until it serializes, as each interruption and each
 * do_sync_core() does. It fetches an instruction by halfwords, so the two bytes of a breakpoint, or
 * of what replaces it, are never seen in part. Everything else is written where no CPU executes.
 *
 * A CPU that hits a breakpoint has interrupts disabled until it has looked the point up. So when
 * text_poke_sync() returns, it has.
 */
void arch_kprobe_patch(const struct kprobe_patch *patches, unsigned int nr)
{
	unsigned int i;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < nr; i++)
		s390_kernel_write((void *)patches[i].addr, patches[i].new, patches[i].len);
	text_poke_sync();
}

void arch_kprobe_write_slot(void *slot, const void *code, size_t len)
{
	s390_kernel_write(slot, code, len);
}

/* A mask has four bits, the first one for condition code 0. */
static __always_inline bool mask_has(unsigned int mask, unsigned int cc)
{
	return mask & 8 >> cc;
}

/* Does a conditional branch take place? The condition code is in the PSW. */
static __always_inline bool condition_holds(unsigned int mask, const struct pt_regs *regs)
{
	return mask_has(mask, (regs->psw.mask & PSW_MASK_CC) >> 44);
}

/* Compares as cgrj and others do: the mask has bits for equal, low and high. */
static __always_inline bool comparison_holds(unsigned int mask, long a, long b, bool is_signed)
{
	bool low = is_signed ? a < b : (unsigned long)a < (unsigned long)b;

	return mask_has(mask, a == b ? 0 : low ? 1 : 2);
}

/* The register of 32 bits in the lower half of one of 64. */
static __always_inline void set_low(unsigned long *gpr, u32 value)
{
	*gpr = (*gpr & ~0xffffffffUL) | value;
}

/* bct and the like count down a register, of 32 or 64 bits; brcth the upper half of one. */
static __always_inline bool count_holds(unsigned long *gpr)
{
	set_low(gpr, *gpr - 1);
	return (u32)*gpr;
}

static __always_inline bool wide_count_holds(unsigned long *gpr)
{
	return --*gpr;
}

static __always_inline bool high_count_holds(unsigned long *gpr)
{
	*gpr -= 1UL << 32;
	return *gpr >> 32;
}

/*
 * bxh, brxh and the like: adds the third operand's register to the first's, and compares
 * the sum with the register after the third if that is even, else with the third's.
 */
static __kprobes bool index_holds(bool wide, bool or_equal, unsigned int r1, unsigned int r3,
				  unsigned long *gprs)
{
	long limit = gprs[r3 | 1], sum = gprs[r1] + gprs[r3];

	if (wide) {
		gprs[r1] = sum;
	} else {
		limit = (s32)limit;
		sum = (s32)sum;
		set_low(&gprs[r1], sum);
	}
	return or_equal ? sum <= limit : sum > limit;
}

/*
 * Compare and branch: compares two registers, or a register and a byte, of 64 or 32 bits, signed or
 * not. The opcode's highest bit tells that the target is not relative.
 */
static __kprobes bool compare_holds(const u8 *bytes, const unsigned long *gprs)
{
	unsigned int op = bytes[5] & 0x7f;
	bool is_signed = !(op & 1), wide = op == 0x64 || op == 0x65 || op == 0x7c || op == 0x7d;
	bool immediate = op >= 0x7c;
	long a = gprs[bytes[1] >> 4], b;

	if (immediate)
		b = is_signed ? (s8)bytes[4] : bytes[4];
	else
		b = gprs[bytes[1] & 0xf];
	if (!wide) {
		a = is_signed ? (s32)a : (long)(u32)a;
		b = is_signed ? (s32)b : (long)(u32)b;
	}
	return comparison_holds(immediate ? bytes[1] & 0xf : bytes[4] >> 4, a, b, is_signed);
}

/* Is the branch taken? Some change a register. */
static __kprobes bool branch_holds(const u8 *bytes, struct pt_regs *regs)
{
	unsigned int r1 = bytes[1] >> 4, r3 = bytes[1] & 0xf;
	unsigned long *gprs = regs->gprs;

	switch (bytes[0]) {
	case 0x06:	/* bctr */
	case 0x46:	/* bct */
		return count_holds(&gprs[r1]);
	case 0xb9:	/* bctgr */
		return wide_count_holds(&gprs[bytes[3] >> 4]);
	case 0xe3:	/* bctg */
		return wide_count_holds(&gprs[r1]);
	case 0xcc:	/* brcth */
		return high_count_holds(&gprs[r1]);
	case 0x84 ... 0x87:	/* brxh, brxle, bxh, bxle */
		return index_holds(false, bytes[0] & 1, r1, r3, gprs);
	case 0xeb:	/* bxhg, bxleg */
		return index_holds(true, bytes[5] & 1, r1, r3, gprs);
	case 0xec:
		if ((bytes[5] & 0xfe) == 0x44)	/* brxhg, brxlg */
			return index_holds(true, bytes[5] & 1, r1, r3, gprs);
		return compare_holds(bytes, gprs);
	case 0xa7:
		if (r3 == 6)	/* brct */
			return count_holds(&gprs[r1]);
		if (r3 == 7)	/* brctg */
			return wide_count_holds(&gprs[r1]);
		fallthrough;
	default:	/* brc, brcl, bcr, bc */
		return condition_holds(r1, regs);
	}
}

/* Where a branch leads if it is taken. */
static __kprobes unsigned long target_of(const struct kprobe_insn *insn, const u8 *bytes,
					 const unsigned long *gprs)
{
	unsigned int base = bytes[2] >> 4, index = 0;
	long disp = (bytes[2] & 0xf) << 8 | bytes[3];

	if (kprobe_insn_has_target(insn))
		return insn->target;
	if (insn->len == 2)	/* balr, basr, bcr, bctr */
		return gprs[bytes[1] & 0xf];
	if (bytes[0] == 0xb9)	/* bctgr */
		return gprs[bytes[3] & 0xf];
	if (bytes[0] == 0xe3 || bytes[0] == 0xeb)
		disp += (s8)bytes[4] * 0x1000L;
	if (bytes[0] == 0x46 || bytes[0] == 0x47 || bytes[0] == 0xe3)
		index = bytes[1] & 0xf;
	return (base ? gprs[base] : 0) + (index ? gprs[index] : 0) + disp;
}

__kprobes bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = point->emulated;
	const u8 *bytes = (const u8 *)point->insn;
	unsigned int r1 = bytes[1] >> 4, r2 = bytes[1] & 0xf;
	unsigned long next = point->site + insn->len, to = next;

	if (insn->action != KPROBE_NOP) {
		/* First, because the branch may change a register that it goes by. */
		to = target_of(insn, bytes, regs->gprs);
		switch (bytes[0]) {
		case 0x05:	/* balr */
		case 0x0d:	/* basr */
			to = r2 ? to : next;
			regs->gprs[r1] = next;
			break;
		case 0xa7:
		case 0xc0:
			if (r2 == 0) {		/* larl */
				regs->gprs[r1] = insn->data;
				to = next;
				break;
			}
			if (r2 == 5) {		/* bras, brasl */
				regs->gprs[r1] = next;
				break;
			}
			fallthrough;
		default:
			if (!branch_holds(bytes, regs))
				to = next;
		}
	}
	instruction_pointer_set(regs, to);
	return true;
}

/* What the program check of a breakpoint stores: its code, and the breakpoint's length in front. */
#define BREAKPOINT_CODE	(KPROBE_INSN_ALIGN << 16 | 0x0001)

/*
 * The address of the breakpoint that has trapped. 0 if it was something else: an instruction of
 * another length, as ex and exrl are, which may execute this one; or the end of a transaction.
 */
static __always_inline unsigned long breakpoint_of(const struct pt_regs *regs)
{
	if (user_mode(regs) || regs->int_code != BREAKPOINT_CODE)
		return 0;
	return regs->psw.addr - KPROBE_INSN_ALIGN;
}

/*
 * Leaves a breakpoint's program check for a detour, before anything else is done about it: what a
 * detour calls is called by the probed code. If this returns false, kprobe_illegal_op() is next.
 */
noinstr bool kprobe_illegal_op_leave(struct pt_regs *regs)
{
	unsigned long addr = breakpoint_of(regs);
	void *entry = addr ? kprobe_breakpoint_detour(addr) : NULL;

	if (!entry)
		return false;
	regs->psw.addr = (unsigned long)entry;
	return true;
}

/*
 * A program check in the kernel, with interrupts disabled. Returns whether it was a probe's
 * breakpoint.
 */
__kprobes bool kprobe_illegal_op(struct pt_regs *regs)
{
	unsigned long addr = breakpoint_of(regs);

	return addr && kprobe_trap_hit(addr, regs);
}

/*
 * A fault of an instruction in the kernel, page faults aside. The PSW has the address of the next
 * instruction then; fault handlers are shown that of the instruction. Returns whether a fault
 * handler has dealt with it.
 */
__kprobes bool kprobe_trap_fault(struct pt_regs *regs)
{
	unsigned int len = regs->int_code >> 16;

	regs->psw.addr -= len;
	if (kprobe_fault_handler(regs, regs->int_code & PGM_INT_CODE_MASK))
		return true;
	regs->psw.addr += len;
	return false;
}

#ifdef CC_USING_EXPOLINE
/*
 * A thunk executes a branch to a register by exrl. The thunk of %r14 is none: its branch returns,
 * and so does not lead into the middle of the function.
 */
bool arch_kprobe_is_thunk(unsigned long addr)
{
	u8 bytes[KPROBE_INSN_MAX], branch[KPROBE_INSN_ALIGN];

	if (kprobe_read_insn(addr, bytes, sizeof(bytes)) < sizeof(bytes) ||
	    bytes[0] != 0xc6 || (bytes[1] & 0xf))
		return false;
	addr += (long)(s32)get_unaligned_be32(bytes + 2) * KPROBE_INSN_ALIGN;
	if (kprobe_read_insn(addr, branch, sizeof(branch)) < sizeof(branch))
		return true;
	return !(branch[0] == 0x07 && branch[1] == 0xfe);
}

/* Every function returns through it, those of a hit's path too. */
void __s390_indirect_jump_r14(void);
NOKPROBE_SYMBOL(__s390_indirect_jump_r14);
#endif

/*
 * A machine check may interrupt the entry of a program check, which has not read yet what another
 * program check overwrites in the lowcore. So nothing that a machine check executes may be probed.
 */
NOKPROBE_SYMBOL(stp_sync_check);
NOKPROBE_SYMBOL(stp_island_check);
NOKPROBE_SYMBOL(schedule_mcck_handler);

/* Symbols that a configuration does not have are passed over. */
static const char * const no_go[] __initconst = {
	/* They save registers in the lowcore, where a program check saves its own. */
	"ext_int_handler", "io_int_handler",
	/* Calls by a pointer go through them, those of handlers too. */
	"__s390_indirect_jump_r0", "__s390_indirect_jump_r1", "__s390_indirect_jump_r2",
	"__s390_indirect_jump_r3", "__s390_indirect_jump_r4", "__s390_indirect_jump_r5",
	"__s390_indirect_jump_r6", "__s390_indirect_jump_r7", "__s390_indirect_jump_r8",
	"__s390_indirect_jump_r9", "__s390_indirect_jump_r10", "__s390_indirect_jump_r11",
	"__s390_indirect_jump_r12", "__s390_indirect_jump_r13", "__s390_indirect_jump_r15",
	/* A CPU comes up: its lowcore is not complete. */
	"smp_start_secondary", "smp_init_secondary", "cpu_init",
	/* A CPU goes offline, as dying[] of kernel/kprobes/blacklist.c, or is stopped. */
	"cpu_die", "do_restart",
	/* Executed without DAT or from a copy, or for the next kernel. */
	"store_status", "relocate_kernel", "__do_machine_kexec", "__do_machine_kdump",
};

int __init arch_kprobe_blacklist(void)
{
	int ret = 0;

#ifdef CONFIG_FUNCTION_TRACER
	/* ftrace writes them, and a call of a tracer goes through. */
	ret = kprobe_blacklist_add_text((unsigned long)__ftrace_hotpatch_trampolines_start,
					(unsigned long)__ftrace_hotpatch_trampolines_end);
#endif
	return ret ?: kprobe_blacklist_add_functions(no_go, ARRAY_SIZE(no_go));
}
