#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of overlay.py, on a small checkout, base and tree; run by make check."""
import os
import shutil
import subprocess
import tempfile
import unittest

OVERLAY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "overlay.py")
OLD = 1000000000


class Overlay(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.write("base/kernel/a.c", "a\n")
        self.write("base/kernel/b.c", "b\n")
        self.write("base/scripts/x", "the kernel's\n")
        self.write("top/kernel/new/ours.c", "1\n")
        self.write("top/scripts/x", "the workflow's\n")
        self.write("patched/kernel/b.c", "b patched\n")
        self.write("patched/.key", "1\n")
        subprocess.run(["git", "init", "-q", self.path("top")], check=True)
        shutil.copytree(self.path("base"), self.path("tree"))

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as f:
            f.write(text)

    def read(self, name):
        with open(self.path(name)) as f:
            return f.read()

    def lay(self):
        done = subprocess.run([OVERLAY] + [self.path(d) for d in ("top", "base", "patched", "tree")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode()

    def age(self, name):
        os.utime(self.path(name), (OLD, OLD))

    def is_old(self, name):
        return os.stat(self.path(name)).st_mtime == OLD

    def test_lays_ours_and_patched(self):
        self.assertEqual(self.lay()[0], 0)
        self.assertEqual(self.read("tree/kernel/new/ours.c"), "1\n")
        self.assertEqual(self.read("tree/kernel/b.c"), "b patched\n")
        self.assertEqual(self.read("tree/scripts/x"), "the kernel's\n")

    def test_touches_only_what_differs(self):
        self.lay()
        for name in ("tree/kernel/new/ours.c", "tree/kernel/b.c", "tree/kernel/a.c"):
            self.age(name)
        self.write("top/kernel/new/ours.c", "2\n")
        self.lay()
        self.assertFalse(self.is_old("tree/kernel/new/ours.c"))
        self.assertTrue(self.is_old("tree/kernel/b.c"))
        self.assertTrue(self.is_old("tree/kernel/a.c"))

    def test_takes_back(self):
        self.lay()
        os.unlink(self.path("top/kernel/new/ours.c"))
        os.unlink(self.path("patched/kernel/b.c"))
        self.age("tree/kernel/b.c")
        self.assertEqual(self.lay()[0], 0)
        self.assertFalse(os.path.exists(self.path("tree/kernel/new")))
        self.assertEqual(self.read("tree/kernel/b.c"), "b\n")
        self.assertFalse(self.is_old("tree/kernel/b.c"))

    def test_executable_bit(self):
        self.lay()
        os.chmod(self.path("top/kernel/new/ours.c"), 0o755)
        self.lay()
        self.assertTrue(os.access(self.path("tree/kernel/new/ours.c"), os.X_OK))

    def test_edits_in_the_tree_are_kept(self):
        self.lay()
        self.write("tree/kernel/b.c", "b edited\n")
        self.write("top/kernel/new/ours.c", "2\n")
        status, text = self.lay()
        self.assertEqual(status, 1)
        self.assertIn("kernel/b.c", text)
        self.assertEqual(self.read("tree/kernel/b.c"), "b edited\n")
        self.assertEqual(self.read("tree/kernel/new/ours.c"), "1\n")

    def test_refuses_files_of_the_base(self):
        self.write("top/kernel/a.c", "ours\n")
        status, text = self.lay()
        self.assertEqual(status, 1)
        self.assertIn("kernel/a.c", text)


if __name__ == "__main__":
    unittest.main()
