# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of arm: ARMv7, and kernels of A32 instructions.

srcarch=arm
foreign='kprobes(-insn|-forms)?-t32\.c'
cross=arm-linux-gnueabihf-
image=arch/arm/boot/zImage
image_target=zImage
console=ttyAMA0
boot_args=earlycon
qemu="qemu-system-arm -M virt -cpu cortex-a15"
emulator_packages="qemu-system-arm"
stress_ng="armhf bookworm"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" arm "$cross"; }
