/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_S390_UNMARKED_H
#define _KPROBES_TESTS_S390_UNMARKED_H

/* blacklist_reason_kunit.c: the architecture's part. */

static const struct section sections_here[] = { };

static const struct unmarked unmarked_here[] = {
	{ "it saves registers where each trap does", {
		"ext_int_handler", "io_int_handler" } },
	{ "a CPU comes up", {
		"smp_start_secondary", "cpu_init" } },
	{ "a CPU goes offline, and RCU was told, or is stopped", {
		"cpu_die", "pcpu_sigp_retry", "do_restart" } },
	{ "without DAT", {
		"store_status", "relocate_kernel" } },
	{ "a machine check calls it", {
		"schedule_mcck_handler", "stp_sync_check", "stp_island_check" } },
};

static const char * const free_here[] = { };

#endif /* _KPROBES_TESTS_S390_UNMARKED_H */
