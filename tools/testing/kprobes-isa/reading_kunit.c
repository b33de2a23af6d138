// SPDX-License-Identifier: GPL-2.0-or-later
/* KUnit tests of how ELF files and lines of objdump are read, in both byte orders. */
#include <elf.h>

#include <kunit/test.h>

#include "elf-file.h"
#include "shown.h"

/**
 * struct line_case - a line of objdump
 * @name:       the test's name
 * @line:       the line
 * @big_endian: the file's byte order
 * @addr:       the address in it
 * @bytes:      the instruction's bytes in memory
 * @len:        how many
 * @target:     the target of its branch
 */
struct line_case {
	const char *name;
	const char *line;
	bool big_endian;
	unsigned long addr;
	u8 bytes[8];
	size_t len;
	unsigned long target;
};

static struct line_case lines[] = {
	{ "x86, bytes", "ffffffff81000010:\te8 01 00 00 00       \tcall   ffffffff81000016 <f>\n",
	  false, 0xffffffff81000010, { 0xe8, 1 }, 5, 0xffffffff81000016 },
	{ "s390, bytes of 6", "  100006:\tc0 e5 00 00 00 02 \tbrasl\t%r14,10000a <f+0x6>\n",
	  true, 0x100006, { 0xc0, 0xe5, 0, 0, 0, 2 }, 6, 0x10000a },
	{ "powerpc, bytes of 8", "c0000014:\t06 00 12 34 38 64 56 78 \tpaddi   r3,r4,305419896\n",
	  true, 0xc0000014, { 6, 0, 0x12, 0x34, 0x38, 0x64, 0x56, 0x78 }, 8, 0 },
	{ "arm64, a word", "ffff800080010004:\t94000001 \tbl\tffff800080010008 <f>\n",
	  false, 0xffff800080010004, { 1, 0, 0, 0x94 }, 4, 0xffff800080010008 },
	{ "mips, a word", "80100000:\t0c040010 \tjal\t80100040 <f>\n",
	  true, 0x80100000, { 0x0c, 4, 0, 0x10 }, 4, 0x80100040 },
	{ "mipsel, a word", "80100000:\t0c040010 \tjal\t80100040 <f>\n",
	  false, 0x80100000, { 0x10, 0, 4, 0x0c }, 4, 0x80100040 },
	{ "riscv, a halfword", "ffffffff80000004:\t0505                \tc.addi\ta0,1\n",
	  false, 0xffffffff80000004, { 5, 5 }, 2, 0 },
	{ "thumb, two halfwords", "c0008002:\tf7ff fffe \tbl\tc0008002 <f>\n",
	  false, 0xc0008002, { 0xff, 0xf7, 0xfe, 0xff }, 4, 0xc0008002 },
	{ "thumb, big-endian", "c0008002:\tf7ff fffd \tbl\tc0008000 <f>\n",
	  true, 0xc0008002, { 0xf7, 0xff, 0xff, 0xfd }, 4, 0xc0008000 },
};

KUNIT_ARRAY_PARAM_DESC(line, lines, name);

static void shown_line(struct kunit *test)
{
	const struct line_case *c = test->param_value;
	struct shown s;
	char line[128];

	snprintf(line, sizeof(line), "%s", c->line);
	KUNIT_ASSERT_TRUE(test, shown_parse(&s, line, c->big_endian));
	KUNIT_EXPECT_EQ(test, c->addr, s.addr);
	KUNIT_EXPECT_EQ(test, c->target, s.target);
	KUNIT_ASSERT_EQ(test, c->len, s.len);
	KUNIT_EXPECT_MEMEQ(test, s.bytes, c->bytes, c->len);
}

static void shown_other_lines(struct kunit *test)
{
	char symbol[] = "0000000000000000 <f>:\n", gap[] = "\t...\n", empty[] = "\n";
	struct shown s;

	KUNIT_EXPECT_FALSE(test, shown_parse(&s, symbol, false));
	KUNIT_EXPECT_FALSE(test, shown_parse(&s, gap, false));
	KUNIT_EXPECT_FALSE(test, shown_parse(&s, empty, false));
}

/* A file with a section of text, which begins with two addresses, and a symbol in it. */
#define TEXT_ADDR	0x80100000
#define TEXT_SIZE	16

static const char names[] = "\0.text\0function";
static u8 image[1024];
static bool image_big_endian;

static void put(size_t at, size_t size, u64 number)
{
	size_t i;

	for (i = 0; i < size; i++)
		image[at + i] = number >> 8 * (image_big_endian ? size - 1 - i : i);
}

