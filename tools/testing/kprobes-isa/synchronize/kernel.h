/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KPROBES_ISA_SYNCHRONIZE_KERNEL_H
#define KPROBES_ISA_SYNCHRONIZE_KERNEL_H

/*
 * The kernel around kernel/kprobes/synchronize.c, for the host: included before everything else.
 * What that file calls is in model.c. Headers that it includes are empty, but for what the
 * Makefile copies from those of kprobes: struct kprobe_frame and what belongs to it.
 */
#define MODEL_CPUS		4

/* A thread plays a CPU. */
#define DECLARE_PER_CPU(type, name)	extern __thread type name
#define raw_cpu_ptr(ptr)	(ptr)
#define raw_cpu_read(var)	READ_ONCE(var)
#define per_cpu(var, cpu)	(*((void)sizeof(var), model_cpu(cpu)))
#define for_each_possible_cpu(cpu) \
	for ((cpu) = 0; (cpu) < MODEL_CPUS; (cpu)++)
#define preempt_count()		0
#define arch_kprobe_preempt_count()	0

#define NMI_MASK		0
#define HARDIRQ_MASK		0
#define SOFTIRQ_OFFSET		0

#include <linux/kprobes.h>
#include <linux/kprobe_point.h>

struct kprobe_cpu *model_cpu(int cpu);

/* A look of the waiter: hits go on as the test has it, before the load. */
#define smp_load_acquire(ptr) \
	({ model_look(); __atomic_load_n(ptr, __ATOMIC_ACQUIRE); })
#define smp_store_release(ptr, value)	__atomic_store_n(ptr, value, __ATOMIC_RELEASE)
/* For pass_barrier(), which says what it is between. */
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

void model_look(void);

/* CPUs neither come nor go. */
static inline bool cpus_read_lock(void)
{
	return true;
}

#define scoped_guard(lock)	for (bool held = lock(); held; held = false)

void on_each_cpu_cond(bool (*cond)(int cpu, void *info), void (*fn)(void *info), void *info,
		      bool wait);

/* Time goes on when somebody looks at the clock, or sleeps. */
typedef s64 ktime_t;

#define USEC_PER_MSEC		1000L
#define USEC_PER_SEC		1000000L
#define cpu_relax()		do { } while (0)

ktime_t ktime_get(void);
s64 ktime_us_delta(ktime_t later, ktime_t earlier);
void usleep_range(unsigned long min, unsigned long max);

/* A grace period ends some time after the hits that it was asked for in. */
unsigned long start_poll_synchronize_rcu_expedited(void);
bool poll_state_synchronize_rcu(unsigned long cookie);

__printf(1, 2) void pr_warn(const char *format, ...);

struct mutex {
	bool held;
};

extern struct mutex kprobe_mutex;

#define lockdep_assert_not_held(lock)	assert(!(lock)->held)

#endif /* KPROBES_ISA_SYNCHRONIZE_KERNEL_H */
