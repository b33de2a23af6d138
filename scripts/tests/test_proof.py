#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of proof/text.py, proof/outcome.py and proof/report.py; run by make check."""
import os
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

PROOF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proof")
sys.path.insert(0, PROOF)
import explain  # noqa: E402
import kept     # noqa: E402
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
    return text.parse(DISASSEMBLY.splitlines(), text.Text("vmlinux", 0x20), 0xffffffff81000000)


def some_text(number, size=4):
    t = text.Text("some", number * size)
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
        listing = """
  [ 1] .text             PROGBITS        0000000000000000 000040 000250 00  AX  0   0 16
  [ 2] .text.unlikely    PROGBITS        0000000000000000 000290 000020 00  AX  0   0  1
  [ 3] .rela.text        RELA            0000000000000000 0010 0010 18   I 40   1  8
  [ 4] .init.text        PROGBITS        0000000000000000 0002b0 000050 00  AX  0   0 16
  [ 5] .exit.text        PROGBITS        0000000000000000 000300 000030 00  AX  0   0 16
  [ 6] .altinstr_replacement PROGBITS    0000000000000000 000330 000008 00  AX  0   0  1
  [ 7] .noinstr.text     PROGBITS        0000000000000000 000340 000000 00  AX  0   0  1
"""
        with tempfile.TemporaryDirectory() as to:
            readelf = os.path.join(to, "readelf")
            with open(readelf, "w") as f:
                f.write("#!/bin/sh\ncat <<'END'\n%sEND\n" % listing)
            os.chmod(readelf, 0o700)
            found = text.sections("module", readelf)
        self.assertEqual(found, {".text": (0, 0x40, 0x250), ".text.unlikely": (0, 0x290, 0x20),
                                 ".exit.text": (0, 0x300, 0x30)})
        self.assertEqual(text.Text("veth:.exit.text", 0x30).section, ".exit.text")
        self.assertEqual(text.Text("veth", 0x250).section, ".text")

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
        whole = sweep.dealt(self.texts, 3, False, 50, 10)
        quick = sweep.dealt(self.texts, 3, True, 50, 10)
        self.assertEqual(quick, whole[:len(quick)])
        self.assertEqual(sum(len(items) for _, items in quick), 106)

    def test_the_decoder_comes_last(self):
        t = self.texts[0]
        t.symbol_offsets, t.symbols = [0, 400, 440], ["before", "insn_get_prefixes", "after"]
        whole = sweep.dealt(self.texts, 3, False, 50, 10)
        self.assertEqual(whole[-1][1], [(0, i) for i in range(100, 110)])
        self.assertEqual(sorted(i for _, items in whole for i in items),
                         [(0, i) for i in range(1003)] + [(1, i) for i in range(57)])
        quick = sweep.dealt(self.texts, 3, True, 50, 10)
        self.assertEqual(quick, whole[:len(quick)])

    def test_plan(self):
        plan = text.plan(self.texts, [(4, [(0, 2), (1, 3)])], [0x1f], 1)
        self.assertEqual(struct.unpack_from("<4I", plan), (text.MAGIC, 2, 1, 0))
        at = 16 + 2 * (text.NAME + 8)
        self.assertEqual(struct.unpack_from("<4I", plan, at), (4, 2, 0x1f, 0))
        self.assertEqual(struct.unpack_from("<IBBB", plan, at + 24)[:3], (12, 1, 4))
        self.assertEqual(len(plan), at + 16 + 2 * 8)

    def test_numbers_are_those_of_the_module(self):
        with open(os.path.join(PROOF, "module", "proof.h")) as f:
            header = f.read()
        for name in ("POST", "SEQUENTIAL", "RETURN", "NAME"):
            self.assertRegex(header, r"#define PROOF_%s\s+%d\b" % (name, getattr(text, name)))

    def test_archive(self):
        with tempfile.TemporaryDirectory() as to:
            subprocess.run(["cpio", "-i", "--quiet"], input=text.archive("plan", b"12345"), cwd=to,
                           check=True)
            with open(os.path.join(to, "plan"), "rb") as f:
                self.assertEqual(f.read(), b"12345")


