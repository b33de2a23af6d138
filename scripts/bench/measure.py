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


class Run:
    def __init__(self, name):
        self.name, self.begin = name, time.time()
        self.figures, self.failures = [], []

    def say(self, text):
        passed = int(time.time() - self.begin)
        print("    %d:%02d  %s: %s" % (passed // 60, passed % 60, self.name, text), flush=True)

    def feed(self, line):
        said = SAID.search(line)
        if not said:
            return
        kind, words = said.groups()
        if kind == "part":
            self.say(words)
        elif kind == "figure" and FIGURE.fullmatch(words):
            self.figures.append(words.replace(" ", "\t"))
        elif kind in ("figure", "failed"):
            self.failures.append(words)
            self.say("FAILED: " + words)
        elif kind == "stopped":
            self.say("no further than %s: the next step, %s, would take too long"
                     % tuple(words.split()))


def main():
    name, log, path, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    run = Run(name)
    # Ctrl-C ends this, and with it the machine, even if it runs in the background.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    qemu.die_with_parent()
    machine = qemu.Machine(command, log)
    for line in machine.lines():
        run.feed(line)
    with open(path, "w") as f:
        f.write("".join(line + "\n" for line in run.figures))
    for problem in machine.problems:
        print("error: %s: %s" % (name, problem), file=sys.stderr)
    if run.failures or machine.problems:
        print("error: %s did not measure everything, console: %s"
              % (name, os.path.relpath(log)), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
