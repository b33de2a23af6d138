#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: sweep.py DIRECTORY KERNEL-ELF INITRAMFS QEMU... -- KERNEL-ARGUMENT...

Sweeps a kernel: reads the text of the running kernel and of its modules out of a guest, deals its
instructions out to phases, runs those in guests, looks for the instruction when a guest dies or its
workload sees something else, and writes DIRECTORY/report.html and report.txt. The last line is
"N passed, N failed, N skipped"; the exit status is 1 if a check failed.

Results of phases are kept in DIRECTORY: a later run with the same kernel and SEED takes them from
there, so that a sweep can be interrupted and continued.

Environment: SEED, QUICK, JOBS (guests at once), PHASE (instructions in a phase), SLICES (how many
of the ten are swept), ONLY (numbers of phases), AGAIN (1: kept results do not count), LIMIT (seconds
after which no other phase is begun; then QUICK takes all slices, from the phase on that the file
NEXT names), FEW_TRACED (1: tracers trace few functions), MODULES (files), OBJDUMP, READELF, V.
"""
import glob
import os
import queue
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, HERE)
import explain  # noqa: E402
import kept     # noqa: E402
import outcome  # noqa: E402
import qemu     # noqa: E402
import report   # noqa: E402
import sites    # noqa: E402
import text     # noqa: E402
from control import Control  # noqa: E402

STEPS = 0x1f                # breakpoints, jumps, interrupts, function, graph
MECHANISMS, SURROUNDINGS, FEW = 0x3, (0x4, 0xc, 0x14), 0x20
SILENCE, PHASE_LIMIT = 660, 2400
# Time limits this, not memory: a probe takes a KiB or two of the guest's GiB. What registers and optimizes
# probes, and what tracers call, hits probes itself, so that with twice the probes that part of a phase
# takes four times as long. The rest, as the workload in a tracer, takes as long with few probes.
PHASE = 20000
PHASES_A_GUEST = 4
SUSPECTS = 5                # instructions of a phase that are looked for
TEXT_READY = "proof: text is ready"


def environment(name, default):
    value = os.environ.get(name, "")
    return type(default)(value) if value else default


def steps_of(number, quick):
    """The runs of the workload in a phase. Quick ones take turns with what is around it."""
    steps = MECHANISMS | SURROUNDINGS[number % 3] if quick else STEPS
    return steps | FEW * environment("FEW_TRACED", 0)


class Guest:
    """Boots a plan. Used by one thread at a time, and by several in turn."""
    lock = threading.Lock()
    number = 0

    def __init__(self, directory, initramfs, command, arguments, ours=None):
        self.directory, self.initramfs = directory, initramfs
        self.command, self.arguments, self.ours = command, arguments, ours

    def path(self, name):
        return os.path.join(self.directory, name)

    def boot(self, plan, limit, watch=None):
        """Returns the lines of its output, its problems, and its console's last lines.

        @watch(line, control): called for each line of the console; returns True to end the guest.
        """
        with Guest.lock:
            Guest.number += 1
            name = "guest-%d" % Guest.number
        initrd, output, control = (self.path(name + end) for end in (".cpio", ".out", ".qmp"))
        with open(self.initramfs, "rb") as f, open(initrd, "wb") as to:
            to.write(f.read())
            to.write(text.archive("plan", plan))
        command = self.command + [
            "-initrd", initrd, "-serial", "file:" + output,
            "-qmp", "unix:%s,server=on,wait=off" % control,
            # The caches of points and detours are counted by their names.
            "-append", " ".join(["slab_nomerge"] + self.arguments)]
        machine = qemu.Machine(command, self.path(name + ".log"), SILENCE, ours=self.ours)
        tail = []
        lines = machine.lines()
        for line in lines:
            tail = (tail + [line])[-60:]
            if watch and watch(line, control):
                lines.close()
                break
        os.unlink(initrd)
        if os.path.exists(control):
            os.unlink(control)
        with open(output, errors="replace") as f:
            return f.readlines(), machine.problems, tail


def save_memory(control, start, size, to):
    """Has QEMU write a part of the guest's memory to a file."""
    with Control(control) as qmp:
        # A signed number, as all of QMP's.
        qmp.ask("memsave", val=start - (1 << 64) if start >> 63 else start, size=size, filename=to)


