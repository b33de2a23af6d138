# SPDX-License-Identifier: GPL-2.0
"""Unit tests of ktap.py, qemu.py and test.py; run by make check."""
import contextlib
import io
import os
import re
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import ktap     # noqa: E402
import qemu     # noqa: E402
import test     # noqa: E402


def parse(text):
    results = ktap.Results()
    results.add(text.strip("\n").split("\n"))
    return results


KUNIT = """
[    1.100000] KTAP version 1
[    1.100001] 1..2
[    1.100003]     # Subtest: kprobes-slots
[    1.100005]     1..2
[    1.100007]         KTAP version 1
[    1.100008]         # Subtest: lookup
[    1.100009]         ok 1 first
[    1.100010]         ok 2 last
[    1.100011]     ok 1 lookup
[    1.100012]     ok 2 perf # SKIP no perf
[    1.100013] # kprobes-slots: pass:1 fail:0 skip:1 total:2
[    1.100014] ok 1 kprobes-slots
[    1.100016]     # Subtest: kprobes-table
[    1.100017]     1..2
[    1.100018]     # grow: EXPECTATION FAILED at table_kunit.c:7
[    1.100021]     not ok 1 grow
[    1.100022]     ok 2 find
[    1.100023] not ok 2 kprobes-table
"""


class Ktap(unittest.TestCase):
    def expect(self, results, passed, failed, skipped):
        self.assertEqual((results.passed, results.failed, results.skipped),
                         (passed, failed, skipped), results.failures)

    def test_kunit_counts_leaves(self):
        r = parse(KUNIT)
        self.expect(r, 3, 1, 1)
        self.assertEqual(r.skips, [("perf", "no perf")])
        path, lines = r.failures[0]
        self.assertEqual(path, "kprobes-table / grow")
        self.assertIn("EXPECTATION FAILED", lines[0])
        self.assertEqual(r.groups, [("kprobes-slots", 2, 0, 1), ("kprobes-table", 1, 1, 0)])

    def test_one_program(self):
        head = "KTAP version 1\n1..1\n    # Subtest: s\n"
        # Results are missing; the program fails though its parts pass; it says nothing.
        for said in "    1..3\n    ok 1 a\n", "    1..1\n    ok 1 a\nnot ok 1 s # exit=1\n", "ok 1 s\n":
            self.assertTrue(parse(head + said).failed, said)
        self.expect(parse(head + "    1..0 # SKIP why\nok 1 s # SKIP\n"), 0, 0, 1)

    def test_two_documents(self):
        r = parse("KTAP version 1\n1..1\nok 1 a\nKTAP version 1\n1..1\nok 1 b\n")
        self.expect(r, 2, 0, 0)
        self.assertEqual(r.documents, 2)


class Skips(unittest.TestCase):
    LOG = """
KTAP version 1
1..2
    # Subtest: a
    1..3
    ok 1 first # SKIP no perf
        # Subtest: group
        ok 1 part # SKIP no NMI
    ok 2 group # SKIP
    ok 3 last # SKIP
ok 1 a
    1..0 # SKIP no staprun
ok 2 b.sh # SKIP
"""
    FOUND = [("first", "no perf"), ("part", "no NMI"), ("last", ""), ("b.sh", "no staprun")]
    LIST = ["# comment\n", "run small: no perf\n", "run: no NMI\n", "small: no: CPU\n", "run: last\n", "run: no staprun\n"]

    def test_who_was_skipped(self):
        self.assertEqual(parse(self.LOG).skips, self.FOUND)

    def test_variants(self):
        self.assertEqual(test.read_skips("s390x-small", self.LIST), {"no perf", "no: CPU"})
        self.assertEqual(test.read_skips("s390x", self.LIST), {"no perf", "no NMI", "last", "no staprun"})
        self.assertTrue(test.skips_file("s390x-small").endswith("/arch/s390x.skips"))

    def judged(self, listed, whole):
        results = ktap.Results()
        results.skips = self.FOUND
        test.judge_skips(results, listed, whole, "LIST")
        return [path for path, _ in results.failures]

    def test_only_what_is_listed(self):
        listed = test.read_skips("s390x", self.LIST)
        self.assertEqual(self.judged(listed, True), [])
        self.assertEqual(self.judged(listed - {"no NMI", "last"}, False), [
            "last was skipped: last: mend that, or list the reason in LIST",
            "part was skipped: no NMI: mend that, or list the reason in LIST"])
        self.assertEqual(self.judged(listed | {"no: CPU"}, False), [])
        self.assertEqual(self.judged(listed | {"no: CPU"}, True), [
            "nothing was skipped any more for this reason: no: CPU: take it out of LIST"])


class Again(unittest.TestCase):
    COMMAND = ["qemu", "-seed", "1", "-append", "console=x -- test"]

    def test_which_suites_can_run_alone(self):
        for path, words in (
                ("kprobes_table / grow", "console=x kunit.filter_glob=kprobes_table -- boot"),
                ("kselftest kprobes / knobs.sh / a",
                 "console=x kunit.enable=0 ftrace=nop -- test kprobes/knobs.sh"),
                ("ftracetest / kprobe / 3 x", "console=x kunit.enable=0 ftrace=nop -- test ftrace/kprobe")):
            self.assertEqual(test.alone(self.COMMAND, path),
                             ["qemu", "-seed", "2", "-append", words])
        self.assertIsNone(test.alone(self.COMMAND, "the kernel said: BUG: x"))

    def repeat(self, *outcomes):
        """Repeats as many suites, which end so."""
        results = ktap.Results()
        for i, _ in enumerate(outcomes):
            results.fail("kprobes_%d / x" % i)

        class Run:
            left = list(outcomes)

            def __init__(self, *_):
                self.results = ktap.Results()

            def watch(self, _):
                self.results.passed, self.results.failed = Run.left.pop(0)
        out = io.StringIO()
        with unittest.mock.patch.object(test, "Run", Run), contextlib.redirect_stdout(out):
            test.repeat(results, self.COMMAND, "x.log", "", test.Progress())
        return results, re.findall("^FLAKY (.*)$", out.getvalue(), re.M)

    def test_those_that_pass_then_are_no_failures(self):
        # The second one fails again, or does not run.
        for outcome in ((3, 1), (0, 0)):
            results, flaky = self.repeat((3, 0), outcome)
            self.assertEqual((results.passed, results.failed, flaky), (1, 1, ["kprobes_0 / x"]))
        results, flaky = self.repeat(*[(3, 0)] * (test.MOST_REPEATED + 1))
        self.assertEqual((results.failed, flaky), (test.MOST_REPEATED + 1, []))


