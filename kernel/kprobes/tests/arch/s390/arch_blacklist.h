/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_S390_BLACKLIST_H
#define _KPROBES_TESTS_S390_BLACKLIST_H

/* blacklist_kunit.c: the architecture's part of the blacklist. */

/* Is there always code for entries from user space in a section of its own? */
#define ENTRY_IS_APART	false

/* On the path of a hit; all must be there. */
static const char * const serving_here[] = {
	"kprobe_illegal_op", "kprobe_illegal_op_leave", "kprobe_post_trampoline",
	"kprobe_detour_post", "kprobe_detour_common", "pgm_check_handler", "__do_pgm_check",
	"do_dat_exception", "__switch_to_asm", "mcck_int_handler", "s390_do_machine_check",
};

/* Executed before a CPU can take a trap, from a copy, or on another stack; some may be there. */
static const char * const early_here[] = {
	"smp_start_secondary", "cpu_init", "restart_int_handler", "relocate_kernel",
	"store_status",
};

/* Not on the blacklist, because it is in no section of the kernel's text. */
static const char * const no_text_here[] = { };

/* Executed with a guest's vectors or state. */
static const char * const guest_here[] = { "__sie64a", "sie_exit" };

/* No grace period waits for a CPU in these. */
static const char * const dying_here[] = { "cpu_die", "pcpu_sigp_retry" };

/* Labels between which ftrace patches or copies its code; some may be there. */
static const char * const ftrace_here[] = {
	"ftrace_caller", "ftrace_regs_caller", "ftrace_common", "ftrace_graph_caller",
};

/* Entered or left in another way than functions: no return probes, but probes. */
static const char * const no_functions_here[] = { };

#endif /* _KPROBES_TESTS_S390_BLACKLIST_H */
