#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: table.py compare DIR ARCH   base against ours: prints a table, writes TSV and SVG
       table.py check DIR RECORD   ours against what was recorded
       table.py record DIR RECORD  writes down ours

DIR/base.tsv and DIR/ours.tsv are what measure.py wrote: figure, size, value, several times
where there were several runs. Their median counts. DIR/about says what they depend on, one
"name: value" a line.
"""
import os
import re
import statistics
import subprocess
import sys

# What the gate lets a figure grow by, where the compiler is the recorded one. Instructions of a hit
# repeat to the digit. Registering and knobs have ticks in them, and as many more as the build has it.
GROWTH = 0.03
GROWTH_OF_MANY = 0.5
# The same for what another compiler makes of a hit, in bare traps of the same run.
GROWTH_IN_TRAPS = 0.15
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
        self.runs = {}
        try:
            with open(path) as f:
                for line in f:
                    name, n, value = line.split("\t")
                    self.runs.setdefault(name, {}).setdefault(int(n), []).append(float(value))
        except FileNotFoundError:
            pass

    def sizes(self, name):
        return sorted(self.runs.get(name, {}))

    def measured(self, name, n):
        values = self.runs.get(name, {}).get(n)
        return statistics.median(values) if values else None

    def at(self, name, n):
        """(value, whether it was extrapolated); (None, False) if there is no value."""
        value = self.measured(name, n)
        if value is not None:
            return value, False
        sizes = self.sizes(name)
        if len(sizes) < 2 or n < sizes[-1]:
            return None, False
        return line_through([(s, self.measured(name, s)) for s in sizes])(n), True


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


# Aims on other architectures than x86_64, where the base costs less: no more than that.
ELSEWHERE = {"hit.break": "<= 100 %", "reg.entry.batch": "<= 100 %",
             "unreg.entry.batch": "<= 100 %", "unreg.entry.batch.settled": "<= 100 %"}


class Row:
    """
    One line of the table: a figure at a size, divided by what it is given for, and the aim:
    "<= 230" or ">= 0.9" (absolute) or "<= 2 %" (of the base).
    """
    relative = False

    def __init__(self, label, name, n=1, each=True, aim=""):
        self.label, self.name, self.n, self.each, self.aim = label, name, n, each, aim

    def value(self, side):
        value, extrapolated = side.at(self.name, self.n)
        if value is not None and self.each:
            value /= self.n
        return value, extrapolated

    def aim_on(self, arch):
        """What is to be reached of a figure of its own is an aim on x86_64 alone."""
        if arch == "x86_64" or self.relative:
            return self.aim
        return ELSEWHERE.get(self.name, "")

    def met(self, base, ours, arch="x86_64"):
        """None where nothing can be said."""
        aim = re.match(r"([<>])= ([\d.,]+)( %)?$", self.aim_on(arch))
        if not aim or ours is None:
            return None
        limit = float(aim.group(2).replace(",", ""))
        if aim.group(3):
            if base is None:
                return None
            limit *= base / 100
        return ours >= limit if aim.group(1) == ">" else ours <= limit


class Difference(Row):
    """The difference of two figures, or of two sizes of one, given as (name, size)."""
    def __init__(self, label, upper, lower, each=1, aim=""):
        super().__init__(label, upper[0], upper[1], aim=aim)
        self.upper, self.lower, self.parts = upper, lower, each

    def value(self, side):
        (a, x), (b, y) = side.at(*self.upper), side.at(*self.lower)
        if a is None or b is None:
            return None, False
        return (a - b) / self.parts, x or y


class Quotient(Difference):
    relative = True

    def value(self, side):
        (a, x), (b, y) = side.at(*self.upper), side.at(*self.lower)
        if a is None or not b:
            return None, False
        return a / b, x or y


class Gain(Row):
    """The speed-up of a figure by a second CPU, relative to that of calls without probes."""
    relative = True

    def value(self, side):
        values = [side.at(name, cpus)[0] for name in (self.name, "throughput.bare")
                  for cpus in (2, 1)]
        if not all(values):
            return None, False
        return values[0] / values[1] / (values[2] / values[3]), False


def growth(label, name):
    """The cost of a hit with 100,000 points, divided by that with one."""
    return Quotient(label, (name, 100000), (name, 1), aim="<= 1.02")


WHAT = {"entry": "function entries", "insn": "instructions"}
HOW = {"single": "one by one, {:,}", "batch": "batch of {:,}"}


def registrations(what, how, n, aim="", unaim=""):
    name, text = "%s.%s" % (what, how), HOW[how].format(n)
    return [Row("register %s, %s" % (WHAT[what], text), "reg." + name, n, aim=aim),
            Row("  unregister", "unreg." + name, n, aim=unaim),
            Row("  unregister, with what is left for later", "unreg.%s.settled" % name, n,
                aim=unaim)]


def waits(what, n):
    text = {"irq": "for interrupts", "sched": "for the CPU", "text": "to flip a static key",
            "probe": "to register a probe"}
    aims = {"irq": "<= 40,000", "sched": "<= 500,000"}
    return [Row("%s %s, %s" % (do, WHAT[what], text[who]), "wait.%s.%s.%s" % (what, did, who), n,
                each=False, aim=aims.get(who, ""))
            for do, did in (("register", "reg"), ("unregister", "unreg"))
            for who in ("irq", "sched", "text", "probe")]


MANY, ALL = 50000, 100000
SECTIONS = [
    ("A hit: instructions above the bare call", [
        Row("a bare trap: a fault with a fixup", "trap.bare"),
        Row("breakpoint", "hit.break", aim="<= 210"),
        Row("  with a post-handler", "hit.break.post", aim="<= 230"),
        Row("jump-optimized", "hit.jump", aim="<= 66"),
        Row("  two probes on the point", "hit.jump.two", aim="<= 76"),
        Row("  with a post-handler", "hit.jump.post", aim="<= 84"),
        Row("return probe, optimized entry", "return.jump", aim="<= 160"),
        Row("return probe, breakpoint entry", "return.break", aim="<= 300"),
        Row("function entry, ftrace compiled in", "hit.entry", aim="<= 66"),
        Row("return probe on such a function", "return.entry", aim="<= 160"),
        Quotient("jump-optimized : breakpoint", ("hit.jump", 1), ("hit.break", 1), aim="<= 0.4"),
        Quotient("function entry : breakpoint", ("hit.entry", 1), ("hit.break", 1), aim="<= 0.4"),
        growth("breakpoint, 100,000 points : 1 point", "points.break"),
        growth("jump-optimized, 100,000 points : 1 point", "points.jump")]),
    ("Registering: instructions a probe",
        registrations("entry", "single", 1000, "<= 20,000")
        + registrations("entry", "batch", 1000, "<= 20,000", "<= 20,000")
        + registrations("insn", "single", 1000)
        + registrations("insn", "batch", 1000, "<= 20,000")
        + registrations("entry", "single", MANY)
        + registrations("entry", "batch", MANY, "<= 2 %", "<= 1 %")
        + registrations("insn", "batch", ALL)
        # With the deferred work. One by one, much of it is done before the last call.
        + [Quotient("unregister 50,000 entries, one by one : batch",
                    ("unreg.entry.single.settled", MANY),
                    ("unreg.entry.batch.settled", MANY), aim="<= 3")]),
    ("Unregistering on an idle machine: nanoseconds a probe that pass", [
        Row("instructions, one by one, 1,000", "unreg.insn.single.time", 1000, aim="<= 100,000"),
        Row("instructions, batch of 1,000", "unreg.insn.batch.time", 1000),
        Row("function entries, one by one, 1,000", "unreg.entry.single.time", 1000)]),
    ("1,000 kprobe events, one at a time, by a shell: instructions an event", [
        Row("define", "events.define", 1000, aim="<= 50 %"),
        Row("enable", "events.enable", 1000, aim="<= 50 %"),
        Row("disable", "events.disable", 1000),
        Row("remove", "events.remove", 1000, aim="<= 50 %"),
        Row("  nanoseconds that pass", "events.remove.time", 1000)]),
    ("1,000 perf events, one at a time: instructions an event", [
        Row("open, enable", "perf.attach", 1000),
        Row("disable, close", "perf.detach", 1000),
        Row("  nanoseconds that pass", "perf.detach.time", 1000)]),
    ("Tools on 50,000 functions, their own work included: instructions a function", [
        Row("perf probe --add", "tools.perf.define", MANY),
        Row("perf stat on all, from start to end", "tools.perf.use", MANY),
        Row("perf probe --del", "tools.perf.remove", MANY),
        Row("bpftrace, from start to end", "tools.bpftrace", MANY),
        Row("BPF by perf events: open, set, enable", "tools.bpf.attach", MANY),
        Row("  close", "tools.bpf.detach", MANY)]),
    ("A knob is turned, 10,000 points: instructions", [
        row for label, name, aims in (
            ("enabled", "toggle.enabled", {"off": "<= 50 %", "on": "<= 50 %"}),
            ("debug.kprobes-optimization", "toggle.sysctl", {"off": "<= 17,000,000"}))
        for to in ("off", "on")
        for row in (Row("%s: %s" % (label, to), "%s.%s" % (name, to), 10000, each=False,
                        aim=aims.get(to, "")),
                    Row("  with what is left for later", "%s.%s.settled" % (name, to), 10000,
                        each=False, aim=aims.get(to, "")))]),
    ("Until all are optimized: nanoseconds after registering", [
        Row("1 probe", "optimize", 1, each=False),
        Row("1,000 probes", "optimize", 1000, each=False),
        Row("100,000 probes", "optimize", ALL, each=False, aim="<= 500,000,000")]),
    ("Memory: bytes, the user's struct included", [
        Row("probe on a point of its own, 1,000", "memory.point", 1000, aim="<= 600"),
        # Of few points some are in slabs that were left from others.
        Row("  3,000", "memory.point", 3000),
        Row("  100,000", "memory.point", ALL),
        Row("  not armed, 1,000", "memory.point.idle", 1000),
        Difference("  detour", ("memory.point", 1000), ("memory.point.idle", 1000), 1000),
        Row("further probe on a point", "memory.probe", 1000, aim="<= 160"),
        Row("return probe, default maxactive", "memory.return", 500),
        Row("return-probe instance", "memory.instance", 20000)]),
    ("The longest wait of others, batch of 10,000: nanoseconds", [
        Row("kmalloc() of as much memory, for interrupts", "wait.memory.reg.irq", 10000,
            each=False),
        Row("kfree() of it, for interrupts", "wait.memory.unreg.irq", 10000, each=False)]
        + waits("insn", 10000) + waits("entry", 10000)),
    ("Two emulated CPUs, by the clock", [
        Quotient("bare calls, 2 CPUs : 1", ("throughput.bare", 2), ("throughput.bare", 1)),
        Quotient("probe hits, 2 CPUs : 1", ("throughput.pre", 2), ("throughput.pre", 1)),
        Quotient("return-probe hits, 2 CPUs : 1", ("throughput.return", 2),
                 ("throughput.return", 1)),
        Gain("  of what bare calls gain", "throughput.return", 2, aim=">= 0.9"),
        Row("return-probe hits a second, 1 CPU", "throughput.return", 1, each=False),
        Row("return-probe hits a second, 2 CPUs", "throughput.return", 2, each=False)]),
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


LINE = "%-51s %15s %15s %8s  %s"


def table(base, ours, arch):
    lines = [LINE % ("", "base", "ours", "ratio", "aim")]
    for title, rows in SECTIONS:
        if not any(row.value(side)[0] is not None for row in rows for side in (base, ours)):
            continue
        lines += ["", title]
        for row in rows:
            (b, far_b), (o, far_o) = row.value(base), row.value(ours)
            met = row.met(b, o, arch)
            aim = row.aim_on(arch) + ("" if met is None else "  met" if met else "  missed")
            lines.append((LINE % ("  " + row.label, number(b, far_b), number(o, far_o),
                                  ratio(b, o), aim)).rstrip())
    lines += ["", "~: more than could be measured in time; extrapolated by a line through the"
                  " sizes that were."]
    return lines


def write_tsv(path, base, ours, arch):
    with open(path, "w") as f:
        f.write("section\tfigure\tsize\tbase\tours\textrapolated\taim\n")
        for title, rows in SECTIONS:
            for row in rows:
                (b, far_b), (o, far_o) = row.value(base), row.value(ours)
                far = ",".join(s for s, is_far in (("base", far_b), ("ours", far_o)) if is_far)
                f.write("\t".join([title, row.label.strip(), str(row.n),
                                   "" if b is None else "%.6g" % b,
                                   "" if o is None else "%.6g" % o, far, row.aim_on(arch)]) + "\n")


# Plots: a curve is (title, figure, divided by size).
PLOTS = {
    "hits": ("What a hit costs as points pile up", "points", "instructions a hit",
             [("breakpoint", "points.break", False), ("jump-optimized", "points.jump", False)],
             "set yrange [0:*]"),
    "register": ("Registering function entries", "probes in all", "instructions a probe",
                 [("one by one", "reg.entry.single", True), ("batch", "reg.entry.batch", True)],
                 "set logscale y"),
    "optimize": ("From the end of registering until all points are jumps", "probes in all",
                 "nanoseconds of guest time", [("batch", "optimize", False)],
                 "set logscale y"),
}


def plot_script(path, plot, sides):
    """What gnuplot is to do: measured points and lines, extrapolated lines dotted."""
    title, xlabel, ylabel, curves, extra = plot
    data, plots = [], []
    for colour, (side_name, side) in zip(("#c04030", "#2060a0"), sides):
        for dash, (curve, name, each) in enumerate(curves, 1):
            points = [(n, side.measured(name, n) / (n if each else 1)) for n in side.sizes(name)]
            if not points:
                continue
            block = "$d%d" % len(data)
            data.append("%s << EOD\n%sEOD\n" % (block, "".join("%g %g\n" % p for p in points)))
            plots.append('%s using 1:2 with linespoints lc rgb "%s" dt %d pt 7 ps 0.5 title "%s, %s"'
                         % (block, colour, dash, side_name, curve))
    if not plots:
        return None
    return ('set terminal svg size 720,420 font "sans,13" background "white"\n'
            'set output "%s"\nset title "%s"\nset xlabel "%s"\nset ylabel "%s"\n'
            'set logscale x\nset format x "%%.0s%%c"\nset format y "%%.0s%%c"\n'
            "set grid\nset key outside bottom horizontal\n%s\n%splot %s\n"
            % (path, title, xlabel, ylabel, extra, "".join(data), ", ".join(plots)))


def compare(directory, arch):
    base, ours = (Side(os.path.join(directory, s + ".tsv")) for s in ("base", "ours"))
    lines = table(base, ours, arch)
    print("\n".join(lines))
    with open(os.path.join(directory, "table.txt"), "w") as f:
        f.write("\n".join(lines) + "\n")
    write_tsv(os.path.join(directory, "table.tsv"), base, ours, arch)
    for name, plot in PLOTS.items():
        script = plot_script(os.path.join(directory, name + ".svg"), plot,
                             (("base", base), ("this project", ours)))
        if script:
            subprocess.run(["gnuplot"], input=script, text=True, check=True)


def about(path):
    with open(path) as f:
        return dict(line.rstrip("\n").lstrip("# ").split(": ", 1) for line in f if ": " in line)


def gated(side):
    return {(name, n): side.measured(name, n) for name in side.runs for n in side.sizes(name)
            if GATED.match(name)}


def read_record(path):
    figures = {}
    with open(path) as f:
        for line in f:
            if not line.startswith("#"):
                name, n, value = line.split("\t")
                figures[name, int(n)] = float(value)
    return figures


def limit(name, recorded, traps=None):
    """The largest value that passes. @traps: how much more a bare trap takes than when recorded."""
    if not EXACT.match(name):
        return recorded * (1 + GROWTH_OF_MANY) + TICKS
    if traps is None:
        return recorded * (1 + GROWTH)
    return recorded * traps * (1 + GROWTH_IN_TRAPS)


def check(directory, record):
    now, then = gated(Side(os.path.join(directory, "ours.tsv"))), read_record(record)
    here, there = about(os.path.join(directory, "about")), about(record)
    traps = None
    for key in ("compiler", "base"):
        if here[key] != there.get(key):
            print("    recorded with %s %s, here is %s: hits are compared in bare traps"
                  % (key, there.get(key), here[key]))
            traps = now[TRAP] / then[TRAP]
    passed, bad = 0, []
    for key in sorted(set(then) | set(now)):
        name, n = key
        if key not in now:
            bad.append("%s %d: recorded, but not measured any more" % key)
        elif key not in then:
            print("    new, not recorded: %s %d: %s" % (name, n, number(now[key])))
        elif now[key] > limit(name, then[key], traps) and key != TRAP:
            bad.append("%s %d: %s instructions, recorded are %s (%+.1f %%)"
                       % (name, n, number(now[key]), number(then[key]),
                          100 * (now[key] / then[key] - 1)))
        else:
            passed += 1
            if now[key] < then[key] * (1 - GROWTH):
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
    figures = gated(Side(os.path.join(directory, "ours.tsv")))
    with open(record, "w") as f:
        f.write("# SPDX-License-Identifier: GPL-2.0\n"
                "# Instructions, as make bench QUICK=1 RECORD=1 wrote them down.\n" + head)
        for (name, n), value in sorted(figures.items()):
            f.write("%s\t%d\t%.1f\n" % (name, n, value))
    print("%d figures recorded" % len(figures))


def main():
    if sys.argv[1] == "compare":
        compare(sys.argv[2], sys.argv[3])
    elif sys.argv[1] == "check":
        sys.exit(check(sys.argv[2], sys.argv[3]))
    else:
        write_record(sys.argv[2], sys.argv[3])


if __name__ == "__main__":
    main()
