/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _KERNEL_KPROBES_TESTS_REFUSAL_H
#define _KERNEL_KPROBES_TESTS_REFUSAL_H

/* refusal.c: makes calls of the API that are refused, and checks their records */
#include "../reason.h"

struct kprobe;
struct kretprobe;
struct kunit;

u64 kprobes_last_refusal(struct kprobe_refusal *last);

void kprobes_refuse_probe(struct kunit *test, struct kprobe *p,
			  int error, enum kprobe_reason reason,
			  const struct kprobe *named);
void kprobes_expect_refused(struct kunit *test, struct kprobe *p, int error,
			    enum kprobe_reason reason);
void kprobes_refuse_symbol(struct kunit *test, const char *symbol, unsigned int offset,
			   int error, enum kprobe_reason reason);
void kprobes_refuse_addr(struct kunit *test, const void *addr, int error,
			 enum kprobe_reason reason);
void kprobes_refuse_probes(struct kunit *test, struct kprobe **kps, int num,
			   int error, enum kprobe_reason reason,
			   const struct kprobe *named);
void kprobes_refuse_return_probe(struct kunit *test, struct kretprobe *rp,
				 int error, enum kprobe_reason reason,
				 const struct kprobe *named);
void kprobes_refuse_return_probes(struct kunit *test, struct kretprobe **rps, int num,
				  enum kprobe_reason reason,
				  const struct kprobe *named);
void kprobes_refuse_to_enable(struct kunit *test, struct kprobe *p,
			      enum kprobe_reason reason,
			      const struct kprobe *named);

#endif /* _KERNEL_KPROBES_TESTS_REFUSAL_H */
