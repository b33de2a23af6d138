# SPDX-License-Identifier: GPL-2.0
"""The sweep's part of the report: a summary as text, and a page with a map of the text."""
import collections
import gzip
import html
import os
import time

import outcome
import overall
import text
from overall import html_table, table

# From best to worst seen: a part of the map shows the worst outcome if it is bad, else the most
# frequent one.
COLOURS = {
    outcome.HIT: "#2e8b57", outcome.MISSED: "#9acd32", outcome.IDLE: "#c9d3dc",
    outcome.REFUSED: "#e0a030", outcome.UNEVEN: "#a020f0", outcome.DIFFERENT: "#ff00ff",
    outcome.CRASHED: "#e00000", None: "#ffffff",
}
CELL, COLUMNS, SIZE = 512, 128, 7       # bytes in a cell, cells in a row, its edge
MECHANISMS = {"b": "breakpoint", "j": "jump", "f": "ftrace"}


def share(n, of):
    return "%.2f %%" % (100.0 * n / of) if of else "-"


def count_outcomes(sweep):
    counts = [collections.Counter() for _ in sweep.texts]
    for (o, _), what in sweep.outcomes.items():
        counts[o][what] += 1
    return counts


def outcomes_table(sweep):
    counts = count_outcomes(sweep)
    total = sum(counts, collections.Counter())
    rows = [[what] + [c[what] for c in counts] + [total[what], share(total[what], sum(total.values()))]
            for what in outcome.OUTCOMES]
    rows.append(["swept"] + [sum(c.values()) for c in counts] + [sum(total.values()), ""])
    rows.append(["instructions"] + [len(t) for t in sweep.texts] +
                [sum(len(t) for t in sweep.texts), ""])
    return rows, ["outcome"] + [t.name for t in sweep.texts] + ["all", ""]


def reasons_table(sweep, reasons):
    counts, example = collections.Counter(), {}
    for instruction, reason in reasons.items():
        counts[reason] += 1
        example.setdefault(reason, sweep.name(instruction))
    rows = [[why or outcome.UNEXPLAINED, error, n, "  " + example[error, why]]
            for (error, why), n in counts.most_common()]
    return rows, ["reason", "errno", "number", "  for example"]


def hits_table(sweep):
    """Hits by mechanism: instructions that were hit, of these those hit before the optimizer was
    turned on, as breakpoints or by ftrace, and those hit after it was done; hits, post-handlers,
    faults, misses."""
    rows = collections.defaultdict(lambda: [0] * 7)
    for hit, _ in sweep.facts.values():
        if hit:
            row = rows[MECHANISMS.get(hit[5], hit[5])]
            early, late = hit[6:8]
            for i, n in enumerate((1, bool(early), bool(late)) + hit[:4]):
                row[i] += n
    return ([[name] + row for name, row in sorted(rows.items())],
            ["mechanism at the end", "instructions", "of them before", "and at the end", "hits", "post",
             "faults", "missed"])


def returns_table(sweep):
    total = [0] * 4
    for _, counts in sweep.facts.values():
        for i, n in enumerate((1,) + counts if counts else ()):
            total[i] += n
    return [["return probes"] + total], ["", "functions", "entries", "returns", "missed"]


def checks_table(sweep):
    counts = {}
    for _, name, passed, _ in sweep.checks:
        counts.setdefault(name, [0, 0])[not passed] += 1
    return [[name] + c for name, c in counts.items()], ["check", "passed", "failed"]


def uneven_table(sweep):
    rows = []
    for instruction, what in sorted(sweep.outcomes.items()):
        if what in outcome.BAD:
            hit, returns = sweep.facts.get(instruction, (None, None))
            rows.append([sweep.name(instruction), what, hit or "", returns or "",
                         "post" if text.has_post(instruction, sweep.seed) else ""])
    return rows, ["instruction", "outcome",
                  "hits, post, faults, missed, wrong ip, mechanism, early, late, while unregistering",
                  "entries, returns, missed", ""]


def sections(sweep):
    """(title, rows, head) of what both the text and the page show."""
    yield ("Outcome of instructions",) + outcomes_table(sweep)
    yield ("Refused probes",) + reasons_table(sweep, sweep.reasons)
    if sweep.return_reasons:
        yield ("Refused return probes",) + reasons_table(sweep, sweep.return_reasons)
    yield ("Hits",) + hits_table(sweep)
    yield ("Returns",) + returns_table(sweep)
    yield ("Checks of phases",) + checks_table(sweep)
    rows, head = uneven_table(sweep)
    if rows:
        yield "Instructions that failed", rows[:200], head


