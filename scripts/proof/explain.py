# SPDX-License-Identifier: GPL-2.0
"""What tables and bytes of a kernel explain: places that it patches on its own, and refusals of probes.

A reason that kprobes gives for a refusal is not taken on trust: each has a test here that looks at the
bytes of the instruction, at its symbol, or at the tables of the object. A reason without a test explains
nothing.

While a sweep runs, a static key may flip, or a static call may get another target. Where the kernel counts
calls (retbleed=stuff), the calls in ftrace's trampolines lead to what counts, in front of the function,
until ftrace has patched them for the first time. The bytes of such a site may then be other ones than
before, but only its legal ones. All other bytes of the text must be what they were.
"""
import bisect
import os
import re
import struct

import machines
from text import SEQUENTIAL, hitpath

NOP5 = b"\x0f\x1f\x44\x00\x00"
XOR5 = b"\x2e\x2e\x2e\x31\xc0"              # what a static call that returns 0 becomes
RET5 = b"\xc3\xcc\xcc\xcc\xcc"
WINDOW = 8          # a report of the guest: bytes that are compared, with as many on both sides
FTRACE = "ftrace_call", "ftrace_regs_call", "ftrace_graph_call"
# The edges of tables.
LABELS = "__start___jump_table", "__stop___jump_table"
CALLS = "__start_static_call_sites", "__stop_static_call_sites"
BUGS = "__start___bug_table", "__stop___bug_table"
TRACED = "__start_mcount_loc", "__stop_mcount_loc"
EXCEPTIONS = "__start___ex_table", "__stop___ex_table"
# Data in the text: s390's trampolines of ftrace, one for each function, with what they load; and what
# sparc64's traps look up translations in.
DATA = (("__ftrace_hotpatch_trampolines_start", "__ftrace_hotpatch_trampolines_end"),
        ("swapper_tsb", "sparc64_ttable_tl0"))
# The first instruction of an exclusive sequence may have so many behind it, if none ends the sequence.
SEQUENCE = 32

SYMBOLS = {
    "prefix": re.compile(r"__(pfx|cfi)_"),
    "trampoline": re.compile(r"__SCT__"),
}
PATCHED = "reserved", "ftrace-site"
OTHERS = "exclusive", "data", "undecodable", "delay-slot", "inside"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# Both name functions that no section and no table forbids, in quotation marks.
BLACKLISTS = "arch/%s/kernel/kprobes.c", "kernel/kprobes/blacklist.c"


def branch(addr, code, opcode, length=5):
    """Where a branch with an offset of 32 bits leads to; None if it is not that branch."""
    if len(code) < length or not code.startswith(opcode):
        return None
    return addr + length + struct.unpack("<i", code[len(opcode):length])[0]


class Sites:
    """@labels: address of a jump label: its target. @calls: address of a static call, of its trampoline,
    or of a call of ftrace: is it a tail call? @functions: addresses of functions. @ranges: where others
    write what they want: first addresses, and those behind the last."""

    def __init__(self, labels=None, calls=None, functions=(), machine=machines.X86):
        self.machine, self.functions = machine, set(functions)
        self.labels, self.calls = labels or {}, calls or {}
        self.ranges = []
        self.addresses = sorted(set(self.labels) | set(self.calls))

    def legal(self, addr, before, now):
        """The length of what is at a site now, 0 if that is none of its forms. Both begin at the site.

        A jump label is a nop, or a jump to its target; its length does not change. A static call is a call
        of a function's entry, a nop, or clears the register of results. A tail call is a jump to an entry,
        on a condition maybe, or returns. Of another machine than x86 a call is of any form."""
        if addr in self.labels:
            lengths = [self.machine.label(addr, code, self.labels[addr]) for code in (before, now)]
            return lengths[1] if lengths[0] in (0, lengths[1]) else 0
        if self.machine is not machines.X86:
            return self.machine.length
        is_tail = self.calls[addr]
        if now[:5] in ((RET5,) if is_tail else (NOP5, XOR5)):
            return 5
        if branch(addr, now, b"\xe9" if is_tail else b"\xe8") in self.functions:
            return 5
        on_condition = is_tail and now[:1] == b"\x0f" and now[1:2] and now[1] & 0xf0 == 0x80
        return 6 if on_condition and branch(addr, now, now[:2], 6) in self.functions else 0

    def excused(self, at, before, now, start):
        """Does a site excuse that the byte at an address differs? @before, @now: from @start."""
        i = bisect.bisect_right(self.addresses, at)
        if any(first <= at < end for first, end in self.ranges):
            return True
        return any(addr >= start and at < addr + self.legal(addr, before[addr - start:], now[addr - start:])
                   for addr in self.addresses[max(0, i - 2):i])

    def judge(self, windows):
        """Of windows that differ: (bytes that no site excuses, the first one's address, bytes that one
        does). A window is (address, bytes before, bytes now); it begins WINDOW bytes before the address,
        and the WINDOW bytes from there are judged."""
        bad, excused = [], 0
        for addr, before, now in windows:
            start = addr - WINDOW
            differ = [start + i for i in range(WINDOW, 2 * WINDOW) if before[i:i + 1] != now[i:i + 1]]
            wrong = [at for at in differ if not self.excused(at, before, now, start)]
            bad += wrong
            excused += len(differ) - len(wrong)
        return len(bad), bad[0] if bad else 0, excused


