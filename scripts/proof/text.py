# SPDX-License-Identifier: GPL-2.0
"""Instructions of a text, and how they are dealt out to phases. Pure functions, but for objdump."""
import array
import bisect
import random
import re
import struct
import subprocess

POST, SEQUENTIAL, RETURN = 1, 2, 4          # flags of a record, as in module/proof.h
NAME = 24
MAGIC = 0x666f6f72

SYMBOL = re.compile(r"^([0-9a-f]+) <(.+)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(\S+)?")
# In front of an instruction, objdump names its prefixes.
PREFIXES = {"lock", "rep", "repz", "repnz", "notrack", "bnd", "cs", "ds", "es", "fs", "gs", "ss",
            "data16", "addr32", "xacquire", "xrelease"}
BRANCH = re.compile(r"(j|call|ret|lret|lcall|ljmp|iret|loop|ud|int|sys|hlt|xbegin|xabort|\(bad)")
# The optimizer decodes each function that has a probe. A probe on the decoder itself is hit then for
# each instruction of the kernel, so these have a phase of their own.
DECODER = re.compile(r"(insn|inat)_")
ENDS = re.compile(r"(jmp|ljmp|ret|lret|iret|ud|int3|sysret)")


class Text:
    """Instructions of an object: offsets in its text, their lengths and flags; its symbols."""

    def __init__(self, name, size):
        self.name, self.size = name, size
        self.offsets = array.array("I")
        self.lengths = array.array("B")
        self.flags = array.array("B")
        self.symbol_offsets, self.symbols = [], []
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
        pending = not ((prefix and not entry) or (name == "int3" and ENDS.match(before)))
        if pending:
            text.offsets.append(offset)
            text.lengths.append(0)
            flags = 0 if BRANCH.match(name) else SEQUENTIAL
            text.flags.append(flags | (RETURN if entry and not prefix else 0))
        else:
            text.padding += 1
        entry = False
        before = name
    if pending:
        text.lengths[-1] = min(text.size - text.offsets[-1], 255)
    return text


def section(elf, readelf="readelf"):
    """Address, offset in the file, and size of an object's .text."""
    out = subprocess.run([readelf, "-SW", elf], stdout=subprocess.PIPE, text=True, check=True)
    match = re.search(r"\] \.text +PROGBITS +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", out.stdout)
    return tuple(int(n, 16) for n in match.groups())


def put(elf, to, data, readelf="readelf"):
    """Makes a copy of an object with another text: that of the running kernel."""
    _, at, size = section(elf, readelf)
    with open(elf, "rb") as f:
        image = bytearray(f.read())
    image[at:at + min(size, len(data))] = data[:size]
    with open(to, "wb") as f:
        f.write(image)


def disassemble(elf, text, start, objdump="objdump"):
    with subprocess.Popen([objdump, "-d", "-z", "--no-show-raw-insn", "-j", ".text", elf],
                          stdout=subprocess.PIPE, text=True) as process:
        return parse(process.stdout, text, start)


def split(texts):
    """All instructions: those to be dealt out, and those of the decoder. An instruction is (object,
    index)."""
    others, decoder = [], []
    for o, text in enumerate(texts):
        for i in range(len(text)):
            (decoder if DECODER.match(text.symbol(text.offsets[i])) else others).append((o, i))
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


def record(texts, instruction, post):
    """A record of the plan."""
    o, i = instruction
    text = texts[o]
    flags = text.flags[i] | (POST if post else 0)
    return struct.pack("<IBBBB", text.offsets[i], o, text.lengths[i], flags, 0)


def has_post(instruction, seed):
    """A third has a post-handler; which does not depend on the phase that an instruction is in."""
    return (instruction[1] * 2654435761 + instruction[0] + seed) % (1 << 32) % 3 == 0


def plan(texts, numbered, steps, seed, unprobed=0):
    """The file that the guest reads. @numbered: (ID, instructions) for each phase. @unprobed: the
    steps that are also taken without probes. @steps: of each phase."""
    out = [struct.pack("<4I", MAGIC, len(texts), len(numbered), unprobed)]
    out += [struct.pack("<%dsQ" % NAME, t.name.encode(), t.size) for t in texts]
    for (number, instructions), those in zip(numbered, steps):
        out.append(struct.pack("<4I", number, len(instructions), those, 0))
        out += [record(texts, i, has_post(i, seed)) for i in instructions]
    return b"".join(out)


def archive(name, data):
    """A file as a cpio archive, which may follow another one."""
    def member(name, data, mode):
        head = "070701" + "".join("%08x" % n for n in (
            1, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0))
        out = head.encode() + name.encode() + b"\0"
        out += b"\0" * (-len(out) % 4) + data
        return out + b"\0" * (-len(out) % 4)
    return member(name, data, 0o100644) + member("TRAILER!!!", b"", 0)
