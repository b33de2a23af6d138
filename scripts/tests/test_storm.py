#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of proof/storm.py and proof/overall.py; run by make check."""
import os
import sys
import tempfile
import unittest
import unittest.mock

PROOF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proof")
sys.path.insert(0, PROOF)
import overall  # noqa: E402
import stale    # noqa: E402
import storm    # noqa: E402

RESULTS = ["KTAP version 1", "1..2", "ok 1 round 1: books", "not ok 2 round 1: sums"]
OOPS = ["Oops: int3: 0000 [#1] SMP", "Code: 90 90 0f <1f> 44 00 00"]


class Control:
    """A machine of which CPU 1 has taken an int3 at 0x1000 in two of three looks. @memory: what is there."""
    def __init__(self, memory):
        self.memory, self.looks, self.stopped = memory, 0, False

    def ask(self, command):
        self.stopped = command == "stop"

    def monitor(self, line, cpu=0):
        assert self.stopped
        if line == "info registers -a":
            self.looks += 1
            rip = 0x700 if self.looks % 3 == 0 else 0x500
            return "CPU#0\nRIP=0000000000000700 RSP=0000000000002000\nCPU#1\nRSP=0000000000003000\n" \
                   "RIP=%016x RFL=00000046\n" % rip
        assert cpu == 1
        return {"x /1xg 0x3000": "0000000000003000: 0x0000000000001001\r\n",
                "x /1xb 0x1000": "0000000000001000: 0x%02x\r\n" % self.memory}[line]


class Stale(unittest.TestCase):
    def find(self, memory):
        control = Control(memory)
        with unittest.mock.patch.object(stale, "PAUSE", 0):
            found = stale.find(control, 0x500)
        self.assertFalse(control.stopped)
        return found

    def test_int3_that_memory_does_not_have(self):
        self.assertEqual(self.find(0x0f), (1, 0x1000, 0x0f))

    def test_int3_that_memory_has(self):
        self.assertIsNone(self.find(0xcc))

    def test_a_silent_machine_is_judged_by_it(self):
        said = "stale int3: CPU 1 executes one at 0x1000 again and again, where memory has 0xf"
        for line, counts in ((said, "1 passed, 0 failed, 1 skipped"),
                             ("no CPU executes a stale int3", "1 passed, 2 failed, 0 skipped")):
            run = storm.Run("multi", [])
            for text in RESULTS[:3] + [line]:
                run.feed(text)
            run.problems.append("no output for 240 s: hung")
            run.judge()
            self.assertEqual(run.parser.summary(), counts)

    def test_a_machine_with_a_problem_is_looked_at_once(self):
        class Machine:
            begun, problems = True, []

            def lines(self):
                yield RESULTS[0]
                self.problems.append("the kernel said: rcu: INFO: stall")
                yield "rcu: INFO: stall"
                yield "more"
        looks = []
        run = storm.Run("multi", Machine.problems)
        storm.watch(Machine(), run, lambda: looks.append(1) or "no CPU executes a stale int3")
        self.assertEqual(len(looks), 1)


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
        said = ["the kernel said: " + OOPS[0]]
        self.assertEqual(self.judge(RESULTS[:3] + OOPS, "multi", said, 3), "1 passed, 0 failed, 1 skipped")
        self.assertEqual(self.judge(RESULTS[:3] + OOPS, "single", said, 3), "1 passed, 2 failed, 0 skipped")
        # Memory has an int3 there, or nobody tells.
        for left in [OOPS[0], OOPS[1].replace("0f <", "cc <")], OOPS[:1]:
            self.assertEqual(self.judge(RESULTS[:3] + left, "multi", said, 3), "1 passed, 2 failed, 0 skipped")
        # A CPU that is stuck in the handler of an int3 may be so for another reason.
        stuck = ["watchdog: BUG: soft lockup - CPU#1 stuck for 201s!", "RIP: 0010:asm_exc_int3+0x0/0x40"]
        self.assertEqual(self.judge(RESULTS[:3] + stuck, "multi", ["the kernel said: " + stuck[0]], 3),
                         "1 passed, 2 failed, 0 skipped")
        other = ["BUG: unable to handle page fault"]
        self.assertEqual(self.judge(RESULTS[:3] + other, "multi", ["the kernel said: " + other[0]], 3),
                         "1 passed, 2 failed, 0 skipped")

    def test_failures_before_a_stale_int3_count(self):
        self.assertEqual(self.judge(RESULTS + OOPS, "multi", ["the kernel said: " + OOPS[0]], 4),
                         "1 passed, 1 failed, 1 skipped")

    def test_problems_before_a_stale_int3_count(self):
        other = ["BUG: KASAN: slab-use-after-free"]
        self.assertEqual(self.judge(RESULTS[:3] + other + OOPS, "multi", ["BUG: KASAN"], 3),
                         "1 passed, 2 failed, 0 skipped")
        both = storm.Run("multi", [])
        for line in RESULTS[:3]:
            both.feed(line)
        for line in other + ["trace"] * 100 + OOPS:
            if line in (other[0], OOPS[0]):
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


