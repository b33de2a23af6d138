/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H

/*
 * Dynamic probes: call a handler when the kernel reaches an instruction or
 * returns from a function. Documentation/trace/kprobes.rst describes how to use
 * them; the implementation begins in kernel/kprobes.c.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <asm/kprobes.h>

struct kprobe;
struct kprobe_point;
struct kretprobe;
struct kretprobe_instance;
struct kretprobe_pool;
struct pt_regs;
struct task_struct;

#ifndef CONFIG_KPROBES
typedef int kprobe_opcode_t;
#endif

/**
 * typedef kprobe_pre_handler_t - runs before the probed instruction
 * @p:    the probe that was hit
 * @regs: registers at the probed instruction; what the handler writes there
 *        takes effect
 *
 * Context: Preemption disabled, interrupts disabled or not; must not sleep.
 * Return: 0 to continue with the probed instruction. Any other value means that the
 * handler has set the instruction pointer in @regs: execution continues there, and
 * the probed instruction and the post-handlers are skipped.
 */
typedef int (*kprobe_pre_handler_t)(struct kprobe *p, struct pt_regs *regs);

/**
 * typedef kprobe_post_handler_t - runs after the probed instruction
 * @p:     the probe that was hit
 * @regs:  registers after the instruction; the instruction pointer is where
 *         execution continues
 * @flags: always 0
 *
 * Context: As for a pre-handler.
 */
typedef void (*kprobe_post_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      unsigned long flags);

/**
 * typedef kprobe_fault_handler_t - runs when a handler or the probed instruction faults
 * @p:      the probe whose handler or probed instruction faulted
 * @regs:   registers at the fault; while the probed instruction faults, the
 *          instruction pointer is the probed address
 * @trapnr: the architecture's number of the trap, as 14 for a page fault on
 *          x86
 *
 * Context: The fault's, preemption disabled.
 * Return: Nonzero if the handler has handled the fault: execution continues at the
 * instruction pointer in @regs. 0 to let the kernel handle it like any other fault:
 * exception tables first.
 */
typedef int (*kprobe_fault_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      int trapnr);

/**
 * typedef kretprobe_handler_t - runs at the entry to or the return from a function
 * @ri:   this call's instance
 * @regs: registers at entry, or just after the return
 *
 * Context: As for a pre-handler.
 * Return: From an entry handler, 0 to have the return probed, any other value to
 * ignore this call. The value from a return handler is ignored.
 */
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri,
				   struct pt_regs *regs);

/**
 * enum kprobe_miss - why handlers of a hit or a return did not run
 * @KPROBE_MISS_NESTED:   hit from inside a probe handler of the same context
 * @KPROBE_MISS_DEPTH:    more contexts nested on the CPU than there are frames, also
 *                        when that keeps only the post-handler from being called
 * @KPROBE_MISS_DIVERTED: a newer probe at the address changed the execution
 *                        path; or the operand of an emulated instruction could not be read,
 *                        which keeps only the post-handler from being called
 * @KPROBE_MISS_OFFLINE:  RCU does not know the CPU, which comes up or goes down
 * @KPROBE_MISS_INSTANCE: a call of a function with a return probe found no free instance
 * @KPROBE_MISS_BRANCHED: no post-handler is called after a branch of which a copy runs, nor where
 *                        C code cannot be called from the copy
 * @KPROBE_MISS_CAUSES:   number of causes
 */
enum kprobe_miss {
	KPROBE_MISS_NESTED,
	KPROBE_MISS_DEPTH,
	KPROBE_MISS_DIVERTED,
	KPROBE_MISS_OFFLINE,
	KPROBE_MISS_INSTANCE,
	KPROBE_MISS_BRANCHED,
	KPROBE_MISS_CAUSES,
};

/* Bits of kprobe::flags. Only DISABLED and PENDING may be set by a caller. */
#define KPROBE_FLAG_GONE	1	/* its text went away with a module or init memory */
#define KPROBE_FLAG_DISABLED	2	/* registered, but its handlers do not run */
#define KPROBE_FLAG_OPTIMIZED	4	/* its point is reached by a jump */
#define KPROBE_FLAG_FTRACE	8	/* its point is reached through ftrace */
#define KPROBE_FLAG_ON_FUNC_ENTRY	16	/* its address is a function's entry */
#define KPROBE_FLAG_PENDING	32	/* it waits for its module while that is not there */

