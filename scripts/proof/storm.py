#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: storm.py LOG REPORT SECONDS QEMU...

Boots a machine whose guest runs the storm (storm.c), shows what it reports, and writes that to
REPORT. The last line is "N passed, N failed, N skipped"; the exit status is 1 if a check failed.

A machine with a thread for each CPU may execute an int3 that was patched away (QEMU before 8.1),
once or again and again. If the kernel dies or hangs of that there, this is told and counts as
skipped: it proves nothing.
"""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import ktap     # noqa: E402
import qemu     # noqa: E402

CONSOLE_TAIL = 40
STALE = re.compile(r"Oops: int3|kernel BUG at arch/x86/kernel/jump_label|unexpected int3"
                   # In the trace of a CPU that is stuck.
                   r"|RIP: \S+:(asm_)?exc_int3\+")
STALE_NAME = "a machine with several threads has executed an int3 that was gone"


def is_stale(threads, problems, lines):
    """Is a run's end the machine's fault, and not the kernel's?"""
    return threads != "single" and bool(problems) and any(STALE.search(line) for line in lines)


def judge(parser, threads, problems, lines):
    """Adds a machine's problems to its results."""
    if is_stale(threads, problems, lines):
        parser.leaves[ktap.FAILED] = 0
        parser.failures.clear()
        parser.skip(STALE_NAME, problems[0])
        return
    for problem in problems:
        parser.fail(problem, explain=False)
    if not parser.headers and not problems:
        parser.fail("the guest has reported nothing", explain=False)


def threads_of(command):
    """How QEMU is told to run its CPUs."""
    return next((word.split("thread=")[1] for word in command if "thread=" in word), "single")


def main():
    log, path, seconds, command = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    verbose = os.environ.get("V", "0") not in ("", "0")
    parser = ktap.Parser()
    # A round that ends takes a minute at most.
    machine = qemu.Machine(command, log, silence=240, timeout=3 * seconds + 600)
    begin, lines, said = time.time(), [], []
    console = machine.lines()
    for line in console:
        lines.append(line)
        plain = ktap.PREFIX.sub("", line)
        is_result = parser.feed(line)
        if machine.begun and (is_result or plain.startswith("# ")) and "# guest" not in plain:
            said.append(plain)
            spent = int(time.time() - begin)
            print("    %3d:%02d  %s" % (spent // 60, spent % 60, plain), flush=True)
        elif verbose:
            print(line, flush=True)
        if threads_of(command) != "single" and machine.problems and STALE.search(line):
            break
    console.close()
    parser.finish()
    judge(parser, threads_of(command), machine.problems, lines)
    ktap.report(parser)
    if machine.problems:
        print("    the console's last lines:")
        print("\n".join("        | " + line for line in lines[-CONSOLE_TAIL:]))
    with open(path, "w") as f:
        f.write("\n".join(said + [problem for problem in machine.problems] +
                          [parser.summary()]) + "\n")
    print("    report: %s, console: %s" % (os.path.relpath(path), os.path.relpath(log)))
    print(parser.summary())
    sys.exit(1 if parser.leaves[ktap.FAILED] or not sum(parser.leaves) else 0)


if __name__ == "__main__":
    main()
