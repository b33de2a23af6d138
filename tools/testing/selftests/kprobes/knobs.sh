#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# /sys/kernel/debug/kprobes/enabled: which words it accepts, and that off disarms every probe and
# changes nothing else.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

knob=$kprobes/enabled

# Reading the count calls the probed function, so each reading is one more hit.
look()
{
	hits=$(awk '{ print $2; exit }' "$batch_hits")
}

each_look_hits()
{
	look
	before=$hits
	look
	equal "$hits" $((before + 1))
}

no_look_hits()
{
	look
	before=$hits
	look
	equal "$hits" "$before"
}

# The count has not changed since it was turned off, and increases again.
on_again()
{
	off=$hits
	echo on >"$knob"
	look
	equal "$hits" $((off + 1)) && each_look_hits
}

# The lines of probes of all kinds in the list do not change.
keeps_the_list()
{
	was=$(list)
	echo "$1" >"$knob" && equal "$(list)" "$was"
}

not_diverted()
{
	echo 1 >"$batch_refuse"
	cat "$batch_hits"
	status=$?
	echo 0 >"$batch_refuse"
	equal "$status" 0
}

loads_while_off()
{
	mark_log
	load kprobes_handlers && is_listed kernel_clone && a_fork &&
		not grep_log '^kprobes_handlers: before'
}

hit_when_on()
{
	mark_log
	echo 1 >"$knob"
	a_fork
	logged '^kprobes_handlers: before kernel_clone'
}

gone_while_off()
{
	echo 0 >"$knob"
	mark_log
	unload kprobes_handlers && logged '^kprobes_handlers: done' && a_fork &&
		not is_listed kernel_clone
}

# The events: "silent" is disabled, "loud" is enabled.
make_events()
{
	event p silent kernel_clone && event p loud kernel_clone && event_enable loud 1 &&
		is_listed kernel_clone '.*\[DISABLED\].*' && loud_hits
}

loud_hits()
{
	was=$(event_hits loud)
	a_fork
	at_least "$(event_hits loud)" $((was + 1)) && equal "$(event_hits silent)" 0
}

nobody_hits()
{
	was=$(event_hits loud)
	a_fork
	equal "$(event_hits loud)" "$was" && equal "$(event_hits silent)" 0
}

# Probes that are enabled or disabled while everything is off: takes effect when it is on.
swap_while_off()
{
	event_enable loud 0 && event_enable silent 1 && a_fork && nobody_hits
}

swapped_when_on()
{
	echo 1 >"$knob"
	was=$(event_hits loud)
	a_fork
	equal "$(event_hits loud)" "$was" && at_least "$(event_hits silent)" 1
}

begin kprobes_handlers kprobes_batch
events=$(no_events)
plan 42

for on in 1 y Y on; do
	echo 0 >"$knob"
	check "enabled takes $on" takes $on 1
done
for off in 0 n N off; do
	echo 1 >"$knob"
	check "enabled takes $off" takes $off 0
done
for wrong in 2 -1 x o yes 1x true ''; do
	check "enabled refuses '$wrong' when off" refuses "$wrong"
done
echo 1 >"$knob"
for wrong in 2 -1 x o no 0x false ''; do
	check "enabled refuses '$wrong' when on" refuses "$wrong"
done

load kprobes_batch symbols=kprobes_batch:hits_get
check "probes hit" each_look_hits
check "off leaves the list alone" keeps_the_list 0
check "no probe hits when off" no_look_hits
check "no execution path changes when off" not_diverted
check "off twice is off" takes 0 0
check "probes hit when on again" on_again
check "on twice is on" takes 1 1
check "probes hit once after on twice" each_look_hits

echo 0 >"$knob"
check "a probe can be registered while off" loads_while_off
check "and hits when on" hit_when_on
check "a probe can be unregistered while off" gone_while_off
echo 1 >"$knob"

check_if "$events" "a disabled and an enabled event" make_events
was_listed=$(list)
echo 0 >"$knob"
check_if "$events" "neither hits when off" nobody_hits
check_if "$events" "off leaves their list entries alone" equal "$(list)" "$was_listed"
echo 1 >"$knob"
check_if "$events" "the disabled one does not hit when on again" loud_hits
echo 0 >"$knob"
check_if "$events" "disabling and enabling them while off" swap_while_off
check_if "$events" "takes effect when on" swapped_when_on
check_if "$events" "on leaves the others alone" each_look_hits

finish
