#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of hitpath.py, on a few functions linked as the kernel's are; run by make check."""
import os
import shutil
import subprocess
import tempfile
import unittest

HITPATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hitpath.py")

# A function of each kind that may be called, in the order that the kernel's linker script has.
SOURCE = """
	.macro FUNCTION name
	.type \\name, @function
	.globl \\name
\\name:
	.endm
	.macro END name
	.size \\name, . - \\name
	.endm
	.text
	.globl _stext, _etext
_stext:
FUNCTION root
	%s
	ret
END root
FUNCTION named
	%s
	ret
END named
FUNCTION named.cold
	ret
END named.cold
FUNCTION free
	call	free_too
	ret
END free
FUNCTION __asan_load8
	ret
END __asan_load8
FUNCTION free_too
	ret
END free_too
FUNCTION free.part.0
	ret
END free.part.0
FUNCTION labelled
	nop
labelled_inner:
	call	free
	ret
END labelled
__kprobes_text_start:
FUNCTION in_section
	ret
END in_section
FUNCTION section_labelled
	nop
section_inner:
	ret
END section_labelled
__kprobes_text_end:
FUNCTION __x86_indirect_thunk_rax
	jmp	*%%rax
END __x86_indirect_thunk_rax
_etext:
	.section _kprobe_blacklist, "aw"
__start_kprobe_blacklist:
	.quad	root, named, labelled, __x86_indirect_thunk_rax
__stop_kprobe_blacklist:
"""


class HitPath(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def findings(self, root, named="nop", rules="", options=()):
        """What is found where root and another blacklisted function do this."""
        self.write("vmlinux.S", SOURCE % (root, named))
        self.write("rules", "# what it is about\nroot\troot\ta hit comes in\n" + rules)
        subprocess.run(["gcc", "-nostdlib", "-static", "-Wl,-e,root", "-o", self.path("vmlinux"),
                        self.path("vmlinux.S")], check=True)
        done = subprocess.run([HITPATH, *options, self.path("rules"), self.path("vmlinux")],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = done.stdout.decode().splitlines()
        self.assertEqual(done.returncode, 1 if lines else 0)
        return [line.split(": ", 1)[1] for line in lines]

    def test_nothing_called(self):
        self.assertEqual(self.findings("nop"), [])

    def test_calls_and_jumps(self):
        for branch in "call", "jmp", "jne", "bnd jmp":
            self.assertEqual(self.findings(branch + " free"),
                             ["can be probed: free < root"], branch)

    def test_through_others(self):
        self.assertEqual(self.findings("call named", "jmp free"),
                         ["can be probed: free < named < root"])

    def test_round_in_circles(self):
        self.assertEqual(self.findings("call named", "call root"), [])

    def test_blacklisted(self):
        for function in "named", "in_section", "named.cold", "section_inner":
            self.assertEqual(self.findings("call " + function), [], function)

    def test_piece_of_free_function(self):
        self.assertEqual(self.findings("call free.part.0"),
                         ["can be probed: free.part.0 < root"])

    def test_inner_label_ends_function(self):
        self.assertEqual(self.findings("call labelled"),
                         ["can be probed: labelled_inner < labelled < root"])

    def test_excused(self):
        self.assertEqual(self.findings("call free", rules="probed\tfre*\tno matter\n"), [])
        self.assertEqual(self.findings("call free", rules="end\tfree\tno matter\n"),
                         ["can be probed: free < root"])

    def test_end(self):
        self.assertEqual(self.findings("call named", "call free", "end\tnamed\tno matter\n"), [])

    def test_sanitizers(self):
        finding = ["can be probed: __asan_load8 < named < root"]
        self.assertEqual(self.findings("call named", "call __asan_load8"), finding)
        self.assertEqual(self.findings("call named", "call __asan_load8",
                                       "checked\troot\tno matter\n"), finding)
        rules = "checked\tnamed\tno matter\n"
        self.assertEqual(self.findings("call named", "call __asan_load8", rules), [])
        self.assertEqual(self.findings("call named", "call free", rules),
                         ["can be probed: free < named < root"])

    def test_pointers(self):
        for call in "call *%rax", "jmp *8(%rax)", "call __x86_indirect_thunk_rax":
            self.assertEqual(self.findings(call), ["calls by a pointer: root"], call)
            self.assertEqual(self.findings(call, rules="indirect\troot\ta handler\n"), [])

    def test_roots(self):
        rules = "root\tnowhere\tno such function\n"
        self.assertEqual(self.findings("nop", rules=rules), [])
        self.assertEqual(self.findings("nop", rules=rules, options=["--all-roots"]),
                         ["there is no nowhere"])


if __name__ == "__main__":
    unittest.main()
