#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: overall.py DIRECTORY

Writes DIRECTORY/report.txt and report.html: one report of all parts of the proof that have left
results, the sweep (sweep.txt, sweep.html), the storm on one thread and on several (storm.txt,
storm-multi.txt), the parts that are suites of make test, the scenarios, and the other kernels.

Environment: TABLES, the directory of what these write: suites.txt, scenarios.txt and kernels.txt.
By default it is DIRECTORY.
"""
import collections
import html
import os
import re
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, ".."))
import ktap     # noqa: E402

TABLES = (("suites.txt", "Parts that are suites of make test"), ("scenarios.txt", "Scenarios"),
          ("kernels.txt", "Other kernels"))
STORMS = (("storm.txt", "Storm"), ("storm-multi.txt", "Storm, with a thread for each CPU"))
ROUND = re.compile(r"# round (\d+) of (\d+), seed (\d+)")
TOLD = re.compile(r"# (book of all|handlers of all|witnesses of all|sums|failslab): (.*)")
FRONTS = re.compile(r"# fronts: *(.*)")
MEMORY = re.compile(r"# (memory|use of [^:]+|cache [^:]+): (.*)")
SUM = re.compile(r"^\d+ passed, \d+ failed, \d+ skipped$")
BOOKS = ("probes", "must", "may", "never", "handled", "posts", "entries", "witnessed", "unanswered")
CAUSES = ("must absent", "nested", "may absent", "may nested", "missed", "missed nested", "lost")
SUMS = ("calls", "in NMIs", "changes", "without memory", "failed allocations", "perf calls")

STYLE = """body { font: 14px sans-serif; margin: 2em; max-width: 80em }
table { border-collapse: collapse; margin: 0.5em 0 1.5em } td, th { padding: 2px 10px; text-align: right }
td:first-child, th:first-child { text-align: left } tr:nth-child(even) { background: #f2f2f2 }
.key span { display: inline-block; width: 1em; height: 1em; margin: 0 0.4em 0 1.2em }
pre { background: #f2f2f2; padding: 1em; white-space: pre-wrap }"""


def table(rows, head):
    """Columns, the first one left and the others right."""
    rows = [[str(cell) for cell in row] for row in [head] + rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "-" * len(lines[0]))
    return lines


def html_table(rows, head):
    def row(cells, tag):
        return "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (tag, html.escape(str(c)), tag) for c in cells)
    return "<table>%s%s</table>" % (row(head, "th"), "".join(row(r, "td") for r in rows))


def pairs(words):
    """{name: number} of "name number, name number"."""
    found = {}
    for part in words.split(", "):
        name, _, number = part.rpartition(" ")
        if name and number.lstrip("-").isdigit():
            found[name] = int(number)
    return found


class Storm:
    """What a storm has said."""

    def __init__(self, lines):
        self.rounds = []        # {name: number}, and fronts: {name: (done, tried)}
        self.memory = []        # (name, at the end, before)
        self.results = [0, 0, 0]
        self.problems = []      # results that failed, and what follows the last one
        self.sum = ""
        for line in lines:
            self._take(line.rstrip("\n"))

    def _take(self, line):
        begin, told, fronts, memory = (e.match(line) for e in (ROUND, TOLD, FRONTS, MEMORY))
        if begin:
            self.rounds.append({"round": int(begin.group(1)), "seed": int(begin.group(3)),
                                "fronts": {}})
        elif told and self.rounds:
            self.rounds[-1].update(pairs(told.group(2)))
        elif fronts and self.rounds:
            self.rounds[-1]["fronts"] = dict(re.findall(r"(\w+) (\d+ of \d+)", fronts.group(1)))
        elif memory:
            numbers = list(pairs(memory.group(2)).values())
            self.memory.append((memory.group(1),) + tuple(numbers[:2]))
        elif line.startswith("not ok"):
            self.problems.append(line)
        elif SUM.match(line):
            self.sum = line

    def by_round(self, names):
        rows = [[r["round"], r["seed"]] + [r.get(name, "-") for name in names] for r in self.rounds]
        return rows, ["round", "seed"] + list(names)

    def fronts(self):
        names = list(collections.OrderedDict.fromkeys(n for r in self.rounds for n in r["fronts"]))
        rows = [[r["round"]] + [r["fronts"].get(name, "-") for name in names] for r in self.rounds]
        return rows, ["round"] + names

    def sections(self):
        yield ("Books: hits of calls by the state of the probe, and handlers",) + self.by_round(BOOKS)
        yield ("Hits without handlers, and misses by cause",) + self.by_round(CAUSES)
        yield ("Calls and changes",) + self.by_round(SUMS)
        yield ("What disturbed, successes of attempts",) + self.fronts()
        if self.memory:
            yield ("Memory", [list(row) for row in self.memory],
                   ["bytes, or objects of a cache", "at the end", "after the first round, or idle points"])


def read_lines(path):
    if not path or not os.path.exists(path):
        return []
    with open(path, errors="replace") as f:
        return f.read().splitlines()


def last_sum(lines):
    return next((line for line in reversed(lines) if SUM.match(line)), "")


class Part:
    """A part of the report: its lines as text, its page's body, its sum or "".

    @path: the file of its results. How old that is shows, since parts may be of different runs.
    """

    def __init__(self, title, path, lines, body, total=""):
        self.title, self.lines, self.body, self.sum = title, lines, body, total
        self.when = time.strftime("%Y-%m-%d %H:%M", time.localtime(os.path.getmtime(path)))


def sweep_part(directory):
    path = os.path.join(directory, "sweep.txt")
    lines = read_lines(path)
    body = "\n".join(read_lines(os.path.join(directory, "sweep.html")))
    return Part("Sweep", path, lines, body, last_sum(lines)) if lines else None


def storm_part(path, title):
    said = read_lines(path)
    if not said:
        return None
    storm = Storm(said)
    lines, body = [], []
    for name, rows, head in storm.sections():
        lines += [name, ""] + table(rows, head) + [""]
        body.append("<h3>%s</h3>%s" % (html.escape(name), html_table(rows, head)))
    lines += storm.problems + [storm.sum or "the storm has not come to its end"]
    body.append("<pre>%s</pre>" % html.escape("\n".join(storm.problems + [storm.sum])))
    return Part(title, path, lines, "\n".join(body), storm.sum)


def text_part(title, path):
    lines = read_lines(path)
    if not lines:
        return None
    return Part(title, path, lines, "<pre>%s</pre>" % html.escape("\n".join(lines)))


def parts(directory, tables):
    found = [sweep_part(directory)]
    found += [storm_part(os.path.join(directory, name), title) for name, title in STORMS]
    found += [text_part(title, os.path.join(tables, name)) for name, title in TABLES]
    return [part for part in found if part]


def total_of(found):
    total = [0, 0, 0]
    for part in found:
        numbers = re.findall(r"\d+", part.sum)
        total = [a + int(b) for a, b in zip(total, numbers)] if numbers else total
    return ktap.summary(total)


def heading(part):
    return "%s, %s%s" % (part.title, part.when, ": " + part.sum if part.sum else "")


def write(directory, tables):
    """Writes both. Returns the text's lines."""
    found = parts(directory, tables)
    lines, body = [], ["<h1>Proof of kprobes</h1><p><b>%s</b></p>" % total_of(found)]
    for part in found:
        lines += [heading(part), len(heading(part)) * "=", ""] + part.lines + [""]
        body.append("<h2>%s</h2>\n%s" % (html.escape(heading(part)), part.body))
    lines += [heading(part) for part in found] + [total_of(found)]
    with open(os.path.join(directory, "report.txt"), "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(directory, "report.html"), "w") as f:
        f.write("<!DOCTYPE html><meta charset=utf-8><title>Kprobes: proof</title>"
                "<style>%s</style>\n%s\n" % (STYLE, "\n".join(body)))
    return lines


def from_environment(directory):
    return write(directory, os.environ.get("TABLES", directory))


def main():
    from_environment(sys.argv[1])
    print("    report: %s, and report.txt beside it" %
          os.path.relpath(os.path.join(sys.argv[1], "report.html")))


if __name__ == "__main__":
    main()
