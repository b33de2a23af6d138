# SPDX-License-Identifier: GPL-2.0
"""Whether a text itself shows why a probe on it was refused.

A reason that kprobes gives is not taken on trust: each has a test here that looks at the bytes of the
instruction, at its symbol, or at the tables of the object. A reason without a test explains nothing.
"""
import bisect
import os
import re
import struct
import subprocess

from text import hitpath

# A prefix, of which the kernel's instructions have one at most.
LEGACY = rb"^[\x66\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65]*[\x40-\x4f]?"
LANDING_PAD = rb"\xf3\x0f\x1e[\xfa\xfb]"
# What the kernel makes of one that no indirect branch leads to.
SEALED = rb"\x66\x0f\x1f\x00"
OPCODES = {
    "landing pad of indirect branches": LANDING_PAD,
    # int3, int1, ud2, ud1
    "instruction cannot be probed: its trap belongs to another subsystem": rb"[\xcc\xf1]|\x0f[\x0b\xb9]",
    # iret, far ret, int, syscall, sysret, sysenter, sysexit; swapgs, mov to a segment; far call and jump
    "instruction cannot be probed: changes privilege level or segment":
        rb"[\xcf\xca\xcb\xcd\x8e]|\x0f[\x05\x07\x34\x35\xa1\xa9]|\x0f\x01\xf8|\x0f\x00[\xf0-\xf7\x30-\x37]|"
        rb"\xff[\x18-\x1f\x28-\x2f\x58-\x5f\x68-\x6f\x98-\x9f\xa8-\xaf]",
    # vmcall, vmlaunch, vmresume, vmrun, vmmcall, encls, enclu, rsm
    "instruction cannot be probed: goes to a guest, an enclave or the firmware":
        rb"\x0f\x01[\xc1-\xc3\xcf\xd7\xd8\xd9]|\x0f\xaa",
    # hlt, mwait, mwaitx, umwait, tpause
    "instruction cannot be probed: waits for an interrupt":
        rb"\xf4|\x0f\x01[\xc9\xfb]|\x0f\xae[\xf0-\xf7]",
    # sti, pop ss, mov ss
    "instruction cannot be probed: keeps interrupts off for the next one":
        rb"\xfb|\x17|\x8e[\x10-\x17\x50-\x57\x90-\x97\xd0-\xd7]",
}
SYMBOLS = {
    "in front of a function's entry (__cfi_, __pfx_)": re.compile(r"__(pfx|cfi)_"),
    "trampoline of a static call": re.compile(r"__SCT__"),
}
PATCHED = "patched or read by another subsystem (jump label, static call, BUG, ftrace)"
# Tables of such places: section, the table's edges, the size of an entry, and that of its address.
TABLES = (
    ("__jump_table", ("__start___jump_table", "__stop___jump_table"), 16, 4),
    (".static_call_sites", ("__start_static_call_sites", "__stop_static_call_sites"), 8, 4),
    ("__bug_table", ("__start___bug_table", "__stop___bug_table"), 12, 4),
    ("__mcount_loc", ("__start_mcount_loc", "__stop_mcount_loc"), 8, 8),
)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
BLACKLIST = os.path.join(ROOT, "arch/x86/kernel/kprobes.c")
DYING = os.path.join(ROOT, "kernel/kprobes/blacklist.c")
# As is_sanitizer_call() of kernel/kprobes/blacklist.c has them.
SANITIZER_CALL = re.compile(r"__(asan|hwasan|tsan|sanitizer_cov)_")
# A check of an indirect call by clang: the two instructions that a report of its trap reads.
CHECKS = (".kcfi_traps", ("__start___kcfi_traps", "__stop___kcfi_traps"), 4, 4)
BEFORE_TRAP = 12, 6
EXCEPTIONS = ("__ex_table", ("__start___ex_table", "__stop___ex_table"), 12, 4)
RELOCATED = re.compile(r"^[0-9a-f]+ +[0-9a-f]+ R_X86_64_(?:PC32|64) +([0-9a-f]+) (\S+) \+ ([0-9a-f]+)")


def addresses(kernel, table):
    """What the entries of one of the kernel's tables are for: relative to themselves, or not."""
    _, edges, entry, width = table
    start, end = (kernel.address.get(edge, 0) for edge in edges)
    data = kernel.bytes(start, end)
    for at in range(0, len(data) - entry + 1, entry):
        value, = struct.unpack_from("<i" if width == 4 else "<Q", data, at)
        yield value + start + at if width == 4 else value


def relocations(module, readelf):
    """Of a module that is not loaded: (table's section, code's section, offset in it)."""
    out = subprocess.run([readelf, "-rW", module], stdout=subprocess.PIPE, text=True, check=True)
    table = ""
    for line in out.stdout.splitlines():
        if line.startswith("Relocation section"):
            table = line.split("'")[1][len(".rela"):]
        match = RELOCATED.match(line)
        if match:
            yield table, match[2], int(match[1], 16) + int(match[3], 16)


def names_of(module):
    """The symbols of a module that is not loaded: (section, offset in it), and the names there."""
    elf, names = hitpath.Elf(module), {}
    for name, value, _, _, index in elf.placed_symbols():
        if index < len(elf.sections) and not name.startswith(".L"):
            names.setdefault((elf.section_name(index), value), set()).add(name)
    return names


