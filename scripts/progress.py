#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: make ... 2>&1 | progress.py LOG COUNT

Copies the output of a kernel build to LOG and shows how far it is: one line that is
rewritten on a terminal, else a line every 20 seconds. Errors are shown at once.
COUNT is a file with the number of objects of the last full build, for the percentage.
The pipe's exit status is make's (pipefail); after an error the log's last lines are shown.
"""
import re
import signal
import sys
import time

STEP = re.compile(r"^  ([A-Z][A-Z0-9_ ]{0,7}) {1,}(\[M\] +)?(\S+)")
LOUD = re.compile(r"\berror:|\bundefined reference|\bError \d+", re.I)
# Context lines of the compiler that belong to a diagnostic.
DETAIL = re.compile(r"^\s+(\d+ )?\||: note: |In function|included from")


def main():
    # Ctrl-C ends make. Its last output is shown, and then this ends as well.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    log, count = sys.argv[1], sys.argv[2]
    try:
        with open(count) as f:
            total = int(f.read())
    except (OSError, ValueError):
        total = 0
    tty = sys.stdout.isatty()
    begin = said = time.time()
    done, failed, loud, tail = 0, False, False, []

    def line():
        t = int(time.time() - begin)
        of = " of about %d" % total if total > done else ""
        return "    %d%s files, %d:%02d" % (done, of, t // 60, t % 60)

    with open(log, "w", errors="replace") as out:
        for text in sys.stdin:
            out.write(text)
            out.flush()
            tail = (tail + [text])[-15:]
            step = STEP.match(text)
            if step:
                done += 1
                loud = False
            elif LOUD.search(text) and not text.startswith("make"):
                loud = True
            elif not DETAIL.search(text):
                loud = False
            failed = failed or re.search(r"\*\*\*|\bError \d+$", text) is not None
            if loud:
                print(("\r\033[K" if tty else "") + text.rstrip(), flush=True)
            now = time.time()
            if tty and now - said > 0.2:
                print("\r\033[K%s  %s" % (line(), step.group(3)[:40] if step else ""),
                      end="", flush=True)
                said = now
            elif not tty and now - said >= 20:
                print(line(), flush=True)
                said = now
    print(("\r\033[K" if tty else "") + line())
    if failed:
        print("    the log ends:\n" + "".join(tail), end="")
        sys.exit(1)
    if done > total:
        try:
            with open(count, "w") as f:
                f.write("%d\n" % done)
        except OSError:
            pass


if __name__ == "__main__":
    main()
