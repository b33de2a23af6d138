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

# machine MODE [KERNEL ARGUMENT...]: sets $machine to the command line of QEMU. The guest's clock counts
# instructions, two to a nanosecond, and all virtual CPUs take turns in one thread by that clock: two runs
# of one kernel print the same, whatever else the host does. An idle guest's clock jumps to the next timer.
# SEED is what a guest has of chance. TCG_THREAD=multi: a thread for each CPU, by the host's clock.
# The accelerator is always named, because there may be a /dev/kvm that cannot run guests.
machine()
{
	local mode=$1 memory=1G thread=${TCG_THREAD:-single} clock cpus=${SMP:-4}
	shift
	! checks_memory || memory=2G
	take_fragment
	clock="-icount shift=1,sleep=off -rtc base=2024-01-01,clock=vm"
	[ "$thread" = single ] || clock=
	# shellcheck disable=SC2206,SC2207 # words
	machine=(
		$("$scripts/emulator" "$arch") ${qemu#* } -smp "$cpus${by_sockets:+,sockets=$cpus}" -m "$memory"
		-accel "tcg,thread=$thread" $clock -seed "${SEED:-1}"
		-nodefaults -nographic -serial mon:stdio -no-reboot
		-kernel "$out/$image" -initrd "$out/initramfs.cpio"
		-append "console=$console panic=-1 printk.devkmsg=on watchdog_thresh=60 ${boot_args:-} $* -- $mode"
	)
}
