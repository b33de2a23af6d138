/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _X86_KERNEL_RETHOOK_REGS_H
#define _X86_KERNEL_RETHOOK_REGS_H

/*
 * Saving and restoring the registers of a struct pt_regs below its flags, as
 * strings for rethook's trampoline. The order is that of struct pt_regs.
 */
#include <asm/asm.h>
#include <asm/frame.h>

#ifdef CONFIG_X86_64

#define REGS_IN_ORDER	"rdi, rsi, rdx, rcx, rax, r8, r9, r10, r11, " \
			"rbx, rbp, r12, r13, r14, r15"
#define REGS_REVERSED	"r15, r14, r13, r12, rbp, rbx, " \
			"r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi"

/* cs, ip and orig_ax are left for the callback to fill in. */
#define SAVE_REGS_STRING				\
	"	leaq	-24(%rsp), %rsp\n"		\
	"	.irp	reg, " REGS_IN_ORDER "\n"	\
	"	pushq	%\\reg\n"			\
	"	.endr\n"				\
	ENCODE_FRAME_POINTER

#define RESTORE_REGS_STRING				\
	"	.irp	reg, " REGS_REVERSED "\n"	\
	"	popq	%\\reg\n"			\
	"	.endr\n"				\
	"	leaq	24(%rsp), %rsp\n"

#else /* !CONFIG_X86_64 */

#define REGS_IN_ORDER	"gs, fs, es, ds, eax, ebp, edi, esi, edx, ecx, ebx"
#define REGS_REVERSED	"ebx, ecx, edx, esi, edi, ebp, eax"

/* cs, ip and orig_ax are left for the callback to fill in. */
#define SAVE_REGS_STRING				\
	"	leal	-12(%esp), %esp\n"		\
	"	.irp	reg, " REGS_IN_ORDER "\n"	\
	"	pushl	%\\reg\n"			\
	"	.endr\n"				\
	ENCODE_FRAME_POINTER

/* The kernel's segment registers have not changed. */
#define RESTORE_REGS_STRING				\
	"	.irp	reg, " REGS_REVERSED "\n"	\
	"	popl	%\\reg\n"			\
	"	.endr\n"				\
	"	leal	28(%esp), %esp\n"

#endif /* CONFIG_X86_64 */

#endif /* _X86_KERNEL_RETHOOK_REGS_H */
