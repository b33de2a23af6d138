#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Results of a console in KTAP, as the kernel's own parser reads them (tools/testing/kunit).

That parser takes one document, prints as it reads, lets a group pass whose parts passed whatever its own
result is, counts errors of the format apart, and drops the reasons of skipped tests. Results counts
leaves, and the former as failures.
"""
import os
import re
import signal
import sys
import textwrap

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "linux")
sys.path.insert(0, os.path.join(TREE, "tools", "testing", "kunit"))
import kunit_parser     # noqa: E402
import kunit_printer    # noqa: E402

kunit_parser.stdout = kunit_printer.Printer(open(os.devnull, "w"))

HEADER = re.compile(r"K?TAP version \d+$")
PREFIX = re.compile(r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+\])? ?")
RESULT = re.compile(r"^ *(?:not )?ok \d+ ")
SKIP = re.compile(r"^ *ok \d+ (?:- )?(.*?) # SKIP ?(.*)")
NO_PLAN = re.compile(r"^ *1\.\.0 # SKIP (.*)")
# Lines of KUnit that do not explain a failure.
QUIET = re.compile(r"^ *# (module:|Totals:|.*: pass:\d)|^ *#? *$")
KEEP = 30


PATIENCE = 20           # seconds


def give_up(*_):
    raise TimeoutError("these results cannot be read: is there a plan after them?")


def skips_of(lines):
    """(name, reason) of what was skipped itself. A program's reason is in its plan. A group that was skipped
    because all its parts were has no reason of its own, and is left out."""
    found, reason, deep = [], "", 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        plan, skip = NO_PLAN.match(line), SKIP.match(line)
        if plan:
            reason, deep = plan[1], indent
        elif RESULT.match(line):
            if skip and (indent >= deep or skip[2] or reason):
                found.append((skip[1], skip[2] or reason))
            reason, deep = "", indent
    return found


class Results:
    """Of several documents, one after the other."""

    def __init__(self):
        self.passed = self.failed = self.skipped = self.documents = 0
        self.failures = []          # (path of the test, diagnostic lines)
        self.skips = []             # (name, reason)
        self.groups = []            # (name, passed, failed, skipped) of each at the top

    def summary(self):
        return "%d passed, %d failed, %d skipped" % (self.passed, self.failed, self.skipped)

    def succeed(self, name):
        self.passed += 1
        self.groups.append((name, 1, 0, 0))

    def fail(self, path, lines=()):
        """Counts one failure more."""
        self.failed += 1
        self.failures.append((path, [line for line in lines if not QUIET.match(line)][-KEEP:]))

    def add(self, log):
        """Reads the documents in the lines of a kernel log."""
        lines = [PREFIX.sub("", line).rstrip() for line in log]
        begins = [i for i, line in enumerate(lines) if HEADER.match(line)]
        for begin, end in zip(begins, begins[1:] + [len(lines)]):
            self._add_document(lines[begin:end])

    def _add_document(self, lines):
        self.documents += 1
        self.skips += skips_of(lines)
        # At the end of its input it would take the last line once more.
        # A plan after its results it looks at for ever.
        signal.signal(signal.SIGALRM, give_up)
        signal.alarm(PATIENCE)
        try:
            run = kunit_parser.parse_run_tests(lines + [""])
        except TimeoutError as error:
            self.fail(str(error))
            return
        finally:
            signal.alarm(0)
        failed = self.failed
        for group in run.subtests:
            before = self.failed
            self._judge(group, group.name)
            counts = group.counts
            self.groups.append((group.name, counts.passed, self.failed - before, counts.skipped))
        self.passed += run.counts.passed
        self.skipped += run.counts.skipped
        if run.counts.errors and self.failed == failed:
            self.fail("%d errors of the format, or missing results" % run.counts.errors)

    def _judge(self, test, path):
        """Finds what failed in a test; True: something did."""
        below = [self._judge(part, path + " / " + part.name) for part in test.subtests]
        if not any(below) and test.ok_status():
            return False
        if not any(below):
            self.fail(path, test.log)
        return True


def report(results, out=sys.stdout):
    for name, reason in results.skips:
        out.write("    skipped: %s%s\n" % (name, ": " + reason if reason else ""))
    for path, lines in results.failures:
        out.write("    FAILED: %s\n" % path)
        for line in textwrap.dedent("\n".join(lines)).splitlines():
            out.write("        | %s\n" % line[:200])
