#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: sweep.py DIRECTORY KERNEL-ELF INITRAMFS QEMU...

Sweeps a kernel: reads the text of the running kernel out of a guest, deals its
instructions out to phases, runs those in guests, looks for the instruction when a guest dies or its
workload sees something else, and writes DIRECTORY/sweep.txt. The last line is "N passed, N failed, N
skipped"; the exit status is 1 if a check failed.

Environment: PHASES (numbers of those that are wanted), QUICK (1: a tenth of the instructions), SEED,
JOBS (guests at once), SIZE (instructions in a phase), SEARCH (0: do not look for instructions, only say that
a phase fails), V (1: what guests are at).
"""
import base64
import collections
import glob
import itertools
import os
import re
import struct
import subprocess
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, HERE)
import explain  # noqa: E402
import outcome  # noqa: E402
import qemu     # noqa: E402
import report   # noqa: E402
import text     # noqa: E402

# What the workload runs under, with each mechanism: phases take turns.
AROUND = ("nothing", "interrupts", "function", "function_graph")
# With more of them each phase takes longer, because what arms and optimizes probes hits them; with fewer the
# workload runs more often.
SIZE = 40000
PHASES_A_GUEST = 8
# On the console, between two lines that qemu.py knows: a compressed file of the guest's, in letters.
DATA = re.compile(r"sweep-data: (\S+)")


def environment(name, default):
    return type(default)(os.environ.get(name) or default)


class Guest:
    """Boots a plan. Used by several threads."""
    numbers = itertools.count(1)

    def __init__(self, directory, initramfs, command):
        self.directory, self.command = directory, list(command)
        self.command[self.command.index("-initrd") + 1] = initramfs

    def path(self, name):
        return os.path.join(self.directory, name)

    def boot(self, words, plan=(), watch=None):
        """Returns its report, its problems, and its console's last lines. @words: for the command line of
        the kernel. @plan: (number, records) of phases. @watch: called for each line of the console."""
        name = "guest-%d" % next(Guest.numbers)
        command, initramfs = list(self.command), self.path(name + ".cpio")
        archive(self.command[command.index("-initrd") + 1], initramfs, plan)
        command[command.index("-initrd") + 1] = initramfs
        at = command.index("-append") + 1
        command[at] = command[at].replace(" -- ", " %s -- " % " ".join(words), 1)
        machine = qemu.Machine(command, self.path(name + ".log"))
        tail, said, letters = collections.deque(maxlen=20), b"", []
        for line in machine.lines():
            match = DATA.search(line)
            if match:
                letters.append(match[1])
                continue
            if qemu.EXPECT_END in line and letters:
                said, letters = said + unpack("".join(letters), machine), []
            tail.append(line)
            if watch:
                watch(line)
        os.unlink(initramfs)
        return said, machine.problems, list(tail)


def unpack(letters, machine):
    """A file that the guest has shown."""
    try:
        return zlib.decompress(base64.b64decode(letters), wbits=31)
    except (ValueError, zlib.error) as error:
        machine.problems.append("what the guest has shown is damaged: %s" % error)
        return b""


def archive(initramfs, path, files):
    """A copy of an initial file system, with a plan's files in /plan."""
    with open(initramfs, "rb") as f:
        data = f.read()
    for name, mode, contents in [("plan", 0o40755, b"")] + [
            ("plan/%d" % number, 0o100644, records) for number, records in files] + [("TRAILER!!!", 0, b"")]:
        fields = (0, mode, 0, 0, 1, 0, len(contents), 0, 0, 0, 0, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
        for part in (head, contents):
            data += part + b"\0" * (-len(part) % 4)
    with open(path, "wb") as f:
        f.write(data)


def read_text(guest, kernel):
    """The instructions of the running kernel, the words that tell a guest where they are, and how far the
    kernel runs from where it was linked to."""
    start, _, size = text.place(kernel)
    stext = next(address for name, address, _, _ in kernel.symbols if name == "_stext")
    first, end = text.room(kernel) or (start, start)
    words = ["offset=%d" % (start - stext), "length=%d" % size,
             "room=%d" % (first - start), "room_end=%d" % (end - start)]
    said, problems, tail = guest.boot(words)
    runs_at, _, code = said.partition(b"\n")
    if problems or len(code) != size:
        sys.exit("\n".join(tail + ["error: the guest has not shown its text: " + "; ".join(problems)]))
    return text.disassemble(kernel, code, guest.path("running")), words, int(runs_at, 16) - stext


def records_of(t, instructions, seed, order="<"):
    """The plan of a phase."""
    return b"".join(struct.pack(order + "IBBH", t.offsets[i],
                                t.machine.entry if t.offsets[i] in t.traced else t.lengths[i],
                                t.flags[i] & ~text.CONTEXT | text.POST * text.has_post(i, seed), 0)
                    for i in instructions)


class Sweep:
    """Phases, and what became of them. @words: what a guest is told of the text. @why: what explains
    refusals and differences of the text."""

    def __init__(self, guest, words, t, why):
        self.guest, self.words, self.text, self.why = guest, words, t, why
        self.seed, self.search = environment("SEED", 1), environment("SEARCH", "1") != "0"
        self.order, self.moved = "<", 0
        self.outcomes = {}          # instruction: outcome
        self.facts = {}             # instruction: Hit or None, Return or None
        self.reasons, self.return_reasons = {}, {}      # instruction: (errno, reason)
        self.unexplained = []       # (instruction, reason)
        self.checks = []            # (phase, name, passed, seen)
        self.notes = []             # problems, in words
        self.without = []           # parts of the workload that were left out
        self.phases = []
        self.begin, self.planned = time.time(), 0

    def say(self, words):
        spent = int(time.time() - self.begin)
        print("    %3d:%02d  %s" % (spent // 60, spent % 60, words), flush=True)

    def boot(self, numbered):
        """Runs phases. Those that came to their end are judged."""
        def watch(line):
            if "sweep: " in line and environment("V", "0") != "0":
                self.say(line.split("sweep: ")[1])
        phases = ",".join("%d:%s" % (number, AROUND[number % len(AROUND)]) for number, _ in numbered)
        plan = [(number, records_of(self.text, items, self.seed, self.order)) for number, items in numbered]
        said, problems, tail = self.guest.boot(self.words + ["phases=" + phases], plan, watch)
        phases, unprobed = outcome.parse(said.decode(errors="replace").splitlines(), self.moved)
        items = dict(numbered)
        for phase in phases:
            if phase.done:
                self.judge(phase, items[phase.number])
        return phases, unprobed, problems, tail

    def fact(self, i):
        """What the books of an instruction depend on."""
        t = self.text
        fact = outcome.Fact(text.has_post(i, self.seed), t.misses_posts(i))
        if not t.flags[i] & text.RETURN:
            return fact
        return fact._replace(function=t.name(i).rpartition("+")[0], waits=text.waits_in(t, t.offsets[i]))

    def reason(self, phase, i, kind, error):
        return phase.reasons.get(("kprobe" if kind == "probe" else "kretprobe",
                                  self.text.start + self.text.offsets[i]), (str(error), outcome.UNEXPLAINED))

    def judge(self, phase, items):
        """Compares what a phase has left, and refused, with what the text explains. Bytes of sites that the
        kernel patches on its own may differ; one may be half patched in one of the comparisons."""
        phase.text = min((self.why.kernel.patched.judge(windows) for windows in phase.windows),
                         default=(1, 0, 0))
        phase.stray = len(set(phase.idle) - self.why.idle)
        for (i, kind), error in phase.errors.items():
            _, reason = self.reason(phase, items[i], kind, error)
            if not self.why.explains(items[i], reason):
                phase.unexplained.append((items[i], reason))

    def add(self, number, items, phase):
        """A phase that came to its end, and was judged."""
        facts = [self.fact(i) for i in items]
        outcomes = outcome.classify(phase, facts)
        self.unexplained += phase.unexplained
        self.outcomes.update(zip(items, outcomes))
        for i in set(phase.hits) | set(phase.returns):
            self.facts[items[i]] = phase.hits.get(i), phase.returns.get(i)
        for (i, kind), error in phase.errors.items():
            to = self.reasons if kind == "probe" else self.return_reasons
            to[items[i]] = self.reason(phase, items[i], kind, error)
        checks = outcome.checks(phase, outcomes)
        self.checks += [(number,) + check for check in checks]
        self.notes += ["phase %d: workload, %s" % (number, line) for line in phase.lines]
        self.phases.append(phase)
        hit = sum(o in report.REACHED for o in outcomes)
        refused = outcomes.count(outcome.REFUSED)
        self.say("phase %d (%d of %d): %d instructions, %d refused, %d hit (%s), %d jumps, "
                 "runs of %s s in the guest%s" % (
                     number, len(self.phases), self.planned, len(items), refused, hit,
                     report.share(hit, len(items) - refused), *phase.numbers["jumps"],
                     " ".join(str(r[2]) for r in phase.runs),
                     "".join("; %s: %s" % (name, seen) for name, passed, seen in checks if not passed)))

    def fails(self, number, items, what):
        """Does a part of a phase fail on its own? What crashes may be different as well, by others."""
        phases, _, problems, _ = self.boot([(number, items)])
        bad = not phases or not phases[-1].done
        if what == outcome.DIFFERENT:
            bad = bad or bool(problems) or not outcome.is_clean(phases[-1])
        self.say("  %d of them: %s" % (len(items), "fails" if bad else "sound"))
        return bad

    def fail(self, number, items, phase, problems):
        """Says what is wrong with a phase, and looks for an instruction with which it fails."""
        what = outcome.DIFFERENT if phase.done else outcome.CRASHED
        seen = "; ".join(problems)
        if phase.done:
            failed = [check[::2] for check in outcome.checks(phase, ()) if not check[1]]
            seen = "; ".join(["%s: %s" % check for check in failed] + phase.lines[:2])
        self.say("phase %d %s: %s" % (number, what, seen))
        found = items
        if self.search:
            found = outcome.smallest(items, lambda part: self.fails(number, part, what))
            seen += "; with a probe on %d: %s" % (len(found), ", ".join(self.text.name(i) for i in found[:4]))
        self.notes.append("phase %d %s: %s" % (number, what, seen))
        self.checks.append((number, "not " + what, False, seen))
        if phase.done:
            self.add(number, items, phase)
        if len(found) < len(items):
            self.outcomes.update((instruction, what) for instruction in found)

    def run(self, job):
        """Sweeps some phases. After one that kills its guest, the others are run in another one."""
        while job:
            phases, unprobed, problems, tail = self.boot(job)
            items = dict(job)
            if not phases:
                self.notes += ["no phase has begun: %s" % "; ".join(problems)] + tail
                self.checks.append((job[0][0], "begun", False, "; ".join(problems)))
                return
            for line in unprobed:
                if line.startswith("without ") and line not in self.without:
                    self.without.append(line)
            bad = [line for line in unprobed if line.startswith("run ") and " same " not in line]
            if bad:
                self.notes += ["the workload's output varies without probes"] + unprobed[:20]
            self.checks.append((job[0][0], "workload, unprobed", not bad, "; ".join(bad)))
            for phase in phases:
                if outcome.is_clean(phase):
                    self.add(phase.number, items.pop(phase.number), phase)
                else:
                    self.fail(phase.number, items.pop(phase.number), phase, problems)
            if problems and phases[-1].done and outcome.is_same(phases[-1]):
                self.checks.append((phases[-1].number, "no splat", False, "; ".join(problems)))
                self.notes.append("after phase %d: %s" % (phases[-1].number, "; ".join(problems)))
            job = sorted(items.items())

    def sweep(self, numbered, jobs):
        self.planned = len(numbered)
        guests = jobs * -(-len(numbered) // (PHASES_A_GUEST * jobs))
        each = max(1, -(-len(numbered) // max(1, guests)))
        with ThreadPoolExecutor(jobs) as pool:
            # The list has a thread's exception come out here.
            list(pool.map(self.run, [numbered[at:at + each] for at in range(0, len(numbered), each)]))


def functions_of(elf, *patterns):
    """Functions that are in these objects of a kernel alone."""
    objects = [path for pattern in patterns
               for path in glob.glob(os.path.join(os.path.dirname(elf), pattern), recursive=True)]
    if not objects:
        return frozenset()
    named = subprocess.run(["nm", "--defined-only"] + objects, stdout=subprocess.PIPE, text=True, check=True)
    functions = collections.Counter(re.findall(r" [tTwW] ([^.\s]\S*)", named.stdout))
    kernel = collections.Counter(symbol[0] for symbol in text.hitpath.Elf(elf).symbols)
    return frozenset(name for name, number in functions.items() if kernel[name] <= number)


def main():
    directory, elf, initramfs = sys.argv[1:4]
    guest = Guest(directory, initramfs, sys.argv[4:])
    quick = environment("QUICK", "0") != "0"
    wanted = {int(word) for word in re.findall(r"\d+", os.environ.get("PHASES", ""))}
    print("==> reading the text of the running kernel", flush=True)
    t, words, moved = read_text(guest, text.hitpath.Elf(elf))
    why = explain.Explanations(elf, t)
    t.scheduler = tuple(why.kernel.address["__sched_text_" + edge] - t.start for edge in ("start", "end"))
    sites = {addr - t.start for addr in why.kernel.traced()}
    if t.machine.entry:
        t.traced = sites
    sweep = Sweep(guest, words, t, why)
    sweep.order, sweep.moved = why.kernel.elf.order, moved
    # The tests run at boot, and not in the workload.
    tests = functions_of(elf, "kernel/kprobes/tests/**/*.o") | {text.ROOM}
    own = functions_of(elf, "kernel/kprobes/**/*.o", "arch/*/kernel/kprobes*.o")
    numbered = text.deal(t, sweep.seed, environment("SIZE", SIZE), quick and not wanted, tests, own, sites)
    if wanted - {number for number, _ in numbered}:
        sys.exit("error: there are phases 1 to %d" % len(numbered))
    numbered = [n for n in numbered if not wanted or n[0] in wanted]
    jobs = environment("JOBS", os.cpu_count() or 1)
    print("==> sweeping %d of %d instructions in %d phases, %d guests at once, SEED=%d" % (
        sum(len(n[1]) for n in numbered), len(t), len(numbered), jobs, sweep.seed), flush=True)
    sweep.sweep(numbered, jobs)
    sys.exit(report.write(sweep, os.path.join(directory, "sweep.txt")))


if __name__ == "__main__":
    main()
