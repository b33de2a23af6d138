# SPDX-License-Identifier: GPL-2.0
"""What is kept from one run of the sweep to the next: results of phases, and which phase is next."""
import glob
import hashlib
import os

import outcome

HERE = os.path.dirname(os.path.abspath(__file__))
# What a result depends on, apart from the kernel and its modules.
SOURCES = ("guest", "sweep.c", "sweep/*", "program.h", "uses.[ch]", "workload.c", "workload/*", "module/*", "text.py")


def key(files, words):
    """A name for all that a phase's result depends on."""
    total = hashlib.sha256(repr(words).encode())
    sources = [path for pattern in SOURCES for path in sorted(glob.glob(os.path.join(HERE, pattern)))]
    for path in list(files) + sources:
        with open(path, "rb") as f:
            total.update(hashlib.sha256(f.read()).digest())
    return total.hexdigest()[:16]


class Kept:
    """Results of phases in a directory, as the guest has reported them. @directory: None for none."""

    def __init__(self, directory=None):
        self.directory = directory
        if directory:
            os.makedirs(directory, exist_ok=True)

    def _path(self, number, steps):
        return os.path.join(self.directory, "phase-%d-%x" % (number, steps))

    def save(self, phase, steps):
        if not self.directory:
            return
        path = self._path(phase.number, steps)
        with open(path + ".new", "w") as f:
            f.writelines(phase.said)
        os.replace(path + ".new", path)

    def load(self, number, steps, size):
        """The phase, or None. A result of another number of instructions is of no use."""
        if not self.directory or not os.path.exists(self._path(number, steps)):
            return None
        with open(self._path(number, steps)) as f:
            phases, _, _ = outcome.parse(f)
        good = len(phases) == 1 and (phases[0].number, phases[0].size) == (number, size)
        return phases[0] if good and outcome.is_sound(phases[0]) else None


def begin_at(numbered, path):
    """Phases from the one on that a file names, and then those before it."""
    try:
        with open(path) as f:
            first = int(f.read())
    except (OSError, ValueError):
        first = 1
    return ([n for n in numbered if n[0] >= first] + [n for n in numbered if n[0] < first])


def note_next(path, numbered, done):
    """Writes the first phase that was not done, in their order, to a file. Returns it."""
    left = [number for number, _ in numbered if number not in done]
    following = left[0] if left else numbered[0][0]
    with open(path, "w") as f:
        f.write("%d\n" % following)
    return following
