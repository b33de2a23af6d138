# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154,SC2034 # variables of load_arch, and of who sources this
# Sourced after load_arch: how a built kernel is booted.

# Kernel arguments without which a boot takes 15 seconds longer: KUnit's suites, and the
# start-up tests of ftrace, which any tracer named here switches off.
no_boot_tests="kunit.enable=0 ftrace=nop"

# machine MODE [KERNEL ARGUMENT...]: sets $machine to the command line of QEMU. One thread for
# all virtual CPUs, unless the architecture asks for several: QEMU 7.2 with several now and then
# runs an int3 that is already patched away. An accelerator is always named, because a /dev/kvm
# may be there that cannot run guests.
machine()
{
	local mode=$1 memory=1G
	shift
	case $variant in debug | kcsan) memory=2G ;; esac
	# shellcheck disable=SC2206 # words
	machine=(
		$qemu -smp "${SMP:-4}" -m "$memory" -accel "tcg,thread=${TCG_THREAD:-${tcg_thread:-single}}"
		-nodefaults -nographic -serial mon:stdio -no-reboot
		-kernel "$out/$image" -initrd "$out/initramfs.cpio"
		-append "console=$console panic=-1 printk.devkmsg=on watchdog_thresh=60 ${boot_args:-} $* -- $mode"
	)
}
