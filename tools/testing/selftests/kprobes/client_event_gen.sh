#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A module that makes kprobe events through the in-kernel interface (kprobe_event_gen_test).
# What it probes, do_sys_open(), is inlined into its callers on most builds. kprobes_target calls
# it, each time its parameter do_sys_open is read: without a file name, for which it fails.

module=kprobe_event_gen_test
caller=kprobes_target
call=/sys/module/$caller/parameters/do_sys_open
tracing=/sys/kernel/tracing
calls=5

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

hits()
{
	awk -v name="$1" '$1 == name { print $2 }' "$tracing/kprobe_profile"
}

# There may be other callers, so this is the least number.
are_hit()
{
	entries=$(hits gen_kprobe_test)
	returns=$(hits gen_kretprobe_test)
	n=0
	while [ $n -lt $calls ]; do
		[ "$(cat $call)" = -14 ] || return 1
		n=$((n + 1))
	done
	[ "$(hits gen_kprobe_test)" -ge $((entries + calls)) ] &&
		[ "$(hits gen_kretprobe_test)" -ge $((returns + calls)) ]
}

# -EFAULT; its form depends on whether the event has a type. The module knows the registers of
# arguments on some architectures, and defines none on others.
are_recorded()
{
	arguments=""
	! grep -q 'gen_kprobe_test .*dfd=' "$tracing/kprobe_events" || arguments=".*dfd=.*filename="
	grep -Eq "gen_kprobe_test: \\(do_sys_open\\+$arguments" "$tracing/trace" &&
		grep -Eq 'gen_kretprobe_test: \(.* <- do_sys_open\).*=(0xf*f2|-14)' \
			"$tracing/trace"
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
if ! modprobe $caller; then
	ktap_skip_all "no module $caller: CONFIG_KPROBES_KUNIT_TEST"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 7

ktap_test_result "the module loads" modprobe $module
ktap_test_result "its two events exist" exist
ktap_test_result "they are enabled" are_on
ktap_test_result "each call hits both" are_hit
ktap_test_result "the trace has what they record" are_recorded
ktap_test_result "the module unloads" rmmod $module
ktap_test_result "its events went with it" are_gone
rmmod $caller

ktap_finished
