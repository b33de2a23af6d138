#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Checks litmus tests against the kernel's memory model, where herd7 is not packaged.

usage: litmus.py TREE FILE...

Enumerates the candidate executions of each test, and judges them by what the tree itself says:
tools/memory-model/linux-kernel.def, .bell and .cat (Alglave and others, "Frightening Small Children
and Disconcerting Grown-ups", ASPLOS 2018). A test fails if its outcome is not what "Result:" in its
comment says, or if the model flags what no "Flag:" there announces, as a data race. Locks and SRCU,
which lock.cat models, loops and structures are not supported, nor are operators but == and !=: such
a test is an error. Control dependencies end with the arms of an "if", so that no order is claimed
that only herd7 would see.
"""
import itertools
import operator
import os
import re
import sys

from litmus_cat import Cat, empty, identity

TYPES = {"int", "intptr_t", "long", "unsigned", "volatile", "atomic_t"}
OPERATIONS = {"==": operator.eq, "!=": operator.ne, "+": operator.add, "-": operator.sub}
# What conditions consist of.
IN_PYTHON = {"/\\": "and", "\\/": "or", "~": "not", "not": "not", "=": "==", "-": "-", "(": "(", ")": ")"}
TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|&&|\|\||==|!=|<=|>=|/\\|\\/|[-+*&|^!~=<>(){}\[\],;:])")


class Unsupported(Exception):
    """What a test uses and this does not know."""


def tokens_of(text):
    """Splits C, without its comments."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S).rstrip()
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Unsupported(f"characters {text[at:at + 10]!r}")
        found.append(match[1])
        at = match.end()
    return found


def read_macros(path):
    """The functions of the kernel, as linux-kernel.def reduces them to events."""
    macros = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            match = re.match(r"(\w+)\(([^)]*)\)\s*(.*)", line)
            if match:
                # A hyphen within a tag is no minus.
                body = re.sub(r"\{[a-z-]+\}", lambda tag: tag[0].replace("-", "_"), match[3])
                macros[match[1]] = ([p.strip() for p in match[2].split(",") if p.strip()],
                                    tokens_of(body))
    return macros


class Parser:
    """Makes nested tuples of the statements of a test's functions."""

    def __init__(self, tokens, macros):
        self.tokens, self.macros = tokens, macros

    def peek(self):
        return self.tokens[0] if self.tokens else None

    def take(self, expected=None):
        token = self.tokens.pop(0)
        if expected and token != expected:
            raise Unsupported(f"{token!r} where {expected!r} is expected")
        return token

    def arguments(self):
        """The tokens of each argument of a call."""
        self.take("(")
        found, depth = [[]], 1
        while True:
            token = self.take()
            depth += (token == "(") - (token == ")")
            if not depth:
                return found if found != [[]] else []
            if token == "," and depth == 1:
                found.append([])
            else:
                found[-1].append(token)

    def expand(self):
        """Replaces calls of macros at the front of what is left."""
        while self.peek() in self.macros and self.tokens[1:2] == ["("]:
            names, body = self.macros[self.take()]
            given = dict(zip(names, self.arguments()))
            expanded = []
            for token in body:
                expanded += ["(", *given[token], ")"] if token in given else [token]
            self.tokens[:0] = expanded

    def block(self):
        self.take("{")
        found = []
        while self.peek() != "}":
            found += self.statement()
        self.take("}")
        return found

    def statement(self):
        self.expand()
        token = self.peek()
        if token == ";":
            self.take()
            return []
        if token == "{":
            return self.block()
        if token == "if":
            self.take()
            self.take("(")
            condition = self.expression()
            self.take(")")
            yes, no = self.statement(), []
            if self.peek() == "else":
                self.take()
                no = self.statement()
            return [("if", condition, yes, no)]
        if token in ("while", "for", "do", "switch", "goto", "struct"):
            raise Unsupported(token)
        if token in TYPES:
            return self.declaration()
        left = self.expression()
        if self.peek() == "=":
            self.take()
            left = ("assign", left, self.expression())
        self.take(";")
        return [left]

    def declaration(self):
        while self.peek() in TYPES or self.peek() == "*":
            self.take()
        found = []
        while True:
            name = self.take()
            if self.peek() == "=":
                self.take()
                found.append(("assign", ("name", name), self.expression()))
            if self.take() == ";":
                return found

    def expression(self):
        left = self.unary()
        return ("op", self.take(), left, self.unary()) if self.peek() in ("==", "!=") else left

    def unary(self):
        self.expand()
        token = self.take()
        if token == "*":
            return ("*", self.unary())
        if token == "(":
            inner = self.expression()
            self.take(")")
            return inner
        if token.isdigit():
            return ("number", int(token))
        if token.startswith("__"):
            return self.primitive(token)
        if self.peek() == "(" or not token.isidentifier():
            raise Unsupported(token)
        return ("name", token)

    def primitive(self, name):
        tag = None
        if self.peek() == "{":
            self.take()
            tag = self.take()
            self.take("}")
        if self.peek() != "(":
            return ("call", name, tag, [])
        given = []
        for tokens in self.arguments():
            inner = Parser(tokens, self.macros)
            given.append(("sign", tokens[0]) if tokens[0] in "+-" and len(tokens) == 1
                         else inner.expression())
        return ("call", name, tag, given)


class Event:
    """An access to memory or a fence; @deps: events that address, data and control come from."""

    def __init__(self, kind, tag, place=None, value=None, addr=(), data=(), ctrl=()):
        self.kind, self.tag, self.place, self.value = kind, tag, place, value
        self.deps = {"addr": frozenset(addr), "data": frozenset(data), "ctrl": frozenset(ctrl)}
        self.thread = None
        self.modifies = False


class Need(Exception):
    """The run has come to a read of a place that has no value yet."""


class Run:
    """One way of a thread through its statements, given what its reads return."""

    def __init__(self, parameters, statements, values):
        self.registers = {name: (name, frozenset()) for name in parameters}
        self.values, self.read_so_far = values, 0
        self.events, self.rmw, self.ctrl = [], [], frozenset()
        self.execute(statements)

    def add(self, *args, **deps):
        self.events.append(Event(*args, ctrl=self.ctrl, **deps))
        return len(self.events) - 1

    def read(self, tag, place, addr=()):
        if self.read_so_far == len(self.values):
            raise Need(place)
        value = self.values[self.read_so_far]
        self.read_so_far += 1
        at = self.add("R", tag, place, value, addr=addr)
        return value, frozenset([at])

    def write(self, tag, place, value, addr=(), data=()):
        return self.add("W", tag, place, value, addr=addr, data=data)

    def address(self, lvalue):
        if lvalue[0] != "*":
            raise Unsupported(f"an access to {lvalue}")
        return self.evaluate(lvalue[1])

    def execute(self, statements):
        for statement in statements:
            if statement[0] == "if":
                value, deps = self.evaluate(statement[1])
                outside, self.ctrl = self.ctrl, self.ctrl | deps
                self.execute(statement[2] if value else statement[3])
                self.ctrl = outside
            elif statement[0] == "assign":
                value, deps = self.evaluate(statement[2])
                if statement[1][0] == "name":
                    self.registers[statement[1][1]] = (value, deps)
                else:
                    place, addr = self.address(statement[1])
                    self.write("plain", place, value, addr, deps)
            else:
                self.evaluate(statement)

    def evaluate(self, e):
        if e[0] == "number":
            return e[1], frozenset()
        if e[0] == "name":
            return self.registers.get(e[1], (e[1], frozenset()))
        if e[0] == "op":
            (a, x), (b, y) = self.evaluate(e[2]), self.evaluate(e[3])
            return OPERATIONS[e[1]](a, b), x | y
        if e[0] == "*":
            return self.read("plain", *self.evaluate(e[1]))
        return self.call(*e[1:])

    def call(self, name, tag, given):
        none = (0, frozenset())
        if name == "__fence":
            self.add("F", tag)
            return none
        if name == "__load":
            return self.read(tag, *self.address(given[0]))
        if name == "__store":
            place, addr = self.address(given[0])
            value, data = self.evaluate(given[1])
            self.write(tag, place, value, addr, data)
            return none
        if name not in ("__xchg", "__cmpxchg", "__atomic_op", "__atomic_op_return",
                        "__atomic_fetch_op"):
            raise Unsupported(name)
        return self.modify(name, tag, given)

    def modify(self, name, tag, given):
        """A read and a write that nothing comes between; full fences around one of "mb"."""
        place, addr = self.evaluate(given[0])
        operands = [self.evaluate(e) for e in given[1:] if e[0] != "sign"]
        fails = False
        if name == "__cmpxchg":
            # What it reads decides whether there are fences around it.
            if self.read_so_far == len(self.values):
                raise Need(place)
            fails = self.values[self.read_so_far] != operands[0][0]
        fence = tag == "mb" and not fails
        if fence:
            self.add("F", "mb")
        kind = "acquire" if tag == "acquire" and not fails else "once"
        old, deps = self.read("noreturn" if name == "__atomic_op" else kind, place, addr)
        self.events[-1].modifies = True
        result, data = old, deps
        if not fails:
            new, more = operands[-1]
            if name.startswith("__atomic"):
                new = OPERATIONS[next(e[1] for e in given if e[0] == "sign")](old, new)
                more = more | deps
                if name == "__atomic_op_return":
                    result = new
            at = self.write("release" if tag == "release" else "once", place, new, addr, more)
            self.events[at].modifies = True
            self.rmw.append((at - 1, at))
        if fence:
            self.add("F", "mb")
        return result, data


class Test:
    """A litmus test: its places, threads and what it asks."""

    def __init__(self, path, macros):
        with open(path, encoding="ascii") as file:
            text = file.read()
        self.name = re.match(r"C\s+(\S+)", text)[1]
        self.expected = re.search(r"Result:\s*(\w+)", text)[1]
        self.flags = set(re.findall(r"Flag:\s*(\S+)", text))
        # "(*x" is code.
        text = re.sub(r"\(\*\s.*?\*\)", "", text.split("\n", 1)[1], flags=re.S)
        for word in ("spin_", "srcu"):
            if word in text:
                raise Unsupported(f"{word}...")
        initial, text = re.match(r"\s*\{(.*?)\}(.*)", text, re.S).groups()
        self.initial = {}
        for part in initial.split(";"):
            match = re.search(r"(\w+)\s*=\s*&?(\w+)\s*$", part)
            if match:
                self.initial[match[1]] = int(match[2]) if match[2].isdigit() else match[2]
        self.threads = []
        parts = re.split(r"^(?=P\d+\(|exists|~exists|forall|filter|locations)", text, flags=re.M)
        for part in parts[1:]:
            match = re.match(r"P\d+\(([^)]*)\)", part)
            if match:
                names = [p.split("*")[-1].split()[-1] for p in match[1].split(",") if p.strip()]
                self.threads.append((names, Parser(tokens_of(part[match.end():]), macros).block()))
        text = "".join(part for part in parts[1:] if not re.match(r"P\d+\(", part))
        match = re.match(r"(?:locations\s*\[[^]]*\]\s*)?(?:filter\s*\((.*?)\)\s*)?exists\s*(.*)",
                         text, re.S)
        if not match:
            raise Unsupported("a test that does not ask whether something exists")
        self.filter = tokens_of(match[1]) if match[1] else None
        self.condition = tokens_of(match[2])

    def runs(self):
        """All runs of each thread, for all values that reads may return."""
        domain, rounds = {}, 0
        while True:
            found, before = [], {place: set(values) for place, values in domain.items()}
            for names, statements in self.threads:
                found.append(list(self.runs_of(names, statements, domain)))
            for run in itertools.chain(*found):
                for event in run.events:
                    if event.kind == "W":
                        values = domain.setdefault(event.place, {self.initial.get(event.place, 0)})
                        values.add(event.value)
            # A value that one more write would make of the others is not there.
            rounds += 1
            most = sum(max(sum(e.kind == "W" for e in run.events) for run in runs)
                       for runs in found)
            if domain == before or rounds > most:
                return found

    def runs_of(self, names, statements, domain):
        waiting = [()]
        while waiting:
            values = waiting.pop()
            try:
                yield Run(names, statements, values)
            except Need as need:
                place = need.args[0]
                for value in domain.get(place, {self.initial.get(place, 0)}):
                    waiting.append(values + (value,))


def holds(tokens, runs, final):
    """Does a condition on registers and places hold? @tokens as in "0:r1=1 /\\ x=2"."""
    words, tokens = [], list(tokens)
    while tokens:
        token = tokens.pop(0)
        if tokens[:1] == [":"]:
            words.append(repr(runs[int(token)].registers.get(tokens[1], (0,))[0]))
            del tokens[:2]
        elif tokens[:1] == ["="]:
            words.append(repr(final(token)))
        elif token in IN_PYTHON or token.isdigit():
            words.append(IN_PYTHON.get(token, token))
        else:
            words.append(repr(token))
    return bool(eval(" ".join(words)))


def basics(runs, initial):
    """The events of an execution, and what the model is given but rf and co."""
    events = []
    relations = {"po": [], "rmw": [], "addr": [], "data": [], "ctrl": []}
    for thread, run in enumerate(runs):
        base = len(events)
        for i, event in enumerate(run.events):
            event.thread = thread
            events.append(event)
            relations["po"] += [(base + before, base + i) for before in range(i)]
            for kind, sources in event.deps.items():
                relations[kind] += [(base + source, base + i) for source in sources]
        relations["rmw"] += [(base + a, base + b) for a, b in run.rmw]
    for place in sorted({str(e.place) for e in events if e.place is not None}):
        event = Event("W", "init", place, initial.get(place, 0))
        event.thread = f"init {place}"
        events.append(event)
    return events, relations


def environment(events, relations):
    """Sets as bits and relations as rows of bits, under the names that the model has for them."""
    n = len(events)

    def chosen(test):
        return sum(1 << i for i, e in enumerate(events) if test(e))

    def related(pairs):
        rows = empty(n)
        for a, b in pairs:
            rows[a] |= 1 << b
        return rows

    env = {name: related(pairs) for name, pairs in relations.items()}
    env["R"], env["W"], env["F"] = (chosen(lambda e, k=k: e.kind == k) for k in "RWF")
    env["M"] = env["R"] | env["W"]
    env["IW"] = chosen(lambda e: e.tag == "init")
    env["_"] = (1 << n) - 1
    env["id"] = identity(n, env["_"])
    env["RMW"] = chosen(lambda e: e.modifies)
    same = [(a, b) for a in range(n) for b in range(n)]
    env["loc"] = related([(a, b) for a, b in same if events[a].place is not None and
                          events[a].place == events[b].place])
    env["int"] = related([(a, b) for a, b in same if events[a].thread == events[b].thread])
    env["ext"] = related([(a, b) for a, b in same if events[a].thread != events[b].thread])
    for tag in ("once", "release", "acquire", "noreturn", "wmb", "rmb", "mb", "barrier", "rcu-lock",
                "rcu-unlock", "sync-rcu", "before-atomic", "after-atomic", "after-spinlock",
                "after-unlock-lock", "after-srcu-read-unlock", "srcu-lock", "srcu-unlock",
                "sync-srcu"):
        env[tag.capitalize()] = chosen(lambda e, t=tag: (e.tag or "").replace("_", "-") == t)
    for name in ("LKR", "LKW", "UL", "LF", "RL", "RU"):
        env[name] = 0
    env["po-loc"] = [a & b for a, b in zip(env["po"], env["loc"])]
    env["emptyset"] = 0
    return env


def executions(test):
    """Yields the runs, the events, the last write of each place, and the model's environment."""
    for runs in itertools.product(*test.runs()):
        events, relations = basics(runs, test.initial)
        env = environment(events, relations)
        reads = [i for i, e in enumerate(events) if e.kind == "R"]
        writes = {}
        for i, event in enumerate(events):
            if event.kind == "W":
                writes.setdefault(event.place, []).append(i)
        sources = [[w for w in writes.get(events[r].place, [])
                    if events[w].value == events[r].value] for r in reads]
        orders = [[(ws[-1], *order) for order in itertools.permutations(ws[:-1])]
                  for ws in writes.values()]
        for chosen in itertools.product(*sources):
            rf = empty(len(events))
            for read, write in zip(reads, chosen):
                rf[write] |= 1 << read
            for order in itertools.product(*orders):
                co = empty(len(events))
                for line in order:
                    for i, write in enumerate(line):
                        for later in line[i + 1:]:
                            co[write] |= 1 << later
                last = {events[line[0]].place: events[line[-1]].value for line in order}
                yield runs, last, dict(env, rf=rf, co=co)


def check(test, cat):
    """Returns the outcome, how many executions the model allows, and what it flags."""
    yes, allowed, flags = 0, 0, set()
    for runs, last, env in executions(test):
        def final(place, last=last):
            return last.get(place, test.initial.get(place, 0))

        if test.filter and not holds(test.filter, runs, final):
            continue
        flagged = cat.judge(env)
        if flagged is None:
            continue
        flags |= flagged
        allowed += 1
        yes += holds(test.condition, runs, final)
    return ("Never" if not yes else "Always" if yes == allowed else "Sometimes"), allowed, flags


def main(tree, *paths):
    model = os.path.join(tree, "tools/memory-model")
    macros = read_macros(os.path.join(model, "linux-kernel.def"))
    cat = Cat([os.path.join(model, "linux-kernel.bell"), os.path.join(model, "linux-kernel.cat")])
    bad = 0
    for path in paths:
        try:
            test = Test(path, macros)
            outcome, allowed, flags = check(test, cat)
        except Unsupported as what:
            print(f"{os.path.basename(path)}: not supported: {what}")
            bad += 1
            continue
        wrong = outcome != test.expected or flags != test.flags
        bad += bool(wrong)
        said = f", not {test.expected}" if outcome != test.expected else ""
        print(f"{'not ok' if wrong else 'ok':6} {test.name}: {outcome}{said}, {allowed} executions"
              + (f", {', '.join(sorted(flags))}" if flags else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
