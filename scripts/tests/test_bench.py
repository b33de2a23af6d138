#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of bench/table.py and bench/measure.py; run by make check."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench")
sys.path.insert(0, BENCH)
import measure  # noqa: E402
import table    # noqa: E402

ABOUT = "compiler: gcc 12\nbase: 6.12\n"


class Bench(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)
        self.record = self.path("figures.tsv")

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def side(self, text):
        self.write("side.tsv", text)
        return table.Side(self.path("side.tsv"))

    def said(self, function, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = function(*args)
        return status, out.getvalue()


class Figures(Bench):
    def test_extrapolates_beyond_the_largest_only(self):
        side = self.side("reg.x\t10\t1500\nreg.x\t100\t10500\nreg.x\t1000\t100500\n")
        value, extrapolated = side.at("reg.x", 50000)
        self.assertTrue(extrapolated)
        self.assertAlmostEqual(value, 5000500)
        self.assertEqual(side.at("reg.x", 500), (None, False))

    def test_no_line_through_one_point(self):
        self.assertEqual(self.side("reg.x\t10\t1500\n").at("reg.x", 100), (None, False))

    def test_a_falling_line_ends_at_the_last_size(self):
        self.assertEqual(table.line_through([(10, 50), (100, 30)])(1000), 30)

    def test_small_sizes_do_not_bend_the_line(self):
        self.assertAlmostEqual(table.line_through([(1, 9e9), (100, 100), (1000, 1000)])(2000),
                               2000)

    def test_table_and_plots(self):
        figures = "".join("reg.entry.batch\t%d\t%d\npoints.break\t%d\t291\n" % (n, 7000 * n, n)
                          for n in (1, 10, 100))
        self.write("base.tsv", figures)
        self.write("ours.tsv", figures.replace("291", "200"))
        _, text = self.said(table.compare, self.dir)
        self.assertRegex(text, r"batch of 50,000 +~7,000 +~7,000 +1\n")
        self.assertRegex(text, r"jump-optimized +- +- +-")
        self.assertNotIn("A knob", text)
        with open(self.path("plots.png"), "rb") as f:
            self.assertEqual(f.read(4), b"\x89PNG")


class Guard(Bench):
    def measured(self, hit, reg=100000, trap=1000):
        self.write("about", ABOUT)
        self.write("ours.tsv", "hit.break\t1\t%d\nreg.insn.batch\t100\t%d\ntrap.bare\t1\t%d\n"
                   "reg.insn.batch.time\t100\t%d\nmemory.point\t100\t5\n"
                   "unreg.insn.batch.settled\t100\t9\n" % (hit, reg, trap, 2 * reg))

    def recorded(self):
        self.measured(200)
        self.said(table.write_record, self.dir, self.record)

    def check(self):
        return self.said(table.check, self.dir, self.record)

    def test_same(self):
        self.recorded()
        status, text = self.check()
        self.assertEqual(status, 0)
        self.assertIn("3 passed, 0 failed, 0 skipped", text)

    def test_times_memory_and_the_background_are_not_recorded(self):
        self.recorded()
        self.assertEqual(sorted(table.Side(self.record).figures),
                         ["hit.break", "reg.insn.batch", "trap.bare"])

    def test_growth(self):
        self.recorded()
        self.measured(206)
        self.assertEqual(self.check()[0], 0)
        self.measured(207)
        status, text = self.check()
        self.assertEqual(status, 1)
        self.assertIn("FAIL  hit.break 1: 207 instructions, recorded are 200 (+3.5 %)", text)
        self.assertIn("2 passed, 1 failed", text)

    def test_registering_may_grow_by_half_and_by_ticks(self):
        self.recorded()
        self.measured(200, 150000 + table.TICKS)
        self.assertEqual(self.check()[0], 0)
        self.measured(200, 150001 + table.TICKS)
        self.assertEqual(self.check()[0], 1)

    def test_less(self):
        self.recorded()
        self.measured(100)
        status, text = self.check()
        self.assertEqual(status, 0)
        self.assertIn("better: hit.break 1: 100, recorded are 200", text)

    def test_figure_that_is_gone_or_new(self):
        self.recorded()
        self.write("ours.tsv", "hit.break\t1\t200\nhit.jump\t1\t60\ntrap.bare\t1\t1000\n")
        status, text = self.check()
        self.assertEqual(status, 1)
        self.assertIn("reg.insn.batch 100: recorded, but not measured any more", text)
        self.assertIn("new, not recorded: hit.jump 1: 60", text)

    def test_other_compiler_is_judged_by_bare_traps(self):
        self.recorded()
        for hit, status in ((229, 0), (231, 0), (253, 0), (254, 1)):
            self.measured(hit, trap=1100)
            self.write("about", ABOUT.replace("gcc 12", "gcc 13"))
            self.assertEqual(self.check()[0], status, hit)
        self.assertIn("recorded with compiler gcc 12, here is gcc 13", self.check()[1])


class Console(Bench):
    BEGIN, END = "kprobe_bench: # guest begin: x", "kprobe_bench: # guest end: x"

    def measure(self, *lines):
        done = subprocess.run(
            [sys.executable, "-B", os.path.join(BENCH, "measure.py"), "ours", self.path("log"),
             self.path("figures"), "printf", "%s\n", *lines],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def figures(self):
        with open(self.path("figures")) as f:
            return f.read()

    def test_figures(self):
        status, text = self.measure(self.BEGIN, "[ 1.0] kprobe_bench: part cost of a hit",
                                    "[ 1.1] kprobe_bench: figure hit.break 1 255.0", self.END)
        self.assertEqual(status, 0, text)
        self.assertIn("ours: cost of a hit", text)
        self.assertEqual(self.figures(), "hit.break\t1\t255.0\n")

    def test_failed_books(self):
        status, text = self.measure(self.BEGIN, "kprobe_bench: failed hit.break 999 of 1001",
                                    "kprobe_bench: figure hit.jump 1 100.0", self.END)
        self.assertEqual(status, 1)
        self.assertIn("FAILED: hit.break 999 of 1001", text)
        self.assertEqual(self.figures(), "hit.jump\t1\t100.0\n")

    def test_garbled_figure(self):
        self.assertEqual(self.measure(self.BEGIN, "kprobe_bench: figure hit.jump 1 abc",
                                      self.END)[0], 1)

    def test_guest_that_dies(self):
        self.assertEqual(self.measure(self.BEGIN, "kprobe_bench: figure hit.break 1 2.0")[0], 1)


if __name__ == "__main__":
    unittest.main()
