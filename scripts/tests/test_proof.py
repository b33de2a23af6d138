#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of the sweep of scripts/proof."""
import os
import struct
import sys
import types
import unittest

PROOF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proof")
sys.path.insert(0, PROOF)
import outcome  # noqa: E402
import report   # noqa: E402
import sites    # noqa: E402
import sweep    # noqa: E402
import text     # noqa: E402

DISASSEMBLY = """
vmlinux:     file format elf64-x86-64

Disassembly of section .text:

ffffffff81000000 <__pfx_first>:
ffffffff81000000:\tnop
ffffffff81000001:\tnop
ffffffff81000002:\tnop

ffffffff81000003 <first>:
ffffffff81000003:\tendbr64
ffffffff81000007:\tnopl   0x0(%rax,%rax,1)
ffffffff8100000c:\tlock cmpxchg %rdx,(%rdi)
ffffffff81000011:\tje     ffffffff81000014 <first+0x11>
ffffffff81000013:\tint3
ffffffff81000014:\trepz ret
ffffffff81000016:\tint3
ffffffff81000017:\tint3

ffffffff81000018 <second>:
ffffffff81000018:\tnotrack jmp *%rax
"""


def parsed():
    return text.parse(DISASSEMBLY.splitlines(), text.Text("vmlinux:.text", 0x20), 0xffffffff81000000)


def some_text(number, size=4):
    t = text.Text("some:.text", number * size)
    for i in range(number):
        t.offsets.append(i * size)
        t.lengths.append(size)
        t.flags.append(text.SEQUENTIAL)
    return t


class Boundaries(unittest.TestCase):
    def test_offsets_and_lengths(self):
        t = parsed()
        self.assertEqual(list(t.offsets), [0, 3, 7, 0xc, 0x11, 0x13, 0x14, 0x18])
        self.assertEqual(list(t.lengths), [1, 4, 5, 5, 2, 1, 2, 8])

    def test_padding_is_no_instruction(self):
        # Two nops in front of the function, two int3 after its return; that after je is one.
        self.assertEqual(parsed().padding, 4)

    def test_branches_do_not_go_on_behind_them(self):
        sequential = [bool(f & text.SEQUENTIAL) for f in parsed().flags]
        self.assertEqual(sequential, [True, True, True, True, False, False, False, False])

    def test_entries(self):
        t = parsed()
        entries = [o for o, f in zip(t.offsets, t.flags) if f & text.RETURN]
        self.assertEqual(entries, [3, 0x18])

    def test_symbols(self):
        t = parsed()
        self.assertEqual(t.symbol(0xc), "first+0x9")
        self.assertEqual(t.symbol(0x18), "second+0x0")
        self.assertEqual(text.Text("m", 8).symbol(4), "m+0x4")

    def test_changes_of_context(self):
        t = parsed()
        self.assertFalse(any(f & text.CONTEXT for f in t.flags))
        for line, changes in ((
                "10:\tsubl   $0x10000,%gs:0x7efe1f05(%rip)        # 36508 <pcpu_hot+0x8>", True), (
                "10:\tmov    %gs:0x7efe1f05(%rip),%eax        # 36508 <pcpu_hot+0x8>", False), (
                "10:\tincl   %gs:0x7efe1f05(%rip)        # 36500 <pcpu_hot>", False)):
            t = text.parse(["10 <f>:", line], text.Text("m", 32), 0)
            self.assertEqual(bool(t.flags[0] & text.CONTEXT), changes, line)

    def test_what_a_function_ends_with(self):
        t = text.parse(["0 <a>:", "0:\tjmp    20 <b>", "5:\tje     4 <a+0x4>", "7:\tjne    30 <c+0x2>",
                        "9:\tjmp    50 <__x86_return_thunk>", "20 <b>:", "20:\tjmp    40 <d>",
                        "40 <d>:", "40:\tjmp    *%rax", "50 <e>:", "50:\tcall   20 <b>"],
                       text.Text("m", 96), 0)
        self.assertEqual(t.tails["a"], {"b", "c"})
        self.assertEqual(text.waits_in(t, 0x50), {"e"})
        self.assertIsNone(text.waits_in(t, 0))
        del t.tails["d"]
        self.assertEqual(text.waits_in(t, 0), {"a", "b", "c", "d"})
        t.scheduler = 0, 0x10
        self.assertIsNone(text.waits_in(t, 0))

    def test_sections_of_a_module(self):
        names = [".text", ".text.unlikely", ".rela.text", ".init.text", ".exit.text", ".altinstr_replacement",
                 ".noinstr.text", ".data"]
        elf = types.SimpleNamespace(section_name=lambda i: names[i], sections=[
            (0, 4 if name == ".rela.text" else 1, 2 if name == ".data" else 6, 0, 64 * i,
             0 if name == ".noinstr.text" else 16) for i, name in enumerate(names)])
        self.assertEqual(text.sections(elf), {".text": (0, 0, 16), ".text.unlikely": (0, 64, 16),
                                              ".exit.text": (0, 256, 16)})
        self.assertEqual(text.Text("veth:.exit.text", 0x30).section, ".exit.text")

    def test_prefixes(self):
        self.assertEqual(text.mnemonic("1:\tlock addl $1,(%rax)"), "addl")
        self.assertEqual(text.mnemonic("1:\tcs nopw 0(%rax)"), "nopw")
        self.assertEqual(text.mnemonic("1:\trex.W ret"), "ret")
        self.assertEqual(text.mnemonic("1:\tlock"), "lock")
        self.assertEqual(text.mnemonic("1:"), "")


