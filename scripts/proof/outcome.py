# SPDX-License-Identifier: GPL-2.0
"""What the guest says about a phase, and what becomes of its instructions. Pure."""
import collections
import re

HIT, MISSED, IDLE, REFUSED, UNEVEN, CRASHED, DIFFERENT = (
    "hit", "hit and missed", "not reached", "refused", "uneven", "crashed", "different")
OUTCOMES = (HIT, MISSED, IDLE, REFUSED, UNEVEN, DIFFERENT, CRASHED)
BAD = (UNEVEN, DIFFERENT, CRASHED)

# What may be left of the memory that the probes took, in hundredths and in bytes: others allocate some
# for the first time. One object of 32 bytes for each probe of a phase would be more. Points, detours and
# pages are counted.
LEFT_SHARE, LEFT_BYTES = 1, 384 * 1024
# Pages of slots that are allocated at once at most, and sizes of slots, of each of which a page is kept.
CHUNK, SIZES = 128, 100
# Hits that have been counted when their return probe's entry has not, or the other way: one a CPU.
CPUS = 2
UNEXPLAINED = "(no reason given)"


class Phase:
    """A phase as the guest has reported it."""

    def __init__(self, number, size):
        self.number, self.size = number, size
        self.said = []              # the lines of its report
        self.refused = {}           # index: (errno, reason)
        self.return_refused = {}
        # index: (hits, posts, faults, missed, wrong, mechanism, early, late, leaving)
        self.hits = {}
        self.returns = {}           # index: (entries, returns, lost)
        self.outside = {}           # index: hits of its function's entry while it was not armed
        self.inside = {}            # function: how many tasks had called it at the end
        self.tasks = 0
        self.runs = []              # (step, how, milliseconds)
        self.lines = []             # of the workload, where it differs
        self.windows = []           # (address, bytes before, bytes now) where the text differs
        self.text = (0, 0, 0)       # bytes that differ, the first, those of toggled sites
        self.idle = []              # addresses of points that are not freed
        self.stray = 0              # of these, those that nothing explains
        self.unexplained = []       # (index, reason) of refusals that nothing explains
        self.quarantine = False     # is freed memory kept for a while?
        self.preemptible = False    # may a task be preempted between the handlers of a hit?
        self.armed = self.left = self.memory = None
        self.named = {}             # points, detours: (before, armed, after); pages: (before, after)
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
        phase.left = tuple(int(n) for n in rest[:3])
    elif key == "idle":
        phase.idle.append(int(rest[0], 16))
    elif key == "quarantine":
        phase.quarantine = True
    elif key == "preemptible":
        phase.preemptible = True
    elif key == "tasks":
        phase.tasks = int(rest[0])
    elif key == "inside":
        phase.inside[rest[1]] = int(rest[0])
    elif key in ("points", "detours", "pages"):
        phase.named[key] = tuple(int(n) for n in rest[:3])
    elif key == "memory":
        phase.memory = tuple(int(n) for n in rest[:3])
    elif key == "hit":
        phase.hits[int(rest[0])] = (tuple(int(n) for n in rest[1:6]) + (rest[6],) +
                                    tuple(int(n) for n in rest[7:10]))
    elif key == "return":
        phase.returns[int(rest[0])] = tuple(int(n) for n in rest[1:4])
        phase.outside[int(rest[0])] = int(rest[4])
    elif key == "done":
        phase.done = int(rest[0]) == phase.number


# What the books of an instruction depend on. @post: it has a post-handler. @context: it changes the
# context that the CPU is in. @function: its name, if this is its entry. @waits: functions on a stack
# that a call of it may be seen as; None if that can be any.
Fact = collections.namedtuple("Fact", "post context function waits",
                              defaults=(False, False, "", frozenset()))

# Calls of these end with their task, or with their CPU: there is no return.
ENDLESS = re.compile(r"""(__x64_|__ia32_|__do_)?sys_exit(_group)?$|do_exit$|do_group_exit$
    |do_task_dead$|__schedule$|__switch_to_asm$|make_task_dead$
    |rewind_stack_and_make_dead$|x64_sys_call$|do_syscall_64$
    |get_signal$|arch_do_signal_or_restart$|(irqentry|syscall)_exit_to_user_mode
    |exit_to_user_mode_loop$|kthread$|kthread_exit$|kthread_complete_and_exit$|ret_from_fork
    |cpu_startup_entry$|do_idle$|start_secondary$|play_dead|.*_play_dead$|arch_cpu_idle_dead$
    |cpuhp_report_idle_dead$""", re.VERBOSE)


def is_uneven(phase, hit, fact):
    """Did handlers not run as they should? A fault may keep an instruction from being completed.

    A post-handler is missed where what was interrupted may be a handler: only after an instruction
    that ends an interrupt, as one in irq_exit_rcu() that takes it off the preemption count. A
    post-handler of any other instruction runs in the context that its pre-handler ran in.

    A probe that is unregistered between the two gets no post-handler. That happens to at most one
    hit on each CPU, and to one of each task that may be preempted there. Those hits come after the
    last look at their number, because tasks in copies are waited for between that look and the end.
    """
    hits, posts, faults, missed, wrong = hit[:5]
    leaving = min(hit[8], CPUS + (phase.tasks if phase.preemptible else 0))
    if wrong:
        return True
    lost = leaving + faults + (missed if fact.context else 0)
    return fact.post and not hits - lost <= posts <= hits


