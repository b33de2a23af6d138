// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the original text, without breakpoints and jumps of probes and debuggers, and tells
 * which text belongs to probes.
 */
#include <linux/kgdb.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "point.h"
#include "table.h"

/**
 * kprobe_is_in_jump() - is this the rest of a jump that kprobes has written?
 * @site: where the jump would begin
 * @addr: address of an instruction of it that is not the first
 *
 * For architectures whose jumps have several instructions.
 *
 * Context: Any where RCU is watching. Nobody changes the text at @addr.
 * Return: True if the text from @addr on is not what a point at @site remembers.
 */
__kprobes bool kprobe_is_in_jump(unsigned long site, unsigned long addr)
{
	const u8 *was, *is = (const u8 *)addr, *end = (const u8 *)site + KPROBE_JUMP_SIZE;
	const struct kprobe_point *point;

	guard(preempt_notrace)();
	point = kprobe_table_find(site);
	if (!point)
		return false;
	/* Not memcmp(): it may be probed, and interrupts come here before they count as such. */
	for (was = (u8 *)point->insn + (addr - site); is < end; is++, was++)
		if (READ_ONCE(*is) != READ_ONCE(*was))
			return true;
	return false;
}

/**
 * kprobe_may_patch() - check whether the text at an address is that of a probe
 * @addr: any address
 *
 * For debuggers: a breakpoint of theirs must not be set there.
 *
 * Context: Any where RCU is watching.
 * Return: True if there is a breakpoint or jump of a probe, or may be one later.
 */
__kprobes bool kprobe_may_patch(unsigned long addr)
{
	const struct kprobe_point *point;
	size_t back;

	guard(preempt_notrace)();
	for (back = 0; back < KPROBE_JUMP_SIZE; back++) {
		point = kprobe_table_find(addr - back);
		if (point && (back < point->breakpoint_len ||
			      point->verdict != KPROBE_VERDICT_IMPOSSIBLE))
			return true;
	}
	return false;
}

/*
 * Restores the original bytes of a point in a buffer, as far as they are in it. Not by memcpy(),
 * which may be probed.
 */
static __kprobes void unpatch(const struct kprobe_point *point, unsigned long addr, u8 *buf,
			      size_t size)
{
	const struct kprobe_detour *detour = READ_ONCE(point->detour);
	/* @insn has the original of all: no other subsystem patches text that a jump covers. */
	size_t patched = detour && !detour->alone ? kprobe_point_isa(point)->jump_size :
						    point->breakpoint_len;
	unsigned long at;

	for (at = max(point->site, addr); at < min(point->site + patched, addr + size); at++)
		buf[at - addr] = ((const u8 *)point->insn)[at - point->site];
}

/**
 * kprobe_unpatch() - restore the original of text that was read, for unwinders that decode it
 * @addr: where it was read
 * @buf:  what was read; changed where breakpoints or jumps of probes are
 * @size: how many bytes
 *
 * Context: Any, NMI included. Where RCU is not watching, nothing is known of probes.
 */
__kprobes void kprobe_unpatch(unsigned long addr, void *buf, size_t size)
{
	const struct kprobe_point *point;
	unsigned long site;

	guard(preempt_notrace)();
	if (!kprobe_rcu_is_watching())
		return;
	for (site = addr + size - 1; site > addr - KPROBE_JUMP_SIZE; site--) {
		point = kprobe_table_find(site);
		if (point)
			unpatch(point, addr, buf, size);
	}
}

/* Restores the original bytes where a debugger has its breakpoints. */
static void look_under_breakpoints(unsigned long addr, u8 *buf, size_t size)
{
#ifdef CONFIG_KGDB
	const unsigned char *saved;
	size_t i;

	for (i = 0; dbg_io_ops && i < size; i++) {
		if (buf[i] != arch_kgdb_ops.gdb_bpt_instr[0])
			continue;
		saved = kgdb_saved_insn(addr + i);
		if (saved)
			memcpy(buf + i, saved, min_t(size_t, BREAK_INSTR_SIZE, size - i));
	}
#endif
}

/* Reads less if text ends before: it ends where a page does. */
static size_t read_text(unsigned long addr, u8 *buf, size_t size)
{
	if (!copy_from_kernel_nofault(buf, (void *)addr, size))
		return size;
	size = min_t(size_t, size, PAGE_SIZE - offset_in_page(addr));
	return copy_from_kernel_nofault(buf, (void *)addr, size) ? 0 : size;
}

/**
 * kprobe_read_insn() - read text without breakpoints and jumps of probes and kgdb
 * @addr: where to start
 * @buf:  where to put the bytes
 * @size: how many bytes to read
 *
 * Context: Process context, kprobe_mutex held. text_mutex held as well, so that nobody else
 * patches text meanwhile.
 * Return: How many bytes were read: fewer than @size where text ends.
 */
size_t kprobe_read_insn(unsigned long addr, u8 *buf, size_t size)
{
	unsigned long at = addr - KPROBE_PATCH_REACH;
	struct kprobe_point *point;

	lockdep_assert_held(&text_mutex);
	size = read_text(addr, buf, size);
	look_under_breakpoints(addr, buf, size);
	/* Points are in the order of their addresses, not of the text that they patch. */
	for (point = kprobe_point_next(&at, addr + size - 1); point && point->addr < addr + size;
	     point = kprobe_point_after(point))
		if (kprobe_point_owns_site(point))
			unpatch(point, addr, buf, size);
	return size;
}
