# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of i386.

srcarch=x86
cross=
image=arch/x86/boot/bzImage
image_target=bzImage
console=ttyS0
# On a busy host an emulated timer ticks late, and the kernel would take it for broken.
boot_args=no_timer_check
qemu="qemu-system-i386 -M q35 -cpu max,vendor=GenuineIntel"

# The compiler of programs for the guest: Debian's gcc has no 32-bit C library beside it.
guest_cross=i686-linux-gnu-

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" i386 "$guest_cross"; }
