// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sweep PLAN OUTPUT: drives the sweep in the guest.
 *
 * PLAN has the names of the objects, and phases with their records. For each phase: probes are
 * tried one by one for the reason of a refusal, registered together, and left in place while the
 * workload runs: as breakpoints, then as jumps, each of them alone and then with frames of nested
 * kinds, which are interrupts, and a tracer and interrupts. Its output must be what it was without
 * probes. Then the probes are removed, and what they have left is searched.
 *
 * A plan without phases only says where the texts are. A line of OUTPUT is read by sweep.py:
 *
 *   phase ID NUMBER                    begins, with that many records
 *   refused INDEX probe|return ERRNO REASON...
 *   armed PROBES RETURN-PROBES ERRNO
 *   jumps NUMBER WAITING              that wait still
 *   run STEP same|different|failed|unfinished|skipped MILLISECONDS     skipped: no such tracer
 *   line WHICH TEXT...                 of the workload's output, where it differs
 *   differs ADDRESS BEFORE NOW         of the text from its copy: where, and the bytes around
 *   text BYTES                         how many differ
 *   tasks NUMBER                       there were when the probes were removed
 *   inside NUMBER FUNCTION             so many of them had called it
 *   left LIST POINTS IDLE              lines of these files in debugfs, and idle points
 *   idle ADDRESS                       each of them
 *   quarantine                         KASAN keeps memory that was freed: what follows tells nothing
 *   preemptible                        a task may be preempted between the handlers of a hit
 *   memory BEFORE ARMED AFTER          in bytes
 *   points BEFORE ARMED AFTER          in objects of their cache
 *   detours BEFORE ARMED AFTER         the same
 *   pages BEFORE AFTER                 of slots and detours
 *   hit INDEX HITS POSTS FAULTS MISSED WRONG MECHANISM EARLY LATE LEAVING     if there were any
 *   return INDEX ENTRIES RETURNS LOST OUTSIDE      if it was hit; so often while it was not armed
 *   done ID                            the phase is over
 *   end                                and the plan
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "sweep/compare.c"
#include "sweep/state.c"

#define TRACING		"/sys/kernel/tracing/"
#define OPTIMIZATION	"/proc/sys/debug/kprobes-optimization"
/* The kernel remembers 128 refusals. Others may be refused as well. */
#define REFUSALS	100
/* Seconds a workload may take, and the optimizer. */
#define WORKLOAD_LIMIT	600
#define SETTLE_LIMIT	120

struct plan_head {
	uint32_t magic, objects, phases, steps;
};

struct plan_object {
	char name[PROOF_NAME];
	uint64_t size;
};

struct plan_phase {
	uint32_t id, number, steps, unused;
};

#define MAGIC	0x666f6f72

/* Bits of a phase's steps. With INTERRUPTS, tracers are interrupted as well. */
enum step { BREAKPOINTS, JUMPS, INTERRUPTS, FUNCTION, GRAPH, FEW };

/*
 * In each phase, tracers trace an eighth of all functions, about: what they call for each function is
 * probed as well, and takes most of the time. With FEW, they trace those with one initial. Phases take
 * turns.
 */
#define SHARES	8
static const char * const eighths[SHARES] = {
	"_*", "[aghjkl]*", "[bmn]*", "[cde]*", "[fi]*", "[op]*", "[rt]*", "[!_a-prt]*"
};
static const char * const initials[SHARES] = {
	"b*", "d*", "e*", "f*", "h*", "m*", "n*", "v*"
};

static void find_kernel(struct proof_text *text)
{
	unsigned long long addr, start = 0, end = 0;
	char name[256], line[512];
	FILE *f = fopen("/proc/kallsyms", "r");

	while (f && fgets(line, sizeof(line), f) && !(start && end)) {
		if (sscanf(line, "%llx %*c %255s", &addr, name) != 2)
			continue;
		if (!strcmp(name, "_stext"))
			start = addr;
		else if (!strcmp(name, "_etext"))
			end = addr;
	}
	if (!start || !end)
		fail("_stext or _etext");
	fclose(f);
	text->start = start;
	text->size = end - start;
}

/* Of a module: NAME, which is its .text, or NAME:SECTION. */
static void find_module(struct proof_text *text, const char *object, uint64_t size)
{
	const char *section = strchr(object, ':');
	int length = section ? section - object : (int)strlen(object);
	unsigned long long addr;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%.*s/sections/%s", length, object,
		 section ? section + 1 : ".text");
	f = fopen(path, "r");
	if (!f || fscanf(f, "%llx", &addr) != 1)
		fail(path);
	fclose(f);
	text->start = addr;
	text->size = size;
}

