# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of mips64el: 64 bit, little endian.

srcarch=mips
kbuild_arch=mips
cross=mips64el-linux-gnuabi64-
image=vmlinux
image_target=vmlinux
console=ttyS0
qemu="qemu-system-mips64el -M malta -cpu MIPS64R2-generic"
emulator_packages="qemu-system-mips"
# The board has one CPU, unless that is of release 6.
SMP=1

# Debian's architecture, and its suite that has stress-ng.
stress_ng="mips64el bookworm"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" mips64el "$cross"; }
