# SPDX-License-Identifier: GPL-2.0
"""Looks for a CPU that executes an int3 which memory does not have.

With a thread for each CPU, QEMU may keep the translation of an int3 that another CPU has patched
away. A kernel that finds no int3 at the address goes back to it, so the CPU never gets any further.
Where interrupts are off it does not say so either.
"""
import collections
import re
import time

LOOKS, ENOUGH, PAUSE = 200, 3, 0.02     # of the same CPU at the same address; seconds between looks
CPU = re.compile(r"CPU#(\d+)(.*?)(?=CPU#|\Z)", re.DOTALL)
VALUE = re.compile(r": (0x[0-9a-f]+)")


def _value(control, cpu, what, address):
    return int(VALUE.search(control.monitor("x /1x%s 0x%x" % (what, address), cpu)).group(1), 16)


def _at_entry(control, entry):
    """CPUs that have just taken an int3: (number, its address)."""
    for number, registers in CPU.findall(control.monitor("info registers -a")):
        rip, rsp = (int(re.search(name + r"=([0-9a-f]+)", registers).group(1), 16)
                    for name in ("RIP", "RSP"))
        if rip == entry:
            # The exception has pushed the address after the int3 last.
            yield int(number), _value(control, int(number), "g", rsp) - 1


def find(control, entry):
    """Returns (CPU, address, the byte there), or None. @entry: where an int3 leads to."""
    seen = collections.Counter()
    for _ in range(LOOKS):
        control.ask("stop")
        for number, address in _at_entry(control, entry):
            byte = _value(control, number, "b", address)
            # That another CPU has taken it away since may be so once.
            seen[number, address] += byte != 0xcc
            if seen[number, address] == ENOUGH:
                control.ask("cont")
                return number, address, byte
        control.ask("cont")
        time.sleep(PAUSE)
    return None
