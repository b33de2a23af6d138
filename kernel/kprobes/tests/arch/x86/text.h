/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KPROBES_TESTS_X86_TEXT_H
#define _KPROBES_TESTS_X86_TEXT_H

/* Text of x86 on byte arrays, for the suites about regions and scans. */

/* The address that it is taken to be at. */
#define FROM	0xffffffff81234000UL

#define LE32(x) \
	(u32)(x) & 0xff, (u32)(x) >> 8 & 0xff, (u32)(x) >> 16 & 0xff, (u32)(x) >> 24

#define TEXT(...) \
	.text = { __VA_ARGS__ }, .size = sizeof((u8[]){ __VA_ARGS__ })

#define PUSH_RBP	0x55
#define MOV_RBP_RSP	0x48, 0x89, 0xe5

#endif
