#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# LKDTM as a client of kprobes: a crash point in hard interrupt context warns, and the kernel
# lives on. Marker lines tell programs that watch the console which warnings are expected.

lkdtm=/sys/kernel/debug/provoke-crash
# handle_irq_event(); on s390, which has other ways to handlers of interrupts, do_IRQ().
case $(uname -m) in
s390*) point=INT_HARDWARE_ENTRY ;;
*) point=INT_HW_IRQ_EN ;;
esac
parking=FS_SUBMIT_BH		# a point that nothing passes here
splat="WARNING: .* lkdtm_[A-Za-z_]*+"	# the function may be inlined
printk=/proc/sys/kernel/printk

. "$(dirname "$0")/../kselftest/ktap_helpers.sh"

put() { echo "$1" > "$2"; }

# How often the kernel log has each of the two lines.
count() { dmesg | grep -c "$1"; }
hits() { count "lkdtm: Crash point $point"; }
warnings() { count "$splat"; }

# Interrupts of a device: the console's.
interrupts()
{
	i=0
	while [ $i -lt 50 ]; do
		echo "# a line for the console's interrupt" > /dev/console
		i=$((i + 1))
	done
}

# How many there have been.
raised()
{
	awk '/uart|serial|ttyS|Service Call/ { for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i }
		END { print n + 0 }' /proc/interrupts
}

# LKDTM removes a crash point only when another one is set.
disarm()
{
	put WARNING "$lkdtm/$parking" 2>/dev/null
	put "# expect-splat-end" /dev/kmsg
	put "$level" $printk
}

ktap_print_header
if [ ! -e "$lkdtm/$point" ]; then
	ktap_skip_all "no crash points: CONFIG_LKDTM, CONFIG_KPROBES"
	exit "$KSFT_SKIP"
fi
# It leaves the address in the probe, which therefore cannot be registered again.
if [ "$(hits)" -gt 0 ]; then
	ktap_skip_all "LKDTM can set a crash point once"
	exit "$KSFT_SKIP"
fi
interrupts
if [ "$(raised)" -eq 0 ]; then
	ktap_skip_all "the console raises no interrupts"
	exit "$KSFT_SKIP"
fi
ktap_set_plan 4

put "# expect-splat-begin: $splat" /dev/kmsg
level=$(cut -f 1 $printk)
trap disarm EXIT
# Not each hit is shown, which could raise the console's next interrupt.
[ "$level" -le 5 ] || put 5 $printk
hits=$(hits)
warnings=$(warnings)

ktap_test_result "crash point $point is set" put WARNING "$lkdtm/$point"
tries=0
while [ "$(warnings)" -le "$warnings" ] && [ $tries -lt 20 ]; do
	interrupts
	tries=$((tries + 1))
done
disarm
trap - EXIT
ktap_test_result "the crash point was hit" [ "$(hits)" -gt "$hits" ]
ktap_test_result "it warned" [ "$(warnings)" -gt "$warnings" ]

hits=$(hits)
interrupts
ktap_test_result "no hit once another crash point is set" [ "$(hits)" -eq "$hits" ]

ktap_finished
