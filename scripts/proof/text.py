# SPDX-License-Identifier: GPL-2.0
"""Instructions of a text, and how they are dealt out to phases. Pure functions, but for objdump."""
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

POST, SEQUENTIAL, RETURN = 1, 2, 4          # flags of a record, as in module/probes.c
CONTEXT = 8                                 # changes the context; not in a record

SYMBOL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(\S+)?")
# In front of an instruction, objdump names its prefixes.
PREFIXES = {"lock", "rep", "repz", "repnz", "notrack", "bnd", "cs", "ds", "es", "fs", "gs", "ss",
            "data16", "addr32", "xacquire", "xrelease"}
BRANCH = re.compile(r"(j|call|ret|lret|lcall|ljmp|iret|loop|ud|int|sys|hlt|xbegin|xabort|\(bad)")
# Sections with code that stay when a module has been initialized. .altinstr_replacement is not executed.
SECTION = re.compile(r"\.text|\.text\.\S+|\.(?!init\b)\w+\.text")
PROGBITS, EXECUTABLE = 1, 4
# Writes the preemption count, which says in which context the CPU is.
COUNT = re.compile(r"%gs:[^,]*<(pcpu_hot\+0x8|__preempt_count)>$")
# To another function. What is behind a thunk or a static call is not known.
JUMP = re.compile(r"\tj\w+ +\*?[0-9a-f]+ <([^+>]+)(?:\+0x[0-9a-f]+)?>")
RETURNS = re.compile(r"__x86_return_thunk|.*_return_thunk")
ANY = re.compile(r"__x86_indirect_|__SCT__")
# The optimizer decodes each function that has a probe. A probe on the decoder itself is hit then for
# each instruction of the kernel, so these have a phase of their own.
DECODER = re.compile(r"(insn|inat)_")
ENDS = re.compile(r"(jmp|ljmp|ret|lret|iret|ud|int3|sysret)")


class Text:
    """Instructions of an object: offsets in its text, their lengths and flags; its symbols.

    @name: of the kernel or of a module, and of the section.
    """

    def __init__(self, name, size):
        self.name, self.size = name, size
        self.section = name.partition(":")[2]
        self.offsets = array.array("I")
        self.lengths = array.array("B")
        self.flags = array.array("B")
        self.symbol_offsets, self.symbols = [], []
        self.start, self.bytes = 0, b""     # of the running kernel
        self.undecoded = set()      # functions with an instruction that objdump does not know
        self.tails = {}             # function: those that it ends with a jump to
        self.scheduler = (0, 0)     # offsets between which functions are left out of stacks
        self.padding = 0

    def __len__(self):
        return len(self.offsets)

    def symbol(self, offset):
        """An offset's symbol, as the kernel would print it."""
        i = bisect.bisect_right(self.symbol_offsets, offset) - 1
        if i < 0:
            return "%s+0x%x" % (self.name, offset)
        return "%s+0x%x" % (self.symbols[i], offset - self.symbol_offsets[i])


def mnemonic(line):
    """Of a line of objdump, without prefixes."""
    words = line.split("\t", 1)[1].split() if "\t" in line else []
    for word in words:
        if word not in PREFIXES and not word.startswith("rex"):
            return word
    return words[-1] if words else ""


def note_jump(text, line, name):
    """Of a function that ends with a jump, the stack shows the one that it has jumped to."""
    match = JUMP.search(line) if name.startswith("j") else None
    here = text.symbols[-1] if text.symbols else ""
    if match and match[1] != here and not RETURNS.match(match[1]):
        text.tails.setdefault(here, set()).add(match[1])
    elif name.startswith("jmp") and "*" in line:
        text.tails.setdefault(here, set()).add("__x86_indirect_")


