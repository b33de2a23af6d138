// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions of x86, made of parts: up to two prefixes, each opcode of each map in each encoding,
 * each ModRM byte; what comes after that is random, but the same each time.
 */
#include <string.h>
#include <linux/kernel.h>

#include "words-check.h"

static const u8 prefixes[] = { 0, 0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x65, 0x64 };

/* What tells encodings and maps. Vectors' have fields of their own, which are random. */
enum map { ONE_BYTE, TWO_BYTES, MAP_38, MAP_3A, VEX2, VEX3, EVEX, XOP, REX2, MAPS };

static u32 seed;

static u8 random_byte(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 24;
}

/* Appends what comes before the opcode. */
static unsigned int put_map(u8 *bytes, enum map map)
{
	static const u8 escapes[MAPS][3] = {
		[TWO_BYTES] = { 0x0f }, [MAP_38] = { 0x0f, 0x38 }, [MAP_3A] = { 0x0f, 0x3a },
		[VEX2] = { 0xc5 }, [VEX3] = { 0xc4 }, [EVEX] = { 0x62 }, [XOP] = { 0x8f },
		[REX2] = { 0xd5 },
	};
	static const u8 fields[MAPS] = {
		[VEX2] = 1, [VEX3] = 2, [EVEX] = 3, [XOP] = 2, [REX2] = 1,
	};
	unsigned int n = 0, i;

	for (; escapes[map][n]; n++)
		bytes[n] = escapes[map][n];
	for (i = 0; i < fields[map]; i++)
		bytes[n++] = random_byte();
	/* Few of the maps that a field can name are in use. */
	if (map == VEX3)
		bytes[1] = (bytes[1] & 0xe0) | (1 + random_byte() % 3);
	if (map == EVEX)
		bytes[1] = (bytes[1] & 0xf0) | (1 + random_byte() % 6);
	if (map == XOP)
		bytes[1] = (bytes[1] & 0xe0) | (8 + random_byte() % 3);
	return n;
}

static void check(u8 first, u8 second, enum map map, u8 opcode, u8 modrm)
{
	u8 bytes[WORDS_BYTES];
	unsigned int n = 0;

	if (first)
		bytes[n++] = first;
	if (second)
		bytes[n++] = second;
	if (map <= MAP_3A && IS_ENABLED(CONFIG_X86_64) && random_byte() & 1)
		bytes[n++] = 0x40 | (random_byte() & 0xf);
	n += put_map(bytes + n, map);
	bytes[n++] = opcode;
	bytes[n++] = modrm;
	while (n < WORDS_BYTES)
		bytes[n++] = random_byte();
	words_check(bytes, true);
}

static void check_opcodes(u8 first, u8 second, unsigned int stride)
{
	unsigned int map, opcode, modrm;

	for (map = 0; map < MAPS; map++)
		for (opcode = 0; opcode <= 0xff; opcode++)
			for (modrm = random_byte() % stride; modrm <= 0xff; modrm += stride)
				check(first, second, map, opcode, modrm);
}

/**
 * words_structured() - check instructions made of parts
 * @rounds: at 1 only some of the ModRM bytes
 *
 * Context: The host, after words_begin().
 */
void words_structured(unsigned int rounds)
{
	unsigned int round, first, second;

	for (round = 0; round < rounds; round++)
		for (first = 0; first < ARRAY_SIZE(prefixes); first++)
			for (second = 0; second < (first ? ARRAY_SIZE(prefixes) : 1); second++) {
				seed = (round * 16 + first) * 16 + second;
				check_opcodes(prefixes[first], prefixes[second],
					      rounds > 1 ? 1 : 16);
			}
}
