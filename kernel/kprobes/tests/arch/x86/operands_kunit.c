// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of x86_kprobe_registers() on byte arrays.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <asm/insn.h>

#include "../../../../../arch/x86/kernel/kprobes-insn.h"

enum { AX, CX, DX, BX, SP, BP, SI, DI, R8, R9, R10, R11, R12, R13, R14, R15 };

struct operands_case {
	const char *name;
	u8 insn[MAX_INSN_SIZE];
	size_t size;
	u16 registers;
};

#define INSN(text, names, ...) \
	{ .name = text, .insn = { __VA_ARGS__ }, \
	  .size = sizeof((u8[]){ __VA_ARGS__ }), .registers = names }
#define OTHER(text, ...)	INSN(text, 0, __VA_ARGS__)

static const struct operands_case operands_cases[] = {
	INSN("xor eax, eax", BIT(AX), 0x31, 0xc0),
	INSN("add rdx, rax", BIT(DX) | BIT(AX), 0x48, 0x01, 0xc2),
	INSN("adc r9, rcx", BIT(R9) | BIT(CX), 0x49, 0x11, 0xc9),
	INSN("sub rcx, r15", BIT(CX) | BIT(R15), 0x49, 0x2b, 0xcf),
	INSN("cmp r12w, bx", BIT(R12) | BIT(BX), 0x66, 0x41, 0x39, 0xdc),
	INSN("add eax, imm32", BIT(AX), 0x05, 1, 2, 3, 4),
	INSN("cmp rax, imm32", BIT(AX), 0x48, 0x3d, 1, 2, 3, 4),
	INSN("test eax, imm32", BIT(AX), 0xa9, 1, 2, 3, 4),
	INSN("movsxd rdx, edi", BIT(DX) | BIT(DI), 0x48, 0x63, 0xd7),
	INSN("imul esi, edi, imm32", BIT(SI) | BIT(DI), 0x69, 0xf7, 1, 2, 3, 4),
	INSN("imul r8, r9, imm8", BIT(R8) | BIT(R9), 0x4d, 0x6b, 0xc1, 3),
	INSN("imul rax, rbx", BIT(AX) | BIT(BX), 0x48, 0x0f, 0xaf, 0xc3),
	INSN("test rdi, rdi", BIT(DI), 0x48, 0x85, 0xff),
	INSN("mov rbp, rsp", BIT(BP) | BIT(SP), 0x48, 0x89, 0xe5),
	INSN("mov r13, rdi", BIT(R13) | BIT(DI), 0x49, 0x89, 0xfd),
	INSN("mov rdi, r13", BIT(R13) | BIT(DI), 0x49, 0x8b, 0xfd),
	INSN("and rsp, imm8", BIT(SP), 0x48, 0x83, 0xe4, 0xf0),
	INSN("sub rsp, imm32", BIT(SP), 0x48, 0x81, 0xec, 0, 1, 0, 0),
	INSN("shl r10, imm8", BIT(R10), 0x49, 0xc1, 0xe2, 3),
	INSN("rcr edx", BIT(DX), 0xd1, 0xda),
	INSN("mov ecx, imm32", BIT(CX), 0xb9, 1, 2, 3, 4),
	INSN("movabs r14, imm64", BIT(R14), 0x49, 0xbe, 1, 2, 3, 4, 5, 6, 7, 8),
	INSN("mov rax, simm32", BIT(AX), 0x48, 0xc7, 0xc0, 1, 2, 3, 4),
	INSN("test ebx, imm32", BIT(BX), 0xf7, 0xc3, 1, 2, 3, 4),
	INSN("not rdx", BIT(DX), 0x48, 0xf7, 0xd2),
	INSN("neg r11", BIT(R11), 0x49, 0xf7, 0xdb),
	INSN("inc r13", BIT(R13), 0x49, 0xff, 0xc5),
	INSN("dec ax", BIT(AX), 0x66, 0xff, 0xc8),
	INSN("cmovb rax, rbx", BIT(AX) | BIT(BX), 0x48, 0x0f, 0x42, 0xc3),
	INSN("movzx edx, si", BIT(DX) | BIT(SI), 0x0f, 0xb7, 0xd6),
	INSN("movsx r8, r9w", BIT(R8) | BIT(R9), 0x4d, 0x0f, 0xbf, 0xc1),
	INSN("lea rdx, [rsi+rcx*4+8]", BIT(DX) | BIT(SI) | BIT(CX), 0x48, 0x8d, 0x54, 0x8e, 8),
	INSN("lea rax, [rdi+1]", BIT(AX) | BIT(DI), 0x48, 0x8d, 0x47, 1),
	INSN("lea rax, [r12]", BIT(AX) | BIT(R12), 0x49, 0x8d, 0x04, 0x24),
	INSN("lea rax, [rbx+r12]", BIT(AX) | BIT(BX) | BIT(R12), 0x4a, 0x8d, 0x04, 0x23),
	INSN("lea rax, [rsp+8]", BIT(AX) | BIT(SP), 0x48, 0x8d, 0x44, 0x24, 8),
	INSN("lea rax, [rbp+8]", BIT(AX) | BIT(BP), 0x48, 0x8d, 0x45, 8),
	INSN("lea rax, [rip+1]", BIT(AX), 0x48, 0x8d, 0x05, 1, 0, 0, 0),
	INSN("lea rax, [rcx*8+1]", BIT(AX) | BIT(CX), 0x48, 0x8d, 0x04, 0xcd, 1, 0, 0, 0),
	INSN("lea rax, [r13+0]", BIT(AX) | BIT(R13), 0x49, 0x8d, 0x45, 0),

	OTHER("add [rdi], rax", 0x48, 0x01, 0x07),
	OTHER("mov rax, [rdi]", 0x48, 0x8b, 0x07),
	OTHER("mov rax, [rip+1]", 0x48, 0x8b, 0x05, 1, 0, 0, 0),
	OTHER("cmovle eax, [rsi]", 0x0f, 0x4e, 0x06),
	OTHER("inc [rax]", 0xff, 0x00),
	OTHER("lea that is none", 0x48, 0x8d, 0xc0),
	OTHER("push rbp", 0x55),
	OTHER("pop rax", 0x58),
	OTHER("push imm8", 0x6a, 1),
	OTHER("pushf", 0x9c),
	OTHER("cwd", 0x48, 0x99),
	OTHER("lahf", 0x9f),
	OTHER("xchg rax, rbx", 0x48, 0x93),
	OTHER("add al, bl", 0x00, 0xd8),
	OTHER("mov ah, al", 0x88, 0xc4),
	OTHER("mov al, imm8", 0xb0, 1),
	OTHER("movzx eax, ah", 0x0f, 0xb6, 0xc4),
	OTHER("setg dl", 0x0f, 0x9f, 0xc2),
	OTHER("shr rbx, cl", 0x48, 0xd3, 0xeb),
	OTHER("mul rbx", 0x48, 0xf7, 0xe3),
	OTHER("div rbx", 0x48, 0xf7, 0xf3),
	OTHER("call rax", 0xff, 0xd0),
	OTHER("jmp rax", 0xff, 0xe0),
	OTHER("push rax, long", 0xff, 0xf0),
	OTHER("bswap r10", 0x49, 0x0f, 0xca),
	OTHER("cpuid", 0x0f, 0xa2),
	OTHER("mov rax, cr0", 0x0f, 0x20, 0xc0),
	OTHER("mov eax, cs", 0x8c, 0xc8),
	OTHER("mov ds, eax", 0x8e, 0xd8),
	OTHER("lock add faults", 0xf0, 0x48, 0x01, 0xc2),
	OTHER("popcnt", 0xf3, 0x48, 0x0f, 0xb8, 0xc3),
	OTHER("tzcnt", 0xf3, 0x48, 0x0f, 0xbc, 0xc3),
	OTHER("lea eax, [edi]", 0x67, 0x8d, 0x07),
	OTHER("andn (VEX)", 0xc4, 0xe2, 0x60, 0xf2, 0xc1),
	OTHER("mov r16, rax (REX2)", 0xd5, 0x18, 0x89, 0xc0),
	OTHER("crc32", 0xf2, 0x48, 0x0f, 0x38, 0xf1, 0xc3),
	OTHER("nop", 0x90),
	OTHER("ret", 0xc3),
	OTHER("no instruction", 0x06),
	OTHER("ends within", 0x48, 0x81),
};

