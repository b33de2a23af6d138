// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares the texts with their copies. Included by sweep.c. */
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "driver.h"

/* Where a text differs is told so often. */
#define DIFFERENCES	200

static void print_bytes(const uint8_t *bytes)
{
	int i;

	fputc(' ', output);
	for (i = 0; i < 3 * PROOF_WINDOW; i++)
		fprintf(output, "%02x", bytes[i]);
}

/* Where the texts differ from their copies: all bytes, and so many of the places. */
struct differences {
	unsigned int bytes, number;
	struct proof_difference places[DIFFERENCES];
};

static void compare_object(uint32_t object, struct differences *all)
{
	struct proof_difference d = { .object = object };

	do {
		if (ioctl(device, PROOF_COMPARE, &d))
			fail("PROOF_COMPARE");
		all->bytes += d.bytes;
		if (d.bytes && all->number < DIFFERENCES)
			all->places[all->number++] = d;
	} while (d.bytes);
}

static void compare_objects(struct differences *all)
{
	uint32_t i;

	memset(all, 0, sizeof(*all));
	for (i = 0; i < PROOF_OBJECTS && texts[i].size; i++)
		compare_object(i, all);
}

/* Until nothing changes any more: a static key may be patched at this moment. */
static void compare_text(void)
{
	static struct differences all, before;
	unsigned int i, tries = 0;

	compare_objects(&all);
	do {
		before = all;
		if (all.bytes)
			usleep(300000);
		compare_objects(&all);
	} while (memcmp(&all, &before, sizeof(all)) && ++tries < 20);
	for (i = 0; i < all.number; i++) {
		fprintf(output, "differs %llx", (unsigned long long)all.places[i].at);
		print_bytes(all.places[i].before);
		print_bytes(all.places[i].now);
		fputc('\n', output);
	}
	fprintf(output, "text %u\n", all.bytes);
}
