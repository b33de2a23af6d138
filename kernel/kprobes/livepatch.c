// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text of livepatch modules that is relocated while it can be probed.
 *
 * Functions of a livepatch module refer to symbols of the module that they patch. These
 * relocations are kept, in sections of their own, and livepatch writes them when that
 * module comes, and takes them back when it goes. It expects to find in the text what it
 * has written before, and no copy of an instruction would be changed with it. Those of the
 * kernel's symbols are written before the livepatch module's text can be probed. See
 * Documentation/livepatch/module-elf-format.rst.
 */
#include <linux/elf.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/string.h>

#include "livepatch.h"

/* How the names of sections begin that are relocated late, and of those that are not. */
#define RELOCATIONS		".klp.rela."
#define RELOCATIONS_EARLY	RELOCATIONS "vmlinux."

static bool is_written_late(const struct klp_modinfo *info, const Elf_Shdr *section)
{
	const char *name = info->secstrings + section->sh_name;

	return section->sh_flags & SHF_RELA_LIVEPATCH && section->sh_type == SHT_RELA &&
	       section->sh_info < info->hdr.e_shnum &&
	       strncmp(name, RELOCATIONS_EARLY, strlen(RELOCATIONS_EARLY));
}

/* Does any entry of a section of relocations write into the text? */
static bool writes_to(const struct klp_modinfo *info, const Elf_Shdr *section,
		      unsigned long start, unsigned long end)
{
	const Elf_Rela *rela = (const void *)section->sh_addr;
	unsigned long base = info->sechdrs[section->sh_info].sh_addr;
	size_t i;

	for (i = 0; i < section->sh_size / sizeof(*rela); i++)
		if (base + rela[i].r_offset - start < end - start)
			return true;
	return false;
}

/**
 * kprobe_relocates_late() - check whether livepatch writes to some text of a module
 * @info:  what is kept of the livepatch module's ELF file
 * @start: first byte, where an instruction begins
 * @end:   the byte after the last, where another instruction begins
 *
 * A relocation is inside an instruction: it begins in the range if it overlaps it.
 *
 * Context: Process context. The module stays.
 * Return: True if it does when the module that it patches comes or goes.
 */
bool kprobe_relocates_late(const struct klp_modinfo *info, unsigned long start,
			   unsigned long end)
{
	unsigned int i;

	for (i = 1; i < info->hdr.e_shnum; i++)
		if (is_written_late(info, &info->sechdrs[i]) &&
		    writes_to(info, &info->sechdrs[i], start, end))
			return true;
	return false;
}
