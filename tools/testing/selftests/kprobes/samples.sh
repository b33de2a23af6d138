#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Each module of samples/kprobes does what it says, as it comes with the kernel, and as the
# document's Makefile builds it outside of the kernel's tree: that, the host has done.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

here=$(cd "$(dirname "$0")" && pwd)
absent=/tmp/no-such-file

gone()
{
	unload "$1" && list_is_as_before
}

hello()
{
	mark_log
	load kprobe_example && is_listed do_unlinkat || return 1
	: >"$work/file"
	unlink "$work/file"
	unlink "$absent" 2>/dev/null
	# What the function gets then is no name.
	unlink '' 2>/dev/null
	logged "^kprobe_example: unlink removes $work/file\$" &&
		logged '^kprobe_example: unlink gets 0$' &&
		logged "^kprobe_example: unlink removes $absent\$" &&
		logged '^kprobe_example: unlink gets -2$' && gone kprobe_example || return 1
	mark_log
	unlink "$absent" 2>/dev/null
	not grep_log '^kprobe_example:'
}

batch()
{
	load kprobe_batch_example && is_listed vfs_open && is_listed vfs_read &&
		is_listed vfs_write || return 1
	cat /proc/version >/dev/null
	mark_log
	gone kprobe_batch_example &&
		logged '^kprobe_batch_example: vfs_open: [1-9][0-9]* calls, [0-9]+ missed$' &&
		logged '^kprobe_batch_example: vfs_read: [1-9][0-9]* calls, [0-9]+ missed$' &&
		logged '^kprobe_batch_example: vfs_write: [0-9]+ calls, [0-9]+ missed$'
}

# Nobody else calls hits_get().
batch_counts()
{
	load kprobes_batch && load kprobe_batch_example symbols=kprobes_batch:hits_get &&
		call_batch 5 || return 1
	mark_log
	unload kprobe_batch_example && gone kprobes_batch &&
		logged '^kprobe_batch_example: kprobes_batch:hits_get: 5 calls, 0 missed$'
}

batch_is_refused()
{
	refused ENOENT 2 kprobe_batch_example symbols=vfs_open,no_such_function,vfs_read &&
		list_is_as_before
}

returns()
{
	mark_log
	load kretprobe_example && is_listed kernel_clone || return 1
	a_fork
	returned="^kretprobe_example: .* kernel_clone returned [1-9][0-9]*"
	logged "$returned to .*\\+.* after [0-9]+ ns\$" && gone kretprobe_example &&
		logged '^kretprobe_example: done with kernel_clone, 0 calls missed$'
}

returns_elsewhere()
{
	mark_log
	load kretprobe_example func=vfs_open || return 1
	cat /proc/version >/dev/null
	logged '^kretprobe_example: cat: vfs_open returned 0 to ' && gone kretprobe_example
}

# Its module comes, is called, and goes.
waits()
{
	mark_log
	load kprobe_pending_example symbol=kprobes_batch:hits_get &&
		grep 'hits_get+0x0  \[PENDING\]$' "$kprobes/list" &&
		load kprobes_batch && call_batch 1 &&
		logged '^kprobe_pending_example: kprobes_batch:hits_get is called$' &&
		unload kprobes_batch && grep 'hits_get+0x0  \[PENDING\]$' "$kprobes/list" &&
		gone kprobe_pending_example
}

# test_all WHERE REASON
test_all()
{
	check_if "$2" "kprobe_example $1 logs arguments and what is returned" hello
	check_if "$2" "kprobe_batch_example $1 sums up what it has counted" batch
	check_if "$2" "it counts each call" batch_counts
	check_if "$2" "it probes all of the functions or none" batch_is_refused
	check_if "$2" "kretprobe_example $1 logs how long calls take" returns
	check_if "$2" "it takes another function" returns_elsewhere
	check_if "$2" "kprobe_pending_example $1 waits for a module" waits
}

begin kprobe_example kretprobe_example kprobe_batch_example kprobe_pending_example kprobes_batch
plan 15
test_all "of the kernel"
modules=$here
test_all "built outside" "$([ -e "$here/kprobe_example.ko" ] || echo "they were not built outside")"
check "list is as before" list_is_as_before

finish
