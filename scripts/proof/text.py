# SPDX-License-Identifier: GPL-2.0
"""The instructions of a kernel's text, and how they are dealt out to phases."""
import array
import bisect
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import hitpath  # noqa: E402
import machines  # noqa: E402

POST, SEQUENTIAL, RETURN = 1, 2, 4          # flags of a record, as in module/kprobe_sweep.c
CONTEXT = 8                                 # changes the context; not in a record

SYMBOL = re.compile(r"^([0-9a-f]+) <((?!\.L).+)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\s*(.*\S)?")
# In front of an instruction, objdump names its prefixes.
PREFIXES = {"lock", "rep", "repz", "repnz", "notrack", "bnd", "cs", "ds", "es", "fs", "gs", "ss",
            "data16", "addr32", "xacquire", "xrelease"}
# An address that an instruction names.
ADDRESS = re.compile(r"\b([0-9a-f]+) <((?!\.L)[^+>]+)(?:[+]0x[0-9a-f]+)?>")
# A part of the text that has copies of instructions, and none of its own.
ROOM = "kprobe_near_text"
SLICES = 10
AROUNDS = 4         # things that the workload runs under, in turn
ANYWHERE = "*"


class Text:
    """Instructions: their offsets in the text, lengths and flags; its symbols."""

    def __init__(self, start, code, machine=machines.X86):
        self.start, self.bytes, self.machine = start, code, machine
        self.offsets = array.array("I")
        self.lengths = array.array("B")
        self.flags = array.array("B")
        self.symbol_offsets, self.symbols = [], []
        self.undecoded = set()      # functions with what objdump does not know
        self.switching = set()      # functions with what changes the memory that C code sees
        self.tails = {}             # function: those that it ends with a jump to
        self.lines = {}             # offset: what may explain that an instruction is refused
        self.named = []             # offsets that instructions name which are no branches, in order
        self.traced = frozenset()   # offsets of entries at which several instructions count as one
        self.scheduler = (0, 0)     # offsets between which functions are left out of stacks

    def __len__(self):
        return len(self.offsets)

    def symbol(self, offset):
        """An offset's symbol, as the kernel would print it."""
        i = bisect.bisect_right(self.symbol_offsets, offset) - 1
        if i < 0:
            return "0x%x" % (self.start + offset)
        return "%s+0x%x" % (self.symbols[i], offset - self.symbol_offsets[i])

    def name(self, i):
        """An instruction's symbol."""
        return self.symbol(self.offsets[i])

    def misses_posts(self, i):
        """May post-handlers of an instruction be missed, with what they find?"""
        return bool(self.flags[i] & CONTEXT) or self.name(i).rpartition("+")[0] in self.switching


def mnemonic(line):
    """Of an instruction, without prefixes."""
    words = line.split()
    for word in words:
        if word not in PREFIXES and not word.startswith("rex"):
            return word
    return words[-1] if words else ""


def note_jump(text, name, line):
    """Of a function that ends with a jump, the stack shows the one that it has jumped to."""
    machine = text.machine
    match = ADDRESS.search(line) if machine.jump.match(name) and not machine.calls.match(line) else None
    here = text.symbols[-1] if text.symbols else ""
    if match and match[2] != here and not machine.returns.match(match[2]):
        text.tails.setdefault(here, set()).add(match[2])
    elif machine.pointer.match(line):
        text.tails.setdefault(here, set()).add(ANYWHERE)


def waits_in(text, offset):
    """Functions on a stack of which one may stand for the one at an offset. None if it can be any."""
    start, end = text.scheduler
    if start <= offset < end:
        return None
    found, left = set(), [text.symbol(offset).rpartition("+")[0]]
    while left:
        name = left.pop()
        if name == ANYWHERE or text.machine.nowhere.match(name):
            return None
        if name not in found:
            found.add(name)
            left += text.tails.get(name, ())
    return frozenset(found)


def flags_of(text, name, line):
    """Notes what is to be known of an instruction."""
    machine, offset = text.machine, text.offsets[-1]
    here = text.symbols[-1] if text.symbols else ""
    if "(bad)" in line or name.startswith((".", "<")):
        text.undecoded.add(here)
        text.lines[offset] = line
    elif any(re.match(pattern, line) for pattern in machine.of_interest):
        text.lines[offset] = line
    if machine.switches.match(line):
        text.switching.add(here)
    note_jump(text, name, line)
    match = ADDRESS.search(line)
    if match and machine.skips.match(line):
        text.named += range(offset + 4, int(match[1], 16) - text.start, 2)
    if machine.branch.match(name):
        return 0
    if match:
        text.named.append(int(match[1], 16) - text.start)
    if machine.writes.search(line):
        return 0
    changes = machine.counts.match(here) or machine.context.search(line)
    return SEQUENTIAL | (CONTEXT if changes else 0)


