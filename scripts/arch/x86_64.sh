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
qemu="qemu-system-x86_64 -M q35 -cpu max"
# Without ACPI the kernel finds CPUs in the firmware's table, which has the first one of each socket. Time
# stamp counters of several sockets it does not trust; the emulator's are one.
by_sockets=1
boot_args=tsc=reliable
# Debian's packages of the emulator and its firmware.
emulator_packages="qemu-system-x86 seabios"

# Path of a busybox for the guest.
guest_busybox() { echo /bin/busybox; }
