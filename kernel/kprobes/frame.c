// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames: the hits under way on a CPU.
 *
 * A hit takes a frame of its CPU, calls the handlers, and releases the frame. It claims the frame
 * by storing a hazard pointer in it, before it reads the list of probes: see synchronize.c. If a
 * handler hits a probe itself, in its own context, that hit gets no frame: it is counted as a miss,
 * and the probed instruction runs without handlers. Handlers may therefore call anything. A hit in
 * an interrupt or NMI that interrupts a handler gets a frame of its own. The frames in use come
 * first, the innermost hit's last. The rules at the top of hit.c hold here as well.
 */
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kprobe_point.h>
#include <linux/kprobes.h>

#include "frame.h"

DEFINE_PER_CPU(struct kprobe_cpu, kprobe_cpu) = {
	.frame = {
		[0 ... KPROBE_FRAMES - 1] = { .context = KPROBE_CONTEXT_NONE },
	},
};

/* All frames below the last one in use are in use, unless a handler has slept and migrated. */
static __kprobes unsigned int frames_in_use(const struct kprobe_cpu *cpu)
{
	unsigned int i = KPROBE_FRAMES;

	while (i && !READ_ONCE(cpu->frame[i - 1].hazard))
		i--;
	return i;
}

/* The context that a frame's handler runs in. */
static __always_inline unsigned int frame_context(const struct kprobe_frame *frame)
{
	return READ_ONCE(frame->context) & KPROBE_CONTEXT_MASK;
}

/*
 * The hazard pointer in all frames of a CPU where no handler may run. No frame is free then, so
 * neither the hit path nor the code of detours has to check for it.
 */
const char kprobe_offline_hazard;

static void set_offline(unsigned int cpu)
{
	unsigned int i;

	/* In ascending order: an NMI in between finds that the frames in use come first. */
	for (i = 0; i < KPROBE_FRAMES; i++)
		WRITE_ONCE(per_cpu(kprobe_cpu, cpu).frame[i].hazard, &kprobe_offline_hazard);
}

/**
 * kprobe_cpu_offline() - have this CPU's hits missed
 *
 * Context: Idle task or single-threaded boot, before RCU is told that the CPU goes offline.
 */
__kprobes void kprobe_cpu_offline(void)
{
	set_offline(raw_smp_processor_id());
}

/**
 * kprobe_cpu_online() - have this CPU's hits call handlers
 *
 * Context: On a CPU that comes up, after RCU was told, interrupts disabled.
 */
__kprobes void kprobe_cpu_online(void)
{
	struct kprobe_cpu *cpu = raw_cpu_ptr(&kprobe_cpu);
	unsigned int i;

	for (i = KPROBE_FRAMES; i; i--)
		WRITE_ONCE(cpu->frame[i - 1].hazard, NULL);
}

/* Has hits missed on CPUs that have not come up yet. Called during boot, on the only CPU. */
void __init kprobe_frame_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			set_offline(cpu);
}

/* Does the rest of kprobe_frame_enter() if the first frame is in use. */
__kprobes struct kprobe_frame *kprobe_frame_enter_nested(const void *hazard, unsigned int entered)
{
	struct kprobe_cpu *cpu = raw_cpu_ptr(&kprobe_cpu);
	unsigned int from = (preempt_count() - entered) & KPROBE_CONTEXT_MASK;
	unsigned int depth = frames_in_use(cpu);
	struct kprobe_frame *outer;

	if (depth >= KPROBE_FRAMES)
		return NULL;
	outer = &cpu->frame[depth - 1];
	/* The innermost handler has caused a hit in the same context. */
	if (frame_context(outer) == from)
		return NULL;
	return kprobe_frame_begin(outer + 1, hazard);
}

/* The frame of the handler that the caller is in, or NULL. Preemption is disabled. */
__kprobes struct kprobe_frame *kprobe_running_frame(void)
{
	struct kprobe_cpu *cpu = raw_cpu_ptr(&kprobe_cpu);
	unsigned int depth = frames_in_use(cpu);

	if (!depth || frame_context(&cpu->frame[depth - 1]) != kprobe_context())
		return NULL;
	return &cpu->frame[depth - 1];
}

/**
 * kprobe_running() - find the probe whose handler is running
 *
 * Context: Preemption disabled.
 * Return: The probe, if the caller is in its handler; NULL otherwise, also in an interrupt that
 * came while a handler ran.
 */
__kprobes struct kprobe *kprobe_running(void)
{
	struct kprobe_frame *frame = kprobe_running_frame();

	return frame ? READ_ONCE(frame->probe) : NULL;
}

/*
 * What kprobe_running() returns between kprobe_busy_begin() and kprobe_busy_end(), and their hazard
 * pointer: no point, so nobody waits for it.
 */
static struct kprobe busy_probe = {
	.addr = (kprobe_opcode_t *)kprobe_busy_begin,
};

/**
 * kprobe_busy_begin() - treat the code that follows like a probe's handler
 *
 * Until kprobe_busy_end(), hits in this context are counted as misses and call no handlers.
 *
 * Context: Any. Disables preemption.
 */
__kprobes void kprobe_busy_begin(void)
{
	struct kprobe_cpu *cpu;
	unsigned int depth;

	preempt_disable_notrace();
	cpu = raw_cpu_ptr(&kprobe_cpu);
	depth = frames_in_use(cpu);
	/* Takes a frame inside a handler as well: the matching kprobe_busy_end() releases one. */
	if (depth < KPROBE_FRAMES)
		kprobe_frame_begin(&cpu->frame[depth], &busy_probe)->probe = &busy_probe;
	else
		WRITE_ONCE(cpu->overflow, cpu->overflow + 1);
}

/**
 * kprobe_busy_end() - end the section that kprobe_busy_begin() began
 *
 * Context: As kprobe_busy_begin(). Enables preemption.
 */
__kprobes void kprobe_busy_end(void)
{
	struct kprobe_cpu *cpu = raw_cpu_ptr(&kprobe_cpu);

	if (likely(!cpu->overflow))
		kprobe_frame_exit(&cpu->frame[frames_in_use(cpu) - 1]);
	else
		WRITE_ONCE(cpu->overflow, cpu->overflow - 1);
	preempt_enable_notrace();
}

/**
 * kprobe_task_dies() - release the frames of a task that dies in a handler
 *
 * The handler never returns. Without this, later hits on the CPU would be missed, also those of
 * the exiting task, and kprobe_synchronize() would always need a grace period.
 *
 * Context: Task context, on the CPU where the handler ran, before the task could be preempted.
 * Interrupts enabled or not.
 */
__kprobes void kprobe_task_dies(void)
{
	struct kprobe_cpu *cpu;
	unsigned int depth;

	preempt_disable_notrace();
	cpu = raw_cpu_ptr(&kprobe_cpu);
	/* In descending order: frames in use must come first at any time. */
	for (depth = frames_in_use(cpu); depth; depth--) {
		WRITE_ONCE(cpu->frame[depth - 1].faulting, false);
		WRITE_ONCE(cpu->frame[depth - 1].post, false);
		kprobe_frame_exit(&cpu->frame[depth - 1]);
	}
	WRITE_ONCE(cpu->overflow, 0);
	preempt_enable_notrace();
}