def in_flight(phase, fact):
    """How many calls of a function may have been entered and not have returned at the end. A task that
    runs shows no stack."""
    if any(ENDLESS.match(name) for name in (fact.waits or {fact.function})):
        return 1 << 32
    if fact.waits is None:
        return phase.tasks + CPUS
    return sum(phase.inside.get(name, 0) for name in fact.waits) + CPUS


def return_is_uneven(phase, i, fact):
    """A return probe is entered with each hit of the probe on its function's entry while both are
    armed, and each call returns, but for those that have not come to that."""
    entries, returns, lost = phase.returns[i]
    hits = phase.hits[i][0] if i in phase.hits else 0
    if not hits - phase.outside[i] - lost - CPUS <= entries <= hits:
        return True
    return not 0 <= entries - returns <= in_flight(phase, fact) + lost


def classify(phase, facts):
    """Outcome of each of a phase's instructions. @facts: a Fact of each."""
    result = []
    for i, fact in enumerate(facts):
        hit = phase.hits.get(i)
        if i in phase.refused:
            result.append(REFUSED)
        elif (hit and is_uneven(phase, hit, fact)) or (
                i in phase.returns and return_is_uneven(phase, i, fact)):
            result.append(UNEVEN)
        elif hit and hit[3]:
            result.append(MISSED)
        else:
            result.append(HIT if hit and hit[0] else IDLE)
    return result


def is_left(phase):
    """Are there points, detours or pages of theirs that no idle point accounts for, or an idle one
    that nothing explains? Nobody else has probes. A page may have a chunk of others with it."""
    idle = phase.left[2]
    if phase.stray or idle != len(phase.idle):
        return True
    if phase.quarantine:
        return False
    for name, allowed in (("points", idle), ("detours", idle), ("pages", SIZES + idle * CHUNK)):
        counts = phase.named.get(name)
        if not counts or not 0 <= counts[-1] <= allowed:
            return True
    return False


def grew(memory):
    before, armed, after = memory
    return after - before > LEFT_BYTES + (armed - before) * LEFT_SHARE // 100


def judge_text(phase, sites):
    """Bytes of sites that the kernel patches on its own may differ; those not told of may not."""
    bad, first, excused = sites.judge(phase.windows)
    phase.text = (max(bad, phase.text[0] - excused), first, excused)


def judge_idle(phase, explained):
    """Points may stay at instructions of which somebody may sleep in the copy."""
    phase.stray = len(set(phase.idle) - explained)


def judge_refusals(phase, explains):
    """@explains(index, reason): does the text itself show that the reason holds?"""
    phase.unexplained = [(i, reason) for refused in (phase.refused, phase.return_refused)
                         for i, (_, reason) in refused.items() if not explains(i, reason)]


def checks(phase, outcomes, facts):
    """What is checked of a whole phase: (name, passed, what was seen)."""
    result = [("workload, " + step, how == "same", how) for step, how, _ in phase.runs
              if how != "skipped"]
    refused = sum(o == REFUSED for o in outcomes)
    armed, returning, error = phase.armed
    functions = sum(bool(fact.function) for fact in facts) - len(phase.return_refused)
    result.append(("registered together", not error and armed == phase.size - refused and
                   returning == functions,
                   "%d of %d, and %d of %d return probes, errno %d" % (
                       armed, phase.size - refused, returning, functions, -error)))
    result.append(("text as before", phase.text[0] == 0,
                   "%d bytes differ, first %x; and %d of static keys and calls" % phase.text))
    result.append(("nothing in debugfs", phase.left[:2] == (0, 0), "list %d, points %d" % phase.left[:2]))
    result.append(("points, detours and pages freed", not is_left(phase),
                   ", ".join("%s %s" % (name, "-".join(str(n) for n in counts))
                             for name, counts in phase.named.items()) +
                   ", %d idle, %d of them for no reason" % (phase.left[2], phase.stray)))
    if not phase.quarantine:
        result.append(("memory as before", not grew(phase.memory),
                       "%d, armed %d, then %d" % phase.memory))
    result.append(("books", UNEVEN not in outcomes, "%d uneven" % outcomes.count(UNEVEN)))
    result.append(("refusals explained", not phase.unexplained,
                   "%d are not" % len(phase.unexplained)))
    return result


def is_sound(phase):
    """Did the phase come to its end, with the workload's output as without probes?"""
    return phase.done and all(how in ("same", "skipped") for _, how, _ in phase.runs)


def is_clean(phase):
    """Is, in addition, nothing left? Judge its text and its idle points before."""
    return is_sound(phase) and not phase.text[0] and not is_left(phase)


def what_differs(phase):
    """Why a phase that came to its end is not clean, in words."""
    runs = ["%s %s" % r[:2] for r in phase.runs if r[1] not in ("same", "skipped")]
    if runs:
        return runs[0] + "; " + "; ".join(phase.lines[:2])
    if phase.text[0]:
        return "%d bytes of the text, the first at %#x" % phase.text[:2]
    return "points, detours or pages are left"


def skipped(phase):
    """Runs in a tracer that the kernel has not got."""
    return sum(how == "skipped" for _, how, _ in phase.runs)


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
