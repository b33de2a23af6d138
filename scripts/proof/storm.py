#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: storm.py LOG REPORT SECONDS KERNEL-ELF QEMU...

Boots a machine whose guest runs the storm (storm.c), shows what it reports, and writes that to
REPORT. The last line is "N passed, N failed, N skipped"; the exit status is 1 if a check failed.

A machine with a thread for each CPU may execute an int3 that was patched away, once or again and
again: QEMU before 8.1 does it within a minute here, version 10 in ten. If the kernel dies or
hangs of that, this is told and counts as skipped: from then on the run proves nothing. What has failed
before still counts. When such a machine has a problem, its CPUs and its memory are looked at, see
stale.py: the console seldom tells.
"""
import functools
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import ktap     # noqa: E402
import qemu     # noqa: E402
import stale    # noqa: E402
from control import Control  # noqa: E402

CONSOLE_TAIL = 40
# What look() says.
STALE = re.compile(r"^stale int3: CPU")
OOPS = re.compile(r"Oops: int3")
# The byte before the instruction pointer, in memory: an int3 there is no stale one.
CODE = re.compile(r"Code:.* ([0-9a-f]{2}) <[0-9a-f]{2}>")
# Problems of which a stale int3 may be the cause, if it is told right after them.
OF_STALE = re.compile(r"int3|Oops: invalid opcode|lockup|LOCKUP|stall|blocked for|Kernel panic|hung")
STALE_NAME = "a machine with several threads has executed an int3 that was gone"


class Run:
    """What a machine says, and what is wrong with it. @problems: those of the machine so far."""

    def __init__(self, threads, problems):
        self.parser = ktap.Parser()
        self.threads, self.problems = threads, problems
        self.lines = []
        self.noted = []             # for each problem, after how many lines it was noted
        self.stale = None           # after how many lines a stale int3 was seen
        self.before = None          # failures at that time: their number, and themselves
        self.oops = None            # the same two of an Oops by an int3 that may be a stale one

    def feed(self, line):
        """Takes a line. Returns whether it was KTAP."""
        self.lines.append(line)
        self._note()
        if self.stale is None and self.threads != "single":
            self._look_for_stale(line)
        return self.parser.feed(line)

    def _look_for_stale(self, line):
        seen = len(self.lines), (self.parser.leaves[ktap.FAILED], list(self.parser.failures))
        code = CODE.search(line)
        if STALE.search(line):
            self.stale, self.before = seen
        elif OOPS.search(line):
            self.oops = seen
        elif code and self.oops:
            if code.group(1) != "cc":
                self.stale, self.before = self.oops
            self.oops = None

    def _note(self):
        self.noted += [len(self.lines)] * (len(self.problems) - len(self.noted))

    def _is_excused(self, problem, at):
        """May a stale int3 be the cause? Only of what is said with it, or later."""
        return at >= self.stale or (at > self.stale - qemu.SPLAT_LINES and
                                    bool(OF_STALE.search(problem)))

    def is_stale(self):
        """Is the run's end the machine's fault, and not the kernel's?"""
        self._note()
        return self.stale is not None and any(
            self._is_excused(problem, at) for problem, at in zip(self.problems, self.noted))

    def _forget_the_rest(self):
        number, self.parser.failures = self.before
        self.parser.leaves[ktap.FAILED] = number
        excused = [self._is_excused(*what) for what in zip(self.problems, self.noted)]
        self.parser.skip(STALE_NAME, self.problems[excused.index(True)])
        return [p for p, e in zip(self.problems, excused) if not e]

    def judge(self):
        """Call once after the last line. Adds the machine's problems to the results."""
        self.parser.finish()
        problems = self._forget_the_rest() if self.is_stale() else self.problems
        for problem in problems:
            self.parser.fail(problem, explain=False)
        if not self.parser.headers and not self.problems:
            self.parser.fail("the guest has reported nothing", explain=False)


def threads_of(command):
    """How QEMU is told to run its CPUs."""
    return next((word.split("thread=")[1] for word in command if "thread=" in word), "single")


def is_said(machine, line, is_result):
    """Does a line of the console belong into the report?"""
    return machine.begun and (is_result or line.startswith("# ")) and "# guest" not in line


def watch(machine, run, look=None):
    """Shows and returns what the guest reports. @look: what looks at a machine with a problem."""
    begin, said = time.time(), []
    verbose = os.environ.get("V", "0") not in ("", "0")
    console = machine.lines()
    for line in console:
        plain = ktap.PREFIX.sub("", line)
        if is_said(machine, plain, run.feed(line)):
            said.append(plain)
            spent = int(time.time() - begin)
            print("    %3d:%02d  %s" % (spent // 60, spent % 60, plain), flush=True)
        elif verbose:
            print(line, flush=True)
        if run.problems and look:
            run.feed(look())
            look = None
        if run.is_stale():
            break
    console.close()
    return said


def int3_entry(kernel):
    """The address of the kernel's code that an int3 leads to."""
    symbols = subprocess.run(["nm", kernel], stdout=subprocess.PIPE, text=True, check=True).stdout
    return int(re.search(r"^(\w+) . asm_exc_int3$", symbols, re.MULTILINE).group(1), 16)


def look(path, kernel):
    """Says of a machine with a problem whether a CPU executes a stale int3."""
    try:
        with Control(path) as control:
            found = stale.find(control, int3_entry(kernel))
    except (OSError, EOFError, RuntimeError, ValueError, AttributeError) as e:
        return "cannot look for a stale int3: %s" % e
    if not found:
        return "no CPU executes a stale int3"
    return "stale int3: CPU %d executes one at %#x again and again, where memory has %#x" % found


def main():
    log, path, seconds, kernel = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    command, looks = sys.argv[5:], None
    if threads_of(command) != "single":
        control = path + ".qmp"
        command += ["-qmp", "unix:%s,server=on,wait=off" % control]
        looks = functools.partial(look, control, kernel)
    # A round that ends takes a minute at most.
    machine = qemu.Machine(command, log, silence=240, timeout=3 * seconds + 600, look=looks,
                           ours=qemu.own_functions(os.path.dirname(kernel)))
    run = Run(threads_of(command), machine.problems)
    said = watch(machine, run, looks)
    run.judge()
    ktap.report(run.parser)
    if machine.problems:
        print("    the console's last lines:")
        print("\n".join("        | " + line for line in run.lines[-CONSOLE_TAIL:]))
    with open(path, "w") as f:
        f.write("\n".join(said + machine.problems + [run.parser.summary()]) + "\n")
    print("    results: %s, console: %s" % (os.path.relpath(path), os.path.relpath(log)))
    print(run.parser.summary())
    sys.exit(1 if run.parser.leaves[ktap.FAILED] or not sum(run.parser.leaves) else 0)


if __name__ == "__main__":
    main()