class Console(unittest.TestCase):
    """Machines made of a shell script."""

    def run_console(self, script, **limits):
        with tempfile.TemporaryDirectory() as d:
            machine = qemu.Machine(["sh", "-c", script], os.path.join(d, "log"), **limits)
            lines = list(machine.lines())
            with open(os.path.join(d, "log")) as f:
                self.assertEqual(len(f.read().split("\n")) - 1, len(lines))
        return machine.problems

    MARKED = "echo '# guest begin: x'; %s; echo '# guest end: x'"

    def test_clean(self):
        self.assertEqual(self.run_console(self.MARKED % "printf 'a\\r\\nb\\n'"), [])

    def expect(self, problems, *lines, **limits):
        """So many problems has a guest that prints these lines."""
        script = "; ".join("echo '%s'" % line for line in lines)
        self.assertEqual(len(self.run_console(self.MARKED % script, **limits)), problems, lines)

    def test_splats(self):
        for text in ("[ 1.0] WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2",
                     "[ 1.0] BUG: KASAN: use-after-free in f", "rcu: INFO: rcu_sched detected",
                     "WARNING: possible circular locking dependency detected",
                     "watchdog: BUG: soft lockup - CPU#1 stuck", "Oops: general protection fault"):
            self.expect(1, text)
        self.expect(1, "BUG: x", "Oops: y", "Kernel panic - not syncing")

    def test_expected_splats(self):
        begin, end = "[ 1.0] # expect-splat-begin", "# expect-splat-end"
        self.expect(0, begin, "WARNING: on purpose", end)
        self.expect(1, begin, "WARNING: on purpose")
        self.expect(1, begin, "Kernel panic - not syncing", end)
        for text, problems in (("[ 1.0] WARNING: CPU: 0 PID: 1 at b.c:1 lkdtm_W+0x1/0x2", 0),
                               ("[ 1.0] WARNING: CPU: 0 PID: 1 at b.c:1 f+0x1/0x2", 1),
                               ("[ 1.0] BUG: KASAN: use-after-free in lkdtm_W", 1)):
            self.expect(problems, begin + ": WARNING: .* lkdtm_W+", text, end)

    def test_splats_while_the_guest_shuts_down(self):
        """Nothing of it is left then that could end what is expected."""
        begin = self.MARKED % ":" + "; echo '# expect-splat-begin: WARNING: .* f'; echo '%s'"
        self.assertEqual(self.run_console(begin % "[ 2.0] reboot: Restarting system"), [])
        self.assertEqual(self.run_console(begin % "WARNING: at f"), [])
        self.assertEqual(len(self.run_console(begin % "WARNING: at g")), 1)

    def test_races(self):
        """Those of ours count, who have hit() and enter.part.0()."""
        for where, problems in (("hit / do_idle", 1), ("do_idle / enter.part.0", 1), ("hit+0x1/0x20", 1),
                                ("pipe_read / pipe_write", 0), ("find_bit+0x1/0x20", 0),
                                ("hit / rht_deferred_worker", 0)):
            self.expect(problems, "[ 1.0] BUG: KCSAN: data-race in " + where, ours={"hit", "enter"})

    def test_hang(self):
        problems = self.run_console("echo '# guest begin: x'; while :; do :; done", silence=1)
        self.assertIn("no output while the emulator computed for 1 s: hung", problems)

    def test_clock_that_stands_still(self):
        problems = self.run_console("echo '# guest begin: x'; exec sleep 60", still=1)
        self.assertIn("the guest's clock stands still: the emulator was idle for 1 s", problems)

    def test_emulator_that_stays_after_the_guest(self):
        script = self.MARKED % ":" + "; echo '[    2.0] reboot: %s'; exec sleep 60"
        with unittest.mock.patch.object(qemu, "LAST_WORDS", 1):
            self.assertEqual(self.run_console(script % "Restarting system"), [])
            self.assertEqual(len(self.run_console(script % "what", still=1)), 1)

    def test_died(self):
        self.assertEqual(self.run_console("echo '# guest begin: x'"),
                         ["the guest stopped before its end marker"])
        self.assertEqual(self.run_console("echo x"),
                         ["the guest never came to its first process"])


class StartupTests(unittest.TestCase):
    def test_kprobe_events(self):
        have = {"CONFIG_KPROBE_EVENTS", "CONFIG_FTRACE_STARTUP_TEST"}
        for said, passed in (("OK\n", True), ("\n[ 1.1] Freeing initrd memory: 4208K\n[ 1.2] OK\n", True),
                             ("NG: Some tests are failed.\n", False),
                             ("\n[ 1.1] Freeing\n[ 1.2] NG: Some\n", False), ("", False)):
            text = "[ 1.0] trace_kprobe: Testing kprobe tracing: " + said
            self.assertEqual(test.startup_tests(text, have)[0][1], passed, said)
