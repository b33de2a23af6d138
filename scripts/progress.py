#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""usage: make ... 2>&1 | progress.py LOG

Copies the output of a kernel build to LOG and says every 20 seconds how far it is. The pipe's exit
status is make's (pipefail); after an error its lines and the log's last ones are shown.
"""
import re
import signal
import sys
import time

STEP = re.compile(r"  [A-Z][A-Z0-9_ ]* (\[M\] +)?\S+")
ERROR = re.compile(r"\berror:|\bundefined reference|\*\*\*", re.I)


def main():
    # Ctrl-C ends make. Its last output is shown, and then this ends as well.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    begin = said = time.time()
    done, errors, tail = 0, [], []
    with open(sys.argv[1], "w", errors="replace") as log:
        for text in sys.stdin:
            log.write(text)
            log.flush()
            tail = (tail + [text])[-15:]
            done += STEP.match(text) is not None
            if ERROR.search(text):
                errors.append(text)
            if time.time() - said >= 20:
                said = time.time()
                print("    %d files, %d:%02d" % (done, *divmod(int(said - begin), 60)), flush=True)
    print("    %d files, %d:%02d" % (done, *divmod(int(time.time() - begin), 60)))
    if any("***" in text for text in errors):
        print("".join(errors[:20]) + "    the log ends:\n" + "".join(tail), end="")


if __name__ == "__main__":
    main()
