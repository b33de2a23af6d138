#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: layers.py LAYERS BUILD

Checks from the objects that no file of kernel/kprobes calls, or looks at data of, a file in a
layer above its own. LAYERS lists the files from top to bottom, one a line; what follows the
name is a comment. Prints each upward reference, and each object that has no layer.
"""
import os
import subprocess
import sys


def layers(path):
    with open(path) as f:
        return [line.split()[0] for line in f if line.strip() and not line.startswith("#")]


def objects(build):
    """Path of each object of the core by the name of its file."""
    directory = os.path.join(build, "kernel", "kprobes")
    found = {name[:-2]: os.path.join(directory, name) for name in sorted(os.listdir(directory))
             if name.endswith(".o") and os.path.exists(
                 os.path.join(directory, "." + name + ".cmd"))}
    found["kprobes"] = os.path.join(build, "kernel", "kprobes.o")
    return found


def symbols(path):
    """Names of global symbols that an object defines, and those that it refers to."""
    defined, wanted = set(), set()
    out = subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in out.splitlines():
        kind, name = line.split()[-2:]
        if kind == "U":
            wanted.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, wanted


def upward(order, tables):
    """(from, to, symbol) of each reference to a layer above."""
    owner = {name: file for file, (defined, _) in tables.items() for name in defined}
    found = []
    for file, (_, wanted) in sorted(tables.items()):
        for name in sorted(wanted):
            to = owner.get(name)
            if to and to != file and order.index(to) < order.index(file):
                found.append((file, to, name))
    return found


def main():
    order = layers(sys.argv[1])
    paths = {file: path for file, path in objects(sys.argv[2]).items()
             if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                                            "kernel", "kprobes", file + ".c"))
             or file == "kprobes"}
    problems = ["%s has no layer" % file for file in sorted(paths) if file not in order]
    tables = {file: symbols(path) for file, path in paths.items() if file in order}
    problems += ["%s.c calls up to %s.c: %s" % call for call in upward(order, tables)]
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
