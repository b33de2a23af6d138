// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Emulation: does to the saved registers of a hit, and to the stack, what the probed
 * instruction would have done.
 */
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/uaccess.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/vsyscall.h>

#include "kprobes-insn.h"

#define AT(name)	offsetof(struct pt_regs, name)

const u8 x86_kprobe_reg_offset[] = {
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
	return *(unsigned long *)((void *)regs + x86_kprobe_reg_offset[reg]);
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
	const struct x86_kprobe_operand *op = &insn->arch.operand;
	unsigned long addr;

	addr = op->base == X86_KPROBE_NEXT_INSN ? next : reg_value(regs, op->base);
	if (!op->memory) {
		*target = addr;
		return true;
	}
	addr += (reg_value(regs, op->index) << op->shift) + insn->arch.disp;
	if (op->percpu)
		addr = (unsigned long)raw_cpu_ptr((void __percpu *)addr);
	return read_target(addr, target);
}

static nokprobe_inline void emulate_call(struct pt_regs *regs, unsigned long next,
					 unsigned long target)
{
	int3_emulate_push(regs, next);
	int3_emulate_jmp(regs, target);
}

static nokprobe_inline bool emulate_indirect(const struct kprobe_insn *insn,
					     struct pt_regs *regs,
					     unsigned long next)
{
	unsigned long target;

	/* Before the push: the operand may be relative to the stack pointer. */
	if (!find_target(insn, regs, next, &target))
		return false;
	if (insn->flow == KPROBE_FLOW_CALL_INDIRECT)
		emulate_call(regs, next, target);
	else
		int3_emulate_jmp(regs, target);
	return true;
}

/* As on the CPU, writing 32 bits of a 64-bit register clears the others. */
static nokprobe_inline void set_counter(struct pt_regs *regs, u8 width,
					unsigned long count)
{
	if (width == sizeof(u16))
		regs->cx = (regs->cx & ~0xffffUL) | (u16)count;
	else
		regs->cx = width == sizeof(u32) ? (u32)count : count;
}

static nokprobe_inline bool is_zero(unsigned long count, u8 width)
{
	return !(count << (BITS_PER_LONG - 8 * width));
}

enum { COND_LOOPNE, COND_LOOPE, COND_LOOP, COND_JCXZ };

static nokprobe_inline bool loop_goes_on(const struct kprobe_insn *insn,
					 struct pt_regs *regs)
{
	bool zf = regs->flags & X86_EFLAGS_ZF;

	if (insn->arch.cond == COND_JCXZ)
		return is_zero(regs->cx, insn->arch.width);

	set_counter(regs, insn->arch.width, regs->cx - 1);
	if (is_zero(regs->cx, insn->arch.width))
		return false;
	return insn->arch.cond == COND_LOOP || zf == (insn->arch.cond == COND_LOOPE);
}

static nokprobe_inline void emulate_cond(const struct kprobe_insn *insn,
					 struct pt_regs *regs, unsigned long next)
{
	if (insn->arch.loop)
		int3_emulate_jmp(regs, loop_goes_on(insn, regs) ? insn->target : next);
	else
		int3_emulate_jcc(regs, insn->arch.cond, next, insn->target - next);
}

static nokprobe_inline void emulate_ret(const struct kprobe_insn *insn,
					struct pt_regs *regs)
{
	int3_emulate_ret(regs);
	regs->sp += insn->arch.disp;
}

/*
 * The registers are those of a trap in the kernel, so that there is a gap on the stack
 * that a push goes to. Where the memory that holds an indirect branch's target cannot be
 * read, they stay as they are.
 */
bool arch_kprobe_emulate(struct kprobe_point *point, struct pt_regs *regs)
{
	const struct kprobe_insn *insn = &point->plan;
	unsigned long next = point->site + insn->len;

	if (insn->action == KPROBE_RUN)
		return false;
	switch (insn->flow) {
	case KPROBE_FLOW_JUMP:
		int3_emulate_jmp(regs, insn->target);
		return true;
	case KPROBE_FLOW_COND:
		emulate_cond(insn, regs, next);
		return true;
	case KPROBE_FLOW_CALL:
		emulate_call(regs, next, insn->target);
		return true;
	case KPROBE_FLOW_RETURN:
		emulate_ret(insn, regs);
		return true;
	case KPROBE_FLOW_JUMP_INDIRECT:
	case KPROBE_FLOW_CALL_INDIRECT:
		return emulate_indirect(insn, regs, next);
	default:
		int3_emulate_jmp(regs, next);
		return true;
	}
}
NOKPROBE_SYMBOL(arch_kprobe_emulate);
