// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that uses all of linux/kprobes.h that modules can, for header.sh in
 * tools/testing/selftests/kprobes. It links with what is exported, and with nothing else:
 * kprobe_page_fault() is left out, which calls what is not.
 *
 *   insmod kprobes_header.ko
 *   cd /sys/module/kprobes_header/parameters
 *   cat function first second in_init returns	# what inlines and flags tell of the probe
 *   echo 0 >function	# disables the probe, 1 enables it; the others likewise
 *   cat calls		# calls all functions once: how often handlers have run
 *   cat caller		# where the last probed return went to
 *   cat unregisters	# a function that unregisters its own return probe: is that the call's
 *			# return probe before, and is there none after that?
 *   cat refused	# errnos for what must not be accepted
 */
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

/* Functions to be probed. Compilers fold those that do the same. */

static noinline __noclone int kprobes_header_function(int x)
{
	barrier();
	return x + 1;
}

static noinline __noclone int kprobes_header_first(int x)
{
	barrier();
	return x + 2;
}

static noinline __noclone int kprobes_header_second(int x)
{
	barrier();
	return x + 4;
}

static noinline __noclone int kprobes_header_returns(int x)
{
	barrier();
	return x + 8;
}

static noinline __noclone int __init kprobes_header_in_init(int x)
{
	barrier();
	return x + 16;
}

/* Functions that cannot be probed */

static nokprobe_inline int add_32(int x)
{
	barrier();
	return x + 32;
}

static noinline __noclone int kprobes_header_nokprobe(int x)
{
	return add_32(x);
}
NOKPROBE_SYMBOL(kprobes_header_nokprobe);

static noinline __noclone __kprobes int kprobes_header_kprobes(int x)
{
	return add_32(add_32(x));
}

/* Probes */

struct counter {
	struct kprobe kp;
	int pre;
	int post;
};

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct counter *c = container_of(p, struct counter, kp);

	/* What is probed is the text itself. */
	c->pre += !is_kprobe_optinsn_slot((unsigned long)p->addr);
	return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	struct counter *c = container_of(p, struct counter, kp);

	c->post += !flags;
}

static struct counter function = {
	.kp.symbol_name = "kprobes_header:kprobes_header_function",
	.kp.pre_handler = count_pre,
	.kp.post_handler = count_post,
};

static struct counter first = {
	.kp.symbol_name = "kprobes_header:kprobes_header_first",
	.kp.flags = KPROBE_FLAG_DISABLED,
	.kp.pre_handler = count_pre,
};

static struct counter second = {
	.kp.addr = (kprobe_opcode_t *)kprobes_header_second,
	.kp.pre_handler = count_pre,
};

static struct counter in_init = {
	.kp.symbol_name = "kprobes_header:kprobes_header_in_init",
	.kp.pre_handler = count_pre,
};

static struct kprobe *both[] = { &first.kp, &second.kp };

/* Return probes. No compiler knows that calls of the probed functions change the counts. */

static const char mark[] = "kept from the entry to the return";
static int entries, returns;
static unsigned long returned_to;

static bool is_of(struct kretprobe_instance *ri, struct kretprobe *rp)
{
	return get_kretprobe(ri) == rp && ri->rp == rp && ri->task == current;
}

static int at_entry(struct kretprobe_instance *ri, struct pt_regs *regs);
static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs);

static struct kretprobe returning = {
	.kp.symbol_name = "kprobes_header:kprobes_header_returns",
	.entry_handler = at_entry,
	.handler = at_return,
	.data_size = sizeof(mark),
};

static int at_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	strscpy(ri->data, mark, sizeof(mark));
	entries += is_of(ri, &returning);
	return 0;
}

static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	returns += is_of(ri, &returning) && !strcmp(ri->data, mark);
	WRITE_ONCE(returned_to, get_kretprobe_retaddr(ri));
	return 0;
}

/* Its entry handler ignores all calls: their returns are not probed. */
static int ignored, ignored_returns;

static int ignore(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ignored++;
	return 1;
}

static int count_ignored(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	ignored_returns++;
	return 0;
}

static struct kretprobe ignoring = {
	.kp.symbol_name = "kprobes_header:kprobes_header_returns",
	.entry_handler = ignore,
	.handler = count_ignored,
	.maxactive = 1,
};

static struct kretprobe *both_returns[] = { &returning, &ignoring };

