// SPDX-License-Identifier: GPL-2.0-or-later
/* For instruction sets that have forms. */
#include "words-check.h"

void words_structured(unsigned int rounds)
{
}
