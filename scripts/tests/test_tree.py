# SPDX-License-Identifier: GPL-2.0
"""Unit tests of tree, refresh-patch and series, on a small base and checkout; run by make check."""
import glob
import os
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
OLD = 1000000000
NAMES = "a.c", "b.c", "again.c", "new/ours.c"
LINES = "".join("line %d\n" % i for i in range(9))
PATCH = ("Subject: b: Change it\n\nBecause.\n---\n--- a/kernel/b.c\n+++ b/kernel/b.c\n"
         "@@ -5,3 +5,3 @@\n line 4\n-line 5\n+line five\n line 6\n")


class Tree(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        for name in ("a.c", "b.c", "gone.c", "again.c"):
            self.write("base/kernel/" + name, LINES.replace("line", name) if "g" in name else LINES)
        self.write("base/scripts/x", "the kernel's\n")
        self.git("init", "-q", "-b", "base", "base")
        self.git("-C", "base", "add", "-A")
        self.git("-C", "base", "commit", "-q", "-m", "base")
        self.git("init", "-q", "top")
        for name in ("common.sh", "own.sh", "tree", "series", "refresh-patch", "arch"):
            copy = shutil.copytree if name == "arch" else shutil.copy
            os.makedirs(self.path("top/scripts"), exist_ok=True)
            copy(os.path.join(SCRIPTS, name), self.path("top/scripts/" + name))
        self.write("top/scripts/base", "#!/bin/sh\necho %s\n" % self.path("base/.git"), 0o755)
        self.write("top/scripts/strip-list.txt", "kernel/again.c\nkernel/g*.c\n")
        self.write("top/patches/series", "first.patch kernel/again.c\nb.patch kernel\n")
        self.write("top/patches/first.patch", "Subject: Take out\n\nIt is old.\n")
        self.write("top/patches/b.patch", PATCH)
        self.write("top/patches/cover-letter", "Subject: All\n\nFor {version}.\n")
        self.write("top/.gitignore", "/build/\n")
        self.write("top/kernel/again.c", "new\n")
        self.write("top/kernel/new/ours.c", "1\n")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o644):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as f:
            f.write(text)
        os.chmod(self.path(name), mode)

    def read(self, name):
        with open(self.path(name)) as f:
            return f.read()

    def built(self, name):
        return self.read("top/build/linux/" + name)

    def git(self, *args):
        done = subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=m", *args], cwd=self.dir,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.decode()

    def succeed(self, script, *args, status=0):
        done = subprocess.run([self.path("top/scripts/" + script), *args], cwd=self.dir,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def fail_with(self, words, *args):
        self.assertIn(words, self.succeed(*args, status=1))

    def age(self):
        for name in NAMES:
            os.utime(self.path("top/build/linux/kernel/" + name), (OLD, OLD))

    def rewritten(self):
        return [n for n in NAMES if os.stat(self.path("top/build/linux/kernel/" + n)).st_mtime != OLD]

    def test_assembles(self):
        self.succeed("tree")
        self.assertEqual(self.built("kernel/a.c"), LINES)
        self.assertEqual(self.built("kernel/b.c"), LINES.replace("line 5", "line five"))
        self.assertEqual(self.built("kernel/again.c"), "new\n")
        self.assertEqual(self.built("kernel/new/ours.c"), "1\n")
        self.assertEqual(self.built("scripts/x"), "the kernel's\n")
        self.assertFalse(os.path.exists(self.path("top/build/linux/kernel/gone.c")))

    def test_writes_only_what_differs(self):
        self.succeed("tree")
        self.age()
        self.assertEqual(self.succeed("tree"), "")
        self.assertEqual(self.rewritten(), [])
        self.write("top/kernel/new/ours.c", "2\n", 0o755)
        self.succeed("tree")
        self.assertEqual(self.rewritten(), ["new/ours.c"])
        self.assertTrue(os.access(self.path("top/build/linux/kernel/new/ours.c"), os.X_OK))
        self.age()
        self.write("top/patches/b.patch", PATCH.replace("five", "FIVE"))
        self.succeed("tree")
        self.assertEqual(self.rewritten(), ["b.c"])

    def test_takes_back(self):
        self.succeed("tree")
        os.unlink(self.path("top/kernel/new/ours.c"))
        self.write("top/patches/series", "first.patch kernel/again.c\n")
        self.succeed("tree")
        self.assertFalse(os.path.exists(self.path("top/build/linux/kernel/new")))
        self.assertEqual(self.built("kernel/b.c"), LINES)

    def test_failing_patch(self):
        self.succeed("tree")
        self.write("top/patches/b.patch", PATCH.replace("-line 5", "-line x"))
        self.write("top/kernel/new/ours.c", "2\n")
        self.fail_with("patches/b.patch does not apply", "tree")
        self.assertEqual(self.built("kernel/b.c"), LINES.replace("line 5", "line five"))
        self.assertEqual(self.built("kernel/new/ours.c"), "1\n")

    def test_edits_are_kept(self):
        self.succeed("tree")
        self.write("top/build/linux/kernel/a.c", "edited\n")
        self.write("top/kernel/new/ours.c", "2\n")
        self.fail_with("kernel/a.c", "tree")
        self.assertEqual(self.built("kernel/a.c"), "edited\n")
        self.assertEqual(self.built("kernel/new/ours.c"), "1\n")
        os.unlink(self.path("top/build/linux/kernel/a.c"))
        self.succeed("tree")
        self.assertEqual(self.built("kernel/a.c"), LINES)

    def test_interrupted(self):
        self.succeed("tree")
        self.write("top/kernel/new/ours.c", "2\n")
        self.write("top/kernel/new/more.c", "3\n")
        for name in ("ours.c", "more.c"):
            shutil.copy(self.path("top/kernel/new/" + name), self.path("top/build/linux/kernel/new/"))
        self.write("top/build/linux.git/index.lock", "")
        self.succeed("tree")
        self.assertEqual(self.built("kernel/new/more.c"), "3\n")

    def test_files_that_are_the_bases_or_nobodys(self):
        self.write("top/lib/x.c", "x\n")
        self.fail_with("lib/x.c", "series", "x86_64")
        self.write("top/kernel/a.c", "ours\n")
        self.fail_with("kernel/a.c", "tree")
        self.write("top/scripts/strip-list.txt", "kernel/gone.c\nkernel/nowhere.c\n")
        self.fail_with("nowhere.c", "tree")

    def test_refresh(self):
        self.succeed("tree")
        self.write("top/build/linux/kernel/b.c", LINES.replace("line 5", "line fünf"))
        self.write("top/build/linux/kernel/a.c", LINES.replace("line 1", "line one"))
        self.age()
        self.succeed("refresh-patch", "b.patch")
        self.assertEqual(self.succeed("tree"), "")
        self.assertEqual(self.rewritten(), [])
        text = self.read("top/patches/b.patch")
        self.assertTrue(text.startswith(PATCH[:PATCH.index("+++")].replace("b.c", "a.c")), text)
        self.assertIn("+line fünf\n", text)

    def test_series(self):
        self.succeed("series", "x86_64")
        mails = sorted(glob.glob(self.path("top/build/series/*.patch")))
        text = "".join(self.read(m) for m in mails)
        self.assertEqual(len(mails), 3)
        self.assertIn("Subject: [PATCH 2/2] b: Change it", text)
        self.assertIn("+new\n", text)
        self.assertNotRegex(text, "gone.c [0-9]|again.c [0-9]")
        # Only what was meant is deleted.
        self.write("base/kernel/gone.c", "other\n")
        self.git("-C", "base", "commit", "-q", "-a", "-m", "other")
        done = subprocess.run(["git", "-C", self.path("base"), "apply", "--index", mails[1]],
                              stderr=subprocess.PIPE)
        self.assertIn(b"gone.c", done.stderr)