def parse(lines, text):
    """Fills in a Text from objdump's output.

    Not instructions: data; the bytes in front of functions that carry a symbol __pfx_, but for the first,
    and int3 where the instruction before does not go on there.
    """
    before = ""
    prefix = entry = pending = False
    for line in lines:
        match = SYMBOL.match(line)
        if match:
            offset = int(match[1], 16) - text.start
            text.symbol_offsets.append(offset)
            text.symbols.append(match[2])
            prefix = match[2].startswith("__pfx_")
            entry = True
            continue
        match = INSTRUCTION.match(line)
        if not match:
            continue
        offset = int(match[1], 16) - text.start
        if pending:
            text.lengths[-1] = offset - text.offsets[-1]
        line = re.sub(r"\s+", "\t", match[2] or "", count=1)
        name = mnemonic(line)
        pending = not ((prefix and not entry) or text.machine.data.match(name) or
                       (text.machine.filler.match(name) and text.machine.ends.match(before)))
        if pending:
            text.offsets.append(offset)
            text.lengths.append(0)
            text.flags.append(flags_of(text, name, line) | (RETURN if entry and not prefix else 0))
        elif text.machine.data.match(name):
            text.undecoded.update(text.symbols[-1:])
        entry = False
        before = name
    if pending:
        text.lengths[-1] = min(len(text.bytes) - text.offsets[-1], 255)
    text.named.sort()
    return text


def place(elf):
    """Of the text of a kernel: its address, offset in the file, and size."""
    return next(s[2:] for s in elf.sections if s[0] == ".text")


def room(elf):
    """First address of the kernel's room for copies, and the one behind it; None if it has no such room."""
    start = next((address for name, address, _, _ in elf.symbols if name == ROOM), None)
    return start and (start, min(address for _, address, _, _ in elf.symbols if address > start))


def disassemble(elf, code, copy):
    """A Text that has the bytes of the running kernel: from a copy of its file with them."""
    start, at, size = place(elf)
    image = bytearray(elf.data)
    image[at:at + size] = code
    with open(copy, "wb") as f:
        f.write(image)
    text = Text(start, code, machines.of(elf))
    command = [text.machine.objdump or elf.machine.objdump, "-d", "-z", "--no-show-raw-insn", "-j", ".text", copy]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as process:
        parse(process.stdout, text)
    os.unlink(copy)
    return text


def deal(text, seed, size, quick=False, left_out=frozenset(), own=frozenset(), sites=frozenset()):
    """Deals all instructions but those of some functions out to numbered phases of at most @size, each of
    them all over the text. @quick: a tenth of them.

    Entries of functions and ftrace's sites (offsets) are the first phases, so many that there is each thing
    around them: with each chunk of points in which there is one, ftrace looks at all of its own. Of ten
    neighbours among the others each tenth of the phases gets one. What registers and optimizes a probe, as the
    decoder, is hit for each probe, or for each instruction of the kernel: such functions, and those in @own,
    are the last phases, of a quarter of @size: what arms them is hit by what is armed."""
    entries, others, last = [], [], []
    for i in range(len(text)):
        name = text.name(i).rpartition("+")[0]
        if name in left_out:
            continue
        if name in own or text.machine.decoder.match(name):
            last.append(i)
        elif text.flags[i] & RETURN or text.offsets[i] in sites:
            entries.append(i)
        else:
            others.append(i)
    dealer, order, slices = random.Random(seed), list(range(SLICES)), [[] for _ in range(SLICES)]
    for at in range(0, len(others), SLICES):
        # Seldom: probes of a phase that are near each other keep each other from becoming jumps.
        if at % (100 * SLICES) == 0:
            dealer.shuffle(order)
        for place, instruction in zip(order, others[at:at + SLICES]):
            slices[place].append(instruction)
    phases = []
    for dealt in slices[:1 if quick else SLICES]:
        number = max(1, -(-len(dealt) // size))
        phases += [dealt[i::number] for i in range(number)]
    if not quick:
        number = max(AROUNDS, -(-len(entries) // size))
        phases = [entries[i::number] for i in range(number)] + phases
        number = -(-4 * len(last) // size)
        phases += [last[i::number] for i in range(number)]
    return list(enumerate(filter(None, phases), 1))


def has_post(i, seed):
    """A third has a post-handler; which does not depend on the phase that an instruction is in."""
    return (i * 2654435761 + seed) % (1 << 32) % 3 == 0
