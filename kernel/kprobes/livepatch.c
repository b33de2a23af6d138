// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds text of livepatch modules that livepatch relocates while it can be probed. No breakpoint or
 * jump may displace such text.
 *
 * Functions of a livepatch module refer to symbols of the module that they patch. The livepatch
 * module keeps these relocations in sections of their own. livepatch writes them when the patched
 * module comes, and takes them back when that module goes. livepatch expects to find in the text
 * what it has written before, and would not change a slot with the instruction. Relocations to
 * symbols of the kernel are written before the livepatch module's text can be probed. See
 * Documentation/livepatch/module-elf-format.rst.
 */
#include <linux/elf.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/string.h>

#include "livepatch.h"

/* How names of sections of relocations begin: of all, and of those that are written early. */
#define RELOCATIONS		".klp.rela."
#define RELOCATIONS_EARLY	RELOCATIONS "vmlinux."

static bool is_written_late(const struct klp_modinfo *info, const Elf_Shdr *section)
{
	const char *name = info->secstrings + section->sh_name;

	return section->sh_flags & SHF_RELA_LIVEPATCH && section->sh_type == SHT_RELA &&
	       section->sh_info < info->hdr.e_shnum &&
	       strncmp(name, RELOCATIONS_EARLY, strlen(RELOCATIONS_EARLY));
}

/* Does any relocation of the section write into the text? */
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

/*
 * Does livepatch write into the text of a livepatch module when the patched module comes or goes?
 * Instructions begin at @start and @end. A relocation is inside an instruction, so one that
 * overlaps the range begins in it.
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