static void find_objects(FILE *plan, uint32_t number)
{
	struct plan_object object;
	uint32_t i;

	for (i = 0; i < number && i < PROOF_OBJECTS; i++) {
		if (fread(&object, sizeof(object), 1, plan) != 1)
			fail("plan");
		texts[i].object = i;
		if (i)
			find_module(&texts[i], object.name, object.size);
		else
			find_kernel(&texts[i]);
		if (ioctl(device, PROOF_TEXT, &texts[i]))
			fail("PROOF_TEXT");
	}
}

/* Finds the record of an address from @i on. Returns @to if there is none. */
static unsigned int find_record(const struct proof_record *records, unsigned int i,
				unsigned int to, unsigned long long addr)
{
	while (i < to && texts[records[i].object].start + records[i].offset != addr)
		i++;
	return i;
}

/*
 * A line of the file: ...CALLER  kprobe|kretprobe  0xADDR+0x0  -ERRNO  REASON. They are in the
 * order of the records. A return probe's comes after the probe's.
 */
static void read_refusals(const struct proof_record *records, unsigned int from,
			  unsigned int to)
{
	unsigned long long addr;
	char line[512], error[32];
	FILE *f = fopen(KPROBES "refused", "r");
	unsigned int i;
	int at, returns;
	char *kind;

	while (f && fgets(line, sizeof(line), f)) {
		kind = strstr(line, "  kretprobe  0x");
		returns = !!kind;
		if (!kind)
			kind = strstr(line, "  kprobe  0x");
		if (!kind || sscanf(kind, "%*s 0x%llx+0x0 %31s %n", &addr, error, &at) != 2)
			continue;
		i = find_record(records, from, to, addr);
		if (i < to)
			fprintf(output, "refused %u %s %s %s", i, returns ? "return" : "probe",
				error, kind + at);
	}
	if (f)
		fclose(f);
}

static void examine(const struct proof_record *records, unsigned int number)
{
	struct proof_examination e = { .limit = REFUSALS };

	while (e.from < number) {
		unsigned int from = e.from;

		if (ioctl(device, PROOF_EXAMINE, &e) || e.from == from)
			fail("PROOF_EXAMINE");
		read_refusals(records, from, e.from);
	}
}

static pid_t start_workload(const char *to)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	setpgid(0, 0);
	fd = open(to, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	dup2(fd, 1);
	dup2(fd, 2);
	execl("/workload", "workload", NULL);
	_exit(127);
}

