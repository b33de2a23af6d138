// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of the instructions of T32: kprobes-insn-t32.c plans and writes them by that. */
#include <linux/kprobe_isa.h>

#include "kprobes-t32.h"

#define ROW(bits, word, what, where, which, ...) \
	KPROBE_FORM(bits, word, what, where, .uses = which, __VA_ARGS__)
#define S_ROW(bits, word, ...)		ROW(HALF(bits), HALF(word), __VA_ARGS__)
#define REFUSE			KPROBE_REFUSE
#define S_REFUSE(bits, word, ...)	REFUSE(HALF(bits), HALF(word), __VA_ARGS__)
#define REFUSE_REST		REFUSE(0, 0, UNDECODABLE)

/*
 * What becomes of instructions: Arm Architecture Reference Manual, ARMv7-A and ARMv7-R edition,
 * "Thumb instruction set encoding", by the upper five bits of the first halfword. Why instructions
 * are refused is in kprobes-insn.c. FORM here is to A32, or with pc or sp where compilers have
 * neither.
 */
static const struct kprobe_form shift_by_number[] = {
	S_REFUSE(0xffff, 0x0000, FORM),					/* movs r0, r0 */
	ROW(0, 0, RUN, NEXT, 0),
};

/* What sets flags outside of blocks, and compares. */
static const struct kprobe_form plain[] = {
	ROW(0, 0, RUN, NEXT, 0),
};

static const struct kprobe_form high_registers[] = {
	S_ROW(0xfc00, 0x4000, RUN, NEXT, 0),				/* ands and others */
	S_REFUSE(0xffff, 0x44ff, FORM),					/* add pc, pc */
	S_REFUSE(0xffff, 0x44ef, FORM),					/* add pc, sp */
	S_ROW(0xff87, 0x4487, RUN, JUMP_INDIRECT, RELATIVE),		/* add pc, rm */
	S_REFUSE(0xffff, 0x44fd, FORM),					/* add sp, pc */
	S_ROW(0xff78, 0x4478, RUN, NEXT, RELATIVE),			/* add rd, pc */
	S_ROW(0xff00, 0x4400, RUN, NEXT, 0),				/* add */
	S_REFUSE(0xff87, 0x4587, FORM),					/* cmp pc, rm */
	S_ROW(0xff00, 0x4500, RUN, NEXT, M),				/* cmp */
	S_ROW(0xffff, 0x46f7, EMULATE, RETURN, 0),			/* mov pc, lr */
	S_ROW(0xff87, 0x4687, EMULATE, JUMP_INDIRECT, M),		/* mov pc, rm */
	S_REFUSE(0xffff, 0x46fd, FORM),					/* mov sp, pc */
	S_ROW(0xff78, 0x4678, RUN, NEXT, NUMBER),			/* mov rd, pc */
	S_ROW(0xff00, 0x4600, RUN, NEXT, 0),				/* mov */
	S_ROW(0xffff, 0x4770, EMULATE, RETURN, 0),			/* bx lr */
	S_ROW(0xff87, 0x4700, EMULATE, JUMP_INDIRECT, M),		/* bx */
	S_ROW(0xffff, 0x47f0, EMULATE, CALL_INDIRECT, 0, .no_copy = 1),	/* blx lr */
	S_ROW(0xff87, 0x4780, EMULATE, CALL_INDIRECT, M),		/* blx */
	REFUSE_REST,
};

static const struct kprobe_form short_literal[] = {
	ROW(0, 0, EMULATE, NEXT, RELATIVE, .data_len = 4),		/* ldr, literal */
};

static const struct kprobe_form short_adr[] = {
	ROW(0, 0, EMULATE, NEXT, NUMBER, .takes_address = 1),		/* adr */
};

