#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of proof/storm.py; run by make check."""
import os
import sys
import unittest

PROOF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proof")
sys.path.insert(0, PROOF)
import storm    # noqa: E402

RESULTS = ["KTAP version 1", "1..2", "ok 1 round 1: books", "not ok 2 round 1: sums"]


class Storm(unittest.TestCase):
    def judge(self, lines, threads, problems=(), seen=None):
        """@problems are seen with the line of that number; None: when the last one has come."""
        run = storm.Run(threads, [])
        for number, line in enumerate(lines):
            if number == seen:
                run.problems += problems
            run.feed(line)
        if seen is None:
            run.problems += problems
        run.judge()
        return run.parser.summary()

    def test_results(self):
        self.assertEqual(self.judge(RESULTS, "single"), "1 passed, 1 failed, 0 skipped")
        self.assertEqual(self.judge(RESULTS[:3], "single"), "1 passed, 1 failed, 0 skipped")
        self.assertEqual(self.judge([], "single"), "0 passed, 1 failed, 0 skipped")

    def test_a_kernel_that_dies(self):
        oops = ["Oops: int3: 0000 [#1] SMP"]
        self.assertEqual(self.judge(RESULTS[:3] + oops, "single", ["the kernel said: " + oops[0]], 3),
                         "1 passed, 2 failed, 0 skipped")

    def test_stale_int3_is_told_apart_with_several_threads(self):
        oops = ["Oops: int3: 0000 [#1] SMP"]
        self.assertEqual(self.judge(RESULTS[:3] + oops, "multi", ["the kernel said: " + oops[0]], 3),
                         "1 passed, 0 failed, 1 skipped")
        stuck = ["watchdog: BUG: soft lockup - CPU#1 stuck for 201s!", "RIP: 0010:asm_exc_int3+0x0/0x40"]
        self.assertEqual(self.judge(RESULTS[:3] + stuck, "multi", ["the kernel said: " + stuck[0]], 3),
                         "1 passed, 0 failed, 1 skipped")
        self.assertEqual(self.judge(RESULTS[:3] + stuck, "single", ["the kernel said: " + stuck[0]], 3),
                         "1 passed, 2 failed, 0 skipped")
        other = ["BUG: unable to handle page fault"]
        self.assertEqual(self.judge(RESULTS[:3] + other, "multi", ["the kernel said: " + other[0]], 3),
                         "1 passed, 2 failed, 0 skipped")

    def test_failures_before_a_stale_int3_count(self):
        oops = ["Oops: int3: 0000 [#1] SMP"]
        self.assertEqual(self.judge(RESULTS + oops, "multi", ["the kernel said: " + oops[0]], 4),
                         "1 passed, 1 failed, 1 skipped")

    def test_problems_before_a_stale_int3_count(self):
        other, oops = ["BUG: KASAN: slab-use-after-free"], ["Oops: int3: 0000 [#1] SMP"]
        self.assertEqual(self.judge(RESULTS[:3] + other + oops, "multi", ["BUG: KASAN"], 3),
                         "1 passed, 2 failed, 0 skipped")
        both = storm.Run("multi", [])
        for line in RESULTS[:3]:
            both.feed(line)
        for line in other + ["trace"] * 100 + oops:
            if line != "trace":
                both.problems.append(line)
            both.feed(line)
        both.judge()
        self.assertEqual(both.parser.summary(), "1 passed, 1 failed, 1 skipped")

    def test_a_stale_line_alone_excuses_nothing(self):
        lines = RESULTS[:3] + ["RIP: 0010:exc_int3+0x0/0x40", RESULTS[3]]
        self.assertEqual(self.judge(lines, "multi"), "1 passed, 1 failed, 0 skipped")

    def test_threads(self):
        self.assertEqual(storm.threads_of(["qemu", "-accel", "tcg,thread=multi"]), "multi")
        self.assertEqual(storm.threads_of(["qemu"]), "single")


if __name__ == "__main__":
    unittest.main()
