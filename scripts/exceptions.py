#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: checkpatch.pl --terse --show-types ... | exceptions.py LIST

Drops the findings that match LIST, and checkpatch's totals; prints the others.
"""
import re
import sys

FINDING = re.compile(r"^(.*?):(\d+): \w+:(\w+): ")


def source_line(path, number):
    try:
        with open(path, errors="replace") as f:
            return f.read().split("\n")[number - 1]
    except (OSError, IndexError):
        return ""


def main():
    excuses = []
    with open(sys.argv[1]) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                kind, pattern, _ = line.split("\t", 2)
                excuses.append((kind, re.compile(pattern)))
    for line in sys.stdin:
        m = FINDING.match(line)
        if line.startswith("total: "):
            continue
        if m:
            text = source_line(m.group(1), int(m.group(2)))
            if any(kind == m.group(3) and pattern.search(text) for kind, pattern in excuses):
                continue
        print(line, end="")


if __name__ == "__main__":
    main()
