#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# KUnit's suites of kprobes a second time in the same boot: nothing that a suite needs is only there
# once, and none has left anything behind that another one, or itself, finds.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

suites=$debugfs/kunit
# shellcheck disable=SC2119 # no module is needed
begin
[ -e "$suites" ] || skip_all "needs CONFIG_KUNIT_DEBUGFS"
names=""
for run in "$suites"/kprobes*/run; do
	[ ! -e "$run" ] || names="$names $(basename "$(dirname "$run")")"
done
[ -n "$names" ] || skip_all "needs CONFIG_KPROBES_KUNIT_TEST, and not kunit.enable=0"

# Runs a suite, and prints what of it has failed. KUnit would report to the console as well, where
# these results do not belong: they are this test's.
passes()
{
	level=$(cut -f 1 /proc/sys/kernel/printk)
	echo 5 >/proc/sys/kernel/printk
	echo 1 >"$suites/$1/run"
	echo "$level" >/proc/sys/kernel/printk
	grep -E "^ *(# $1|ok|not ok)" "$suites/$1/results" | tail -n 40
	grep -q "^ok 1 $1" "$suites/$1/results" && ! grep -q "not ok" "$suites/$1/results"
}

# shellcheck disable=SC2086 # words
plan "$(echo $names | wc -w)"
for name in $names; do
	check "$name" passes "$name"
done
finish
