# SPDX-License-Identifier: GPL-2.0
"""scripts/litmus.py finds what herd7 has found of the kernel's own litmus tests; run by make check."""
import contextlib
import glob
import io
import os
import sys
import unittest

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
LINUX = os.path.join(SCRIPTS, "..", "build", "linux")
sys.path.insert(0, SCRIPTS)

import litmus  # noqa: E402

# Locks are not supported.
WITHOUT_LOCKS = 33


class Litmus(unittest.TestCase):
    def test_agrees_with_the_results_of_the_kernel(self):
        tests = glob.glob(os.path.join(LINUX, "tools", "memory-model", "litmus-tests", "*.litmus"))
        for part in ("atomic", "rcu"):
            tests += glob.glob(os.path.join(LINUX, "Documentation", "litmus-tests", part, "*.litmus"))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            litmus.main(LINUX, *tests)
        lines = output.getvalue().splitlines()
        self.assertEqual([line for line in lines if line.startswith("not ok")], [])
        self.assertEqual(len([line for line in lines if line.startswith("ok")]), WITHOUT_LOCKS)


if __name__ == "__main__":
    unittest.main()
