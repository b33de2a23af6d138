// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the module kprobes_target come and go between the calls of the model, and makes calls from
 * a module notifier. KUnit runs at boot, when no module can be loaded. Later a shell names the
 * commands and runs the suite again: tools/testing/selftests/kprobes/fuzz.sh does that.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/umh.h>

#include "model.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "kprobes_model."

static char load[96];
module_param_string(load, load, sizeof(load), 0600);
MODULE_PARM_DESC(load, "file that is executed to load kprobes_target, none at boot");

static char unload[96];
module_param_string(unload, unload, sizeof(unload), 0600);
MODULE_PARM_DESC(unload, "file that is executed to unload it");

/* echo adds a newline. */
static int execute(const char *file)
{
	char path[sizeof(load)];
	char *argv[] = { path, NULL };
	static char *envp[] = { "PATH=/sbin:/usr/sbin:/bin:/usr/bin", NULL };

	strscpy(path, file);
	return call_usermodehelper(strim(path), argv, envp, UMH_WAIT_PROC);
}

/* All probes in the module's text are gone: kprobes was notified before. */
static void expect_gone(struct model *m, const struct module *mod)
{
	int i;

	for (i = 0; i < MODEL_GARBAGE; i++)
		if (m->expected[i].registered && !m->expected[i].gone &&
		    within_module((unsigned long)kprobes_model_probe(m, i)->addr, mod))
			m->expected[i].gone = true;
}

static int notified(struct notifier_block *nb, unsigned long event, void *data)
{
	struct model *m = container_of(nb, struct model, notifier);
	const struct module *mod = data;

	if (strcmp(mod->name, "kprobes_target"))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_LIVE) {
		m->module = MODEL_LIVE;
		return NOTIFY_OK;
	}
	if (event == MODULE_STATE_COMING) {
		m->module = MODEL_COMING;
		m->module_text = (unsigned long)
			kprobe_lookup_name("kprobes_target:kprobes_target_function", 0);
	} else {
		m->module = MODEL_GOING;
		expect_gone(m, mod);
	}
	if (m->step)
		kprobes_model_register(m, m->step);
	return NOTIFY_OK;
}

static void unload_module(struct model *m)
{
	if (execute(unload))
		kprobes_model_wrong(m, "the module was not unloaded");
	else
		m->module = MODEL_ABSENT;
}

/* Loads the module or unloads it; notifiers register the probe of @step meanwhile. */
void kprobes_model_module_step(struct model *m, const struct model_step *step)
{
	const struct model_step *in_work = m->step;

	if (!load[0] || !unload[0])
		return;
	m->step = step;
	if (m->module == MODEL_LIVE)
		unload_module(m);
	else if (execute(load) || m->module != MODEL_LIVE)
		kprobes_model_wrong(m, "the module was not loaded");
	m->step = in_work;
}

/* The module must not be loaded. */
void kprobes_model_module_begin(struct model *m)
{
	m->notifier.notifier_call = notified;
	register_module_notifier(&m->notifier);
}

/* Unloads it after a script. */
void kprobes_model_module_reset(struct model *m)
{
	if (m->module == MODEL_LIVE)
		unload_module(m);
}

void kprobes_model_module_end(struct model *m)
{
	unregister_module_notifier(&m->notifier);
}
