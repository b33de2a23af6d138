# SPDX-License-Identifier: GPL-2.0
"""Evaluates models of memory that are written in cat (J. Alglave, L. Maranget, herd7's manual).

Sets of events are numbers whose bits are the events, relations are lists of such sets, one for
each first event. lock.cat is left out: there are no locks, and rf and co are given.
"""
import re

TOKEN = re.compile(r"\s*(\"[^\"]*\"|'[a-z-]+|\^-1|\+\+|\|\||[A-Za-z_][A-Za-z0-9_.-]*|[0-9]+|"
                   r"[|&;\\*+?~()\[\]{},=])")
STATEMENTS = {"let", "acyclic", "irreflexive", "empty", "flag", "include", "show", "enum",
              "instructions"}
KEYWORDS = STATEMENTS | {"rec", "and", "in", "as"}
BINARY = ["|", ";", "\\", "&", "*"]
BUILT_IN = {"fencerel", "domain", "range", "different-values"}
PRELUDE = """
let rfe = rf & ext let rfi = rf & int
let coe = co & ext let coi = co & int
let fr = rf^-1 ; co let fre = fr & ext let fri = fr & int
"""


def empty(n):
    """The relation of no events."""
    return [0] * n


def identity(n, members):
    """Each of @members with itself."""
    return [1 << i & members for i in range(n)]


def product(n, first, second):
    """Each of @first with each of @second."""
    return [second if first >> i & 1 else 0 for i in range(n)]


def bits(members):
    """The numbers of the members."""
    while members:
        low = members & -members
        yield low.bit_length() - 1
        members ^= low


def compose(a, b):
    """The relation of what is reached by @a and then @b."""
    result = []
    for row in a:
        reached = 0
        for i in bits(row):
            reached |= b[i]
        result.append(reached)
    return result


def inverse(a):
    """The relation the other way round."""
    result = empty(len(a))
    for i, row in enumerate(a):
        for j in bits(row):
            result[j] |= 1 << i
    return result


def closure(a):
    """The transitive closure (S. Warshall, "A Theorem on Boolean Matrices", JACM 9(1), 1962)."""
    a = list(a)
    for k in range(len(a)):
        for i, row in enumerate(a):
            if row >> k & 1:
                a[i] = row | a[k]
    return a


def with_identity(a):
    """@a, and each event with itself."""
    return [row | 1 << i for i, row in enumerate(a)]


def joined(a, b, operation):
    """@operation on two sets, or on two relations row by row."""
    if isinstance(a, int) and isinstance(b, int):
        return operation(a, b)
    if isinstance(a, int) or isinstance(b, int):
        # 0 is the empty relation too.
        a = empty(len(b)) if isinstance(a, int) else a
        b = empty(len(a)) if isinstance(b, int) else b
    return [operation(x, y) for x, y in zip(a, b)]


