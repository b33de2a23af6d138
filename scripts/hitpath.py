#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: hitpath.py [--all-roots] RULES VMLINUX...

Proves that a hit of a probe executes nothing that can be probed: follows the calls and jumps of
a linked x86 kernel from the functions where hits begin. Each function that is reached must be
on the blacklist. Prints those that are not, with the path there, and then fails with status 1.

The blacklist has the functions that NOKPROBE_SYMBOL() names, those in sections that are forbidden
as a whole, and the pieces that compilers make of such functions: kernel/kprobes/blacklist.c.

Each line of RULES is a kind, a function's name (or a pattern) and the reason, with tabs between:

  root      a hit begins here, or in one of several functions with "|" between;
            with --all-roots all of them must exist
  end       on the blacklist, but the functions that it calls are not on the hit path
  checked   on the blacklist, and may be instrumented by sanitizers: not kprobes' own
  probed    reached, but may be probed
  indirect  calls by a pointer, which cannot be followed
"""
import bisect
import fnmatch
import re
import struct
import subprocess
import sys

RANGES = [("__kprobes_text_start", "__kprobes_text_end"),
          ("__noinstr_text_start", "__noinstr_text_end"),
          ("__softirqentry_text_end", "_etext")]
PIECE = re.compile(r"\.(cold|isra\.|constprop\.|part\.)")
PREFIX = re.compile(r"__(pfx|cfi)_")
BRANCH = re.compile(r"^\s*([0-9a-f]+):\t(?:[a-z0-9]+ )*?(call|j[a-z]+)(?:,p[nt])?q? +(\*?)(?:%\w+|([0-9a-f]+))?")
SANITIZER = re.compile(r"__(asan|tsan|msan|ubsan|sanitizer|kcsan)_\w+")
THUNK = re.compile(r"__x86_indirect_\w+")
FUNC, NOTYPE = 2, 0


class Elf:
    """As much of a little-endian file, of 32 or 64 bit, as is needed here."""

    def __init__(self, name):
        with open(name, "rb") as f:
            self.data = f.read()
        self.is64 = self.data[4] == 2
        offset, = struct.unpack_from(*(("<Q", self.data, 40) if self.is64 else
                                       ("<I", self.data, 32)))
        size, count = struct.unpack_from("<HH", self.data, 58 if self.is64 else 46)
        layout = "<IIQQQQIIQQ" if self.is64 else "<IIIIIIIIII"
        self.sections = [struct.unpack_from(layout, self.data, offset + i * size)
                         for i in range(count)]

    def symbol(self, at):
        """name, value, size, info, section"""
        if self.is64:
            name, info, _, index, value, length = struct.unpack_from("<IBBHQQ", self.data, at)
        else:
            name, value, length, info, _, index = struct.unpack_from("<IIIBBH", self.data, at)
        return name, value, length, info, index

    def symbols(self):
        """(name, address, size, type) of each defined symbol."""
        for _, kind, _, _, offset, size, link, _, _, entry in self.sections:
            if kind != 2:
                continue
            names = self.sections[link][4]
            for at in range(offset, offset + size, entry):
                name, value, length, info, index = self.symbol(at)
                if name and index:
                    end = self.data.index(b"\0", names + name)
                    yield self.data[names + name:end].decode(), value, length, info & 15

    def words(self, start, end):
        width, letter = (8, "Q") if self.is64 else (4, "I")
        for _, kind, _, address, offset, size, *_ in self.sections:
            if kind != 8 and address and address <= start and end <= address + size:
                at = offset + start - address
                return struct.unpack_from("<%d%s" % ((end - start) // width, letter),
                                          self.data, at)
        return ()


class Kernel:
    def __init__(self, file):
        elf = Elf(file)
        symbols = list(elf.symbols())
        self.address = {name: value for name, value, _, _ in symbols}
        text, end = self.address["_stext"], self.address["_etext"]
        # Functions, and labels in them, that kallsyms tells apart.
        code = [s for s in symbols if s[3] in (FUNC, NOTYPE) and text <= s[1] < end and
                not PREFIX.match(s[0])]
        self.names = {}
        for name, value, _, kind in sorted(code, key=lambda s: (s[3] != FUNC, s[0])):
            self.names.setdefault(value, []).append(name)
        self.starts = sorted(self.names)
        self.calls = {start: set() for start in self.starts}
        self.indirect = set()
        self.follow_into_labels(code)
        self.forbidden = self.blacklist(elf)
        self.disassemble(file, text, end)

    def function(self, address):
        return self.starts[bisect.bisect_right(self.starts, address) - 1]

    def follow_into_labels(self, code):
        for _, value, size, _ in code:
            first = bisect.bisect_right(self.starts, value)
            while first < len(self.starts) and self.starts[first] < value + size:
                self.calls[value].add(self.starts[first])
                first += 1

    def blacklist(self, elf):
        named = elf.words(self.address.get("__start_kprobe_blacklist", 0),
                          self.address.get("__stop_kprobe_blacklist", 0))
        forbidden = {self.function(a) for a in named if a in self.names}
        for first, last in RANGES:
            if first in self.address and last in self.address:
                forbidden.update(s for s in self.starts
                                 if self.address[first] <= s < self.address[last])
        # All functions of a name, as the kernel does it.
        names = {name for start in forbidden for name in self.names[start]}
        forbidden.update(start for start, all_names in self.names.items() for name in all_names
                         for piece in PIECE.finditer(name) if name[:piece.start()] in names)
        return forbidden

    def disassemble(self, file, text, end):
        command = ["objdump", "-d", "--no-show-raw-insn", "--start-address=%#x" % text,
                   "--stop-address=%#x" % end, file]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as run:
            for line in run.stdout:
                if "\tint3" not in line and "\tmov" not in line:
                    self.instruction(line, text, end)
        if run.returncode:
            sys.exit("%s: objdump failed" % file)

    def instruction(self, line, text, end):
        m = BRANCH.match(line)
        if not m:
            return
        here = self.function(int(m.group(1), 16))
        if m.group(3) or not m.group(4):
            self.indirect.add(here)
            return
        target = int(m.group(4), 16)
        if not text <= target < end:
            return
        there = self.function(target)
        if any(THUNK.match(name) for name in self.names[there]):
            self.indirect.add(here)
        elif there != here:
            self.calls[here].add(there)


def read_rules(name):
    rules = []
    with open(name) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                kind, pattern, reason = re.split(r"\t+", line.strip(), maxsplit=2)
                if kind not in ("root", "end", "checked", "probed", "indirect") or not reason:
                    sys.exit("%s: %s" % (name, line))
                rules.append((kind, pattern))
    return rules


class Proof:
    def __init__(self, kernel, rules):
        self.kernel = kernel
        self.rules = rules
        self.way = {}
        self.findings = []

    def has(self, kind, function):
        return any(k == kind and fnmatch.fnmatchcase(name, pattern)
                   for k, pattern in self.rules for name in self.kernel.names[function])

    def told(self, function):
        """How it was reached, beginning with itself."""
        way = []
        while function is not None:
            way.append(self.kernel.names[function][0])
            function = self.way[function]
        return " < ".join(way)

    def visit(self, function):
        """Judges a function; returns what is to be visited next."""
        if function not in self.kernel.forbidden:
            if not self.has("probed", function):
                self.findings.append("can be probed: " + self.told(function))
            return ()
        if self.has("end", function):
            return ()
        if function in self.kernel.indirect and not self.has("indirect", function):
            self.findings.append("calls by a pointer: " + self.told(function))
        calls = self.kernel.calls[function]
        if self.has("checked", function):
            return {c for c in calls if not SANITIZER.match(self.kernel.names[c][0])}
        return calls

    def run(self, all_roots):
        queue = []
        for kind, name in self.rules:
            there = [n for n in name.split("|") if n in self.kernel.address]
            if kind == "root" and there:
                queue.extend(self.kernel.address[n] for n in there)
            elif kind == "root" and all_roots:
                self.findings.append("there is no %s" % name)
        if not queue:
            self.findings.append("there is nowhere for a hit to come in")
        self.way = {function: None for function in queue}
        while queue:
            function = queue.pop(0)
            for callee in sorted(self.visit(function)):
                if callee not in self.way:
                    self.way[callee] = function
                    queue.append(callee)
        return self.findings


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    all_roots = "--all-roots" in sys.argv
    if len(arguments) < 2:
        sys.exit(__doc__)
    rules = read_rules(arguments[0])
    failed = False
    for name in arguments[1:]:
        for finding in Proof(Kernel(name), rules).run(all_roots):
            print("%s: %s" % (name, finding))
            failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
