#!/usr/bin/python3
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


def races(line):
    """Whether a race counts as nobody's of ours, who have hit() and enter.part.0()."""
    machine = qemu.Machine(["true"], os.devnull, ours={"hit", "enter"})
    machine.stop()
    return machine._is_others_race(line)


class Races(unittest.TestCase):
    def test_races_of_ours_count(self):
        self.assertFalse(races("[ 1.0] BUG: KCSAN: data-race in hit / do_idle"))
        self.assertFalse(races("[ 1.0] BUG: KCSAN: data-race in do_idle / enter.part.0"))
        self.assertFalse(races("[ 1.0] BUG: KCSAN: data-race in hit+0x1/0x20"))
        self.assertFalse(races("[ 1.0] BUG: unable to handle page fault"))

    def test_races_of_others_do_not(self):
        self.assertTrue(races("[ 1.0] BUG: KCSAN: data-race in pipe_read / pipe_write"))
        self.assertTrue(races("[ 1.0] BUG: KCSAN: data-race in find_bit+0x1/0x20"))
        self.assertTrue(races("[ 1.0] BUG: KCSAN: data-race in hit / rht_deferred_worker"))


def parse(text):
    results = ktap.Results()
    results.add(text.strip("\n").split("\n"))
    return results


KUNIT = """
[    1.100000] KTAP version 1
[    1.100001] 1..2
[    1.100002]     KTAP version 1
[    1.100003]     # Subtest: kprobes-slots
[    1.100004]     # module: kprobes
[    1.100005]     1..3
[    1.100006]     ok 1 alloc
[    1.100007]         KTAP version 1
[    1.100008]         # Subtest: lookup
[    1.100009]         ok 1 first
[    1.100010]         ok 2 last
[    1.100011]     ok 2 lookup
[    1.100012]     ok 3 perf # SKIP no perf
[    1.100013] # kprobes-slots: pass:2 fail:0 skip:1 total:3
[    1.100014] ok 1 kprobes-slots
[    1.100015]     KTAP version 1
[    1.100016]     # Subtest: kprobes-table
[    1.100017]     1..2
[    1.100018]     # grow: EXPECTATION FAILED at table_kunit.c:7
[    1.100019]     Expected a == b, but
[    1.100020]         a == 1 (0x1)
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
        self.expect(r, 4, 1, 1)
        self.assertEqual(r.skips, [("perf", "no perf")])
        path, lines = r.failures[0]
        self.assertEqual(path, "kprobes-table / grow")
        self.assertIn("EXPECTATION FAILED", lines[0])
        self.assertEqual(r.groups, [("kprobes-slots", 3, 0, 1), ("kprobes-table", 1, 1, 0)])

    def test_missing_results(self):
        r = parse("KTAP version 1\n1..1\n    # Subtest: s\n    1..3\n    ok 1 a\n")
        self.assertEqual(r.passed, 1)
        self.assertTrue(r.failed)

    def test_group_fails_without_a_failed_part(self):
        r = parse("KTAP version 1\n1..1\n    # Subtest: s\n    1..1\n    ok 1 a\nnot ok 1 s # exit=1\n")
        self.assertEqual([path for path, _ in r.failures], ["s"])

    def test_program_that_says_nothing_fails(self):
        self.assertTrue(parse("KTAP version 1\n1..1\n    # Subtest: x\nok 1 x\n").failed)

    def test_skipped_program_with_an_empty_plan(self):
        r = parse("KTAP version 1\n1..1\n    # Subtest: x\n    1..0 # SKIP why\nok 1 x # SKIP\n")
        self.expect(r, 0, 0, 1)

    def test_two_documents(self):
        r = parse("KTAP version 1\n1..1\nok 1 a\nKTAP version 1\n1..1\nok 1 b\n")
        self.expect(r, 2, 0, 0)
        self.assertEqual(r.documents, 2)


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

    def test_passes_then(self):
        results, flaky = self.repeat((3, 0))
        self.assertEqual((results.passed, results.failed, flaky), (1, 0, ["kprobes_0 / x"]))

    def test_fails_again_or_does_not_run(self):
        for outcome in ((3, 1), (0, 0)):
            results, flaky = self.repeat((3, 0), outcome)
            self.assertEqual((results.failed, flaky), (1, ["kprobes_0 / x"]))

    def test_too_many(self):
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

    def test_splats(self):
        for text in ("[ 1.0] WARNING: CPU: 0 PID: 1 at x.c:1 f+0x1/0x2",
                     "[ 1.0] BUG: KASAN: use-after-free in f", "rcu: INFO: rcu_sched detected",
                     "WARNING: possible circular locking dependency detected",
                     "watchdog: BUG: soft lockup - CPU#1 stuck", "Oops: general protection fault"):
            problems = self.run_console(self.MARKED % ("echo '%s'" % text))
            self.assertEqual(len(problems), 1, text)

    def test_expected_splat(self):
        inside = "echo '# expect-splat-begin'; echo 'WARNING: on purpose'; echo %s"
        self.assertEqual(self.run_console(self.MARKED % (inside % "'# expect-splat-end'")), [])
        self.assertEqual(len(self.run_console(self.MARKED % (inside % "x"))), 1)

    def test_only_the_expected_splat(self):
        inside = ("echo '[ 1.0] # expect-splat-begin: WARNING: .* lkdtm_W+'; echo '%s'; "
                  "echo '# expect-splat-end'")
        for text, problems in (("[ 1.0] WARNING: CPU: 0 PID: 1 at b.c:1 lkdtm_W+0x1/0x2", 0),
                               ("[ 1.0] WARNING: CPU: 0 PID: 1 at b.c:1 f+0x1/0x2", 1),
                               ("[ 1.0] BUG: KASAN: use-after-free in lkdtm_W", 1)):
            self.assertEqual(len(self.run_console(self.MARKED % (inside % text))), problems, text)

    def test_one_problem_a_splat(self):
        script = "echo 'BUG: x'; echo 'Oops: y'; echo 'Kernel panic - not syncing'"
        self.assertEqual(len(self.run_console("echo '# guest begin: x';" + script)), 1)

    def test_panic_is_never_expected(self):
        script = "echo '# expect-splat-begin'; echo 'Kernel panic - not syncing'; echo '# expect-splat-end'"
        self.assertEqual(len(self.run_console(self.MARKED % script)), 1)

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
    HAVE = {"CONFIG_KPROBE_EVENTS", "CONFIG_FTRACE_STARTUP_TEST"}

    def passed(self, text):
        return test.startup_tests(text, self.HAVE)[0][1]

    def test_on_one_line(self):
        self.assertTrue(self.passed("[ 1.0] trace_kprobe: Testing kprobe tracing: OK\n"))

    def test_interrupted(self):
        self.assertTrue(self.passed("[ 1.0] trace_kprobe: Testing kprobe tracing: \n"
                                    "[ 1.1] Freeing initrd memory: 4208K\n[ 1.2] OK\n"))

    def test_failed(self):
        for text in ("NG: Some tests are failed.\n", "\n[ 1.1] Freeing\n[ 1.2] NG: Some\n", ""):
            self.assertFalse(self.passed("[ 1.0] trace_kprobe: Testing kprobe tracing: " + text))


if __name__ == "__main__":
    unittest.main()