/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_EXECUTE_ARM_H
#define KPROBES_ISA_EXECUTE_ARM_H

/*
 * Arm's registers in Unicorn, for A32 and T32. Who includes this defines CPSR, the status register
 * without flags.
 */
#include <linux/types.h>
#include <unicorn/unicorn.h>

#include "execute.h"

#define R(nr)	{ .id = UC_ARM_REG_R##nr, .kind = MACHINE_GENERAL, .size = 4 }
#define D(nr)	{ .id = UC_ARM_REG_D##nr, .kind = MACHINE_RANDOM, .size = 8 }

static const struct machine_reg regs[] = {
	R(0), R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12),
	{ .id = UC_ARM_REG_SP, .kind = MACHINE_STACK, .size = 4 },
	{ .id = UC_ARM_REG_LR, .kind = MACHINE_GENERAL, .size = 4 },
	/* With any flags. */
	{ .id = UC_ARM_REG_CPSR, .kind = MACHINE_RANDOM, .size = 4, .mask = 0xf8000000,
	  .value = CPSR },
	D(0), D(1), D(2), D(3), D(4), D(5), D(6), D(7), D(8), D(9), D(10), D(11), D(12), D(13),
	D(14), D(15),
};

static void open_fpu(void *uc)
{
	u32 fpexc = 1 << 30, cpacr = 0xf << 20;

	uc_reg_write(uc, UC_ARM_REG_C1_C0_2, &cpacr);
	uc_reg_write(uc, UC_ARM_REG_FPEXC, &fpexc);
}

#endif /* KPROBES_ISA_EXECUTE_ARM_H */