def summary(sweep):
    failed = sum(not c[2] for c in sweep.checks)
    lines = ["Sweep: probes on the kernel's instructions, SEED=%d, %d of %d phases done, %d of them "
             "in other runs, %d minutes" % (sweep.seed, len(sweep.phases), sweep.planned, sweep.known,
                                            (time.time() - sweep.begin) / 60), ""]
    for title, rows, head in sections(sweep):
        lines += [title, ""] + table(rows, head) + [""]
    if sweep.notes:
        lines += ["Problems", ""] + sweep.notes + [""]
    for number, name, passed, seen in sweep.checks:
        if not passed:
            lines.append("FAIL  phase %d: %s: %s" % (number, name, seen))
    counts = sum(count_outcomes(sweep), collections.Counter())
    for instruction, reason in sweep.unexplained[:50]:
        lines.append("unexplained: %s: %s" % (sweep.name(instruction), reason))
    lines.append("%d crashed, %d uneven, %d different, %d unexplained" % (
        counts[outcome.CRASHED], counts[outcome.UNEVEN], counts[outcome.DIFFERENT],
        len(sweep.unexplained)))
    lines.append("%d passed, %d failed, %d skipped" % (
        len(sweep.checks) - failed, failed, sum(outcome.skipped(phase) for _, phase in sweep.phases)))
    return lines


def cells(sweep, o):
    """Outcome of each part of an object's text; None where nothing was swept."""
    text = sweep.texts[o]
    parts = [collections.Counter() for _ in range(-(-text.size // CELL))]
    for (other, i), what in sweep.outcomes.items():
        if other == o:
            parts[text.offsets[i] // CELL][what] += 1
    result = []
    for part in parts:
        bad = [what for what in outcome.BAD if part[what]]
        result.append(bad[-1] if bad else part.most_common(1)[0][0] if part else None)
    while result and result[-1] is None:
        result.pop()
    return result


def runs(row):
    """Equal neighbours of a row: (first, number, what)."""
    at = 0
    while at < len(row):
        end = at
        while end < len(row) and row[end] == row[at]:
            end += 1
        yield at, end - at, row[at]
        at = end


def draw(sweep, o):
    """The map of an object's text as SVG, a row of it with its first symbol."""
    parts = cells(sweep, o)
    rows = [parts[at:at + COLUMNS] for at in range(0, len(parts), COLUMNS)]
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">' % (
        COLUMNS * SIZE, len(rows) * SIZE)]
    for y, row in enumerate(rows):
        name = html.escape(sweep.texts[o].symbol(y * COLUMNS * CELL))
        out.append("<g><title>%s</title>" % name)
        for x, n, what in runs(row):
            if what is not None:
                out.append('<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>' % (
                    x * SIZE, y * SIZE, n * SIZE, SIZE, COLOURS[what]))
        out.append("</g>")
    return "\n".join(out + ["</svg>"])


def page(sweep):
    lines = summary(sweep)
    out = ["<p>%s</p><p><b>%s; %s</b></p>" % (
        html.escape(lines[0]), html.escape(lines[-2]), html.escape(lines[-1]))]
    out.append("<p class=key>%s</p>" % "".join(
        '<span style="background:%s"></span>%s' % (COLOURS[what], what) for what in outcome.OUTCOMES))
    for o, t in enumerate(sweep.texts):
        out.append("<h3>%s</h3><p>%d bytes of text a square. A row's first symbol is shown under "
                   "the pointer.</p>%s" % (html.escape(t.name), CELL, draw(sweep, o)))
    for title, rows, head in sections(sweep):
        out.append("<h3>%s</h3>%s" % (html.escape(title), html_table(rows, head)))
    rows = [[number, phase.size, phase.jumps] + ["%s %s %.1f s" % (s, h, ms / 1000)
                                                 for s, h, ms in phase.runs]
            for number, phase in sorted(sweep.phases, key=lambda p: p[0])]
    width = max([len(r) for r in rows] or [3])
    rows = [r + [""] * (width - len(r)) for r in rows]
    out.append("<h3>Phases</h3>" + html_table(rows, ["phase", "instructions", "jumps"] +
                                              ["workload"] * (width - 3)))
    if sweep.notes:
        out.append("<h3>Problems</h3><pre>%s</pre>" % html.escape("\n".join(sweep.notes)))
    return "\n".join(out) + "\n"


def write_instructions(sweep, path):
    """Each instruction that was swept: its outcome, and why it was refused or how often it was hit."""
    with gzip.open(path, "wt", compresslevel=3) as f:
        f.write("object\tinstruction\toutcome\thits\treason\n")
        for instruction, what in sorted(sweep.outcomes.items()):
            hit, _ = sweep.facts.get(instruction) or (None, None)
            f.write("%s\t%s\t%s\t%d\t%s\n" % (
                sweep.texts[instruction[0]].name, sweep.name(instruction), what, hit[0] if hit else 0,
                sweep.reasons.get(instruction, ("", ""))[1]))


def write(sweep, directory):
    """Writes both and prints the text. Returns the exit status."""
    lines = summary(sweep)
    write_instructions(sweep, os.path.join(directory, "instructions.tsv.gz"))
    with open(os.path.join(directory, "sweep.txt"), "w") as f:
        f.write("\n".join(lines) + "\n")
    with open(os.path.join(directory, "sweep.html"), "w") as f:
        f.write(page(sweep))
    overall.from_environment(directory)
    print()
    print("\n".join(lines[:-2]))
    print("    report: %s, each instruction: %s" % tuple(
        os.path.relpath(os.path.join(directory, name)) for name in ("report.html", "instructions.tsv.gz")))
    print("\n".join(lines[-2:]))
    return 1 if not sweep.checks or any(not c[2] for c in sweep.checks) else 0