SAID = """run unprobed same 1000
phase 3 6
refused 1 probe -EINVAL blacklisted
refused 1 return -EINVAL not a function's entry
refused 4 probe -EILSEQ inside an instruction
armed 4 1 0
run breakpoints same 1200
jumps 3 2
run jumps same 1100
run function skipped 0
tasks 7
inside 1 waits
left 0 0 0
text 0
memory 1000000 9000000 1100000
points 10 900 0
detours 4 800 0
pages 5 30
hit 0 5 5 0 0 0 j 2 3 0
hit 2 7 6 1 0 0 b 3 4 0
hit 3 4 0 0 2 0 f 2 2 0
return 0 5 4 0 0
done 3
"""


def phase_of(said=SAID):
    return outcome.parse(said.splitlines(True))[0][0]


class Outcomes(unittest.TestCase):
    facts = [outcome.Fact(post, False, "waits" if i < 2 else "", frozenset({"waits"}))
             for i, post in enumerate((True, False, True, False, True, True))]

    def outcomes(self, said=SAID, facts=None):
        return outcome.classify(phase_of(said), facts or self.facts)

    def failed(self, said):
        phase = phase_of(said)
        outcome.judge_text(phase, sites.Sites())
        outcome.judge_idle(phase, {0x100})
        outcome.judge_refusals(phase, lambda i, reason: bool(reason))
        outcomes = outcome.classify(phase, self.facts)
        return [c[0] for c in outcome.checks(phase, outcomes, self.facts) if not c[1]]

    def test_sound(self):
        phase = phase_of()
        self.assertTrue(outcome.is_sound(phase))
        self.assertEqual(self.outcomes(), [outcome.HIT, outcome.REFUSED, outcome.HIT, outcome.MISSED,
                                           outcome.REFUSED, outcome.IDLE])
        self.assertEqual(self.failed(SAID), [])
        self.assertEqual(phase.refused[4], ("-EILSEQ", "inside an instruction"))
        self.assertEqual(list(phase.return_refused), [1])

    def test_guest_that_dies(self):
        phases, unprobed, ended = outcome.parse(SAID[:SAID.index("left")].splitlines(True) + ["hi"])
        self.assertFalse(phases[0].done or ended)
        self.assertFalse(outcome.is_sound(phases[0]))
        self.assertEqual(unprobed, ["run unprobed same 1000"])

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
        said = said.replace("text 0", "text 0\npreemptible")
        self.assertEqual(self.outcomes(said.replace("50 48", "50 41"))[0], outcome.HIT)
        self.assertEqual(self.outcomes(said.replace("50 48", "50 40"))[0], outcome.UNEVEN)

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
        said = SAID.replace("run jumps same", "run jumps different")
        self.assertFalse(outcome.is_sound(phase_of(said)))
        self.assertEqual(self.failed(said), ["workload, jumps"])

    def test_what_is_left(self):
        self.assertEqual(self.failed(SAID.replace("text 0", "text 1")), ["text as before"])
        self.assertEqual(self.failed(SAID.replace("left 0 0 0", "left 0 1 0")), ["nothing in debugfs"])
        self.assertEqual(self.failed(SAID.replace("9000000 1100000", "9000000 3000000")),
                         ["memory as before"])

    def test_points_and_pages_that_are_left(self):
        freed = ["points, detours and pages freed"]
        for line, more in (("points 10 900 0", "points 10 900 1"), ("detours 4 800 0", "detours 4 800 1"),
                           ("pages 5 30", "pages 5 101"), ("points 10 900 0", "points -1 -1 -1"),
                           ("pages 5 30\n", "")):
            self.assertEqual(self.failed(SAID.replace(line, more)), freed, more)
        idle = SAID.replace("left 0 0 0", "left 0 0 1\nidle 100")
        self.assertEqual(self.failed(idle.replace("900 0", "900 1").replace("800 0", "800 1")), [])
        self.assertEqual(self.failed(idle.replace("900 0", "900 2")), freed)
        # Nothing explains why that one stays.
        self.assertEqual(self.failed(idle.replace("idle 100", "idle 101")), freed)
        self.assertEqual(self.failed(SAID.replace("left 0 0 0", "left 0 0 1")), freed)

    def test_memory_that_kasan_keeps(self):
        kept_by_kasan = SAID.replace("text 0\n", "text 0\nquarantine\n")
        for line, more in (("points 10 900 0", "points 10 900 1"), ("9000000 1100000", "9000000 3000000")):
            self.assertEqual(self.failed(kept_by_kasan.replace(line, more)), [], more)

    def test_return_probes_are_armed(self):
        self.assertEqual(self.failed(SAID.replace("armed 4 1 0", "armed 4 0 0")), ["registered together"])

    def test_clean(self):
        self.assertTrue(outcome.is_clean(phase_of()))
        for line, more in (("text 0", "text 1"), ("points 10 900 0", "points 10 900 1"),
                           ("run jumps same", "run jumps failed")):
            phase = phase_of(SAID.replace(line, more))
            self.assertFalse(outcome.is_clean(phase), more)
            self.assertTrue(outcome.what_differs(phase))

    def test_skipped(self):
        self.assertEqual(outcome.skipped(phase_of()), 1)

    def test_workload_that_fails(self):
        said = SAID.replace("run jumps same", "run jumps failed")
        self.assertFalse(outcome.is_sound(phase_of(said)))
        self.assertEqual(self.failed(said), ["workload, jumps"])

    def test_refused_without_a_reason(self):
        said = SAID.replace("-EINVAL blacklisted", "-EINVAL ")
        self.assertEqual(self.failed(said), ["refusals explained"])

    def test_refused_and_not_told(self):
        said = SAID.replace("refused 4 probe -EILSEQ inside an instruction\n", "")
        self.assertEqual(self.failed(said), ["registered together"])


