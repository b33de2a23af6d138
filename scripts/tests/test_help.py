# SPDX-License-Identifier: GPL-2.0
"""Tests of make help: it fits a terminal, names what the scripts read, and tells what is ignored."""

import os
import re
import subprocess
import unittest
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What scripts tell each other, or what the system or another program sets.
NOT_FOR_USERS = {"HOME", "XDG_CACHE_HOME", "LDFLAGS", "HOST_TESTS", "BUDGET"}


def make(*words, **variables):
    return subprocess.run(["make", "-s", *words], cwd=TOP, env={**os.environ, **variables},
                          capture_output=True, text=True, check=True)


class Help(unittest.TestCase):
    def test_lines_fit(self):
        for line in make("help").stdout.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_names_what_scripts_read(self):
        text = subprocess.run(["git", "grep", "-hoE", r"\$\{[A-Z_]+:[-+]|environment\(\"[A-Z_]+|"
                               r"environ.get\(\"[A-Z_]+", "--", "scripts"], cwd=TOP,
                              capture_output=True, text=True, check=True).stdout
        read = set(re.findall("[A-Z_]{1,}", text)) - NOT_FOR_USERS
        self.assertIn("SEED", read)
        self.assertEqual(read - set(re.findall(r"^  ([A-Z_]+)= ", make("help").stdout, re.M)), set())

    def test_tells_what_is_ignored(self):
        said = make("-n", "demo", "VARIENT=debug", "SEED=2", "PHASES=3 40", VARIANT="debug").stderr
        self.assertEqual(said.split("\n"), ["    make demo: VARIANT= does nothing here",
                                            "    make demo: PHASES= does nothing here",
                                            "    VARIENT= is not known: see make help", ""])
