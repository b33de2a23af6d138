#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: show.py LOG QEMU...

Boots a machine and shows what its guest prints between its begin and end markers. Ends with
status 1 and the console's last lines where the kernel complained or the guest did not finish.
"""
import os
import re
import signal
import sys

import qemu

CONSOLE_TAIL = 40
BANNER = re.compile(r"Linux version \S+")


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    log, command = sys.argv[1], sys.argv[2:]
    everything = os.environ.get("V", "0") not in ("", "0")
    machine = qemu.Machine(command, log)
    tail = []
    for line in machine.lines():
        tail = (tail + [line])[-CONSOLE_TAIL:]
        marker = qemu.GUEST_BEGIN.search(line) or qemu.GUEST_END.search(line)
        if line.startswith("# demo failed"):
            machine.problems.append("a step did not show what it should")
        if everything or (machine.begun and not machine.ended and not marker):
            print(line, flush=True)
        elif BANNER.search(line):
            print("    " + BANNER.search(line).group(0), flush=True)
    for problem in machine.problems:
        print("error: " + problem, file=sys.stderr)
    if machine.problems:
        print("the console's last lines:\n" + "\n".join("    | " + line for line in tail),
              file=sys.stderr)
    print("console: " + os.path.relpath(log))
    sys.exit(1 if machine.problems else 0)


if __name__ == "__main__":
    main()
