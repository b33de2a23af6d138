#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Return probes on functions in execve(), which replaces the program but keeps its kernel stack:
# the call is in the old program and the return in the new one. Each call has its return, and the
# executed programs work.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

times=5

# Functions that execve() calls, if this kernel has not inlined them. Events need a name that is
# unique: load_elf_binary() may be there twice, for programs of 64 and of 32 bit.
functions()
{
	for f in __x64_sys_execve do_execveat_common.isra.0 do_execveat_common bprm_execve \
		exec_binprm load_elf_binary; do
		[ "$(grep -c " [tT] $f\$" /proc/kallsyms)" -ne 1 ] || echo "$f"
	done
}

name_of()
{
	echo "$1" | tr . _
}

add_events()
{
	functions >"$work/functions"
	all_match . "$work/functions" || return 1
	while read -r f; do
		event p "entry_$(name_of "$f")" "$f" &&
			event r "return_$(name_of "$f")" "$f" || return 1
	done <"$work/functions"
	# All at once: no program must be executed when only some of them are enabled.
	echo 1 >"$tracefs/events/$group/enable"
}

# A program of its own, because the shell may not execute its built-in commands.
execute()
{
	cat >"$work/program" <<-'END'
		#!/bin/sh
		echo "round $1"
	END
	chmod +x "$work/program"
	round=0
	while [ "$round" -lt "$times" ]; do
		equal "$("$work/program" "$round")" "round $round" || return 1
		round=$((round + 1))
	done
}

execute_missing()
{
	round=0
	while [ "$round" -lt "$times" ]; do
		not "$work/no_such_program" 2>/dev/null || return 1
		round=$((round + 1))
	done
}

# The first of the functions is called by each execve().
calls_seen()
{
	event_hits "entry_$(name_of "$(head -n 1 "$work/functions")")"
}

# count entry|return FUNCTION: how often the profile has it.
count()
{
	awk -v name="$1_$(name_of "$2")" '$1 == name { print $2 }' "$work/profile"
}

# returns_seen LEAST: each function has as many returns as calls, and the first LEAST or more.
returns_seen()
{
	awk '{ print $1, $2, $3 }' "$tracefs/kprobe_profile" >"$work/profile"
	cat "$work/profile"
	while read -r f; do
		equal "$(count return "$f")" "$(count entry "$f")" || return 1
	done <"$work/functions"
	at_least "$(calls_seen)" "$1" &&
		equal "$(awk '{ n += $3 } END { print n + 0 }' "$work/profile")" 0
}

new_programs_run()
{
	was=$(calls_seen)
	execute && returns_seen $((was + times))
}

failed_calls_return()
{
	was=$(calls_seen)
	execute_missing && returns_seen $((was + times))
}

works_without()
{
	remove_events && execute && list_is_as_before
}

begin kprobes_handlers
events=$(no_events)
[ -z "$events" ] || skip_all "$events"
mark_log
plan 4

check "return probes on the way of execve()" add_events
check "new programs run, all returns are seen" new_programs_run
check "returns of calls that fail are seen" failed_calls_return
check "works without the probes" works_without

finish
