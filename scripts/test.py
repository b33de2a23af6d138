#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: test.py NAME CONFIG LOG QEMU...

Boots a kernel whose guest runs "test" and evaluates its console: KUnit at boot, the kernel's
startup self-tests, the guest's suites, and lines that no run may print. Also runs hitpath.py on the
kernel. The last line is "N passed, N failed, N skipped"; the exit status is 1 if a test failed.
"""
import os
import re
import subprocess
import sys
import time

import ktap
import qemu

CONSOLE_TAIL = 30


class Progress:
    """Shows the counts while tests run: one changing line on a terminal, else some lines."""

    def __init__(self, parser):
        self.parser = parser
        self.tty = sys.stdout.isatty()
        self.said = self.begin = time.time()
        self.depth = 0              # groups indented deeper get no line of their own

    def line(self, text):
        print(("\r\033[K" if self.tty else "") + text, flush=True)

    def group(self, path, leaves):
        self.line("    %-50s %s" % (path, ktap.summary(leaves)))

    def result(self, path, indent, leaves, is_group):
        if indent <= self.depth and is_group:
            self.group(path, leaves)
        else:
            self.passing("%s; %s" % (self.parser.summary(), path))

    def passing(self, text):
        """Shows text that the next line replaces."""
        if self.tty:
            print("\r\033[K" + ("    ... " + text)[:100], end="", flush=True)
        elif time.time() - self.said > 20:
            self.line("    ... " + text)
            self.said = time.time()


def options(config):
    with open(config) as f:
        return set(re.findall(r"^(CONFIG_\w+)=[ym]", f.read(), re.M))


def host_tests(log):
    """Results of tests on the host. If there are none, that is a failure."""
    parser = ktap.Parser(lambda *a: None)
    with open(log, errors="replace") as f:
        for line in f:
            parser.feed(line.rstrip("\n"))
    parser.finish()
    if not parser.leaves[ktap.PASSED]:
        parser.fail("instruction sets on the host: no results, see " + os.path.relpath(log),
                    explain=False)
    return parser


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
    scripts = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([os.path.join(scripts, "hitpath.py"),
                           os.path.join(scripts, "hitpath.txt"), vmlinux],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout.splitlines() if done.returncode else []


def scenarios(table, logs):
    """Writes the table of what users have suffered from; returns the lines of what failed."""
    proof = os.path.join(os.path.dirname(os.path.abspath(__file__)), "proof")
    done = subprocess.run([os.path.join(proof, "scenarios.py"),
                           os.path.join(proof, "scenarios.txt")] + logs,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    os.makedirs(os.path.dirname(table), exist_ok=True)
    with open(table, "w") as f:
        f.write(done.stdout)
    lines = done.stdout.splitlines()
    failed = [text for text in lines if text.startswith("FAILED: ")]
    return failed or (lines[-1:] if done.returncode else [])


def main():
    name, config, log = sys.argv[1:4]
    command = sys.argv[4:]
    verbose = os.environ.get("V", "0") not in ("", "0")
    parser = ktap.Parser(lambda *a: None if verbose else progress.result(*a))
    progress = Progress(parser)
    machine = qemu.Machine(command, log, silence=float(os.environ.get("SILENCE", 300)),
                           timeout=float(os.environ.get("TIMEOUT", 3600)),
                           ours=qemu.own_functions(os.path.dirname(config)))
    tail, text, headers_at_boot = [], [], 0
    try:
        for line in machine.lines():
            if verbose:
                print(line, flush=True)
            tail = (tail + [line])[-CONSOLE_TAIL:]
            text.append(line)
            if "# guest begin" in line:
                headers_at_boot = parser.headers
                progress.depth = 4
            parser.feed(line)
            if not parser.headers and not verbose:
                progress.passing("booting: " + ktap.PREFIX.sub("", line)[:80])
    except KeyboardInterrupt:
        machine.stop()
        print("\ninterrupted")
        sys.exit(130)
    parser.finish()
    have = options(config)

    if "HOST_TESTS" in os.environ:
        host = host_tests(os.environ["HOST_TESTS"])
        parser.leaves = [a + b for a, b in zip(parser.leaves, host.leaves)]
        parser.failures += host.failures
        parser.skips += host.skips
        progress.group("instruction sets on the host", host.leaves)
    for test, passed in startup_tests("\n".join(text), have):
        if passed:
            parser.succeed()
            progress.group(test, (1, 0, 0))
        else:
            parser.fail(test, explain=False)
    if "CONFIG_KPROBES" in have:
        found = hit_path(os.path.join(os.path.dirname(config), "vmlinux"))
        for line in found:
            parser.fail("hit path: " + line.split(": ", 1)[-1], explain=False)
        if not found:
            parser.succeed()
            progress.group("a hit executes nothing that can be probed", (1, 0, 0))
    # Of a guest that did not come to its end most tests did not run.
    if "SCENARIOS" in os.environ and machine.ended:
        found = scenarios(os.environ["SCENARIOS"], [log, os.environ["HOST_TESTS"]])
        for line in found:
            parser.fail("scenario: " + line.split(": ", 1)[-1], explain=False)
        if not found:
            parser.succeed()
            progress.group("what users have suffered from", (1, 0, 0))
    if machine.begun and "CONFIG_KUNIT" in have and not headers_at_boot:
        machine.problems.append("KUnit printed no test plan at boot")
    if machine.ended and parser.headers == headers_at_boot:
        machine.problems.append("the guest printed no test plan")
    for problem in machine.problems:
        parser.fail(problem, explain=False)

    if not verbose:
        progress.line("")
    ktap.report(parser)
    if machine.problems and not (machine.ended and verbose):
        print("    the console's last lines:")
        print("\n".join("        | " + line for line in tail))
    print("    %s: %d s in the machine, console: %s" %
          (name, time.time() - progress.begin, os.path.relpath(log)))
    print(parser.summary())
    sys.exit(1 if parser.leaves[ktap.FAILED] or not parser.leaves[ktap.PASSED] else 0)


if __name__ == "__main__":
    main()
