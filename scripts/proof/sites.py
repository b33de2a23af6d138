# SPDX-License-Identifier: GPL-2.0
"""Sites that a running kernel patches on its own: jump labels, static calls, ftrace's calls.

While a sweep runs, a static key may flip, or a static call may get another target. Where the kernel
counts calls (retbleed=stuff), the calls in ftrace's trampolines lead to what counts, in front of the
function, until ftrace has patched them for the first time. The bytes of such a site may then be other ones
than before, but only its legal ones. All other bytes of the text must be what they were. Modules'
sites count as other bytes.
"""
import bisect
import struct

NOP2, NOP5 = b"\x66\x90", b"\x0f\x1f\x44\x00\x00"
XOR5 = b"\x2e\x2e\x2e\x31\xc0"              # what a static call that returns 0 becomes
RET5 = b"\xc3\xcc\xcc\xcc\xcc"
WINDOW = 8          # a report of the guest: bytes that are compared, with as many on both sides
LABELS = "__start___jump_table", "__stop___jump_table"
CALLS = "__start_static_call_sites", "__stop_static_call_sites"
NOTYPE, FUNC = 0, 2          # types of symbols
FTRACE = "ftrace_call", "ftrace_regs_call"


class Sites:
    """@labels: address of a jump label: its target. @calls: address of a static call, of its
    trampoline, or of a call of ftrace: is it a tail call? @functions: addresses of functions."""

    def __init__(self, labels=None, calls=None, functions=()):
        self.labels = labels or {}
        self.calls = calls or {}
        self.functions = set(functions)
        self.addresses = sorted(set(self.labels) | set(self.calls))

    def is_legal(self, addr, before, now):
        """Is what is at a site now one of its forms? Returns the form's length, 0 if not.
        @before and @now begin at the site."""
        if addr in self.labels:
            return label_length(addr, self.labels[addr], before, now)
        return call_length(addr, self.calls[addr], now, self.functions)

    def excused(self, at, before, now, start):
        """Does a site excuse that the byte at an address differs? @before, @now: from @start."""
        i = bisect.bisect_right(self.addresses, at)
        for addr in self.addresses[max(0, i - 2):i]:
            skip = addr - start
            if skip >= 0 and at < addr + self.is_legal(addr, before[skip:], now[skip:]):
                return True
        return False

    def judge(self, windows):
        """Of windows that differ: (bytes that no site excuses, the first one's address, bytes that
        one does). A window is (address, bytes before, bytes now); it begins WINDOW bytes before
        the address, and the WINDOW bytes from there are judged."""
        bad, first, excused = 0, 0, 0
        for addr, before, now in windows:
            start = addr - WINDOW
            for at in range(addr, addr + WINDOW):
                i = at - start
                if before[i:i + 1] == now[i:i + 1]:
                    continue
                if self.excused(at, before, now, start):
                    excused += 1
                    continue
                first = first if bad else at
                bad += 1
        return bad, first, excused


def branch(addr, code, opcode, length):
    """Where a branch with an offset of 8 or 32 bits leads to; None if it is not that branch."""
    if len(code) < length or not code.startswith(opcode):
        return None
    form = "<b" if length == 2 else "<i"
    offset, = struct.unpack(form, code[len(opcode):length])
    return addr + length + offset


def label_length(addr, target, before, now):
    """A jump label is a nop, or a jump to its target. Its length does not change."""
    length = 2 if before[:1] in (b"\xeb", NOP2[:1]) else 5
    nop, opcode = (NOP2, b"\xeb") if length == 2 else (NOP5, b"\xe9")
    is_one = now[:length] == nop or branch(addr, now, opcode, length) == target
    return length if is_one else 0


def call_length(addr, is_tail, now, functions):
    """A static call is a call of a function's entry, a nop, or clears the register of results. A
    tail call is a jump to an entry, on a condition maybe, or returns."""
    if now[:5] in ((RET5,) if is_tail else (NOP5, XOR5)):
        return 5
    if branch(addr, now, b"\xe9" if is_tail else b"\xe8", 5) in functions:
        return 5
    on_condition = is_tail and now[:1] == b"\x0f" and now[1:2] and now[1] & 0xf0 == 0x80
    return 6 if on_condition and branch(addr, now, now[:2], 6) in functions else 0


def relative(address, data, offset):
    return address + offset + struct.unpack_from("<i", data, offset)[0]


def parse_labels(address, data):
    """Entries of __jump_table, which is at an address."""
    return {relative(address, data, at): relative(address, data, at + 4)
            for at in range(0, len(data) - 15, 16)}


def parse_calls(address, data):
    """Entries of .static_call_sites. The key's lowest bit says whether it is a tail call."""
    return {relative(address, data, at): bool(relative(address, data, at + 4) & 1)
            for at in range(0, len(data) - 7, 8)}


def named_calls(names):
    """Calls that have a symbol: trampolines of static calls, which are tail calls, and ftrace's."""
    calls = {addr: True for name, addr in names.items() if name.startswith("__SCT__")}
    calls.update((names[name], False) for name in FTRACE if name in names)
    return calls


def read(elf):
    """The sites of a kernel that was not moved."""
    symbols = list(elf.symbols())
    names = {name: value for name, value, _, _ in symbols}

    def table(edges):
        start, end = (names.get(name, 0) for name in edges)
        return start, elf.bytes(start, end)
    calls = {**parse_calls(*table(CALLS)), **named_calls(names)}
    return Sites(parse_labels(*table(LABELS)), calls, {s[1] for s in symbols if s[3] in (NOTYPE, FUNC)})
