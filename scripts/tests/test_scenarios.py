#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of scripts/proof/scenarios.py and of its list; run by make check."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "scripts"))
sys.path.insert(0, os.path.join(TOP, "scripts", "proof"))
import scenarios    # noqa: E402
import suites       # noqa: E402
import test         # noqa: E402

LIST = os.path.join(TOP, "scripts/proof/scenarios.txt")
RESULTS = os.path.join(TOP, "scripts/proof/results/scenarios.txt")
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


SKIPPED = """KTAP version 1
1..2
    KTAP version 1
    # Subtest: suite
    1..2
    ok 1 one # SKIP no such CPU
    ok 2 two # SKIP no such CPU
ok 1 suite
"""


def verdict(*consoles):
    return scenarios.Verdict(scenarios.read(TEXT.splitlines())[0],
                             [scenarios.Log(text.splitlines()) for text in consoles])


def table(*consoles):
    return "\n".join(scenarios.table([verdict(*consoles)]))


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
        self.assertEqual(verdict(CONSOLE % ("ok", "ok")).word(), "passed")

    def test_failed(self):
        self.assertEqual(verdict(CONSOLE % ("not ok", "not ok")).word(), "FAILED")

    def test_absent(self):
        text = CONSOLE.replace("2 two", "2 other") % ("ok", "ok")
        self.assertEqual(verdict(text).word(), "FAILED")
        self.assertIn("suite / two: did not run", table(text))

    def test_name_is_not_a_prefix(self):
        text = CONSOLE.replace("%s 2 two", "%s 2 twos") % ("ok", "ok")
        self.assertEqual(verdict(text).word(), "FAILED")

    def test_skipped(self):
        self.assertEqual(verdict(SKIPPED).word(), "skipped")
        self.assertIn("suite / one: 1 skipped (no such CPU)", table(SKIPPED))

    def test_in_part(self):
        self.assertEqual(verdict((CONSOLE % ("ok", "ok")).replace("2 two", "2 two # SKIP why")).word(),
                         "passed in part")

    def test_several_kernels(self):
        self.assertEqual(verdict(SKIPPED, CONSOLE % ("ok", "ok")).word(), "passed")
        self.assertEqual(verdict(SKIPPED, CONSOLE % ("not ok", "not ok")).word(), "FAILED")

    def test_table(self):
        text = table(CONSOLE % ("ok", "ok"))
        for part in ("Chapter\n=======", "passed: something broke [source 1]", "before  badly",
                     "now     well", "test    suite / two: 1 passed"):
            self.assertIn(part, text)


class Program(unittest.TestCase):
    """The exit status is what makes a run fail."""
    def run_it(self, console):
        with tempfile.TemporaryDirectory() as d:
            for name, text in (("list", TEXT), ("log", console)):
                with open(os.path.join(d, name), "w") as f:
                    f.write(text)
            return subprocess.run([scenarios.__file__, os.path.join(d, "list"),
                                   os.path.join(d, "log")], stdout=subprocess.PIPE, text=True)

    def test_status(self):
        done = self.run_it(CONSOLE % ("ok", "ok"))
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.endswith("1 scenarios: 1 passed, 0 in part, 0 failed, 0 skipped\n"))
        self.assertEqual(self.run_it(SKIPPED).returncode, 0)
        self.assertEqual(self.run_it(CONSOLE % ("not ok", "not ok")).returncode, 1)
        self.assertEqual(self.run_it("").returncode, 1)


class MakeTest(unittest.TestCase):
    """What make test makes of it: the table, and a failure for each scenario that failed."""
    def test_all_are_absent(self):
        with tempfile.TemporaryDirectory() as d:
            log, table = os.path.join(d, "log"), os.path.join(d, "proof", "table")
            with open(log, "w") as f:
                f.write(CONSOLE % ("ok", "ok"))
            failed = test.scenarios(table, [log])
            with open(LIST) as f:
                self.assertEqual(len(failed), len(scenarios.read(f)))
            with open(table) as f:
                self.assertIn(failed[0], f.read())


class List(unittest.TestCase):
    """Each test that is named is there: one may have been renamed."""
    def setUp(self):
        with open(LIST) as f:
            self.tests = {test for one in scenarios.read(f) for test in one.tests}
        self.sources = []
        for path in glob.glob(SUITES + "/**/*.c", recursive=True):
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

    def test_results(self):
        """The table that is kept has the same scenarios."""
        with open(LIST) as f:
            wanted = {one.source for one in scenarios.read(f)}
        with open(RESULTS) as f:
            kept = " ".join(f.read().split())
        for source in wanted:
            self.assertIn("[%s]" % source, kept)

    def test_selftests(self):
        for test in self.tests:
            group, *rest = test.split(" / ")
            if group == "kselftest kprobes":
                # A script, or a program.
                path = os.path.join(SELFTESTS, rest[0])
                self.assertTrue(os.path.exists(path) or os.path.exists(path + ".c"), test)


class Suites(unittest.TestCase):
    """Parts of the proof that are suites: suites.py."""

    def judge(self, *left_out, result="ok"):
        names = [path for _, path in suites.SUITES if " / " not in path and path not in left_out]
        lines = ["KTAP version 1"]
        for number, name in enumerate(names, 1):
            lines += ["    # Subtest: " + name, "    1..1", "    %s 1 case" % result,
                      "%s %d %s" % (result, number, name)]
        lines += ["    # Subtest: kselftest kprobes", "    1..1", "    ok 1 fuzz.sh",
                  "ok %d kselftest kprobes" % (len(names) + 1)]
        return suites.rows([scenarios.Log(lines)])

    def test_all_have_run(self):
        rows, good = self.judge()
        self.assertTrue(good)
        self.assertEqual([row[2:] for row in rows], [[1, 0, 0]] * len(suites.SUITES))

    def test_one_did_not_run(self):
        rows, good = self.judge("kprobes_unwind")
        self.assertFalse(good)
        self.assertIn("did not run", [row[2] for row in rows])

    def test_one_has_failed(self):
        self.assertFalse(self.judge(result="not ok")[1])


if __name__ == "__main__":
    unittest.main()