AT = 0xffffffff81000100
LABEL, TARGET, SHORT, CALL, TAIL, FUNCTION = AT, AT + 0x40, AT + 0x10, AT + 0x20, AT + 0x30, AT + 0x800


def to(addr, target, opcode, length=5):
    return opcode + struct.pack("<b" if length == 2 else "<i", target - addr - length)


class Patched(unittest.TestCase):
    """Sites that the kernel patches on its own."""
    known = sites.Sites({LABEL: TARGET, SHORT: TARGET}, {CALL: False, TAIL: True}, [FUNCTION])

    def judge(self, addr, before, now):
        """What is judged of a text in which nothing else differs."""
        def text(code):
            start = addr - 64
            return b"\x90" * 64 + code + b"\x90" * (64 - len(code)), start
        old, start = text(before)
        new, _ = text(now)
        windows = [(start + at, old[at - 8:at + 16], new[at - 8:at + 16])
                   for at in range(8, 112, 8) if old[at:at + 8] != new[at:at + 8]]
        return self.known.judge(windows)

    def expect(self, addr, before, now, legal):
        bad, first, excused = self.judge(addr, before, now)
        self.assertEqual((bad == 0, excused != 0), (legal, legal), (before, now, bad, excused))
        self.assertTrue(legal or addr <= first < addr + 8)

    def test_jump_labels_have_two_forms(self):
        jump, short = to(LABEL, TARGET, b"\xe9"), to(SHORT, TARGET, b"\xeb", 2)
        self.expect(LABEL, sites.NOP5, jump, True)
        self.expect(LABEL, jump, sites.NOP5, True)
        self.expect(SHORT, sites.NOP2, short, True)
        self.expect(LABEL, sites.NOP5, to(LABEL, TARGET + 1, b"\xe9"), False)
        self.expect(LABEL, sites.NOP5, to(LABEL, TARGET, b"\xe8"), False)
        self.expect(LABEL, sites.NOP5, b"\xcc" + sites.NOP5[1:], False)
        self.expect(SHORT, sites.NOP2, to(SHORT, TARGET + 1, b"\xeb", 2), False)

    def test_what_follows_a_short_one_is_no_site(self):
        short = to(SHORT, TARGET, b"\xeb", 2)
        self.expect(SHORT, sites.NOP2 + b"\x90", sites.NOP2 + b"\x91", False)
        bad, first, excused = self.judge(SHORT, sites.NOP2 + b"\x90", short + b"\x91")
        self.assertEqual((bad, first, excused), (1, SHORT + 2, 2))

    def test_static_calls(self):
        call = to(CALL, FUNCTION, b"\xe8")
        for form in (sites.NOP5, sites.XOR5):
            self.expect(CALL, call, form, True)
        self.expect(CALL, sites.NOP5, call, True)
        self.expect(CALL, call, to(CALL, FUNCTION + 1, b"\xe8"), False)
        self.expect(CALL, call, to(CALL, FUNCTION, b"\xe9"), False)
        self.expect(CALL, call, sites.RET5, False)

    def test_static_tail_calls(self):
        jump = to(TAIL, FUNCTION, b"\xe9")
        self.expect(TAIL, jump, sites.RET5, True)
        self.expect(TAIL, jump, sites.NOP5, False)
        self.expect(TAIL, to(TAIL, FUNCTION, b"\x0f\x84", 6), to(TAIL, FUNCTION + 8, b"\x0f\x84", 6), False)

    def test_calls_with_a_symbol(self):
        names = {"__SCT__might_resched": 16, "ftrace_call": 32, "ftrace_stub": 48}
        self.assertEqual(sites.named_calls(names), {16: True, 32: False})

    def test_calls_of_ftrace_that_were_counted(self):
        self.expect(CALL, to(CALL, FUNCTION - 9, b"\xe8"), to(CALL, FUNCTION, b"\xe8"), True)
        self.expect(CALL, to(CALL, FUNCTION, b"\xe8"), to(CALL, FUNCTION - 9, b"\xe8"), False)

    def test_elsewhere_every_byte_counts(self):
        self.expect(AT + 0x60, sites.NOP5, to(AT + 0x60, TARGET, b"\xe9"), False)

    def test_tables(self):
        table = 0xffffffff82000000
        entry = struct.pack("<iiq", LABEL - table, TARGET - table - 4, 0)
        self.assertEqual(sites.parse_labels(table, entry + b"\0" * 3), {LABEL: TARGET})
        calls = struct.pack("<iiii", CALL - table, 12, TAIL - table - 8, 13 - 12)
        self.assertEqual(sites.parse_calls(table, calls), {CALL: False, TAIL: True})

    def test_of_a_phase(self):
        flip = "differs %x %s %s\ntext %d\n"
        old, new = b"\x90" * 8 + sites.NOP5, b"\x90" * 8 + to(LABEL, TARGET, b"\xe9")
        pad = b"\x90" * 11
        for bytes_told, good in ((3, True), (4, False)):
            line = flip % (LABEL, (old + pad).hex(), (new + pad).hex(), bytes_told)
            phase = phase_of(SAID.replace("text 0\n", line))
            outcome.judge_text(phase, self.known)
            failed = [c[0] for c in outcome.checks(phase, [], []) if not c[1]]
            self.assertEqual("text as before" not in failed, good)


