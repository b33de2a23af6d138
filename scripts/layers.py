#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: layers.py LAYERS BUILD

Checks that no file of kernel/kprobes uses a file in a layer above its own: in the objects, that it
neither calls its functions nor uses its data; in the sources, that it does not include its header.
A header is in the layer of the file of the same name, so headers do not include each other in a
circle. LAYERS lists the files from top to bottom, one on each line; after the name comes a comment.
No file of the core and no public header may ask for which architecture it is compiled. Prints each upward
reference, each object and header that has no layer, and each such question.
"""
import glob
import os
import re
import subprocess
import sys

INCLUDE = re.compile(r'^#include "(?:kprobes/)?(\w+)\.h"', re.MULTILINE)

# nm's line of a symbol; sparc64's of a register has no name.
SYMBOL = re.compile(r" (\w) (\S+)$", re.MULTILINE)

ARCHITECTURE = re.compile(r"\bCONFIG_(?:ARM|LOONGARCH|MIPS|PARISC|PPC|RISCV|S390|SPARC|X86)(?:_?(?:32|64))?\b")


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


def files(directory, suffix):
    """The core's files of a kind below the directory "kernel"."""
    return sorted(glob.glob(os.path.join(directory, "kprobes", suffix)) +
                  glob.glob(os.path.join(directory, "kprobes" + suffix[1:])))


def calls(objects):
    """(file, other file, symbol) for each global symbol of another object that an object refers to."""
    owner, wanted = {}, []
    for path in objects:
        nm = subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True, check=True).stdout
        for kind, symbol in SYMBOL.findall(nm):
            if kind == "U":
                wanted.append((name_of(path), symbol))
            elif kind.isupper():
                owner[symbol] = name_of(path)
    return [(name, owner[symbol], symbol) for name, symbol in wanted if symbol in owner]


def includes(sources):
    """The same for each header of the core that a source includes."""
    for path in sources:
        with open(path) as f:
            for header in INCLUDE.findall(f.read()):
                yield name_of(path), header, os.path.basename(path)


def architectures(sources):
    """Which sources ask for an architecture."""
    for path in sources:
        with open(path) as f:
            for config in sorted(set(ARCHITECTURE.findall(f.read()))):
                yield "%s asks for %s" % (os.path.basename(path), config)


def problems(order, owners, uses):
    """What has no layer of @owners and of those used, and what is used from below."""
    layer = {name: i for i, name in enumerate(order)}
    for name in sorted(set(owners) - set(order)):
        yield "%s has no layer" % name
    for name, other, what in uses:
        if other not in layer or layer[other] < layer.get(name, len(layer)):
            yield "%s uses %s, which is above or has no layer: %s" % (name, other, what)


def main():
    with open(sys.argv[1]) as f:
        order = [line.split()[0] for line in f if line.strip() and not line.startswith("#")]
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    sources = files(os.path.join(top, "kernel"), "*.[ch]")
    names = {name_of(path) for path in sources}
    objects = [path for path in files(os.path.join(sys.argv[2], "kernel"), "*.o") if name_of(path) in names]
    owners = [name_of(path) for path in objects + [s for s in sources if s.endswith(".h")]]
    found = list(problems(order, owners, calls(objects) + list(includes(sources))))
    found += architectures(sources + sorted(glob.glob(os.path.join(top, "include/linux/kprobe*.h"))))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
