#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: table.py compare DIR         base against ours: prints a table
       table.py check DIR RECORD   ours against what was recorded
       table.py record DIR RECORD  writes down ours

DIR/base.tsv and DIR/ours.tsv are what measure.py wrote: figure, size, value. DIR/about says what
they depend on, one "name: value" a line.
"""
import os
import re
import sys

# What the gate lets a figure grow by, where the compiler is the recorded one. Instructions of a hit
# repeat to the digit. Registering and knobs have ticks in them, and as many more as the build has it.
GROWTH = 0.03
GROWTH_OF_MANY = 0.5
# The same for what another compiler makes of a hit, in bare traps of the same run.
GROWTH_IN_TRAPS = 0.15
# By the host's clock figures are nanoseconds, and scatter. All are compared in bare traps then.
GROWTH_BY_CLOCK = 2
TICKS = 60000
EXACT = re.compile(r"(hit|return|points)\.")
TRAP = "trap.bare", 1
# Figures in instructions. Idle time and memory are not, and what is done in the background, when the
# optimizer or RCU get to it, is nobody's cost who waits; of a knob only the sum of both repeats.
GATED = re.compile(r"(trap|hit|return|points|reg|unreg|events|perf)\.(?!.*\.(time|settled)$)"
                   r"|toggle\..*\.settled$")


class Side:
    """The figures of one kernel."""
    def __init__(self, path):
        self.figures = {}
        if os.path.exists(path):
            with open(path) as f:
                for line in f:
                    if not line.startswith("#"):
                        name, n, value = line.split("\t")
                        self.figures.setdefault(name, {})[int(n)] = float(value)

    def at(self, name, n, each=False):
        """(value, whether it was extrapolated); (None, False) if there is no value."""
        sizes, parts = self.figures.get(name, {}), n if each else 1
        if n in sizes:
            return sizes[n] / parts, False
        if len(sizes) < 2 or n < max(sizes):
            return None, False
        return line_through(list(sizes.items()))(n) / parts, True


def line_through(points):
    """
    Least squares over the sizes from a hundredth of the largest on, deviations relative to the
    size. Never less than what the largest size took: what falls as sizes grow is no cost of them.
    """
    last = max(points)
    points = [(x, y) for x, y in points if 100 * x >= last[0]]
    weights = [1 / x ** 2 for x, _ in points]
    total = sum(weights)
    mx = sum(w * x for w, (x, _) in zip(weights, points)) / total
    my = sum(w * y for w, (_, y) in zip(weights, points)) / total
    below = sum(w * (x - mx) ** 2 for w, (x, _) in zip(weights, points))
    above = sum(w * (x - mx) * (y - my) for w, (x, y) in zip(weights, points))
    slope = above / below if below else 0
    return lambda x: max(my + slope * (x - mx), last[1])


WHAT = {"entry": "function entries", "insn": "instructions"}
HOW = {"single": "one by one, {:,}", "batch": "batch of {:,}"}


def registrations(what, how, n):
    name = "%s.%s" % (what, how)
    return [("register %s, %s" % (WHAT[what], HOW[how].format(n)), "reg." + name, n),
            ("  unregister", "unreg." + name, n),
            ("  unregister, with what is left for later", "unreg.%s.settled" % name, n)]


def waits(what, n):
    text = {"irq": "for interrupts", "probe": "to register a probe"}
    return [("%s %s, %s" % (do, WHAT[what], text[who]), "wait.%s.%s.%s" % (what, did, who), n)
            for do, did in (("register", "reg"), ("unregister", "unreg"))
            for who in text]


# Of each section the title, whether a figure is divided by the size it is for, and the rows: label,
# figure, size.
MANY, ALL = 50000, 100000
SECTIONS = [
    ("A hit: instructions above the bare call", False, [
        ("a bare trap: a fault with a fixup", "trap.bare", 1),
        ("breakpoint", "hit.break", 1),
        ("  with a post-handler", "hit.break.post", 1),
        ("  beside 100,000 points", "points.break", ALL),
        ("jump-optimized", "hit.jump", 1),
        ("  two probes on the point", "hit.jump.two", 1),
        ("  with a post-handler", "hit.jump.post", 1),
        ("  while hits are counted", "hit.count", 1),
        ("  beside 100,000 points", "points.jump", ALL),
        ("return probe, optimized entry", "return.jump", 1),
        ("return probe, breakpoint entry", "return.break", 1),
        ("function entry, ftrace compiled in", "hit.entry", 1),
        ("return probe on such a function", "return.entry", 1)]),
    ("Registering: instructions a probe", True,
        registrations("entry", "single", 1000) + registrations("entry", "batch", 1000)
        + registrations("insn", "single", 1000) + registrations("insn", "batch", 1000)
        + registrations("entry", "single", MANY) + registrations("entry", "batch", MANY)
        + registrations("insn", "batch", ALL)),
    ("Unregistering on an idle machine: nanoseconds a probe that pass", True, [
        ("instructions, one by one, 1,000", "unreg.insn.single.time", 1000),
        ("instructions, batch of 1,000", "unreg.insn.batch.time", 1000),
        ("function entries, one by one, 1,000", "unreg.entry.single.time", 1000)]),
    ("1,000 kprobe events, one at a time, by a shell: instructions an event", True, [
        ("define", "events.define", 1000),
        ("enable", "events.enable", 1000),
        ("disable", "events.disable", 1000),
        ("remove", "events.remove", 1000),
        ("  nanoseconds that pass", "events.remove.time", 1000)]),
    ("1,000 perf events, one at a time: instructions an event", True, [
        ("open, enable", "perf.attach", 1000),
        ("disable, close", "perf.detach", 1000),
        ("  nanoseconds that pass", "perf.detach.time", 1000)]),
    ("Tools on 50,000 functions, their own work included: instructions a function", True, [
        ("perf probe --add", "tools.perf.define", MANY),
        ("perf stat on all, from start to end", "tools.perf.use", MANY),
        ("perf probe --del", "tools.perf.remove", MANY),
        ("bpftrace, from start to end", "tools.bpftrace", MANY),
        ("BPF by perf events: open, set, enable", "tools.bpf.attach", MANY),
        ("  close", "tools.bpf.detach", MANY)]),
    ("A knob is turned, 10,000 points: instructions", False, [
        row for label, name in (("enabled", "enabled"), ("debug.kprobes-optimization", "sysctl"))
        for to in ("off", "on")
        for row in (("%s: %s" % (label, to), "toggle.%s.%s" % (name, to), 10000),
                    ("  with what is left for later", "toggle.%s.%s.settled" % (name, to), 10000))]),
    ("Until all are optimized: nanoseconds after registering", False, [
        ("1 probe", "optimize", 1),
        ("1,000 probes", "optimize", 1000),
        ("100,000 probes", "optimize", ALL)]),
    ("Memory: bytes, the user's struct included", True, [
        ("probe on a point of its own, 1,000", "memory.point", 1000),
        # Of few points some are in slabs that were left from others.
        ("  3,000", "memory.point", 3000),
        ("  100,000", "memory.point", ALL),
        ("return-probe instance", "memory.instance", 20000)]),
    ("The longest wait of others, batch of 10,000: nanoseconds", False, [
        ("kmalloc() of as much memory, for interrupts", "wait.memory.reg.irq", 10000),
        ("kfree() of it, for interrupts", "wait.memory.unreg.irq", 10000)]
        + waits("insn", 10000) + waits("entry", 10000)),
]


def number(value, extrapolated=False):
    if value is None:
        return "-"
    if abs(value) < 10 and abs(value - round(value)) > 0.005:
        text = "%.2f" % value
    else:
        text = "{:,.0f}".format(value)
    return ("~" if extrapolated else "") + text


def ratio(base, ours):
    if base is None or ours is None or not base:
        return "-"
    return "%.3g" % (ours / base)


LINE = "%-51s %15s %15s %8s"


def table(base, ours):
    lines = [LINE % ("", "base", "ours", "ratio")]
    for title, each, rows in SECTIONS:
        known = [(label, base.at(name, n, each), ours.at(name, n, each)) for label, name, n in rows]
        if any(b[0] is not None or o[0] is not None for _, b, o in known):
            lines += ["", title]
            lines += [LINE % ("  " + label, number(*b), number(*o), ratio(b[0], o[0]))
                      for label, b, o in known]
    return lines + ["", "~: more than could be measured in time; extrapolated by a line through"
                        " the sizes that were."]


def compare(directory):
    print("\n".join(table(*(Side(os.path.join(directory, s + ".tsv")) for s in ("base", "ours")))))


def about(path):
    with open(path) as f:
        return dict(line.rstrip("\n").lstrip("# ").split(": ", 1) for line in f if ": " in line)


def gated(path):
    return {(name, n): value for name, sizes in Side(path).figures.items() if GATED.match(name)
            for n, value in sizes.items()}


def limit(name, recorded, traps=None, by_clock=False):
    """The largest value that passes. @traps: how much more a bare trap takes than when recorded."""
    if by_clock:
        return recorded * traps * (1 + GROWTH_BY_CLOCK) + TICKS * (not EXACT.match(name))
    if not EXACT.match(name):
        return recorded * (1 + GROWTH_OF_MANY) + TICKS
    if traps is None:
        return recorded * (1 + GROWTH)
    return recorded * traps * (1 + GROWTH_IN_TRAPS)


def check(directory, record):
    now, then = gated(os.path.join(directory, "ours.tsv")), gated(record)
    here, there = about(os.path.join(directory, "about")), about(record)
    traps, by_clock = None, "clock" in here
    for key in ("compiler", "base", "clock"):
        if here.get(key) != there.get(key):
            print("    recorded with %s %s, here is %s: hits are compared in bare traps"
                  % (key, there.get(key), here.get(key)))
        if here.get(key) != there.get(key) or by_clock:
            traps = now[TRAP] / then[TRAP]
    passed, bad = 0, []
    for key in sorted(set(then) | set(now)):
        name, n = key
        if by_clock and not then.get(key, 1):
            continue    # shorter than a tick of the guest's clock
        if key not in now:
            bad.append("%s %d: recorded, but not measured any more" % key)
        elif key not in then:
            print("    new, not recorded: %s %d: %s" % (name, n, number(now[key])))
        elif now[key] > limit(name, then[key], traps, by_clock) and key != TRAP:
            bad.append("%s %d: %s, recorded are %s (%+.1f %%)"
                       % (name, n, number(now[key]), number(then[key]),
                          100 * (now[key] / then[key] - 1)))
        else:
            passed += 1
            if now[key] < then[key] * (1 - GROWTH) and not by_clock:
                print("    better: %s %d: %s, recorded are %s"
                      % (name, n, number(now[key]), number(then[key])))
    for text in bad:
        print("    FAIL  " + text)
    if bad:
        print("If that is as it should be: make bench QUICK=1 RECORD=1, and commit the file.")
    print("%d passed, %d failed, 0 skipped" % (passed, len(bad)))
    return 1 if bad else 0


def write_record(directory, record):
    with open(os.path.join(directory, "about")) as f:
        head = "".join("# " + line for line in f)
    figures = gated(os.path.join(directory, "ours.tsv"))
    with open(record, "w") as f:
        f.write("# SPDX-License-Identifier: GPL-2.0\n"
                "# %s, as make bench QUICK=1 RECORD=1 wrote them down.\n%s"
                % ("Nanoseconds" if "# clock: " in head else "Instructions", head))
        for (name, n), value in sorted(figures.items()):
            f.write("%s\t%d\t%.1f\n" % (name, n, value))
    print("%d figures recorded" % len(figures))


def main():
    if sys.argv[1] == "compare":
        compare(sys.argv[2])
    elif sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], sys.argv[3]))
    else:
        write_record(sys.argv[2], sys.argv[3])


if __name__ == "__main__":
    main()