class Cat:
    """A model: its statements, in order."""

    def __init__(self, paths):
        self.functions, self.statements = set(BUILT_IN), []
        self.parse(PRELUDE)
        for path in paths:
            with open(path, encoding="ascii") as file:
                self.parse(file.read())

    def parse(self, text):
        depth, kept = 0, ""
        for part in re.split(r"(\(\*|\*\))", re.sub(r"//[^\n]*", "", text)):
            if part == "(*":
                depth += 1
            elif part == "*)":
                depth -= 1
            elif not depth:
                kept += part
        self.tokens = TOKEN.findall(kept)
        while self.tokens:
            self.statement()

    def take(self, expected=None):
        token = self.tokens.pop(0)
        if expected and token != expected:
            raise ValueError(f"{token} where {expected} is expected")
        return token

    def peek(self):
        return self.tokens[0] if self.tokens else None

    def statement(self):
        word = self.take()
        if word.startswith('"'):
            return
        if word in ("include", "show", "enum", "instructions"):
            while self.tokens and self.tokens[0] not in STATEMENTS:
                self.take()
            return
        if word == "let":
            self.statements.append(self.binding())
            return
        flag = word == "flag"
        negated = self.peek() == "~"
        if negated:
            self.take()
        kind = self.take() if flag or negated else word
        what = self.expression()
        self.take("as")
        self.statements.append(("flag" if flag else "check", kind, negated, what, self.take()))

    def binding(self):
        rec = self.peek() == "rec"
        if rec:
            self.take()
        bound = []
        while True:
            name, parameter = self.take(), None
            if self.peek() == "(":
                self.take()
                parameter = self.take()
                self.take(")")
                self.functions.add(name)
            self.take("=")
            bound.append((name, parameter, self.expression()))
            if self.peek() != "and":
                return ("rec" if rec else "let", bound)
            self.take()

    def starts_operand(self, i):
        token = self.tokens[i] if i < len(self.tokens) else None
        return token is not None and (token in "([{~_" or
                                      (re.match(r"[A-Za-z0]", token) and token not in KEYWORDS))

    def expression(self, level=0):
        if level == len(BINARY):
            return self.prefix()
        left = self.expression(level + 1)
        while self.peek() == BINARY[level]:
            operator = self.take()
            left = (operator, left, self.expression(level + 1))
        return left

    def prefix(self):
        if self.peek() == "~":
            self.take()
            return ("~", self.prefix())
        e = self.primary()
        # A star is a product if something follows that can be its second factor.
        while (self.peek() in ("^-1", "?", "+") or
               (self.peek() == "*" and not self.starts_operand(1))):
            e = ("postfix" + self.take(), e)
        return e

    def primary(self):
        token = self.take()
        if token == "(":
            e = self.expression()
            self.take(")")
            return e
        if token == "[":
            e = self.expression()
            self.take("]")
            return ("[", e)
        if token == "let":
            bound = self.binding()
            self.take("in")
            return ("in", bound, self.expression())
        if token == "0":
            return ("number", 0)
        if token in self.functions and self.peek() == "(":
            self.take()
            e = self.expression()
            self.take(")")
            return ("apply", token, e)
        return ("name", token)

    def judge(self, env):
        """Returns None if the model forbids the execution, else the names of what it flags."""
        env = dict(env)
        n, flags = len(env["po"]), set()
        for statement in self.statements:
            if statement[0] in ("let", "rec"):
                self.bind(statement, env, n)
                continue
            _, kind, negated, what, name = statement
            value = self.evaluate(what, env, n)
            if kind == "acyclic":
                value = closure(value)
            if kind == "empty":
                result = not value if isinstance(value, int) else not any(value)
            else:
                result = not any(row >> i & 1 for i, row in enumerate(value))
            if result != negated:
                if statement[0] == "flag":
                    flags.add(name)
            elif statement[0] == "check":
                return None
        return flags

    def bind(self, statement, env, n):
        if statement[0] == "let":
            values = [(name, (parameter, e, env.copy()) if parameter else self.evaluate(e, env, n))
                      for name, parameter, e in statement[1]]
            env.update(values)
            return
        for name, _, _ in statement[1]:
            env[name] = 0
        while True:
            before = [env[name] for name, _, _ in statement[1]]
            for name, _, e in statement[1]:
                env[name] = self.evaluate(e, env, n)
            if before == [env[name] for name, _, _ in statement[1]]:
                return

    def evaluate(self, e, env, n):
        kind = e[0]
        if kind == "name":
            return env[e[1]]
        if kind == "number":
            return e[1]
        if kind == "in":
            inner = dict(env)
            self.bind(e[1], inner, n)
            return self.evaluate(e[2], inner, n)
        if kind == "apply":
            return self.apply(e[1], self.evaluate(e[2], env, n), env, n)
        a = self.evaluate(e[1], env, n)
        if kind == "[":
            return identity(n, a)
        if kind == "~":
            return env["_"] & ~a if isinstance(a, int) else [env["_"] & ~row for row in a]
        if kind.startswith("postfix"):
            a = empty(n) if a == 0 else a
            return {"^-1": inverse, "+": closure, "?": with_identity,
                    "*": lambda r: with_identity(closure(r))}[kind[7:]](a)
        b = self.evaluate(e[2], env, n)
        if kind == "*":
            return product(n, a, b)
        if kind == ";":
            return compose(empty(n) if a == 0 else a, empty(n) if b == 0 else b)
        return joined(a, b, {"|": lambda x, y: x | y, "&": lambda x, y: x & y,
                             "\\": lambda x, y: x & ~y}[kind])

    def apply(self, name, a, env, n):
        if name == "domain":
            return sum(1 << i for i, row in enumerate(a) if row) if a else 0
        if name == "range":
            return self.apply("domain", inverse(a), env, n) if a else 0
        if name == "fencerel":
            return compose(compose(env["po"], identity(n, a)), env["po"])
        if name == "different-values":
            # Of SRCU's indices alone, which no supported test has.
            return empty(n)
        parameter, body, outer = env[name]
        return self.evaluate(body, dict(outer, **{parameter: a}), n)
