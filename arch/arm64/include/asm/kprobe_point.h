/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _ASM_ARM64_KPROBE_POINT_H
#define _ASM_ARM64_KPROBE_POINT_H

/*
 * arm64's part of linux/kprobe_point.h that is inline. At a function's entry x30 has
 * the return address, and x29 the caller's frame record.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/cpufeature.h>
#include <linux/ftrace.h>
#include <linux/kasan-enabled.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <asm/debug-monitors.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>

static __always_inline bool arch_kprobe_has_breakpoint(unsigned long addr)
{
	__le32 word;

	__get_kernel_nofault(&word, (void *)addr, __le32, unreadable);
	return le32_to_cpu(word) == BRK64_OPCODE_KPROBES;
unreadable:
	return true;
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS
bool arch_kprobe_text_reserved(unsigned long start, unsigned long end);
#define arch_kprobe_text_reserved	arch_kprobe_text_reserved
#endif

/* A literal for a SIMD register: another register is saved, gets the address, and is restored. */
static __always_inline unsigned int arch_kprobe_copy_len(const struct kprobe_point *point)
{
	u32 word = le32_to_cpu((__force __le32)point->insn[0]);

	return (word & 0x3f000000) == 0x1c000000 ? 5 * AARCH64_INSN_SIZE : AARCH64_INSN_SIZE;
}

#define arch_kprobe_copy_len		arch_kprobe_copy_len

/* An interrupt has each CPU fetch anew. */
#define arch_kprobe_sync_slots	kick_all_cpus_sync

#define arch_kprobe_isa		(&arm64_kprobe_isa)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* It goes back to the traced function: x30 is where that goes on, x9 its own x30. */
#define arch_kprobe_is_called(addr)	((addr) != (unsigned long)ftrace_stub_direct_tramp)
#endif

#define KPROBE_LINK(r)	((r)->regs[30])

/* What the frame record of a caller is found by, when it is unwound. */
static __always_inline void *arch_kretprobe_frame(struct pt_regs *regs)
{
	return (void *)regs->regs[29];
}

#define arch_kretprobe_frame	arch_kretprobe_frame

/* The trampoline ends with a return, and begins with a frame record. */
static __always_inline void
arch_kretprobe_go_back(struct pt_regs *regs, void *fp, unsigned long addr)
{
	regs->regs[30] = addr;
	WRITE_ONCE(regs->stackframe[1], addr);
}

#define arch_kretprobe_go_back	arch_kretprobe_go_back

#define SYS_PSTATE_TCO		sys_reg(3, 3, 4, 2, 7)

/*
 * What probed code may have changed to access user memory. An exception changes it back on
 * its way in, so handlers of breakpoints never see it, nor does a task that is switched to.
 */
#define KPROBE_USER_TABLES	BIT(0)	/* they are loaded: software PAN is off */
#define KPROBE_TAGS_IGNORED	BIT(1)	/* PSTATE.TCO is set */
#define KPROBE_USER_ACCESS	PSR_PAN_BIT	/* PSTATE.PAN is clear */

static __always_inline unsigned int arch_kprobe_access(void)
{
	unsigned int access = 0;

	if (system_uses_hw_pan()) {
		/* The bit of PSTATE as it is: no instruction more than needed. */
		access = ~read_sysreg_s(SYS_PSTATE_PAN) & KPROBE_USER_ACCESS;
	} else if (system_uses_ttbr0_pan()) {
		if (read_sysreg(ttbr0_el1) & TTBR_ASID_MASK)
			access = KPROBE_USER_TABLES;
	}
	/* Without KASAN only exceptions set it, and have cleared it again if they must. */
	if (kasan_hw_tags_enabled() && read_sysreg_s(SYS_PSTATE_TCO))
		access |= KPROBE_TAGS_IGNORED;
	return access;
}

#define arch_kprobe_access	arch_kprobe_access

void arch_kprobe_end_access(unsigned int access);
void arch_kprobe_resume_access(unsigned int access);

/* kprobes.c: what kprobes-trampoline.S calls. */
void kprobe_detour_leave(struct pt_regs *regs);

#endif /* _ASM_ARM64_KPROBE_POINT_H */
