#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: measure.py NAME LOG FIGURES QEMU...

Boots the guest of the benchmark and writes its figures to the file FIGURES, as
"figure<tab>size<tab>value". Shows which part is running. The exit status is 1 if the kernel reported
a problem, a figure failed or the guest did not finish.
"""
import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import qemu     # noqa: E402

SAID = re.compile(r"kprobe_bench: (figure|failed|part|stopped) (.*)")
FIGURE = re.compile(r"\S+ \d+ -?\d+(\.\d)?")


def main():
    name, log, path, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    begin, figures, failed = time.time(), [], False

    def say(text):
        print("    %d:%02d  %s: %s" % (*divmod(int(time.time() - begin), 60), name, text), flush=True)

    # Ctrl-C ends this, and with it the machine, even if it runs in the background.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    qemu.die_with_parent()
    machine = qemu.Machine(command, log)
    for kind, words in (said.groups() for said in map(SAID.search, machine.lines()) if said):
        if kind == "part":
            say(words)
        elif kind == "figure" and FIGURE.fullmatch(words):
            figures.append(words.replace(" ", "\t") + "\n")
        elif kind == "stopped":
            say("no further than %s: the next step, %s, would take too long" % tuple(words.split()))
        else:
            failed = True
            say("FAILED: " + words)
    with open(path, "w") as f:
        f.writelines(figures)
    for problem in machine.problems:
        print("error: %s: %s" % (name, problem), file=sys.stderr)
    if failed or machine.problems:
        print("error: %s did not measure everything, console: %s"
              % (name, os.path.relpath(log)), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
