// SPDX-License-Identifier: GPL-2.0-or-later
/* PA-RISC's instructions as binutils has them: the library tells a mnemonic and a target. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define PACKAGE "kprobes"
#define PACKAGE_VERSION "1"
#include <dis-asm.h>

#include "words.h"

#define TEXT_SIZE	256

/* What has been shown of the instruction. */
static char text[TEXT_SIZE];
static size_t text_len;
static bool has_target;
static unsigned long target;
static struct disassemble_info info;
static disassembler_ftype disassemble;

static int append(const char *format, va_list args)
{
	int n = vsnprintf(text + text_len, TEXT_SIZE - text_len, format, args);

	text_len = text_len + n < TEXT_SIZE ? text_len + n : TEXT_SIZE - 1;
	return n;
}

static int show(void *stream, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = append(format, args);
	va_end(args);
	return n;
}

static int show_styled(void *stream, enum disassembler_style style, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = append(format, args);
	va_end(args);
	return n;
}

static void show_address(bfd_vma addr, struct disassemble_info *at)
{
	has_target = true;
	target = addr;
}

static bool open(const char *isa)
{
	bool wide = !strcmp(isa, "parisc64");

	if (!wide && strcmp(isa, "parisc"))
		return false;
	init_disassemble_info(&info, NULL, show, show_styled);
	info.arch = bfd_arch_hppa;
	info.mach = wide ? 25 : 20;	/* bfd_mach_hppa20w, bfd_mach_hppa20 */
	info.endian = BFD_ENDIAN_BIG;
	info.print_address_func = show_address;
	disassemble_init_for_target(&info);
	disassemble = disassembler(info.arch, true, info.mach, NULL);
	return disassemble;
}

static void reset(void)
{
}

/* Is the name one of the words, which have blanks around them? */
static bool is_one_of(const char *words, const char *name, size_t len)
{
	const char *at = words;

	while ((at = strstr(at, name)) && (at[-1] != ' ' || at[len] != ' '))
		at++;
	return at;
}

/* The register that a branch links to comes last. */
static const char *flow_of(const char *mnemonic, const char *operands)
{
	static const char conds[] = " cmpb cmpib addb addib movb movib bb bvb ";
	size_t len = strcspn(mnemonic, ",");
	const char *last = strrchr(operands, ',');
	bool links = strstr(mnemonic + len, ",l"), to_nothing = last && !strcmp(last, ",r0");
	char name[16];

	snprintf(name, sizeof(name), "%.*s", (int)len, mnemonic);
	len = strlen(name);
	if (is_one_of(conds, name, len))
		return "cond";
	if (!strcmp(name, "b"))
		return strstr(mnemonic, ",gate") || !links || to_nothing ? "jump" : "call";
	if (!strcmp(name, "blr"))
		return to_nothing ? "jump-indirect" : "call-indirect";
	if (!strcmp(name, "bv") || !strcmp(name, "bve") || !strcmp(name, "be"))
		return links ? "call-indirect" :
		       !strcmp(operands, "r0(rp)") || !strcmp(operands, "(rp)") ? "return" :
										 "jump-indirect";
	return !strcmp(name, "rfi") ? "jump-indirect" : "next";
}

/* Is there a condition among the completers of what computes or compares? */
static bool skips(const char *name, const char *completers)
{
	static const char adding[] = " add addi shladd sub subi ds cmpclr cmpiclr uaddcm dcor ";
	static const char logical[] = " and andcm or xor uxor ";
	static const char shifting[] = " shrpw shrpd extrw extrd depw depd depwi depdi ";
	static const char no_condition[] = " c dc l tsv tc b db i s u z * ";
	size_t len;

	/* addi,tc traps instead. */
	if (!strcmp(name, "addi") && strstr(completers, ",tc"))
		return false;
	len = strlen(name);
	if (!is_one_of(adding, name, len) && !is_one_of(logical, name, len) &&
	    !is_one_of(shifting, name, len))
		return false;
	while (*completers == ',') {
		char word[16];

		len = strcspn(++completers, ",");
		snprintf(word, sizeof(word), "%.*s", (int)len, completers);
		if (!is_one_of(no_condition, word, strlen(word)))
			return true;
		completers += len;
	}
	return false;
}

/*
 * Does a branch nullify its delay slot? A call with ,n returns behind that, and a conditional
 * branch backwards executes it if taken: there it belongs to the branch.
 */
static bool nullifies(const char *mnemonic)
{
	size_t len = strlen(mnemonic);

	return len > 2 && !strcmp(mnemonic + len - 2, ",n");
}

static bool decode(struct decoded *d, const unsigned char *bytes, size_t avail, unsigned long addr)
{
	static char mnemonic[32], name[32];
	size_t len;

	*d = (struct decoded){};
	info.buffer = (unsigned char *)bytes;
	info.buffer_vma = addr;
	info.buffer_length = avail;
	text_len = 0;
	text[0] = 0;
	has_target = false;
	if (disassemble(addr, &info) != 4 || text[0] == '#')
		return false;
	len = strcspn(text, " \t");
	snprintf(mnemonic, sizeof(mnemonic), "%.*s", (int)len, text);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(mnemonic, ","), mnemonic);
	d->name = name;
	d->len = 4;
	d->flow = flow_of(mnemonic, text + len + strspn(text + len, " \t"));
	d->skips = skips(name, mnemonic + strlen(name));
	d->has_target = has_target;
	d->target = target;
	d->delay_slot = strcmp(d->flow, "next") && strcmp(name, "rfi") &&
			(!nullifies(mnemonic) || !strncmp(d->flow, "call", 4) ||
			 (!strcmp(d->flow, "cond") && target < addr + 8));
	return true;
}

const struct decoder binutils_decoder = { "binutils", false, open, reset, decode };