#define PUT(bits, type, at, field, number)						\
	put((at) + offsetof(Elf##bits##_##type, field),					\
	    sizeof(((Elf##bits##_##type *)0)->field), number)

#define PUT_SECTION(bits, at, type_, addr_, offset_, size_, link_)			\
	do {										\
		PUT(bits, Shdr, at, sh_type, type_);					\
		PUT(bits, Shdr, at, sh_addr, addr_);					\
		PUT(bits, Shdr, at, sh_offset, offset_);				\
		PUT(bits, Shdr, at, sh_size, size_);					\
		PUT(bits, Shdr, at, sh_link, link_);					\
	} while (0)

/* Sections 1 to 3: the text, at 512; symbols, at 576; strings, at 640. Their headers are at 64. */
#define MAKE_IMAGE(bits)								\
	do {										\
		const size_t size = sizeof(Elf##bits##_Shdr);				\
											\
		image[EI_CLASS] = bits == 64 ? ELFCLASS64 : ELFCLASS32;			\
		PUT(bits, Ehdr, 0, e_machine, EM_ARM);					\
		PUT(bits, Ehdr, 0, e_shoff, 64);					\
		PUT(bits, Ehdr, 0, e_shnum, 4);						\
		PUT(bits, Ehdr, 0, e_shstrndx, 3);					\
		PUT_SECTION(bits, 64 + size, SHT_PROGBITS, TEXT_ADDR, 512, TEXT_SIZE, 0); \
		PUT(bits, Shdr, 64 + size, sh_name, 1);					\
		PUT_SECTION(bits, 64 + 2 * size, SHT_SYMTAB, 0, 576,			\
			    sizeof(Elf##bits##_Sym), 3);				\
		PUT_SECTION(bits, 64 + 3 * size, SHT_STRTAB, 0, 640, sizeof(names), 0);	\
		PUT(bits, Sym, 576, st_name, 7);					\
		PUT(bits, Sym, 576, st_value, TEXT_ADDR + 3);				\
		PUT(bits, Sym, 576, st_size, 6);					\
		PUT(bits, Sym, 576, st_info, STT_FUNC);					\
		PUT(bits, Sym, 576, st_shndx, 1);					\
	} while (0)

static void make_image(unsigned int word, bool big_endian)
{
	memset(image, 0, sizeof(image));
	image_big_endian = big_endian;
	memcpy(image, ELFMAG, SELFMAG);
	image[EI_DATA] = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	if (word == 8)
		MAKE_IMAGE(64);
	else
		MAKE_IMAGE(32);
	put(512, sizeof(u32), -0x10);
	put(520, word, TEXT_ADDR + 8);
	memcpy(image + 640, names, sizeof(names));
}

/**
 * struct file_case - a kind of file
 * @name:       the test's name
 * @word:       bytes of an address
 * @big_endian: its byte order
 */
struct file_case {
	const char *name;
	unsigned int word;
	bool big_endian;
};

static struct file_case files[] = {
	{ "32 bit, little-endian", 4, false },
	{ "32 bit, big-endian", 4, true },
	{ "64 bit, little-endian", 8, false },
	{ "64 bit, big-endian", 8, true },
};

KUNIT_ARRAY_PARAM_DESC(file, files, name);

static void elf_file(struct kunit *test)
{
	const struct file_case *c = test->param_value;

	make_image(c->word, c->big_endian);
	KUNIT_ASSERT_TRUE(test, elf_parse(image, sizeof(image)));
	KUNIT_EXPECT_EQ(test, c->word, elf.word);
	KUNIT_EXPECT_EQ(test, c->big_endian, elf.big_endian);
	KUNIT_ASSERT_TRUE(test, elf_find_section(".text") == &elf.sections[1]);
	KUNIT_EXPECT_TRUE(test, elf_at(TEXT_ADDR + 1, TEXT_SIZE - 1) == image + 513);
	KUNIT_EXPECT_TRUE(test, !elf_at(TEXT_ADDR + 1, TEXT_SIZE));
	/* Of Thumb's functions the lowest bit is set. */
	KUNIT_EXPECT_EQ(test, elf_value_of("function"), TEXT_ADDR + 2UL);
	KUNIT_EXPECT_EQ(test, elf.nr_symbols, 1);
	KUNIT_EXPECT_EQ(test, elf.symbols[0].size, 6);
	KUNIT_EXPECT_EQ(test, elf.symbols[0].section, 1);
	KUNIT_EXPECT_TRUE(test, elf.symbols[0].code);
	KUNIT_EXPECT_EQ(test, elf_relative(TEXT_ADDR), TEXT_ADDR - 0x10UL);
	KUNIT_EXPECT_EQ(test, elf_absolute(TEXT_ADDR + 8, c->word), TEXT_ADDR + 8UL);
	KUNIT_EXPECT_EQ(test, elf_address(-1UL), c->word == 8 ? -1UL : 0xffffffffUL);
}

static void elf_no_file(struct kunit *test)
{
	make_image(4, false);
	image[0] = 0;
	KUNIT_EXPECT_FALSE(test, elf_parse(image, sizeof(image)));
	KUNIT_EXPECT_FALSE(test, elf_parse(image, 3));
}

static struct kunit_case reading_cases[] = {
	KUNIT_CASE_PARAM(shown_line, line_gen_params),
	KUNIT_CASE(shown_other_lines),
	KUNIT_CASE_PARAM(elf_file, file_gen_params),
	KUNIT_CASE(elf_no_file),
	{ }
};

static struct kunit_suite reading_suite = {
	.name = "kprobes_isa_reading",
	.test_cases = reading_cases,
};

kunit_test_suite(reading_suite);