/**
 * struct kprobe - a probe on an instruction
 * @addr:          address of the instruction. Set either this or @symbol_name;
 *                 after registering it is the address probed
 * @symbol_name:   name of a function, "module:function" for a module's. "function,N" is the
 *                 N-th symbol of this name in the order of kallsyms, counted from 1;
 *                 "function.*" the only clone that the compiler has made of the function,
 *                 as function.isra.0
 * @offset:        offset in bytes from the symbol, also past its end, or from
 *                 @addr. If @addr was given, registering adds the offset to it:
 *                 clear @offset before the probe is registered once more
 * @pre_handler:   called before the instruction, may be NULL
 * @post_handler:  called after the instruction, may be NULL
 * @fault_handler: called when a handler or the instruction faults, may be NULL
 * @nmissed:       hits whose handlers did not run, whatever the cause; a return
 *                 probe's own @nmissed has the calls that were let go. Zeroed
 *                 when the probe is registered
 * @opcode:        first unit of the instruction's own bytes
 * @flags:         %KPROBE_FLAG_DISABLED before registering leaves the probe
 *                 off until enable_kprobe(). With %KPROBE_FLAG_PENDING a probe on
 *                 "module:function" can be registered while the module is not
 *                 there: it is armed whenever the module is loaded, before the
 *                 module's init function runs; until then it is GONE as well.
 *                 @symbol_name must stay valid. The flag does nothing for other
 *                 names. Must not be written afterwards
 *
 * The user must not change it while it is registered. It may be a member of a larger
 * structure, whose other members handlers may change.
 */
struct kprobe {
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;
	u32 flags;
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	kprobe_fault_handler_t fault_handler;
	unsigned long nmissed;
	kprobe_opcode_t opcode;

	/* private: being unregistered; under kprobe_mutex */
	bool removing;
	/* private: the probe of a struct kretprobe; written before it is on a point */
	bool returns;
	/* private: enum kprobe_reason: why it was refused, for an event's error log */
	u8 refused;
	/* private: how far @addr is after the place that the caller has asked for */
	s8 moved;
	/* private: @flags as the caller has given them */
	u8 given;
	/* private: linked only while registered; trace_kprobe checks both */
	struct list_head list;
	struct hlist_node hlist;
	/* private: the point it is on, under kprobe_mutex */
	struct kprobe_point *point;
	/* private: itself until unregistering has returned, then NULL; under kprobe_mutex */
	struct kprobe *self;
};

/**
 * struct kretprobe - a probe on the return from a function
 * @kp:            the probe at the function's entry. The caller must not set its
 *                 handlers
 * @handler:       called on return
 * @entry_handler: called on entry, may be NULL
 * @maxactive:     how many calls can be in flight at once; 0 or less for the
 *                 default, which grows as needed. Registering sets it to the
 *                 initial number of instances. A return probe that is registered
 *                 once more with that number has the default again
 * @nmissed:       calls whose return was not probed because no instance was free, or
 *                 whose return handler could not be called. Zeroed when the probe is
 *                 registered
 * @data_size:     bytes of private data for each call
 */
struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler;
	kretprobe_handler_t entry_handler;
	int maxactive;
	int nmissed;
	size_t data_size;

	/* private: */
	int default_maxactive;	/* what registering has set @maxactive to, or 0 */
	struct kretprobe_pool *pool;
	struct kretprobe_instance * __percpu *spare;
};

/**
 * struct kretprobe_instance - one probed call in flight
 * @rp:       the return probe
 * @ret_addr: where the function returns to. In the entry handler it may be the graph tracer's
 *            or an fprobe's trampoline; in the return handler it is in the caller
 * @task:     the task that made the call
 * @data:     the caller's private data of @rp->data_size bytes, from entry to
 *            return; not zeroed
 */
struct kretprobe_instance {
	/* private: in the task's list of instances */
	struct llist_node llist;
	/* private: which call it is, see kernel/kprobes/kretprobe.c */
	unsigned long call;

	/* public: */
	struct kretprobe *rp;
	kprobe_opcode_t *ret_addr;
	struct task_struct *task;

	/* private: its pool, and its number in a segment of that */
	struct kretprobe_pool *pool;
	unsigned long index;

	/* public: */
	char data[];
};

/* The largest kretprobe::data_size. */
#define KRETPROBE_MAX_DATA_SIZE	4096

/**
 * struct kprobe_unwind - registers that unwinding begins with, if there is a link register
 * @ip:   the instruction pointer
 * @sp:   the stack pointer
 * @link: the link register
 * @kept: the register in which kprobe_post_trampoline and kprobe_detour_common keep the address
 *        that they were called from
 */
struct kprobe_unwind {
	unsigned long ip;
	unsigned long sp;
	unsigned long link;
	unsigned long kept;
};

#ifdef CONFIG_KPROBES

