#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: suites.py CONSOLE...

Prints a table of those parts of the proof that are suites among the tests, from the logs of make
test: of the kernel, and of its tests on the host. The exit status is 1 if a suite failed or is in no
log.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, HERE)
import ktap         # noqa: E402
import scenarios    # noqa: E402
from overall import table   # noqa: E402

# What a suite shows, and the path of its tests.
SUITES = (
    ("differential: each instruction bare and probed, the state is the same", "kprobes_differential"),
    ("differential: each class of the kernel's instructions is tested or excused", "guest"),
    ("traces: from each instruction of slots, detours and trampolines", "kprobes_unwind"),
    ("traces: through copies of code", "kprobes_copy_trace"),
    ("traces: of tasks in probed functions", "kprobes_return_trace"),
    ("traces: reliable ones, for livepatch", "kprobes_reliable"),
    ("callers in a hurry: calls of the API in random order, against a model", "kprobes_model"),
    ("callers in a hurry: by a module, from another seed each time", "kselftest kprobes / fuzz.sh"),
)
HEAD = ["what it shows", "suite", "passed", "failed", "skipped"]


def rows(logs):
    """A row for each suite, and whether all of them have run and none has failed."""
    found, good = [], True
    for what, path in SUITES:
        leaves = scenarios.count(path, logs)
        good = good and bool(leaves) and not leaves[ktap.FAILED] and bool(leaves[ktap.PASSED])
        found.append([what, path.split(" / ")[-1]] + (leaves or ["did not run", "", ""]))
    return found, good


def main():
    logs = []
    for console in sys.argv[1:]:
        with open(console, errors="replace") as f:
            logs.append(scenarios.Log(f))
    found, good = rows(logs)
    print("\n".join(table(found, HEAD)))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
