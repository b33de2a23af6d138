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

from text import hitpath

NOP2, NOP5 = b"\x66\x90", b"\x0f\x1f\x44\x00\x00"
XOR5 = b"\x2e\x2e\x2e\x31\xc0"              # what a static call that returns 0 becomes
RET5 = b"\xc3\xcc\xcc\xcc\xcc"
WINDOW = 8          # a report of the guest: bytes that are compared, with as many on both sides
FTRACE = "ftrace_call", "ftrace_regs_call"
# Tables: the edges' symbols, the size of an entry, and that of its address.
LABELS = "__start___jump_table", "__stop___jump_table", 16, 4
CALLS = "__start_static_call_sites", "__stop_static_call_sites", 8, 4
BUGS = "__start___bug_table", "__stop___bug_table", 12, 4
TRACED = "__start_mcount_loc", "__stop_mcount_loc", 8, 8
EXCEPTIONS = "__start___ex_table", "__stop___ex_table", 12, 4
TABLES = LABELS, CALLS, BUGS, TRACED

# A prefix, of which the kernel's instructions have one at most.
LEGACY = rb"^[\x66\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65]*[\x40-\x4f]?"
# The second is what the kernel makes of one that no indirect branch leads to.
LANDING_PAD, SEALED = rb"\xf3\x0f\x1e[\xfa\xfb]", rb"\x66\x0f\x1f\x00"
# By the keywords of reasons.
OPCODES = {
    "landing-pad": LANDING_PAD,
    # int3, int1, ud2, ud1
    "trap": rb"[\xcc\xf1]|\x0f[\x0b\xb9]",
    # iret, far ret, int, syscall, sysret, sysenter, sysexit; swapgs, mov to a segment; far call and jump
    "level":
        rb"[\xcf\xca\xcb\xcd\x8e]|\x0f[\x05\x07\x34\x35\xa1\xa9]|\x0f\x01\xf8|\x0f\x00[\xf0-\xf7\x30-\x37]|"
        rb"\xff[\x18-\x1f\x28-\x2f\x58-\x5f\x68-\x6f\x98-\x9f\xa8-\xaf]",
    # vmcall, vmlaunch, vmresume, vmrun, vmmcall, encls, enclu, rsm
    "world": rb"\x0f\x01[\xc1-\xc3\xcf\xd7\xd8\xd9]|\x0f\xaa",
    # hlt, mwait, mwaitx, umwait, tpause
    "sleep": rb"\xf4|\x0f\x01[\xc9\xfb]|\x0f\xae[\xf0-\xf7]",
    # sti, pop ss, mov ss
    "shadow": rb"\xfb|\x17|\x8e[\x10-\x17\x50-\x57\x90-\x97\xd0-\xd7]",
}
SYMBOLS = {
    "prefix": re.compile(r"__(pfx|cfi)_"),
    "trampoline": re.compile(r"__SCT__"),
}
PATCHED = "reserved", "ftrace-site"
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
# Both name functions that no section and no table forbids, in quotation marks.
BLACKLISTS = "arch/x86/kernel/kprobes.c", "kernel/kprobes/blacklist.c"


def branch(addr, code, opcode, length=5):
    """Where a branch with an offset of 8 or 32 bits leads to; None if it is not that branch."""
    if len(code) < length or not code.startswith(opcode):
        return None
    offset, = struct.unpack("<b" if length == 2 else "<i", code[len(opcode):length])
    return addr + length + offset


class Sites:
    """@labels: address of a jump label: its target. @calls: address of a static call, of its trampoline,
    or of a call of ftrace: is it a tail call? @functions: addresses of functions."""

    def __init__(self, labels=None, calls=None, functions=()):
        self.labels, self.calls, self.functions = labels or {}, calls or {}, set(functions)
        self.addresses = sorted(set(self.labels) | set(self.calls))

    def legal(self, addr, before, now):
        """The length of what is at a site now, 0 if that is none of its forms. Both begin at the site.

        A jump label is a nop, or a jump to its target; its length does not change. A static call is a call
        of a function's entry, a nop, or clears the register of results. A tail call is a jump to an entry,
        on a condition maybe, or returns."""
        if addr in self.labels:
            length = 2 if before[:1] in (b"\xeb", NOP2[:1]) else 5
            nop, opcode = (NOP2, b"\xeb") if length == 2 else (NOP5, b"\xe9")
            is_one = now[:length] == nop or branch(addr, now, opcode, length) == self.labels[addr]
            return length if is_one else 0
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


