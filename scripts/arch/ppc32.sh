# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of ppc32.

srcarch=powerpc
kbuild_arch=powerpc
cross=powerpc-linux-gnu-
image=vmlinux
image_target=vmlinux
console=ttyPZ0
# The machine has one CPU.
SMP=1
qemu="qemu-system-ppc -M g3beige"
emulator_packages="qemu-system-ppc"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" ppc32 "$cross"; }
