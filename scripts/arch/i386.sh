# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of i386: the same as of x86_64, but for the machine and its programs.

# shellcheck source=scripts/arch/x86_64.sh
. "$scripts/arch/x86_64.sh"

# Files of x86 that 32-bit kernels have no use for.
foreign='kprobes-(detour|opt)\.c'
qemu="qemu-system-i386 -M q35 -cpu max,vendor=GenuineIntel"

# The compiler of programs for the guest: Debian's gcc has no 32-bit C library beside it.
guest_cross=i686-linux-gnu-

# Debian's architecture, and its suite that has stress-ng.
stress_ng="i386 bookworm"

# Path of a busybox for the guest.
guest_busybox() { "$scripts/busybox" i386 "$guest_cross"; }
