#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: hitpath.py [--all-roots] RULES VMLINUX

Proves that a hit of a probe executes nothing that can be probed: follows the calls and jumps of
a linked kernel from the functions where hits begin, also those in alternative instructions that
may be patched in at boot, and those by pv_ops: to native functions, and to Xen's. Each function
that is reached must be on the blacklist. Prints those that are not, with the path there, and then
fails with status 1. Knows x86, arm, arm64, riscv, loongarch, s390, sparc, mips, powerpc and
parisc.

The blacklist has the functions that NOKPROBE_SYMBOL() names, those in sections that are forbidden
as a whole, and the pieces that compilers make of such functions: kernel/kprobes/blacklist.c.

Each line of RULES is a kind, a function's name (or a pattern) and the reason, with tabs between:

  root      a hit begins here, or in one of several functions with "|" between;
            with --all-roots all of them must exist
  end       on the blacklist, but the functions that it calls are not on the hit path
  checked   on the blacklist, and may be instrumented by sanitizers: not kprobes' own
  probed    reached, but may be probed
  indirect  calls by a pointer, which cannot be followed

Rules after a line "[arm64]" or the like are for that architecture alone.
"""
import bisect
import fnmatch
import os
import re
import struct
import subprocess
import sys

RANGES = [("__kprobes_text_start", "__kprobes_text_end"),
          ("__noinstr_text_start", "__noinstr_text_end")]
PIECE = re.compile(r"\.(cold|isra\.|constprop\.|part\.)")
PREFIX = re.compile(r"__(pfx|cfi)_|\$(?!\$)|\.L")
SANITIZER = re.compile(r"__(asan|hwasan|tsan|msan|ubsan|sanitizer|kcsan)_\w+")
THUNK = re.compile(r"__x86_indirect_\w+|__s390_indirect_jump_r(?!14)\w+|\$\$dyncall\w*")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(.*)")
FUNC, NOTYPE = "FUNC", "NOTYPE"
# Of symbols in the text; the last is what PA-RISC's compiler calls to divide.
KINDS = FUNC, NOTYPE, "PARISC_MILLI"
# Of readelf: name, type, address, offset and size; address, size, type, section and name.
SECTION = re.compile(r"^ +\[ *\d+\] (\S+) +([A-Z]\w+) +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", re.M)
SYMBOL = re.compile(r"^ *\d+: ([0-9a-f]+) +(\w+) (\w+) +\w+ +\w+ +(?:\[.*\] +)?(\w+) (.+)$", re.M)


class X86:
    name = "x86"
    objdump = "objdump"
    # The linker puts entry code and thunks at the end of the text.
    ranges = [("__softirqentry_text_end", "_etext")]
    relative = None
    alternatives = "__alt_instructions", "__alt_instructions_end", "<iiIBB", 4
    replacements = ".altinstr_replacement"
    branch = re.compile(r"(?:[a-z0-9]+ )*?(?:call|j[a-z]+)(?:,p[nt])?q? +(\*?)(?:%\w+|([0-9a-f]+))?")
    member = re.compile(r"<pv_ops(?:\+0x([0-9a-f]+))?>")

    def target(self, text):
        """Where a branch leads: None if this is none, 0 if that is in a register or in memory."""
        m = self.branch.match(text)
        if not m:
            return None
        return 0 if m.group(1) or not m.group(2) else int(m.group(2), 16)


class OnePattern:
    """Where all branches match @branch, whose group is where it leads, if not to what is in a register."""

    def target(self, text):
        m = self.branch.match(text)
        return m and int(m.group(1) or "0", 16)


class Arm64(OnePattern):
    name = "arm64"
    objdump = "aarch64-linux-gnu-objdump"
    ranges = [("__entry_text_start", "__entry_text_end"), ("__idmap_text_start", "__idmap_text_end"),
              ("__hyp_text_start", "__hyp_text_end")]
    # The contents of words that hold addresses are in relocations: R_AARCH64_RELATIVE.
    relative = 1027
    alternatives = "__alt_instructions", "__alt_instructions_end", "<iiHBB", 4
    replacements = None
    branch = re.compile(r"(?:(?:bl|b|b\.\w+|cbn?z\t\w+,|tbn?z\t\w+, #\d+,)\s+([0-9a-f]+)|(?:blr|br)(?:a[ab]z?)?\t)")


class Riscv:
    name = "riscv"
    objdump = "riscv64-linux-gnu-objdump"
    ranges = []
    relative = None
    alternatives = "__alt_start", "__alt_end", "<iiHHI", 3
    replacements = None
    direct = re.compile(r"(?:j|jal|b\w+)\t(?:[a-z]\w*,)*([0-9a-f]{5,})\b")
    indirect = re.compile(r"(?:jr|jalr)\t(?:\w+,)?(?:-?\d+\()?(\w+)\)?(?:.*# ([0-9a-f]+))?")
    upper = re.compile(r"auipc\t(\w+),")
    before = None

    def target(self, text):
        """Two instructions are a branch if the first sets the register of the second."""
        before, m = self.before, self.upper.match(text)
        self.before = m and m.group(1)
        m = self.direct.match(text)
        if m:
            return int(m.group(1), 16)
        m = self.indirect.match(text)
        if not m:
            return None
        return int(m.group(2), 16) if m.group(2) and m.group(1) == before else 0


class Loongarch(OnePattern):
    name = "loongarch"
    objdump = os.path.join(os.path.dirname(__file__), "../tools/testing/kprobes-isa/loongarch64-objdump")
    ranges = []
    relative = None
    alternatives = "__alt_instructions", "__alt_instructions_end", "<iiHBB", 4
    replacements = ".altinstr_replacement"
    # LLVM leaves room for the bytes.
    branch = re.compile(r"\s*(?:b\w*\t(?:\$\w+, )*([0-9a-f]{5,})\b|jirl\t(?!\$zero, \$ra, 0))")


class S390:
    name = "s390"
    objdump = "s390x-linux-gnu-objdump"
    ranges = [("__ftrace_hotpatch_trampolines_start", "__ftrace_hotpatch_trampolines_end")]
    relative = None
    alternatives = "__alt_instructions", "__alt_instructions_end", "=iiIB", 3
    replacements = ".altinstr_replacement"
    direct = re.compile(r"(?:j|bra|brc|brx|cl?g?i?r?j)\w*\t(?:[^ ]*,)?([0-9a-f]+) <")
    indirect = re.compile(r"(?:b|ba[ls]r?|bc?t?g?r?|b[a-z]+r)\t(?!.*%r(?:14|0)$)")

    def target(self, text):
        """A return is none, nor is what only waits for memory."""
        m = self.direct.match(text)
        if m:
            return int(m.group(1), 16)
        return 0 if self.indirect.match(text) else None


class Arm(OnePattern):
    name = "arm"
    objdump = "arm-linux-gnueabihf-objdump"
    ranges = [("__entry_text_start", "__entry_text_end"), ("__idmap_text_start", "__idmap_text_end")]
    relative = None
    alternatives = "", "", "<i", 0
    replacements = None
    # With any condition. By lr, or from the stack, they are returns. Thumb-2's tables are for switches alone.
    branch = re.compile(r"(?:(?:bl?[\w.]*\t|cbn?z\t\w+, )([0-9a-f]{5,}) <|blx\w*\t|"
                        r"(?:bx\w*\t|[\w.]+\tpc, )(?!lr\b|\[sp\], #4$))")


class Sparc(OnePattern):
    name = "sparc"
    objdump = "sparc64-linux-gnu-objdump"
    # The boot, the handlers of traps, and the trap table.
    ranges = [("_stext", "sun4v_devino_to_sysino")]
    relative = None
    alternatives = "__alt_instructions", "__alt_instructions_end", ">iiIB", 3
    replacements = None
    branch = re.compile(r"(?:(?:call|f?b\w*|c[wx]b\w+)(?:,\w+)*\s+(?:%\w+, )*([0-9a-f]+) <|(?:call|jmpl?)\s+%)")

    @staticmethod
    def is_padding(address, target, text):
        """The assembler fills the space in front of a function with nops, and a branch over them."""
        return text.startswith("b,a ") and target % 32 == 0 and 0 < target - address <= 64


class Mips(OnePattern):
    name = "mips"
    objdump = "mips64el-linux-gnuabi64-objdump"
    ranges = []
    relative = None
    alternatives = "__alt_instructions", "__alt_instructions_end", "<iiHBB", 4
    replacements = None
    # A return is none.
    branch = re.compile(r"(?:(?:b\w*|j|jal)\t(?:\w+,)*([0-9a-f]{5,})\b|jalr\S*\t|jr\S*\t(?!ra$))")


class Parisc(OnePattern):
    name = "parisc"
    objdump = "hppa-linux-gnu-objdump"
    ranges = [("fault_vector_20", "set_register"), ("linux_gateway_page", "end_linux_gateway_page")]
    relative = None
    alternatives = "", "", ">i", 0
    replacements = None
    # By rp they are returns.
    branch = re.compile(r"(?:(?:b|cmpi?b|addi?b|movi?b|bb)(?:,\S+)*\s+(?:[^ ]*,)?([0-9a-f]+) <|"
                        r"(?:be|bve?|blr)(?:,\w+)*\s+(?!(?:r0)?\(rp\)))")

    @staticmethod
    def linker_stubs(text, words):
        """Where the linker's branches lead that are for calls which do not reach: ldil to r1, and be,n by it."""
        stubs = {}
        for i, (high, low) in enumerate(zip(words, words[1:])):
            if high & 0xffe00000 == 0x20200000 and low & 0xffe0e002 == 0xe0202002:
                page = ((high & 1) << 20 | (high & 0xffe) << 8 | high >> 7 & 0x180 | high >> 14 & 0x7c |
                        high >> 12 & 3)
                offset = (low >> 3 & 0x3ff | (low & 4) << 8 | (low >> 16 & 31) << 11) - ((low & 1) << 16)
                stubs[text + 4 * i] = (page << 11) + 4 * offset
        return stubs


