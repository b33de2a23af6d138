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
# Firmware and stop_machine() spin until other CPUs have answered. With one thread a CPU gets its
# turn when something interrupts the emulator, else after 100 ms.
tcg_thread=multi
# So in one thread all CPUs have timer ticks, also idle ones, and not at the same time.
[ "${TCG_THREAD:-}" != single ] || boot_args="nohz=off skew_tick=1"
qemu="qemu-system-riscv64 -M virt -cpu rv64"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" riscv64 "$cross"; }
