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

    def said(self, function, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = function(*args)
        return status, out.getvalue()


class Figures(Bench):
    def test_extrapolates_beyond_the_largest_of_several(self):
        self.write("side.tsv", "x\t10\t1500\nx\t100\t10500\nx\t1000\t100500\ny\t10\t1500\n")
        side = table.Side(self.path("side.tsv"))
        value, extrapolated = side.at("x", 50000)
        self.assertTrue(extrapolated)
        self.assertAlmostEqual(value, 5000500)
        for name, size in ("x", 500), ("y", 100):
            self.assertEqual(side.at(name, size), (None, False))

    def test_lines(self):
        # A falling one ends at the last size, and small sizes do not bend one.
        self.assertEqual(table.line_through([(10, 50), (100, 30)])(1000), 30)
        self.assertAlmostEqual(table.line_through([(1, 9e9), (100, 100), (1000, 1000)])(2000), 2000)

    def test_table_and_plots(self):
        figures = "".join("reg.entry.batch\t%d\t%d\npoints.break\t%d\t291\noptimize\t%d\t9000\n"
                          % (n, 7000 * n, n, n) for n in (1, 10, 100))
        self.write("base.tsv", figures)
        self.write("ours.tsv", figures.replace("291", "200"))
        _, text = self.said(table.compare, self.dir)
        self.assertRegex(text, r"batch of 50,000 +~7,000 +~7,000 +1\n")
        self.assertRegex(text, r"jump-optimized +- +- +-")
        self.assertNotIn("A knob", text)
        subprocess.run(["gnuplot", os.path.join(BENCH, "plots.gp")], cwd=self.dir, check=True,
                       stderr=subprocess.DEVNULL)
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

    def test_times_memory_and_the_background_are_not_recorded(self):
        self.recorded()
        self.assertEqual(sorted(table.Side(self.record).figures),
                         ["hit.break", "reg.insn.batch", "trap.bare"])

    def test_growth(self):
        self.recorded()
        most = 150000 + table.TICKS
        for hit, reg, status, words in (
                (200, 100000, 0, "3 passed, 0 failed, 0 skipped"),
                (206, 100000, 0, "3 passed"),
                (207, 100000, 1, "FAIL  hit.break 1: 207, recorded are 200 (+3.5 %)"),
                (200, most, 0, "3 passed"), (200, most + 1, 1, "2 passed, 1 failed"),
                (100, 100000, 0, "better: hit.break 1: 100, recorded are 200")):
            self.measured(hit, reg)
            said = self.check()
            self.assertEqual(said[0], status, words)
            self.assertIn(words, said[1])

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

    def test_the_hosts_clock_scatters(self):
        self.measured(200)
        self.write("about", ABOUT + "clock: the host's\n")
        self.said(table.write_record, self.dir, self.record)
        for hit, trap, status in ((600, 1000, 0), (601, 1000, 1), (1200, 2000, 0), (301, 500, 1)):
            self.measured(hit, trap=trap)
            self.write("about", ABOUT + "clock: the host's\n")
            self.assertEqual(self.check()[0], status, hit)

    def test_what_is_shorter_than_a_tick_is_not_judged(self):
        for settled in (0, 4000000):
            self.measured(200)
            self.write("about", ABOUT + "clock: the host's\n")
            with open(self.path("ours.tsv"), "a") as f:
                f.write("toggle.enabled.off.settled\t100\t%d\n" % settled)
            if not settled:
                self.said(table.write_record, self.dir, self.record)
        self.assertEqual(self.check()[0], 0)


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

    def test_failures(self):
        # Books that are wrong, a garbled figure, a guest that dies. What was measured is kept.
        for lines in (("failed hit.break 999 of 1001", self.END), ("figure hit.jump 1 abc", self.END), ()):
            status, text = self.measure(self.BEGIN, "kprobe_bench: figure hit.post 1 100.0",
                                        *("kprobe_bench: " + line for line in lines))
            self.assertEqual(status, 1)
            self.assertIn("FAILED: %s\n" % lines[0].split(" ", 1)[1] if lines else "error: ", text)
            self.assertEqual(self.figures(), "hit.post\t1\t100.0\n")
