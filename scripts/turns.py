#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: turns.py QEMU ARGUMENT...

Runs a virtual machine whose CPUs are in one thread of the emulator, and has them take turns more
often. A CPU of riscv64 that spins until another one has done something gives up its turn only
after 100 ms if no interrupt comes, as in stop_machine(). That takes seconds then, and ftrace calls
it for each change of text. When the machine is stopped and continues, it goes on with the next CPU.
"""
import os
import signal
import socket
import subprocess
import sys
import time

import qemu

TURN = 0.005            # seconds
SHARE = 3               # turns are so many times as long as what it takes to change them
LONGEST = 0.1           # seconds; after that the emulator gives the next one a turn by itself
PROMPT = b"(qemu) "


class Monitor:
    """The emulator's monitor for people. It reads a byte at a time, and its commands are short."""
    def __init__(self, sock):
        self._sock = sock
        self._rest = b""
        self._wait(1)

    def _wait(self, prompts):
        """Reads until the monitor has asked for a command so many times."""
        while self._rest.count(PROMPT) < prompts:
            data = self._sock.recv(4096)
            if not data:
                raise EOFError
            self._rest += data
        self._rest = b""

    def do(self, *commands):
        """Gives all of them before it waits for the answers."""
        self._sock.sendall(b"".join(c.encode() + b"\n" for c in commands))
        self._wait(len(commands))


def change_turns(sock):
    monitor = Monitor(sock)
    while True:
        begin = time.monotonic()
        monitor.do("s", "c")            # stop, continue
        time.sleep(min(LONGEST, max(TURN, SHARE * (time.monotonic() - begin))))


def main():
    ours, theirs = socket.socketpair()
    fd = theirs.fileno()
    command = sys.argv[1:] + ["-chardev", "socket,id=turns,fd=%d" % fd,
                              "-mon", "chardev=turns,mode=readline"]
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
