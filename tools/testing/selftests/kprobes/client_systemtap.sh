#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# SystemTap as a client of kprobes: client_systemtap.stp, compiled on another machine, and staprun
# (make test TOOLS=1 of the project that has this test).

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

compiled=$PWD/client_systemtap.ko
calls=20

says() { grep -q "$1" "$work/said_by_staprun"; }

# make_dirs, remove_dirs: so many calls of do_mkdirat() and do_rmdir(); mkdir fails if they are
# there.
make_dirs()
{
	for d in $(seq "$calls"); do mkdir "$work/d$d" 2>/dev/null; done
}

remove_dirs()
{
	for d in $(seq "$calls"); do rmdir "$work/d$d"; done
}

starts()
{
	staprun "$compiled" >"$work/said_by_staprun" 2>&1 &
	sleeping="$sleeping $!"
	soon says '^begin$' || { cat "$work/said_by_staprun"; return 1; }
}

probes_are_listed()
{
	is_listed fifo_open && is_listed do_mkdirat && is_listed hits_get && is_listed do_rmdir
}

# After a sync the condition is another, and SystemTap disables or enables the probe a while later.
disabled() { is_listed do_rmdir '.*\[DISABLED\].*' >/dev/null; }
enabled() { is_listed do_rmdir >/dev/null && ! disabled; }

works()
{
	open_fifo "$fifo" "$calls"
	make_dirs
	make_dirs
	call_batch "$calls"
}

goes_off_and_on()
{
	enabled || return 1
	remove_dirs
	sync
	soon disabled || return 1
	make_dirs
	remove_dirs
	sync
	soon enabled || return 1
	make_dirs
	remove_dirs
}

# counted WHAT TIMES: the script did, so often.
counted()
{
	says "\\<$1 $2\\>" || { cat "$work/said_by_staprun"; return 1; }
}

ends()
{
	soon says '^symbol ' && soon not grep -q '^client_systemtap ' /proc/modules
}

# stap -t has the module tell each probe's nmissed that is not 0.
no_warnings()
{
	! grep -Ei 'warn|error|skipped|missed' "$work/said_by_staprun" &&
		! log | grep -E 'WARNING:|BUG:'
}

begin kprobes_batch
[ -n "$(command -v staprun)" ] || skip_all "there is no staprun"
[ -f "$compiled" ] || skip_all "client_systemtap.stp is not compiled for this kernel"
fifo=$work/fifo
mkfifo "$fifo"
load kprobes_batch || exit 1
listed_before=$(list)
plan 13

check "staprun starts" starts
check "its probes are listed" probes_are_listed
check "a workload" works
check "a probe goes off and on" goes_off_and_on
check "its timer ends it, and the module goes" ends
check "a function by its symbol" counted symbol "$calls"
check "the same by its address" counted address "$calls"
check "returns, and their value" counted failed "$calls"
check "what entries keep for their returns" counted matched $((4 * calls))
check "a function of a module" counted module "$calls"
check "the probe that goes off and on" counted switched $((2 * calls))
check "no misses and no warnings" no_warnings
check "list is as before" list_is_as_before

finish
