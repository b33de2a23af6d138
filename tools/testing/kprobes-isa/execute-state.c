// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes up registers and memory that instructions are executed with, and notes what has changed. */
#include <string.h>
#include <linux/kernel.h>

#include "elf-file.h"
#include "execute.h"
#include "harness.h"

static const struct execute_arch *const arch = &execute_arch;

/**
 * machine_random() - make up a number
 *
 * Context: The host.
 * Return: By Marsaglia's xorshift, with a fixed seed: each run is the same.
 */
u64 machine_random(void)
{
	static u64 x = 0x9e3779b97f4a7c15;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

/*
 * An address of data, a small number, which may be 0 or negative, or any. Of some the lower half is
 * 0: instructions of 32 bits ignore the upper one.
 */
static u64 random_number(void)
{
	u64 random = machine_random();

	switch (random & 15) {
	case 0:
		return machine_random();
	case 1:
		return random >> 8 & 15;
	case 2: case 3:
		return (random >> 8 & 3) - 1;
	case 4:
		return (random >> 8 & 3) << 32;
	default:
		return arch->data + MACHINE_DATA_SIZE / 2 + (random >> 8 & 0x1ff) * 8;
	}
}

static void random_value(union machine_value *value, const struct machine_reg *reg)
{
	*value = (union machine_value){};
	switch (reg->kind) {
	case MACHINE_GENERAL:
		value->number = random_number();
		break;
	case MACHINE_STACK:
		value->number = arch->stack + MACHINE_DATA_SIZE / 2 +
				machine_random() % 64 * arch->align_sp;
		break;
	case MACHINE_RANDOM:
		value->half[0] = (machine_random() & (reg->mask ?: ~0ULL)) | reg->value;
		if (reg->size > sizeof(u64))
			value->half[1] = machine_random();
		break;
	case MACHINE_FIXED:
		value->number = reg->value;
		break;
	}
	if (reg->size < sizeof(u64))
		value->number &= (1ULL << 8 * reg->size) - 1;
}

/**
 * machine_random_state() - make up registers
 * @state: the registers
 *
 * Context: The host.
 */
void machine_random_state(union machine_value *state)
{
	unsigned int i;

	for (i = 0; i < arch->nr_regs; i++)
		random_value(&state[i], &arch->regs[i]);
}

/* A word of the machine in its byte order. */
static void put_word(u8 *at, u64 value)
{
	unsigned int word = elf.word ?: 8, i;

	for (i = 0; i < word; i++)
		at[i] = value >> 8 * (harness_target.big_endian ? word - 1 - i : i);
}

/**
 * machine_fill() - make up words, which may be addresses of others, as a kernel's structures have
 * @at:   where
 * @size: how many bytes
 *
 * Context: The host.
 */
void machine_fill(u8 *at, unsigned long size)
{
	unsigned long i;

	for (i = 0; i < size; i += 8)
		put_word(at + i, machine_random() & 1 ? machine_random() :
			 arch->data + MACHINE_DATA_SIZE / 4 +
			 machine_random() % (MACHINE_DATA_SIZE / 16) * 8);
}

/**
 * machine_sp() - find the stack pointer
 *
 * Context: The host.
 * Return: Its index among the registers.
 */
unsigned int machine_sp(void)
{
	unsigned int i = 0;

	while (arch->regs[i].kind != MACHINE_STACK)
		i++;
	return i;
}

/**
 * machine_note_change() - note a byte that has changed
 * @result: where to
 * @addr:   its address
 * @value:  what it is
 *
 * Context: The host.
 */
void machine_note_change(struct machine_result *result, unsigned long addr, u8 value)
{
	if (result->nr_changes < MACHINE_CHANGES)
		result->changes[result->nr_changes++] = (struct machine_change){ addr, value };
}

/**
 * machine_note_changes() - note which bytes have changed, and restore them
 * @result: where to
 * @addr:   address of the first
 * @now:    what they are
 * @old:    what they were
 * @size:   how many
 *
 * Context: The host.
 */
void machine_note_changes(struct machine_result *result, unsigned long addr, u8 *now,
			  const u8 *old, unsigned long size)
{
	unsigned long i;

	if (!memcmp(now, old, size))
		return;
	for (i = 0; i < size; i++)
		if (now[i] != old[i])
			machine_note_change(result, addr + i, now[i]);
	memcpy(now, old, size);
}
