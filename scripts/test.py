#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: test.py NAME CONFIG LOG QEMU...

Boots a kernel whose guest runs "test", "torture" or "control" and evaluates its console: KUnit at boot, the
kernel's startup self-tests, the guest's suites, and lines that no run may print. Also runs hitpath.py on
the kernel. A command line with kunit.enable=0 and ftrace=nop has neither tests at boot nor that. A suite
that failed is run once more alone, with another seed; if it passes then, it is no failure, and a line
"FLAKY suite / case" names it. The last line is "N passed, N failed, N skipped"; the exit status is 1 if
a test failed.
"""
import os
import re
import signal
import sys
import time

import hitpath
import ktap
import qemu

CONSOLE_TAIL = 30
# No suites at boot.
QUIET = "kunit.enable=0 ftrace=nop"
MOST_REPEATED = 4       # suites; where more have failed, the kernel is wrong
HERE = os.path.dirname(os.path.abspath(__file__))


class Progress:
    """Says every 20 seconds how many results there are."""

    def __init__(self):
        self.said = self.begin = time.time()
        self.results = 0
        self.suite = ""

    def feed(self, line):
        line = ktap.PREFIX.sub("", line)
        self.results += ktap.RESULT.match(line) is not None
        if "# Subtest: " in line:
            self.suite = line.split("# Subtest: ")[1]
        if time.time() - self.said > 20:
            self.said = time.time()
            print("    ... %d results; %s" % (self.results, self.suite or "booting: " + line[:80]),
                  flush=True)


class Run:
    """One boot of a machine: its console's lines, and what they say."""

    def __init__(self, command, log, config):
        self.command = " ".join(command)
        self.machine = qemu.Machine(command, log, ours=qemu.own_functions(os.path.dirname(config)))
        self.results = ktap.Results()
        self.lines, self.have = [], options(config)

    def watch(self, progress, verbose=False):
        """Runs the machine to its end and judges what it printed."""
        for line in self.machine.lines():
            self.lines.append(line)
            if verbose:
                print(line, flush=True)
            else:
                progress.feed(line)
        begin = [i for i, line in enumerate(self.lines) if qemu.GUEST_BEGIN.search(line)]
        begin = begin[0] if begin else len(self.lines)
        self.results.add(self.lines[:begin])
        at_boot = self.results.documents
        self.results.add(self.lines[begin:])
        kunit = "CONFIG_KUNIT" in self.have and "kunit.enable=0" not in self.command
        if self.machine.begun and kunit and not at_boot:
            self.machine.problems.append("KUnit printed no test plan at boot")
        reports = re.search(" -- (test|torture|control)", self.command)
        if self.machine.ended and reports and self.results.documents == at_boot:
            self.machine.problems.append("the guest printed no test plan")
        if self.machine.begun and "CONFIG_SMP" in self.have and not self.all_cpus():
            self.machine.problems.append("the kernel has not brought up all CPUs")
        for problem in self.machine.problems:
            self.results.fail(problem)

    def all_cpus(self):
        """Where some are missing, tests that need them are skipped, and nothing else shows it."""
        wanted = re.search(r" -smp (\d+)", self.command)
        up = re.search(r"smp: Brought up \d+ nodes?, (\d+) CPUs?", "\n".join(self.lines))
        return wanted is None or (up is not None and up.group(1) == wanted.group(1))


def options(config):
    with open(config) as f:
        return set(re.findall(r"^(CONFIG_\w+)=[ym]", f.read(), re.M))


def startup_tests(text, have):
    """Tests of the base at boot, which do not report in KTAP: (name, passed)."""
    found = []
    if {"CONFIG_KPROBE_EVENTS", "CONFIG_FTRACE_STARTUP_TEST"} <= have:
        # Lines of other CPUs may come between the name and the result.
        passed = re.search(r"Testing kprobe tracing: *(\n.*){0,8}?(\n\[[ .0-9]+\] )?OK *$",
                           text, re.MULTILINE)
        found.append(("startup test of kprobe events", passed is not None))
    for m in re.finditer(r"Testing (?!kprobe tracing)[^\n]*: .*FAILED.*", text):
        found.append((m.group(0), False))
    return found


def hit_path(vmlinux):
    """Functions that a hit executes and that can be probed, in this configuration."""
    rules = hitpath.read_rules(os.path.join(HERE, "hitpath.txt"))
    return hitpath.Proof(hitpath.Kernel(vmlinux), rules).run(False)


def skips_file(name):
    """Where the reasons are listed for which tests of a kernel may be skipped. Not each architecture has it."""
    return os.path.join(HERE, "arch", name.partition("-")[0] + ".skips")


