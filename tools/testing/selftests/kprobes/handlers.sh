#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the handlers of modules see and do: registers, returns, data of a call, another path of
# execution; and that nothing of them is left behind.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

address='0x[0-9a-f]+'

# --- kprobes_handlers

probes()
{
	mark_log
	load "$@" && is_listed kernel_clone && list_has_grown_by 1
}

list_has_grown_by()
{
	equal "$(list | grep -c .)" $(($(echo "$listed_before" | grep -c .) + $1))
}

logs_before_and_after()
{
	a_fork
	values=$(for name in sp argument result; do printf ', %s %s' "$name" "$address"; done)
	place=kernel_clone\\+
	for when in before after; do
		logged "^kprobes_handlers: $when $place.*: ip $place.*$values\$" || return 1
	done
}

# The argument of kernel_clone() lies on its caller's stack, of 16 KB, which may grow up.
logs_argument()
{
	values="sp ($address), argument ($address),"
	values=$(log | sed -nE "s/.*: before.* $values.*/\1 \2/p")
	[ -n "$values" ] && echo "$values" | while read -r sp argument; do
		[ $((argument - sp)) -gt -16384 ] && [ $((argument - sp)) -lt 16384 ] || exit 1
	done
}

# On x86 the instruction pointer in a handler is after the breakpoint, which has one byte.
logs_ip()
{
	offsets=$(log | grep '^kprobes_handlers: before' |
		sed 's/.* kernel_clone+\(0x[0-9a-f]*\).*ip kernel_clone+\(0x[0-9a-f]*\).*/\1 \2/')
	echo "$offsets" | while read -r at ip; do
		equal $((ip)) $((at + 1)) || exit 1
	done
}

ends()
{
	mark_log
	unload "$1" && logged "^$1: $2\$" && list_is_as_before
}

quiet_afterwards()
{
	mark_log
	a_fork
	not grep_log '^kprobes_(handlers|returns): (before|after|kernel_clone returned)'
}

probes_elsewhere()
{
	mark_log
	load kprobes_handlers symbol=vfs_open && is_listed vfs_open || return 1
	cat /dev/null
	logged '^kprobes_handlers: before vfs_open' &&
		ends kprobes_handlers 'done with vfs_open\+0x0, [0-9]+ hits missed'
}

# --- kprobes_returns

logs_returns()
{
	a_fork
	value='[0-9]+ \(0x[0-9a-f]+\)'
	logged "^kprobes_returns: kernel_clone returned $value to \w+\\+.* after [0-9]+ ns\$"
}

probes_func()
{
	mark_log
	load kprobes_returns symbol=vfs_open && is_listed vfs_open || return 1
	cat /dev/null
	logged '^kprobes_returns: vfs_open returned 0 ' &&
		ends kprobes_returns 'done with vfs_open, [0-9]+ calls missed'
}

# --- kprobes_batch

batch_loads()
{
	mark_log
	load kprobes_batch && logged '^kprobes_batch: counting calls of 3' &&
		is_listed vfs_open && is_listed vfs_read && is_listed vfs_write &&
		list_has_grown_by 5
}

hits_of()
{
	awk -v symbol="$1" '$1 == symbol { print $2 }' "$batch_hits"
}

batch_counts()
{
	opened=$(hits_of vfs_open)
	cat /dev/null
	at_least "$(hits_of vfs_open)" $((opened + 2))
}

logs_calls()
{
	mark_log
	cat "$batch_hits"
	logged '^kprobes_batch: call [0-9]+ by cat\[[0-9]+\] returned [1-9][0-9]*$'
}

refuses_reads()
{
	mark_log
	echo 1 >"$batch_refuse"
	not cat "$batch_hits" && logged '^kprobes_batch: call .* by cat.* returned -5$'
}

reads_again()
{
	echo 0 >"$batch_refuse"
	cat "$batch_hits"
}

# Two more probes at the address of the probe that diverts: one is older, the other newer.
diversion_hides_older_probes()
{
	load kprobes_batch symbols=kprobes_batch:hits_get &&
		load kprobes_handlers symbol=kprobes_batch:hits_get || return 1
	echo 1 >"$batch_refuse"
	cat "$batch_hits" 2>/dev/null
	echo 0 >"$batch_refuse"
	mark_log
	unload kprobes_handlers && unload kprobes_batch &&
		logged '^kprobes_handlers: done with .*, 0 hits missed' &&
		logged '^kprobes_batch: .*hits_get: 0 hits, [1-9][0-9]* missed'
}

batch_is_all_or_nothing()
{
	refused ENOENT 2 kprobes_batch symbols=vfs_open,vfs_read,no_such_function &&
		list_is_as_before
}

# The same function probed three times; the last handlers to go still run.
all_at_once()
{
	load kprobes_batch symbols=kernel_clone && load kprobes_returns &&
		load kprobes_handlers || return 1
	logs_before_and_after && logs_returns && at_least "$(hits_of kernel_clone)" 2 ||
		return 1
	unload kprobes_batch && unload kprobes_handlers || return 1
	mark_log
	logs_returns && unload kprobes_returns && list_is_as_before
}

begin kprobes_handlers kprobes_returns kprobes_batch
case $(uname -m) in
x86_64 | i?86) x86="" ;;
*) x86="not x86" ;;
esac
plan 23

check "kprobes_handlers probes kernel_clone" probes kprobes_handlers
check "it logs registers before and after" logs_before_and_after
check "the argument is what it is" logs_argument
check_if "$x86" "the instruction pointer is one after the address" logs_ip
check "it unloads" ends kprobes_handlers 'done with kernel_clone\+0x0, [0-9]+ hits missed'
check "and is not heard of again" quiet_afterwards
check "it probes another function" probes_elsewhere

check "kprobes_returns probes kernel_clone" probes kprobes_returns
check "it logs what is returned" logs_returns
check "it unloads" ends kprobes_returns 'done with kernel_clone, [0-9]+ calls missed'
check "and is not heard of again" quiet_afterwards
check "it probes another function" probes_func

check "kprobes_batch probes its functions" batch_loads
check "it counts" batch_counts
check "it logs calls with their data" logs_calls
check "it changes the execution path" refuses_reads
check "and leaves it alone" reads_again
check "it unloads with its figures" \
	ends kprobes_batch 'vfs_open: [1-9][0-9]* hits, [0-9]+ missed'
check "older probes than the change miss the hit" diversion_hides_older_probes
check "one unknown function is none probed" batch_is_all_or_nothing
check "one blacklisted function is none probed" \
	refused EINVAL 22 kprobes_batch symbols=vfs_open,notify_die,vfs_read
check "list is as before" list_is_as_before
check "all modules on one function" all_at_once

finish
