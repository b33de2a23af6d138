// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests of breakpoint traps when there is no breakpoint in the text any more, and a storm
 * of registrations. The storm causes such traps if CPUs run in parallel and may execute
 * stale text, as those of QEMU 7.2 with TCG threads do.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/kallsyms.h>
#include <linux/kprobe_arch.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/memory.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "../hit.h"
#include "../table.h"
#include "targets.h"

/* Duration of the storm. On the kernel's command line: x86_stale_kunit.seconds */
static unsigned int seconds = 2;
module_param(seconds, uint, 0400);

/* Calls the handler of a trap at @addr as exc_int3() does. */
static int trap_at(const void *addr, struct pt_regs *regs)
{
	unsigned long flags;
	int handled;

	*regs = (struct pt_regs){
		.ip = (unsigned long)addr + INT3_INSN_SIZE,
		.cs = __KERNEL_CS,
	};
	local_irq_save(flags);
	handled = kprobe_int3_handler(regs);
	local_irq_restore(flags);
	return handled;
}

static void stale_is_executed_again(struct kunit *test)
{
	int before = atomic_read(&kprobe_stale_breakpoints);
	struct pt_regs regs;

	KUNIT_EXPECT_EQ(test, trap_at(kprobes_target_c, &regs), 1);
	KUNIT_EXPECT_EQ(test, regs.ip, (unsigned long)kprobes_target_c);
	KUNIT_EXPECT_EQ(test, atomic_read(&kprobe_stale_breakpoints), before + 1);
}

static void expect_foreign(struct kunit *test, const void *addr)
{
	int before = atomic_read(&kprobe_stale_breakpoints);
	struct pt_regs regs;

	KUNIT_EXPECT_EQ(test, trap_at(addr, &regs), 0);
	KUNIT_EXPECT_EQ(test, regs.ip, (unsigned long)addr + INT3_INSN_SIZE);
	KUNIT_EXPECT_EQ(test, atomic_read(&kprobe_stale_breakpoints), before);
}

static void foreign_is_left_alone(struct kunit *test)
{
	static const u8 int3[] = { 0x90, 0xcc, 0x90 };

	expect_foreign(test, int3 + 1);
}

static void int_3_of_two_bytes_is_left_alone(struct kunit *test)
{
	static const u8 int_3[] = { 0x90, 0xcd, 0x03, 0x90 };

	expect_foreign(test, int_3 + 2);
}

static void unreadable_is_left_alone(struct kunit *test)
{
	expect_foreign(test, (void *)(VMALLOC_END + 1));
}

/* Functions that every CPU executes all the time while tasks wake each other. */
static const char * const busy_functions[] = {
	"try_to_wake_up", "hrtimer_interrupt", "__schedule", "sched_clock_cpu",
	"update_process_times", "enqueue_task_fair",
};

#define PROBES_PER_FUNCTION	24
#define MAX_PROBES	(ARRAY_SIZE(busy_functions) * PROBES_PER_FUNCTION)

/**
 * struct storm - probes that come and go, and tasks that hit them
 * @c:     the probes
 * @kps:   pointers to them
 * @nr:    how many of them can be registered
 * @wait:  the tasks wake each other here
 * @tasks: one for each CPU
 */
struct storm {
	struct kprobes_counter c[MAX_PROBES];
	struct kprobe *kps[MAX_PROBES];
	unsigned int nr;
	wait_queue_head_t wait;
	struct task_struct *tasks[NR_CPUS];
};

static int wake_others(void *data)
{
	struct storm *s = data;

	while (!kthread_should_stop()) {
		wake_up_all(&s->wait);
		wait_event_timeout(s->wait, kthread_should_stop(), 1);
	}
	return 0;
}

static void add_probe(struct storm *s, unsigned long addr)
{
	struct kprobe *p = &s->c[s->nr].kp;

	p->addr = (kprobe_opcode_t *)addr;
	p->pre_handler = kprobes_count_pre;
	if (s->nr % 3 == 0)
		p->post_handler = kprobes_count_post;
	if (register_kprobe(p)) {
		s->c[s->nr] = (struct kprobes_counter){};
		return;
	}
	unregister_kprobe(p);
	s->kps[s->nr++] = p;
}

/* Length of the instruction at an address. */
static unsigned int len_at(unsigned long addr)
{
	u8 bytes[MAX_INSN_SIZE];
	size_t avail;

	guard(mutex)(&kprobe_mutex);
	guard(mutex)(&text_mutex);
	avail = kprobe_read_insn(addr, bytes, sizeof(bytes));
	return arch_kprobe_insn_len(bytes, avail);
}

static void add_function(struct storm *s, const char *name)
{
	unsigned long addr = kallsyms_lookup_name(name), size, offset;
	unsigned int i, len;

	if (!addr || !kallsyms_lookup_size_offset(addr, &size, &offset))
		return;
	for (i = 0, offset = 0; i < PROBES_PER_FUNCTION && offset < size; i++) {
		len = len_at(addr + offset);
		if (!len)
			return;
		add_probe(s, addr + offset);
		offset += len;
	}
}

static void start_tasks(struct kunit *test, struct storm *s)
{
	unsigned int cpu;

	init_waitqueue_head(&s->wait);
	for_each_online_cpu(cpu) {
		s->tasks[cpu] = kthread_create(wake_others, s, "storm/%u", cpu);
		KUNIT_ASSERT_FALSE(test, IS_ERR(s->tasks[cpu]));
		kthread_bind(s->tasks[cpu], cpu);
		wake_up_process(s->tasks[cpu]);
	}
}

static void stop_tasks(struct storm *s)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (s->tasks[cpu])
			kthread_stop(s->tasks[cpu]);
}

static long count_hits(struct storm *s)
{
	unsigned int i;
	long hits = 0;

	for (i = 0; i < s->nr; i++)
		hits += atomic_read(&s->c[i].pre);
	return hits;
}

static void storm_of_registrations(struct kunit *test)
{
	struct storm *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	unsigned int i, rounds = 0, refused = 0;
	unsigned long end;

	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < ARRAY_SIZE(busy_functions); i++)
		add_function(s, busy_functions[i]);
	KUNIT_ASSERT_GT(test, s->nr, 20);
	start_tasks(test, s);
	end = jiffies + seconds * HZ;
	for (; time_before(jiffies, end); rounds++) {
		for (i = 0; i < s->nr; i++)
			s->kps[i]->flags = 0;
		refused += register_kprobes(s->kps, s->nr) != 0;
		if (rounds % 2)
			wait_for_kprobe_optimizer();
		unregister_kprobes(s->kps, s->nr);
		cond_resched();
	}
	stop_tasks(s);
	KUNIT_EXPECT_EQ(test, refused, 0);
	KUNIT_EXPECT_GT(test, count_hits(s), 0);
	kunit_info(test, "%u probes, %u rounds, %ld hits, %d stale breakpoints",
		   s->nr, rounds, count_hits(s),
		   atomic_read(&kprobe_stale_breakpoints));
}

static struct kunit_case stale_cases[] = {
	KUNIT_CASE(stale_is_executed_again),
	KUNIT_CASE(foreign_is_left_alone),
	KUNIT_CASE(int_3_of_two_bytes_is_left_alone),
	KUNIT_CASE(unreadable_is_left_alone),
	KUNIT_CASE_SLOW(storm_of_registrations),
	{}
};

static struct kunit_suite stale_suite = {
	.name = "kprobes_x86_stale",
	.test_cases = stale_cases,
};

kunit_test_suite(stale_suite);
