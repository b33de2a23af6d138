# SPDX-License-Identifier: GPL-2.0
"""Unit tests of the sweep of scripts/proof."""
import contextlib
import io
import os
import re
import struct
import sys
import tempfile
import types
import unittest

PROOF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proof")
sys.path.insert(0, PROOF)
import explain  # noqa: E402
import machines  # noqa: E402
import outcome  # noqa: E402
import report   # noqa: E402
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


def parsed(lines, size=0x20, start=0):
    t = text.Text(start, b"\x90" * size)
    text.parse(lines, t)
    return t


def some_text(number):
    """Instructions of four bytes."""
    t = text.Text(0x100, b"\x90" * 4 * number)
    for i in range(number):
        t.offsets.append(i * 4)
        t.lengths.append(4)
        t.flags.append(text.SEQUENTIAL)
    return t


class Boundaries(unittest.TestCase):
    def test_instructions(self):
        t = parsed(DISASSEMBLY.splitlines(), start=0xffffffff81000000)
        # Not two nops in front of the function, nor two int3 after its return; but that after je.
        self.assertEqual(list(t.offsets), [0, 3, 7, 0xc, 0x11, 0x13, 0x14, 0x18])
        self.assertEqual(list(t.lengths), [1, 4, 5, 5, 2, 1, 2, 8])
        self.assertEqual([bool(f & text.SEQUENTIAL) for f in t.flags], [True] * 4 + [False] * 4)
        self.assertEqual([o for o, f in zip(t.offsets, t.flags) if f & text.RETURN], [3, 0x18])
        self.assertEqual((t.name(3), t.name(7)), ("first+0x9", "second+0x0"))
        self.assertFalse(any(f & text.CONTEXT for f in t.flags))

    def test_changes_of_context(self):
        for line, changes in ((
                "10:\tsubl   $0x10000,%gs:0x7efe1f05(%rip)        # 36508 <pcpu_hot+0x8>", True), (
                "10:\tmov    %gs:0x7efe1f05(%rip),%eax        # 36508 <pcpu_hot+0x8>", False), (
                "10:\tincl   %gs:0x7efe1f05(%rip)        # 36500 <pcpu_hot>", False)):
            t = parsed(["10 <f>:", line])
            self.assertEqual(bool(t.flags[0] & text.CONTEXT), changes, line)

    def test_post_handlers_that_may_be_missed(self):
        t = text.Text(0, b"\x07" * 0x20, machines.S390)
        text.parse(["0 <futex>:", "0:\tlgr\t%r1,%r2", "4:\tsacf\t256", "8:\tcs\t%r1,%r2,0(%r3)", "c:\tsacf\t768",
                    "10 <irq_exit_rcu>:", "10:\tlgr\t%r1,%r2", "14 <other>:", "14:\tlgr\t%r1,%r2"], t)
        self.assertEqual([t.misses_posts(i) for i in range(6)], [True] * 5 + [False])

    def test_what_a_function_ends_with(self):
        t = parsed(["0 <a>:", "0:\tjmp    20 <b>", "5:\tje     4 <a+0x4>", "7:\tjne    30 <c+0x2>",
                        "9:\tjmp    50 <__x86_return_thunk>", "20 <b>:", "20:\tjmp    40 <d>",
                        "40 <d>:", "40:\tjmp    *%rax", "50 <e>:", "50:\tcall   20 <b>"],
                   96)
        self.assertEqual(t.tails["a"], {"b", "c"})
        self.assertEqual(text.waits_in(t, 0x50), {"e"})
        self.assertIsNone(text.waits_in(t, 0))
        del t.tails["d"]
        self.assertEqual(text.waits_in(t, 0), {"a", "b", "c", "d"})
        t.scheduler = 0, 0x10
        self.assertIsNone(text.waits_in(t, 0))

    def test_what_objdump_does_not_know(self):
        t = parsed(["0 <some>:", " 0:\trepnz (bad)", " 3:\tnop"])
        self.assertEqual(t.undecoded, {"some"})

    def test_code_of_arm(self):
        t = text.Text(0x100, b"\0" * 40, machines.Arm)
        text.parse(["0100 <some>:", "100:\tpopeq\t{r4, pc}", "104:\tldrls\tpc, [pc, r3, lsl #2]", "108:\tbicne\tr0, r1",
                    "10c:\tbls\t100 <some>", "110:\tmovne\tpc, lr", "0114 <table>:", "114:\t<B..d./.4g..4g..",
                    "0124 <other>:", "124:\tnop\t\t\t@ (mov r0, r0)"], t)
        self.assertEqual(list(t.offsets), [0, 4, 8, 12, 16, 36])
        self.assertEqual([bool(f & text.SEQUENTIAL) for f in t.flags], [False, False, True, False, False, True])
        self.assertEqual(t.tails, {})


