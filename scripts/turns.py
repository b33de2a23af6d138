#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: turns.py QEMU ARGUMENT...

Runs a virtual machine whose CPUs are in one thread of the emulator, and has them take turns more
often. A CPU of riscv64 that spins until another one has done something gives up its turn only
after 100 ms if no interrupt comes, as in stop_machine(). That takes seconds then, and ftrace calls
it for each change of text. When the machine is stopped and continues, it goes on with the next CPU.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import time

import qemu

TURN = 0.005            # seconds
SHARE = 3               # turns are so many times as long as what it takes to change them


class Control:
    """The emulator's control connection."""
    def __init__(self, sock):
        self._file = sock.makefile("rwb", buffering=0)
        self._answer("QMP")

    def _answer(self, *words):
        """Waits for an answer, and passes over events."""
        while True:
            line = self._file.readline()
            if not line:
                raise EOFError
            if any(word in json.loads(line) for word in words):
                return

    def do(self, *commands):
        """Gives all of them before it waits for the answers."""
        self._file.write(b"".join(b'{"execute": "%s"}\n' % c.encode() for c in commands))
        for _ in commands:
            self._answer("return", "error")


def change_turns(sock):
    control = Control(sock)
    control.do("qmp_capabilities")
    while True:
        begin = time.monotonic()
        control.do("stop", "cont")
        time.sleep(max(TURN, SHARE * (time.monotonic() - begin)))


def main():
    ours, theirs = socket.socketpair()
    fd = theirs.fileno()
    command = sys.argv[1:] + ["-chardev", "socket,id=turns,fd=%d" % fd,
                              "-mon", "chardev=turns,mode=control"]
    # Ctrl-C belongs to the guest, which a shell may run in.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    machine = subprocess.Popen(command, pass_fds=[fd], preexec_fn=qemu.die_with_parent)
    theirs.close()
    try:
        change_turns(ours)
    except (EOFError, OSError):
        pass                    # the machine has ended
    os._exit(machine.wait() & 0xff)


if __name__ == "__main__":
    main()
