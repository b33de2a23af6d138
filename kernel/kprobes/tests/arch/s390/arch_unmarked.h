/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_S390_UNMARKED_H
#define _KPROBES_TESTS_S390_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

static const struct section sections_here[] = { };

static const struct unmarked unmarked_here[] = {
	{ "it saves registers where each trap does", {
		"ext_int_handler", "io_int_handler" } },
	{ "ftrace writes them", {
		"__ftrace_hotpatch_trampolines_start" } },
	{ "calls by a pointer go through it", {
		"__s390_indirect_jump_r1", "__s390_indirect_jump_r2", "__s390_indirect_jump_r3",
		"__s390_indirect_jump_r4", "__s390_indirect_jump_r5", "__s390_indirect_jump_r6",
		"__s390_indirect_jump_r7", "__s390_indirect_jump_r8", "__s390_indirect_jump_r9",
		"__s390_indirect_jump_r10", "__s390_indirect_jump_r11", "__s390_indirect_jump_r12",
		"__s390_indirect_jump_r13", "__s390_indirect_jump_r15" } },
	{ "a CPU comes up", {
		"smp_start_secondary", "smp_init_secondary", "cpu_init" } },
	{ "a CPU goes offline, and RCU was told, or is stopped", {
		"cpu_die", "do_restart" } },
	{ "without DAT", {
		"store_status", "relocate_kernel", "__do_machine_kexec", "__do_machine_kdump" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_S390_UNMARKED_H */
