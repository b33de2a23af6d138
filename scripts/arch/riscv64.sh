# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of riscv64.

srcarch=riscv
kbuild_arch=riscv
cross=riscv64-linux-gnu-
image=arch/riscv/boot/Image
image_target=Image
console=ttyS0
boot_args=
# The firmware spins until another CPU has answered: with one thread that takes a time slice.
tcg_thread=multi
qemu="qemu-system-riscv64 -M virt -cpu rv64"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" riscv64 "$cross"; }
