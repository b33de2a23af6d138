#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: scenarios.py SCENARIOS CONSOLE...

Prints what became of the tests of each scenario in SCENARIOS (see there) in CONSOLE, the logs of
make test of one or more kernels: some tests need one with preemption. The exit status is 1 if a
test failed, was in no log, or all tests of a scenario were skipped.
"""
import os
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import ktap     # noqa: E402

FIELDS = ("before", "now", "test")


class Scenario:
    def __init__(self, chapter, source, title):
        self.chapter, self.source, self.title = chapter, source, title
        self.before = self.now = ""
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


def results(console):
    """[(path, leaves)] of the tests in a console's log, without groups."""
    found = []
    parser = ktap.Parser(lambda path, indent, leaves, group:
                         group or found.append((path, list(leaves))))
    for line in console:
        parser.feed(line)
    return found


def belongs(path, test):
    return path == test or path.startswith(test + " / ")


def judge(scenario, found):
    """(passed, failed, skipped) of a scenario's tests, and those of them that were not there."""
    total, absent = [0, 0, 0], []
    for test in scenario.tests:
        mine = [leaves for path, leaves in found if belongs(path, test)]
        if not mine:
            absent.append(test)
        for leaves in mine:
            total = [a + b for a, b in zip(total, leaves)]
    return total, absent


def show(scenario, total, absent):
    print(textwrap.fill("%s [%s]" % (scenario.title, scenario.source), 100))
    for name, text in (("before", scenario.before), ("now", scenario.now)):
        print(textwrap.fill(text, 100, initial_indent="    %-7s " % name,
                            subsequent_indent=12 * " "))
    for test in absent:
        print("    absent  " + test)
    print("    tests   %d passed, %d failed, %d skipped\n" % tuple(total))


def main():
    with open(sys.argv[1]) as f:
        scenarios = read(f)
    found = []
    for console in sys.argv[2:]:
        with open(console, errors="replace") as f:
            found += results(f)
    good, chapter = 0, None
    for scenario in scenarios:
        if scenario.chapter != chapter:
            chapter = scenario.chapter
            print("%s\n%s\n" % (chapter, len(chapter) * "="))
        total, absent = judge(scenario, found)
        show(scenario, total, absent)
        good += bool(total[ktap.PASSED]) and not total[ktap.FAILED] and not absent
    print("%d scenarios of %d pass" % (good, len(scenarios)))
    return good < len(scenarios)


if __name__ == "__main__":
    sys.exit(main())
