// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of the context that hits leave as it was on 64-bit PowerPC: the bytes below the stack
 * pointer, interrupts that are masked in software alone, what an interrupt's return expects in SRR0
 * and SRR1, the pointer to a function's data, and access to user memory.
 */
#include <kunit/test.h>
#include <linux/irqflags.h>
#include <asm/code-patching.h>
#include <asm/hardirq.h>
#include <asm/hw_irq.h>
#include <asm/kup.h>
#include <asm/paca.h>
#include <asm/time.h>

#include "../../optimized.h"
#include "context.h"

static void context_red_zone(struct kunit *test)
{
	const struct kprobes_place place = {
		.symbol = "kprobes_red_zone", .offset = kprobes_red_zone_full,
	};
	struct kprobes_counter *c = kprobes_counter(test, &place);

	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	KUNIT_EXPECT_EQ(test, 0, kprobes_red_zone(0x123456789abcdef));
	kprobes_expect_counts(test, c, 1, 1);
}

/**
 * struct seen - what handlers have found
 * @handlers: how many there were
 * @mask:     the mask of the probed code
 * @enabled:  in how many handlers interrupts were enabled
 * @pending:  in how many an interrupt has come, and waited
 * @access:   in how many user access was enabled
 * @untold:   what handlers have told about SRR0 and SRR1 is forgotten
 */
struct seen {
	int handlers;
	unsigned long mask;
	int enabled;
	int pending;
	int access;
	bool untold;
};

/* No other test runs meanwhile. */
static struct seen seen;

/*
 * Waits until the decrementer has interrupted this CPU, if interrupts are masked. Where another one
 * is first, the CPU takes no more.
 */
static bool await_decrementer(void)
{
	u64 end = mftb() + tb_ticks_per_sec;

	if (!irqs_disabled())
		return false;
	set_dec(1);
	while (mftb() < end) {
		barrier();
		if (READ_ONCE(local_paca->irq_happened) & (PACA_IRQ_DEC | PACA_IRQ_MUST_HARD_MASK))
			return true;
	}
	return false;
}

static int look_at_mask(struct kprobe *p, struct pt_regs *regs)
{
	seen.handlers++;
	seen.mask = regs->softe;
	seen.enabled += !irqs_disabled();
	seen.pending += await_decrementer();
	return 0;
}

static void look_at_mask_again(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	look_at_mask(p, regs);
}

static unsigned int timer_interrupts(void)
{
	return __this_cpu_read(irq_stat.timer_irqs_event) +
	       __this_cpu_read(irq_stat.timer_irqs_others);
}

static void call_with_mask(struct kunit *test, unsigned long mask)
{
	/* A trap masks interrupts, but not for a post-handler behind a copy. */
	int enabled = mask ? 0 : kprobes_way_of(test) == KPROBES_BY_TRAP ? 1 : 2;
	unsigned int before, after, last;
	unsigned long during;
	int result;

	seen = (struct seen){ };
	preempt_disable();
	irq_soft_mask_or_return(mask);
	before = timer_interrupts();
	result = kprobes_opt_plain(5);
	during = irq_soft_mask_return();
	after = timer_interrupts();
	arch_local_irq_restore(IRQS_ENABLED);
	last = timer_interrupts();
	preempt_enable();
	KUNIT_EXPECT_EQ(test, mask, during);
	KUNIT_EXPECT_EQ(test, mask, seen.mask);
	KUNIT_EXPECT_EQ(test, 15, result);
	KUNIT_EXPECT_EQ(test, 2, seen.handlers);
	KUNIT_EXPECT_EQ(test, enabled, seen.enabled);
	KUNIT_EXPECT_EQ(test, 2 - enabled, seen.pending);
	/* What waits is handled when the handler ends, unless the probed code has masked it. */
	if (mask)
		KUNIT_EXPECT_EQ(test, before, after);
	else if (seen.pending)
		KUNIT_EXPECT_NE(test, before, after);
	if (seen.pending)
		KUNIT_EXPECT_NE(test, before, last);
}

static void context_masked(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->in_pre = look_at_mask;
	c->in_post = look_at_mask_again;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	call_with_mask(test, IRQS_ENABLED);
	call_with_mask(test, IRQS_DISABLED);
	call_with_mask(test, IRQS_ALL_DISABLED);
}

static int return_now(struct kprobe *p, struct pt_regs *regs)
{
	regs->gpr[3] = 77;
	kprobes_return_now(regs);
	local_paca->srr_valid = seen.untold;
	return 1;
}

/*
 * A hit that goes on elsewhere overwrites SRR0 and SRR1. Within an interrupt that has them ready
 * for its return, it must tell so itself, whatever changes of the registers have told. A trap's
 * return would take them for its own.
 */
