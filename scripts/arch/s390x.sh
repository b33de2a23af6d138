# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of s390x.

srcarch=s390
kbuild_arch=s390
cross=s390x-linux-gnu-
image=arch/s390/boot/bzImage
image_target=bzImage
console=ttyS0
qemu="qemu-system-s390x -M s390-ccw-virtio -cpu max"
emulator_packages="qemu-system-s390x"
# The value of TCG_THREAD with which no CPU may go offline or come: one that executes SIGP waits for another,
# which waits for all to stop executing, for ever.
no_hotplug=multi

# Debian's architecture, and its suite that has stress-ng.
stress_ng="s390x bookworm"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" s390x "$cross"; }