int register_kprobe(struct kprobe *p);
void unregister_kprobe(struct kprobe *p);
int register_kprobes(struct kprobe **kps, int num);
void unregister_kprobes(struct kprobe **kps, int num);
int enable_kprobe(struct kprobe *kp);
int disable_kprobe(struct kprobe *kp);

kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset);
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset);
struct kprobe *get_kprobe(void *addr);
bool within_kprobe_blacklist(unsigned long addr);
bool kprobe_may_patch(unsigned long addr);

struct kprobe *kprobe_running(void);
void kprobe_busy_begin(void);
void kprobe_busy_end(void);
void kprobe_task_dies(void);
void kprobe_cpu_offline(void);
void kprobe_cpu_online(void);

int kprobe_fault_handler(struct pt_regs *regs, int trapnr);
const struct exception_table_entry *
kprobe_search_exception_tables(unsigned long addr);

void kprobe_free_init_mem(void);
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym);
bool is_kprobe_insn_slot(unsigned long addr);
unsigned long kprobe_displaced_ip(unsigned long addr);
unsigned long kprobe_displaced_frame(unsigned long addr, unsigned int *pushed);
bool kprobe_unwind_stub(struct kprobe_unwind *at);
bool kprobe_saves_regs(unsigned long pc);
void kprobe_unpatch(unsigned long addr, void *buf, size_t size);
bool kprobe_is_entry(unsigned long ip);
bool kprobe_is_before(unsigned long ip);
bool kprobe_is_after_entry(unsigned long ip);
void wait_for_kprobe_optimizer(void);

#else /* !CONFIG_KPROBES: typed stubs, so that no user needs an #ifdef */

static inline int register_kprobe(struct kprobe *p)
{
	return -EOPNOTSUPP;
}

static inline void unregister_kprobe(struct kprobe *p) { }

static inline int register_kprobes(struct kprobe **kps, int num)
{
	return -EOPNOTSUPP;
}

static inline void unregister_kprobes(struct kprobe **kps, int num) { }

static inline int enable_kprobe(struct kprobe *kp)
{
	return -EOPNOTSUPP;
}

static inline int disable_kprobe(struct kprobe *kp)
{
	return -EOPNOTSUPP;
}

static inline struct kprobe *get_kprobe(void *addr)
{
	return NULL;
}

static inline bool kprobe_may_patch(unsigned long addr)
{
	return false;
}

/* Without kprobes there is no blacklist, and nothing can be probed. */
static inline bool within_kprobe_blacklist(unsigned long addr)
{
	return true;
}

static inline struct kprobe *kprobe_running(void)
{
	return NULL;
}

static inline void kprobe_busy_begin(void) { }
static inline void kprobe_busy_end(void) { }
static inline void kprobe_task_dies(void) { }
static inline void kprobe_cpu_offline(void) { }
static inline void kprobe_cpu_online(void) { }

static inline int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	return 0;
}

static inline const struct exception_table_entry *
kprobe_search_exception_tables(unsigned long addr)
{
	return NULL;
}

static inline void kprobe_free_init_mem(void) { }

static inline int kprobe_get_kallsym(unsigned int symnum, unsigned long *value,
				     char *type, char *sym)
{
	return -ERANGE;
}

static inline bool is_kprobe_insn_slot(unsigned long addr)
{
	return false;
}

static inline unsigned long kprobe_displaced_ip(unsigned long addr)
{
	return addr;
}

static inline unsigned long kprobe_displaced_frame(unsigned long addr,
						   unsigned int *pushed)
{
	*pushed = 0;
	return addr;
}

static inline bool kprobe_unwind_stub(struct kprobe_unwind *at)
{
	return false;
}

static inline bool kprobe_saves_regs(unsigned long pc)
{
	return false;
}

static inline void kprobe_unpatch(unsigned long addr, void *buf, size_t size) { }

static inline bool kprobe_is_after_entry(unsigned long ip)
{
	return false;
}

static inline bool kprobe_is_entry(unsigned long ip)
{
	return false;
}

static inline bool kprobe_is_before(unsigned long ip)
{
	return false;
}

#endif /* CONFIG_KPROBES */

/* Detours are in slots: is_kprobe_insn_slot() covers them. */
static inline bool is_kprobe_optinsn_slot(unsigned long addr)
{
	return false;
}

struct ftrace_hash;
struct ftrace_regs;