def read_texts(guest, objects):
    """The instructions of the running kernel and its modules. @objects: (name, ELF)."""
    readelf = environment("READELF", "readelf")
    empty = [text.Text(name, 0) for name, _ in objects]
    for t, (_, elf) in zip(empty, objects):
        t.size = text.sections(elf, readelf)[t.section][2]
    found = {}

    def watch(line, control):
        words = line.split("proof: text ")
        if len(words) == 2 and words[1][0].isdigit():
            number, start, size = words[1].split()[:3]
            found[int(number)] = int(start, 16), int(size)
        if TEXT_READY not in line:
            return False
        for number, (start, size) in found.items():
            save_memory(control, start, size, guest.path("text-%d" % number))
        return True
    _, problems, tail = guest.boot(text.plan(empty, [], [], 0), 600, watch)
    if len(found) != len(objects):
        print("\n".join(tail))
        sys.exit("error: the guest has not shown its text: " + "; ".join(problems))
    for number, (name, elf) in enumerate(objects):
        copy, section = guest.path("running-" + name), empty[number].section
        with open(guest.path("text-%d" % number), "rb") as f:
            empty[number].bytes = f.read()
        text.put(elf, copy, empty[number].bytes, section, readelf)
        start = text.sections(copy, readelf)[section][0]
        empty[number].start, empty[number].size = found[number]
        if number == 0:
            names, _ = sites.read_symbols(elf, readelf)
            empty[0].scheduler = tuple(names["__sched_text_" + edge] - start
                                       for edge in ("start", "end"))
        text.disassemble(copy, empty[number], start, environment("OBJDUMP", "objdump"))
        os.unlink(copy)
    return empty


def failure(phase, problems):
    """What a phase fails with, and why. @phase: None if it has not begun."""
    if phase and phase.done:
        return outcome.DIFFERENT, outcome.what_differs(phase)
    return outcome.CRASHED, "; ".join(problems)


