// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shows which probed addresses are hit how often, what was missed and why, and why hits do not come
 * by a jump: two readings of /sys/kernel/debug/kprobes/points make a screen of rates.
 *
 * Fields of "points" are found by the names in its first line, so later kernels may add some.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#ifndef KPROBES
#define KPROBES	"/sys/kernel/debug/kprobes"
#endif

/* The fields that are of interest. The last ones count misses, by why handlers did not run. */
enum field { ADDRESS, SYMBOL, MECHANISM, NOT_OPTIMIZED, HITS, CAUSE, FIELDS = CAUSE + 6 };

static const char * const fields[FIELDS] = {
	"address", "symbol", "mechanism", "not-optimized", "hits",
	"nested", "depth", "diverted", "offline", "no-instance", "branched",
};

#define CAUSES		(FIELDS - CAUSE)
#define MAX_COLUMNS	64

struct point {
	char *line;			/* owns the text of the next four */
	const char *address;
	const char *symbol;
	const char *way;
	const char *no_jump;
	bool counted;
	unsigned long long hits;
	unsigned long long misses[CAUSES];
	/* Per second, since the reading before. */
	double hit_rate;
	double miss_rate[CAUSES];
	double miss_rates;
};

struct reading {
	struct point *points;
	size_t nr;
	size_t room;
	double time;
};

enum order { BY_HITS, BY_MISSES, BY_TOTAL };

static struct {
	double delay;
	unsigned long iterations;	/* 0: without end */
	bool batch;
	bool count;
	bool reverse;
	enum order order;
} options = { .delay = 1 };

static atomic_bool stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = true;
}

