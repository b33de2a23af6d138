# SPDX-License-Identifier: GPL-2.0
"""Unit tests of layers.py, on a small tree with two objects; run by make check."""
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import layers     # noqa: E402

SOURCES = {"kprobes.c": '#include <linux/low.h>\n#include "kprobes/top.h"\nvoid low(void); int state;\n'
                        "void top(void) { low(); }\n",
           "kprobes/low.c": '#include "../trace/x.h"\n#include "low.h"\nextern int state;\n'
                            "void low(void) { state = 1; }\n",
           "kprobes/low.h": '#include "top.h"\n',
           "kprobes/top.h": "#ifdef CONFIG_ARM64\n#elif !IS_ENABLED(CONFIG_X86) || CONFIG_MIPS_MT\n#endif\n"}


class Layers(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        os.mkdir(os.path.join(self.dir.name, "kprobes"))
        for name, text in SOURCES.items():
            path = os.path.join(self.dir.name, name)
            with open(path, "w") as f:
                f.write(text)
            if name.endswith(".c"):
                code = text[text.rindex('.h"\n') + 4:]
                subprocess.run(["gcc", "-xc", "-c", "-", "-o", path[:-1] + "o"], input=code, text=True, check=True)

    def found(self, *order):
        uses = layers.calls(layers.files(self.dir.name, "*.o"))
        uses += layers.includes(layers.files(self.dir.name, "*.[ch]"))
        return list(layers.problems(order, ["kprobes", "low", "top"], uses))

    def test_upward(self):
        self.assertEqual(self.found("kprobes", "top", "low"), [
            "low uses kprobes, which is above or has no layer: state",
            "low uses top, which is above or has no layer: low.h"])
        self.assertEqual(self.found("low", "top", "kprobes"), [
            "kprobes uses low, which is above or has no layer: low",
            "kprobes uses top, which is above or has no layer: kprobes.c"])

    def test_architectures(self):
        self.assertEqual(list(layers.architectures(layers.files(self.dir.name, "*.[ch]"))), [
            "top.h asks for CONFIG_ARM64", "top.h asks for CONFIG_X86"])

    def test_without_a_layer(self):
        self.assertEqual(self.found("kprobes", "low")[0], "top has no layer")
        self.assertIn("low uses top, which is above or has no layer: low.h", self.found("kprobes", "low"))
