# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of riscv64.

srcarch=riscv
kbuild_arch=riscv
cross=riscv64-linux-gnu-
image=arch/riscv/boot/Image
image_target=Image
console=ttyS0
# The console comes after the start-up tests of ftrace, the early one before them.
boot_args=earlycon=sbi
qemu="qemu-system-riscv64 -M virt -cpu rv64,v=true"
emulator_packages="qemu-system-riscv opensbi"

# Debian's architecture, and its suite that has stress-ng.
stress_ng="riscv64 trixie"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" riscv64 "$cross"; }