class Explained(unittest.TestCase):
    """Reasons of refusals that the text shows, or does not show."""

    def explains(self, reason, code=b"\x90", symbol="some", known=True):
        t = text.parse(["0 <%s>:" % symbol, " 0:\tnop"], text.Text("vmlinux", len(code)))
        t.start, t.bytes = AT, code
        e = object.__new__(explain.Explanations)
        e.texts, e.sites = [t], [{AT} if known else set()]
        e.kernel = types.SimpleNamespace(entries=set() if known else {AT},
                                         names_at=lambda address: {symbol, ".some"},
                                         is_blacklisted=lambda address: known)
        return e.explains(0, 0, reason)

    def test_every_reason_has_an_instruction(self):
        for reason, code in (("landing pad of indirect branches", b"\xf3\x0f\x1e\xfa"),
                             ("instruction cannot be probed: its trap belongs to another subsystem", b"\x0f\x0b"),
                             ("instruction cannot be probed: changes privilege level or segment", b"\x48\xcf"),
                             ("instruction cannot be probed: changes privilege level or segment", b"\x0f\x01\xf8"),
                             ("instruction cannot be probed: waits for an interrupt", b"\xf4"),
                             ("instruction cannot be probed: keeps interrupts off for the next one", b"\xfb")):
            self.assertTrue(self.explains(reason, code), reason)
            self.assertFalse(self.explains(reason, b"\x48\x89\xfd"), reason)

    def test_tables_and_symbols(self):
        for reason in (explain.PATCHED, "blacklisted", "not a function's entry"):
            self.assertTrue(self.explains(reason), reason)
            self.assertFalse(self.explains(reason, known=False), reason)
        for reason, symbol in zip(explain.SYMBOLS, ("__pfx_some", "__SCT__some")):
            self.assertFalse(self.explains(reason), reason)
            self.assertTrue(self.explains(reason, symbol=symbol), reason)
        self.assertFalse(self.explains("no instruction that can be decoded"))
        self.assertFalse(self.explains(""))

    def test_behind_a_landing_pad(self):
        t = text.parse(["0 <some>:", " 0:\tendbr64", " 4:\tnop"], text.Text("vmlinux", 9))
        t.start = AT
        e = object.__new__(explain.Explanations)
        e.texts, e.sites = [t], [{AT + 4}]
        for pad in (b"\xf3\x0f\x1e\xfa", b"\x66\x0f\x1f\x00"):
            t.bytes = pad + sites.NOP5
            self.assertTrue(e.explains(0, 0, explain.PATCHED))
        t.bytes = b"\x48\x89\xf8\x90" + sites.NOP5
        self.assertFalse(e.explains(0, 0, explain.PATCHED))

    def test_names_of_a_module(self):
        front = text.parse(["0 <.Ltmp4>:", " 0:\tnop"], text.Text("dummy", 16))
        front.start = AT
        e = object.__new__(explain.Explanations)
        e.texts, e.names = [None, front], {AT: {"__cfi_some"}}
        reason = next(iter(explain.SYMBOLS))
        self.assertTrue(e.shows(1, 0, reason))
        e.names = {AT: {"some"}, AT + 1: {"__cfi_some"}}
        self.assertFalse(e.shows(1, 0, reason))

    def test_what_objdump_does_not_know(self):
        self.assertFalse(self.explains("inside an instruction"))
        t = text.parse(["0 <some>:", " 0:\trepnz (bad)", " 3:\tnop"], text.Text("vmlinux", 4))
        self.assertEqual(t.undecoded, {"some"})

    def test_names_on_the_blacklist(self):
        pairs, names, either = explain.named(explain.BLACKLIST)
        self.assertIn(("ftrace_caller", "ftrace_caller_end"), pairs)
        # The last of a pair to its end, too.
        self.assertTrue({"ftrace_caller", "swap_pages", "startup_64", "native_write_cr4"} <= names)
        self.assertFalse({"native_read_cr3", *either} & names)
        self.assertEqual(either, ("create_image", "hibernation_snapshot"))
        self.assertTrue({"cpuhp_report_idle_dead", "native_play_dead"} <= explain.dying() | names)

    def test_calls_of_sanitizers(self):
        k = object.__new__(explain.Kernel)
        k.names, k.starts, k.forbidden = {AT: ["f"]}, [AT], set()
        k.all_starts, k.by_name, k.ranges = [AT], {"listed"}, []
        for name in ("__tsan_read8", "__asan_load8", "__sanitizer_cov_trace_pc", "listed.cold"):
            k.all_names = {AT: {name}}
            self.assertTrue(k.is_blacklisted(AT), name)
        for name in ("kcsan_found", "tsan_read8", "some"):
            k.all_names = {AT: {name}}
            self.assertFalse(k.is_blacklisted(AT), name)

    def test_reasons_are_those_of_kprobes(self):
        with open(os.path.join(PROOF, "..", "..", "kernel", "kprobes", "reason.c")) as f:
            source = f.read()
        for reason in [*explain.SYMBOLS, *explain.OPCODES, explain.PATCHED]:
            self.assertIn('"%s"' % reason, source)


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
    directory = ""

    def __init__(self, fatal=(), different=()):
        self.fatal, self.different, self.boots = set(fatal), set(different), 0

    def boot(self, plan, limit, watch=None):
        self.boots += 1
        _, objects, phases, _ = struct.unpack_from("<4I", plan)
        at, lines = 16 + objects * (text.NAME + 8), ["run unprobed same 10\n"]
        for _ in range(phases):
            number, n, _, _ = struct.unpack_from("<4I", plan, at)
            at += 16
            records = [struct.unpack_from("<IBBB", plan, at + 8 * i) for i in range(n)]
            offsets = {record[0] for record in records}
            at += 8 * n
            lines.append("phase %d %d\n" % (number, n))
            lines.append("armed %d %d 0\n" % (n, sum(bool(r[3] & text.RETURN) for r in records)))
            if offsets & self.fatal:
                return lines, ["the kernel said: Oops"], ["Oops"]
            how = "different" if offsets & self.different else "same"
            lines += ["run jumps %s 5\n" % how, "text 0\n", "left 0 0 0\n", "memory 1 2 1\n",
                      "points 1 2 0\n", "detours 1 2 0\n", "pages 3 3\n",
                      "hit 0 3 3 0 0 0 j 1 1 0\n", "done %d\n" % number]
        return lines + ["end\n"], [], []


