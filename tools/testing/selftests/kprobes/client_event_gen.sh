#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A module that makes kprobe events through the in-kernel interface (kprobe_event_gen_test).
# What it probes, do_sys_open(), is inlined into its callers on most builds, so no record of the
# events is asked for: they are made, are on, and go with the module.

module=kprobe_event_gen_test
tracing=/sys/kernel/tracing

. "$(dirname "$0")/../kselftest/ktap_helpers.sh"

exist()
{
	grep -q gen_kprobe_test "$tracing/kprobe_events" &&
		grep -q gen_kretprobe_test "$tracing/kprobe_events"
}

are_on()
{
	[ "$(cat "$tracing/events/kprobes/gen_kprobe_test/enable")" = 1 ] &&
		[ "$(cat "$tracing/events/kprobes/gen_kretprobe_test/enable")" = 1 ]
}

are_gone()
{
	! grep -q gen_ "$tracing/kprobe_events"
}

ktap_print_header
if [ -z "$(find "/lib/modules/$(uname -r)" -name "$module.ko*")" ]; then
	ktap_skip_all "no module $module: CONFIG_KPROBE_EVENT_GEN_TEST"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 5

ktap_test_result "the module loads" modprobe $module
ktap_test_result "its two events exist" exist
ktap_test_result "they are enabled" are_on
ktap_test_result "the module unloads" rmmod $module
ktap_test_result "its events went with it" are_gone

ktap_finished
