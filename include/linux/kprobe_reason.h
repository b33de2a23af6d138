/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBE_REASON_H
#define _LINUX_KPROBE_REASON_H

/**
 * enum kprobe_reason - why a probe is refused, or a point is not optimized
 * @KPROBE_REASON_NONE:           no reason: accepted, or optimized
 * @KPROBE_REASON_NO_MEMORY:      out of memory
 * @KPROBE_REASON_EARLY:          kprobes are not ready
 * @KPROBE_REASON_IN_HANDLER:     a probe's handler makes the call
 * @KPROBE_REASON_NUM:            a number of probes that is not positive
 * @KPROBE_REASON_NULL_ENTRY:     NULL where a probe should be
 * @KPROBE_REASON_REGISTERED:     the probe is registered
 * @KPROBE_REASON_NOT_REGISTERED: the probe to be enabled is not registered
 * @KPROBE_REASON_GONE:           the text of the probe to be enabled has gone
 * @KPROBE_REASON_BOTH:           symbol and address are given
 * @KPROBE_REASON_NEITHER:        neither symbol nor address is given
 * @KPROBE_REASON_SYMBOL:         no such symbol
 * @KPROBE_REASON_AMBIGUOUS:      several symbols have the name
 * @KPROBE_REASON_PENDING:        no such symbol, and no module to wait for is named
 * @KPROBE_REASON_PREFIX:         in front of a function's entry
 * @KPROBE_REASON_TRAMPOLINE:     in the trampoline of a static call
 * @KPROBE_REASON_NO_TEXT:        not the kernel's text
 * @KPROBE_REASON_INIT_TEXT:      init text that was freed
 * @KPROBE_REASON_MODULE_COMING:  in a module whose COMING notifier has not run yet
 * @KPROBE_REASON_MODULE_GOING:   in a module that is going
 * @KPROBE_REASON_BLACKLIST:      the function is on the blacklist
 * @KPROBE_REASON_RESERVED:       another subsystem patches the text
 * @KPROBE_REASON_FTRACE_SITE:    ftrace patches or reads the text
 * @KPROBE_REASON_CFI_TYPE:       it may be a type that indirect calls compare
 * @KPROBE_REASON_DEBUGGER:       a debugger has a breakpoint there
 * @KPROBE_REASON_DATA:           the function reads it as data
 * @KPROBE_REASON_INSIDE:         no instruction begins there
 * @KPROBE_REASON_UNDECODABLE:    no known instruction
 * @KPROBE_REASON_TRAP:           an instruction whose trap is another subsystem's
 * @KPROBE_REASON_LEVEL:          one that changes privilege level or segment
 * @KPROBE_REASON_WORLD:          one that goes to a guest, an enclave or the firmware
 * @KPROBE_REASON_LANDING_PAD:    one that indirect branches must land on
 * @KPROBE_REASON_TRANSACTION:    one that begins a transaction
 * @KPROBE_REASON_SLEEP:          one that waits for an interrupt
 * @KPROBE_REASON_SHADOW:         one that keeps interrupts off for one more instruction
 * @KPROBE_REASON_FORM:           one in a form that no compiler generates
 * @KPROBE_REASON_FAR_OPERAND:    no slot is near enough to what it addresses
 * @KPROBE_REASON_DELAY_SLOT:     one in a branch's delay slot
 * @KPROBE_REASON_EXCLUSIVE:      one in a sequence that no exception may interrupt
 * @KPROBE_REASON_ENTRY:          a return probe not at a function's entry
 * @KPROBE_REASON_DATA_SIZE:      a return probe with too much data
 * @KPROBE_REASON_FTRACE_OFF:     ftrace, which has to arm the point, is off
 * @KPROBE_REASON_FTRACE_DEAD:    ftrace has shut itself down after an error
 * @KPROBE_REASON_FTRACE:         ftrace fails to arm the point
 * @KPROBE_REASON_FUNCTION_ENDS:  the function ends within the region, the
 *                                instructions that the jump would replace
 * @KPROBE_REASON_FUNCTION_UNDECODABLE: the function cannot be decoded
 * @KPROBE_REASON_FUNCTION_LARGE: the function is too large to be searched
 * @KPROBE_REASON_NOT_DISPLACED:  an instruction in the region cannot be displaced
 * @KPROBE_REASON_JOINED:         the region's first instruction belongs to the one in front
 * @KPROBE_REASON_CALL:           a call in the region would return into it
 * @KPROBE_REASON_JUMPED_INTO:    a branch leads into the region
 * @KPROBE_REASON_TABLE_TARGET:   a jump label or the fixup of an exception leads into it
 * @KPROBE_REASON_PART:           the symbol names a part of a function: code around
 *                                it may jump to any place of it
 * @KPROBE_REASON_INDIRECT_JUMP:  the function has an indirect jump whose targets
 *                                are unknown
 * @KPROBE_REASON_EXTABLE:        an instruction of the region has an entry in an
 *                                exception table
 * @KPROBE_REASON_SCRATCH:        a jump needs a register, but all may be in use
 * @KPROBE_REASON_DIRECTION:      the function sets the direction flag, which
 *                                handlers must find clear
 * @KPROBE_REASON_HYPERVISOR:     the hypervisor does not see what a detour does to
 *                                flags and interrupts
 * @KPROBE_REASON_EVENTS:         events end by an instruction that a detour does not have
 * @KPROBE_REASON_OUT_OF_REACH:   no executable memory near enough
 * @KPROBE_REASON_NEIGHBOUR:      another probe is inside the region
 * @KPROBE_REASON_QUEUED:         the optimizer is not done with the point yet
 * @KPROBE_REASON_SWITCHED_OFF:   debug.kprobes-optimization is off
 * @KPROBE_REASON_NOT_ARMED:      the point is not armed
 * @KPROBE_REASON_THROUGH_FTRACE: the point is reached through ftrace
 * @KPROBE_REASONS:               number of values
 *
 * Checks return the reason. The API turns it into the errno that belongs to it, logs
 * it, and records it for debugfs: kernel/kprobes/reason.c.
 */