KUNIT_ARRAY_PARAM_DESC(operands, operands_cases, name);

static void x86_operands(struct kunit *test)
{
	const struct operands_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, c->registers, x86_kprobe_registers(c->insn, c->size));
}

/* If bytes of the instruction are missing, no registers are known. */
static void x86_operands_cut(struct kunit *test)
{
	const struct operands_case *c = test->param_value;
	size_t i;

	for (i = 0; i < c->size; i++)
		KUNIT_EXPECT_EQ(test, 0, x86_kprobe_registers(c->insn, i));
}

/* For any bytes: if registers are known, the decoder finds no operand in memory. */
static void x86_operands_any_bytes(struct kunit *test)
{
	unsigned int i, accepted = 0;
	struct rnd_state rnd;
	struct insn insn;
	u8 bytes[MAX_INSN_SIZE];

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 100000; i++) {
		prandom_bytes_state(&rnd, bytes, sizeof(bytes));
		if (!x86_kprobe_registers(bytes, sizeof(bytes)))
			continue;
		accepted++;
		KUNIT_ASSERT_EQ(test, 0, insn_decode(&insn, bytes, sizeof(bytes),
						     INSN_MODE_64));
		KUNIT_EXPECT_FALSE(test, insn_is_avx(&insn));
		KUNIT_EXPECT_TRUE(test, !insn.modrm.nbytes || insn.opcode.bytes[0] == 0x8d ||
				  X86_MODRM_MOD(insn.modrm.value) == 3);
	}
	KUNIT_EXPECT_GT(test, accepted, 1000);
}

static struct kunit_case operands_test_cases[] = {
	KUNIT_CASE_PARAM(x86_operands, operands_gen_params),
	KUNIT_CASE_PARAM(x86_operands_cut, operands_gen_params),
	KUNIT_CASE(x86_operands_any_bytes),
	{}
};

static struct kunit_suite operands_suite = {
	.name = "kprobes_x86_operands",
	.test_cases = operands_test_cases,
};

kunit_test_suite(operands_suite);

MODULE_DESCRIPTION("KUnit tests of which registers instructions work on");
MODULE_LICENSE("GPL");