static const struct kprobe_form miscellaneous[] = {
	S_ROW(0xf500, 0xb100, EMULATE, COND, NOT_IN_BLOCK),		/* cbz, cbnz */
	S_ROW(0xff00, 0xb000, RUN, NEXT, 0),				/* add sp, sub sp */
	S_ROW(0xff00, 0xb200, RUN, NEXT, 0),				/* sxth and others */
	S_ROW(0xfe00, 0xb400, RUN, NEXT, 0),				/* push */
	S_REFUSE(0xfff7, 0xb650, FORM),					/* setend */
	S_ROW(0xffe8, 0xb660, RUN, NEXT, NOT_IN_BLOCK),			/* cpsie, cpsid */
	S_REFUSE(0xffc0, 0xba80, TRAP),					/* hlt */
	S_ROW(0xff00, 0xba00, RUN, NEXT, 0),				/* rev and others */
	S_ROW(0xff00, 0xbd00, RUN, RETURN, 0),				/* pop {..., pc} */
	S_ROW(0xff00, 0xbc00, RUN, NEXT, 0),				/* pop */
	S_REFUSE(0xff00, 0xbe00, TRAP),					/* bkpt */
	S_ROW(0xffff, 0xbf00, NOP, NEXT, 0),				/* nop */
	S_REFUSE(0xffef, 0xbf20, SLEEP),				/* wfe, wfi */
	S_ROW(0xff0f, 0xbf00, RUN, NEXT, 0),				/* yield, sev */
	S_REFUSE(0xfff0, 0xbff0, UNDECODABLE),				/* it, never */
	S_ROW(0xffff, 0xbfe8, EMULATE, NEXT, NOT_IN_BLOCK, .no_copy = 1), /* it al */
	S_REFUSE(0xfff0, 0xbfe0, FORM),					/* it al, else never */
	S_ROW(0xff00, 0xbf00, EMULATE, NEXT, NOT_IN_BLOCK, .no_copy = 1), /* it */
	REFUSE_REST,
};

static const struct kprobe_form short_branches[] = {
	S_REFUSE(0xff00, 0xde00, TRAP),					/* udf */
	S_REFUSE(0xff00, 0xdf00, LEVEL),				/* svc */
	ROW(0, 0, EMULATE, COND, NOT_IN_BLOCK),				/* b with a condition */
};

static const struct kprobe_form short_jump[] = {
	ROW(0, 0, EMULATE, JUMP, 0),					/* b */
};