#ifdef CONFIG_KPROBES_ON_FTRACE
extern bool kprobe_ftrace_disabled __read_mostly;
void kprobe_ftrace_kill(void);
int kprobe_ftrace_redirect_begin(struct ftrace_hash *hash);
void kprobe_ftrace_redirect_end(void);
bool kprobe_ftrace_diverts(unsigned long ip, struct ftrace_regs *fregs);
#else
static inline void kprobe_ftrace_kill(void) { }
static inline int kprobe_ftrace_redirect_begin(struct ftrace_hash *hash)
{
	return 0;
}

static inline void kprobe_ftrace_redirect_end(void) { }
static inline bool kprobe_ftrace_diverts(unsigned long ip, struct ftrace_regs *fregs)
{
	return false;
}

#endif

#ifdef CONFIG_KRETPROBES

int register_kretprobe(struct kretprobe *rp);
void unregister_kretprobe(struct kretprobe *rp);
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);

struct kretprobe *get_kretprobe(struct kretprobe_instance *ri);
bool is_kretprobe_trampoline(unsigned long addr);
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur);
void kprobe_flush_task(struct task_struct *tsk);

#else

static inline int register_kretprobe(struct kretprobe *rp)
{
	return -EOPNOTSUPP;
}

static inline void unregister_kretprobe(struct kretprobe *rp) { }

static inline int register_kretprobes(struct kretprobe **rps, int num)
{
	return -EOPNOTSUPP;
}

static inline void unregister_kretprobes(struct kretprobe **rps, int num) { }

static inline struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return NULL;
}

static inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return false;
}

static inline unsigned long kretprobe_find_ret_addr(struct task_struct *tsk,
						    void *fp,
						    struct llist_node **cur)
{
	return 0;
}

static inline void kprobe_flush_task(struct task_struct *tsk) { }

#endif /* CONFIG_KRETPROBES */

/**
 * get_kretprobe_retaddr() - get the return address of a probed call
 * @ri: the call's instance
 *
 * Return: The address in the caller; in an entry handler see @ret_addr of the instance.
 */
static inline unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return (unsigned long)ri->ret_addr;
}

/**
 * kprobe_gone() - check whether the probed text has been freed
 * @p: a registered probe
 *
 * Return: True if the module or the init memory that @p was in has been freed. Such a
 * probe can only be unregistered. True also while @p waits for its module.
 */
static inline bool kprobe_gone(struct kprobe *p)
{
	return READ_ONCE(p->flags) & KPROBE_FLAG_GONE;
}

/**
 * kprobe_disabled() - check whether a probe's handlers are kept from running
 * @p: a registered probe
 *
 * Return: True when @p is disabled or gone.
 */
static inline bool kprobe_disabled(struct kprobe *p)
{
	return READ_ONCE(p->flags) & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE);
}

/**
 * kprobe_optimized() - check whether a probe is reached by a jump
 * @p: a registered probe
 *
 * Return: True until the point's mechanism changes, which it may at any time.
 */
static inline bool kprobe_optimized(struct kprobe *p)
{
	return READ_ONCE(p->flags) & KPROBE_FLAG_OPTIMIZED;
}

/**
 * kprobe_ftrace() - check whether a probe is reached through ftrace
 * @p: a registered probe
 *
 * Return: True until the point's mechanism changes, which it may at any time.
 */
static inline bool kprobe_ftrace(struct kprobe *p)
{
	return READ_ONCE(p->flags) & KPROBE_FLAG_FTRACE;
}

/**
 * kprobe_disarmed() - check whether a probe needs no breakpoint, jump or call in the text
 * @p: a registered probe
 *
 * Return: As kprobe_disabled(): what other probes of the point need is not in it.
 */
static inline bool kprobe_disarmed(struct kprobe *p)
{
	return kprobe_disabled(p);
}

/**
 * enable_kretprobe() - let a disabled return probe run again
 * @rp: a registered return probe
 *
 * Context: Process context, may sleep.
 * Return: As enable_kprobe().
 */
static inline int enable_kretprobe(struct kretprobe *rp)
{
	return enable_kprobe(&rp->kp);
}

/**
 * disable_kretprobe() - keep a return probe from running
 * @rp: a registered return probe
 *
 * Calls already in flight still have their return handled.
 *
 * Context: Process context, may sleep.
 * Return: As disable_kprobe().
 */
static inline int disable_kretprobe(struct kretprobe *rp)
{
	return disable_kprobe(&rp->kp);
}

/**
 * kprobe_page_fault() - let fault handlers of probes handle a fault in kernel mode
 * @regs: registers at the fault
 * @trap: the architecture's number of the trap
 *
 * Return: True if a fault handler has handled it.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	if (!IS_ENABLED(CONFIG_KPROBES) || user_mode(regs))
		return false;
	return kprobe_fault_handler(regs, trap);
}

#endif /* _LINUX_KPROBES_H */