def parse_table(start, data, entry, is_relative, order="<", word="Q"):
    """Of each entry of a table at an address: what it is for, and the address behind that. @entry: its size."""
    width = struct.calcsize(order + word)
    for at in range(0, len(data) - entry + 1, entry):
        if is_relative:
            first, second = struct.unpack_from(order + "ii", data, at)
            yield start + at + first, start + at + 4 + second
        else:
            yield tuple(struct.unpack_from(order + word, data, at + i * width)[0] if entry > width * i else 0
                        for i in (0, 1))


class Kernel(hitpath.Kernel):
    """The symbols of a kernel that was not moved, its blacklist, and its tables. @entries: addresses of
    functions. @by_name: functions on the blacklist that no table of the kernel names. @ranges: texts that
    are copied, from a symbol to the end of another one."""

    def __init__(self, file):
        super().__init__(file)
        self.elf = elf = hitpath.Elf(file)
        self.rules, symbols = machines.of(elf), elf.symbols
        self.entries = {s[1] for s in symbols if s[3] == hitpath.FUNC}
        self.by_name, self.ranges = set(), []
        starts = sorted({s[1] for s in symbols})
        ends = {name: starts[bisect.bisect_left(starts, value + size)]
                for name, value, size, kind in symbols if kind == hitpath.FUNC and value + size <= starts[-1]}
        for source in BLACKLISTS:
            with open(os.path.join(ROOT, source.replace("%s", elf.machine.name))) as f:
                code = f.read()
            self.by_name.update(re.findall(r'"(\w+)"', code))
            self.ranges += [(self.address[first], ends.get(last, self.address[last])) for first, last in
                            re.findall(r'{ "(\w+)", "(\w+)" }', code)
                            if first in self.address and last in self.address]
        calls = {addr: bool(key & 1) for addr, key in self.table(CALLS, (8, True))}
        calls.update((addr, True) for name, addr in self.address.items() if name.startswith("__SCT__"))
        calls.update((self.address[name], False) for name in FTRACE if name in self.address)
        self.patched = Sites(dict(self.table(LABELS, self.rules.labels)), calls, {
            s[1] for s in symbols if s[3] in (hitpath.NOTYPE, hitpath.FUNC)}, self.rules)
        self.patched.ranges += [(self.address[first], self.address[end]) for first, end in DATA
                                if first in self.address]

    def table(self, edges, layout):
        start, end = (self.address.get(edge, 0) for edge in edges)
        word = self.rules.word or ("Q" if self.elf.is64 else "I")
        return parse_table(start, self.elf.bytes(start, end), *layout, self.elf.order, word)

    def fixups(self, start, stop):
        """Of a table of words that each tell how far from them a site is: the sites."""
        first, end = (self.address.get(edge, 0) for edge in (start, stop))
        word = "q" if self.elf.is64 else "i"
        return [first + at + struct.unpack_from(self.elf.order + word, data, at)[0]
                for data in [self.elf.bytes(first, end)] for at in range(0, len(data), struct.calcsize(word))]

    def traced(self):
        """What ftrace's table says."""
        words = self.elf.words(*(self.address.get(edge, 0) for edge in TRACED), self.machine.relative)
        return [addr & ~self.elf.flags for addr in words]

    def is_blacklisted(self, address):
        function = self.function(address)
        return (function in self.forbidden or any(start <= address < end for start, end in self.ranges) or
                any(hitpath.PIECE.split(name)[0] in self.by_name for name in self.names[function]))