class Dealing(unittest.TestCase):
    def setUp(self):
        self.text = some_text(1060)

    def dealt(self, **rest):
        phases = text.deal(self.text, 3, 50, **rest)
        self.assertEqual([number for number, _ in phases], list(range(1, len(phases) + 1)))
        return [items for _, items in phases]

    def test_every_instruction_once(self):
        phases = self.dealt()
        self.assertEqual(sorted(sum(phases, [])), list(range(1060)))
        self.assertLessEqual(max(len(items) for items in phases), 50)
        # Each is all over the text.
        self.assertTrue(all(items[0] < 60 and items[-1] >= 1000 for items in phases))
        self.assertEqual(phases, self.dealt())

    def test_quick_is_the_first_tenth(self):
        quick = self.dealt(quick=True)
        self.assertEqual(quick, self.dealt()[:len(quick)])
        self.assertEqual([i // 10 for i in sorted(sum(quick, []))], list(range(106)))

    def test_the_decoder_comes_last(self):
        self.text.symbol_offsets, self.text.symbols = [0, 400, 440], ["before", "insn_get_prefixes", "after"]
        whole = self.dealt()
        self.assertEqual(whole[-1], list(range(100, 110)))
        self.assertEqual(sorted(sum(whole, [])), list(range(1060)))
        left = sum(self.dealt(left_out=frozenset(["insn_get_prefixes"])), [])
        self.assertEqual(sorted(left), [i for i in range(1060) if i not in whole[-1]])

    def test_entries_come_first(self):
        for i in range(0, 1060, 10):
            self.text.flags[i] |= text.RETURN
        whole = self.dealt(sites={4})
        self.assertEqual([len(items) for items in whole[:4]], [27, 27, 27, 26])
        self.assertEqual(sorted(sum(whole[:4], [])), sorted([1, *range(0, 1060, 10)]))
        self.assertEqual(sorted(sum(whole, [])), list(range(1060)))

    def test_records(self):
        records = sweep.records_of(self.text, [2, 3], 1)
        self.assertEqual(struct.unpack_from("<IBB", records, 8), (12, 4, text.SEQUENTIAL | text.POST))
        self.text.machine, self.text.traced = machines.Loongarch, {12}
        records = sweep.records_of(self.text, [2, 3], 1)
        self.assertEqual([struct.unpack_from("<IB", records, at) for at in (0, 8)], [(8, 4), (12, 8)])

    def test_numbers_are_those_of_the_module(self):
        with open(os.path.join(PROOF, "module", "kprobe_sweep.c")) as f:
            source = f.read()
        for name in ("POST", "SEQUENTIAL", "RETURN"):
            self.assertRegex(source, r"#define %s\s+%d\b" % (name, getattr(text, name)))


SAID = """run unprobed same 10
without sud_test: 4, x
phase 3
... f+0x1/0x2  kprobe  0x104+0x0  -EINVAL  blacklisted: function must not be probed
... f+0x1/0x2  kretprobe  0x104+0x0  -EINVAL  not-entry: not a function's entry
... f+0x1/0x2  kprobe  0x110+0x0  -EILSEQ  inside: inside an instruction
run breakpoints same 12
jumps 3
run jumps same 11
run function skipped 0
inside 1 waits
tasks 7
left 0 0 0
compared
used before 1000000 10 4 5
used armed 9000000 900 800 30
used after 1100000 0 0 30
hit 0 5 5 0 0 0 0
refused 1 probe -22
refused 1 return -22
hit 2 7 6 1 0 0 0
hit 3 4 0 0 2 0 0
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

    def failed(self, said):
        """The checks that fail. One after which the culprit is looked for makes the phase unclean."""
        phase = phase_of(said)
        why = types.SimpleNamespace(kernel=types.SimpleNamespace(patched=explain.Sites()), idle={0x100},
                                    explains=lambda i, reason: reason != outcome.UNEXPLAINED)
        sweep.Sweep(None, [], some_text(6), why).judge(phase, list(range(6)))
        outcomes = outcome.classify(phase, self.facts)
        failed = [c[0] for c in outcome.checks(phase, outcomes) if not c[1]]
        self.assertEqual(outcome.is_clean(phase), not set(failed) & {
            "text as before", "workload, jumps", "points, detours and pages freed"})
        return failed

    def test_sound(self):
        phase = phase_of()
        self.assertTrue(outcome.is_clean(phase))
        self.assertEqual(self.outcomes(), [outcome.HIT, outcome.REFUSED, outcome.HIT, outcome.MISSED,
                                           outcome.REFUSED, outcome.IDLE])
        self.assertEqual(self.failed(SAID), [])
        self.assertEqual(phase.reasons["kprobe", 0x110], ("-EILSEQ", "inside: inside an instruction"))
        self.assertEqual(phase.errors[1, "return"], -22)

    def test_kernel_that_was_moved(self):
        said = SAID.replace("compared", "idle 120\ncompared\ndiffers 140 90 91")
        phase = outcome.parse(said.splitlines(), 0x20)[0][0]
        self.assertEqual((phase.idle, phase.windows), ([0x100], [[(0x120, b"\x90", b"\x91")]]))
        self.assertIn(("kprobe", 0xf0), phase.reasons)

    def test_guest_that_dies(self):
        phases, unprobed = outcome.parse((SAID[:SAID.index("left")] + "hit 1 2").splitlines())
        self.assertFalse(phases[0].done or outcome.is_clean(phases[0]))
        self.assertEqual(unprobed, ["run unprobed same 10", "without sud_test: 4, x"])

    def test_books_of_handlers(self):
        first, third, fourth = "hit 0 5 5 0 0 0 0", "hit 2 7 6 1 0 0 0", "hit 3 4 0 0 2 0 0"
        for i, line, now, what in (
                (0, first, "hit 0 5 4 0 0 0 0", outcome.UNEVEN), (0, first, "hit 0 5 6 0 0 0 0", outcome.UNEVEN),
                # On each of two CPUs one is unregistered meanwhile, and before that disabled, twice.
                (0, first, "hit 0 5 4 0 0 0 1", outcome.HIT), (0, first, "hit 0 5 3 0 0 0 1", outcome.UNEVEN),
                (2, third, "hit 2 9 3 0 0 0 20", outcome.HIT), (2, third, "hit 2 9 2 0 0 0 20", outcome.UNEVEN),
                # A fault excuses one.
                (2, third, "hit 2 7 5 1 0 0 0", outcome.UNEVEN), (2, third, "hit 2 7 7 1 0 0 0", outcome.HIT),
                # A wrong instruction pointer.
                (3, fourth, "hit 3 4 0 0 2 1 0", outcome.UNEVEN)):
            self.assertEqual(self.outcomes(SAID.replace(line, now))[i], what, now)
        self.assertEqual(self.failed(SAID.replace("hit 0 5 5", "hit 0 5 4")), ["books"])

    def test_a_miss_excuses_a_post_handler_after_a_change_of_context_only(self):
        said = SAID.replace("hit 0 5 5 0 0", "hit 0 5 4 0 1")
        self.assertEqual(self.outcomes(said)[0], outcome.UNEVEN)
        ends_interrupt = [f._replace(misses=True) for f in self.facts]
        self.assertEqual(self.outcomes(said, ends_interrupt)[0], outcome.MISSED)
        self.assertEqual(self.outcomes(said.replace("5 4 0 1", "5 3 0 1"), ends_interrupt)[0],
                         outcome.UNEVEN)

    def test_books_of_returns(self):
        here = frozenset({"waits"})
        for counts, waits, what in (
                ("5 6 0 0", here, outcome.UNEVEN), ("501 500 0 0", here, outcome.UNEVEN),
                # One task is in the function, and two may run.
                ("500 497 0 0", here, outcome.HIT), ("500 496 0 0", here, outcome.UNEVEN),
                ("500 496 1 0", here, outcome.HIT), ("500 0 0 0", here, outcome.UNEVEN),
                # Nobody is in another function.
                ("500 497 0 0", frozenset({"other"}), outcome.UNEVEN),
                ("500 497 0 0", frozenset({"other", "waits"}), outcome.HIT),
                # It may be in any of the seven tasks that there are.
                ("500 491 0 0", None, outcome.HIT), ("500 490 0 0", None, outcome.UNEVEN),
                # That never returns.
                ("500 0 0 0", frozenset({"do_exit"}), outcome.HIT),
                ("500 0 0 0", frozenset({"do_exit_status"}), outcome.UNEVEN),
                # The return probe is not entered.
                ("0 0 0 0", here, outcome.UNEVEN), ("490 490 0 0", here, outcome.UNEVEN),
                ("490 490 0 8", here, outcome.HIT), ("490 490 8 0", here, outcome.HIT)):
            said = SAID.replace("hit 0 5 5", "hit 0 500 500").replace("return 0 5 4 0 0", "return 0 " + counts)
            facts = [f._replace(waits=waits) for f in self.facts]
            self.assertEqual(self.outcomes(said, facts)[0], what, (counts, waits))

    def test_checks_of_a_phase(self):
        compared, left, after = "compared\n", "left 0 0 0", "after 1100000 0 0 30"
        differs = "compared\ndiffers 140 %s %s\n" % ("90" * 24, "91" * 24)
        text, freed = "text as before", "points, detours and pages freed"
        for line, now, failed in (
                ("run jumps same", "run jumps different", "workload, jumps"),
                ("run jumps same", "run jumps failed", "workload, jumps"),
                (compared, differs, text), (compared, "", text),
                # A site that was half patched in one of the comparisons.
                (compared, differs + compared, None),
                (left, "left 0 1 0", "nothing in debugfs"),
                (after, "after 3000000 0 0 30", "memory as before"),
                (after, "after 1100000 1 0 30", freed), (after, "after 1100000 0 1 30", freed),
                (after, "after 1100000 0 0 101", freed), (left, "left 0 0 1", freed),
                # Nothing explains why that point stays.
                (left, "left 0 0 1\nidle 101", freed),
                ("... f+0x1/0x2  kprobe  0x110+0x0  -EILSEQ  inside: inside an instruction\n", "", "refusals explained"),
                ("... f+0x1/0x2  kretprobe  0x104+0x0  -EINVAL  not-entry: not a function's entry\n", "",
                 "refusals explained")):
            self.assertIn(line, SAID)
            self.assertEqual(self.failed(SAID.replace(line, now)), [failed] if failed else [], now)
        idle = SAID.replace(left, "left 0 0 1\nidle 100")
        self.assertEqual(self.failed(idle.replace(after, "after 1100000 1 1 30")), [])
        self.assertEqual(self.failed(idle.replace(after, "after 1100000 2 1 30")), [freed])
        # Probes that are not armed are not hit.
        self.assertEqual(self.failed("".join(line + "\n" for line in SAID.splitlines()
                                             if not line.startswith(("hit", "return")))), ["probes are hit"])


class Halving(unittest.TestCase):
    def test_two_that_fail_together(self):
        items = list(range(64))
        self.assertEqual(outcome.smallest(items, {10, 14}.issubset), list(range(8, 16)))
        self.assertEqual(outcome.smallest(items, {64}.issubset), items)


class FakeGuest:
    """Answers a plan like a guest in which a probe on some instructions is fatal."""

    def __init__(self, fatal=(), different=(), unprobed="same", counts="hit 0 3 3 0 0 0 0"):
        self.fatal, self.different, self.unprobed = set(fatal), set(different), unprobed
        self.counts, self.around = counts, set()

    def boot(self, words, plan, watch):
        self.around.update(re.findall(r":(\w+)", words[-1]))
        lines, problems = ["without sud_test: 4", "run unprobed %s 1" % self.unprobed], []
        for number, records in plan:
            offsets = {record[0] for record in struct.iter_unpack("<IBBH", records)}
            lines.append("phase %d" % number)
            if offsets & self.fatal:
                problems = ["the kernel said: Oops"]
                break
            lines += ["run jumps %s 5" % ("different" if offsets & self.different else "same"), "compared",
                      "left 0 0 0", "used before 1 1 1 3", "used armed 2 2 2 3", "used after 1 0 0 3",
                      self.counts, "done %d" % number]
        return "\n".join(lines).encode(), problems, ["Oops"]


class Sweeping(unittest.TestCase):
    def sweep(self, guest, jobs=2, search=True):
        why = types.SimpleNamespace(kernel=types.SimpleNamespace(patched=explain.Sites()), idle=set())
        s = sweep.Sweep(guest, [], some_text(400), why)
        s.seed, s.search, s.say = 1, search, lambda words: None
        s.sweep(text.deal(s.text, 1, 20), jobs)
        with tempfile.NamedTemporaryFile("r") as f, contextlib.redirect_stdout(io.StringIO()) as out:
            self.status = report.write(s, f.name)
            self.file, self.said = f.read(), out.getvalue()
        return s

    def instructions(self, s, what):
        return sorted(i for i, found in s.outcomes.items() if found == what)

    def test_nothing_fails(self):
        s = self.sweep(FakeGuest())
        self.assertEqual((len(s.outcomes), len(s.phases), self.status), (400, 20, 0))
        self.assertIn("0 crashed, 0 uneven, 0 different, 0 unexplained", self.said)
        self.assertIn("Reach: the workload executed 20 of 400 instructions, 5.00 %", self.said)
        self.assertRegex(self.said, r"\n\d+ passed, 0 failed, 1 skipped\n$")
        self.assertRegex(self.file, r"\n\.\. +0x100\n")

    def test_crash_is_found_and_the_other_phases_are_swept(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77, 4 * 300]), jobs=1)
        self.assertEqual(self.instructions(s, outcome.CRASHED), [77, 300])
        self.assertEqual((len(s.outcomes), len(s.phases), self.status), (362, 18, 1))
        self.assertIn("with a probe on 1: 0x234", self.said)
        self.assertRegex(self.said, r"2 crashed, (.|\n)*passed, 2 failed")
        self.assertRegex(self.file, r"\nCC +0x100\n")

    def test_output_that_differs_is_found(self):
        s = self.sweep(FakeGuest(different=[4 * 5]))
        self.assertEqual(self.instructions(s, outcome.DIFFERENT), [5])
        self.assertEqual((len(s.outcomes), self.status), (400, 1))
        self.assertIn("0 crashed, 0 uneven, 1 different", self.said)

    def test_without_a_search_nothing_runs_twice(self):
        s = self.sweep(FakeGuest(fatal=[4 * 77], different=[4 * 5]), jobs=1, search=False)
        self.assertEqual((len(s.phases), self.status), (19, 1))
        self.assertRegex(self.said, "1 crashed, 0 uneven, 1 different")
        self.assertIn("crashed: the kernel said: Oops", self.said)

    def test_books_that_do_not_balance(self):
        self.sweep(FakeGuest(counts="hit 0 3 3 0 0 1 0"))
        self.assertEqual(self.status, 1)
        self.assertIn("0 crashed, 20 uneven, 0 different", self.said)

    def test_guest_that_never_begins(self):
        guest = FakeGuest()
        guest.boot = lambda *args: (b"", ["no output"], ["hung"])
        self.sweep(guest)
        self.assertEqual(self.status, 1)
        self.assertRegex(self.said, r"\n4 crashed, (.|\n)*\n0 passed, 4 failed")

    def test_surroundings_take_turns(self):
        guest = FakeGuest()
        self.sweep(guest, jobs=20)
        self.assertEqual(guest.around, set(sweep.AROUND))

    def test_unprobed_workload_that_varies(self):
        for how in ("failed", "different"):
            self.sweep(FakeGuest(unprobed=how), jobs=1)
            self.assertEqual(self.status, 1, how)


NOP2 = b"\x66\x90"
AT = 0xffffffff81000100
LABEL, TARGET, SHORT, CALL, TAIL, FUNCTION = AT, AT + 0x40, AT + 0x10, AT + 0x20, AT + 0x30, AT + 0x800


def to(addr, target, opcode, length=5):
    return opcode + struct.pack("<b" if length == 2 else "<i", target - addr - length)


class Patched(unittest.TestCase):
    """Sites that the kernel patches on its own."""
    known = explain.Sites({LABEL: TARGET, SHORT: TARGET}, {CALL: False, TAIL: True}, [FUNCTION])

    def judge(self, addr, before, now):
        """What is judged of a text in which nothing else differs."""
        old, new = (b"\x90" * 64 + code + b"\x90" * (64 - len(code)) for code in (before, now))
        return self.known.judge([(addr - 64 + at, old[at - 8:at + 16], new[at - 8:at + 16])
                                 for at in range(8, 112, 8) if old[at:at + 8] != new[at:at + 8]])

    def test_forms(self):
        jump, short = to(LABEL, TARGET, b"\xe9"), to(SHORT, TARGET, b"\xeb", 2)
        call, tail = to(CALL, FUNCTION, b"\xe8"), to(TAIL, FUNCTION, b"\xe9")
        for addr, before, now, legal in (
                (LABEL, explain.NOP5, jump, True),
                (LABEL, jump, explain.NOP5, True),
                (SHORT, NOP2, short, True),
                (SHORT, NOP2 + b"\x90", NOP2 + b"\x91", False),
                (SHORT, NOP2, to(SHORT, TARGET + 1, b"\xeb", 2), False),
                (LABEL, explain.NOP5, to(LABEL, TARGET + 1, b"\xe9"), False),
                (LABEL, explain.NOP5, to(LABEL, TARGET, b"\xe8"), False),
                (LABEL, explain.NOP5, b"\xcc" + explain.NOP5[1:], False),
                (CALL, call, explain.NOP5, True),
                (CALL, call, explain.XOR5, True),
                (CALL, explain.NOP5, call, True),
                (CALL, call, to(CALL, FUNCTION + 1, b"\xe8"), False),
                (CALL, call, to(CALL, FUNCTION, b"\xe9"), False),
                (CALL, call, explain.RET5, False),
                (TAIL, tail, explain.RET5, True),
                (TAIL, tail, explain.NOP5, False),
                (TAIL, to(TAIL, FUNCTION + 8, b"\x0f\x84", 6), to(TAIL, FUNCTION, b"\x0f\x84", 6), True),
                (TAIL, to(TAIL, FUNCTION, b"\x0f\x84", 6), to(TAIL, FUNCTION + 8, b"\x0f\x84", 6), False),
                (AT + 0x60, explain.NOP5, to(AT + 0x60, TARGET, b"\xe9"), False)):
            bad, first, excused = self.judge(addr, before, now)
            self.assertEqual((bad == 0, excused != 0), (legal, legal), (before, now, bad, excused))
            self.assertTrue(legal or addr <= first < addr + 8)

    def test_room_for_copies(self):
        symbols = [("f", AT, 8, "FUNC"), (text.ROOM, AT + 16, 0, "FUNC"), ("g", AT + 64, 8, "FUNC")]
        self.assertEqual(text.room(types.SimpleNamespace(symbols=symbols)), (AT + 16, AT + 64))
        self.assertIsNone(text.room(types.SimpleNamespace(symbols=symbols[:1])))

    def test_trampolines_of_ftrace(self):
        known = explain.Sites()
        known.ranges = [(AT, AT + 2)]
        window = AT + 8 - explain.WINDOW, b"a" * 24, b"b" * 24
        self.assertEqual(known.judge([window])[0::2], (6, 2))

    def test_tables(self):
        table = 0xffffffff82000000
        entry = struct.pack("<iiq", LABEL - table, TARGET - table - 4, 0)
        self.assertEqual(list(explain.parse_table(table, entry + b"\0" * 3, 16, True)), [(LABEL, TARGET)])
        entry = struct.pack(">QQQ", LABEL, TARGET, 1)
        self.assertEqual(list(explain.parse_table(table, entry, 24, False, ">")), [(LABEL, TARGET)])
        self.assertEqual(list(explain.parse_table(table, entry[:4], 4, False, ">", "I")), [(LABEL >> 32, 0)])

    def test_branches(self):
        """Mnemonics behind which execution may go on elsewhere, and others that begin like them."""
        for machine, branches, others in (
                (machines.Loongarch, "b bl beqz bltz bgez blez bgtz jirl jr ret break", "bstrpick.d bstrins.w break.d"),
                (machines.Sparc, "ba ba,a bne,pn brz,pn cwbne call jmpl ret return retry ta tne",
                 "btst bset bclr bmask taddcc tst restore"),
                (machines.Parisc, "b b,l b,l,n be,n bv bb,< blr break cmpib,<>,n addib,tr movb,= rfi cmpiclr,<> "
                                  "extrw,u,= or,tr uaddcm,nhc", "add,l sub,b extrw,u ldw,s shladd,l depw,z addil stby,e")):
            for name in branches.split():
                self.assertTrue(machine.branch.match(name), (machine, name))
            for name in others.split():
                self.assertFalse(machine.branch.match(name), (machine, name))

    def test_jump_labels(self):
        for machine, nop, jump in (
                (machines.Arm64, "1f2003d5", "10000014"), (machines.Riscv, "13000000", "6f000004"),
                (machines.S390, "c00400000020", "c0f400000020"), (machines.Loongarch, "00004003", "00400050"),
                (machines.Powerpc, "00000060", "40000048"), (machines.Arm, "00f020e3", "0e0000ea"),
                (machines.Arm, "0000a0e1", "0e0000ea"), (machines.Thumb, "aff30080", "00f01eb8"),
                (machines.Sparc, "01000000", "10680010"), (machines.Sparc, "01000000", "10800010"),
                (machines.Parisc, "08000240", "e8000072")):
            for code in (nop, jump):
                found = machine.label(LABEL, bytes.fromhex(code), TARGET)
                self.assertEqual(found, len(code) // 2, (machine, code))
            self.assertEqual(machine.label(LABEL, bytes.fromhex(jump), TARGET + 4), 0, machine)
            self.assertEqual(machine.label(LABEL, b"\xff" * 6, TARGET), 0, machine)


class Explained(unittest.TestCase):
    """Reasons of refusals that the text shows, or does not show."""

    def explains(self, reason, code=b"\x90", symbol="some", known=True):
        t = parsed(["0 <%s>:" % symbol, " 0:\tnop"], len(code), 0)
        t.start, t.bytes = AT, code
        e = object.__new__(explain.Explanations)
        e.text, e.sites = t, {AT} if known else set()
        e.kernel = types.SimpleNamespace(entries=set() if known else {AT}, is_blacklisted=lambda address: known)
        return e.explains(0, reason)

    def test_every_reason_has_an_instruction(self):
        for reason, code in (("landing-pad", b"\xf3\x0f\x1e\xfa"),
                             ("trap: its trap belongs to another subsystem", b"\x0f\x0b"),
                             ("level: changes privilege level or segment", b"\x48\xcf"),
                             ("level: changes privilege level or segment", b"\x0f\x01\xf8"),
                             ("sleep: waits for an interrupt", b"\xf4"),
                             ("shadow: keeps interrupts off", b"\xfb")):
            self.assertTrue(self.explains(reason, code), reason)
            self.assertFalse(self.explains(reason, b"\x48\x89\xfd"), reason)

    def test_tables_and_symbols(self):
        for reason in explain.PATCHED + ("blacklisted", "not-entry"):
            self.assertTrue(self.explains(reason), reason)
            self.assertFalse(self.explains(reason, known=False), reason)
        for reason, symbol in zip(explain.SYMBOLS, ("__pfx_some", "__SCT__some")):
            self.assertFalse(self.explains(reason), reason)
            self.assertTrue(self.explains(reason, symbol=symbol), reason)
        self.assertFalse(self.explains("undecodable: no known instruction"))
        self.assertFalse(self.explains(""))

    def test_reasons_of_ports(self):
        """Instructions of four bytes, as objdump shows them. The one that is refused is marked."""
        for machine, reason, lines in (
                (machines.Arm64, "exclusive", ("ldxr\tx0, [x1]", "*add\tx0, x0, #1", "stxr\tw2, x0, [x1]")),
                (machines.Arm64, "exclusive", ("*ldaxr\tx0, [x1]", "stlxr\tw2, x0, [x1]")),
                (machines.Arm64, "exclusive", ("ldxr\tx0, [x1]", "nop", "*wfe")),
                (machines.Arm64, "level", ("*mrs\tx1, esr_el1",)),
                (machines.Arm64, "sleep", ("*wfi",)), (machines.Arm64, "level", ("*msr\tspsr_el1, x0",)),
                (machines.Arm64, "data", ("ldr\tx0, 108 <some+0x8>", "ret", "*udf\t#1")),
                (machines.Riscv, "exclusive", ("lr.w\ta0,(a1)", "bne\ta0,a2,108 <some+0x8>", "*sc.w\ta3,a2,(a1)")),
                (machines.Riscv, "level", ("*csrr\ta0,sepc",)), (machines.Riscv, "world", ("*ecall",)),
                (machines.S390, "exclusive", ("*exrl\t%r1,108 <some+0x8>", "br\t%r14", "mvc\t0(1,%r2),0(%r3)")),
                (machines.S390, "data", ("exrl\t%r1,108 <some+0x8>", "br\t%r14", "*mvc\t0(1,%r2),0(%r3)")),
                (machines.S390, "data", ("bras\t%r1,108 <some+0x8>", "*tr\t0(1,%r2),0(%r3)")),
                (machines.S390, "level", ("*lpswe\t4(%r13)",)),
                (machines.Mips, "delay-slot", ("jr\tra", "*nop")),
                (machines.Mips, "level", ("*jr\tra", "mtc0\tv0,c0_status")),
                (machines.Powerpc, "level", ("*slbmte\tr5,r3",)),
                (machines.Powerpc, "exclusive", ("lwarx\tr5,0,r4", "*add\tr5,r5,r3", "stwcx.\tr5,0,r4")),
                (machines.Arm, "exclusive", ("ldrexd\tr2, r3, [r0]", "*teq\tr2, r4", "strexdeq\tr1, r4, r5, [r0]")),
                (machines.Arm, "level", ("*ldmdb\tfp, {r4, fp, sp, pc}^",)),
                (machines.Arm, "level", ("*mcrne\t15, 0, r2, cr2, cr0, {0}",)),
                (machines.Arm, "data", ("ldr\tr0, [pc, #0]\t@ 108 <some+0x8>", "bx\tlr", "*andeq\tr0, r0, r1")),
                (machines.Thumb, "form", ("*movs\tr0, r0",)), (machines.Thumb, "sleep", ("*wfene",)),
                (machines.Loongarch, "level", ("*csrwr\t$a0, 6",)),
                (machines.Sparc, "delay-slot", ("brz,pn\t%g1, 108 <some+0x8>", "*clrx\t[ %g1 ]")),
                (machines.Sparc, "trap", ("*ta\t5",)), (machines.Sparc, "world", ("*ta\t0x80",)),
                (machines.Sparc, "data", ("*bn\t13c6eb0 <some+0x4>",)),
                (machines.Sparc, "data", ("*iprefetch\t450934 <some+0x4>",)),
                (machines.Sparc, "undecodable", ("*illtrap\t0",)),
                (machines.Sparc, "exclusive", ("wr\t%g3, 0, %pic", "*rd\t%pic, %g0")),
                (machines.Sparc, "exclusive", ("wrpr\t%g1, 2, %pstate", "*stxa\t%g3, [ %g2 ] #ASI_DMMU",
                                               "wrpr\t%g1, 0, %pstate")),
                (machines.Sparc, "level", ("*rdpr\t%tl, %g1",)), (machines.Sparc, "level", ("*saved",)),
                (machines.Parisc, "delay-slot", ("bv\tr0(rp)", "*copy\tr4,ret0")),
                (machines.Parisc, "trap", ("*break\t1f,1fff",)), (machines.Parisc, "level", ("*mfctl\tipsw,r1",)),
                (machines.Parisc, "level", ("*be\t0(sr7,r1)", "nop")),
                (machines.Parisc, "exclusive", ("ldcw\t0(r26),ret0", "*cmpib,=\t0,ret0,108 <some+0x8>"))):
            t = text.Text(0x100, b"\0" * 4 * len(lines), machine)
            text.parse(["0100 <some>:"] + ["%x:\t%s" % (0x100 + 4 * i, line.strip("*"))
                                           for i, line in enumerate(lines)], t)
            e = object.__new__(explain.Explanations)
            e.text, e.sites = t, set()
            marked = [line.startswith("*") for line in lines].index(True)
            self.assertTrue(e.explains(marked, reason), (machine, lines))
            # Another instruction in its place.
            t = e.text = text.parse(["0100 <some>:", "100:\tnop", "104:\tnop", "108:\tnop"],
                                    text.Text(0x100, b"\0" * 12, machine))
            self.assertFalse(e.explains(marked, reason), (machine, lines))

    def test_an_exclusive_sequence_ends(self):
        t = text.parse(["0100 <some>:", "100:\tldxr\tx0, [x1]", "104:\tstxr\tw2, x0, [x1]", "108:\tnop"],
                       text.Text(0x100, b"\0" * 12, machines.Arm64))
        e = object.__new__(explain.Explanations)
        e.text, e.sites = t, set()
        self.assertEqual([e.explains(i, "exclusive") for i in range(3)], [True, True, False])

    def test_tables_behind_jumps(self):
        """An offset is one of a table's if all up to it lead to where the function has instructions."""
        lines = ["0100 <some>:"] + ["%x:\tnop" % at for at in range(0x100, 0x11c, 4)] + ["011c <other>:", "11c:\tnop"]
        for words, behind in (((0x4e800420, 20, 16, 12, 8), [True] * 4), ((0x4e800420, 20, 18), [True, False]),
                              ((0x4e800420, 20, 24), [True, False]), ((0x4e800421, 20), [False])):
            code = b"".join(struct.pack(">I", word) for word in words).ljust(32, b"\0")
            e = object.__new__(explain.Explanations)
            e.text, e.sites = text.parse(lines, text.Text(0x100, code, machines.Powerpc)), set()
            e.kernel = types.SimpleNamespace(elf=types.SimpleNamespace(order=">"))
            self.assertEqual([e.explains(1 + i, "data") for i in range(len(behind))], behind, words)

    def test_ordinary_instructions_explain_nothing(self):
        for machine in machines.BY_NAME.values():
            for keyword, pattern in machine.reasons.items():
                for line in ("add\tr1,r2,r3", "nop", "j\t108 <some+0x8>", "jg\t108 <some+0x8>", "popcntd\tr1,r2",
                             "csrrd\t$a0, 32", ""):
                    self.assertIsNone(re.match(pattern, line), (machine, keyword))

    def test_behind_a_landing_pad(self):
        t = parsed(["0 <some>:", " 0:\tendbr64", " 4:\tnop"], 9)
        t.start = AT
        e = object.__new__(explain.Explanations)
        e.text, e.sites = t, {AT + 4}
        for pad in (b"\xf3\x0f\x1e\xfa", b"\x66\x0f\x1f\x00"):
            t.bytes = pad + explain.NOP5
            self.assertTrue(e.explains(0, explain.PATCHED[0]))
        t.bytes = b"\x48\x89\xf8\x90" + explain.NOP5
        self.assertFalse(e.explains(0, explain.PATCHED[0]))

    def test_behind_a_global_entry(self):
        t = parsed(["0 <some>:", " 0:\taddis\tr2,r12,223", " 4:\taddi\tr2,r2,-13312", " 8:\tb\t30 <some+0x30>"], 12)
        t.start, t.machine = AT, machines.Powerpc
        e = object.__new__(explain.Explanations)
        e.text, e.sites = t, {AT + 8}
        t.bytes = bytes.fromhex("df004c3c00cc423828000048")
        self.assertTrue(e.explains(0, explain.PATCHED[0]))
        self.assertFalse(e.explains(1, explain.PATCHED[0]))

    def test_blacklist(self):
        k = object.__new__(explain.Kernel)
        k.names, k.starts = {AT: ["f"], AT + 16: ["g.cold"], AT + 32: ["h"]}, [AT, AT + 16, AT + 32]
        k.forbidden, k.by_name, k.ranges = {AT}, {"g"}, [(AT + 40, AT + 44)]
        self.assertEqual([k.is_blacklisted(AT + at) for at in (8, 24, 36, 40, 44)],
                         [True, True, False, True, False])

    def test_reasons_are_those_of_kprobes(self):
        with open(os.path.join(PROOF, "..", "..", "kernel", "kprobes", "reason.c")) as f:
            source = f.read()
        keywords = {*explain.SYMBOLS, *explain.PATCHED, *explain.OTHERS}.union(*(
            (*machine.bytes, *machine.reasons) for machine in machines.BY_NAME.values()))
        for keyword in keywords:
            self.assertIn('"%s: ' % keyword, source)