/* A call during which its return probe is unregistered */

static struct kretprobe_instance *under_way;

static int note_call(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	under_way = ri;
	return 0;
}

static struct kretprobe leaving = {
	.kp.symbol_name = "kprobes_header:kprobes_header_unregisters",
	.entry_handler = note_call,
	.data_size = KRETPROBE_MAX_DATA_SIZE,
};

static noinline __noclone int kprobes_header_unregisters(void)
{
	struct kretprobe_instance *ri = READ_ONCE(under_way);
	bool before, after;

	if (!ri) {
		unregister_kretprobe(&leaving);
		return -ENXIO;
	}
	before = get_kretprobe(ri) == &leaving;
	unregister_kretprobe(&leaving);
	after = get_kretprobe(ri);
	barrier();
	return before && !after;
}

static int unregisters_get(char *buffer, const struct kernel_param *param)
{
	int ret;

	under_way = NULL;
	leaving.kp.addr = NULL;
	ret = register_kretprobe(&leaving);
	if (!ret)
		ret = kprobes_header_unregisters();
	return sysfs_emit(buffer, "%d\n", ret);
}

static const struct kernel_param_ops unregisters_ops = {
	.get = unregisters_get,
};
module_param_cb(unregisters, &unregisters_ops, NULL, 0400);
MODULE_PARM_DESC(unregisters, "1 when get_kretprobe() tells of unregistering");

/* What the header tells of a probe */

static const struct {
	const char *name;
	bool (*is)(struct kprobe *p);
} inlines[] = {
	{ "gone", kprobe_gone },
	{ "disabled", kprobe_disabled },
	{ "disarmed", kprobe_disarmed },
	{ "optimized", kprobe_optimized },
	{ "ftrace", kprobe_ftrace },
};

static const struct {
	const char *name;
	u32 flag;
} flags[] = {
	{ "GONE", KPROBE_FLAG_GONE },
	{ "DISABLED", KPROBE_FLAG_DISABLED },
	{ "OPTIMIZED", KPROBE_FLAG_OPTIMIZED },
	{ "FTRACE", KPROBE_FLAG_FTRACE },
	{ "ON_FUNC_ENTRY", KPROBE_FLAG_ON_FUNC_ENTRY },
};

static int tell(char *buffer, struct kprobe *p)
{
	unsigned int i;
	int len;

	len = sysfs_emit(buffer, "inlines:");
	for (i = 0; i < ARRAY_SIZE(inlines); i++)
		if (inlines[i].is(p))
			len += sysfs_emit_at(buffer, len, " %s", inlines[i].name);
	len += sysfs_emit_at(buffer, len, ", flags:");
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		if (p->flags & flags[i].flag)
			len += sysfs_emit_at(buffer, len, " %s", flags[i].name);
	len += sysfs_emit_at(buffer, len, "\n");
	return len;
}

static int probe_get(char *buffer, const struct kernel_param *param)
{
	return tell(buffer, param->arg);
}

static int probe_set(const char *text, const struct kernel_param *param)
{
	bool on;

	return kstrtobool(text, &on) ?: on ? enable_kprobe(param->arg) : disable_kprobe(param->arg);
}

static const struct kernel_param_ops probe_ops = {
	.get = probe_get,
	.set = probe_set,
};
module_param_cb(function, &probe_ops, &function.kp, 0600);
MODULE_PARM_DESC(function, "a probe with both handlers");
module_param_cb(first, &probe_ops, &first.kp, 0600);
MODULE_PARM_DESC(first, "one of an array, registered as disabled");
module_param_cb(second, &probe_ops, &second.kp, 0600);
MODULE_PARM_DESC(second, "the other one, registered by its address");
module_param_cb(in_init, &probe_ops, &in_init.kp, 0600);
MODULE_PARM_DESC(in_init, "a probe in the module's init text");

static int returns_get(char *buffer, const struct kernel_param *param)
{
	return tell(buffer, &returning.kp);
}

static int returns_set(const char *text, const struct kernel_param *param)
{
	bool on;

	return kstrtobool(text, &on) ?:
	       on ? enable_kretprobe(&returning) : disable_kretprobe(&returning);
}

static const struct kernel_param_ops returns_ops = {
	.get = returns_get,
	.set = returns_set,
};
module_param_cb(returns, &returns_ops, NULL, 0600);
MODULE_PARM_DESC(returns, "a return probe");

