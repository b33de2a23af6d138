# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of sparc64. Its machine has one CPU.

srcarch=sparc
cross=sparc64-linux-gnu-
image=vmlinux
image_target=vmlinux
console=ttyS0
qemu="qemu-system-sparc64 -M sun4u"
emulator_packages="qemu-system-sparc"
SMP=1
# QEMU 10 aborts at an interrupt that a write to a register raises while it counts instructions.
by_host_clock=always
# An assertion of the base does not hold: O_TMPFILE has the bit of a flag of fanotify.
kernel_flags=CFLAGS_fcntl.o=-U__OPTIMIZE__

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" sparc64 "$cross"; }
