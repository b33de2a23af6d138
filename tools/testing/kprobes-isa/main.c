// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests an instruction set on the host:
 *
 *	isa-ARCH TABLE [VMLINUX]...	tests, with results in KTAP: a golden table, the KUnit
 *					suites on byte arrays, every instruction of a kernel
 *	isa-ARCH -w TABLE		prints the table with the present plans and copies
 *	isa-ARCH -x VMLINUX		executes every instruction of a kernel and its copy
 *	isa-ARCH -s VMLINUX		prints how many places of a kernel can be probed, and
 *					how many can have jumps
 */
#include <stdio.h>
#include <string.h>

#include "elf-file.h"
#include "execute.h"
#include "harness.h"

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
	int i;

	/* What Unicorn writes to stderr when it aborts must not come within a line of results. */
	setlinebuf(stdout);
	if (argc == 3 && !strcmp(argv[1], "-w"))
		return golden_write(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "-s"))
		return share_print(argv[2]);
	if (argc >= 3 && !strcmp(argv[1], "-x")) {
		golden_read(argv[2]);
		execute_table_test(true);
		for (i = 3; i < argc; i++)
			execute_image_test(argv[i], true);
		return tap_finish();
	}
	if (argc < 2) {
		fprintf(stderr, "usage: %s [-w|-x] TABLE [VMLINUX]...\n       %s -s VMLINUX\n",
			argv[0], argv[0]);
		return 2;
	}
	golden_test(argv[1]);
	forms_test();
	classes_load(argv[1]);
	if (harness_target.sequences)
		sequences_test(argv[1]);
	kunit_test();
	execute_table_test(false);
	for (i = 2; i < argc; i++) {
		if (!elf_load(argv[i])) {
			fprintf(stderr, "%s: not an ELF file\n", argv[i]);
			return 2;
		}
		if (harness_target.class_of)
			guest_load();
		lengths_test(argv[i]);
		execute_image_test(argv[i], false);
	}
	if (argc > 2 && harness_target.class_of)
		guest_test();
	if (argc == 2 && harness_target.objdump)
		lengths_skip();
	return tap_finish();
}
