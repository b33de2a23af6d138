/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_RETURN_TRAMPOLINE_H
#define _KERNEL_KPROBES_RETURN_TRAMPOLINE_H

/* Return trampolines of other tracers: traced functions return there, and no code calls them. */
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/rethook.h>

/* Does the function graph tracer or a rethook replace return addresses by @addr? */
static __always_inline bool kprobe_is_return_trampoline(unsigned long addr)
{
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (addr == (unsigned long)dereference_kernel_function_descriptor(return_to_handler))
		return true;
#endif
	return IS_ENABLED(CONFIG_RETHOOK) && is_rethook_trampoline(addr);
}

#endif
