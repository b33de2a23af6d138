/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_ALONE_H
#define _KERNEL_KPROBES_TESTS_ALONE_H

/* What a survey asks about the text around a function, answered as if there were none. */
#include "../survey.h"

static __maybe_unused enum kprobe_reason is_whole(struct kprobe_survey *s)
{
	return KPROBE_REASON_NONE;
}

static __maybe_unused bool not_compiled(const struct kprobe_function *f)
{
	return false;
}

static __maybe_unused unsigned long no_target(unsigned long *site, unsigned long end)
{
	return 0;
}

static __maybe_unused bool no_thunk(unsigned long addr)
{
	return false;
}

/* Initializes these members of a struct kprobe_text. */
#define NO_OTHER_TEXT							\
	.is_whole = is_whole, .is_compiled = not_compiled,		\
	.next_target = no_target, .is_thunk = no_thunk

#endif /* _KERNEL_KPROBES_TESTS_ALONE_H */
