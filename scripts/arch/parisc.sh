# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of parisc, 32 bit.

srcarch=parisc
kbuild_arch=parisc
cross=hppa-linux-gnu-
image=vmlinux
image_target=vmlinux
console=ttyS0
qemu="qemu-system-hppa -M B160L"
emulator_packages="qemu-system-misc"
# Kernels are configured for one CPU. A second one comes up after smp_init(), by a driver.
SMP=1

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" parisc "$cross"; }