class Dealing(unittest.TestCase):
    def setUp(self):
        self.texts = [some_text(1003), some_text(57)]
        self.every = text.split(self.texts)[0]

    def test_every_instruction_once(self):
        slices = text.deal(self.every, 7)
        dealt = [i for s in slices for i in s]
        self.assertEqual(len(slices), 10)
        self.assertEqual(sorted(dealt), [(0, i) for i in range(1003)] + [(1, i) for i in range(57)])

    def test_a_slice_has_one_of_ten_neighbours(self):
        for dealt in text.deal(self.every, 7):
            places = [i if o == 0 else 1003 + i for o, i in dealt]
            self.assertEqual([p // 10 for p in places], list(range(106)))

    def test_the_seed_decides(self):
        self.assertEqual(text.deal(self.every, 7), text.deal(self.every, 7))
        self.assertNotEqual(text.deal(self.every, 7), text.deal(self.every, 8))

    def test_phases(self):
        phases = text.phases(list(range(101)), 25)
        self.assertEqual(len(phases), 5)
        self.assertEqual(sorted(sum(phases, [])), list(range(101)))
        self.assertLess(max(phases[0]) - max(phases[1]), 5)

    def test_a_third_has_post_handlers(self):
        n = sum(text.has_post((0, i), 1) for i in range(30000))
        self.assertTrue(9500 < n < 10500, n)

    def test_quick_is_the_first_slice(self):
        whole = sweep.dealt(self.texts, 3, False, 50)
        quick = sweep.dealt(self.texts, 3, True, 50)
        self.assertEqual(quick, whole[:len(quick)])
        self.assertEqual(sum(len(items) for _, items in quick), 106)

    def test_the_decoder_comes_last(self):
        t = self.texts[0]
        t.symbol_offsets, t.symbols = [0, 400, 440], ["before", "insn_get_prefixes", "after"]
        whole = sweep.dealt(self.texts, 3, False, 50)
        self.assertEqual(whole[-1][1], [(0, i) for i in range(100, 110)])
        self.assertEqual(sorted(i for _, items in whole for i in items),
                         [(0, i) for i in range(1003)] + [(1, i) for i in range(57)])
        quick = sweep.dealt(self.texts, 3, True, 50)
        self.assertEqual(quick, whole[:len(quick)])

    def test_left_out(self):
        t = self.texts[0]
        t.symbol_offsets, t.symbols = [0, 400, 440], ["before", "a_test", "after"]
        whole = sweep.dealt(self.texts, 3, False, 50, frozenset(["a_test"]))
        self.assertEqual(sorted(i for _, items in whole for i in items),
                         [(0, i) for i in range(1003) if not 100 <= i < 110] + [(1, i) for i in range(57)])

    def test_records(self):
        records = sweep.records_of(self.texts, [(0, 2), (1, 3)], 1)
        self.assertEqual(struct.unpack_from("<IBBB", records, 8), (12, 1, 4, text.SEQUENTIAL))

    def test_numbers_are_those_of_the_module(self):
        with open(os.path.join(PROOF, "module", "probes.c")) as f:
            source = f.read()
        for name in ("POST", "SEQUENTIAL", "RETURN"):
            self.assertRegex(source, r"#define %s\s+%d\b" % (name, getattr(text, name)))
        self.assertEqual(sweep.REPORT, 16 << 20)
        self.assertRegex(source, r"#define REPORT\s+SZ_16M")


SAID = """run unprobed same 10
phase 3 6
... f+0x1/0x2  kprobe  0x104+0x0  -EINVAL  blacklisted
... f+0x1/0x2  kretprobe  0x104+0x0  -EINVAL  not a function's entry
... f+0x1/0x2  kprobe  0x110+0x0  -EILSEQ  inside an instruction
armed 4 1 0
run breakpoints same 12
jumps 3 2
run jumps same 11
run function skipped 0
inside 1 waits
tasks 7
left 0 0 0
compared
used before 1000000 10 4 5
used armed 9000000 900 800 30
used after 1100000 0 0 30
hit 0 5 5 0 0 0 j 2 3 0
refused 1 probe -22
refused 1 return -22
hit 2 7 6 1 0 0 b 3 4 0
hit 3 4 0 0 2 0 f 2 2 0
refused 4 probe -84
return 0 5 4 0 0
done 3
"""


def phase_of(said=SAID):
    return outcome.parse(said.splitlines())[0][0]


class Outcomes(unittest.TestCase):
    facts = [outcome.Fact(post, False, "waits" if i < 2 else "", frozenset({"waits"}))
             for i, post in enumerate((True, False, True, False, True, True))]

    def outcomes(self, said=SAID, facts=None):
        return outcome.classify(phase_of(said), facts or self.facts)

    def failed(self, said, quarantine=False):
        phase = phase_of(said)
        a_text = some_text(6)
        a_text.start = 0x100
        s = types.SimpleNamespace(sites=sites.Sites(), texts=[a_text], why=types.SimpleNamespace(
            idle={0x100}, explains=lambda o, i, reason: reason != outcome.UNEXPLAINED))
        s.address = lambda i: sweep.Sweep.address(s, i)
        s.reason = lambda *args: sweep.Sweep.reason(s, *args)
        sweep.Sweep.judge(s, phase, [(0, i) for i in range(6)])
        outcomes = outcome.classify(phase, self.facts)
        self.assertEqual(outcome.is_clean(phase, quarantine), outcome.is_clean(phase_of(), quarantine) and
                         not {c[0] for c in outcome.checks(phase, outcomes, self.facts, quarantine) if not c[1]} &
                         {"text as before", "workload, jumps", "points, detours and pages freed"})
        return [c[0] for c in outcome.checks(phase, outcomes, self.facts, quarantine) if not c[1]]

    def test_sound(self):
        phase = phase_of()
        self.assertTrue(outcome.is_clean(phase))
        self.assertEqual(self.outcomes(), [outcome.HIT, outcome.REFUSED, outcome.HIT, outcome.MISSED,
                                           outcome.REFUSED, outcome.IDLE])
        self.assertEqual(self.failed(SAID), [])
        self.assertEqual(phase.reasons["kprobe", 0x110], ("-EILSEQ", "inside an instruction"))
        self.assertEqual(phase.errors[1, "return"], -22)

    def test_guest_that_dies(self):
        phases, unprobed = outcome.parse((SAID[:SAID.index("left")] + "hit 1 2").splitlines())
        self.assertFalse(phases[0].done or outcome.is_clean(phases[0]))
        self.assertEqual(unprobed, ["run unprobed same 10"])

    def test_post_handler_that_did_not_run(self):
        self.assertEqual(self.outcomes(SAID.replace("hit 0 5 5", "hit 0 5 4"))[0], outcome.UNEVEN)
        self.assertEqual(self.failed(SAID.replace("hit 0 5 5", "hit 0 5 4")), ["books"])

    def test_post_handler_of_a_probe_that_is_unregistered_meanwhile(self):
        said = SAID.replace("hit 0 5 5 0 0 0 j 2 3 0", "hit 0 5 4 0 0 0 j 2 3 1")
        self.assertEqual(self.outcomes(said)[0], outcome.HIT)
        self.assertEqual(self.outcomes(said.replace("hit 0 5 4", "hit 0 5 3"))[0], outcome.UNEVEN)
        # There are two CPUs, and seven tasks.
        said = SAID.replace("hit 0 5 5 0 0 0 j 2 3 0", "hit 0 50 48 0 0 0 j 2 3 20").replace(
            "return 0 5 4", "return 0 50 49")
        self.assertEqual(self.outcomes(said)[0], outcome.HIT)
        self.assertEqual(self.outcomes(said.replace("50 48", "50 47"))[0], outcome.UNEVEN)
        for posts, what in ((41, outcome.HIT), (40, outcome.UNEVEN)):
            phase = phase_of(said.replace("50 48", "50 %d" % posts))
            self.assertEqual(outcome.classify(phase, self.facts, preemptible=True)[0], what)

    def test_post_handler_that_ran_too_often(self):
        self.assertEqual(self.outcomes(SAID.replace("hit 0 5 5", "hit 0 5 6"))[0], outcome.UNEVEN)

    def test_a_fault_excuses_one(self):
        self.assertEqual(self.outcomes(SAID.replace("hit 2 7 6 1", "hit 2 7 5 1"))[2], outcome.UNEVEN)
        self.assertEqual(self.outcomes(SAID.replace("hit 2 7 6 1", "hit 2 7 7 1"))[2], outcome.HIT)

    def test_wrong_instruction_pointer(self):
        self.assertEqual(self.outcomes(SAID.replace("2 0 f", "2 1 f"))[3], outcome.UNEVEN)

    def test_a_miss_excuses_a_post_handler_after_a_change_of_context_only(self):
        said = SAID.replace("hit 0 5 5 0 0", "hit 0 5 4 0 1")
        self.assertEqual(self.outcomes(said)[0], outcome.UNEVEN)
        ends_interrupt = [f._replace(context=True) for f in self.facts]
        self.assertEqual(self.outcomes(said, ends_interrupt)[0], outcome.MISSED)
        self.assertEqual(self.outcomes(said.replace("5 4 0 1", "5 3 0 1"), ends_interrupt)[0],
                         outcome.UNEVEN)

    def books_of(self, hits, counts, waits=("waits",)):
        said = SAID.replace("hit 0 5 5", "hit 0 %d %d" % (hits, hits))
        facts = [f._replace(waits=waits and frozenset(waits)) for f in self.facts]
        return self.outcomes(said.replace("return 0 5 4 0 0", "return 0 " + counts), facts)[0]

    def test_more_returns_than_entries(self):
        self.assertEqual(self.books_of(5, "5 6 0 0"), outcome.UNEVEN)

    def test_returns_that_do_not_come(self):
        # One task is in the function, and two may run.
        self.assertEqual(self.books_of(500, "500 497 0 0"), outcome.HIT)
        self.assertEqual(self.books_of(500, "500 496 0 0"), outcome.UNEVEN)
        self.assertEqual(self.books_of(500, "500 496 1 0"), outcome.HIT)
        self.assertEqual(self.books_of(500, "500 0 0 0"), outcome.UNEVEN)
        # Nobody is in another function.
        self.assertEqual(self.books_of(500, "500 497 0 0", ("other",)), outcome.UNEVEN)
        self.assertEqual(self.books_of(500, "500 497 0 0", ("other", "waits")), outcome.HIT)
        # It may be in any of the seven tasks that there are.
        self.assertEqual(self.books_of(500, "500 491 0 0", None), outcome.HIT)
        self.assertEqual(self.books_of(500, "500 490 0 0", None), outcome.UNEVEN)

    def test_functions_that_never_return(self):
        self.assertEqual(self.books_of(500, "500 0 0 0", ("do_exit",)), outcome.HIT)
        self.assertEqual(self.books_of(500, "500 0 0 0", ("do_exit_status",)), outcome.UNEVEN)
        scheduler = outcome.Fact(function="__schedule", waits=None)
        self.assertGreater(outcome.in_flight(phase_of(), scheduler), 500)
        self.assertEqual(outcome.in_flight(phase_of(), scheduler._replace(function="schedule")), 9)

    def test_return_probe_that_is_not_entered(self):
        self.assertEqual(self.books_of(500, "0 0 0 0"), outcome.UNEVEN)
        self.assertEqual(self.books_of(500, "490 490 0 0"), outcome.UNEVEN)
        self.assertEqual(self.books_of(500, "490 490 0 8"), outcome.HIT)
        self.assertEqual(self.books_of(500, "490 490 8 0"), outcome.HIT)
        self.assertEqual(self.books_of(500, "501 500 0 0"), outcome.UNEVEN)

    def test_output_that_differs(self):
        for how in ("different", "failed"):
            self.assertEqual(self.failed(SAID.replace("run jumps same", "run jumps " + how)), ["workload, jumps"])

    def test_what_is_left(self):
        differs = "compared\ndiffers 140 %s %s\n" % ("90" * 24, "91" * 24)
        self.assertEqual(self.failed(SAID.replace("compared\n", differs)), ["text as before"])
        # A site that was half patched in one of the comparisons.
        self.assertEqual(self.failed(SAID.replace("compared\n", differs + "compared\n")), [])
        self.assertEqual(self.failed(SAID.replace("compared\n", "")), ["text as before"])
        self.assertEqual(self.failed(SAID.replace("left 0 0 0", "left 0 1 0")), ["nothing in debugfs"])
        self.assertEqual(self.failed(SAID.replace("after 1100000", "after 3000000")), ["memory as before"])

    def test_points_and_pages_that_are_left(self):
        freed = ["points, detours and pages freed"]
        after = "after 1100000 0 0 30"
        for more in ("after 1100000 1 0 30", "after 1100000 0 1 30", "after 1100000 0 0 101"):
            self.assertEqual(self.failed(SAID.replace(after, more)), freed, more)
        idle = SAID.replace("left 0 0 0", "left 0 0 1\nidle 100")
        self.assertEqual(self.failed(idle.replace(after, "after 1100000 1 1 30")), [])
        self.assertEqual(self.failed(idle.replace(after, "after 1100000 2 1 30")), freed)
        # Nothing explains why that one stays.
        self.assertEqual(self.failed(idle.replace("idle 100", "idle 101")), freed)
        self.assertEqual(self.failed(SAID.replace("left 0 0 0", "left 0 0 1")), freed)
        # KASAN keeps memory.
        self.assertEqual(self.failed(SAID.replace(after, "after 3000000 1 0 30"), quarantine=True), [])

    def test_probes_are_armed(self):
        for more in ("armed 4 0 0", "armed 3 1 0", "armed 4 1 -12"):
            self.assertEqual(self.failed(SAID.replace("armed 4 1 0", more)), ["registered together"])
        self.assertEqual(self.failed(SAID.replace("refused 4 probe -84\n", "")), ["registered together"])

    def test_refused_without_a_reason(self):
        for line in ("... f+0x1/0x2  kprobe  0x110+0x0  -EILSEQ  inside an instruction\n",
                     "... f+0x1/0x2  kretprobe  0x104+0x0  -EINVAL  not a function's entry\n"):
            self.assertEqual(self.failed(SAID.replace(line, "")), ["refusals explained"])


class Halving(unittest.TestCase):
    def search(self, number, fails):
        runs = []

        def run(items):
            runs.append(len(items))
            return fails(set(items))
        return outcome.smallest(list(range(number)), run), runs

    def test_finds_one_of_many(self):
        found, runs = self.search(30000, lambda items: 12345 in items)
        self.assertEqual(found, [12345])
        self.assertLessEqual(len(runs), 30)

    def test_two_that_fail_together(self):
        found, _ = self.search(64, lambda items: {10, 14} <= items)
        self.assertEqual(found, list(range(8, 16)))

    def test_one_of_two(self):
        found, _ = self.search(64, lambda items: bool({3, 60} & items))
        self.assertEqual(found, [3])

    def test_nothing_fails_again(self):
        found, runs = self.search(64, lambda items: False)
        self.assertEqual((len(found), runs), (64, [32, 32]))


class FakeGuest:
    """Answers a plan like a guest in which a probe on some instructions is fatal."""

    def __init__(self, fatal=(), different=(), unprobed="same"):
        self.fatal, self.different, self.unprobed = set(fatal), set(different), unprobed
        self.around = set()

    def boot(self, words, plan, watch):
        words = dict(word.split("=", 1) for word in words)
        self.around.add(words["around"])
        lines, problems = ["run unprobed+function %s 1" % self.unprobed], []
        for phase in words["phases"].split(","):
            number, at, n = (int(word) for word in phase.split(":"))
            records = [struct.unpack_from("<IBBB", plan, 8 * i) for i in range(at, at + n)]
            offsets = {record[0] for record in records}
            lines.append("phase %d %d" % (number, n))
            lines.append("armed %d %d 0" % (n, sum(bool(r[3] & text.RETURN) for r in records)))
            if offsets & self.fatal:
                problems = ["the kernel said: Oops"]
                break
            lines += ["run jumps %s 5" % ("different" if offsets & self.different else "same"), "compared",
                      "left 0 0 0", "used before 1 1 1 3", "used armed 2 2 2 3", "used after 1 0 0 3",
                      "hit 0 3 3 0 0 0 j 1 1 0", "done %d" % number]
        return "\n".join(lines).encode(), problems, ["Oops"]


class Sweeping(unittest.TestCase):
    def sweep(self, guest, jobs=2, whole=True, search=True):
        s = object.__new__(sweep.Sweep)
        s.search = search
        s.clear([some_text(400)], 1, whole)
        s.guest, s.objects, s.quarantine, s.preemptible = guest, [], False, False
        s.sites, s.why, s.say = sites.Sites(), types.SimpleNamespace(idle=set()), lambda words: None
        s.sweep(sweep.dealt(s.texts, 1, False, 20), jobs)
        return s

    def said(self, s):
        return "\n".join(report.lines_of(s))

    def instructions(self, s, what):
        return sorted(i for _, i in (k for k, v in s.outcomes.items() if v == what))

    def test_nothing_fails(self):
        s = self.sweep(FakeGuest())
        self.assertEqual((len(s.outcomes), len(s.phases)), (400, 20))
        self.assertTrue(all(c[2] for c in s.checks))
        self.assertIn("0 crashed, 0 uneven, 0 different, 0 unexplained", self.said(s))
        self.assertIn("Reach: the workload executed 20 of 400 instructions, 5.00 %", self.said(s))

    def test_crash_is_found_and_the_rest_is_swept(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77, 4 * 300]), jobs=1)
        self.assertEqual(self.instructions(s, outcome.CRASHED), [77, 300])
        self.assertEqual(len(s.outcomes), 400)
        self.assertIn("some:.text+0x134", self.said(s))
        self.assertRegex(self.said(s), r"2 crashed, (.|\n)*passed, 2 failed")

    def test_crash_is_found_where_another_one_differs(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77], different=[4 * i for i in range(400) if i != 77]))
        self.assertEqual(self.instructions(s, outcome.CRASHED), [77])
        self.assertIn(outcome.DIFFERENT, s.outcomes.values())

    def test_output_that_differs_is_found(self):
        s = self.sweep(FakeGuest(different=[4 * 5]))
        self.assertEqual(self.instructions(s, outcome.DIFFERENT), [5])

    def test_without_a_search_nothing_runs_twice(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77], different=[4 * 5]), jobs=1, search=False)
        self.assertEqual(sum(not c[2] for c in s.checks), 2)
        self.assertEqual(len(s.phases), 19)
        self.assertIn("crashed: the kernel said: Oops", self.said(s))

    def test_guest_that_never_begins(self):
        guest = FakeGuest()
        guest.boot = lambda *args: (b"", ["no output"], ["hung"])
        s = self.sweep(guest)
        self.assertTrue(s.checks and not any(c[2] for c in s.checks))

    def test_surroundings_take_turns(self):
        for whole, around in ((True, {"function,function_graph"}), (False, set(sweep.AROUND))):
            guest = FakeGuest()
            self.sweep(guest, jobs=20, whole=whole)
            self.assertEqual(guest.around, around)

    def test_unprobed_workload_that_varies(self):
        for how, good in (("skipped", True), ("failed", False), ("different", False)):
            s = self.sweep(FakeGuest(unprobed=how), jobs=1)
            self.assertEqual(all(c[2] for c in s.checks), good)

    def test_map(self):
        s = types.SimpleNamespace(texts=[some_text(600)], outcomes={(0, i): outcome.IDLE for i in range(400)})
        s.outcomes[0, 3] = outcome.UNEVEN
        self.assertEqual([line[:4] for line in report.map_of(s, 0)], ["U.  "])


if __name__ == "__main__":
    unittest.main()