static void context_srr(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned long flags;
	int result;
	u8 valid;

	seen = (struct seen){ .untold = kprobes_way_of(test) != KPROBES_BY_TRAP };
	c->in_pre = return_now;
	c->kp.post_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	local_irq_save(flags);
	hard_irq_disable();
	local_paca->srr_valid = 1;
	result = kprobes_opt_plain(5);
	valid = local_paca->srr_valid;
	local_paca->srr_valid = 0;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, 77, result);
	KUNIT_EXPECT_EQ(test, 0, valid);
	kprobes_expect_counts(test, c, 1, 0);
}

static noinline int kprobes_substitute(int a)
{
	seen.handlers++;
	return 100 * a;
}

static int go_to_substitute(struct kprobe *p, struct pt_regs *regs)
{
	/* The global entry computes r2 from it, where a pointer is not that of a descriptor. */
	regs->gpr[12] = (unsigned long)kprobes_substitute;
	instruction_pointer_set(regs, IS_ENABLED(CONFIG_PPC64_ELF_ABI_V2) ? regs->gpr[12] :
				ppc_function_entry(kprobes_substitute));
	return 1;
}

static void context_path(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_opt_plain" };
	struct kprobes_counter *c = kprobes_counter(test, &place);

	c->in_pre = go_to_substitute;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	seen = (struct seen){ };
	KUNIT_EXPECT_EQ(test, 500, kprobes_opt_plain(5));
	KUNIT_EXPECT_EQ(test, 1, seen.handlers);
	kprobes_expect_counts(test, c, 1, 0);
}

/* Ftrace and others branch to the local entry, which they find by what the text is. */
static void context_local_entry(struct kunit *test)
{
	const struct kprobes_place place = { .symbol = "kprobes_substitute", .offset = 4 };
	struct kprobes_counter *c = kprobes_counter(test, &place);
	unsigned long entry = ppc_function_entry(kprobes_substitute);

	if (entry != (unsigned long)kprobes_substitute + 8)
		kunit_skip(test, "there is one entry");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&c->kp));
	kprobes_expect_way(test, c);
	KUNIT_EXPECT_EQ(test, entry, ppc_function_entry(kprobes_substitute));
}

static bool access_is_enabled(void)
{
	return (mfspr(SPRN_AMR) & AMR_KUAP_BLOCKED) != AMR_KUAP_BLOCKED;
}

static void look_at_access(void)
{
	seen.handlers++;
	seen.access += access_is_enabled();
}

/* As copies of user memory do, but with a call in between. */
static void call_with_access(struct kunit *test, int handlers)
{
	bool before, after;
	int result;

	seen = (struct seen){ };
	set_kuap(0);
	before = access_is_enabled();
	result = kprobes_opt_plain(5);
	after = access_is_enabled();
	set_kuap(AMR_KUAP_BLOCKED);
	KUNIT_EXPECT_EQ(test, 15, result);
	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_TRUE(test, after);
	KUNIT_EXPECT_EQ(test, handlers, seen.handlers);
	KUNIT_EXPECT_EQ(test, 0, seen.access);
	KUNIT_EXPECT_EQ(test, 15, kprobes_opt_plain(5));
	KUNIT_EXPECT_FALSE(test, access_is_enabled());
}

static void context_access(struct kunit *test)
{
	if (!mmu_has_feature(MMU_FTR_KUAP))
		kunit_skip(test, "user memory is always accessible");
	kprobes_looking(test, look_at_access, true);
	call_with_access(test, 2);
}

#ifdef CONFIG_KRETPROBES
static void context_access_in_return(struct kunit *test)
{
	if (!mmu_has_feature(MMU_FTR_KUAP))
		kunit_skip(test, "user memory is always accessible");
	kprobes_looking_return(test, look_at_access);
	call_with_access(test, 2);
}
#endif

static struct kunit_case context_cases[] = {
	KPROBES_CASE_WAYS(context_red_zone),
	KPROBES_CASE_WAYS(context_masked),
	KPROBES_CASE_WAYS(context_srr),
	KPROBES_CASE_WAYS(context_path),
	KPROBES_CASE_WAYS(context_local_entry),
	KPROBES_CASE_WAYS(context_access),
#ifdef CONFIG_KRETPROBES
	KPROBES_CASE_WAYS(context_access_in_return),
#endif
	{}
};

static struct kunit_suite context_suite = {
	.name = "kprobes_powerpc_context",
	.init = kprobes_way_init,
	.exit = kprobes_way_exit,
	.test_cases = context_cases,
};

kunit_test_suite(context_suite);

MODULE_DESCRIPTION("KUnit tests of what hits leave as it was on PowerPC");
MODULE_LICENSE("GPL");