SAID = """KTAP version 1
# round 1 of 2, seed 8
# book of all: must 30, must absent 1, nested 2, may 4, may absent 5, may nested 6, never 7
# handlers of all: handled 33, posts 9, entries 10, missed 3, missed nested 2, lost 0, probes 11
# sums: calls 100, in NMIs 5, wrong results 0, late handlers 0, strays 0
# fronts: tracers 3 of 4, perf 5 of 5
# failslab: failed allocations 12
ok 1 round 1: books
# round 2 of 2, seed 9
# book of storm_plain entry: must 1, must absent 9, nested 2, may 4, may absent 5, may nested 6, never 7
# book of all: must 40, must absent 1, nested 2, may 4, may absent 5, may nested 6, never 7
not ok 2 round 2: books
# memory: at the end 1000, after the first round 900
# cache kprobe_point: at the end 5, before 4, idle points 1
1 passed, 1 failed, 0 skipped""".splitlines()


class Overall(unittest.TestCase):
    def test_rounds(self):
        said = overall.Storm(SAID)
        self.assertEqual([(r["round"], r["seed"], r["must"]) for r in said.rounds],
                         [(1, 8, 30), (2, 9, 40)])
        self.assertEqual(said.rounds[0]["missed nested"], 2)
        self.assertEqual(said.rounds[0]["failed allocations"], 12)
        self.assertEqual(said.rounds[0]["fronts"], {"tracers": "3 of 4", "perf": "5 of 5"})
        self.assertEqual(said.problems, ["not ok 2 round 2: books"])

    def test_memory(self):
        self.assertEqual(overall.Storm(SAID).memory,
                         [("memory", 1000, 900), ("cache kprobe_point", 5, 4)])

    def test_what_was_not_told_shows(self):
        rows, head = overall.Storm(SAID).by_round(("calls",))
        self.assertEqual(rows, [[1, 8, 100], [2, 9, "-"]])

    def write(self, **files):
        with tempfile.TemporaryDirectory() as directory:
            for name, lines in files.items():
                with open(os.path.join(directory, name.replace("_", "-") + ".txt"), "w") as f:
                    f.write("\n".join(lines) + "\n")
            lines = overall.write(directory, directory)
            with open(os.path.join(directory, "report.html")) as f:
                return lines, f.read()

    def test_a_storm_alone(self):
        lines, page = self.write(storm=SAID)
        self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")
        self.assertIn("<td>40</td>", page)
        self.assertNotRegex(page, r'(src|href)="')

    def test_all_parts_are_added_up(self):
        lines, page = self.write(storm=SAID, storm_multi=SAID, sweep=["1101 passed, 2 failed, 0 skipped"],
                                 kernels=["kernel  commit", "rt      abc <1>"])
        self.assertEqual(lines[-1], "1103 passed, 4 failed, 0 skipped")
        self.assertIn("rt      abc &lt;1&gt;", page)

    def test_a_storm_that_died(self):
        lines, _ = self.write(storm=SAID[:3])
        self.assertIn("the storm has not come to its end", lines)

    def test_scenarios(self):
        lines, page = self.write(storm=SAID, scenarios=["passed: detaching [a tool <1>]"])
        self.assertIn("passed: detaching [a tool <1>]", lines)
        self.assertIn("[a tool &lt;1&gt;]", page)


if __name__ == "__main__":
    unittest.main()
