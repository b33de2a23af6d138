// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module that is probed while it is loaded and removed, by module_life.sh in
 * tools/testing/selftests/kprobes.
 *
 *   insmod kprobes_target.ko [fail=1]
 *   cd /sys/module/kprobes_target/parameters
 *   cat call            # calls all functions except the init function
 *   cat jump_label      # offset of the jump label in kprobes_target_switched()
 *   cat do_sys_open     # calls do_sys_open(), which has no other callers
 */
#include <linux/error-injection.h>
#include <linux/fcntl.h>
#include <linux/init.h>
#include <linux/instrumentation.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>

static bool fail;
module_param(fail, bool, 0444);
MODULE_PARM_DESC(fail, "have init fail with -ENODEV");

static int calls;

static noinline __noclone int kprobes_target_function(int x)
{
	barrier();
	calls++;
	barrier();
	return x + 1;
}

ALLOW_ERROR_INJECTION(kprobes_target_function, ERRNO);

static noinline __noclone notrace int kprobes_target_untraced(int x)
{
	barrier();
	calls++;
	barrier();
	return x + 1;
}

/* Has the name of a function in targets.c, in the kernel. */
static noinline __noclone __used int kprobes_target_c(int x)
{
	barrier();
	return x + 1;
}

static noinline __noclone int __init kprobes_target_in_init(int x)
{
	barrier();
	calls++;
	barrier();
	return x + 1;
}

static noinline __noclone int kprobes_target_forbidden(int x)
{
	barrier();
	return x + 1;
}
NOKPROBE_SYMBOL(kprobes_target_forbidden);

/* A name as compilers give to a split-off part of a function. */
static int kprobes_target_piece(int x) __asm__("kprobes_target_forbidden.part.0");

static noinline __noclone __used int kprobes_target_piece(int x)
{
	barrier();
	return x + 1;
}

static noinline __noclone __kprobes int kprobes_target_in_kprobes_text(int x)
{
	barrier();
	return x + 1;
}

/* Text without a symbol in front of the function, as compilers make it for kCFI. */
asm(".pushsection .noinstr.text, \"ax\"\n\t"
	"nop\n\t"
	"nop\n\t"
	".popsection");

static noinstr int kprobes_target_noinstr(int x)
{
	barrier();
	return x + 1;
}

static __cpuidle int kprobes_target_cpuidle(int x)
{
	barrier();
	return x + 1;
}

static DEFINE_STATIC_KEY_FALSE(switch_key);

static noinline __noclone int kprobes_target_switched(int x)
{
	if (static_branch_unlikely(&switch_key))
		return x - 1;
	barrier();
	return x + 1;
}

static int call_get(char *buffer, const struct kernel_param *param)
{
	int x = 0;

	x = kprobes_target_function(x);
	x = kprobes_target_untraced(x);
	x = kprobes_target_forbidden(x);
	x = kprobes_target_in_kprobes_text(x);
	x = kprobes_target_noinstr(x);
	x = kprobes_target_cpuidle(x);
	x = kprobes_target_switched(x);
	return sysfs_emit(buffer, "%d\n", x);
}

static const struct kernel_param_ops call_ops = {
	.get = call_get,
};
module_param_cb(call, &call_ops, NULL, 0444);
MODULE_PARM_DESC(call, "7 when all functions have been called");

#ifdef CONFIG_JUMP_LABEL
static int jump_label_get(char *buffer, const struct kernel_param *param)
{
	struct jump_entry *entry = THIS_MODULE->jump_entries;
	struct jump_entry *end = entry + THIS_MODULE->num_jump_entries;

	for (; entry < end; entry++)
		if (jump_entry_key(entry) == &switch_key.key)
			return sysfs_emit(buffer, "%lu\n", jump_entry_code(entry) -
					  (unsigned long)kprobes_target_switched);
	return -ENOENT;
}

static const struct kernel_param_ops jump_label_ops = {
	.get = jump_label_get,
};
module_param_cb(jump_label, &jump_label_ops, NULL, 0444);
MODULE_PARM_DESC(jump_label, "offset of a jump label in kprobes_target_switched()");
#endif

/*
 * The handler changes the path: the kernel's function runs instead, with these arguments. If
 * clang knows all callers it leaves out what they pass.
 */
static noinline __used __noipa long kprobes_target_open(int dfd,
							const char __user *filename,
							int flags, umode_t mode)
{
	long error = -EOPNOTSUPP;

	/* Nothing that clang could propagate to the caller, or leave out there. */
	asm volatile("" : "+r" (error) : "r" (dfd), "r" (filename), "r" (flags), "r" (mode));
	return error;
}

static unsigned long do_sys_open_addr;

static int go_to_do_sys_open(struct kprobe *p, struct pt_regs *regs)
{
#ifdef CONFIG_PPC64
	/* p->addr is behind the two instructions that compute r2, from the function's address. */
	regs->gpr[12] = do_sys_open_addr - 2 * sizeof(u32);
	instruction_pointer_set(regs, regs->gpr[12]);
#else
	instruction_pointer_set(regs, do_sys_open_addr);
#endif
	return 1;
}

static struct kprobe there = { .symbol_name = "do_sys_open" };
static struct kprobe here = {
	.symbol_name = "kprobes_target:kprobes_target_open",
	.pre_handler = go_to_do_sys_open,
};

static int do_sys_open_get(char *buffer, const struct kernel_param *param)
{
	/* By its address: on ppc64 such a caller restores r2, which becomes the kernel's. */
	typeof(kprobes_target_open) *open = kprobes_target_open;
	struct kprobe *probes[] = { &there, &here };
	int ret;

	there.addr = NULL;
	here.addr = NULL;
	ret = register_kprobes(probes, ARRAY_SIZE(probes));
	if (ret)
		return ret;
	do_sys_open_addr = (unsigned long)there.addr;
	OPTIMIZER_HIDE_VAR(open);
	ret = open(AT_FDCWD, NULL, O_RDONLY, 0);
	unregister_kprobes(probes, ARRAY_SIZE(probes));
	return sysfs_emit(buffer, "%d\n", ret);
}

static const struct kernel_param_ops do_sys_open_ops = {
	.get = do_sys_open_get,
};
module_param_cb(do_sys_open, &do_sys_open_ops, NULL, 0400);
MODULE_PARM_DESC(do_sys_open, "what do_sys_open() returns without a file name");

static int __init kprobes_target_init(void)
{
	if (kprobes_target_in_init(1) != 2)
		return -EIO;
	return fail ? -ENODEV : 0;
}

static void __exit kprobes_target_exit(void)
{
}

module_init(kprobes_target_init);
module_exit(kprobes_target_exit);
MODULE_DESCRIPTION("Kprobes: a module for tests to probe");
MODULE_LICENSE("GPL");
