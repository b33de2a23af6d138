# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of loongarch64. No gcc for it is in Debian 12.

srcarch=loongarch
kbuild_arch=loongarch
cross=
built_by=clang
image=vmlinux
image_target=vmlinux
console=ttyS0
boot_args=earlycon
qemu="qemu-system-loongarch64 -M virt -cpu max"
emulator_packages="qemu-system-misc"
# QEMU 10 aborts at an interrupt of another CPU while it counts instructions.
by_host_clock=smp
# They would wait for each other on a host that has no more.
: "${SMP:=2}"

# Programs of the guest: clang, with the C library of Debian 13.
sysroot_triple=loongarch64-linux-gnu
sysroot_packages="libc6-dev-loong64-cross libc6-loong64-cross libgcc-14-dev-loong64-cross \
libgcc-s1-loong64-cross linux-libc-dev-loong64-cross"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" loongarch64 "$(guest_prefix)"; }
