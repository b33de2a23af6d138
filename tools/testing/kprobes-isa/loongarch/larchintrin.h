/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_LOONGARCH_LARCHINTRIN_H
#define KPROBES_ISA_LOONGARCH_LARCHINTRIN_H

/* What compilers for LoongArch have in this header, for functions that nobody calls. */
#define __csrrd_w(reg)			((void)(reg), 0)
#define __csrrd_d(reg)			((void)(reg), 0)
#define __csrwr_w(val, reg)		((void)(val), (void)(reg))
#define __csrwr_d(val, reg)		((void)(val), (void)(reg))
#define __csrxchg_w(val, mask, reg)	((void)(val), (void)(mask), (void)(reg))
#define __csrxchg_d(val, mask, reg)	((void)(val), (void)(mask), (void)(reg))
#define __iocsrwr_d(val, reg)		((void)(val), (void)(reg))

#endif /* KPROBES_ISA_LOONGARCH_LARCHINTRIN_H */
