// SPDX-License-Identifier: GPL-2.0-or-later
/* The decoders that are installed. */
#include "words.h"

const struct decoder *const decoders[] = {
#ifdef WORDS_LLVM
	&llvm_decoder,
#endif
#ifdef WORDS_ZYDIS
	&zydis_decoder,
#endif
#ifdef WORDS_BINUTILS
	&binutils_decoder,
#endif
	NULL
};
