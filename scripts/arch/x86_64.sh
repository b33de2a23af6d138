# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034 # variables of who sources this
# What the scripts must know of x86_64.

srcarch=x86
# Pattern of our files in arch/$srcarch that are not of this architecture.
foreign=
cross=
image=arch/x86/boot/bzImage
image_target=bzImage
console=ttyS0
# On a busy host an emulated timer ticks late, and the kernel would take it for broken.
boot_args=no_timer_check
qemu="qemu-system-x86_64 -M q35 -cpu max"

# Path of a busybox for the guest.
guest_busybox() { echo /bin/busybox; }