static void fail_to_open(const char *file)
{
	bool denied = errno == EACCES || errno == EPERM;

	fprintf(stderr, "kprobe_top: cannot open %s: %s\n%s", file, strerror(errno), denied ?
		"Only root may: try sudo kprobe_top\n" :
		"Mount debugfs, if it is not: mount -t debugfs none /sys/kernel/debug\n"
		"The kernel needs CONFIG_KPROBES and CONFIG_DEBUG_FS.\n");
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Two spaces separate columns. Returns how many there are. */
static int split(char *line, char *columns[MAX_COLUMNS])
{
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (; line && n < MAX_COLUMNS; n++) {
		columns[n] = line;
		line = strstr(line, "  ");
		if (line) {
			*line = '\0';
			line += 2;
		}
	}
	return n;
}

static const char *column(char *columns[], int nr, int i)
{
	return i >= 0 && i < nr ? columns[i] : "-";
}

static void parse_point(struct point *p, char *columns[], int nr, const int at[FIELDS])
{
	const char *hits = column(columns, nr, at[HITS]);
	char *colon;
	size_t i;

	p->address = column(columns, nr, at[ADDRESS]);
	p->symbol = column(columns, nr, at[SYMBOL]);
	p->way = column(columns, nr, at[MECHANISM]);
	p->no_jump = column(columns, nr, at[NOT_OPTIMIZED]);
	/* A keyword, and after it an explanation. */
	colon = strchr(p->no_jump, ':');
	if (colon)
		*colon = '\0';
	p->counted = strcmp(hits, "-");
	p->hits = p->counted ? strtoull(hits, NULL, 10) : 0;
	for (i = 0; i < CAUSES; i++)
		p->misses[i] = strtoull(column(columns, nr, at[CAUSE + i]), NULL, 10);
}

static int compare_places(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return strcmp(p->address, q->address) ?: strcmp(p->symbol, q->symbol);
}

static void *allocated(void *memory)
{
	if (!memory) {
		fprintf(stderr, "kprobe_top: out of memory\n");
		exit(1);
	}
	return memory;
}

/* Reads all points in the place of those read before, and orders them by address. */
static void read_points(struct reading *r)
{
	int at[FIELDS], nr, i, j;
	char *columns[MAX_COLUMNS], *line = NULL;
	FILE *file = fopen(KPROBES "/points", "r");
	struct point *p;
	size_t size = 0;

	if (!file)
		fail_to_open(KPROBES "/points");
	while (r->nr)
		free(r->points[--r->nr].line);
	r->time = now();
	if (getline(&line, &size, file) < 0)
		fail_to_open(KPROBES "/points");
	nr = split(line, columns);
	for (i = 0; i < FIELDS; i++)
		for (at[i] = -1, j = 0; j < nr; j++)
			if (!strcmp(columns[j], fields[i]))
				at[i] = j;
	while (getline(&line, &size, file) >= 0) {
		if (r->nr == r->room) {
			r->room = 2 * r->room + 64;
			r->points = allocated(realloc(r->points, r->room * sizeof(*p)));
		}
		p = &r->points[r->nr++];
		*p = (struct point){};
		p->line = allocated(strdup(line));
		parse_point(p, columns, split(p->line, columns), at);
	}
	free(line);
	fclose(file);
	qsort(r->points, r->nr, sizeof(*r->points), compare_places);
}

/* A count that has decreased began anew: the point is another, or counting was turned on again. */
static double rate(unsigned long long new, unsigned long long old, double seconds)
{
	return (new < old ? new : new - old) / seconds;
}

/* A point that the reading before does not have came since then, with all its counts 0. */
static void compute_rates(struct reading *r, const struct reading *before)
{
	const struct point none = { .counted = true };
	double seconds = r->time - before->time;
	const struct point *old;
	struct point *p;
	size_t i;

	for (p = r->points; p < r->points + r->nr; p++) {
		old = bsearch(p, before->points, before->nr, sizeof(*p), compare_places) ?: &none;
		p->hit_rate = rate(p->hits, old->hits, seconds);
		p->miss_rates = 0;
		for (i = 0; i < CAUSES; i++) {
			p->miss_rate[i] = rate(p->misses[i], old->misses[i], seconds);
			p->miss_rates += p->miss_rate[i];
		}
	}
}

static double rank(const struct point *p)
{
	return options.order == BY_MISSES ? p->miss_rates :
	       options.order == BY_TOTAL ? p->hits : p->hit_rate;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct point *p = *(struct point * const *)a, *q = *(struct point * const *)b;
	double x = options.reverse ? rank(p) : rank(q), y = options.reverse ? rank(q) : rank(p);

	return x < y ? -1 : x > y ? 1 : compare_places(p, q);
}

/* As "nested=3.0,depth=1.0", or "-". */
static const char *show_misses(const double rates[CAUSES])
{
	static char text[CAUSES * 40];
	size_t i;
	int n = 0;

	snprintf(text, sizeof(text), "-");
	for (i = 0; i < CAUSES; i++)
		if (rates[i] > 0)
			n += snprintf(text + n, sizeof(text) - n, "%s%s=%.1f", n ? "," : "",
				      fields[CAUSE + i], rates[i]);
	return text;
}

static void show_batch(struct point **sorted, size_t nr, double time)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		const struct point *p = sorted[i];

		if (p->counted)
			printf("%.1f  %.1f  %llu", time, p->hit_rate, p->hits);
		else
			printf("%.1f  -  -", time);
		printf("  %s  %s  %s  %s\n", show_misses(p->miss_rate), p->way, p->no_jump,
		       p->symbol);
	}
}

/* "on", "off", or "-" if the kernel cannot count. */
static const char *counting(void)
{
	FILE *file = fopen(KPROBES "/count", "r");
	int c = file ? fgetc(file) : EOF;

	if (file)
		fclose(file);
	return c == '1' ? "on" : c == '0' ? "off" : "-";
}

static void show_row(int width, const char *rate, const char *total, const char *misses,
		     const char *way, const char *no_jump, const char *symbol)
{
	int more = width >= 120 ? 12 : 0;
	char line[1024];

	snprintf(line, sizeof(line), "%10s %*s  %-*.*s %-12s %-*.*s %s", rate, 10 + more / 3, total,
		 12 + more, 12 + more, misses, way, 12 + more / 2, 12 + more / 2, no_jump, symbol);
	printf("%.*s\033[K\n", width, line);
}

static void show_screen(struct point **sorted, size_t nr)
{
	struct winsize size = { 0 };
	double hits = 0, misses[CAUSES] = { 0 };
	char line[256], total[32], hit_rate[32];
	size_t i, j, rows;
	int width;

	ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	width = size.ws_col ?: 80;
	rows = size.ws_row ?: 24;
	for (i = 0; i < nr; i++) {
		hits += sorted[i]->hit_rate;
		for (j = 0; j < CAUSES; j++)
			misses[j] += sorted[i]->miss_rate[j];
	}
	snprintf(line, sizeof(line),
		 "kprobe_top: %zu points, %.1f hits/s, misses/s %s, counting %s", nr, hits,
		 show_misses(misses), counting());
	printf("\033[H%.*s\033[K\n\033[7m", width, line);
	show_row(width, "HITS/S", "TOTAL", "MISSES/S", "WAY", "NO JUMP", "SYMBOL");
	printf("\033[0m");
	for (i = 0; i < nr && i + 3 < rows; i++) {
		const struct point *p = sorted[i];

		if (p->counted) {
			snprintf(hit_rate, sizeof(hit_rate), "%.1f", p->hit_rate);
			snprintf(total, sizeof(total), "%llu", p->hits);
		}
		show_row(width, p->counted ? hit_rate : "-", p->counted ? total : "-",
			 show_misses(p->miss_rate), p->way, p->no_jump, p->symbol);
	}
	printf("\033[J");
}

