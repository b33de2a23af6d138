# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of arm64.

srcarch=arm64
cross=aarch64-linux-gnu-
image=arch/arm64/boot/Image
image_target=Image
console=ttyAMA0
boot_args=earlycon
# Pointer authentication as the architecture defines it costs an emulator more than all the rest.
qemu="qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on"
emulator_packages="qemu-system-arm"

# Debian's architecture, and its suite that has stress-ng.
stress_ng="arm64 bookworm"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" arm64 "$cross"; }