/* From 0xec000000 on as A32's without or with a condition. */
static const struct kprobe_form long_1[] = {
	REFUSE(0xffd00000, 0xe8100000, LEVEL, .flow = KPROBE_FLOW_RETURN), /* rfedb */
	REFUSE(0xffd00000, 0xe9900000, LEVEL, .flow = KPROBE_FLOW_RETURN), /* rfeia */
	REFUSE(0xffd00000, 0xe8000000, LEVEL),				/* srsdb */
	REFUSE(0xffd00000, 0xe9800000, LEVEL),				/* srsia */
	ROW(0xfe508000, 0xe8108000, RUN, RETURN, N),			/* ldm {..., pc} */
	REFUSE(0xfe508000, 0xe8008000, FORM),				/* stm {..., pc} */
	ROW(0xfe400000, 0xe8000000, RUN, NEXT, N),			/* ldm, stm */
	ROW(0xfff00000, 0xe8400000, RUN, NEXT, N | T | D, .exclusive = -1), /* strex */
	ROW(0xfff00000, 0xe8500000, RUN, NEXT, N | T, .exclusive = 1),	/* ldrex */
	ROW(0xfff00040, 0xe8c00040, RUN, NEXT, N | T, .exclusive = -1),	/* strexb and others */
	ROW(0xfff000c0, 0xe8c00080, RUN, NEXT, N | T),			/* stl, stlb, stlh */
	ROW(0xfff00040, 0xe8d00040, RUN, NEXT, N | T, .exclusive = 1),	/* ldrexb and others */
	ROW(0xfff000c0, 0xe8d00080, RUN, NEXT, N | T),			/* lda, ldab, ldah */
	ROW(0xffffffe0, 0xe8dff000, RUN, JUMP_INDIRECT, RELATIVE),	/* tbb, tbh [pc, rm] */
	REFUSE(0xfff0ffe0, 0xe8d0f000, FORM, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* others */
	REFUSE(0xff600000, 0xe8400000, UNDECODABLE),
	ROW(0xff7f0000, 0xe95f0000, RUN, NEXT, T | D | RELATIVE, .data_len = 8), /* ldrd, literal */
	ROW(0xfe400000, 0xe8400000, RUN, NEXT, N | T | D),		/* ldrd, strd */
	ROW(0xfe000000, 0xea000000, RUN, NEXT, 0),			/* and, orr, add, ... */
	REFUSE(0xfff00f0f, 0xec400f02, LEVEL),				/* mcrr, TTBR0, TTBR1 */
	ROW(0xffe00000, 0xec400000, RUN, NEXT, 0),			/* mcrr, mrrc, vmov */
	ROW(0xff3f0f00, 0xed1f0a00, RUN, NEXT, RELATIVE, .data_len = 4), /* vldr s, literal */
	ROW(0xff3f0f00, 0xed1f0b00, RUN, NEXT, RELATIVE, .data_len = 8), /* vldr d, literal */
	ROW(0xfe000000, 0xec000000, RUN, NEXT, N),			/* ldc, stc, vldr, vstm */
	ROW(0xff000000, 0xef000000, RUN, NEXT, 0),			/* SIMD */
	REFUSE(0xffff0fff, 0xee010f10, LEVEL),				/* mcr, SCTLR */
	REFUSE(0xffff0f10, 0xee020f10, LEVEL),				/* mcr, TTBR0, TTBR1 */
	REFUSE(0xffef0f10, 0xee050f10, LEVEL),				/* DFSR, IFSR */
	REFUSE(0xffef0f10, 0xee060f10, LEVEL),				/* DFAR, IFAR */
	REFUSE(0xffff0fff, 0xee070f90, SLEEP),				/* mcr, as wfi */
	REFUSE(0xffff0fff, 0xee0c0f10, LEVEL),				/* mcr, VBAR */
	REFUSE(0xffff0fff, 0xee0d0f30, LEVEL),				/* mcr, CONTEXTIDR */
	ROW(0, 0, RUN, NEXT, 0),					/* mcr, mrc, cdp, vadd */
};

static const struct kprobe_form long_2[] = {
	/* adr lr, forwards: an address to return to */
	ROW(0xfbff8f00, 0xf20f0e00, EMULATE, NEXT, NUMBER),
	ROW(0xfbff8000, 0xf20f0000, EMULATE, NEXT, D | NUMBER, .takes_address = 1), /* adr */
	ROW(0xfbff8000, 0xf2af0000, EMULATE, NEXT, D | NUMBER, .takes_address = 1), /* backwards */
	ROW(0xf8008000, 0xf0000000, RUN, NEXT, 0),			/* add, movw, bfi, ... */
	ROW(0xf800d000, 0xf0009000, EMULATE, JUMP, 0),			/* b */
	ROW(0xf800d000, 0xf000d000, EMULATE, CALL, 0),			/* bl */
	REFUSE(0xf800d000, 0xf000c000, FORM),				/* blx, to A32 */
	REFUSE(0xfff0f000, 0xf7f0a000, TRAP),				/* udf */
	REFUSE(0xffe0f000, 0xf7e08000, WORLD),				/* hvc, smc */
	REFUSE(0xffe0d020, 0xf3808020, LEVEL),				/* msr: banked */
	REFUSE(0xfff0d000, 0xf3908000, LEVEL),				/* msr spsr */
	ROW(0xfff0d000, 0xf3808000, RUN, NEXT, N),			/* msr cpsr */
	REFUSE(0xfff0d100, 0xf3a08100, LEVEL),				/* cps to a mode */
	ROW(0xfff0d7ff, 0xf3a08000, NOP, NEXT, 0),			/* nop */
	REFUSE(0xfff0d7fe, 0xf3a08002, SLEEP),				/* wfe, wfi */
	ROW(0xfff0d700, 0xf3a08000, RUN, NEXT, 0),			/* yield, sev, dbg */
	ROW(0xfff0d400, 0xf3a08400, RUN, NEXT, NOT_IN_BLOCK),		/* cpsie, cpsid */
	ROW(0xfff0d0f0, 0xf3b08020, RUN, NEXT, 0, .exclusive = -1),	/* clrex */
	ROW(0xfff0d0c0, 0xf3b08040, RUN, NEXT, 0),			/* dsb, dmb, isb, sb */
	REFUSE(0xfff0d000, 0xf3c08000, FORM, .flow = KPROBE_FLOW_JUMP_INDIRECT), /* bxj */
	/* subs pc, lr, #imm */
	REFUSE(0xfff0d000, 0xf3d08000, LEVEL, .flow = KPROBE_FLOW_RETURN),
	REFUSE(0xffe0d020, 0xf3e08020, LEVEL),				/* mrs: banked */
	REFUSE(0xfff0d000, 0xf3f08000, LEVEL),				/* mrs, spsr */
	ROW(0xfff0d000, 0xf3e08000, RUN, NEXT, D),			/* mrs, cpsr */
	REFUSE(0xfb80d000, 0xf3808000, UNDECODABLE),
	ROW(0, 0, EMULATE, COND, NOT_IN_BLOCK),				/* b with a condition */
};

/* What loads a byte or halfword into pc is a hint. */
static const struct kprobe_form long_3[] = {
	ROW(0xff100000, 0xf9000000, RUN, NEXT, N),			/* SIMD */
	ROW(0xff100000, 0xf8000000, RUN, NEXT, N | T),			/* str, strb, strh */
	ROW(0xfe5ff000, 0xf81ff000, NOP, NEXT, 0),			/* pld, pli, literal */
	ROW(0xfe7f0000, 0xf81f0000, RUN, NEXT, T | RELATIVE, .data_len = 1), /* ldrb, ldrsb */
	ROW(0xfe7f0000, 0xf83f0000, RUN, NEXT, T | RELATIVE, .data_len = 2), /* ldrh, ldrsh */
	ROW(0xff7ff000, 0xf85ff000, RUN, JUMP_INDIRECT, RELATIVE, .data_len = 4), /* ldr pc */
	ROW(0xff7f0000, 0xf85f0000, EMULATE, NEXT, T | RELATIVE, .data_len = 4), /* ldr, literal */
	REFUSE(0xfe700000, 0xf8700000, UNDECODABLE),
	REFUSE(0xff700000, 0xf9500000, UNDECODABLE),
	ROW(0xffffffff, 0xf85dfb04, RUN, RETURN, 0),			/* pop {pc} */
	ROW(0xff70f000, 0xf850f000, RUN, JUMP_INDIRECT, 0),		/* ldr pc */
	ROW(0xfe000000, 0xf8000000, RUN, NEXT, 0),			/* ldr, ldrb, pld, ... */
	ROW(0xfe000000, 0xfa000000, RUN, NEXT, 0),			/* lsl, sxtb, mul, ... */
	ROW(0xfe000f00, 0xfc000800, RUN, NEXT, 0),			/* vcmla and others */
	ROW(0xfe000000, 0xfc000000, RUN, NEXT, N),			/* ldc2, stc2 */
	ROW(0, 0, RUN, NEXT, 0),					/* mcr2, vsel, SIMD */
};

const struct kprobe_forms t32_kprobe_forms = {
	.shift = 27,
	.bits = 0x1f,
	.major = {
		[0x00] = shift_by_number,
		[0x01 ... 0x07] = plain,
		[0x08] = high_registers,
		[0x09] = short_literal,
		[0x0a ... 0x13] = plain,
		[0x14] = short_adr,
		[0x15] = plain,
		[0x16 ... 0x17] = miscellaneous,
		[0x18 ... 0x19] = plain,
		[0x1a ... 0x1b] = short_branches,
		[0x1c] = short_jump,
		[0x1d] = long_1,
		[0x1e] = long_2,
		[0x1f] = long_3,
	},
};
