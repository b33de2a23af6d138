# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables of and for who sources this
# What the scripts must know of t32: arm's machine, and kernels of Thumb-2's instructions.

# shellcheck source=scripts/arch/arm.sh
. "$scripts/arch/arm.sh"
kbuild_arch=arm
foreign='kprobes-(a32|insn)\.c'
