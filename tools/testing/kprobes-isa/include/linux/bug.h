/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BUG() and BUG_ON() are in the tools' linux/kernel.h, whose linux/bug.h clashes with it. */