/* Returns its exit status, or -1 if it has not ended in time. */
static int run_workload(const char *to)
{
	pid_t pid = start_workload(to);
	double end = now() + WORKLOAD_LIMIT;
	int status;

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (now() > end) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		usleep(20000);
	}
	/* What a part that failed has left. */
	kill(-pid, SIGKILL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static char *next_line(FILE *f, char *line, int size)
{
	if (!f || !fgets(line, size, f))
		return strcpy(line, "(end)\n");
	return line;
}

/* Reports the first lines that differ, and returns whether there are any. */
static int differs(const char *path)
{
	FILE *a = fopen("/tmp/reference", "r"), *b = fopen(path, "r");
	char x[512], y[512];
	int told = 0;

	for (;;) {
		next_line(a, x, sizeof(x));
		next_line(b, y, sizeof(y));
		if (strcmp(x, y) && told++ < 10)
			fprintf(output, "line unprobed %sline probed %s", x, y);
		if (!strcmp(x, "(end)\n") || !strcmp(y, "(end)\n"))
			break;
	}
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	return told;
}

static void run(const char *name)
{
	double begin = now();
	const char *how;
	int status;

	say("<5>proof: %s", name);
	status = run_workload("/tmp/output");
	how = status < 0 ? "unfinished" : differs("/tmp/output") ? "different" :
	      status ? "failed" : "same";
	fprintf(output, "run %s %s %.0f\n", name, how, (now() - begin) * 1000);
	fflush(output);
}

static uint32_t count_jumps(void)
{
	uint32_t jumps;

	if (ioctl(device, PROOF_JUMPS, &jumps))
		fail("PROOF_JUMPS");
	return jumps;
}

/*
 * Waits until the optimizer is done. Its number of jumps stands still in grace periods, too, but
 * points are listed slowly when the kernel is full of probes.
 */
static void settle(void)
{
	double end = now() + SETTLE_LIMIT, still = now() + 3;
	uint32_t jumps = 0, before;
	unsigned int left = 1;

	while (left && now() < end) {
		before = jumps;
		usleep(500000);
		jumps = count_jumps();
		if (jumps != before)
			still = now() + 3;
		else if (now() > still)
			left = points_with("waiting to be optimized", 1);
	}
	fprintf(output, "jumps %u %u\n", count_jumps(), left);
}

static void note_mechanism(uint32_t optimized)
{
	if (ioctl(device, PROOF_MECHANISM, &optimized))
		fail("PROOF_MECHANISM");
}

/* A load that has not interrupted anything is none. */
static void set_interrupts(uint32_t on)
{
	int interrupts = ioctl(device, PROOF_INTERRUPTS, &on);

	if (interrupts < 0 || (!on && !interrupts))
		fail("PROOF_INTERRUPTS");
}

static int has_tracer(const char *tracer)
{
	FILE *f = fopen(TRACING "available_tracers", "r");
	char name[64];
	int found = 0;

	while (f && !found && fscanf(f, "%63s", name) == 1)
		found = !strcmp(name, tracer);
	if (f)
		fclose(f);
	return found;
}

/* Returns whether the kernel has that tracer. */
static int under_tracer(const char *tracer, const char *name, const char *filter)
{
	if (!has_tracer(tracer)) {
		fprintf(output, "run %s skipped 0\n", name);
		return 0;
	}
	if (write_file(TRACING "set_ftrace_filter", filter) == -EINVAL)
		fail("set_ftrace_filter");
	if (write_file(TRACING "current_tracer", tracer)) {
		fprintf(output, "run %s failed 0\nline %s\n", name, "the tracer cannot be set");
		return 1;
	}
	run(name);
	write_file(TRACING "current_tracer", "nop");
	write_file(TRACING "trace", "");
	write_file(TRACING "set_ftrace_filter", "");
	return 1;
}

/* Probes as @mechanism, alone and then in all surroundings that @steps asks for. */
static void runs(const char *mechanism, uint32_t steps, uint32_t id)
{
	const char *filter = (steps & (1 << FEW) ? initials : eighths)[id % SHARES];
	char name[64];
	int traced = 0;

	run(mechanism);
	if (!(steps & (1 << INTERRUPTS)))
		return;
	set_interrupts(1);
	snprintf(name, sizeof(name), "%s+function", mechanism);
	if (steps & (1 << FUNCTION))
		traced |= under_tracer("function", name, filter);
	snprintf(name, sizeof(name), "%s+graph", mechanism);
	if (steps & (1 << GRAPH))
		traced |= under_tracer("function_graph", name, filter);
	snprintf(name, sizeof(name), "%s+interrupts", mechanism);
	if (!traced)
		run(name);
	set_interrupts(0);
}

/*
 * The head of points is a line, too. Idle points may be left: a task can sleep in the copy of an
 * instruction that has an exception table entry, so kprobes does not free those.
 */
static void disarm(void)
{
	double end = now() + SETTLE_LIMIT;
	unsigned int points;

	if (ioctl(device, PROOF_DISARM))
		fail("PROOF_DISARM");
	do {
		usleep(200000);
		points = points_with("  idle  0  ", 0) - 1;
	} while (points && now() < end);
	fprintf(output, "left %u %u %u\n", lines_of(KPROBES "list"), points,
		points_with("  idle  0  ", 1));
	print_idle(output);
}

static void results(const struct proof_record *records)
{
	struct proof_result r;
	unsigned int i;
	int probed;

	for (i = 0; read(device, &r, sizeof(r)) == sizeof(r); i++) {
		if (r.hits || r.posts || r.missed || r.wrong)
			fprintf(output, "hit %u %u %u %u %u %u %c %u %u %u\n", i, r.hits, r.posts,
				r.faults, r.missed, r.wrong, r.mechanism, r.early, r.late,
				r.leaving);
		probed = (records[i].flags & PROOF_RETURN) && !r.return_error;
		if (probed && (r.hits || r.entries || r.returns || r.lost))
			fprintf(output, "return %u %u %u %u %u\n", i, r.entries, r.returns, r.lost,
				r.outside);
	}
}

/* Memory is freed after grace periods: waits until no more is in use than @before. Returns what is. */
static struct memory memory_left(unsigned long long before)
{
	double end = now() + 10;
	struct memory m;

	do {
		usleep(250000);
		m = used();
	} while ((m.bytes > before || m.points || m.detours) && now() < end);
	return m;
}

/* Three times: before, while the probes were armed, and after that. */
static void print_memory(const struct memory *m, long pages)
{
	fprintf(output, "memory %llu %llu %llu\n", m[0].bytes, m[1].bytes, m[2].bytes);
	fprintf(output, "points %ld %ld %ld\n", m[0].points, m[1].points, m[2].points);
	fprintf(output, "detours %ld %ld %ld\n", m[0].detours, m[1].detours, m[2].detours);
	fprintf(output, "pages %ld %ld\n", pages, slot_pages());
}

static void begin_phase(const struct plan_phase *p, const struct proof_record *records)
{
	say("<5>proof: phase %u, %u probes", p->id, p->number);
	fprintf(output, "phase %u %u\n", p->id, p->number);
	if (write(device, records, p->number * sizeof(*records)) < 0)
		fail("records");
	/* Before any of the probes is registered. */
	if (ioctl(device, PROOF_COPY))
		fail("PROOF_COPY");
	examine(records, p->number);
	fflush(output);
	write_file(OPTIMIZATION, "0");
}

static void arm(void)
{
	struct proof_armed armed;

	say("<5>proof: arming");
	if (ioctl(device, PROOF_ARM, &armed))
		fail("PROOF_ARM");
	fprintf(output, "armed %u %u %d\n", armed.probes, armed.returns, armed.error);
	fflush(output);
}

static void phase(const struct plan_phase *p, struct proof_record *records)
{
	struct memory memory[3];
	long pages;

	begin_phase(p, records);
	memory[0] = used();
	pages = slot_pages();
	arm();
	if (p->steps & (1 << BREAKPOINTS))
		runs("breakpoints", p->steps, p->id);
	say("<5>proof: optimizing");
	note_mechanism(0);
	write_file(OPTIMIZATION, "1");
	settle();
	note_mechanism(1);
	memory[1] = used();
	if (p->steps & (1 << JUMPS))
		runs("jumps", p->steps, p->id);
	say("<5>proof: disarming");
	print_stacks(output);
	disarm();
	/* The veneer of a detour stays in the text until the detour is freed. */
	memory[2] = memory_left(memory[0].bytes);
	compare_text();
	if (has_quarantine())
		fprintf(output, "quarantine\n");
	if (is_preemptible())
		fprintf(output, "preemptible\n");
	print_memory(memory, pages);
	results(records);
	fprintf(output, "done %u\n", p->id);
	fflush(output);
	say("<5>proof: done %u", p->id);
}

/* A workload that fails without probes proves nothing. */
static void show_failure(void)
{
	FILE *f = fopen("/tmp/reference", "r");
	char line[512], before[512] = "\n";

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "FAILED")) {
			fprintf(output, "line unprobed %sline unprobed %s", before, line);
			say("<0>proof: workload: %s", line);
		}
		strcpy(before, line);
	}
	fflush(output);
	errno = EPROTO;
	fail("the workload fails without probes");
}