def named(source):
    """What the blacklist of the architecture names, with a reason beside it: pairs of symbols, from the
    first of which to the end of the second text is copied, functions of CPUs that go offline or run
    without the kernel's IDT, and a function with the one that has it inlined where it is none."""
    with open(source) as f:
        code = f.read()
    table = re.search(r"copied\[\]\[2\].*?^};.*?without_idt\[\].*?^};", code, re.DOTALL | re.MULTILINE)[0]
    either = re.search(r'lookup_name\("(\w+)"\) \? "\1" :\s+"(\w+)"', code)
    return re.findall(r'{ "(\w+)", "(\w+)" }', table), set(re.findall(r'"(\w+)"', table)), either.groups()


def dying():
    """What the core's blacklist names: functions of CPUs that go offline."""
    with open(DYING) as f:
        return set(re.findall(r'"(\w+)"', re.search(r"dying\[\].*?^};", f.read(), re.DOTALL | re.MULTILINE)[0]))


class Kernel(hitpath.Kernel):
    """The kernel's symbols, blacklist, and tables. @entries: addresses of functions."""

    def __init__(self, file, source=BLACKLIST):
        super().__init__(file)
        elf = hitpath.Elf(file)
        self.bytes = elf.bytes
        functions = [s for s in elf.symbols() if s[3] == hitpath.FUNC]
        self.entries = {value for _, value, _, _ in functions}
        # With clang, objdump names what is in front of a function by a local label.
        self.all_names = {}
        for name, value, _, _ in elf.symbols():
            if not name.startswith(".L"):
                self.all_names.setdefault(value, set()).add(name)
        self.all_starts = sorted(self.all_names)
        pairs, by_name, either = named(source)
        self.by_name = by_name | dying() | {either[either[0] not in self.address]}
        # What fills the space up to the next symbol belongs to the one before.
        self.ranges = [(value, self.all_starts[bisect.bisect_left(self.all_starts, value + size)])
                       for name, value, size, _ in functions if name in (start for start, _ in pairs)]
        self.ranges += [(self.address[start], self.address[end]) for start, end in pairs
                        if start in self.address and end in self.address]

    def start_of(self, address):
        """Where the symbol at an address begins, as the kernel sees it."""
        return self.all_starts[max(0, bisect.bisect_right(self.all_starts, address) - 1)]

    def names_at(self, address):
        return self.all_names[self.start_of(address)]

    def is_blacklisted(self, address):
        return (self.function(address) in self.forbidden or
                self.start_of(address) in self.forbidden or
                any(hitpath.PIECE.split(name)[0] in self.by_name or SANITIZER_CALL.match(name)
                    for name in self.names_at(address)) or
                any(start <= address < end for start, end in self.ranges))


class Explanations:
    """@texts: texts of objects, of which the kernel's is the first. @modules: files of the others."""

    def __init__(self, kernel_file, texts, modules=(), readelf="readelf"):
        self.kernel = Kernel(kernel_file)
        self.texts = texts
        self.sites = [set() for _ in texts]
        self.names = {}             # of modules: address: names of the symbols there
        self.idle = set(addresses(self.kernel, EXCEPTIONS))
        for table in TABLES:
            self.sites[0].update(addresses(self.kernel, table))
        for trap in addresses(self.kernel, CHECKS):
            self.sites[0].update(trap - before for before in BEFORE_TRAP)
        for module in modules:
            self._read_module(module, readelf)

    def _read_module(self, module, readelf):
        name = module.rpartition("/")[2][:-3].replace("-", "_")
        # By section: its text, and which of the texts that is.
        places = {text.section: (o, text) for o, text in enumerate(self.texts)
                  if text.name.partition(":")[0] == name}
        for (section, offset), names in names_of(module).items():
            if section in places:
                self.names[places[section][1].start + offset] = names
        for table, section, offset in relocations(module, readelf):
            if section not in places:
                continue
            o, text = places[section]
            if table == EXCEPTIONS[0]:
                self.idle.add(text.start + offset)
            elif table in (t[0] for t in TABLES):
                self.sites[o].add(text.start + offset)

    def names_at(self, o, address):
        """Names of the symbol that an address of a text is in."""
        if o == 0:
            return self.kernel.names_at(address)
        starts = [start for start in self.names if self.texts[o].start <= start <= address]
        return self.names[max(starts)] if starts else set()

    def explains(self, o, i, reason):
        """Does the text show the reason why a probe on an instruction was refused?"""
        text = self.texts[o]
        if self.shows(o, i, reason):
            return True
        # A probe on the landing pad of an entry is one on the next instruction.
        is_pad = re.match(LANDING_PAD + b"|" + SEALED, text.bytes[text.offsets[i]:text.offsets[i] + 4])
        return bool(is_pad) and i + 1 < len(text) and self.shows(o, i + 1, reason)

    def shows(self, o, i, reason):
        """The same, if the probe would be on that instruction."""
        text = self.texts[o]
        offset, length = text.offsets[i], text.lengths[i]
        address, symbol = text.start + offset, text.symbol(offset)
        code = text.bytes[offset:offset + length]
        if reason in SYMBOLS:
            return any(SYMBOLS[reason].match(name) for name in self.names_at(o, address))
        if reason in OPCODES:
            return bool(re.match(LEGACY + b"(" + OPCODES[reason] + b")", code, re.DOTALL) or
                        re.match(OPCODES[reason], code, re.DOTALL))
        if reason == PATCHED:
            return any(at in self.sites[o] for at in range(address, address + length))
        if reason == "blacklisted":
            return o == 0 and self.kernel.is_blacklisted(address)
        if reason == "not a function's entry":
            # A cold part is jumped to.
            return address not in self.kernel.entries or ".cold" in symbol
        if reason == "inside an instruction":
            # objdump does not know an instruction of this function that the kernel's decoder knows.
            return symbol.rpartition("+")[0] in text.undecoded
        return False
