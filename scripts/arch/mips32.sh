# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of mips32: 32 bit, big endian.

srcarch=mips
kbuild_arch=mips
cross=mips-linux-gnu-
image=vmlinux
image_target=vmlinux
console=ttyS0
qemu="qemu-system-mips -M malta -cpu 34Kf"
emulator_packages="qemu-system-mips"
# The threads of one CPU.
SMP=2

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" mips32 "$cross"; }
