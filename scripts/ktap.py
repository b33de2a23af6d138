#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Reads KTAP, also when it comes through the kernel log, and counts leaves.

A result line with results nested below it is a group. Its parts are counted, and the group only if
it failed although no part did. Lines can be fed one by one. (The kernel's kunit_parser takes one
document for each log, lets a group pass if its parts passed, whatever its own result, and drops the
reasons of skipped tests.)

As a program: ktap.py LOG prints the summary of a console log.
"""
import re
import sys
import textwrap

PREFIX = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ?")
HEADER = re.compile(r"^( *)K?TAP version \d+\s*$")
SUBTEST = re.compile(r"^( *)# Subtest: (.*)$")
PLAN = re.compile(r"^( *)1\.\.(\d+)\s*(?:# *(?:SKIP)? *(.*))?$")
RESULT = re.compile(r"^( *)(not )?ok (\d+)(?: -)? ?([^#]*?)\s*(?:# *(.*))?$")
# Lines of KUnit that do not explain a failure.
QUIET = re.compile(r"^ *# (module:|Totals:|.*: pass:\d)|^ *#? *$")
KEEP = 30


PASSED, FAILED, SKIPPED = range(3)


class Level:
    """Results at one indentation, whose parent's line has not come yet."""

    def __init__(self, indent):
        self.indent = indent
        self.name = ""
        self.plan = None
        self.results = 0
        self.leaves = [0, 0, 0]     # passed, failed, skipped, at any depth


class Parser:
    """on_result(path, indent, leaves, is_group) is called for every result line."""

    def __init__(self, on_result=None):
        self.leaves = [0, 0, 0]
        self.headers = 0
        self.failures = []          # (path of the test, diagnostic lines)
        self.skips = []             # (path, reason)
        self._levels = []
        self._lines = []
        self._why = ""              # of the last plan of nothing ("1..0 # SKIP reason")
        self._late = None           # the failure whose explanation may still follow
        self._on_result = on_result

    def _pop(self, indent):
        """Closes the levels deeper than indent; returns how many results and which leaves."""
        results, leaves = 0, [0, 0, 0]
        while self._levels and self._levels[-1].indent > indent:
            level = self._levels.pop()
            if level.plan is not None and level.results < level.plan:
                missing = "%d of %d results are missing" % (level.plan - level.results, level.plan)
                self.fail((self._path(level.name) or "the whole run") + ": " + missing)
                level.leaves[FAILED] += 1
            results += level.results
            leaves = [a + b for a, b in zip(leaves, level.leaves)]
        return results, leaves

    def _level(self, indent):
        if not self._levels or self._levels[-1].indent < indent:
            self._levels.append(Level(indent))
        return self._levels[-1]

    def _path(self, name):
        return " / ".join([lv.name for lv in self._levels if lv.name] + ([name] if name else []))

    def fail(self, path, explain=True):
        """Counts one failure more."""
        self.leaves[FAILED] += 1
        self._late = self._lines[-KEEP:] if explain else []
        self.failures.append((path, self._late))

    def succeed(self):
        self.leaves[PASSED] += 1

    def skip(self, path, why):
        self.leaves[SKIPPED] += 1
        self.skips.append((path, why))

    def feed(self, line):
        """Takes one line. Returns True if it was KTAP, and not other output in between."""
        line = PREFIX.sub("", line.rstrip("\r\n"))
        m = HEADER.match(line)
        if m:
            indent = len(m.group(1))
            if indent == 0:
                self._end_document()
            self.headers += 1
            self._lines, self._late = [], None
            return True
        m = SUBTEST.match(line)
        if m:
            # Belongs to the results that follow, which have the same indentation.
            indent = len(m.group(1))
            self._pop(indent)
            self._level(indent).name = m.group(2).strip()
            self._lines, self._late = [], None
            return True
        m = PLAN.match(line)
        if m:
            indent = len(m.group(1))
            self._pop(indent)
            self._level(indent).plan = int(m.group(2))
            self._why = m.group(3) or ""
            return True
        m = RESULT.match(line)
        if m:
            self._result(len(m.group(1)), not m.group(2), m.group(4).strip(), m.group(5) or "")
            return True
        if not QUIET.match(line):
            self._lines.append(line)
            if self._late is not None and line.lstrip().startswith("#"):
                self._late.append(line)
                del self._late[:-KEEP]
        return False

    def _result(self, indent, ok, name, directive):
        parts, leaves = self._pop(indent)
        level = self._level(indent)
        level.results += 1
        path = self._path(name)
        self._late = None
        words = directive.split()
        skip = bool(words) and words[0].upper().rstrip(":") in ("SKIP", "TODO")
        if not ok and not skip:
            if not leaves[FAILED]:
                self.fail(path + (" (%s)" % directive if directive else ""))
                leaves[FAILED] += 1
        elif not parts and skip:
            self.leaves[SKIPPED] += 1
            self.skips.append((path, " ".join(words[1:]) or self._why))
            leaves[SKIPPED] += 1
        elif not parts:
            self.succeed()
            leaves[PASSED] += 1
        level.leaves = [a + b for a, b in zip(level.leaves, leaves)]
        self._lines, self._why = [], ""
        if self._on_result:
            self._on_result(path, indent, leaves, parts > 0)

    def _end_document(self):
        self._pop(-1)
        self._levels = []

    def finish(self):
        """Call once after the last line."""
        self._end_document()

    def summary(self):
        return summary(self.leaves)


def summary(leaves):
    return "%d passed, %d failed, %d skipped" % tuple(leaves)


def report(parser, out=sys.stdout):
    for path, reason in parser.skips:
        out.write("    skipped: %s%s\n" % (path, ": " + reason if reason else ""))
    for path, lines in parser.failures:
        out.write("    FAILED: %s\n" % path)
        for line in textwrap.dedent("\n".join(lines)).splitlines():
            out.write("        | %s\n" % line[:200])


if __name__ == "__main__":
    p = Parser()
    with open(sys.argv[1], errors="replace") as f:
        for text in f:
            p.feed(text)
    p.finish()
    report(p)
    print(p.summary())
    sys.exit(1 if p.leaves[FAILED] else 0)
