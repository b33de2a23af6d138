#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of .ci/run, with a make that says what it is told to; run by make check."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MAKE = """#!/bin/sh
echo "$@" >>"$TOLD"
echo "3 passed, 0 failed, 1 skipped"
"""
KERNELS = ["VARIANT=" + variant for variant in (
    "debug", "preempt", "clang", "fineibt", "noibt", "noftrace", "framepointer", "stuff", "rt",
    "kcsan", "kasan", "defconfig")] + ["ARCH=riscv64 VARIANT=preempt", "ARCH=arm64 VARIANT=preempt",
                              "ARCH=arm64 VARIANT=clang"]
NAMES = [re.sub("ARCH=|VARIANT=", "", kernel).replace(" ", "-") for kernel in KERNELS]


class Run(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        for name in (".ci/run", "scripts/common.sh"):
            os.makedirs(os.path.dirname(self.path("tree/" + name)), exist_ok=True)
            shutil.copy(os.path.join(TOP, name), self.path("tree/" + name))
        os.mkdir(self.path("bin"))
        self.make(MAKE)

    def path(self, name):
        return os.path.join(self.dir, name)

    def make(self, text):
        with open(self.path("bin/make"), "w") as f:
            f.write(text)
        os.chmod(self.path("bin/make"), 0o755)

    def stamp(self, variant, when):
        os.makedirs(self.path("cache/kprobes"), exist_ok=True)
        with open(self.path("cache/kprobes/ci-" + variant), "w"):
            pass
        os.utime(self.path("cache/kprobes/ci-" + variant), (when, when))

    def run_ci(self, seconds=0):
        """Returns the status, the closing line, and which variants were tested."""
        with open(self.path("told"), "w"):
            pass
        env = dict(os.environ, PATH=self.path("bin") + ":" + os.environ["PATH"],
                   XDG_CACHE_HOME=self.path("cache"), TOLD=self.path("told"),
                   SECONDS=str(seconds))
        done = subprocess.run([self.path("tree/.ci/run")], env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(self.path("told")) as f:
            tested = re.findall(r"^test (.*VARIANT=\w+)(?: SUITES=kprobes)?$", f.read(), re.M)
        return done.returncode, done.stdout.splitlines()[-1], tested

    def test_all(self):
        status, last, tested = self.run_ci()
        self.assertEqual((status, tested), (0, KERNELS))
        self.assertEqual(last, "60 passed, 0 failed, 20 skipped")

    def test_where_the_sweep_begins(self):
        path = self.path("cache/kprobes/ci-proof")
        for before, after in ((None, "1"), ("23", "23")):
            if before:
                with open(path, "w") as f:
                    f.write(before)
            self.run_ci(seconds=3300)
            with open(path) as f:
                self.assertEqual(f.read().strip(), after)

    def test_left_out_are_skipped(self):
        status, last, tested = self.run_ci(seconds=3300)
        self.assertEqual((status, tested), (0, []))
        self.assertEqual(last, "15 passed, 0 failed, 20 skipped")

    def test_slow_ones_need_more_time(self):
        _, _, tested = self.run_ci(seconds=2500)
        slow = ["VARIANT=debug", "VARIANT=kcsan", "VARIANT=kasan"]
        self.assertEqual(tested, [k for k in KERNELS if k not in slow])

    def test_slow_ones_run_without_ftraces_tests(self):
        self.run_ci()
        with open(self.path("told")) as f:
            self.assertEqual(re.findall(r"^test VARIANT=(\w+) SUITES=kprobes$", f.read(), re.M),
                             ["debug", "kcsan", "kasan"])

    def test_commits_change_which_is_first(self):
        git = ["git", "-C", self.path("tree"), "-c", "user.name=a", "-c", "user.email=a"]
        subprocess.run(git + ["init", "-q"], check=True)
        for n in (1, 2):
            subprocess.run(git + ["commit", "-q", "--allow-empty", "-m", "-"], check=True)
            self.assertEqual(self.run_ci()[2], KERNELS[n:] + KERNELS[:n])
            shutil.rmtree(self.path("cache"))

    def test_not_run_for_longest_come_first(self):
        self.stamp("debug", 3000)
        self.stamp("preempt", 2000)
        self.stamp("kcsan", 1000)
        _, _, tested = self.run_ci()
        stamped = ["VARIANT=kcsan", "VARIANT=preempt", "VARIANT=debug"]
        self.assertEqual(tested, [k for k in KERNELS if k not in stamped] + stamped)

    def test_each_port_is_tested(self):
        os.mkdir(self.path("tree/scripts/arch"))
        for arch in ("arm64", "i386", "riscv64", "x86_64"):
            with open(self.path("tree/scripts/arch/%s.sh" % arch), "w"):
                pass
        self.run_ci()
        with open(self.path("told")) as f:
            self.assertEqual(re.findall(r"^test ARCH=(\w+)$", f.read(), re.M),
                             ["i386", "arm64", "riscv64"])

    def test_stamps(self):
        self.stamp("debug", 1000)
        self.stamp("kcsan", 2000)
        self.run_ci(seconds=3300)
        self.assertEqual(os.stat(self.path("cache/kprobes/ci-kcsan")).st_mtime, 2000)
        self.run_ci()
        for name in NAMES:
            self.assertGreater(os.stat(self.path("cache/kprobes/ci-" + name)).st_mtime, 2000)

    def test_ended_is_skipped(self):
        self.make('#!/bin/sh\ncase $* in *=preempt*) exit 124;; esac\n'
                  'echo "3 passed, 0 failed, 1 skipped"\n')
        status, last, _ = self.run_ci()
        self.assertEqual((status, last), (0, "51 passed, 0 failed, 20 skipped"))
        self.assertFalse(os.path.exists(self.path("cache/kprobes/ci-preempt")))
        self.assertTrue(os.path.exists(self.path("cache/kprobes/ci-debug")))

    def test_ended_after_a_failure_fails(self):
        self.make('#!/bin/sh\ncase $* in *=rt*) echo "a suite  1 passed, 1 failed"; exit 124;; esac\n'
                  'echo "3 passed, 0 failed, 1 skipped"\n')
        status, last, _ = self.run_ci()
        self.assertEqual((status, last), (1, "57 passed, 1 failed, 19 skipped"))

    def test_kernels_end_in_time(self):
        with open(self.path("bin/timeout"), "w") as f:
            f.write('#!/bin/sh\necho "seconds $3" >>"$TOLD"\nexit 124\n')
        os.chmod(self.path("bin/timeout"), 0o755)
        status, last, _ = self.run_ci(seconds=3000)
        self.assertEqual((status, last), (0, "15 passed, 0 failed, 20 skipped"))
        with open(self.path("told")) as f:
            seconds = [int(line.split()[1]) for line in f if line.startswith("seconds")]
        self.assertTrue(seconds and all(1400 <= s <= 1500 for s in seconds), seconds)

    def test_failures(self):
        self.make("#!/bin/sh\nexit 1\n")
        status, last, _ = self.run_ci()
        self.assertEqual((status, last), (1, "0 passed, 20 failed, 0 skipped"))


if __name__ == "__main__":
    unittest.main()
