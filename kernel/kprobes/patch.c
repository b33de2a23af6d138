// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patching the text at sites, many at once.
 *
 * A breakpoint is written in one piece: a CPU sees it, or what was there before. A
 * jump is longer and may cover several instructions, of which a CPU must not execute
 * one half old and one half new. So it comes and goes while a breakpoint keeps CPUs
 * away from what follows, as the Intel SDM (volume 3, "Cross-Modifying Code") has it
 * and other manuals likewise:
 *
 *   1. write the breakpoint where there is none
 *   2. write what follows it
 *   3. write what takes the breakpoint's place, where it does not stay
 *
 * Each step is one arch_kprobe_patch() for all sites of a batch, after which every CPU
 * executes the new text. Steps that a site does not need leave it out. Hits in between
 * find the point by its breakpoint.
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
 * @addr:       where
 * @len:        how many bytes
 * @head:       how many of them the breakpoint has
 * @old:        what is there
 * @breakpoint: what is there meanwhile
 * @new:        what is to be there
 */
struct patched_site {
	unsigned long addr;
	u8 len;
	u8 head;
	u8 old[KPROBE_JUMP_SIZE];
	u8 breakpoint[KPROBE_JUMP_SIZE];
	u8 new[KPROBE_JUMP_SIZE];
};

/* The batch, and one step's part of it; text_mutex. */
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

/**
 * kprobe_patch_step() - one step of a batch
 * @step: patches, none of which changes what another one does
 * @nr:   how many
 *
 * Tests look here at what is written and in what order.
 *
 * Context: Process context, cpus_read_lock() and text_mutex held, may sleep.
 */
void kprobe_patch_step(const struct kprobe_patch *step, unsigned int nr)
{
	KUNIT_STATIC_STUB_REDIRECT(kprobe_patch_step, step, nr);
	arch_kprobe_patch(step, nr);
}
NOKPROBE_SYMBOL(kprobe_patch_step);

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

/* While no CPU executes any of it: decoders of traces then know what came when. */
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
	/* Points are in the table first. Pairs with retry_stale_breakpoint(). */
	smp_wmb();
	write_breakpoints();
	write_tails();
	tell_perf();
	write_heads();
	nr_sites = 0;
}

/**
 * kprobe_patch_begin() - begin to patch text
 *
 * Context: Process context, kprobe_mutex held, may sleep. Takes cpus_read_lock() and
 * text_mutex until kprobe_patch_end().
 */
void kprobe_patch_begin(void)
{
	lockdep_assert_held(&kprobe_mutex);
	cpus_read_lock();
	mutex_lock(&text_mutex);
}
NOKPROBE_SYMBOL(kprobe_patch_begin);

#ifdef CONFIG_OPTPROBES
static u8 size_to_patch(const struct kprobe_point *point, enum kprobe_site_text text)
{
	bool jump = point->mechanism == KPROBE_JUMP || text == KPROBE_SITE_JUMP;

	return jump ? KPROBE_JUMP_SIZE : point->plan.breakpoint_len;
}

static void make_jump(struct patched_site *site, const struct kprobe_point *point)
{
	struct kprobe_code code = {
		.buf = site->new, .size = site->len, .base = site->addr,
	};

	arch_kprobe_isa->jump(&code, (unsigned long)point->detour->entry,
			      kprobe_point_scratch(point));
}
#else
static u8 size_to_patch(const struct kprobe_point *point, enum kprobe_site_text text)
{
	return point->plan.breakpoint_len;
}

static void make_jump(struct patched_site *site, const struct kprobe_point *point) { }
#endif

static void make_breakpoint(struct patched_site *site, const struct kprobe_point *point)
{
	struct kprobe_code code = {
		.buf = site->breakpoint, .size = site->head, .base = site->addr,
	};

	arch_kprobe_isa->breakpoint(&code, &point->plan);
}

/**
 * kprobe_patch_add() - have a site's text replaced
 * @point: the point, with a breakpoint of its own or about to get it
 * @text:  what is to be there when kprobe_patch_end() returns
 *
 * Context: Process context, between kprobe_patch_begin() and kprobe_patch_end(), may
 * sleep.
 */
void kprobe_patch_add(const struct kprobe_point *point, enum kprobe_site_text text)
{
	struct patched_site *site = &sites[nr_sites++];

	lockdep_assert_held(&text_mutex);
	site->addr = point->site;
	site->len = size_to_patch(point, text);
	site->head = point->plan.breakpoint_len;
	memcpy(site->old, (void *)site->addr, site->len);
	make_breakpoint(site, point);
	memcpy(site->new, point->insn, site->len);
	if (text == KPROBE_SITE_BREAKPOINT)
		memcpy(site->new, site->breakpoint, site->head);
	else if (text == KPROBE_SITE_JUMP)
		make_jump(site, point);
	if (nr_sites == ARRAY_SIZE(sites)) {
		write_sites();
		cond_resched();
	}
}
NOKPROBE_SYMBOL(kprobe_patch_add);

/**
 * kprobe_patch_end() - end to patch text
 *
 * When it returns no CPU executes what was there before, nor is on its way from a
 * breakpoint that has gone to the table of points.
 *
 * Context: As kprobe_patch_begin(), whose locks it gives back.
 */
void kprobe_patch_end(void)
{
	write_sites();
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
}
NOKPROBE_SYMBOL(kprobe_patch_end);
