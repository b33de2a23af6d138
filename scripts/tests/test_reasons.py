# SPDX-License-Identifier: GPL-2.0
"""The document explains each reason of kernel/kprobes/reason.c, with its errno; run by make check."""
import os
import re
import unittest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def read(*path):
    with open(os.path.join(TOP, *path)) as f:
        return f.read()


def table(text, name):
    """Keywords, and the word in the second column, of the table after the comment."""
    rows = text.split(f".. reasons: {name}\n", 1)[1].strip().split("\n\n")[0]
    return dict(re.findall(r"^``([a-z-]+)`` +(\S+)", rows, re.M))


class Reasons(unittest.TestCase):
    def setUp(self):
        code = re.findall(r'= \{ (-E\w+),\s*"([a-z-]+): ', read("kernel", "kprobes", "reason.c"))
        self.errnos = {keyword: errno for errno, keyword in code}
        text = read("Documentation", "trace", "kprobes.rst")
        self.refused = table(text, "refused")
        self.not_optimized = table(text, "not-optimized")

    def test_code_is_understood(self):
        entries = re.findall(r"^\t\[KPROBE_REASON_", read("kernel", "kprobes", "reason.c"), re.M)
        self.assertEqual(len(self.errnos), len(entries) - 1)    # but for KPROBE_REASON_NONE

    def test_each_is_explained(self):
        self.assertEqual(set(self.errnos), set(self.refused) | set(self.not_optimized))

    def test_each_is_explained_once(self):
        self.assertEqual(set(self.refused) & set(self.not_optimized), set())

    def test_errnos(self):
        self.assertEqual(self.refused, {keyword: self.errnos.get(keyword) for keyword in self.refused})


if __name__ == "__main__":
    unittest.main()
