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
# A line of debugfs's "refused".
REASON = re.compile(r"  (kprobe|kretprobe) +0x([0-9a-f]+)\+0x0 +(-\S+) +(.*\S)")

# Counts of an instruction. @leaving: hits while the probe was being disabled or unregistered.
Hit = collections.namedtuple("Hit", "hits posts faults missed wrong leaving")
# Counts of a function. @outside: hits of its entry while the return probe was not armed.
Return = collections.namedtuple("Return", "entries returns lost outside")
# What the books of an instruction depend on. @post: it has a post-handler. @misses: that may be missed, as
# is_uneven() tells. @function: its name, if this is its entry. @waits: functions on a stack
# that a call of it may be seen as; None if that can be any.
Fact = collections.namedtuple("Fact", "post misses function waits",
                              defaults=(False, False, "", frozenset()))
# What probes use: bytes, and objects of two caches, and pages of slots.
Used = collections.namedtuple("Used", "bytes points detours pages")


class Phase:
    """A phase as the guest has reported it. @moved: how far the kernel runs from where it was linked to."""

    def __init__(self, number, moved=0):
        self.number, self.moved = number, moved
        self.errors = {}            # (index, "probe" or "return"): errno
        self.reasons = {}           # ("kprobe" or "kretprobe", address): (errno's name, reason)
        self.hits, self.returns = {}, {}    # index: Hit, index: Return
        self.inside = {}            # function: how many tasks had called it at the end
        self.runs = []              # (step, how, seconds)
        self.lines = []             # of the workload, where it differs
        self.windows = []           # of each comparison: [(address, bytes before, bytes now)]
        self.idle = []              # addresses of points that are not freed
        self.used = {}              # "before", "armed", "after": Used
        self.numbers = {"jumps": (0,), "done": ()}    # of other lines
        # Judged: (bytes that differ, the first one's address, bytes of toggled sites), idle points that
        # nothing explains, and refusals of that kind.
        self.text, self.stray, self.unexplained = (0, 0, 0), 0, []

    @property
    def done(self):
        return self.numbers["done"] == (self.number,)

    def take(self, line):
        """A line of the report. One that was cut off is no line."""
        reason = REASON.search(line)
        if reason:
            self.reasons[reason[1], int(reason[2], 16) - self.moved] = reason[3], reason[4]
            return
        key, *rest = line.split(" ")
        numbers = tuple(int(word) for word in rest if re.fullmatch(r"-?\d+", word))
        if key == "refused":
            self.errors[numbers[0], rest[1]] = numbers[1]
        elif key == "run":
            self.runs.append((rest[0], rest[1], numbers[-1]))
        elif key == "line":
            self.lines.append(" ".join(rest))
        elif key == "compared":
            self.windows.append([])
        elif key == "differs":
            self.windows[-1].append((int(rest[0], 16) - self.moved, bytes.fromhex(rest[1]), bytes.fromhex(rest[2])))
        elif key == "idle":
            self.idle.append(int(rest[0], 16) - self.moved)
        elif key == "inside":
            self.inside[rest[1]] = numbers[0]
        elif key == "used":
            self.used[rest[0]] = Used(*numbers)
        elif key == "hit":
            self.hits[numbers[0]] = Hit(*numbers[1:])
        elif key == "return":
            self.returns[numbers[0]] = Return(*numbers[1:])
        else:
            self.numbers[key] = numbers


def parse(lines, moved=0):
    """Phases in a guest's report, and the lines before the first. The last phase may be unfinished."""
    phases, unprobed = [], []
    for line in lines:
        word = line.split(" ")
        try:
            if word[0] == "phase":
                phases.append(Phase(int(word[1]), moved))
            elif phases:
                phases[-1].take(line)
            else:
                unprobed.append(line)
        except (IndexError, ValueError, TypeError):
            continue
    return phases, unprobed


# Calls of these end with their task, or with their CPU: there is no return.
ENDLESS = re.compile(r"""(__(x64|ia32|arm64|riscv|s390x|do|se)_)?sys_exit(_group)?$|do_exit$|do_group_exit$
    |do_task_dead$|__schedule$|__switch_to(_asm)?$|make_task_dead$
    |rewind_stack_and_make_dead$|x64_sys_call$|do_syscall_64$|do_int80
    |get_signal$|arch_do_signal_or_restart$|do_signal$|(irqentry|syscall)_exit_to_user_mode
    |exit_to_user_mode_loop$|kthread$|kthread_exit$|kthread_complete_and_exit$|.*ret_from_(fork|kernel)
    |cpu_startup_entry$|do_idle$|start_secondary$|play_dead|.*_play_dead$|arch_cpu_idle_dead$
    |cpuhp_report_idle_dead$
    # arm64
    |el0_\w+$|el0t_64_sync_handler$|do_el0_svc$|(__)?invoke_syscall|do_notify_resume$|secondary_start_kernel$
    # riscv, s390, loongarch, powerpc, mips
    |do_trap_ecall_u$|smp_callin$|__do_syscall$|smp_start_secondary$|do_syscall$|system_call_exception$
    |do_notify_resume_user$|start_secondary_resume$""", re.VERBOSE)


