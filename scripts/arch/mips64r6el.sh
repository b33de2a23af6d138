# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of mips64r6el: 64 bit, little endian, release 6.

srcarch=mips
kbuild_arch=mips
cross=mipsisa64r6el-linux-gnuabi64-
image=vmlinux
image_target=vmlinux
console=ttyS0
qemu="qemu-system-mips64el -M malta -cpu I6400"
emulator_packages="qemu-system-mips"
SMP=2
# While QEMU 10 counts instructions, the timer of this CPU never expires.
by_host_clock=always

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" mips64r6el "$cross"; }