class Powerpc(OnePattern):
    name = "powerpc"
    objdump = "powerpc64le-linux-gnu-objdump"
    ranges = [("_stext", "__end_soft_masked")]
    relative = 22       # R_PPC64_RELATIVE
    alternatives = "", "", "<QQQQQ", 4
    replacements = None
    # A return is no call by a pointer: to CTR alone functions are called.
    branch = re.compile(r"b[a-z]*(?:[-+]?\s+(?:[a-z0-9*+]+,)*([0-9a-f]{5,})\b|ctrl?[-+]?(?:\s|$))")


# By what readelf calls them.
MACHINES = {"Intel 80386": X86, "Advanced Micro Devices X86-64": X86, "AArch64": Arm64, "RISC-V": Riscv,
            "LoongArch": Loongarch, "IBM S/390": S390, "ARM": Arm, "Sparc v9": Sparc, "MIPS R3000": Mips,
            "PowerPC64": Powerpc, "PowerPC": Powerpc, "HPPA": Parisc}


class Elf:
    """A file as readelf shows it. @sections: name, type, address, offset, size. @symbols: name, address,
    size, type of each defined one."""

    def __init__(self, name):
        with open(name, "rb") as f:
            self.data = f.read()
        said = subprocess.run(["readelf", "-hSsW", name], stdout=subprocess.PIPE, text=True, check=True).stdout
        head, _, symbols = said.partition("Symbol table '.symtab'")
        self.is64 = "ELF64" in head
        self.order = ">" if "big endian" in head else "<"
        self.machine = MACHINES[re.search("Machine: +(.*)", head)[1]]
        self.sections = [(m[1], m[2], *(int(m[i], 16) for i in (3, 4, 5))) for m in SECTION.finditer(head)]
        # Bit 0 tells that a function of arm is Thumb code.
        self.flags = 1 if self.machine is Arm else 0
        self.symbols = [(m[5], int(m[1], 16) & ~(self.flags if m[3] == FUNC else 0), int(m[2], 0), m[3])
                        for m in SYMBOL.finditer(symbols) if m[4] != "UND"]

    def bytes(self, start, end):
        for _, kind, address, offset, size in self.sections:
            if kind != "NOBITS" and address and address <= start and end <= address + size:
                return self.data[offset + start - address:offset + end - address]
        return b""

    def words(self, start, end, relative):
        """What the words there are when the kernel runs. @relative: the type of relocations that set them."""
        width, letter = (8, "Q") if self.is64 else (4, "I")
        words = {start + i * width: word for i, (word,) in
                 enumerate(struct.iter_unpack(self.order + letter, self.bytes(start, end)))}
        for _, kind, _, offset, size in self.sections if relative else ():
            if kind == "RELA":
                for at, info, addend in struct.iter_unpack(self.order + "QQQ", self.data[offset:offset + size]):
                    if info == relative and start <= at < end:
                        words[at] = addend
        return words.values()


