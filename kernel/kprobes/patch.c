// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patches the text at sites, many at once. Batches and the optimizer call kprobe_patch_begin(),
 * kprobe_patch_add() for each site, and kprobe_patch_end().
 *
 * A breakpoint is written atomically: a CPU fetches it, or what was there before. A jump is longer
 * and may cover several instructions. No CPU must fetch half of the old and half of the new bytes.
 * The bytes of a jump are therefore written, and restored, while a breakpoint in front keeps CPUs
 * away from them. The Intel SDM (volume 3, "Cross-Modifying Code") and the manuals of other
 * architectures ask for this:
 *
 *   1. write the breakpoint where there is none
 *   2. write the bytes after it
 *   3. replace the breakpoint, unless it stays
 *
 * Each step is one arch_kprobe_patch() for all sites of a batch. When that returns, every CPU
 * executes the new text. A step leaves out the sites where it changes nothing. A hit between two
 * steps finds the point by its breakpoint. Text that no CPU executes is written in one step:
 * kprobe_patch_unused().
 */
#include <kunit/static_stub.h>
#include <linux/cpu.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "patch.h"
#include "point.h"

/**
 * struct patched_site - text that is being replaced
 * @addr:       its address
 * @len:        its length in bytes
 * @head:       length of the breakpoint
 * @old:        the bytes before
 * @breakpoint: the breakpoint, of which only @head bytes are used
 * @new:        the bytes after
 */
struct patched_site {
	unsigned long addr;
	u8 len;
	u8 head;
	u8 old[KPROBE_JUMP_SIZE];
	u8 breakpoint[KPROBE_JUMP_SIZE];
	u8 new[KPROBE_JUMP_SIZE];
};

/* The sites of the batch, and the patches of the current step; text_mutex. */
static struct patched_site sites[KPROBE_CHUNK];
static unsigned int nr_sites;
static struct kprobe_patch patches[KPROBE_CHUNK];
static unsigned int nr_patches;

static void add_patch(unsigned long addr, const u8 *old, const u8 *new, u8 len)
{
	if (memcmp(old, new, len))
		patches[nr_patches++] = (struct kprobe_patch){
			.addr = addr, .old = old, .new = new, .len = len,
		};
}

/* Writes the patches of one step, which do not overlap. Tests replace this to see them. */
void kprobe_patch_step(const struct kprobe_patch *step, unsigned int nr)
{
	KUNIT_STATIC_STUB_REDIRECT(kprobe_patch_step, step, nr);
	arch_kprobe_patch(step, nr);
}

static void write_patches(void)
{
	if (nr_patches)
		kprobe_patch_step(patches, nr_patches);
	nr_patches = 0;
}

static void write_breakpoints(void)
{
	struct patched_site *site;

	for (site = sites; site < sites + nr_sites; site++)
		add_patch(site->addr, site->old, site->breakpoint, site->head);
	write_patches();
}

static void write_tails(void)
{
	struct patched_site *site;

	for (site = sites; site < sites + nr_sites; site++)
		add_patch(site->addr + site->head, site->old + site->head,
			  site->new + site->head, site->len - site->head);
	write_patches();
}

/*
 * Breakpoints keep all CPUs away from the text meanwhile, so that a decoder of a trace can tell
 * which of the two versions was executed.
 */
static void tell_perf(void)
{
	struct patched_site *site;

	for (site = sites; site < sites + nr_sites; site++)
		perf_event_text_poke((void *)site->addr, site->old, site->len,
				     site->new, site->len);
}

static void write_heads(void)
{
	struct patched_site *site;

	for (site = sites; site < sites + nr_sites; site++)
		add_patch(site->addr, site->breakpoint, site->new, site->head);
	write_patches();
}

static void write_sites(void)
{
	lockdep_assert_held(&text_mutex);
	/* Points are in the table before: pairs with kprobe_retry_trap(). */
	smp_wmb();
	write_breakpoints();
	write_tails();
	tell_perf();
	write_heads();
	nr_sites = 0;
}

/*
 * Begins to patch text: takes cpus_read_lock() and text_mutex until kprobe_patch_end(). The text
 * may lead to slots only after kprobe_slots_sync().
 */
void kprobe_patch_begin(void)
{
	lockdep_assert_held(&kprobe_mutex);
	cpus_read_lock();
	mutex_lock(&text_mutex);
}

static u8 size_to_patch(const struct kprobe_point *point, enum kprobe_site_text text)
{
	bool jump = point->mechanism == KPROBE_JUMP || text == KPROBE_SITE_JUMP;

	return jump ? kprobe_point_isa(point)->jump_size : point->breakpoint_len;
}

static void make_jump(struct patched_site *site, const struct kprobe_point *point)
{
	struct kprobe_code code = {
		.buf = site->new, .size = site->len, .base = site->addr,
	};

	kprobe_point_isa(point)->jump(&code, kprobe_point_jump_target(point),
				      kprobe_point_scratch(point));
	arch_kprobe_adapt_jump(point, site->new);
}

static void make_breakpoint(struct patched_site *site, const struct kprobe_point *point)
{
	struct kprobe_code code = {
		.buf = site->breakpoint, .size = site->head, .base = site->addr,
	};

	kprobe_point_put_breakpoint(point, &code);
}

/*
 * Adds the site of a point that owns it to the batch. @text is in place when kprobe_patch_end()
 * returns, or earlier if the batch is full.
 */
void kprobe_patch_add(const struct kprobe_point *point, enum kprobe_site_text text)
{
	struct patched_site *site = &sites[nr_sites++];

	lockdep_assert_held(&text_mutex);
	site->addr = point->site;
	site->len = size_to_patch(point, text);
	site->head = point->breakpoint_len;
	memcpy(site->old, (void *)site->addr, site->len);
	make_breakpoint(site, point);
	memcpy(site->new, point->insn, sizeof(site->new));
	if (text == KPROBE_SITE_BREAKPOINT)
		memcpy(site->new, site->breakpoint, site->head);
	else if (text == KPROBE_SITE_JUMP)
		make_jump(site, point);
	if (nr_sites == ARRAY_SIZE(sites)) {
		write_sites();
		cond_resched();
	}
}

/*
 * Patches the sites that are left, and releases the locks. No CPU executes the old text then, and
 * each CPU that has hit a removed breakpoint has looked up the point.
 */
void kprobe_patch_end(void)
{
	write_sites();
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
}

/* Replaces text that no CPU executes with the %KPROBE_JUMP_SIZE bytes at @text. */
void kprobe_patch_unused(unsigned long addr, const u8 *text)
{
	u8 old[KPROBE_JUMP_SIZE];
	const struct kprobe_patch patch = {
		.addr = addr, .old = old, .new = text, .len = sizeof(old),
	};

	kprobe_patch_begin();
	memcpy(old, (void *)addr, sizeof(old));
	arch_kprobe_patch(&patch, 1);
	perf_event_text_poke((void *)addr, old, sizeof(old), text, sizeof(old));
	kprobe_patch_end();
}
