// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of relocations of livepatch modules, on ELF sections as such a module has them: text
 * is found that livepatch will write to, and no other.
 */
#include <kunit/test.h>
#include <linux/elf.h>
#include <linux/module.h>

#include "../place.h"
#include "../table.h"

/* Numbers of sections; the first one of a file is empty. */
enum { NONE, TEXT, EARLY, LATE, PLAIN, SECTIONS };

/* Where the instruction is that has a relocation of each section, and where in it. */
#define INSN_EARLY	0
#define INSN_LATE	16
#define INSN_PLAIN	32
#define INSN_LATE_2	48
#define INSN_LEN	5
#define IN_INSN		1

#define NAMES	"\0.text\0.klp.rela.vmlinux..text\0.klp.rela.vmlinuz..text\0.rela.text"
#define NAME_TEXT	1
#define NAME_EARLY	7
#define NAME_LATE	31
#define NAME_PLAIN	55

static u8 text[64];
static Elf_Rela early[] = { { .r_offset = INSN_EARLY + IN_INSN } };
static Elf_Rela late[] = {
	{ .r_offset = INSN_LATE_2 + IN_INSN }, { .r_offset = INSN_LATE + IN_INSN },
};

static Elf_Rela plain[] = { { .r_offset = INSN_PLAIN + IN_INSN } };

#define RELOCATIONS(name, flags, table) {				\
	.sh_name = (name), .sh_type = SHT_RELA, .sh_flags = (flags),	\
	.sh_addr = (unsigned long)(table), .sh_size = sizeof(table),	\
	.sh_info = TEXT,						\
}

/* What is found in the index of the module. */
static bool is_relocated(struct kunit *test, size_t from, size_t to)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	static char names[] = NAMES;
	Elf_Shdr sections[SECTIONS] = {
		[TEXT] = {
			.sh_name = NAME_TEXT, .sh_type = SHT_PROGBITS,
			.sh_addr = (unsigned long)text, .sh_size = sizeof(text),
		},
		[EARLY] = RELOCATIONS(NAME_EARLY, SHF_RELA_LIVEPATCH, early),
		[LATE] = RELOCATIONS(NAME_LATE, SHF_RELA_LIVEPATCH, late),
		[PLAIN] = RELOCATIONS(NAME_PLAIN, 0, plain),
	};
	struct klp_modinfo info = {
		.hdr.e_shnum = SECTIONS, .sechdrs = sections, .secstrings = names,
	};

	bool found;

	KUNIT_ASSERT_NOT_NULL(test, mod);
	mod->klp_info = &info;
	mod->mem[MOD_TEXT] = (struct module_memory){ .base = text, .size = sizeof(text) };
	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_EQ(test, 0, kprobe_make_index(mod));
	found = kprobe_any_in(KPROBE_TEXT_RESERVED, (unsigned long)text + from,
			      (unsigned long)text + to);
	kprobe_drop_index(mod);
	return found;
}

static bool insn_is_relocated(struct kunit *test, size_t insn)
{
	return is_relocated(test, insn, insn + INSN_LEN);
}

/* Only those of another module's symbols are written while the text can be probed. */
static void late_ones_are_found(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, insn_is_relocated(test, INSN_LATE));
	KUNIT_EXPECT_TRUE(test, insn_is_relocated(test, INSN_LATE_2));
	KUNIT_EXPECT_FALSE(test, insn_is_relocated(test, INSN_EARLY));
	KUNIT_EXPECT_FALSE(test, insn_is_relocated(test, INSN_PLAIN));
}

static void ranges_are_exact(struct kunit *test)
{
	/* A relocation writes its first byte, and on some architectures as far as another one. */
	const size_t first = INSN_LATE + IN_INSN, last = first + KPROBE_RELOCATION_LAST;
	const size_t first_2 = INSN_LATE_2 + IN_INSN, last_2 = first_2 + KPROBE_RELOCATION_LAST;

	KUNIT_EXPECT_TRUE(test, is_relocated(test, 0, sizeof(text)));
	KUNIT_EXPECT_TRUE(test, is_relocated(test, first, first + 1));
	KUNIT_EXPECT_TRUE(test, is_relocated(test, last, last + 1));
	KUNIT_EXPECT_FALSE(test, is_relocated(test, 0, first));
	KUNIT_EXPECT_FALSE(test, is_relocated(test, last + 1, first_2));
	KUNIT_EXPECT_FALSE(test, is_relocated(test, last_2 + 1, sizeof(text)));
}

static struct kunit_case livepatch_cases[] = {
	KUNIT_CASE(late_ones_are_found),
	KUNIT_CASE(ranges_are_exact),
	{}
};

static struct kunit_suite livepatch_suite = {
	.name = "kprobes_livepatch",
	.test_cases = livepatch_cases,
};

kunit_test_suite(livepatch_suite);
