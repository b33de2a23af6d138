// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses what users write to switches, and implements the sysctl debug.kprobes-optimization.
 */
#include <linux/init.h>
#include <linux/string.h>
#include <linux/sysctl.h>

#include "knob.h"
#include "optimizer.h"

/*
 * Accepts 0, 1, n, y, off and on, with white space around the word. kstrtobool() would be less
 * strict: it looks at the first letters only.
 */
int kprobe_parse_switch(char *word, bool *on)
{
	static const char * const words[] = { "0", "1", "n", "y", "off", "on" };
	unsigned int i;

	word = strim(word);
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcasecmp(word, words[i]))
			continue;
		*on = i & 1;
		return 0;
	}
	return -EINVAL;
}

#ifdef CONFIG_SYSCTL
static int optimization_sysctl(const struct ctl_table *table, int write,
			       void *buffer, size_t *length, loff_t *pos)
{
	char word[8] = "0";
	struct ctl_table text = { .data = word, .maxlen = sizeof(word) };
	bool allow;
	int ret;

	if (kprobe_optimizer_is_allowed())
		word[0] = '1';
	/* Longer input is not one of the words; proc_dostring() would truncate it. */
	if (write && *length > sizeof(word))
		return -EINVAL;
	ret = proc_dostring(&text, write, buffer, length, pos);
	if (ret || !write)
		return ret;
	ret = kprobe_parse_switch(word, &allow);
	if (!ret)
		kprobe_optimizer_allow(allow);
	return ret;
}

/* Both spellings are documented: the file has a hyphen, the sysctl an underscore. */
static struct ctl_table kprobe_sysctls[] = {
	{
		.procname = "kprobes-optimization",
		.mode = 0644,
		.proc_handler = optimization_sysctl,
	},
	{
		.procname = "kprobes_optimization",
		.mode = 0644,
		.proc_handler = optimization_sysctl,
	},
};

static int __init kprobe_sysctl_init(void)
{
	return register_sysctl("debug", kprobe_sysctls) ? 0 : -ENOMEM;
}
late_initcall(kprobe_sysctl_init);
#endif
