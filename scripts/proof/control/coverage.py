#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: coverage.py CONSOLE OBJECTS REPORT

Reads the counts of branches that a guest has shown on its CONSOLE (gcov's, in letters), has gcov evaluate
them with what the compiler has left beside the OBJECTS, and prints for each file of kernel/kprobes how many
functions were called and how many branches were taken. REPORT names the functions that were not called, and
the lines with branches that were not taken.
"""
import base64
import collections
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

DATA = re.compile(r"\bcoverage: (\S+)")


def evaluate(console, objects):
    """What gcov says of each object, as it prints it."""
    with open(console, errors="replace") as f:
        letters = "".join(DATA.findall(f.read()))
    if not letters:
        sys.exit("error: the guest has shown no counts")
    with tempfile.TemporaryDirectory() as directory:
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(letters))) as tar:
            tar.extractall(directory)
        counts = sorted(name for name in os.listdir(directory) if name.endswith(".gcda"))
        for name in counts:
            graph = name[:-len("gcda")] + "gcno"
            os.symlink(os.path.join(os.path.abspath(objects), graph), os.path.join(directory, graph))
        said = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout"] + counts,
                              cwd=directory, stdout=subprocess.PIPE, check=True, text=True)
    return [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]


def gather(said):
    """{file: {function: times}}, {file: {(line, number): (function, times)}} of kernel/kprobes. What is in a
    header is in several objects."""
    functions, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    for unit in said:
        for file in unit["files"]:
            name = file["file"].partition("kernel/kprobes/")[2]
            if not name:
                continue
            for f in file["functions"]:
                functions[name][f["name"]] = max(functions[name].get(f["name"], 0), f["execution_count"])
            for line in file["lines"]:
                for number, branch in enumerate(line["branches"]):
                    key = line["line_number"], number
                    _, times = branches[name].get(key, (None, 0))
                    branches[name][key] = line.get("function_name", ""), max(times, branch["count"])
    return functions, branches


def main():
    console, objects, report = sys.argv[1:]
    functions, branches = gather(evaluate(console, objects))
    total = [0] * 4
    print("\n    %-22s %16s %16s" % ("kernel/kprobes/", "functions called", "branches taken"))
    with open(report, "w") as f:
        for name in sorted(functions):
            called = [times > 0 for times in functions[name].values()]
            taken = [times > 0 for _, times in branches[name].values()]
            row = [sum(called), len(called), sum(taken), len(taken)]
            total = [a + b for a, b in zip(total, row)]
            print("    %-22s %9d of %3d %9d of %3d" % (name, *row))
            for function, times in sorted(functions[name].items()):
                if not times:
                    print("%s: %s() is not called" % (name, function), file=f)
            lines = sorted({(line, function) for (line, _), (function, times) in branches[name].items()
                            if not times and functions[name].get(function)})
            for line, function in lines:
                print("%s:%d: %s(): not each way" % (name, line, function), file=f)
    print("    %-22s %9d of %3d %9d of %3d, %d %%" % ("all", *total, 100 * total[2] // max(1, total[3])))
    print("    what was not executed: " + os.path.relpath(report))


if __name__ == "__main__":
    main()
