#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: checkpatch.pl --terse --show-types ... | exceptions.py LIST

Drops the findings that match LIST, and checkpatch's totals; prints the others.
"""
import linecache
import re
import sys

FINDING = re.compile(r"^(.*?):(\d+): \w+:(\w+): ")


def main():
    with open(sys.argv[1]) as f:
        excuses = [line.split("\t")[:2] for line in f if not line.startswith("#")]
    for line in sys.stdin:
        m = FINDING.match(line)
        text = linecache.getline(m[1], int(m[2])) if m else ""
        excused = m and any(kind == m[3] and re.search(pattern, text) for kind, pattern in excuses)
        if not excused and not line.startswith("total: "):
            print(line, end="")


if __name__ == "__main__":
    main()
