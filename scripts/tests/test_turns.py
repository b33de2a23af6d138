#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of turns.py, with a machine that notes what it is told; run by make check."""
import os
import subprocess
import sys
import tempfile
import unittest

TURNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "turns.py")
# Gives the answers that it is called with, and ends after one more command.
MACHINE = r"""
import re, socket, sys
fd = int(re.search(r"socket,id=turns,fd=(\d+)", " ".join(sys.argv)).group(1))
sock = socket.socket(fileno=fd)
told = [sock.recv(4096).decode()]
for answer in sys.argv[1].split(","):
    sock.sendall(answer.encode() + b"\n")
    told.append(sock.recv(4096).decode())
print("".join(told), end="")
sys.exit(7)
"""
INTERRUPT = "set_irq_in /machine/soc0/harts[0] unnamed-gpio-in 0 1\n"


def run(answers):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as machine:
        machine.write(MACHINE)
        machine.flush()
        return subprocess.run([TURNS, sys.executable, machine.name, answers], text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Turns(unittest.TestCase):
    def test_interrupts_until_the_machine_ends(self):
        done = run("OK,OK")
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout, INTERRUPT * 3)
        self.assertEqual(done.stderr, "")

    def test_machine_that_has_no_such_interrupt(self):
        done = run("FAIL Unknown device")
        self.assertNotIn(done.returncode, (0, 7))
        self.assertIn("FAIL Unknown device", done.stderr)


if __name__ == "__main__":
    unittest.main()
