# SPDX-License-Identifier: GPL-2.0
"""Unit tests of hitpath.py, on a few functions linked as the kernel's are; run by make check.

Those of an architecture without a compiler here are skipped."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import hitpath  # noqa: E402

HITPATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hitpath.py")

# A function of each kind that may be called, in the order that the kernel's linker script has.
SOURCE = """
	%(prologue)s
	.macro BEGIN name
	.type \\name, %%function
	.globl \\name
\\name:
	.endm
	.macro END name
	ret
	.size \\name, . - \\name
	.endm
	.macro FUNCTION name, code:vararg
BEGIN \\name
	\\code
END \\name
	.endm
	.text
	.globl _stext, _etext
_stext:
BEGIN root
	nop
	%(root)s
END root
FUNCTION named, %(named)s
FUNCTION named.cold, nop
FUNCTION free, %(call)s free_too
FUNCTION __asan_load8, nop
FUNCTION free_too, nop
FUNCTION free.part.0, nop
BEGIN labelled
	nop
labelled_inner:
	%(call)s free
END labelled
__kprobes_text_start:
FUNCTION in_section, nop
BEGIN section_labelled
	nop
section_inner:
END section_labelled
__kprobes_text_end:
FUNCTION __x86_indirect_thunk_rax, %(pointer)s
	.text 2
_etext:
	.section _kprobe_blacklist, "aw"
__start_kprobe_blacklist:
	.quad	root, named, labelled, __x86_indirect_thunk_rax
__stop_kprobe_blacklist:
	%(more)s
"""


class HitPath:
    """The tests; classes below say how instructions are written."""
    gcc = "gcc"
    prologue = ""
    link = ["-static"]

    def setUp(self):
        if not shutil.which(self.gcc):
            self.skipTest("there is no " + self.gcc)
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def findings(self, root, named="nop", rules="", options=(), more=""):
        """What is found where root and another blacklisted function do this."""
        self.write("vmlinux.S", SOURCE % {"root": root, "named": named, "more": more,
                                          "prologue": self.prologue, "call": self.call,
                                          "pointer": self.pointers[-1]})
        self.write("rules", "# what it is about\nroot\troot\ta hit comes in\n" + rules)
        subprocess.run([self.gcc, "-nostdlib", *self.link, "-Wl,-e,root", "-o",
                        self.path("vmlinux"), self.path("vmlinux.S")], check=True)
        done = subprocess.run([HITPATH, *options, self.path("rules"), self.path("vmlinux")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = done.stdout.decode().splitlines()
        self.assertEqual(done.returncode, 1 if lines else 0)
        return [line.split(": ", 1)[1] for line in lines]

    def test_calls_and_jumps(self):
        for branch in self.branches:
            self.assertEqual(self.findings(branch + " free"),
                             ["can be probed: free < root"], branch)

    def test_calls_of_root_and_of_another(self):
        for callee, other, rules, way in (
                ("named", "free", "", "free < named < root"),
                ("named", "root", "", ""),
                ("in_section", "root", "", ""),
                ("named.cold", "root", "", ""),
                ("section_inner", "root", "", ""),
                ("free.part.0", "root", "", "free.part.0 < root"),
                # An inner label ends a function.
                ("labelled", "root", "", "labelled_inner < labelled < root"),
                ("free", "root", "probed\tfre*\tno matter\n", ""),
                ("free", "root", "end\tfree\tno matter\n", "free < root"),
                ("named", "free", "end\tnamed\tno matter\n", ""),
                ("named", "__asan_load8", "", "__asan_load8 < named < root"),
                ("named", "__asan_load8", "checked\troot\tno matter\n", "__asan_load8 < named < root"),
                ("named", "__asan_load8", "checked\tnamed\tno matter\n", ""),
                ("named", "free", "checked\tnamed\tno matter\n", "free < named < root"),
                ("free", "root", "[none]\nprobed\tfree\tno matter\n", "free < root"),
                ("free", "root", "[%s]\nprobed\tfree\tno matter\n" % self.name, "")):
            self.assertEqual(self.findings(self.call + " " + callee, self.call + " " + other, rules),
                             ["can be probed: " + way] if way else [], (callee, other, rules))

    def test_pointers(self):
        for call in self.pointers:
            self.assertEqual(self.findings(call), ["calls by a pointer: root"], call)
            self.assertEqual(self.findings(call, rules="indirect\troot\ta handler\n"), [])

    def test_roots(self):
        rules = "root\tnowhere\tno such function\n"
        self.assertEqual(self.findings("nop", rules=rules), [])
        self.assertEqual(self.findings("nop", rules=rules, options=["--all-roots"]), ["there is no nowhere"])
        self.assertEqual(self.findings("nop", self.call + " free", "root\tnam?d\tanother\n"),
                         ["can be probed: free < named"])

    def test_alternative(self):
        self.assertEqual(self.findings("nop", more=self.alternative),
                         ["can be probed: free < root"])


class X86(HitPath, unittest.TestCase):
    name = "x86"
    call = "call"
    branches = "jmp", "call", "jne", "bnd jmp"
    pointers = "jmp *8(%rax)", "call __x86_indirect_thunk_rax", "call *%rax"
    alternative = """
	.section .altinstr_replacement, "ax"
