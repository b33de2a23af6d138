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

    def test_includes(self):
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "kprobes"))
            texts = {"kprobes.c": '#include <linux/top.h>\n#include "kprobes/top.h"\n',
                     "kprobes/top.c": '#include "../trace/x.h"\n#include "top.h"\n#include "low.h"\n',
                     "kprobes/top.h": "", "kprobes/low.h": '#include "top.h"\n',
                     "kprobes/other.h": ""}
            for name, text in texts.items():
                with open(os.path.join(directory, name), "w") as f:
                    f.write(text)
            headers = {os.path.basename(path): layers.included(path)
                       for path in layers.sources(directory)}
        self.assertEqual(headers["kprobes.c"], ["top"])
        self.assertEqual(headers["top.c"], ["top", "low"])
        self.assertEqual(layers.upward_includes(["kprobes", "top", "low"], headers),
                         [("low.h", "top"), ("other.h", "other")])


if __name__ == "__main__":
    unittest.main()