/* Calls */

static void clear_counts(void)
{
	struct counter *counters[] = { &function, &first, &second };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		counters[i]->pre = 0;
		counters[i]->post = 0;
	}
	entries = 0;
	returns = 0;
	ignored = 0;
	ignored_returns = 0;
}

static noinline __noclone int kprobes_header_call(int x)
{
	x = kprobes_header_function(x);
	x = kprobes_header_first(x);
	x = kprobes_header_second(x);
	x = kprobes_header_nokprobe(x);
	x = kprobes_header_kprobes(x);
	x = kprobes_header_returns(x);
	barrier();
	return x;
}

static int calls_get(char *buffer, const struct kernel_param *param)
{
	clear_counts();
	if (kprobes_header_call(0) != 1 + 2 + 4 + 32 + 64 + 8)
		return -EIO;
	return sysfs_emit(buffer, "func %d %d, first %d, second %d, returns %d %d, ignored %d %d\n",
			  function.pre, function.post, first.pre, second.pre, READ_ONCE(entries),
			  READ_ONCE(returns), READ_ONCE(ignored), READ_ONCE(ignored_returns));
}

static const struct kernel_param_ops calls_ops = {
	.get = calls_get,
};
module_param_cb(calls, &calls_ops, NULL, 0400);
MODULE_PARM_DESC(calls, "how often the handlers have run in one call of each function");

static int caller_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%ps\n", (void *)READ_ONCE(returned_to));
}

static const struct kernel_param_ops caller_ops = {
	.get = caller_get,
};
module_param_cb(caller, &caller_ops, NULL, 0400);
MODULE_PARM_DESC(caller, "the caller of the return-probed function");

/* What is refused */

static int try_to_probe(const char *symbol)
{
	struct kprobe p = { .symbol_name = symbol };
	int ret = register_kprobe(&p);

	if (!ret)
		unregister_kprobe(&p);
	return ret;
}

static int try_data_size(size_t size)
{
	struct kretprobe rp = {
		.kp.symbol_name = "kprobes_header:kprobes_header_returns",
		.data_size = size,
	};
	int ret = register_kretprobe(&rp);

	if (!ret)
		unregister_kretprobe(&rp);
	return ret;
}

static int refused_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "nokprobe %d, kprobes %d, data %d\n",
			  try_to_probe("kprobes_header:kprobes_header_nokprobe"),
			  try_to_probe("kprobes_header:kprobes_header_kprobes"),
			  try_data_size(KRETPROBE_MAX_DATA_SIZE + 1));
}

static const struct kernel_param_ops refused_ops = {
	.get = refused_get,
};
module_param_cb(refused, &refused_ops, NULL, 0400);
MODULE_PARM_DESC(refused, "errnos for probes that are not accepted");

/* Without CONFIG_KRETPROBES the header has calls that refuse all. */
static int register_returns(void)
{
	int ret = register_kretprobes(both_returns, ARRAY_SIZE(both_returns));

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		return ret == -EOPNOTSUPP ? 0 : -EIO;
	return ret;
}

static int __init header_init(void)
{
	int ret;

	ret = register_kprobe(&function.kp);
	if (ret)
		return ret;
	ret = register_kprobe(&in_init.kp);
	if (ret)
		goto unregister_function;
	ret = register_kprobes(both, ARRAY_SIZE(both));
	if (ret)
		goto unregister_in_init;
	ret = register_returns();
	if (ret)
		goto unregister_both;
	if (kprobes_header_in_init(1) == 17 && in_init.pre == 1 && !kprobe_gone(&in_init.kp))
		return 0;
	ret = -EIO;
	unregister_kretprobes(both_returns, ARRAY_SIZE(both_returns));
unregister_both:
	unregister_kprobes(both, ARRAY_SIZE(both));
unregister_in_init:
	unregister_kprobe(&in_init.kp);
unregister_function:
	unregister_kprobe(&function.kp);
	return ret;
}

static void __exit header_exit(void)
{
	unregister_kretprobes(both_returns, ARRAY_SIZE(both_returns));
	unregister_kprobes(both, ARRAY_SIZE(both));
	unregister_kprobe(&in_init.kp);
	unregister_kprobe(&function.kp);
}

module_init(header_init);
module_exit(header_exit);
MODULE_DESCRIPTION("Kprobes: a module that uses all of the header");
MODULE_LICENSE("GPL");
