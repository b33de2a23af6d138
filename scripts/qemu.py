#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A virtual machine whose console is watched.

Machine.lines() yields the console's lines. Machine.problems has what went wrong: splats of the
kernel, a hang, an end without the guest's end marker. QEMU that does not end after the guest has
shut down is no problem of the guest. QEMU is killed when this process ends.

The guest counts instructions and not the host's seconds (-icount), so its limits do not either. It hangs
if QEMU has computed for SILENCE seconds and the guest has printed nothing, or if QEMU computes nothing:
with sleep=off an idle guest's clock jumps to the next timer, so that the clock of a guest whose emulator
is idle stands still for ever.
"""
import ctypes
import glob
import os
import re
import signal
import subprocess
import time

# Lines that no run may print. A test that provokes some prints the markers below around them. After
# the first marker and a colon comes a regular expression for the expected lines; else all are. One
# after the guest's end marker needs no second one.
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
# Seconds of the emulator's CPU time without output.
SILENCE = 600
# Seconds of the host in which the emulator computes nothing, and what is nothing.
STILL, NOTHING = 90, 0.5
# Seconds of the host without output after a panic or a shutdown. What was to be said is said then.
LAST_WORDS = 10
TICK = 0.1
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


def cpu_time(pid):
    """Seconds that the process has computed, and that its threads have waited for a CPU to do so."""
    ran = waited = 0
    try:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rpartition(")")[2].split()
        ran = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        for path in glob.glob("/proc/%d/task/*/schedstat" % pid):
            with open(path) as f:
                waited += int(f.read().split()[1]) / 1e9
    except OSError:
        pass                    # it is no more
    return ran, waited


class Machine:
    """The console goes to the file @log: the guest never waits for its reader.

    @ours: names of functions of which races are problems. None: all races are.
    """
    def __init__(self, command, log, silence=SILENCE, still=STILL, ours=None):
        self._ours = ours
        self.problems = []
        self.begun = self.ended = False
        self._silence, self._still = silence, still
        self._expected = None       # what may be said just now
        self._to_the_end = False    # nothing is left in the guest that could end that
        self._dead = self._shut_down = False
        self._quiet = 0             # lines that may still belong to a splat already noted
        self._log = open(log, "wb+")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self._log,
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
            self._to_the_end = self.ended
        elif EXPECT_END in line:
            self._expected = None
        elif FATAL.search(line) or (SPLAT.search(line) and not self._is_expected(line)
                                    and not self._is_others_race(line)):
            if not self._quiet:
                self._problem("the kernel said: " + line.strip())
            self._quiet = SPLAT_LINES
            if FATAL.search(line):
                self._dead = True
        elif SHUT_DOWN.search(line):
            self._shut_down = True
        self._quiet = max(0, self._quiet - 1)
        self.begun = self.begun or GUEST_BEGIN.search(line) is not None
        self.ended = self.ended or GUEST_END.search(line) is not None

    def _hung(self, silent, still, computed):
        """Why the machine is given up, "" if it only has to be ended, None if it goes on."""
        if self._dead or self._shut_down:
            return "" if silent > LAST_WORDS else None
        if still > self._still:
            return "the guest's clock stands still: the emulator was idle for %d s" % self._still
        if computed > self._silence:
            return "no output while the emulator computed for %d s: hung" % self._silence
        return None

    def _chunks(self):
        """Console output as it comes; ends with the machine or a limit."""
        heard = moved = time.monotonic()
        at_output = at_move = 0
        with open(self._log.name, "rb") as console:
            while True:
                running = self._process.poll() is None
                data = console.read()
                now, (spent, waited) = time.monotonic(), cpu_time(self._process.pid)
                # One that others keep from the CPU is not idle.
                if abs(spent + waited - at_move) > NOTHING:
                    moved, at_move = now, spent + waited
                if data:
                    heard, at_output = now, spent
                    yield data
                    continue
                if not running:
                    return
                why = self._hung(now - heard, now - moved, spent - at_output)
                if why:
                    self._problem(why)
                if why is not None:
                    return
                time.sleep(TICK)

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
        if self._expected is not None and not self._to_the_end:
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
        self._log.close()
