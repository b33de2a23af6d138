// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables that reserved.c searches: what other subsystems patch, read, or jump to. The
 * kernel has one table of each kind, and so has each module.
 */
#include <linux/bug.h>
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#include "reserved_tables.h"

#ifdef CONFIG_JUMP_LABEL
static struct reserved_table jump_labels(const struct module *mod,
					 unsigned long (*addr)(const void *, size_t))
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct reserved_table){ mod->jump_entries,
						mod->num_jump_entries, addr };
#endif
	return (struct reserved_table){ __start___jump_table,
					__stop___jump_table - __start___jump_table, addr };
}

static unsigned long label_site(const void *first, size_t i)
{
	return jump_entry_code((const struct jump_entry *)first + i);
}

static unsigned long label_target(const void *first, size_t i)
{
	return jump_entry_target((const struct jump_entry *)first + i);
}

struct reserved_table kprobe_label_sites(const struct module *mod)
{
	return jump_labels(mod, label_site);
}

struct reserved_table kprobe_label_targets(const struct module *mod)
{
	return jump_labels(mod, label_target);
}
#endif /* CONFIG_JUMP_LABEL */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static unsigned long call_site(const void *first, size_t i)
{
	const struct static_call_site *site = first + i * sizeof(*site);

	return (unsigned long)&site->addr + site->addr;
}

struct reserved_table kprobe_call_sites(const struct module *mod)
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct reserved_table){ mod->static_call_sites,
						mod->num_static_call_sites, call_site };
#endif
	return (struct reserved_table){ __start_static_call_sites,
					__stop_static_call_sites - __start_static_call_sites,
					call_site };
}
#endif /* CONFIG_HAVE_STATIC_CALL_INLINE */

#ifdef CONFIG_GENERIC_BUG
static unsigned long bug_site(const void *first, size_t i)
{
	const struct bug_entry *bug = first + i * sizeof(*bug);

#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	return (unsigned long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return bug->bug_addr;
#endif
}

struct reserved_table kprobe_bug_sites(const struct module *mod)
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct reserved_table){ mod->bug_table, mod->num_bugs, bug_site };
#endif
	return (struct reserved_table){ __start___bug_table,
					__stop___bug_table - __start___bug_table, bug_site };
}
#endif /* CONFIG_GENERIC_BUG */

static unsigned long fixup_target(const void *first, size_t i)
{
	const struct exception_table_entry *ex = first + i * sizeof(*ex);

#ifdef ARCH_HAS_RELATIVE_EXTABLE
	return (unsigned long)&ex->fixup + ex->fixup;
#else
	return ex->fixup;
#endif
}

static unsigned long fault_site(const void *first, size_t i)
{
	const struct exception_table_entry *ex = first + i * sizeof(*ex);

#ifdef ARCH_HAS_RELATIVE_EXTABLE
	return (unsigned long)&ex->insn + ex->insn;
#else
	return ex->insn;
#endif
}

static struct reserved_table exceptions(const struct module *mod,
					unsigned long (*addr)(const void *, size_t))
{
#ifdef CONFIG_MODULES
	if (mod)
		return (struct reserved_table){ mod->extable, mod->num_exentries, addr };
#endif
	return (struct reserved_table){ __start___ex_table,
					__stop___ex_table - __start___ex_table, addr };
}

struct reserved_table kprobe_fixup_targets(const struct module *mod)
{
	return exceptions(mod, fixup_target);
}

struct reserved_table kprobe_fault_sites(const struct module *mod)
{
	return exceptions(mod, fault_site);
}

/*
 * How far in front of its trap the instructions are that a report of kCFI reads. 0 is the trap
 * itself, for architectures whose report reads none.
 */
#ifndef KPROBE_CFI_CHECK
#define KPROBE_CFI_CHECK	{ 0 }
#endif

static const s8 cfi_check[] = KPROBE_CFI_CHECK;

/*
 * The address of an instruction that a report of kCFI reads. @i counts these instructions over all
 * traps of the table.
 */
unsigned long kprobe_cfi_check(const void *first, size_t i)
{
	const s32 *trap = (const s32 *)first + i / ARRAY_SIZE(cfi_check);

	return (unsigned long)trap + *trap - cfi_check[i % ARRAY_SIZE(cfi_check)];
}

#ifdef CONFIG_ARCH_USES_CFI_TRAPS
static struct reserved_table checks_of(const s32 *start, const s32 *end)
{
	return (struct reserved_table){ start, (end - start) * ARRAY_SIZE(cfi_check),
					kprobe_cfi_check };
}

struct reserved_table kprobe_cfi_checks(const struct module *mod)
{
#ifdef CONFIG_MODULES
	if (mod)
		return checks_of(mod->kcfi_traps, mod->kcfi_traps_end);
#endif
	return checks_of(__start___kcfi_traps, __stop___kcfi_traps);
}
#endif /* CONFIG_ARCH_USES_CFI_TRAPS */
