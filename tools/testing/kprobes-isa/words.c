// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plans all words of an instruction set, writes a copy of each, and compares with other decoders:
 *
 *	words-ARCH [-a | -w] [-c NR] DIFFERENCES [NAMES]
 *
 * Compiled with sanitizers. Without -a only a sample of the words is planned. Compared are one in
 * NR words, and some of each form: with any of their other bits, and those that differ from its
 * value in one bit. All of it comes out the same each time. -w writes the list of names, which is
 * of the sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/unaligned.h>

#include "harness.h"
#include "words.h"
#include "words-check.h"

#define SAMPLE_STEP	4093		/* odd, so that all bits change */
#define OF_A_FORM	4096

/* Same in, same out; all bits of it depend on all of @x. */
static u32 scramble(u32 x)
{
	x = (x ^ x >> 16) * 0x7feb352d;
	x = (x ^ x >> 15) * 0x846ca68b;
	return x ^ x >> 16;
}

/* Makes an instruction of a word, and what comes after it. False if another word makes it too. */
static bool make_bytes(u8 *bytes, u32 word)
{
	u32 noise = scramble(word);

	put_unaligned_le32(noise, bytes + 4);
	put_unaligned_le32(noise >> 7, bytes + 8);
	put_unaligned_le32(noise >> 15, bytes + 12);
	if (harness_target.put_word)
		return harness_target.put_word(bytes, word);
	if (harness_target.big_endian)
		put_unaligned_be32(word, bytes);
	else
		put_unaligned_le32(word, bytes);
	return harness_target.isa->align > 2 || (word & 3) == 3 || word <= 0xffff;
}

static void plan_word(u32 word, u32 step)
{
	static u8 bytes[WORDS_BYTES];	/* not on the stack, which sanitizers mark in each call */

	if (make_bytes(bytes, word))
		words_check(bytes, step && scramble(~word) % step == 0);
}

static void show_progress(u32 word)
{
	if (!(word & 0xffffff) && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%s %u %%", harness_target.name, word / 42949673);
}

static void plan_all(bool all, u32 compared)
{
	u64 step = all ? 1 : SAMPLE_STEP, word;

	for (word = 0; word >> 32 == 0; word += step) {
		plan_word(word, compared);
		show_progress(word);
	}
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}

/* Words of a form with any of the other bits, and those that differ from its value in one bit. */
static void plan_form(const struct kprobe_form *form, u32 group, u32 value)
{
	u32 fixed = form->mask | group, base = (form->value & ~group) | value, i;

	for (i = 0; i < OF_A_FORM; i++)
		plan_word(base | (scramble(i ^ form->value) & ~fixed), 1);
	for (i = 0; i < 32; i++) {
		plan_word(base ^ BIT(i), 1);
		plan_word((base | ~fixed) ^ BIT(i), 1);
	}
}

static void plan_forms(const struct kprobe_forms *forms)
{
	const struct kprobe_form *form;
	unsigned int major;

	for (major = 0; major <= forms->bits; major++) {
		form = forms->major[major];
		do {
			plan_form(form, (u32)forms->bits << forms->shift, major << forms->shift);
		} while (form++->mask);
	}
}

/**
 * main() - run what the command line asks for
 * @argc: number of arguments
 * @argv: arguments
 *
 * Context: The host.
 * Return: 0 if all is good.
 */
int main(int argc, char **argv)
{
	const struct kprobe_forms *forms = harness_target.isa->forms;
	u32 compared = SAMPLE_STEP;
	bool all = false, write = false;
	char group[64];
	int option;

	while ((option = getopt(argc, argv, "awc:")) != -1)
		if (option == 'a')
			all = true;
		else if (option == 'w')
			write = true;
		else if (option == 'c')
			compared = strtoul(optarg, NULL, 0);
	if (optind != argc - 1 && optind != argc - 2) {
		fprintf(stderr, "usage: %s [-a | -w] [-c NR] DIFFERENCES [NAMES]\n", argv[0]);
		return 2;
	}
	snprintf(group, sizeof(group), "words_%s", harness_target.name);
	tap_begin(group);
	words_begin(argv[optind]);
	if (forms) {
		plan_all(all, all ? compared : 1);
		plan_forms(forms);
	} else {
		words_structured(all ? 2 : 1);
	}
	if (words_end(all) && !all && argv[optind + 1])
		names_end(argv[optind + 1], write);
	tap_end(group);
	return tap_finish();
}