class Sweeping(unittest.TestCase):
    def sweep(self, guest, jobs=2, **how):
        s = sweep.Sweep(guest, [some_text(400)], 1, **how)
        s.say = lambda words: None
        s.sweep(sweep.dealt(s.texts, 1, False, 20, 10), jobs, 3)
        return s

    def said(self, s):
        return "\n".join(report.summary(s))

    def test_nothing_fails(self):
        s = self.sweep(FakeGuest())
        self.assertEqual(len(s.outcomes), 400)
        self.assertTrue(all(c[2] for c in s.checks))
        self.assertIn("0 crashed, 0 uneven, 0 different, 0 unexplained", self.said(s))

    def test_crash_is_found_and_the_rest_is_swept(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77]))
        self.assertEqual([i for i, what in s.outcomes.items() if what == outcome.CRASHED], [(0, 77)])
        self.assertEqual(len(s.outcomes), 400)
        self.assertIn("1 crashed", self.said(s))
        self.assertIn("some+0x134", self.said(s))
        self.assertRegex(self.said(s), r"passed, 1 failed")

    def test_two_crashes(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77, 4 * 300]), jobs=1)
        found = sorted(i for i, what in s.outcomes.items() if what == outcome.CRASHED)
        self.assertEqual(found, [(0, 77), (0, 300)])
        self.assertEqual(len(s.outcomes), 400)

    def test_crash_is_found_where_another_one_differs(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77], different=[4 * i for i in range(400) if i != 77]))
        crashed = [i for i, what in s.outcomes.items() if what == outcome.CRASHED]
        self.assertEqual(crashed, [(0, 77)])
        self.assertIn(outcome.DIFFERENT, s.outcomes.values())

    def test_output_that_differs_is_found(self):
        s = self.sweep(FakeGuest(different=[4 * 5]))
        found = [i for i, what in s.outcomes.items() if what == outcome.DIFFERENT]
        self.assertEqual(found, [(0, 5)])

    def test_guest_that_never_begins(self):
        guest = FakeGuest()
        guest.boot = lambda *args: ([], ["no output"], ["hung"])
        s = self.sweep(guest)
        self.assertTrue(s.checks and not any(c[2] for c in s.checks))

    def test_is_continued(self):
        with tempfile.TemporaryDirectory() as to:
            crashing = FakeGuest(fatal=[4 * 77])
            first = self.sweep(crashing, results=kept.Kept(to))
            phases = len(os.listdir(to))
            # Those of the guest that has crashed are not kept.
            self.assertTrue(10 < phases < 20, phases)
            sound = FakeGuest()
            second = self.sweep(sound, results=kept.Kept(to))
            self.assertEqual((second.known, second.planned, len(second.phases)), (phases, 20, 20))
            self.assertLess(sound.boots, 4)
            self.assertEqual(len(second.outcomes), 400)
            self.assertIn("20 of 20 phases done, %d of them" % phases, self.said(second))
            other = self.sweep(FakeGuest(), results=kept.Kept(to), quick=True)
            self.assertEqual((first.known, other.known), (0, 0))

    def test_ends_in_time(self):
        guest = FakeGuest(fatal=[4 * 77])
        s = self.sweep(guest, jobs=1, limit=1e-9)
        self.assertEqual((guest.boots, len(s.phases), s.planned), (0, 0, 20))
        s = self.sweep(guest, jobs=1, limit=1000)
        # Which instruction it was is not looked for.
        self.assertEqual(guest.boots, 8)
        self.assertEqual(len(s.phases), 19)
        self.assertIn("1 failed", self.said(s))

    def test_quick_phases_take_turns(self):
        steps = {sweep.steps_of(number, True) for number in range(1, 13)}
        self.assertEqual(steps, {0x7, 0xf, 0x17})
        self.assertEqual({sweep.steps_of(number, False) for number in range(1, 13)}, {0x1f})
        with unittest.mock.patch.dict(os.environ, {"FEW_TRACED": "1"}):
            self.assertEqual(sweep.steps_of(1, False), 0x3f)

    def test_skipped_without_probes_is_no_failure(self):
        for how, good in (("skipped", True), ("failed", False)):
            guest = FakeGuest()
            boot = guest.boot
            guest.boot = lambda *args: (["run unprobed+graph %s 1\n" % how] + boot(*args)[0], [], [])
            s = self.sweep(guest, jobs=1)
            self.assertEqual(all(c[2] for c in s.checks), good)

    def test_where_the_next_run_begins(self):
        numbered = [(number, []) for number in range(1, 6)]
        with tempfile.TemporaryDirectory() as to:
            path = os.path.join(to, "next")
            self.assertEqual(kept.begin_at(numbered, path), numbered)
            self.assertEqual(kept.note_next(path, numbered, {1, 2}), 3)
            order = kept.begin_at(numbered, path)
            self.assertEqual([n for n, _ in order], [3, 4, 5, 1, 2])
            self.assertEqual(kept.note_next(path, order, {3, 4, 5, 1}), 2)

    def test_report(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77]))
        page = report.page(s)
        self.assertIn("<svg", page)
        self.assertIn(report.COLOURS[outcome.CRASHED], page)
        self.assertNotRegex(page, r'(src|href)="')

    def test_map(self):
        s = types.SimpleNamespace(texts=[some_text(400)], outcomes={
            (0, i): outcome.IDLE for i in range(200)})
        s.outcomes[0, 3] = outcome.UNEVEN
        self.assertEqual(report.cells(s, 0), [outcome.UNEVEN, outcome.IDLE])

    def test_runs_of_equal_cells(self):
        self.assertEqual(list(report.runs("aab")), [(0, 2, "a"), (2, 1, "b")])


if __name__ == "__main__":
    unittest.main()
