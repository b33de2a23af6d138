#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unit tests of turns.py, with a machine that notes what it is told; run by make check."""
import os
import subprocess
import sys
import tempfile
import unittest

TURNS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "turns.py")
MACHINE = """
import json, re, socket, sys
fd = int(re.search(r"socket,id=turns,fd=(\\d+)", " ".join(sys.argv)).group(1))
control = socket.socket(fileno=fd).makefile("rwb", buffering=0)
def say(what):
    control.write(json.dumps(what).encode() + b"\\n")
say({"QMP": {}})
told = []
while told.count("cont") < 3:
    told.append(json.loads(control.readline())["execute"])
    say({"event": "STOP"})
    say({"return": {}})
print(sys.argv[1], *told)
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
                         ["argument", "qmp_capabilities"] + ["stop", "cont"] * 3)


if __name__ == "__main__":
    unittest.main()