enum kprobe_reason {
	KPROBE_REASON_NONE,
	KPROBE_REASON_NO_MEMORY,
	KPROBE_REASON_EARLY,
	KPROBE_REASON_IN_HANDLER,
	KPROBE_REASON_NUM,
	KPROBE_REASON_NULL_ENTRY,
	KPROBE_REASON_REGISTERED,
	KPROBE_REASON_NOT_REGISTERED,
	KPROBE_REASON_GONE,
	KPROBE_REASON_BOTH,
	KPROBE_REASON_NEITHER,
	KPROBE_REASON_SYMBOL,
	KPROBE_REASON_AMBIGUOUS,
	KPROBE_REASON_PENDING,
	KPROBE_REASON_PREFIX,
	KPROBE_REASON_TRAMPOLINE,
	KPROBE_REASON_NO_TEXT,
	KPROBE_REASON_INIT_TEXT,
	KPROBE_REASON_MODULE_COMING,
	KPROBE_REASON_MODULE_GOING,
	KPROBE_REASON_BLACKLIST,
	KPROBE_REASON_RESERVED,
	KPROBE_REASON_FTRACE_SITE,
	KPROBE_REASON_CFI_TYPE,
	KPROBE_REASON_DEBUGGER,
	KPROBE_REASON_DATA,
	KPROBE_REASON_INSIDE,
	KPROBE_REASON_UNDECODABLE,
	KPROBE_REASON_TRAP,
	KPROBE_REASON_LEVEL,
	KPROBE_REASON_WORLD,
	KPROBE_REASON_LANDING_PAD,
	KPROBE_REASON_TRANSACTION,
	KPROBE_REASON_SLEEP,
	KPROBE_REASON_SHADOW,
	KPROBE_REASON_FORM,
	KPROBE_REASON_FAR_OPERAND,
	KPROBE_REASON_DELAY_SLOT,
	KPROBE_REASON_EXCLUSIVE,
	KPROBE_REASON_ENTRY,
	KPROBE_REASON_DATA_SIZE,
	KPROBE_REASON_FTRACE_OFF,
	KPROBE_REASON_FTRACE_DEAD,
	KPROBE_REASON_FTRACE,
	KPROBE_REASON_FUNCTION_ENDS,
	KPROBE_REASON_FUNCTION_UNDECODABLE,
	KPROBE_REASON_FUNCTION_LARGE,
	KPROBE_REASON_NOT_DISPLACED,
	KPROBE_REASON_JOINED,
	KPROBE_REASON_CALL,
	KPROBE_REASON_JUMPED_INTO,
	KPROBE_REASON_TABLE_TARGET,
	KPROBE_REASON_PART,
	KPROBE_REASON_INDIRECT_JUMP,
	KPROBE_REASON_EXTABLE,
	KPROBE_REASON_SCRATCH,
	KPROBE_REASON_DIRECTION,
	KPROBE_REASON_HYPERVISOR,
	KPROBE_REASON_EVENTS,
	KPROBE_REASON_OUT_OF_REACH,
	KPROBE_REASON_NEIGHBOUR,
	KPROBE_REASON_QUEUED,
	KPROBE_REASON_SWITCHED_OFF,
	KPROBE_REASON_NOT_ARMED,
	KPROBE_REASON_THROUGH_FTRACE,
	KPROBE_REASONS,
};

const char **kprobe_reason_texts(enum kprobe_reason reason);

#endif /* _LINUX_KPROBE_REASON_H */