class Kernel:
    def __init__(self, file):
        elf = Elf(file)
        self.machine = elf.machine()
        symbols = elf.symbols
        self.address = {name: value for name, value, _, _ in symbols}
        text, end = self.address["_stext"], self.address["_etext"]
        # Functions, and labels in them, that kallsyms tells apart.
        code = [s for s in symbols if s[3] in KINDS and text <= s[1] < end and
                not PREFIX.match(s[0])]
        self.names = {}
        for name, value, _, kind in sorted(code, key=lambda s: (s[3] != FUNC, s[0][:2] == "__", s[0])):
            self.names.setdefault(value, []).append(name)
        self.starts = sorted(self.names)
        self.calls = {start: set() for start in self.starts}
        self.indirect = set()
        self.follow_into_labels(code)
        self.forbidden = self.blacklist(elf)
        self.text = text, end
        self.alternatives = sorted(self.read_alternatives(elf))
        self.stubs = self.read_stubs(elf)
        self.pv_ops = self.read_pv_ops(elf, symbols)
        self.disassemble(file, "--start-address=%#x" % text, "--stop-address=%#x" % end)
        # It is not there if nothing but what is overwritten has a length.
        if self.alternatives and any(s[0] == self.machine.replacements for s in elf.sections):
            self.disassemble(file, "--section=" + self.machine.replacements)

    def function(self, address):
        return self.starts[bisect.bisect_right(self.starts, address) - 1]

    def read_alternatives(self, elf):
        """First and last address of each, and the instruction in whose place it is patched."""
        start, end, layout, length = self.machine.alternatives
        layout = elf.order + layout[1:]
        first, last = self.address.get(start, 0), self.address.get(end, 0)
        for i, entry in enumerate(struct.iter_unpack(layout, elf.bytes(first, last))):
            at = first + i * struct.calcsize(layout)
            if entry[length]:
                place = at + 4 + entry[1]
                yield place, place + entry[length], at + entry[0]

    def read_stubs(self, elf):
        if not hasattr(self.machine, "linker_stubs"):
            return {}
        start, end = self.text
        end = min(end, *(address + size for _, kind, address, _, size in elf.sections
                         if kind != "NOBITS" and address <= start < address + size))
        words = struct.iter_unpack(elf.order + "I", elf.bytes(start, end))
        return self.machine.linker_stubs(start, [word for word, in words])

    def executed_in(self, address):
        """The function that executes an instruction, there or in whose place it is patched."""
        i = bisect.bisect_right(self.alternatives, (address, sys.maxsize, 0)) - 1
        if i >= 0 and address < self.alternatives[i][1]:
            address = self.alternatives[i][2]
        return self.function(address)

    def follow_into_labels(self, code):
        for _, value, size, _ in code:
            first = bisect.bisect_right(self.starts, value)
            while first < len(self.starts) and self.starts[first] < value + size:
                self.calls[value].add(self.starts[first])
                first += 1

    def blacklist(self, elf):
        named = elf.words(self.address.get("__start_kprobe_blacklist", 0),
                          self.address.get("__stop_kprobe_blacklist", 0), self.machine.relative)
        named = [a & ~elf.flags for a in named]
        forbidden = {self.function(a) for a in named if a in self.names}
        for first, last in RANGES + self.machine.ranges:
            if first in self.address and last in self.address:
                forbidden.update(s for s in self.starts
                                 if self.address[first] <= s < self.address[last])
        # All functions of a name, as the kernel does it.
        names = {name for start in forbidden for name in self.names[start]}
        forbidden.update(start for start, all_names in self.names.items() for name in all_names
                         for piece in PIECE.finditer(name) if name[:piece.start()] in names)
        return forbidden

    def read_pv_ops(self, elf, symbols):
        """The functions of each member: the native one, Xen's first one, and Xen's later one."""
        sizes = {name: size for name, _, size, _ in symbols}
        members = {}
        for name, value, size, _ in symbols:
            if name != "pv_ops" and not re.fullmatch(r"xen_\w+_ops", name):
                continue
            # Those of Xen that have the members of pv_ops are as large.
            if size == sizes.get("pv_ops"):
                for i, word in enumerate(elf.words(value, value + size, None)):
                    later = [self.address.get("xen_%s_direct" % native.replace("pv_native_", ""))
                             for native in self.names.get(word, ())]
                    members.setdefault(i * (8 if elf.is64 else 4), set()).update([word, *later])
        return {offset: words & self.names.keys() for offset, words in members.items()}

    def disassemble(self, file, *options):
        command = [self.machine.objdump, "-d", "--no-show-raw-insn", *options, file]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as run:
            for line in run.stdout:
                if "\tint3" not in line and ("\tmov" not in line or "\tpc, " in line):
                    m = INSTRUCTION.match(line)
                    target = m and self.machine.target(m.group(2))
                    if target is not None:
                        self.branch(int(m.group(1), 16), target, m.group(2))
        if run.returncode:
            sys.exit("%s: objdump failed" % file)

    def branch(self, address, target, text):
        here = self.executed_in(address)
        if address in self.stubs or address - 4 in self.stubs:
            return
        if hasattr(self.machine, "is_padding") and self.machine.is_padding(address, target, text):
            return
        target = self.stubs.get(target, target)
        if not target:
            self.branch_by_pointer(here, text)
            return
        if not self.text[0] <= target < self.text[1]:
            return
        there = self.executed_in(target)
        if any(THUNK.match(name) for name in self.names[there]):
            self.indirect.add(here)
        elif there != here:
            self.calls[here].add(there)

    def branch_by_pointer(self, here, text):
        m = self.machine.name == "x86" and self.machine.member.search(text)
        functions = m and self.pv_ops.get(int(m.group(1) or "0", 16))
        if functions:
            self.calls[here].update(functions - {here})
        else:
            self.indirect.add(here)


def read_rules(name):
    """Of each rule kind, function, and architecture, which is None for all of them."""
    rules, machine = [], None
    with open(name) as f:
        for line in f:
            if line.startswith("["):
                machine = line.strip("[]\n")
            elif line.strip() and not line.startswith("#"):
                kind, pattern, reason = re.split(r"\t+", line.strip(), maxsplit=2)
                if kind not in ("root", "end", "checked", "probed", "indirect") or not reason:
                    sys.exit("%s: %s" % (name, line))
                rules.append((kind, pattern, machine))
    return rules


class Proof:
    def __init__(self, kernel, rules):
        self.kernel = kernel
        self.rules = [(kind, pattern) for kind, pattern, machine in rules
                      if machine in (None, kernel.machine.name)]
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
            there = [n for pattern in name.split("|")
                     for n in fnmatch.filter(self.kernel.address, pattern)]
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
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    *options, rules, file = sys.argv[1:]
    findings = Proof(Kernel(file), read_rules(rules)).run("--all-roots" in options)
    for finding in findings:
        print("%s: %s" % (file, finding))
    sys.exit(bool(findings))


if __name__ == "__main__":
    main()
