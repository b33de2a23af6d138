# SPDX-License-Identifier: GPL-2.0
"""The sweep's report: tables, a map of the text, and what failed."""
import collections
import time

import outcome
import text

# In the map a part of the text shows the worst outcome if it is bad, else the most frequent one.
MARKS = {outcome.HIT: "#", outcome.MISSED: "+", outcome.IDLE: ".", outcome.REFUSED: "r",
         outcome.UNEVEN: "U", outcome.DIFFERENT: "D", outcome.CRASHED: "C", None: " "}
CELL, COLUMNS = 1024, 96        # bytes of a mark, marks of a line
MECHANISMS = {"b": "breakpoint", "j": "jump", "f": "ftrace"}
REACHED = (outcome.HIT, outcome.MISSED)


def share(n, of):
    return "%.2f %%" % (100.0 * n / of) if of else "-"


def table(rows, head):
    """Columns, the first one left and the others right."""
    rows = [[str(cell) for cell in row] for row in [head] + rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = ["  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]).rstrip()
             for row in rows]
    return [lines[0], "-" * len(lines[0])] + lines[1:]


def outcomes_table(sweep):
    """Columns: the kernel, each module with all of its sections, and all."""
    names = list(dict.fromkeys(t.name.partition(":")[0] for t in sweep.texts))
    counts = {name: collections.Counter() for name in names}
    sizes = collections.Counter()
    for t in sweep.texts:
        sizes[t.name.partition(":")[0]] += len(t)
    for (o, _), what in sweep.outcomes.items():
        counts[sweep.texts[o].name.partition(":")[0]][what] += 1
    total = sum(counts.values(), collections.Counter())
    rows = [[what] + [counts[name][what] for name in names] + [total[what], share(total[what], total.total())]
            for what in outcome.OUTCOMES]
    rows.append(["swept"] + [counts[name].total() for name in names] + [total.total(), ""])
    rows.append(["instructions"] + [sizes[name] for name in names] + [sizes.total(), ""])
    return rows, ["outcome"] + names + ["all", ""]


def reasons_table(sweep, reasons):
    counts, example = collections.Counter(reasons.values()), {}
    for instruction, reason in reasons.items():
        example.setdefault(reason, sweep.name(instruction))
    rows = [[reason[1], reason[0], n, "  " + example[reason]] for reason, n in counts.most_common()]
    return rows, ["reason", "errno", "number", "  for example"]


def hits_table(sweep):
    """Instructions that were hit, of these those hit before the optimizer was turned on, as breakpoints or
    by ftrace, and those hit after it was done; hits, post-handlers, faults, misses."""
    rows = collections.defaultdict(lambda: [0] * 7)
    for hit, _ in sweep.facts.values():
        if hit:
            row = rows[MECHANISMS[hit.mechanism]]
            for i, n in enumerate((1, bool(hit.early), bool(hit.late)) + hit[:4]):
                row[i] += n
    return ([[name] + row for name, row in sorted(rows.items())],
            ["mechanism at the end", "instructions", "of them before", "and at the end", "hits", "post",
             "faults", "missed"])


def returns_table(sweep):
    found = [(1,) + counts[:3] for _, counts in sweep.facts.values() if counts]
    return [["return probes"] + [sum(column) for column in zip(*found)]] if found else [], \
        ["", "functions", "entries", "returns", "missed"]


def checks_table(sweep):
    counts = {}
    for _, name, passed, _ in sweep.checks:
        counts.setdefault(name, [0, 0])[not passed] += 1
    return [[name] + c for name, c in counts.items()], ["check", "passed", "failed"]


def failed_table(sweep):
    rows = []
    for instruction, what in sorted(sweep.outcomes.items()):
        if what in outcome.BAD:
            hit, returns = sweep.facts.get(instruction, (None, None))
            rows.append([sweep.name(instruction), what, "post" if text.has_post(instruction, sweep.seed) else "",
                         " ".join(str(n) for n in hit or ()), " ".join(str(n) for n in returns or ())])
    return rows[:200], ["instruction", "outcome", "", " ".join(outcome.Hit._fields),
                        " ".join(outcome.Return._fields)]


def map_of(sweep, o):
    """Lines of marks, each with its first symbol."""
    t = sweep.texts[o]
    parts = [collections.Counter() for _ in range(-(-t.size // CELL))]
    for (other, i), what in sweep.outcomes.items():
        if other == o:
            parts[t.offsets[i] // CELL][what] += 1
    marks = ""
    for part in parts:
        bad = [what for what in outcome.BAD if part[what]]
        marks += MARKS[bad[-1] if bad else part.most_common(1)[0][0] if part else None]
    for at in range(0, len(marks), COLUMNS):
        yield "%-*s  %s" % (COLUMNS, marks[at:at + COLUMNS], t.symbol(at * CELL))


def sections(sweep):
    yield ("Outcome of instructions",) + outcomes_table(sweep)
    yield ("Refused probes",) + reasons_table(sweep, sweep.reasons)
    yield ("Refused return probes",) + reasons_table(sweep, sweep.return_reasons)
    yield ("Hits",) + hits_table(sweep)
    yield ("Returns",) + returns_table(sweep)
    yield ("Checks of phases",) + checks_table(sweep)
    yield ("Instructions that failed",) + failed_table(sweep)


def closing(sweep):
    counts = collections.Counter(sweep.outcomes.values())
    reached = sum(counts[what] for what in REACHED)
    failed = sum(not check[2] for check in sweep.checks)
    skipped = sum(how == "skipped" for phase in sweep.phases for _, how, _ in phase.runs)
    return ["Reach: the workload executed %d of %d instructions, %s; of those with a probe, %s" % (
                reached, counts.total(), share(reached, counts.total()),
                share(reached, counts.total() - counts[outcome.REFUSED])),
            "%d crashed, %d uneven, %d different, %d unexplained" % (
                counts[outcome.CRASHED], counts[outcome.UNEVEN], counts[outcome.DIFFERENT],
                len(sweep.unexplained)),
            "%d passed, %d failed, %d skipped" % (len(sweep.checks) - failed, failed, skipped)]


def lines_of(sweep):
    lines = ["Sweep: probes on the kernel's instructions, SEED=%d, %d of %d phases done, %d minutes" % (
        sweep.seed, len(sweep.phases), sweep.planned, (time.time() - sweep.begin) / 60), ""]
    for title, rows, head in sections(sweep):
        if rows:
            lines += [title, ""] + table(rows, head) + [""]
    lines += ["Map of the text, %d bytes a mark: %s" % (CELL, ", ".join(
        "%s %s" % (mark, what) for what, mark in MARKS.items() if what)), ""]
    for o, t in enumerate(sweep.texts):
        lines += [t.name] + list(map_of(sweep, o)) + [""]
    if sweep.notes:
        lines += ["Problems", ""] + sweep.notes + [""]
    lines += ["FAIL  phase %d: %s: %s" % (number, name, seen)
              for number, name, passed, seen in sweep.checks if not passed]
    lines += ["unexplained: %s: %s" % (sweep.name(instruction), reason)
              for instruction, reason in sweep.unexplained[:50]]
    return lines + closing(sweep)


def write(sweep, path):
    """Writes all of it, and prints it without the map. Returns the exit status."""
    lines = lines_of(sweep)
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    cut = next(i for i, line in enumerate(lines) if line.startswith("Map of the text"))
    after = next((i for i, line in enumerate(lines) if line == "Problems"), len(lines) - 3)
    print()
    print("\n".join(lines[:cut] + lines[after:-3]))
    print("    report, with a map of the text: " + path)
    print("\n".join(lines[-3:]))
    return 1 if not sweep.checks or any(not check[2] for check in sweep.checks) else 0