def read_skips(name, lines):
    """The reasons in such a file that are for this variant."""
    variant = name.partition("-")[2] or "run"
    rows = [line.rstrip("\n").partition(": ") for line in lines if line.strip() and line[0] != "#"]
    return {reason for variants, _, reason in rows if variant in variants.split()}


def judge_skips(results, listed, whole, where):
    """Nothing is skipped for a reason that is not listed, and if all suites have run, for each that is."""
    seen = {reason.strip() or test: test for test, reason in results.skips}
    for reason in sorted(set(seen) - listed):
        results.fail("%s was skipped: %s: mend that, or list the reason in %s" % (seen[reason], reason, where))
    for reason in sorted(listed - set(seen)) if whole else []:
        results.fail("nothing was skipped any more for this reason: %s: take it out of %s" % (reason, where))


def alone(command, path):
    """The command that runs the suite of a failed test alone with seed 2, None if there is none."""
    suite = path.split(" / ")
    if suite[0].startswith("kselftest ") and len(suite) > 1:
        arguments, mode = QUIET, "test %s/%s" % (suite[0].split()[1], suite[1])
    elif suite[0] == "ftracetest" and len(suite) > 1:
        arguments, mode = QUIET, "test ftrace/" + suite[1]
    elif re.fullmatch(r"[\w-]+", suite[0]) and len(suite) > 1:
        arguments, mode = "kunit.filter_glob=" + suite[0], "boot"
    else:
        return None
    command = list(command)
    if "-seed" in command:
        command[command.index("-seed") + 1] = "2"
    at = command.index("-append") + 1
    command[at] = "%s %s -- %s" % (command[at].partition(" -- ")[0], arguments, mode)
    return command


def repeat(results, command, log, config, progress):
    """Runs the suites that failed again, each alone. Takes those that pass off the failures."""
    again = {}
    for path, _ in results.failures:
        again.setdefault(tuple(alone(command, path) or ()), []).append(path)
    if () in again or len(again) > MOST_REPEATED:
        return
    for number, (other, paths) in enumerate(again.items(), 1):
        print("    once more, alone: " + paths[0], flush=True)
        run = Run(list(other), "%s-again-%d.log" % (log[:-len(".log")], number), config)
        run.watch(progress)
        if run.results.failed or not run.results.passed:
            continue
        for path in paths:
            print("FLAKY " + path, flush=True)
        results.failures = [f for f in results.failures if f[0] not in paths]
        results.failed -= len(paths)
        results.passed += len(paths)


def main():
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    name, config, log = sys.argv[1:4]
    command = sys.argv[4:]
    verbose = os.environ.get("V", "0") not in ("", "0")
    progress = Progress()
    run = Run(command, log, config)
    run.watch(progress, verbose)
    results, machine = run.results, run.machine
    if machine.ended and results.failures:
        repeat(results, command, log, config, progress)

    # What is skipped on the host depends on what is installed there.
    where = skips_file(name)
    if machine.ended and os.path.exists(where):
        whole = run.command.endswith(" -- test") and "kunit." not in run.command
        with open(where) as f:
            listed = read_skips(name, f)
        # Other variants are not listed.
        if listed:
            judge_skips(results, listed, whole, os.path.relpath(where))
    if "HOST_TESTS" in os.environ:
        with open(os.environ["HOST_TESTS"], errors="replace") as f:
            before = results.passed
            results.add(f.read().splitlines())
        if results.passed == before:
            results.fail("no results of instruction sets on the host, see "
                         + os.path.relpath(os.environ["HOST_TESTS"]))
    boot_tests = "ftrace=nop" not in run.command
    for test, passed in startup_tests("\n".join(run.lines), run.have) if boot_tests else []:
        if passed:
            results.succeed(test)
        else:
            results.fail(test)
    if boot_tests and "CONFIG_KPROBES" in run.have:
        found = hit_path(os.path.join(os.path.dirname(config), "vmlinux"))
        for finding in found:
            results.fail("hit path: " + finding)
        if not found:
            results.succeed("a hit executes nothing that can be probed")

    print()
    for group in results.groups:
        print("    %-50s %d passed, %d failed, %d skipped" % group)
    ktap.report(results)
    if machine.problems and not (machine.ended and verbose):
        print("    the console's last lines:")
        print("\n".join("        | " + line for line in run.lines[-CONSOLE_TAIL:]))
    print("    %s: %d s in the machine, console: %s" %
          (name, time.time() - progress.begin, os.path.relpath(log)))
    print(results.summary())
    sys.exit(1 if results.failed or not results.passed else 0)


if __name__ == "__main__":
    main()
