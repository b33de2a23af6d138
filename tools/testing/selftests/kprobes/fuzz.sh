#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Random calls of the API, compared with a model of it: the KUnit suite kprobes_model once more,
# now with a module that comes and goes between the calls, and with calls from a module notifier.
# FUZZ_SEED has it use a seed again that it has printed.

# shellcheck source=functions.sh
. "$(dirname "$0")/functions.sh"

target=kprobes_target
suite=kprobes_model
kunit=$debugfs/kunit/$suite
parameters=/sys/module/$suite/parameters

seed=${FUZZ_SEED:-$(date +%s)}

# executable NAME COMMAND...: makes a file that the kernel can execute.
executable()
{
	file=$work/$1
	shift
	printf '#!/bin/sh\necho >>%s/executed\nexec %s\n' "$work" "$*" >"$file"
	chmod 755 "$file"
}

# parameter NAME VALUE
parameter()
{
	echo "$2" >"$parameters/$1"
}

set_up()
{
	executable load insmod "$(module_file "$target")" && parameter load "$work/load" &&
		executable unload rmmod "$target" && parameter unload "$work/unload" &&
		parameter seed "$seed" && parameter seeds 1 && parameter scripts 10
}

# quietly COMMAND...: what KUnit reports in the kernel's log is not shown on the console, where it
# would be taken for results of whoever runs this.
quietly()
{
	level=$(cut -f 1 /proc/sys/kernel/printk)
	echo 5 >/proc/sys/kernel/printk
	"$@"
	status=$?
	echo "$level" >/proc/sys/kernel/printk
	return "$status"
}

# run_suite: prints only the results, which name the seed and the steps that go wrong.
run_suite()
{
	echo 1 >"$kunit/run" && cat "$kunit/results" &&
		grep -q "ok 1 seed $seed\$" "$kunit/results" &&
		not grep -q "not ok" "$kunit/results"
}

module_came()
{
	at_least "$(wc -l <"$work/executed")" 10 && list_is_as_before
}

# The suite unloads the module itself; without these commands it leaves modules alone.
tear_down()
{
	parameter load "" && parameter unload "" && not grep -q "^$target " /proc/modules
}

begin "$target"
[ -e "$kunit/run" ] || skip_all "kernel has no CONFIG_KUNIT_DEBUGFS, or no suite $suite"
plan 4

echo "# seed $seed"
check "the suite is told its seed and how to load a module" set_up
check "calls with a module do what the model says" quietly run_suite
check "the module came and went" module_came
check "nothing is left" tear_down

finish