replacement:
	call	free
	.section .altinstructions, "a"
__alt_instructions:
	.long	root - ., replacement - ., 0
	.byte	1, 5
__alt_instructions_end:
"""
    # The third member has a function of this one, and of a table of Xen's that has all members.
    members = """
	.macro TABLE name, first, second, third:vararg
	.type \\name, @object
\\name:	.quad	\\first, \\second, \\third
	.size \\name, . - \\name
	.endm
	.data
	TABLE pv_ops, named, in_section, %s
	TABLE xen_irq_ops, 0, 0, %s
	TABLE xen_smaller_ops, 0, 0, free, free
"""

    def test_members(self):
        call = "call *pv_ops+16(%rip)"
        self.assertEqual(self.findings("call *pv_ops(%rip)", more=self.members % ("free", "free")), [])
        self.assertEqual(self.findings(call, more=self.members % ("named", "section_inner")), [])
        for more in self.members % ("free", "0"), self.members % ("named", "free"):
            self.assertEqual(self.findings(call, more=more), ["can be probed: free < root"])

    def test_later_member(self):
        more = "pv_native_flags = named\nxen_flags_direct = free\n"
        self.assertEqual(self.findings("call *pv_ops(%rip)", more=self.members % ("free", "0") + more),
                         ["can be probed: free < root"])


class Arm64(HitPath, unittest.TestCase):
    name = "arm64"
    gcc = "aarch64-linux-gnu-gcc"
    prologue = ".arch armv8.3-a"
    # The words of the blacklist are in relocations.
    link = ["-shared", "-Wl,-Bsymbolic,-z,notext,--no-apply-dynamic-relocs"]
    call = "bl"
    branches = "b", "bl", "b.ne", "cbz x0,", "cbnz w1,", "tbz x2, #40,", "tbnz w3, #5,"
    pointers = "blr x0", "braaz x1", "blraa x2, x3", "br x0"
    alternative = """
	.text 1
replacement:
	bl	free
	.section .altinstructions, "a"
__alt_instructions:
	.long	root - ., replacement - .
	.hword	0
	.byte	4, 4
__alt_instructions_end:
"""


class Riscv(HitPath, unittest.TestCase):
    name = "riscv"
    gcc = "riscv64-linux-gnu-gcc"
    call = "call"
    branches = ("j", "call", "tail", "jal t0,", "beqz a0,", "bltu a0, a1,",
                ".option norelax\ncall", ".option norelax\ntail")
    pointers = ("jalr a0", "la a5, free\nld a5, 0(a5)\njalr a5", "jalr t0, 8(t1)",
                "auipc a5, 0\nmv a5, a0\njalr ra, 8(a5)", "jr a0")
    alternative = """
	.text 1
replacement:
	call	free
	.section .alternative, "a"
__alt_start:
	.long	root - ., replacement - .
	.hword	0, 4
	.long	0
__alt_end:
"""


class Sparc(unittest.TestCase):
    """A branch over nops to the next function is not executed."""

    def test_padding(self):
        padding, branch = "b,a   %xcc, 79ad40 <next>", "b,pt   %xcc, 79ad40 <next>"
        self.assertTrue(hitpath.Sparc.is_padding(0x79ad28, 0x79ad40, padding))
        self.assertFalse(hitpath.Sparc.is_padding(0x79ad28, 0x79ad40, branch))
        self.assertFalse(hitpath.Sparc.is_padding(0x79ac00, 0x79ad40, padding))
        self.assertFalse(hitpath.Sparc.is_padding(0x79ad58, 0x79ad40, padding))


class Parisc(unittest.TestCase):
    """Its assembler writes instructions in another way, and its linker adds branches to large kernels alone."""

    def test_linker_stubs(self):
        # nop; ldil L%0x1044a000,%r1; be,n 0x7bc(%sr4,%r1); ldil L%0x1044a000,%r1; nop
        words = [0x08000240, 0x20254208, 0xe0202f7a, 0x20254208, 0x08000240]
        self.assertEqual(hitpath.Parisc.linker_stubs(0x10400000, words), {0x10400004: 0x1044a7bc})
