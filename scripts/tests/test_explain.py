#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of what the sweep of scripts/proof explains: sites that the kernel patches, and refusals."""
import os
import struct
import sys
import types
import unittest

PROOF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "proof")
sys.path.insert(0, PROOF)
import explain  # noqa: E402
import sites    # noqa: E402
import text     # noqa: E402

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


if __name__ == "__main__":
    unittest.main()