def is_uneven(hit, fact):
    """Did handlers not run as they should? A fault may keep an instruction from being completed.

    A post-handler is missed where what was interrupted may be a handler: only after an instruction
    that ends an interrupt, as one in irq_exit_rcu() that takes it off the preemption count. A
    post-handler of any other instruction runs in the context that its pre-handler ran in. In a function
    that changes what memory C code would see, each is missed.

    A probe that is unregistered or disabled between the two gets no post-handler. That happens to at most
    one hit on each CPU, each time: one that is hit often is disabled twice before.
    """
    if hit.wrong:
        return True
    lost = min(hit.leaving, 3 * CPUS) + hit.faults + (hit.missed if fact.misses else 0)
    return fact.post and not hit.hits - lost <= hit.posts <= hit.hits


def in_flight(phase, fact):
    """How many calls of a function may have been entered and not have returned at the end. A task that
    runs shows no stack."""
    if any(ENDLESS.match(name) for name in (fact.waits or {fact.function})):
        return 1 << 32
    if fact.waits is None:
        return phase.numbers["tasks"][0] + CPUS
    return sum(phase.inside.get(name, 0) for name in fact.waits) + CPUS


def return_is_uneven(phase, i, fact):
    """A return probe is entered with each hit of the probe on its function's entry while both are
    armed, and each call returns, but for those that have not come to that."""
    entries, returns, lost, outside = phase.returns[i]
    hits = phase.hits[i].hits if i in phase.hits else 0
    if not hits - outside - lost - CPUS <= entries <= hits:
        return True
    return not 0 <= entries - returns <= in_flight(phase, fact) + lost


def classify(phase, facts):
    """Outcome of each of a phase's instructions. @facts: a Fact of each."""
    result = []
    for i, fact in enumerate(facts):
        hit = phase.hits.get(i)
        if (i, "probe") in phase.errors:
            result.append(REFUSED)
        elif (hit and is_uneven(hit, fact)) or (
                i in phase.returns and return_is_uneven(phase, i, fact)):
            result.append(UNEVEN)
        elif hit and hit.missed:
            result.append(MISSED)
        else:
            result.append(HIT if hit and hit.hits else IDLE)
    return result


def is_left(phase):
    """Are there points, detours or pages of theirs that no idle point accounts for, or an idle one
    that nothing explains? Nobody else has probes. A page may have a chunk of others with it."""
    idle, after = phase.numbers["left"][2], phase.used["after"]
    return (phase.stray > 0 or idle != len(phase.idle) or after.points > idle or after.detours > idle or
            after.pages > SIZES + idle * CHUNK)


def grew(used):
    before, armed, after = (used[when].bytes for when in ("before", "armed", "after"))
    return after - before > LEFT_BYTES + (armed - before) * LEFT_SHARE // 100


def is_same(phase):
    """Did the workload print what it prints without probes?"""
    return all(how in ("same", "skipped") for _, how, _ in phase.runs)


def is_clean(phase):
    """Did the phase come to its end so, and is nothing left? Judge its text and idle points before."""
    return phase.done and is_same(phase) and not phase.text[0] and not is_left(phase)


def checks(phase, outcomes):
    """What is checked of a whole phase: (name, passed, what was seen)."""
    result = [("workload, " + step, how == "same", how) for step, how, _ in phase.runs
              if how != "skipped"]
    result.append(("probes are hit", any(hit.hits for hit in phase.hits.values()), "no hit"))
    result.append(("text as before", phase.text[0] == 0,
                   "%d bytes differ, first %x; and %d of static keys and calls" % phase.text))
    listed, points, idle = phase.numbers["left"]
    result.append(("nothing in debugfs", (listed, points) == (0, 0), "list %d, points %d" % (listed, points)))
    result.append(("points, detours and pages freed", not is_left(phase),
                   "%s; %d idle, %d of them for no reason" % (phase.used["after"], idle, phase.stray)))
    result.append(("memory as before", not grew(phase.used), "%d, armed %d, then %d" % tuple(
        phase.used[when].bytes for when in ("before", "armed", "after"))))
    result.append(("books", UNEVEN not in outcomes, "%d uneven" % outcomes.count(UNEVEN)))
    result.append(("refusals explained", not phase.unexplained,
                   "%d are not" % len(phase.unexplained)))
    return result


def smallest(items, fails):
    """Halves a list that fails, as long as one half does. @fails runs a part."""
    while len(items) > 1:
        half = len(items) // 2
        part = next((part for part in (items[:half], items[half:]) if fails(part)), None)
        if part is None:
            break
        items = part
    return items
