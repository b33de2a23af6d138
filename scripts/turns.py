#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: turns.py QEMU ARGUMENT...

Runs a riscv64 machine whose CPUs are in one thread of the emulator, and has them take turns more often.
A CPU that spins until another one has done something gives up its turn only after 100 ms if no
interrupt comes, as in stop_machine(). That takes seconds then, and ftrace calls it for each change of
text.

An interrupt ends a turn, also one that nobody enables: the user software interrupt, which the kernel
knows nothing of. The next CPU goes on. To stop and continue the machine would not do: that passes on
the turn twice, so that of four CPUs two stand still.
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
INTERRUPT = b"set_irq_in /machine/soc0/harts[0] unnamed-gpio-in 0 1\n"


def interrupt(sock):
    """Asks for one by the protocol for tests of devices, and waits for the answer."""
    sock.sendall(INTERRUPT)
    answer = b""
    while not answer.endswith(b"\n"):
        data = sock.recv(4096)
        if not data:
            raise EOFError
        answer += data
    if answer != b"OK\n":
        raise ValueError(answer)


def change_turns(sock):
    while True:
        begin = time.monotonic()
        interrupt(sock)
        time.sleep(min(LONGEST, max(TURN, SHARE * (time.monotonic() - begin))))


def main():
    ours, theirs = socket.socketpair()
    fd = theirs.fileno()
    command = sys.argv[1:] + ["-chardev", "socket,id=turns,fd=%d" % fd,
                              "-object", "qtest,id=qtest,chardev=turns,log=/dev/null"]
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
