/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asm/kprobes.h includes it for others. It takes a running kernel. */