static void show(struct reading *r, double begin)
{
	struct point **sorted = allocated(calloc(r->nr + 1, sizeof(*sorted)));
	size_t i;

	for (i = 0; i < r->nr; i++)
		sorted[i] = &r->points[i];
	qsort(sorted, r->nr, sizeof(*sorted), compare_ranks);
	if (options.batch)
		show_batch(sorted, r->nr, r->time - begin);
	else
		show_screen(sorted, r->nr);
	free(sorted);
	/* Who reads may have gone. */
	if (fflush(stdout))
		stopped = true;
}

static void run(void)
{
	struct reading readings[2] = { 0 }, *before = &readings[0], *r = &readings[1], *other;
	struct timespec delay = { .tv_sec = options.delay };
	unsigned long n;
	double begin;

	delay.tv_nsec = (options.delay - delay.tv_sec) * 1e9;
	read_points(before);
	begin = before->time;
	printf(options.batch ? "time  hits/s  total  misses/s  way  no-jump  symbol\n" :
			       "\033[H\033[J");
	fflush(stdout);
	for (n = 0; !stopped && (!options.iterations || n < options.iterations); n++) {
		/* A signal, also of a resized terminal, ends the pause. */
		nanosleep(&delay, NULL);
		if (stopped)
			break;
		read_points(r);
		compute_rates(r, before);
		show(r, begin);
		other = before;
		before = r;
		r = other;
	}
}

static bool set_counting(const char *word)
{
	FILE *file = fopen(KPROBES "/count", "w");

	return file && fputs(word, file) >= 0 && !fclose(file);
}

static void stop_counting(void)
{
	set_counting("0\n");
}

static void print_usage(FILE *file)
{
	fprintf(file,
		"usage: kprobe_top [-bchr] [-d SECONDS] [-n ITERATIONS] [-s hits|misses|total]\n"
		"Shows how often probed addresses are hit, and which hits are missed.\n"
		"  -b  batch: plain lines, two spaces between fields, the names of these first\n"
		"  -c  turn counting of hits on, and off at the end unless it was on\n"
		"  -d  time between two looks, 1 second\n"
		"  -n  how many looks, without end\n"
		"  -r  reverse order: the least first\n"
		"  -s  sort by hits per second, misses per second, or total hits\n"
		"  -h  this text\n");
	exit(file == stderr);
}

static void parse_options(int argc, char **argv)
{
	static const char * const orders[] = { "hits", "misses", "total" };
	char *end = "";
	int option;

	while ((option = getopt(argc, argv, "bcd:hn:rs:")) != -1) {
		switch (option) {
		case 'b':
			options.batch = true;
			break;
		case 'c':
			options.count = true;
			break;
		case 'd':
			options.delay = strtod(optarg, &end);
			if (!(options.delay >= 0.1 && options.delay <= 86400))
				print_usage(stderr);
			break;
		case 'h':
			print_usage(stdout);
			break;
		case 'n':
			options.iterations = strtoul(optarg, &end, 10);
			break;
		case 'r':
			options.reverse = true;
			break;
		case 's':
			options.order = optarg[0] == 'm' ? BY_MISSES :
					optarg[0] == 't' ? BY_TOTAL : BY_HITS;
			if (strcmp(optarg, orders[options.order]))
				print_usage(stderr);
			break;
		default:
			print_usage(stderr);
		}
		if (*end)
			print_usage(stderr);
	}
	if (optind < argc)
		print_usage(stderr);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = stop };	/* not SA_RESTART */

	parse_options(argc, argv);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (options.count && strcmp(counting(), "on")) {
		if (!set_counting("1\n"))
			fail_to_open(KPROBES "/count");
		atexit(stop_counting);
	}
	run();
	return 0;
}
