#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of scripts/proof/scenarios.py and of its list; run by make check."""
import glob
import os
import sys
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "scripts", "proof"))
import scenarios    # noqa: E402

LIST = os.path.join(TOP, "scripts/proof/scenarios.txt")
SUITES = os.path.join(TOP, "kernel/kprobes/tests")
SELFTESTS = os.path.join(TOP, "tools/testing/selftests/kprobes")

TEXT = """# comment
## Chapter

[source 1] something broke
before: badly
now:    well
test:   suite / one
test:   suite / two
"""
CONSOLE = """KTAP version 1
1..1
    KTAP version 1
    # Subtest: suite
    1..3
    ok 1 one
    %s 2 two
    ok 3 twofold
%s 1 suite
"""


def judge(console):
    return scenarios.judge(scenarios.read(TEXT.splitlines())[0],
                           scenarios.results(console.splitlines()))


class Read(unittest.TestCase):
    def test_fields(self):
        one, = scenarios.read(TEXT.splitlines())
        self.assertEqual((one.chapter, one.source, one.title, one.before, one.now, one.tests),
                         ("Chapter", "source 1", "something broke", "badly", "well",
                          ["suite / one", "suite / two"]))

    def test_wrong_line(self):
        with self.assertRaises(ValueError):
            scenarios.read((TEXT + "after: never\n").splitlines())


class Judge(unittest.TestCase):
    def test_passed(self):
        self.assertEqual(judge(CONSOLE % ("ok", "ok")), ([2, 0, 0], []))

    def test_failed(self):
        self.assertEqual(judge(CONSOLE % ("not ok", "not ok")), ([1, 1, 0], []))

    def test_absent(self):
        self.assertEqual(judge(CONSOLE.replace("2 two", "2 other") % ("ok", "ok")),
                         ([1, 0, 0], ["suite / two"]))


class List(unittest.TestCase):
    """Each test that is named is there: one may have been renamed."""
    def setUp(self):
        with open(LIST) as f:
            self.tests = {test for one in scenarios.read(f) for test in one.tests}
        self.sources = []
        for path in glob.glob(SUITES + "/*.c"):
            with open(path) as f:
                self.sources.append(f.read())

    def test_all_have_tests(self):
        with open(LIST) as f:
            for one in scenarios.read(f):
                self.assertTrue(one.tests and one.before and one.now, one.title)

    def test_suites(self):
        for test in self.tests:
            suite, *case = test.split(" / ")
            if not suite.startswith("kprobes_"):
                continue
            source = "".join(s for s in self.sources if '.name = "%s"' % suite in s)
            self.assertTrue(source, suite)
            if case:
                self.assertRegex(source, r"(CASE\w*|C)\((\w+, )?%s\b" % case[0], test)

    def test_selftests(self):
        for test in self.tests:
            group, *rest = test.split(" / ")
            if group == "kselftest kprobes":
                self.assertTrue(os.path.exists(os.path.join(SELFTESTS, rest[0])), test)


if __name__ == "__main__":
    unittest.main()