def parse_table(table, start, data):
    """Of each entry of a table at an address: what it is for, and the relative address behind that."""
    entry, width = table[2:]
    for at in range(0, len(data) - entry + 1, entry):
        if width == 8:
            yield struct.unpack_from("<Q", data, at)[0], 0
        else:
            first, second = struct.unpack_from("<ii", data, at)
            yield start + at + first, start + at + 4 + second


class Kernel(hitpath.Kernel):
    """The symbols of a kernel that was not moved, its blacklist, and its tables. @entries: addresses of
    functions. @by_name: functions on the blacklist that no table of the kernel names. @ranges: texts that
    are copied, from a symbol to the end of another one."""

    def __init__(self, file):
        super().__init__(file)
        elf = hitpath.Elf(file)
        self.bytes, symbols = elf.bytes, elf.symbols
        self.entries = {s[1] for s in symbols if s[3] == hitpath.FUNC}
        self.by_name, self.ranges = set(), []
        starts = sorted({s[1] for s in symbols})
        ends = {name: starts[bisect.bisect_left(starts, value + size)]
                for name, value, size, kind in symbols if kind == hitpath.FUNC and value + size <= starts[-1]}
        for source in BLACKLISTS:
            with open(os.path.join(ROOT, source)) as f:
                code = f.read()
            self.by_name.update(re.findall(r'"(\w+)"', code))
            self.ranges += [(self.address[first], ends.get(last, self.address[last])) for first, last in
                            re.findall(r'{ "(\w+)", "(\w+)" }', code)
                            if first in self.address and last in self.address]
        calls = {addr: bool(key & 1) for addr, key in self.table(CALLS)}
        calls.update((addr, True) for name, addr in self.address.items() if name.startswith("__SCT__"))
        calls.update((self.address[name], False) for name in FTRACE if name in self.address)
        self.patched = Sites(dict(self.table(LABELS)), calls,
                             {s[1] for s in symbols if s[3] in (hitpath.NOTYPE, hitpath.FUNC)})

    def table(self, table):
        start, end = (self.address.get(edge, 0) for edge in table[:2])
        return parse_table(table, start, self.bytes(start, end))

    def is_blacklisted(self, address):
        function = self.function(address)
        return (function in self.forbidden or any(start <= address < end for start, end in self.ranges) or
                any(hitpath.PIECE.split(name)[0] in self.by_name for name in self.names[function]))


class Explanations:
    """@sites: what other subsystems patch. @idle: instructions with an exception table entry."""

    def __init__(self, kernel_file, text):
        self.kernel, self.text = Kernel(kernel_file), text
        self.sites = {addr for table in TABLES for addr, _ in self.kernel.table(table)}
        self.idle = {addr for addr, _ in self.kernel.table(EXCEPTIONS)}

    def explains(self, i, reason):
        """Does the text show the reason why a probe on an instruction was refused?"""
        text = self.text
        if self.shows(i, reason):
            return True
        # A probe on the landing pad of an entry is one on the next instruction.
        is_pad = re.match(LANDING_PAD + b"|" + SEALED, text.bytes[text.offsets[i]:text.offsets[i] + 4])
        return bool(is_pad) and i + 1 < len(text) and self.shows(i + 1, reason)

    def shows(self, i, reason):
        """The same, if the probe would be on that instruction."""
        text, keyword = self.text, reason.partition(":")[0]
        offset, length = text.offsets[i], text.lengths[i]
        address, symbol = text.start + offset, text.symbol(offset)
        code = text.bytes[offset:offset + length]
        if keyword in SYMBOLS:
            return bool(SYMBOLS[keyword].match(symbol))
        if keyword in OPCODES:
            return bool(re.match(LEGACY + b"(" + OPCODES[keyword] + b")", code, re.DOTALL) or
                        re.match(OPCODES[keyword], code, re.DOTALL))
        if keyword in PATCHED:
            return any(at in self.sites for at in range(address, address + length))
        if keyword == "blacklisted":
            return self.kernel.is_blacklisted(address)
        if keyword == "not-entry":
            # A cold part is jumped to.
            return address not in self.kernel.entries or ".cold" in symbol
        if keyword == "inside":
            # objdump does not know an instruction of this function that the kernel's decoder knows.
            return symbol.rpartition("+")[0] in text.undecoded
        return False