/*
 * The workload before any probe; the first time warms caches up. Also in the surroundings that
 * probes will be in: what fails there without them is not theirs.
 */
static void reference(uint32_t steps)
{
	say("<5>proof: the workload, unprobed");
	if (run_workload("/tmp/reference") || run_workload("/tmp/reference"))
		show_failure();
	runs("unprobed", steps, 0);
}

static void open_all(char **argv, FILE **plan)
{
	struct termios raw;
	/* Without a carrier an open(2) that may block would wait for one. */
	int fd = open(argv[2], O_WRONLY | O_NOCTTY | O_CREAT | O_NONBLOCK, 0600);

	if (fd >= 0 && !tcgetattr(fd, &raw)) {
		cfmakeraw(&raw);
		raw.c_cflag |= CLOCAL;
		cfsetspeed(&raw, B115200);
		tcsetattr(fd, TCSANOW, &raw);
	}
	fcntl(fd, F_SETFL, 0);
	*plan = fopen(argv[1], "r");
	output = fd < 0 ? NULL : fdopen(fd, "w");
	device = open("/dev/kprobe_proof", O_RDWR);
	if (!*plan || !output || device < 0)
		fail("opening plan, output or device");
}

/* A plan without phases: the text is read from outside, while the guest is idle. */
static void show_text(uint32_t objects)
{
	uint32_t i;

	for (i = 0; i < objects && i < PROOF_OBJECTS; i++)
		say("<5>proof: text %u %llx %llu", i, (unsigned long long)texts[i].start,
		    (unsigned long long)texts[i].size);
	for (i = 0; i < 60; i++) {
		sleep(1);
		say("<5>proof: text is ready");
	}
}

int main(int argc, char **argv)
{
	struct plan_head head;
	struct plan_phase p;
	FILE *plan;
	uint32_t i;

	if (argc != 3)
		return 2;
	open_all(argv, &plan);
	if (fread(&head, sizeof(head), 1, plan) != 1 || head.magic != MAGIC)
		fail("plan");
	find_objects(plan, head.objects);
	if (!head.phases) {
		show_text(head.objects);
		return 0;
	}
	reference(head.steps);
	for (i = 0; i < head.phases && fread(&p, sizeof(p), 1, plan) == 1; i++) {
		struct proof_record *records = calloc(p.number, sizeof(*records));

		if (!records || fread(records, sizeof(*records), p.number, plan) != p.number)
			fail("plan");
		phase(&p, records);
		free(records);
	}
	fprintf(output, "end\n");
	fclose(output);
	/* All of it has left before the machine goes. */
	sleep(1);
	return 0;
}
