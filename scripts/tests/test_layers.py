#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of layers.py, on two small objects; run by make check."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import layers     # noqa: E402


class Layers(unittest.TestCase):
    def tables(self):
        sources = {"top": "void low(void); int state; void top(void) { low(); }",
                   "bottom": "extern int state; void low(void) { state = 1; }"}
        with tempfile.TemporaryDirectory() as directory:
            found = {}
            for name, text in sources.items():
                path = os.path.join(directory, name + ".o")
                subprocess.run(["gcc", "-xc", "-c", "-", "-o", path], input=text, text=True,
                               check=True)
                found[name] = layers.symbols(path)
            return found

    def test_calls_and_data(self):
        tables = self.tables()
        self.assertEqual(layers.upward(["top", "bottom"], tables), [("bottom", "top", "state")])
        self.assertEqual(layers.upward(["bottom", "top"], tables), [("top", "bottom", "low")])

    def test_comments(self):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write("# order\ntop\tthe API\n\nbottom\n")
            f.flush()
            self.assertEqual(layers.layers(f.name), ["top", "bottom"])


if __name__ == "__main__":
    unittest.main()
