#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of series.py: mails that do not show what they delete; run by make check."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import series     # noqa: E402

OLD = "".join("old line %d\n" % i for i in range(50))
NEW = "".join("new line %d\n" % i for i in range(50))


class Mails(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.git("init", "-q")
        self.write("gone.c", OLD)
        self.write("gone.sh", OLD.replace("old", "older"), 0o755)
        self.write("again.h", OLD.replace("old", "oldest"))
        self.write("alike.h", OLD)
        self.write("kept.c", "first\nsecond\nthird\n")
        self.commit("base")
        self.git("tag", "base")
        os.unlink(self.path("gone.c"))
        os.unlink(self.path("gone.sh"))
        self.write("again.h", NEW)
        self.write("alike.h", OLD.replace("old line 7\n", "other\n"))
        self.write("kept.c", "first\n2\nthird\n")
        self.write("latin", b"-- \n\xe4\n")
        self.commit("replace")
        self.write("kept.c", "first\n2\n3\n")
        self.commit("change")
        self.git("format-patch", "-q", *series.FORMAT[:-3], "-o", self.path("mails"), "base")
        for mail in self.mails():
            series.rewrite(self.git, mail, {"alike.h": self.git("rev-parse", "base:alike.h")})

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(self.path(name), mode)

    def git(self, *args):
        done = subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=m"] + list(args),
                              cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout.decode().strip()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        self.wanted = self.git("rev-parse", "HEAD^{tree}")

    def mails(self):
        return sorted(glob.glob(self.path("mails/*.patch")))

    def applied(self, mails):
        self.git("checkout", "-q", "base")
        self.git("am", "-q", *mails)
        return self.git("rev-parse", "HEAD^{tree}")

    def test_apply(self):
        self.assertEqual(self.applied(self.mails()), self.wanted)

    def test_missing_patch(self):
        self.assertNotEqual(self.applied(self.mails()[:-1]), self.wanted)

    def test_only_what_was_meant_is_deleted(self):
        self.git("checkout", "-q", "base")
        self.write("gone.c", OLD + "more\n")
        self.commit("other base")
        done = subprocess.run(["git", "apply", "--index", self.mails()[0]], cwd=self.dir,
                              stderr=subprocess.PIPE)
        self.assertIn(b"gone.c", done.stderr)

    def test_old_lines_are_not_shown(self):
        old = {"gone.c", "gone.sh", "again.h", "alike.h"}
        for mail in self.mails():
            self.assertEqual(series.printed_old_lines(mail, old), [])
        with open(self.mails()[0], errors="replace") as f:
            self.assertNotRegex(f.read(), "older|oldest|old line 7\\b")

    def test_old_lines_are_found(self):
        self.assertEqual(series.printed_old_lines(self.mails()[0], {"kept.c"}),
                         ["0001-replace.patch: kept.c"])


if __name__ == "__main__":
    unittest.main()
