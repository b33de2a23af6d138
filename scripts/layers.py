#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: layers.py LAYERS BUILD

Checks that no file of kernel/kprobes uses a file in a layer above its own: in the objects, that it
neither calls its functions nor uses its data; in the sources, that it does not include its header.
A header is in the layer of the file of the same name, so headers do not include each other in a
circle. LAYERS lists the files from top to bottom, one on each line; after the name comes a comment.
Prints each upward reference, and each object and header that has no layer.
"""
import glob
import os
import re
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


def sources(directory):
    """Sources and headers of the core below the directory "kernel"."""
    return sorted(glob.glob(os.path.join(directory, "kprobes", "*.[ch]"))) + \
        [os.path.join(directory, "kprobes.c")]


def included(path):
    """Headers of the core that a file includes, without suffix."""
    with open(path) as f:
        return re.findall(r'^#include "(?:kprobes/)?(\w+)\.h"', f.read(), re.MULTILINE)


def upward_includes(order, headers):
    """(file, header) of each include of a header from a layer above, or from none."""
    found = []
    for path, names in headers.items():
        file, suffix = os.path.splitext(os.path.basename(path))
        above = order[:order.index(file)] if file in order else order
        if suffix == ".h" and file not in order:
            found.append((path, file))
        found += [(path, name) for name in names if name in above or name not in order]
    return found


def main():
    order = layers(sys.argv[1])
    kernel = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernel")
    files = sources(kernel)
    names = {os.path.basename(path)[:-2] for path in files if path.endswith(".c")}
    paths = {file: path for file, path in objects(sys.argv[2]).items() if file in names}
    problems = ["%s has no layer" % file for file in sorted(paths) if file not in order]
    tables = {file: symbols(path) for file, path in paths.items() if file in order}
    problems += ["%s.c calls up to %s.c: %s" % call for call in upward(order, tables)]
    headers = {os.path.basename(path): included(path) for path in files}
    problems += ["%s includes %s.h, which is above or has no layer" % pair
                 for pair in upward_includes(order, headers)]
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
