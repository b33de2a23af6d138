// SPDX-License-Identifier: GPL-2.0-or-later
/* In place of execute.c where Unicorn is not installed, or does not have an instruction set. */
#include "execute.h"
#include "harness.h"

void execute_golden(const u8 *bytes, size_t avail)
{
}

void execute_table_test(bool whole)
{
	tap_begin("execute");
	tap_skip("golden", EXECUTE_NONE);
	tap_end("execute");
}

void execute_image_test(const char *vmlinux, bool whole)
{
	tap_begin("execute_kernel");
	tap_skip(vmlinux, EXECUTE_NONE);
	tap_end("execute_kernel");
}
