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

POST, SEQUENTIAL, RETURN = 1, 2, 4          # flags of a record, as in module/kprobe_sweep.c
CONTEXT = 8                                 # changes the context; not in a record

SYMBOL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(\S+)?")
# In front of an instruction, objdump names its prefixes.
PREFIXES = {"lock", "rep", "repz", "repnz", "notrack", "bnd", "cs", "ds", "es", "fs", "gs", "ss",
            "data16", "addr32", "xacquire", "xrelease"}
BRANCH = re.compile(r"(j|call|ret|lret|lcall|ljmp|iret|loop|ud|int|sys|hlt|xbegin|xabort|\(bad)")
# Writes the preemption count, which says in which context the CPU is.
COUNT = re.compile(r"%gs:[^,]*<(pcpu_hot\+0x8|__preempt_count)>$")
# To another function. What is behind a thunk or a static call is not known.
JUMP = re.compile(r"\tj\w+ +\*?[0-9a-f]+ <([^+>]+)(?:\+0x[0-9a-f]+)?>")
RETURNS = re.compile(r"__x86_return_thunk|.*_return_thunk")
ANY = re.compile(r"__x86_indirect_|__SCT__")
# The optimizer decodes each function that has a probe. A probe on the decoder itself is hit then for
# each instruction of the kernel, so these have a phase of their own.
DECODER = re.compile(r"(insn|inat)_")
SLICES = 10
ENDS = re.compile(r"(jmp|ljmp|ret|lret|iret|ud|int3|sysret)")


class Text:
    """Instructions: their offsets in the text, lengths and flags; its symbols."""

    def __init__(self, start, code):
        self.start, self.bytes = start, code
        self.offsets = array.array("I")
        self.lengths = array.array("B")
        self.flags = array.array("B")
        self.symbol_offsets, self.symbols = [], []
        self.undecoded = set()      # functions with an instruction that objdump does not know
        self.tails = {}             # function: those that it ends with a jump to
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


def parse(lines, text):
    """Fills in a Text from objdump's output.

    Not instructions: the bytes in front of functions that carry a symbol __pfx_, but for the first,
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
        entry = False
        before = name
    if pending:
        text.lengths[-1] = min(len(text.bytes) - text.offsets[-1], 255)
    return text


def place(elf):
    """Of the text of a kernel: its address, offset in the file, and size."""
    return next(s[2:] for s in elf.sections if s[0] == ".text")


def disassemble(elf, code, copy):
    """A Text that has the bytes of the running kernel: from a copy of its file with them."""
    start, at, size = place(elf)
    image = bytearray(elf.data)
    image[at:at + size] = code
    with open(copy, "wb") as f:
        f.write(image)
    text = Text(start, code)
    with subprocess.Popen(["objdump", "-d", "-z", "--no-show-raw-insn", "-j", ".text", copy],
                          stdout=subprocess.PIPE, text=True) as process:
        parse(process.stdout, text)
    os.unlink(copy)
    return text


def deal(text, seed, size, quick=False, left_out=frozenset()):
    """Deals all instructions but those of some functions out to numbered phases of about @size, each of them
    all over the text. @quick: a tenth of them.

    Of ten neighbours each tenth of the phases gets one. The decoder's are the last phase."""
    others, decoder = [], []
    for i in range(len(text)):
        name = text.name(i)
        if name.rpartition("+")[0] not in left_out:
            (decoder if DECODER.match(name) else others).append(i)
    dealer, order, slices = random.Random(seed), list(range(SLICES)), [[] for _ in range(SLICES)]
    for at in range(0, len(others), SLICES):
        dealer.shuffle(order)
        for place, instruction in zip(order, others[at:at + SLICES]):
            slices[place].append(instruction)
    phases = []
    for dealt in slices[:1 if quick else SLICES]:
        number = max(1, -(-len(dealt) // size))
        phases += [dealt[i::number] for i in range(number)]
    return list(enumerate(phases + ([decoder] if decoder and not quick else []), 1))


def has_post(i, seed):
    """A third has a post-handler; which does not depend on the phase that an instruction is in."""
    return (i * 2654435761 + seed) % (1 << 32) % 3 == 0
