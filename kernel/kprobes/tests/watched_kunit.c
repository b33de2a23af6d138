// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of probes on the API of kprobes itself. It is not on the hit path, and tools watch who sets
 * probes.
 */
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>

#include "targets.h"

static const char * const watched[] = {
	"register_kprobe", "register_kprobes", "unregister_kprobe", "unregister_kprobes",
	"enable_kprobe", "disable_kprobe",
#ifdef CONFIG_KRETPROBES
	"register_kretprobe", "register_kretprobes", "unregister_kretprobe",
	"unregister_kretprobes",
#endif
};

static void use_probe(struct kunit *test, void *addr)
{
	struct kprobe p = { .addr = addr };
	struct kprobe *ps = &p;

	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&p));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p));
	unregister_kprobe(&p);
	p.flags = 0;
	KUNIT_EXPECT_EQ(test, 0, register_kprobes(&ps, 1));
	unregister_kprobes(&ps, 1);
}

#ifdef CONFIG_KRETPROBES
static void use_return_probe(struct kunit *test, void *addr)
{
	struct kretprobe rp = { .kp.addr = addr };
	struct kretprobe *rps = &rp;

	KUNIT_EXPECT_EQ(test, 0, register_kretprobe(&rp));
	unregister_kretprobe(&rp);
	rp.kp.addr = addr;
	KUNIT_EXPECT_EQ(test, 0, register_kretprobes(&rps, 1));
	unregister_kretprobes(&rps, 1);
}
#else
static void use_return_probe(struct kunit *test, void *addr)
{
}
#endif

/* The API is not on the hit path: calls of it are hits as any other, entry and return. */
static void api_is_watched(struct kunit *test)
{
	struct kprobes_counter *c[ARRAY_SIZE(watched)];
	struct kprobes_returns *r[ARRAY_SIZE(watched)];
	void *target = (void *)kallsyms_lookup_name("kprobes_target_c");
	struct kprobes_place place = {};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		place.symbol = watched[i];
		c[i] = kprobes_counting(test, &place);
		if (IS_ENABLED(CONFIG_KRETPROBES))
			r[i] = kprobes_returning(test, watched[i]);
	}
	wait_for_kprobe_optimizer();
	for (i = 0; i < ARRAY_SIZE(watched); i++)
		atomic_set(&c[i]->pre, 0);
	use_probe(test, target);
	use_return_probe(test, target);
	/* Those of one probe may call those of an array. */
	for (i = 0; i < ARRAY_SIZE(watched); i++) {
		KUNIT_EXPECT_GE_MSG(test, atomic_read(&c[i]->pre), 1, "%s", watched[i]);
		KUNIT_EXPECT_EQ_MSG(test, c[i]->kp.nmissed, 0, "%s", watched[i]);
		if (IS_ENABLED(CONFIG_KRETPROBES))
			KUNIT_EXPECT_GE_MSG(test, atomic_read(&r[i]->returns), 1, "%s", watched[i]);
	}
}

static struct kunit_case watched_cases[] = {
	KUNIT_CASE(api_is_watched),
	{}
};

static struct kunit_suite watched_suite = {
	.name = "kprobes_watched",
	.test_cases = watched_cases,
};

kunit_test_suite(watched_suite);
