"""Python functions run with the outcomes of comparisons and coins given, and random functions to do it with.

Samples are objects that know only how they were drawn; comparing two takes the next outcome of a script. So
every way that a function may go can be gone, by Python itself, and compared with what is found by reading it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from prover.language.values import letter
from prover.language.words import RUNNING

FAR = 12
"""How far from its center unbounded noise is drawn."""

QUERIES = 3
"""How many queries there are in a scripted stream."""


SIGNS = (-1, 1, 0)
"""The outcomes of a comparison in the order in which they are tried."""


class StreamEnd(Exception):
    """No more queries."""


class Script:
    """What draws, compares and sees on one way; ``ways`` are the outcomes to take, then True."""

    def __init__(self, ways: tuple[int, ...]) -> None:
        self.ways = ways
        self.taken: list[tuple[int, int]] = []
        self.events: list[tuple[Any, ...]] = []
        self.unread = False
        self.known: dict[tuple[int, int], int] = {}
        self.drawn = 0
        self.mass = Fraction(1)
        self.ended = False

    def next(self, outcomes: int) -> int:
        """The next outcome, one of so many."""
        place = len(self.taken)
        way = self.ways[place] if place < len(self.ways) else 0
        self.taken.append((way, outcomes))
        return way

    def draw(self, noise: str, center: Any, rate: Any = None, scale: Any = None, sigma: Any = None) -> Number:
        number = 1 / Fraction(scale) if scale is not None else Fraction(sigma if rate is None else rate)
        number = number.limit_denominator(1000)
        query = center if isinstance(center, QueryNumber) else None
        self.drawn += 1
        self.events.append(("draw", noise, number, query is not None))
        return Number(self, self.drawn, discrete=noise == "discrete_laplace")

    def flip(self, probability: Any) -> bool:
        heads = self.next(2) == 0
        self.mass *= Fraction(probability) if heads else 1 - Fraction(probability)
        return heads

    def choose(self, values: Any, weights: Any) -> Any:
        if isinstance(values, dict):
            values, weights = list(values), list(values.values())
        place = self.next(len(values))
        self.mass *= (
            Fraction(weights[place]) / sum(map(Fraction, weights)) if weights else Fraction(1, len(values))
        )
        return values[place]

    def count(self, word: str, *given: Any) -> int:
        """How many of some are True, one draw after the other, each with what is left to draw from."""
        if word == "binomial":
            return sum(self.flip(given[1]) for _ in range(given[0]))
        population, marked, drawn = given
        found = 0
        for k in range(drawn):
            chance = Fraction(marked - found, population - k)
            found += self.flip(chance) if 0 < chance < 1 else chance == 1
        return found

    def unbounded(self, word: str, center: int, q: Any) -> int:
        """Numbers up to FAR from the center; the others are left out."""
        ratio, side = Fraction(q), word == "discrete_laplace"
        noise = self.next(FAR + 1 + FAR * side) - FAR * side
        self.mass *= (1 - ratio) * ratio ** abs(noise) / (1 + ratio * side)
        return center + noise

    def ask(self, options: Any) -> Any:
        raise AssertionError(f"nobody chooses one of {options}")

    def see(self, value: Any) -> None:
        self.events.append(("see", letter(getattr(value, "name", value))))
        self.unread = False

    def finish(self) -> None:
        if self.unread:
            self.events.append(("see", "_"))
        self.unread = False


class QueryNumber:
    """A private query."""


class Number:
    """A number drawn; comparisons with an earlier one go as the script says, and always the same."""

    def __init__(self, script: Script, number: int, *, discrete: bool) -> None:
        self.script, self.number, self.discrete = script, number, discrete

    def sign(self, other: Number) -> int:
        """-1, 0 or 1: whether this is below, equal or above; 0 for different ones on a grid only."""
        if other.number == self.number:
            return 0
        later, earlier = max(self.number, other.number), min(self.number, other.number)
        known = self.script.known
        if (later, earlier) not in known:
            known[later, earlier] = SIGNS[self.script.next(3 if self.discrete else 2)]
        found = known[later, earlier]
        return found if self.number == later else -found

    def __lt__(self, other: Number) -> bool:
        return self.sign(other) < 0

    def __ge__(self, other: Number) -> bool:
        return self.sign(other) >= 0

    def __le__(self, other: Number) -> bool:
        return self.sign(other) <= 0

    def __gt__(self, other: Number) -> bool:
        return self.sign(other) > 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Number) and self.sign(other) == 0

    def __hash__(self) -> int:
        return hash(self.number)


class Stream:
    """A stream of queries that ends the run after a few."""

    def __init__(self, script: Script, length: int) -> None:
        self.script, self.left = script, length

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> QueryNumber:
        self.script.finish()
        if not self.left:
            raise StreamEnd
        self.left -= 1
        self.script.unread = True
        return QueryNumber()


def runs(call: Callable[[Script], None]) -> Iterator[Script]:
    """All ways to call a function, each with what happened on it."""
    ways: tuple[int, ...] | None = ()
    while ways is not None:
        script = Script(ways)
        token = RUNNING.set(script)
        try:
            call(script)
            script.finish()
        except StreamEnd:
            script.ended = True
        finally:
            RUNNING.reset(token)
        yield script
        taken = list(script.taken)
        while taken and taken[-1][0] == taken[-1][1] - 1:
            taken.pop()
        ways = None if not taken else (*(way for way, _ in taken[:-1]), taken[-1][0] + 1)


class Writer:
    """A random function of the language, as text."""

    def __init__(self, seed: int, *, mechanism: bool, noise: str = "laplace") -> None:
        self.noise = noise
        self.random = Random(seed)
        self.mechanism = mechanism
        self.lines: list[str] = []
        self.size = self.random.randint(5, 14)

    def text(self) -> str:
        kind = "mechanism" if self.mechanism else "protocol"
        head = "queries, limit=2" if self.mechanism else "secret: bool, limit=2"
        self.lines = ["import prover", "from enum import Enum", "from prover.language import *"]
        self.lines += ["BASE = 1", "class Kind(Enum):", "    A = 1", "    B = 2"]
        self.lines += ["def more(n, by=BASE):", "    if n > 1:", "        return n", "    return n + by"]
        self.lines += [f"@prover.{kind}", f"def f({head}):"]
        self.lines += ["    n = 0", "    kind = Kind.A", "    flag = False", "    pair = (0, 1)"]
        if self.mechanism:
            self.lines += ["    t = laplace(0, rate='1/4')", "    u = t"]
            self.loop(1)
            if self.random.random() < 0.5:
                self.loop(1)
        else:
            self.block(1, 0)
        text = "\n".join([*self.lines, ""]).replace("laplace(", f"{self.noise}(")
        return text.replace("rate=", "sigma=") if self.noise == "gaussian" else text

    def loop(self, depth: int) -> None:
        self.add(depth, "for query in queries:")
        self.add(depth + 1, "s = laplace(query, rate='1/2')")
        self.block(depth + 1, 1)

    def add(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def block(self, depth: int, loops: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            self.statement(depth, loops)

    def statement(self, depth: int, loops: int) -> None:
        self.size -= 1
        choice = self.random.random()
        if depth < 4 and self.size > 0 and choice < 0.4:
            self.add(depth, f"if {self.condition()}:")
            self.block(depth + 1, loops)
            if self.random.random() < 0.6:
                self.add(depth, "else:" if self.random.random() < 0.7 else f"elif {self.condition()}:")
                self.block(depth + 1, loops)
        elif depth < 3 and self.size > 0 and choice < 0.5:
            self.add(depth, self.random.choice(["for i in range(2):", "for i, kind in enumerate(Kind):"]))
            self.block(depth + 1, loops + 1)
            if self.random.random() < 0.3:
                self.add(depth, "else:")
                self.add(depth + 1, f"see({self.letter()})")
        elif choice < 0.75:
            self.add(depth, f"see({self.letter()})")
        elif choice < 0.8 and loops:
            self.add(depth, self.random.choice(["break", "continue"]))
        elif choice < 0.83:
            self.add(depth, "return")
        else:
            self.add(depth, self.assignment())

    def condition(self) -> str:
        constant = self.random.choice(
            ["n == limit", "n < 1", "flag", "not flag", "kind is Kind.A", "n in pair", "more(n) > 1"]
        )
        if not self.mechanism:
            coin = self.random.choice(["flip()", "flip('1/3')", "secret", "choose((True, False, True))"])
            return self.random.choice(
                [coin, coin, constant, f"{coin} and {constant}", f"{coin} or {constant}"]
            )
        test = self.random.choice(["s >= t", "s < t", "t <= s", "u > s", "s >= max(s, t)", "t > s >= u"])
        if self.noise == "discrete_laplace" and self.random.random() < 0.4:
            test = self.random.choice(["s == t", "s != u", "s > t", "s <= u", "t < s"])
        return self.random.choice(
            [test, test, constant, f"{test} and {constant}", f"{constant} or {test}", f"({test}) == flag"]
        )

    def letter(self) -> str:
        letters = [
            "'a'",
            "'b'",
            "n",
            "flag",
            "kind",
            "f'c{n}'",
            "pair[0]",
            "'d' if flag else 'e'",
            "(n, flag)",
        ]
        return self.random.choice(letters)

    def assignment(self) -> str:
        lines = [
            "n = (n + 1) % 3",
            "flag = not flag",
            "kind = Kind.B",
            "pair = pair[1], pair[0]",
            "n = more(n)",
        ]
        lines += [f"flag = {self.condition()}", "n, flag = (0, True) if flag else (1, False)"]
        if self.mechanism:
            lines += ["t = s", "u = s", "t, u = u, t", "t = laplace(0, rate='1/4')", "u = t"]
        return self.random.choice(lines)
