/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_GENERIC_KPROBES_H
#define _ASM_GENERIC_KPROBES_H

/*
 * How code keeps probes away from itself. Kept apart from linux/kprobes.h, so
 * that any file can say it without pulling in the API.
 */
#if defined(__KERNEL__) && !defined(__ASSEMBLY__)
#ifdef CONFIG_KPROBES

/*
 * One word in the section that kernel/kprobes/blacklist.c and the module
 * loader read: the address of a function that no probe may be set in. Two
 * levels, so that a macro given as @fn is expanded first.
 */
#define NOKPROBE_ENTRY(fn)						\
	static unsigned long __used __section("_kprobe_blacklist")	\
		_kbl_addr_##fn = (unsigned long)fn;

#define NOKPROBE_SYMBOL(fn)	NOKPROBE_ENTRY(fn)

/* Places a whole function into the section where no probe may be set. */
#define __kprobes		notrace __section(".kprobes.text")
#define nokprobe_inline		__always_inline

#else /* !CONFIG_KPROBES */

#define NOKPROBE_SYMBOL(fn)
#define __kprobes
#define nokprobe_inline		inline

#endif /* CONFIG_KPROBES */
#endif /* __KERNEL__ && !__ASSEMBLY__ */

#endif /* _ASM_GENERIC_KPROBES_H */
