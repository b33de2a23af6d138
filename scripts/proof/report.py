# SPDX-License-Identifier: GPL-2.0
"""The sweep's report: tables, a map of the text, and what failed."""
import collections
import time

import outcome

# In the map a part of the text shows the worst outcome if it is bad, else the most frequent one.
MARKS = {outcome.HIT: "#", outcome.MISSED: "+", outcome.IDLE: ".", outcome.REFUSED: "r",
         outcome.UNEVEN: "U", outcome.DIFFERENT: "D", outcome.CRASHED: "C", None: " "}
CELL, COLUMNS = 1024, 96        # bytes of a mark, marks of a line
REACHED = (outcome.HIT, outcome.MISSED)


def share(n, of):
    return "%.2f %%" % (100.0 * n / of) if of else "-"


def table(head, rows):
    """Columns, the first one left and the others right. Without rows, nothing."""
    cells = [[str(cell) for cell in row] for row in [head] + list(rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = ["  ".join([row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]).rstrip()
             for row in cells]
    return ["", lines[0], "-" * len(lines[0])] + lines[1:] if len(cells) > 1 else []


def outcomes_table(sweep):
    counts = collections.Counter(sweep.outcomes.values())
    rows = [[what, counts[what], share(counts[what], counts.total())] for what in outcome.OUTCOMES]
    return table(["outcome", "instructions", ""], rows + [["all", counts.total(), "of %d" % len(sweep.text)]])


def reasons_table(sweep, kind, reasons):
    counts, example = collections.Counter(reasons.values()), {}
    for instruction, reason in reasons.items():
        example.setdefault(reason, sweep.text.name(instruction))
    return table(["refused " + kind, "errno", "number", "  for example"],
                 [[reason[1], reason[0], n, "  " + example[reason]] for reason, n in counts.most_common()])


def counts_table(sweep):
    """Sums of what was counted of instructions, and of functions that return."""
    hits, returns = ([counts[i] for counts in sweep.facts.values() if counts[i]] for i in (0, 1))
    return table(["probes hit", "hits", "post", "faults", "missed"],
                 [[len(hits)] + [sum(column) for column in list(zip(*hits))[:4]]] if hits else []) + \
        table(["return probes hit", "entries", "returns", "missed"],
              [[len(returns)] + [sum(column) for column in list(zip(*returns))[:3]]] if returns else [])


def checks_table(sweep):
    counts = {}
    for _, name, passed, _ in sweep.checks:
        counts.setdefault(name, [0, 0])[not passed] += 1
    return table(["check", "passed", "failed"], ([name] + c for name, c in counts.items()))


def failed_table(sweep):
    rows = []
    for instruction, what in sorted(sweep.outcomes.items()):
        if what in outcome.BAD:
            hit, returns = sweep.facts.get(instruction, (None, None))
            rows.append([sweep.text.name(instruction), what, " ".join(map(str, hit or ())),
                         " ".join(map(str, returns or ()))])
    return table(["instruction that failed", "outcome", " ".join(outcome.Hit._fields),
                  " ".join(outcome.Return._fields)], rows[:200])


def map_of(sweep):
    """Lines of marks, each with its first symbol."""
    text = sweep.text
    parts = [collections.Counter() for _ in range(-(-len(text.bytes) // CELL))]
    for i, what in sweep.outcomes.items():
        parts[text.offsets[i] // CELL][what] += 1
    marks = ""
    for part in parts:
        bad = [what for what in outcome.BAD if part[what]]
        marks += MARKS[bad[-1] if bad else part.most_common(1)[0][0] if part else None]
    for at in range(0, len(marks), COLUMNS):
        yield "%-*s  %s" % (COLUMNS, marks[at:at + COLUMNS], text.symbol(at * CELL))


def closing(sweep):
    """Phases that crash or differ are counted, and not only the instructions that were found in them."""
    counts = collections.Counter(sweep.outcomes.values())
    reached = sum(counts[what] for what in REACHED)
    failed = collections.Counter(name for _, name, passed, _ in sweep.checks if not passed)
    skipped = len(sweep.without) + sum(how == "skipped" for phase in sweep.phases for _, how, _ in phase.runs)
    return ["Reach: the workload executed %d of %d instructions, %s; of those with a probe, %s" % (
                reached, counts.total(), share(reached, counts.total()),
                share(reached, counts.total() - counts[outcome.REFUSED])),
            "%d crashed, %d uneven, %d different, %d unexplained" % (
                failed["not " + outcome.CRASHED] + failed["begun"], counts[outcome.UNEVEN],
                failed["not " + outcome.DIFFERENT], len(sweep.unexplained)),
            "%d passed, %d failed, %d skipped" % (
                len(sweep.checks) - failed.total(), failed.total(), skipped)]


def write(sweep, path):
    """Prints the report, and writes it with a map. Returns the exit status."""
    lines = ["", "Sweep: probes on the kernel's instructions, SEED=%d, %d of %d phases done, %d minutes" % (
        sweep.seed, len(sweep.phases), sweep.planned, (time.time() - sweep.begin) / 60)]
    lines += outcomes_table(sweep) + reasons_table(sweep, "probes", sweep.reasons)
    lines += reasons_table(sweep, "return probes", sweep.return_reasons)
    lines += counts_table(sweep) + checks_table(sweep) + failed_table(sweep) + [""] + sweep.without + sweep.notes
    lines += ["FAIL  phase %d: %s: %s" % (number, name, seen)
              for number, name, passed, seen in sweep.checks if not passed]
    lines += ["unexplained: %s: %s" % (sweep.text.name(instruction), reason)
              for instruction, reason in sweep.unexplained[:50]]
    with open(path, "w") as f:
        f.write("\n".join(lines + ["", "Map of the text, %d bytes a mark: %s" % (CELL, ", ".join(
            "%s %s" % (mark, what) for what, mark in MARKS.items() if what)), "", *map_of(sweep), "",
                                     *closing(sweep)]) + "\n")
    print("\n".join(lines + ["    report, with a map of the text: " + path] + closing(sweep)))
    return 1 if not sweep.checks or any(not check[2] for check in sweep.checks) else 0
