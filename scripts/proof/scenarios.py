#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: scenarios.py SCENARIOS CONSOLE...

Prints a table of what became of the tests of each scenario in SCENARIOS (see there) in CONSOLE, the
logs of make test of one or more kernels, and of its tests on the host: some tests need a kernel with
preemption. The last line counts. The exit status is 1 if a test failed or was in no log; of one that
was skipped the reason is shown.
"""
import os
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import ktap     # noqa: E402

FIELDS = ("before", "now", "proof", "test")


class Scenario:
    def __init__(self, chapter, source, title):
        self.chapter, self.source, self.title = chapter, source, title
        self.before = self.now = self.proof = ""
        self.tests = []


def read(lines):
    """The scenarios of a file. Raises ValueError at a line that is none of its kinds."""
    scenarios, chapter = [], ""
    for number, line in enumerate(lines, 1):
        line = line.rstrip()
        name, _, text = line.partition(":")
        if line.startswith("## "):
            chapter = line[3:]
        elif not line or line.startswith("#"):
            continue
        elif line.startswith("["):
            source, _, title = line[1:].partition("] ")
            scenarios.append(Scenario(chapter, source, title))
        elif scenarios and name in FIELDS:
            if name == "test":
                scenarios[-1].tests.append(text.strip())
            else:
                setattr(scenarios[-1], name, text.strip())
        else:
            raise ValueError("line %d: %s" % (number, line))
    return scenarios


class Log:
    """The tests in a console's log, without groups: @leaves [(path, leaves)], @skips [(path, why)]."""

    def __init__(self, console):
        self.leaves = []
        parser = ktap.Parser(self._result)
        for line in console:
            parser.feed(line)
        parser.finish()
        self.skips = parser.skips

    def _result(self, path, indent, leaves, group):
        if not group:
            self.leaves.append((path, list(leaves)))


def belongs(path, test):
    return path == test or path.startswith(test + " / ")


def count(test, logs):
    """(passed, failed, skipped) of what begins with a test's path. None if there is nothing."""
    mine = [leaves for log in logs for path, leaves in log.leaves if belongs(path, test)]
    return [sum(column) for column in zip(*mine)] if mine else None


def reasons(test, logs):
    """Why some of it was skipped, each reason once."""
    found = [why for log in logs for path, why in log.skips if belongs(path, test)]
    return list(dict.fromkeys(found))


class Verdict:
    """What became of a scenario: @counts of each test; @failed; else whether all of it was @skipped,
    or one of its tests was, so that it was replayed @in_part."""

    def __init__(self, scenario, logs):
        self.scenario = scenario
        self.counts = [(test, count(test, logs), reasons(test, logs)) for test in scenario.tests]
        self.failed = any(not leaves or leaves[ktap.FAILED] for _, leaves, _ in self.counts)
        replayed = [bool(leaves and leaves[ktap.PASSED]) for _, leaves, _ in self.counts]
        self.skipped = not self.failed and not any(replayed)
        self.in_part = not self.failed and any(replayed) and not all(replayed)

    def word(self):
        return ("FAILED" if self.failed else "skipped" if self.skipped else
                "passed in part" if self.in_part else "passed")


def fill(text, **indents):
    return textwrap.fill(text, 100, break_on_hyphens=False, **indents)


def line(name, text):
    return fill(text, initial_indent="    %-8s" % name, subsequent_indent=12 * " ")


def outcome(test, leaves, why):
    if not leaves:
        return test + ": did not run"
    words = ["%d %s" % pair for pair in zip(leaves, ("passed", "failed", "skipped")) if pair[0]]
    return "%s: %s%s" % (test, ", ".join(words), " (%s)" % "; ".join(why) if why else "")


def table(verdicts):
    """The lines that are printed."""
    chapter = None
    for verdict in verdicts:
        scenario = verdict.scenario
        if scenario.chapter != chapter:
            chapter = scenario.chapter
            yield "%s\n%s\n" % (chapter, len(chapter) * "=")
        yield fill("%s: %s [%s]" % (verdict.word(), scenario.title, scenario.source))
        for name in ("before", "now", "proof"):
            if getattr(scenario, name):
                yield line(name, getattr(scenario, name))
        for counted in verdict.counts:
            yield line("test", outcome(*counted))
        yield ""


def main():
    with open(sys.argv[1]) as f:
        scenarios = read(f)
    logs = []
    for console in sys.argv[2:]:
        with open(console, errors="replace") as f:
            logs.append(Log(f))
    verdicts = [Verdict(scenario, logs) for scenario in scenarios]
    for text in table(verdicts):
        print(text)
    failed = sum(v.failed for v in verdicts)
    skipped = sum(v.skipped for v in verdicts)
    in_part = sum(v.in_part for v in verdicts)
    print("%d scenarios: %d passed, %d in part, %d failed, %d skipped" %
          (len(verdicts), len(verdicts) - failed - skipped - in_part, in_part, failed, skipped))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
