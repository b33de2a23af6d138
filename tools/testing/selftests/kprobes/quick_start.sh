#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the quick start of Documentation/trace/kprobes.rst has users type prints what the document
# says. The commands, the output and the module come out of the document: see Makefile.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

here=$(cd "$(dirname "$0")" && pwd)
directories="/tmp/first /tmp/second /tmp/third /tmp/fourth"

# shape: what is the same in each run, without tasks, times, places and the width of columns.
shape()
{
	sed -E -e 's/^[^]]*\][^:]*: //' -e 's/\([^)]*\)/()/' -e 's/^[^ ]+ makes/somebody makes/' \
		-e 's/ +/ /g' -e 's/^ //' -e 's/ $//'
}

# types EXAMPLE: in a shell of its own, because it changes the directory. A guest need not make the
# module: the host has made it.
types()
{
	# shellcheck disable=SC2016 # for the other shell
	sh -c 'make() { [ -e first_probe.ko ]; }; cd "$1" && . "./quick_start.$2"' \
		types "$here" "$1" >"$work/output" 2>"$work/errors"
}

# prints EXAMPLE: each line that the document shows, among others
prints()
{
	shape <"$work/output" >"$work/is"
	shape <"$here/quick_start.$1-prints" >"$work/should-be"
	[ -s "$work/should-be" ] || return 1
	while read -r line; do
		grep -qxF -e "$line" "$work/is" && continue
		echo "does not print: $line"
		cat "$work/output" "$work/errors"
		return 1
	done <"$work/should-be"
}

# perf stat prints on its standard error.
works()
{
	types "$1"
	[ "$1" != perf ] || cat "$work/errors" >>"$work/output"
	prints "$1"
}

remove_directories()
{
	for directory in $directories; do
		[ ! -d "$directory" ] || rmdir "$directory"
	done
}

# lacks PROGRAM: why it cannot be run, or nothing
lacks()
{
	[ -n "$(command -v "$1")" ] || echo "there is no $1"
}

# shellcheck disable=SC2119 # no module of the kernel's is needed
begin
events=$(no_events)
remove_directories
[ -n "$events" ] || echo >"$tracefs/trace"
no_module=$([ -e "$here/first_probe.ko" ] || echo "first_probe.ko was not built")
plan 5

check_if "$events" "tracefs" works tracefs
check_if "$no_module" "a module" works module
check_if "$events$(lacks perf)" "perf" works perf
check_if "$events$(lacks bpftrace)" "bpftrace" works bpftrace
remove_directories
check "list is as before" list_is_as_before

finish