class Sweep:
    """Phases, and what became of them."""

    def __init__(self, guest, texts, seed, patched=None, why=None, quick=False, results=None, limit=0):
        self.guest, self.texts, self.seed = guest, texts, seed
        self.patched, self.why = patched or sites.Sites(), why
        self.quick, self.results, self.limit = quick, results or kept.Kept(), limit
        self.longest = 0            # seconds that a phase took
        self.outcomes = {}          # instruction: outcome
        self.facts = {}             # instruction: what the guest has said of it
        self.reasons = {}           # instruction: (errno, reason)
        self.return_reasons = {}
        self.unexplained = []       # (instruction, reason)
        self.checks = []            # (phase, name, passed, seen)
        self.notes = []             # problems, in words
        self.phases = []
        self.jobs = queue.Queue()
        self.begin = time.time()
        self.planned = self.known = 0   # phases, and those that were kept

    def say(self, words):
        spent = int(time.time() - self.begin)
        print("    %3d:%02d  %s" % (spent // 60, spent % 60, words), flush=True)

    def boot(self, numbered, unprobed=0):
        def watch(line, _):
            if "proof: " in line and os.environ.get("V", "0") not in ("", "0"):
                self.say(line.split("proof: ")[1])
        steps = [steps_of(number, self.quick) for number, _ in numbered]
        lines, problems, tail = self.guest.boot(
            text.plan(self.texts, numbered, steps, self.seed, unprobed), PHASE_LIMIT * len(numbered),
            watch)
        phases, unprobed, _ = outcome.parse(lines)
        items = dict(numbered)
        for phase in phases:
            if phase.done:
                self.judge(phase, items[phase.number])
        return phases, unprobed, problems, tail

    def name(self, instruction):
        return self.texts[instruction[0]].symbol(self.texts[instruction[0]].offsets[instruction[1]])

    def fact(self, instruction):
        """What its books depend on."""
        t, i = self.texts[instruction[0]], instruction[1]
        at = t.offsets[i]
        fact = outcome.Fact(text.has_post(instruction, self.seed), bool(t.flags[i] & text.CONTEXT))
        if not t.flags[i] & text.RETURN:
            return fact
        return fact._replace(function=t.symbol(at).rpartition("+")[0], waits=text.waits_in(t, at))

    def judge(self, phase, items):
        """Compares what a phase has left, and refused, with what the text explains."""
        outcome.judge_text(phase, self.patched)
        if self.why:
            outcome.judge_idle(phase, self.why.idle)
            outcome.judge_refusals(phase, lambda i, reason: self.why.explains(*items[i], reason))

    def add(self, number, items, phase):
        """A phase that came to its end, and was judged."""
        facts = [self.fact(i) for i in items]
        outcomes = outcome.classify(phase, facts)
        self.unexplained += [(items[i], reason) for i, reason in phase.unexplained]
        for i, (instruction, what) in enumerate(zip(items, outcomes)):
            self.outcomes[instruction] = what
            if i in phase.hits or i in phase.returns:
                self.facts[instruction] = phase.hits.get(i), phase.returns.get(i)
            if i in phase.refused:
                self.reasons[instruction] = phase.refused[i]
            if i in phase.return_refused:
                self.return_reasons[instruction] = phase.return_refused[i]
        checks = outcome.checks(phase, outcomes, facts)
        self.checks += [(number,) + check for check in checks]
        for line in phase.lines:
            self.notes.append("phase %d: workload, %s" % (number, line))
        self.phases.append((number, phase))
        self.say("phase %d: %d instructions, %d hit, %d refused, %d jumps and %d to "
                 "come, runs of %s s%s" % (
            number, len(items), sum(o in (outcome.HIT, outcome.MISSED) for o in outcomes),
            len(phase.refused), phase.jumps, phase.waiting,
            " ".join("%.0f" % (r[2] / 1000) for r in phase.runs),
            "".join("; %s: %s" % (name, seen) for name, passed, seen in checks if not passed)))

    def fails(self, number, items, what):
        """Does a part of a phase fail on its own? What crashes may be different as well, by others."""
        phases, _, problems, _ = self.boot([(number, items)])
        bad = not phases or not phases[-1].done
        if what != outcome.CRASHED:
            bad = bad or bool(problems) or not outcome.is_clean(phases[-1])
        self.say("  %d of them: %s" % (len(items), "fails" if bad else "sound"))
        return bad

    def find(self, number, items, what, why):
        """Looks for the instructions with which a phase fails, and sweeps the others."""
        if self.limit:
            self.notes.append("phase %d %s: %s" % (number, what, why))
            self.checks.append((number, "not " + what, False, "ONLY=%d looks for it" % number))
            return
        self.say("phase %d %s: %s; looking for the instruction" % (number, what, why))
        for _ in range(SUSPECTS):
            found = outcome.smallest(items, lambda part: self.fails(number, part, what))
            names = ", ".join(self.name(i) for i in found[:4])
            alone = len(found) < len(items) or self.fails(number, found, what)
            self.notes.append("phase %d %s: %s: %s" % (number, what, why,
                              "with a probe on %d: %s" % (len(found), names) if alone
                              else "not a second time"))
            self.checks.append((number, "not " + what, False, self.notes[-1]))
            self.say(self.notes[-1])
            if alone:
                for instruction in found:
                    self.outcomes[instruction] = what
                items = [i for i in items if i not in set(found)]
            phases, _, problems, _ = self.boot([(number, items)]) if items else ([], 0, 0, 0)
            if phases and not problems and outcome.is_clean(phases[-1]):
                self.add(number, items, phases[-1])
                return
            if not items:
                return
            what, why = failure(phases[-1] if phases else None, problems)
        self.notes.append("phase %d still fails without them" % number)

    def run(self, job):
        """A guest with some phases."""
        begin = time.time()
        steps = 0
        for number, _ in job:
            steps |= steps_of(number, self.quick)
        phases, unprobed, problems, tail = self.boot(job, steps)
        by_number = dict(job)
        self.longest = max(self.longest, time.time() - begin)
        if not phases:
            self.notes.append("no phase has begun: %s" % "; ".join(problems))
            self.checks.append((job[0][0], "begun", False, "\n".join(tail[-20:])))
            return
        if any(line.split(" ")[2] not in ("same", "skipped") for line in unprobed
               if line.startswith("run ")):
            self.notes += ["the workload's output varies without probes"] + unprobed[:20]
            self.checks.append((job[0][0], "workload, unprobed", False, "varies"))
        for phase in phases:
            items = by_number.pop(phase.number)
            if outcome.is_clean(phase):
                self.add(phase.number, items, phase)
                if not problems:
                    self.results.save(phase, steps_of(phase.number, self.quick))
            else:
                self.find(phase.number, items, *failure(phase, problems))
        if problems and all(outcome.is_sound(p) for p in phases):
            self.checks.append((phases[-1].number, "no splat", False, "; ".join(problems)))
            self.notes.append("after phase %d: %s" % (phases[-1].number, "; ".join(problems)))
        if by_number:
            self.jobs.put(sorted(by_number.items()))

    def has_time(self):
        """Can another guest be expected to end in time?"""
        return not self.limit or time.time() - self.begin + self.longest < self.limit

    def work(self):
        while self.has_time():
            try:
                job = self.jobs.get_nowait()
            except queue.Empty:
                return
            try:
                self.run(job)
            except Exception as e:      # a thread must not end in silence
                self.notes.append("the sweep itself failed: %r" % e)
                self.checks.append((job[0][0], "swept", False, repr(e)))
                raise

    def take_kept(self, numbered):
        """Takes the results that are kept. Returns the phases without one."""
        left = []
        for number, items in numbered:
            phase = self.results.load(number, steps_of(number, self.quick), len(items))
            if phase:
                self.judge(phase, items)
                self.add(number, items, phase)
                self.known += 1
            else:
                left.append((number, items))
        return left

    def sweep(self, numbered, jobs, a_guest):
        self.planned = len(numbered)
        left = self.take_kept(numbered)
        for at in range(0, len(left), a_guest):
            self.jobs.put(left[at:at + a_guest])
        # A job may leave another one when the rest of the threads are done already.
        while not self.jobs.empty() and self.has_time():
            threads = [threading.Thread(target=self.work) for _ in range(jobs)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()


def dealt(texts, seed, quick, size, slices):
    """Numbered phases: a slice after the other, and at last the decoder."""
    result = []
    others, decoder = text.split(texts)
    for instructions in text.deal(others, seed)[:1 if quick else slices]:
        result += text.phases(instructions, size)
    if decoder and not quick and slices == 10:
        result.append(decoder)
    return list(enumerate(result, 1))


def choose(numbered):
    """The phases that the environment asks for, in their order."""
    only = os.environ.get("ONLY", "")
    if only:
        return [n for n in numbered if str(n[0]) in only.split(",")]
    following = os.environ.get("NEXT", "")
    return kept.begin_at(numbered, following) if following else numbered


def prepare(guest, elf, seed, quick):
    """Reads all that a sweep needs to know."""
    modules = os.environ.get("MODULES", "").split()
    objects = [("vmlinux", elf)]
    for module in modules:
        name = os.path.basename(module)[:-3].replace("-", "_")
        for section in sorted(text.sections(module, environment("READELF", "readelf"))):
            objects.append((name if section == ".text" else name + ":" + section, module))
    print("==> reading the text of the running kernel", flush=True)
    texts = read_texts(guest, objects)
    results = None
    if environment("AGAIN", "0") == "0":
        name = kept.key([elf] + modules, (seed, environment("PHASE", PHASE), guest.command,
                                          guest.arguments))
        results = kept.Kept(guest.path("results-" + name))
    readelf = environment("READELF", "readelf")
    return Sweep(guest, texts, seed, sites.read(elf, readelf),
                 explain.Explanations(elf, texts, modules, readelf), quick, results,
                 environment("LIMIT", 0))


def main():
    cut = sys.argv.index("--")
    directory, elf, initramfs = sys.argv[1:4]
    guest = Guest(directory, initramfs, sys.argv[4:cut], sys.argv[cut + 1:],
                  qemu.own_functions(os.path.dirname(elf)))
    for old in glob.glob(guest.path("guest-*")):
        os.unlink(old)
    seed, quick = environment("SEED", 1), environment("QUICK", "0") != "0"
    sweep = prepare(guest, elf, seed, quick)
    numbered = choose(dealt(sweep.texts, seed, quick and not sweep.limit, environment("PHASE", PHASE),
                            environment("SLICES", 10)))
    jobs = environment("JOBS", os.cpu_count() or 1)
    a_guest = 1 if sweep.limit else max(1, min(PHASES_A_GUEST, -(-len(numbered) // jobs)))
    print("==> sweeping %d of %d instructions in %d phases, %d guests at once, SEED=%d" % (
        sum(len(n[1]) for n in numbered), sum(len(t) for t in sweep.texts), len(numbered), jobs,
        seed), flush=True)
    sweep.sweep(numbered, jobs, a_guest)
    if os.environ.get("NEXT"):
        done = {number for number, _ in sweep.phases}
        following = kept.note_next(os.environ["NEXT"], numbered, done)
        print("    phases %s done, phase %d is next" % (" ".join(map(str, sorted(done))), following))
    sys.exit(report.write(sweep, directory))


if __name__ == "__main__":
    main()