class Explanations:
    """@sites: what other subsystems patch. @idle: instructions with an exception table entry."""

    def __init__(self, kernel_file, text):
        self.kernel, self.text = Kernel(kernel_file), text
        rules, table = self.kernel.rules, self.kernel.table
        self.sites = set(self.kernel.patched.addresses) | {addr for addr, _ in table(BUGS, rules.bugs)}
        self.sites.update(addr + at for addr in self.kernel.traced() for at in range(rules.site))
        if rules.label_slot:
            self.sites.update(addr + rules.length for addr in self.kernel.patched.labels)
        for start, stop, words in rules.fixups:
            self.sites.update(addr + 4 * i for addr in self.kernel.fixups(start, stop) for i in range(words))
        self.idle = {addr for addr, _ in table(EXCEPTIONS, rules.exceptions)}

    def explains(self, i, reason):
        """Does the text show the reason why a probe on an instruction was refused?"""
        text = self.text
        if self.shows(i, reason):
            return True
        # A probe on what an entry begins with is one behind it.
        offset = text.offsets[i]
        pad = re.match(text.machine.pad, text.bytes[offset:offset + 8], re.DOTALL)
        behind = bisect.bisect_left(text.offsets, offset + pad.end()) if pad else len(text)
        return behind < len(text) and self.shows(behind, reason)

    def shows(self, i, reason):
        """The same, if the probe would be on that instruction."""
        text, keyword = self.text, reason.partition(":")[0]
        offset, length = text.offsets[i], text.lengths[i]
        address, symbol = text.start + offset, text.symbol(offset)
        code, line = text.bytes[offset:offset + length], text.lines.get(offset, "")
        if keyword in SYMBOLS:
            return bool(SYMBOLS[keyword].match(symbol))
        if keyword in text.machine.bytes:
            pattern = b"(" + text.machine.bytes[keyword] + b")"
            return bool(re.match(text.machine.legacy + pattern, code, re.DOTALL) or
                        re.match(pattern, code, re.DOTALL))
        if keyword in text.machine.reasons:
            lines = [line]
            if text.machine.delays and not text.flags[i] & SEQUENTIAL and i + 1 < len(text):
                lines.append(text.lines.get(text.offsets[i + 1], ""))
            if any(re.match(text.machine.reasons[keyword], each) for each in lines):
                return True
        if keyword in PATCHED:
            return any(at in self.sites for at in range(address, address + length))
        if keyword == "blacklisted":
            return self.kernel.is_blacklisted(address)
        if keyword == "not-entry":
            # A cold part is jumped to.
            return (address not in self.kernel.entries or ".cold" in symbol or
                    symbol.rpartition("+")[0] in text.machine.uncalled)
        if keyword == "exclusive":
            return self.is_in_sequence(i)
        if keyword == "data":
            at = bisect.bisect_right(text.named, offset + length - 1) - 1
            return at >= 0 and text.named[at] > offset - 32 or self.is_in_table(offset)
        if keyword == "delay-slot":
            return i > 0 and not text.flags[i - 1] & SEQUENTIAL
        if keyword in ("undecodable", "inside"):
            # objdump may not know what the kernel's decoder knows, or know data as an instruction.
            return symbol.rpartition("+")[0] in text.undecoded
        return False

    def is_in_table(self, offset):
        """Is a word in a table behind a jump, all of whose offsets up to there lead into the same function?"""
        text = self.text
        if not text.machine.switch:
            return False
        order, offsets = self.kernel.elf.order, []
        function = text.symbol(offset).rpartition("+")[0]
        while offset >= 4 and text.symbol(offset).rpartition("+")[0] == function:
            offsets.append(struct.unpack_from(order + "i", text.bytes, offset)[0])
            if struct.unpack_from(order + "I", text.bytes, offset - 4)[0] == text.machine.switch:
                return all(at and at % 4 == 0 and 0 <= offset + at < len(text.bytes) and
                           text.symbol(offset + at).rpartition("+")[0] == function for at in offsets)
            offset -= 4
        return False

    def is_in_sequence(self, i):
        """Is an instruction behind one that begins an exclusive sequence, with none between that ends it?"""
        text = self.text
        if not text.machine.exclusive:
            return False
        begins, ends = text.machine.exclusive
        for at in range(i, max(-1, i - SEQUENCE - 1), -1):
            line = text.lines.get(text.offsets[at], "")
            if re.match(begins, line):
                return True
            if at < i and re.match(ends, line):
                return False
        return False
