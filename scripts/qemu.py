#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A virtual machine whose console is watched.

Machine.lines() yields the console's lines. Machine.problems has what went wrong: splats of the
kernel, no output for too long, a run that takes too long, an end without the guest's end marker.
QEMU that does not end after the guest has shut down is no problem of the guest.
QEMU is killed when this process ends.
"""
import ctypes
import glob
import os
import re
import selectors
import signal
import subprocess
import time

# Lines that no run may print. A test that provokes some prints the markers below around them. After
# the first marker and a colon comes a regular expression for the expected lines; else all are.
SPLAT = re.compile(
    r"Kernel panic|Oops|BUG:|WARNING:|WARNING: possible|INFO: rcu|rcu: INFO|soft lockup"
    r"|hard LOCKUP|INFO: task .* blocked for|general protection fault|ODEBUG:|UBSAN:"
    r"|suspicious RCU usage|inconsistent lock state|recursive locking|INFO: trying to register"
    r"|list_(add|del) corruption|refcount_t:|scheduling while atomic|unexpected (int3|#)"
    r"|Internal error|segfault at|traps: .* trap ")
EXPECT_BEGIN, EXPECT_END = "expect-splat-begin", "expect-splat-end"
EXPECTED = re.compile(EXPECT_BEGIN + r"(?:: *(.*\S))?")
FATAL = re.compile(r"Kernel panic|end Kernel panic")
GUEST_BEGIN = re.compile(r"# guest begin: ")
GUEST_END = re.compile(r"# guest end: ")
SHUT_DOWN = re.compile(r"\] reboot: (Restarting system|Power down)")
ESCAPES = re.compile(r"\x1b\[[0-9;?=]*[A-Za-z]|\x1bc|[\r\x00]")
# A BUG is followed by an Oops, and that by a panic: one problem, not three.
SPLAT_LINES = 80
# Seconds of silence after a panic or a shutdown. What was to be said is said then.
LAST_WORDS = 10
PR_SET_PDEATHSIG = 1


def die_with_parent():
    """Called in the child: has it killed when this program ends."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


# A race of two functions, or of one with an unknown one.
RACE = re.compile(r"BUG: KCSAN: [a-z: -]*race in ([\w]+)\S*(?: / ([\w]+))?")
# Races with these are the kernel's, even if the other function is inlined into one of ours.
OTHERS_RACES = {"rht_deferred_worker"}


def own_functions(build):
    """Names of the functions in this project's objects, with tests."""
    objects = [path for pattern in ("kernel/kprobes.o", "kernel/kprobes/**/*.o",
                                    "arch/*/kernel/kprobes*.o", "samples/kprobes/*.o")
               for path in glob.glob(os.path.join(build, pattern), recursive=True)]
    done = subprocess.run(["nm", "--defined-only"] + objects, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True)
    return {name.split(".")[0] for name in re.findall(r" [tT] (\S+)", done.stdout)}


class Machine:
    """@ours: names of functions of which races are problems. None: all races are.
    @look: called when the machine is given up because of silence; returns a line for the console.
    """
    def __init__(self, command, log, silence=120, timeout=900, ours=None, look=None):
        self._look = look
        self._ours = ours
        self.problems = []
        self.begun = self.ended = False
        self._silence, self._timeout = silence, timeout
        self._expected = None       # what may be said just now
        self._dead = self._shut_down = False
        self._quiet = 0             # lines that may still belong to a splat already noted
        self._log = open(log, "wb")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, preexec_fn=die_with_parent)

    def _problem(self, text):
        if text not in self.problems:
            self.problems.append(text)

    def _is_expected(self, line):
        return self._expected is not None and self._expected.search(line) is not None

    def _is_others_race(self, line):
        race = RACE.search(line)
        if race is None or self._ours is None:
            return False
        names = set(race.groups())
        return bool(names & OTHERS_RACES) or not names & self._ours

    def _inspect(self, line):
        if EXPECT_BEGIN in line:
            self._expected = re.compile(EXPECTED.search(line).group(1) or "")
        elif EXPECT_END in line:
            self._expected = None
        elif FATAL.search(line) or (SPLAT.search(line) and not self._is_expected(line)
                                    and not self._is_others_race(line)):
            if not self._quiet:
                self._problem("the kernel said: " + line.strip())
            self._quiet = SPLAT_LINES
            if FATAL.search(line):
                self._dead = True
                self._silence = LAST_WORDS
        elif SHUT_DOWN.search(line):
            self._shut_down = True
            self._silence = LAST_WORDS
        self._quiet = max(0, self._quiet - 1)
        self.begun = self.begun or GUEST_BEGIN.search(line) is not None
        self.ended = self.ended or GUEST_END.search(line) is not None

    def _chunks(self):
        """Console output as it comes; ends with the machine or a time limit."""
        fd = self._process.stdout.fileno()
        os.set_blocking(fd, False)
        begin = last = time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(fd, selectors.EVENT_READ)
            while True:
                if selector.select(timeout=1):
                    data = os.read(fd, 65536)
                    if not data:
                        return
                    self._log.write(data)
                    self._log.flush()
                    last = time.monotonic()
                    yield data
                now = time.monotonic()
                if now - last > self._silence:
                    if not self._shut_down:
                        if self._look:
                            yield self._look().encode() + b"\n"
                        self._problem("no output for %d s: hung" % self._silence)
                    return
                if now - begin > self._timeout:
                    self._problem("still running after %d s" % self._timeout)
                    return

    def lines(self):
        rest = b""
        try:
            for data in self._chunks():
                *whole, rest = (rest + data).split(b"\n")
                for raw in whole:
                    line = ESCAPES.sub("", raw.decode(errors="replace"))
                    self._inspect(line)
                    yield line
        finally:
            self.stop()
        if rest:
            yield ESCAPES.sub("", rest.decode(errors="replace"))
        if self._expected is not None:
            self._problem("%s without %s" % (EXPECT_BEGIN, EXPECT_END))
        if self._dead:
            return
        if not self.begun:
            self._problem("the guest never came to its first process")
        elif not self.ended:
            self._problem("the guest stopped before its end marker")

    def stop(self):
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process.stdout.close()
        self._log.close()
