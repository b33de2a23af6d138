#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: marks.py RULES FILE...

Lists the functions of FILEs that are marked with __kprobes or NOKPROBE_SYMBOL() though no hit executes
them: whoever debugs kprobes could probe them. A hit executes the roots of RULES, which are those of
hitpath.py, and each function that the body of one names. Sources are read instead of a kernel, as
compilers differ in what they inline: the callers' copies of a function leave no trace in a kernel. Marks on
functions that are defined elsewhere are the business of hitpath.py alone. Fails with status 1 if it
finds one.
"""
import fnmatch
import re
import sys

import hitpath

COMMENT = re.compile(r"/\*.*?\*/", re.S)
MARK = re.compile(r"^NOKPROBE_SYMBOL\((\w+)\);|^\w[^;={}()]*\b__kprobes\b[^;={}()]*?(\w+)\([^;{}]*\)\n\{", re.M)
FUNCTION = re.compile(r"^\w[^;={}#]*?(\w+)\([^;{}#]*\)\n\{\n(.*?)^\}", re.M | re.S)
MACRO = re.compile(r"^#\s*define (\w+)\(.*?\)((?:[^\n]*\\\n)*[^\n]*)", re.M)
ASSEMBLY = re.compile(r"^SYM_\w+_START(?:_\w+)?\((\w+)\)(.*?)^SYM_\w+_END", re.M | re.S)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    rules = hitpath.read_rules(sys.argv[1])
    roots = [pattern for kind, names, _ in rules if kind == "root" for pattern in names.split("|")]
    ends = {name for kind, name, _ in rules if kind in ("end", "probed")}
    bodies, marks = {}, []
    for name in sys.argv[2:]:
        with open(name) as f:
            text = COMMENT.sub("", f.read())
        # Architectures have functions of the same names: any one's body will do.
        for kind in FUNCTION, MACRO, ASSEMBLY:
            for m in kind.finditer(text):
                bodies.setdefault(m[1], set()).update(re.findall(r"\w+", m[2]))
        defined = {m[1] for m in FUNCTION.finditer(text)}
        marks += [(name, mark) for m in MARK.finditer(text) for mark in [m[1] or m[2]] if mark in defined]
    queue = [name for name in bodies if any(fnmatch.fnmatchcase(name, root) for root in roots)]
    reached = set(queue)
    while queue:
        for name in bodies[queue.pop()] & bodies.keys() - reached - ends:
            reached.add(name)
            queue.append(name)
    cold = ["%s: no hit executes %s()" % mark for mark in marks if mark[1] not in reached]
    print(*cold, sep="\n", end="\n" if cold else "")
    sys.exit(bool(cold))


if __name__ == "__main__":
    main()
