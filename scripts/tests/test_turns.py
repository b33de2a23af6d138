#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of turns.py, with a machine that notes what it is told; run by make check."""
import os
import subprocess
import sys
import tempfile
import unittest

TURNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "turns.py")
MACHINE = r"""
import re, socket, sys
fd = int(re.search(r"socket,id=turns,fd=(\d+)", " ".join(sys.argv)).group(1))
monitor = socket.socket(fileno=fd)
monitor.sendall(b"QEMU monitor - type 'help' for more information\r\n(qemu) ")
told = b""
while told.count(b"\n") < 6:
    key = monitor.recv(1)
    told += key
    monitor.sendall(b"\r\n(qe" if key == b"\n" else key)
    if key == b"\n":
        monitor.sendall(b"mu) ")
print(sys.argv[1], *told.decode().split())
sys.exit(7)
"""


class Turns(unittest.TestCase):
    def test_stops_and_continues_until_the_machine_ends(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as machine:
            machine.write(MACHINE)
            machine.flush()
            done = subprocess.run([TURNS, sys.executable, machine.name, "argument"],
                                  stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 7)
        self.assertEqual(done.stdout.split(),
                         ["argument"] + ["s", "c"] * 3)


if __name__ == "__main__":
    unittest.main()
