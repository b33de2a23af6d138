// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests tables of forms over all words of 32 bits, by arithmetic: a form owns those of its words
 * that no form before it has. Each form must own some, or another one shadows it. The forms of a
 * group must own all words of the group, none twice, and a golden table that is not partial must
 * have a line for each form. Of a compressed instruction the upper half is any.
 */
#include <stdio.h>
#include <string.h>
#include <linux/unaligned.h>

#include "harness.h"

#define FORMS_MAX	512

/* Forms that the golden table has a line for. */
static const struct kprobe_form *golden[FORMS_MAX];
static unsigned int nr_golden;

static bool is_golden(const struct kprobe_form *form)
{
	unsigned int i;

	for (i = 0; i < nr_golden; i++)
		if (golden[i] == form)
			return true;
	return false;
}

/**
 * forms_word() - tell by which word an instruction's form is found
 * @bytes: the instruction, at least four bytes
 *
 * Context: The host.
 * Return: The word.
 */
u32 forms_word(const u8 *bytes)
{
	if (harness_target.form_word)
		return harness_target.form_word(bytes);
	return harness_target.big_endian ? get_unaligned_be32(bytes) : get_unaligned_le32(bytes);
}

/**
 * forms_note() - note that the golden table has a line for an instruction
 * @bytes: the instruction, at least four bytes
 *
 * Context: The host.
 */
void forms_note(const u8 *bytes)
{
	const struct kprobe_forms *forms = harness_target.isa->forms;
	const struct kprobe_form *form;

	if (!forms)
		return;
	form = kprobe_find_form(forms, forms_word(bytes));
	if (!is_golden(form) && nr_golden < FORMS_MAX)
		golden[nr_golden++] = form;
}

/* How many words with the bits @mask as in @value no form from @first to before @last has. */
static u64 count(u32 mask, u32 value, const struct kprobe_form *first,
		 const struct kprobe_form *last)
{
	u32 bit, open = first->mask & ~mask;

	if (first == last)
		return 1ULL << (32 - __builtin_popcount(mask));
	if ((value ^ first->value) & mask & first->mask)
		return count(mask, value, first + 1, last);
	if (!open)
		return 0;
	bit = open & -open;
	return count(mask | bit, value | (~first->value & bit), first + 1, last) +
	       count(mask | bit, value | (first->value & bit), first, last);
}

/* The words that a form of group @major owns. */
static u64 owned(const struct kprobe_forms *forms, unsigned int major,
		 const struct kprobe_form *form)
{
	u32 group = (u32)forms->bits << forms->shift, value = major << forms->shift;

	if ((form->value ^ value) & form->mask & group)
		return 0;
	return count(group | form->mask, value | form->value, forms->major[major], form);
}

/* The words of all groups with the same list of forms. */
static u64 owned_by_list(const struct kprobe_forms *forms, const struct kprobe_form *list,
			 const struct kprobe_form *form)
{
	unsigned int major;
	u64 sum = 0;

	for (major = 0; major <= forms->bits; major++)
		if (forms->major[major] == list)
			sum += owned(forms, major, form);
	return sum;
}

static bool is_first_with_list(const struct kprobe_forms *forms, unsigned int major)
{
	unsigned int i;

	for (i = 0; i < major; i++)
		if (forms->major[i] == forms->major[major])
			return false;
	return true;
}

/* Returns how many words the forms of the list own. */
static u64 test_list(const struct kprobe_forms *forms, const struct kprobe_form *list)
{
	const struct kprobe_form *form = list;
	u64 words, sum = 0;

	do {
		words = owned_by_list(forms, list, form);
		sum += words;
		tap_note("%08x/%08x owns %llu words", form->value, form->mask,
			 (unsigned long long)words);
		tap_result(words && !(form->value & ~form->mask), "form %08x/%08x is reached",
			   form->value, form->mask);
		if (!harness_target.partial)
			tap_result(is_golden(form), "form %08x/%08x has a golden line", form->value,
				   form->mask);
	} while (form++->mask);
	return sum;
}

/**
 * forms_test() - test the tables of forms
 *
 * Context: The host, after golden_test().
 */
void forms_test(void)
{
	const struct kprobe_forms *forms = harness_target.isa->forms;
	char group[64];
	unsigned int major;
	u64 sum = 0;

	if (!forms)
		return;
	snprintf(group, sizeof(group), "forms_%s", harness_target.name);
	tap_begin(group);
	for (major = 0; major <= forms->bits; major++)
		if (is_first_with_list(forms, major))
			sum += test_list(forms, forms->major[major]);
	tap_result(sum == 1ULL << 32, "forms own all words once");
	tap_end(group);
}
