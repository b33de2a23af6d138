# SPDX-License-Identifier: GPL-2.0
"""What the guest says about a phase, and what becomes of its instructions. Pure."""

HIT, MISSED, IDLE, REFUSED, UNEVEN, CRASHED, DIFFERENT = (
    "hit", "hit and missed", "not reached", "refused", "uneven", "crashed", "different")
OUTCOMES = (HIT, MISSED, IDLE, REFUSED, UNEVEN, DIFFERENT, CRASHED)
BAD = (UNEVEN, DIFFERENT, CRASHED)

# What may be left of the memory that the probes took, in hundredths and in bytes: slabs are not
# returned page by page.
LEFT_SHARE, LEFT_BYTES = 3, 512 * 1024
UNEXPLAINED = "(no reason given)"


class Phase:
    """A phase as the guest has reported it."""

    def __init__(self, number, size):
        self.number, self.size = number, size
        self.said = []              # the lines of its report
        self.refused = {}           # index: (errno, reason)
        self.return_refused = {}
        self.hits = {}              # index: (hits, posts, faults, missed, wrong, mechanism)
        self.returns = {}           # index: (entries, returns, lost)
        self.runs = []              # (step, how, milliseconds)
        self.lines = []             # of the workload, where it differs
        self.windows = []           # (address, bytes before, bytes now) where the text differs
        self.text = (0, 0, 0)       # bytes that differ, the first, those of toggled sites
        self.armed = self.left = self.memory = None
        self.jumps = self.waiting = 0
        self.over = self.done = False


def parse(lines):
    """Phases in a guest's output, and whether it came to its end.

    The last phase may be unfinished, and the last line cut off.
    """
    phases, unprobed, ended = [], [], False
    phase = None
    for line in lines:
        word = line.rstrip("\r\n").split(" ")
        try:
            if word[0] == "phase":
                phase = Phase(int(word[1]), int(word[2]))
                phases.append(phase)
            elif word[0] == "end":
                ended = True
            elif phase is None:
                unprobed.append(line.rstrip("\r\n"))
            else:
                report(phase, word)
        except (IndexError, ValueError):
            continue
        if phase and not phase.over:
            phase.said.append(line)
            phase.over = word[0] == "done"
    return phases, unprobed, ended


def report(phase, word):
    """A line about a phase."""
    key, rest = word[0], word[1:]
    if key == "refused":
        to = phase.return_refused if rest[1] == "return" else phase.refused
        to[int(rest[0])] = (rest[2], " ".join(rest[3:]))
    elif key == "armed":
        phase.armed = tuple(int(n) for n in rest[:3])
    elif key == "jumps":
        phase.jumps, phase.waiting = int(rest[0]), int(rest[1])
    elif key == "run":
        phase.runs.append((rest[0], rest[1], int(rest[2])))
    elif key == "line":
        phase.lines.append(" ".join(rest))
    elif key == "text":
        phase.text = (int(rest[0]), 0, 0)
    elif key == "differs":
        phase.windows.append((int(rest[0], 16), bytes.fromhex(rest[1]), bytes.fromhex(rest[2])))
    elif key == "left":
        phase.left = (int(rest[0]), int(rest[1]))
    elif key == "memory":
        phase.memory = tuple(int(n) for n in rest[:3])
    elif key == "hit":
        phase.hits[int(rest[0])] = tuple(int(n) for n in rest[1:6]) + (rest[6],)
    elif key == "return":
        phase.returns[int(rest[0])] = tuple(int(n) for n in rest[1:4])
    elif key == "done":
        phase.done = int(rest[0]) == phase.number


def is_uneven(hit, post):
    """Did handlers not run as they should? A fault may keep an instruction from being completed.

    An instruction may end an interrupt (irq_exit_rcu() takes it off the preemption count). What has
    been interrupted may be a handler; the post-handler is missed then.
    """
    hits, posts, faults, missed, wrong, _ = hit
    if wrong:
        return True
    return post and not hits - faults - missed <= posts <= hits


def return_is_uneven(counts):
    """A call may be in flight when it ends, and that of a function that never returns for ever."""
    entries, returns, _ = counts
    return returns > entries


def classify(phase, posts):
    """Outcome of each of a phase's instructions. @posts: whether each has a post-handler."""
    result = []
    for i in range(phase.size):
        hit = phase.hits.get(i)
        if i in phase.refused:
            result.append(REFUSED)
        elif (hit and is_uneven(hit, posts[i])) or return_is_uneven(phase.returns.get(i, (0, 0, 0))):
            result.append(UNEVEN)
        elif hit and hit[3]:
            result.append(MISSED)
        else:
            result.append(HIT if hit and hit[0] else IDLE)
    return result


def grew(memory):
    before, armed, after = memory
    return after - before > LEFT_BYTES + (armed - before) * LEFT_SHARE // 100


def judge_text(phase, sites):
    """Bytes of sites that the kernel patches on its own may differ; those not told of may not."""
    bad, first, excused = sites.judge(phase.windows)
    phase.text = (max(bad, phase.text[0] - excused), first, excused)


def checks(phase, outcomes):
    """What is checked of a whole phase: (name, passed, what was seen)."""
    result = [("workload, " + step, how == "same", how) for step, how, _ in phase.runs
              if how != "skipped"]
    refused = sum(o == REFUSED for o in outcomes)
    armed, _, error = phase.armed
    result.append(("registered together", not error and armed == phase.size - refused,
                   "%d of %d, errno %d" % (armed, phase.size - refused, -error)))
    result.append(("text as before", phase.text[0] == 0,
                   "%d bytes differ, first %x; and %d of static keys and calls" % phase.text))
    result.append(("nothing in debugfs", phase.left == (0, 0), "list %d, points %d" % phase.left))
    result.append(("memory as before", not grew(phase.memory), "%d, armed %d, then %d" % phase.memory))
    result.append(("books", UNEVEN not in outcomes, "%d uneven" % outcomes.count(UNEVEN)))
    unexplained = sum(not reason for _, reason in phase.refused.values())
    result.append(("refusals explained", not unexplained, "%d are not" % unexplained))
    return result


def is_sound(phase):
    """Did the phase come to its end, with the workload's output as without probes?"""
    return phase.done and all(how in ("same", "skipped") for _, how, _ in phase.runs)


def smallest(items, fails):
    """Halves a list that fails, as long as one half does. @fails runs a part."""
    while len(items) > 1:
        half = len(items) // 2
        for part in (items[:half], items[half:]):
            if fails(part):
                items = part
                break
        else:
            break
    return items
