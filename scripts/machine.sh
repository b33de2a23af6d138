# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154,SC2034 # variables of load_arch, and of who sources this
# Sourced after load_arch: how a built kernel is booted.

# Kernel arguments that save 15 seconds of a boot: they switch off KUnit's suites, and the start-up
# tests of ftrace, for which it is enough to name a tracer.
no_boot_tests="kunit.enable=0 ftrace=nop"

# take_fragment: sets the CPU in $qemu, and adds to $boot_args, as a variant's fragment tells. Call it
# once.
take_fragment()
{
	local cpu
	cpu=$(named_by_fragment CPU "$top")
	[ -z "$cpu" ] || qemu="${qemu/-cpu max/-cpu $cpu}"
	boot_args="${boot_args:-} $(named_by_fragment Arguments "$top")"
}

# take_threads THREAD: has $qemu run one in which a thread for each CPU can be trusted, unless THREAD
# is "single".
take_threads()
{
	local words
	[ "$1" != single ] || return 0
	words=$("$scripts/emulator" "${qemu%% *}") || return
	qemu="$words ${qemu#* }"
}

# machine MODE [KERNEL ARGUMENT...]: sets $machine to the command line of QEMU. All virtual CPUs are
# in one thread: with several, QEMU 7.2 sometimes executes a breakpoint that was patched away before,
# and TCG_THREAD=multi takes another one: see emulator.
# If they do not take turns by themselves, the architecture's script names who has them do so. It also
# names who finds firmware that can be trusted, if QEMU's own cannot. The accelerator is always named,
# because there may be a /dev/kvm that cannot run guests.
machine()
{
	local mode=$1 memory=1G thread=${TCG_THREAD:-single}
	shift
	! checks_memory || memory=2G
	take_fragment
	take_threads "$thread"
	[ "$thread" = single ] || turns=
	[ -z "${firmware:-}" ] || qemu="$qemu -bios $("$firmware")"
	# shellcheck disable=SC2206 # words
	machine=(
		${turns:-} $qemu -smp "${SMP:-4}" -m "$memory" -accel "tcg,thread=$thread"
		-nodefaults -nographic -serial mon:stdio -no-reboot
		-kernel "$out/$image" -initrd "$out/initramfs.cpio"
		-append "console=$console panic=-1 printk.devkmsg=on watchdog_thresh=60 ${boot_args:-} $* -- $mode"
	)
}
