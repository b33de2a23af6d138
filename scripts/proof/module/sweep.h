/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SWEEP_H
#define _SWEEP_H

#include <linux/types.h>

int sweep_interrupt(bool on);

#endif /* _SWEEP_H */
