// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts what a probe hit costs, in time stamp counter ticks. Under QEMU's
 * "-icount shift=0" a tick is one instruction of the guest, so that the
 * figures repeat to the instruction.
 *
 * Uses the public API of kprobes only, so that the same module measures any
 * implementation. Each figure is what a call of a small function costs with
 * the probe, less what it costs without; the handlers' counts prove that every
 * call was seen.
 */
#define pr_fmt(fmt) "kprobe_bench: " fmt

#include <linux/delay.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <asm/tsc.h>

#define CALLS	1000

static unsigned int settle_ms = 500;
module_param(settle_ms, uint, 0444);
MODULE_PARM_DESC(settle_ms, "how long to wait for optimization, in ms");

/* Fifteen instructions, the first of them movable, no landing pad or nop. */
asm(".pushsection .text, \"ax\"\n"
    ".globl bench_plain\n"
    ".type bench_plain, @function\n"
    "bench_plain:\n"
    "	xorl	%eax, %eax\n"
    "	movq	%rdi, %rdx\n"
    "	.rept	12\n"
    "	addq	%rdx, %rax\n"
    "	.endr\n"
    "	ret\n"
    "	int3\n"
    ".size bench_plain, .-bench_plain\n"
    ".popsection\n");
unsigned long bench_plain(unsigned long x);

/* The same with whatever the compiler puts at a function's entry. */
static noinline unsigned long bench_entry(unsigned long x)
{
	unsigned long sum = 0;

	asm volatile(".rept 12\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(x));
	return sum;
}

static unsigned long hits;

static int count_hit(struct kprobe *p, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long flags)
{
	hits++;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

/* Ticks for CALLS calls; interrupts off keep the clock's own work out. */
static unsigned long ticks_of(unsigned long (*function)(unsigned long))
{
	unsigned long flags, start, end;
	unsigned int i;

	local_irq_save(flags);
	function(1);
	start = rdtsc_ordered();
	for (i = 0; i < CALLS; i++)
		function(i);
	end = rdtsc_ordered();
	local_irq_restore(flags);
	return end - start;
}

static void report(const char *what, unsigned long (*function)(unsigned long),
		   unsigned long bare, unsigned long expected)
{
	unsigned long probed;

	msleep(settle_ms);
	hits = 0;
	probed = ticks_of(function);
	pr_info("%s\t%lu\n", what, (probed - bare) / CALLS);
	if (hits != expected * (CALLS + 1))
		pr_err("%s: %lu hits, %lu expected\n", what, hits,
		       expected * (CALLS + 1));
}

/* Bare calls, once the text of the figure before is restored. */
static unsigned long bare_ticks_of(unsigned long (*function)(unsigned long))
{
	msleep(settle_ms);
	return ticks_of(function);
}

static void measure_probe(const char *what,
			  unsigned long (*function)(unsigned long),
			  struct kprobe *p, unsigned long expected)
{
	unsigned long bare = bare_ticks_of(function);
	int ret;

	p->addr = (kprobe_opcode_t *)function;
	ret = register_kprobe(p);
	if (ret) {
		pr_err("%s: register_kprobe: %d\n", what, ret);
		return;
	}
	report(what, function, bare, expected);
	unregister_kprobe(p);
}

static void measure_return(const char *what,
			   unsigned long (*function)(unsigned long))
{
	struct kretprobe rp = {
		.handler = count_return,
		.kp.addr = (kprobe_opcode_t *)function,
	};
	unsigned long bare = bare_ticks_of(function);
	int ret = register_kretprobe(&rp);

	if (ret) {
		pr_err("%s: register_kretprobe: %d\n", what, ret);
		return;
	}
	report(what, function, bare, 1);
	unregister_kretprobe(&rp);
}

static int __init kprobe_bench_init(void)
{
	struct kprobe pre = { .pre_handler = count_hit };
	struct kprobe both = {
		.pre_handler = count_hit,
		.post_handler = count_post,
	};
	struct kprobe entry = { .pre_handler = count_hit };

	measure_probe("hit", bench_plain, &pre, 1);
	measure_probe("hit, with post-handler", bench_plain, &both, 2);
	measure_return("return probe", bench_plain);
	measure_probe("function entry", bench_entry, &entry, 1);
	measure_return("return probe, function entry", bench_entry);
	return 0;
}
module_init(kprobe_bench_init);

/* All is done when it is loaded. */
static void __exit kprobe_bench_exit(void)
{
}
module_exit(kprobe_bench_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Cost of probe hits");