def waits_in(text, offset):
    """Functions on a stack of which one may stand for the one at an offset. None if it can be any."""
    start, end = text.scheduler
    if start <= offset < end:
        return None
    found, left = set(), [text.symbol(offset).rpartition("+")[0]]
    while left:
        name = left.pop()
        if ANY.match(name):
            return None
        if name not in found:
            found.add(name)
            left += text.tails.get(name, ())
    return frozenset(found)


def parse(lines, text, start=0):
    """Fills in a Text from objdump's output; @start is the address of its first byte.

    Not instructions: the bytes in front of functions that carry a symbol __pfx_, but for the first,
    and int3 where the instruction before does not go on there.
    """
    before = ""
    prefix = entry = pending = False
    for line in lines:
        match = SYMBOL.match(line)
        if match:
            offset = int(match[1], 16) - start
            text.symbol_offsets.append(offset)
            text.symbols.append(match[2])
            prefix = match[2].startswith("__pfx_")
            entry = True
            continue
        match = INSTRUCTION.match(line)
        if not match:
            continue
        offset = int(match[1], 16) - start
        if pending:
            text.lengths[-1] = offset - text.offsets[-1]
        name = mnemonic(line)
        if "(bad)" in line and text.symbols:
            text.undecoded.add(text.symbols[-1])
        pending = not ((prefix and not entry) or (name == "int3" and ENDS.match(before)))
        if pending:
            text.offsets.append(offset)
            text.lengths.append(0)
            flags = 0 if BRANCH.match(name) else SEQUENTIAL
            flags |= CONTEXT if COUNT.search(line.rstrip()) else 0
            note_jump(text, line, name)
            text.flags.append(flags | (RETURN if entry and not prefix else 0))
        else:
            text.padding += 1
        entry = False
        before = name
    if pending:
        text.lengths[-1] = min(text.size - text.offsets[-1], 255)
    return text


def sections(elf):
    """Of an object: for each section with code, its address, offset in the file, and size."""
    return {elf.section_name(i): s[3:6] for i, s in enumerate(elf.sections)
            if s[1] == PROGBITS and s[2] & EXECUTABLE and s[5] and SECTION.fullmatch(elf.section_name(i))}


def disassemble(elf, text, copy, objdump="objdump"):
    """Fills in a Text that has the bytes of the running kernel: from a copy of its object with them."""
    start, at, _ = sections(elf)[text.section]
    image = bytearray(elf.data)
    image[at:at + text.size] = text.bytes
    with open(copy, "wb") as f:
        f.write(image)
    with subprocess.Popen([objdump, "-d", "-z", "--no-show-raw-insn", "-j", text.section, copy],
                          stdout=subprocess.PIPE, text=True) as process:
        parse(process.stdout, text, start)
    os.unlink(copy)


def split(texts, left_out=frozenset()):
    """All instructions: those to be dealt out, and those of the decoder. An instruction is (object,
    index). @left_out: functions."""
    others, decoder = [], []
    for o, text in enumerate(texts):
        for i, offset in enumerate(text.offsets):
            name = text.symbol(offset)
            if name.rpartition("+")[0] not in left_out:
                (decoder if DECODER.match(name) else others).append((o, i))
    return others, decoder


def deal(every, seed, slices=10):
    """Deals instructions out to slices: of ten neighbours each slice gets one.

    Returns a list of slices, each in the order of addresses.
    """
    dealer = random.Random(seed)
    result = [[] for _ in range(slices)]
    order = list(range(slices))
    for at in range(0, len(every), slices):
        dealer.shuffle(order)
        for place, instruction in zip(order, every[at:at + slices]):
            result[place].append(instruction)
    return result


def phases(instructions, size):
    """Divides a slice into phases of about @size, each of them all over the text."""
    number = max(1, -(-len(instructions) // size))
    return [instructions[i::number] for i in range(number)]


def has_post(instruction, seed):
    """A third has a post-handler; which does not depend on the phase that an instruction is in."""
    return (instruction[1] * 2654435761 + instruction[0] + seed) % (1 << 32) % 3 == 0
