#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: measure.py NAME LOG FIGURES QEMU...

Boots the guest of the benchmark and appends its figures to the file FIGURES, as
"figure<tab>size<tab>value". Shows which part is running. The exit status is 1 if the kernel reported
a problem, a figure failed or the guest did not finish. It is STALE if the emulator executed an int3
that was patched away before: such a run must be repeated. It may do so again and again, as kprobes
goes on at the instruction that is there now: a run by the clock that hangs must be repeated as well.
"""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import qemu     # noqa: E402

STALE = 3
SAID = re.compile(r"kprobe_bench: (figure|failed|part|stopped|missing) (.*)")
STALE_INT3 = re.compile(r"Oops: int3|unexpected int3|int3: 0000")


def figure(words):
    """The line of the file, None where the guest printed something else."""
    fields = words.split()
    if len(fields) != 3:
        return None
    try:
        int(fields[1]), float(fields[2])
    except ValueError:
        return None
    return "\t".join(fields)


class Run:
    def __init__(self, name):
        self.name, self.begin = name, time.time()
        self.figures, self.failures, self.stale = [], [], False

    def say(self, text):
        passed = int(time.time() - self.begin)
        print("    %d:%02d  %s: %s" % (passed // 60, passed % 60, self.name, text), flush=True)

    def feed(self, line):
        self.stale = self.stale or STALE_INT3.search(line) is not None
        said = SAID.search(line)
        if not said:
            return
        kind, words = said.groups()
        if kind == "part":
            self.say(words)
        elif kind == "figure" and figure(words):
            self.figures.append(figure(words))
        elif kind in ("figure", "failed"):
            self.failures.append(words)
            self.say("FAILED: " + words)
        elif kind == "stopped":
            self.say("no further than %s: the next step, %s, would take too long"
                     % tuple(words.split()))


def main():
    name, log, path, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    run = Run(name)
    # Ctrl-C ends this even if it runs in the background.
    qemu.die_with_parent()
    # When instructions are counted, a step can take minutes without output.
    counts = "-icount" in command
    silence = 900 if counts else 60
    machine = qemu.Machine(command, log, silence=silence, timeout=2400)
    try:
        for line in machine.lines():
            run.feed(line)
    except KeyboardInterrupt:
        machine.stop()
        sys.exit(130)
    hung = any("hung" in problem for problem in machine.problems)
    if run.stale or (hung and not counts):
        sys.exit(STALE)
    with open(path, "a") as f:
        f.write("".join(line + "\n" for line in run.figures))
    for problem in machine.problems:
        print("error: %s: %s" % (name, problem), file=sys.stderr)
    if run.failures or machine.problems:
        print("error: %s did not measure everything, console: %s"
              % (name, os.path.relpath(log)), file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
