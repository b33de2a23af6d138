# SPDX-License-Identifier: GPL-2.0
"""Unit tests of touched, in a small repository; run by make check."""
import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DEBUG, S390X, ARM64 = "x86_64 debug", "s390x small", "arm64 small"
ARM, T32, LOONGARCH64 = "arm small", "t32 small", "loongarch64 small"


class Touched(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.git("init", "-q")
        for name in ("common.sh", "touched"):
            os.makedirs(self.path("scripts"), exist_ok=True)
            shutil.copy(os.path.join(SCRIPTS, name), self.path("scripts/" + name))
        self.commit("kernel/kprobes/hit.c", 9)

    def path(self, name):
        return os.path.join(self.dir, name)

    def git(self, *args):
        return subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=m", *args], cwd=self.dir,
                              check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, name, lines):
        """Adds so many lines to a file. Returns the commit."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "a") as f:
            f.write("line\n" * lines)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", name)
        return self.git("rev-parse", "HEAD")

    def said(self, what):
        return " ".join(subprocess.run([self.path("scripts/touched"), what], check=True,
                                       capture_output=True, text=True).stdout.split())

    def test_newest_change_chooses(self):
        self.assertEqual(self.said("second"), DEBUG)
        for name, second in (("arch/arm64/kernel/kprobes.c", ARM64),
                             ("arch/s390/kernel/kprobes.c", S390X),
                             ("arch/loongarch/kernel/kprobes.c", LOONGARCH64),
                             ("arch/sparc/kernel/kprobes.c", "sparc64 small"),
                             ("kernel/kprobes.c", DEBUG),
                             ("kernel/kprobes/tests/arch/s390/sequences.S", S390X),
                             ("include/linux/kprobes.h", DEBUG)):
            self.commit(name, 1)
            self.assertEqual(self.said("second"), second, name)
            # What no kernel is made of, or each test, chooses none.
            self.commit("README.md", 50)
            self.commit("kernel/kprobes/tests/api_kunit.c", 50)
            self.assertEqual(self.said("second"), second, name)

    def test_of_one_commit_the_largest_part_chooses(self):
        self.commit("arch/arm64/kernel/kprobes.c", 70)
        with open(self.path("arch/arm64/kernel/kprobes.c"), "a") as f:
            f.write("more\n")
        self.commit("arch/s390/kernel/kprobes.c", 3)
        self.assertEqual(self.said("second"), S390X)

    def test_branch_that_is_merged(self):
        main = self.git("rev-parse", "--abbrev-ref", "HEAD")
        self.git("checkout", "-q", "-b", "port")
        self.commit("arch/s390/kernel/kprobes.c", 5)
        self.commit("arch/arm64/kernel/kprobes.c", 1)
        self.git("checkout", "-q", main)
        self.commit("kernel/kprobes.c", 5)
        self.git("merge", "-q", "--no-ff", "-m", "merge", "port")
        self.assertEqual(self.said("second"), S390X)

    def test_matrix_chooses(self):
        since = self.commit("arch/arm64/kernel/kprobes.c", 1)
        self.commit("arch/s390/kernel/kprobes.c", 20)
        self.commit("arch/arm64/kernel/kprobes.c", 2)
        self.assertEqual(self.said("second"), ARM64)
        with open(self.path("scripts/matrix.txt"), "w") as f:
            f.write("# commit %s\n" % since)
        self.assertEqual(self.said("second"), S390X)
        self.assertEqual(self.said("ports").split(), ["arm64", "s390x"])

    def test_two_targets_of_a_directory(self):
        since = self.commit("kernel/kprobes.c", 1)
        self.commit("arch/arm/kernel/kprobes.c", 1)
        self.assertEqual(self.said("second"), ARM)
        self.commit("arch/arm/kernel/kprobes-t32.c", 1)
        self.assertEqual(self.said("second"), T32)
        with open(self.path("scripts/matrix.txt"), "w") as f:
            f.write("# commit %s\n" % since)
        self.assertEqual(self.said("ports").split(), ["arm", "t32"])
        with open(self.path("scripts/matrix.txt"), "w") as f:
            f.write("# commit %s\n" % self.git("rev-parse", "HEAD~1"))
        self.assertEqual(self.said("ports").split(), ["t32"])

    def test_ports(self):
        # The core, and without a matrix all that there is.
        self.commit("arch/s390/kernel/kprobes.c", 1)
        self.assertIn("riscv64", self.said("ports").split())
        with open(self.path("scripts/matrix.txt"), "w") as f:
            f.write("# commit %s\n" % self.git("rev-parse", "HEAD"))
        self.assertEqual(self.said("ports"), "")
        self.commit("kernel/kprobes/hit.c", 1)
        self.assertIn("riscv64", self.said("ports").split())


if __name__ == "__main__":
    unittest.main()
