# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of ppc64le.

srcarch=powerpc
kbuild_arch=powerpc
cross=powerpc64le-linux-gnu-
image=vmlinux
image_target=vmlinux
console=hvc0
# What the emulator does not have of the mitigations.
qemu="qemu-system-ppc64 -M pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off -cpu power10"
emulator_packages="qemu-system-ppc"

# Debian's architecture, and its suite that has stress-ng.
stress_ng="ppc64el bookworm"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" ppc64le "$cross"; }
