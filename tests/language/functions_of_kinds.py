"""Random functions of five kinds, as trees that are written as Python and can be followed without the prover.

``hidden``: letters do not tell which way a run went. ``late``: numbers are seen after others were drawn.
``moved``: all numbers are drawn first. ``borders``: numbers are compared with several public ones.
``registers``: queries are used again, and added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

KINDS = ("hidden", "late", "moved", "borders", "registers")
HEAD = "import prover\nfrom prover.language import discrete_laplace, laplace, see\n"
HEAD += "\n@prover.mechanism\ndef f(queries):\n"

Statement = tuple[Any, ...]
"""What to do, and with what:

("query", name), ("sum", name, ((name, sign), …)), ("draw", name, center or None, rate, site),
("same", name, old name), ("if", name, relation, name or number, statements, statements), ("see", letter),
("show", name), ("gap", name, name), ("return",) and, only as the last one, ("for", statements), which reads
``query`` in each turn. The site of a draw is its place in the text.
"""
Statements = tuple[Statement, ...]


@dataclass(frozen=True)
class Function:
    """A function without loops, or with one at its end."""

    body: Statements
    noise: str
    sites: int

    @property
    def text(self) -> str:
        """As Python."""
        return HEAD + "".join(f"{line}\n" for line in lines(self.body, self.noise, 1))

    @property
    def has_loop(self) -> bool:
        """Whether it goes on as long as there are queries."""
        return bool(self.body) and self.body[-1][0] == "for"


def lines(body: Statements, noise: str, depth: int) -> list[str]:
    """The lines of statements."""
    found: list[str] = []
    pad = "    " * depth
    for kind, *rest in body:
        if kind == "if":
            left, relation, right, then, other = rest
            found.append(f"{pad}if {left} {relation} {right}:")
            found += lines(then, noise, depth + 1) or [f"{pad}    pass"]
            if other:
                found += [f"{pad}else:", *lines(other, noise, depth + 1)]
        elif kind == "for":
            found += [f"{pad}for query in queries:", *lines(rest[0], noise, depth + 1)]
        else:
            found.append(pad + simple(kind, rest, noise))
    return found


def simple(kind: str, rest: Sequence[Any], noise: str) -> str:
    """One line."""
    match kind, *rest:
        case "query", name:
            return f"{name} = next(queries)"
        case "sum", name, terms:
            return f"{name} = " + "".join(f" {'+' if sign > 0 else '-'} {one}" for one, sign in terms)[3:]
        case "draw", name, center, rate, _:
            return f'{name} = {noise}({center or 0}, rate="{rate}")'
        case "same", name, old:
            return f"{name} = {old}"
        case "see", letter:
            return f"see({letter!r})"
        case "show", name:
            return f"see({name})"
        case "gap", one, other:
            return f"see({one} - {other})"
        case _:
            return "return"


@dataclass
class Maker:
    """Makes a function of a kind; what is known at a place are names of samples, and of queries and sums."""

    kind: str
    random: Random
    sites: int = 0
    letters: int = 0
    queries: int = 0
    samples: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    tested: set[frozenset[str]] = field(default_factory=set)

    def function(self) -> Function:
        """The function: some draws, then a block of tests, and sometimes a loop."""
        noise = self.random.choice(("laplace", "laplace", "discrete_laplace"))
        first = {"moved": self.random.randint(3, 4), "hidden": 2, "late": 2}.get(self.kind, 1)
        body: list[Statement] = []
        for _ in range(first):
            body += self.draw()
        body += self.block(2)
        if self.random.random() < 0.25 and self.kind != "moved":
            grows = self.kind == "registers" and self.random.random() < 0.3
            body += [("query", "q0"), ("sum", "total", (("q0", 1),))] if grows else []
            body.append(("for", tuple(self.growing_turn() if grows else self.turn())))
        elif self.random.random() < 0.5:
            body.append(self.letter())
        return Function(tuple(body), noise, self.sites)

    def letter(self) -> Statement:
        """A letter that no other place has, or one of two."""
        if self.kind == "hidden":
            return ("see", self.random.choice("ab"))
        self.letters += 1
        return ("see", f"l{self.letters}")

    def draw(self) -> list[Statement]:
        """A new sample, and before it perhaps a new query, or sum."""
        found: list[Statement] = []
        chance, again = self.random.random(), self.kind == "registers" and self.sources
        if again and chance < 0.6:
            if len(self.sources) > 1 and chance < 0.3:
                two = self.random.sample(self.sources, 2)
                name = f"s{self.sites}"
                terms = ((two[0], 1), (two[1], self.random.choice((1, -1))))
                found.append(("sum", name, terms))
                self.sources.append(name)
            center = self.random.choice(self.sources)
        elif chance < 0.85:
            self.queries += 1
            center = f"q{self.queries}"
            found.append(("query", center))
            self.sources.append(center)
        else:
            center = None
        name, rate = f"x{self.sites}", Fraction(self.random.choice((1, 2, 3)), self.random.choice((1, 2)))
        found.append(("draw", name, center, rate, self.sites))
        self.sites += 1
        self.samples.append(name)
        return found

    def block(self, depth: int) -> list[Statement]:
        """One or two statements, tests among them."""
        found: list[Statement] = []
        for _ in range(self.random.randint(1, 2)):
            chance = self.random.random()
            if chance < 0.35 and self.sites < 4:
                found += self.draw()
            elif chance < 0.8 and depth:
                found.append(self.test(depth))
            elif chance < 0.87 and len(self.samples) > 1:
                name, old = self.random.sample(self.samples, 2)
                found.append(("same", name, old))
                self.tested = {pair for pair in self.tested if name not in pair}
            elif chance < 0.94 or self.kind in ("hidden", "moved"):
                found.append(self.letter())
            elif len(self.samples) > 1 and chance < 0.96:
                found.append(("gap", *self.random.sample(self.samples, 2)))
            else:
                found.append(("show", self.random.choice(self.samples)))
        if self.kind == "late" and self.random.random() < 0.5:
            found.append(("show", self.random.choice(self.samples)))
        return found

    def pair(self) -> list[str]:
        """A number, and another one or a border, which were not compared before, if that is easy."""
        left = right = ""
        for _ in range(6):
            left = self.random.choice(self.samples)
            others: list[str] = [name for name in self.samples if name != left]
            if not others or (self.kind == "borders" and self.random.random() < 0.7):
                others = ["-1", "0", "1", "2"]
            right = self.random.choice(others)
            if frozenset((left, right)) not in self.tested:
                break
        self.tested.add(frozenset((left, right)))
        return [left, right]

    def test(self, depth: int) -> Statement:
        """A test with what follows on both sides; the first thing there is often a letter."""
        left, right = self.pair()
        sides = []
        for _ in "ab":
            before = list(self.samples), list(self.sources), set(self.tested)
            told = self.random.random() < (0.5 if self.kind == "hidden" else 0.85)
            side = [self.letter()] if told else []
            if self.random.random() < 0.7 or not side:
                side += self.block(depth - 1)
            if self.random.random() < 0.1:
                side.append(("return",))
            sides.append(tuple(side))
            self.samples, self.sources, self.tested = before
        relation = self.random.choice(("<", ">=", "<", ">=", "<=", ">"))
        return ("if", left, relation, right, *sides)

    def growing_turn(self) -> list[Statement]:
        """A turn that adds a query to a sum, and in the end uses the sum once."""
        self.sites += 3
        first, last, stopped = ("see", "more"), ("see", "above"), ("see", "below")
        rate, border = Fraction(self.random.choice((1, 2)), 2), self.random.choice((*self.samples, "0"))
        center, compared = self.random.choice(("query", None)), self.random.choice((True, False))
        terms = (("total", 1), ("query", self.random.choice((1, -1))))
        used: list[Statement] = [("draw", "z", "total", rate, self.sites - 2)]
        if compared:
            used.append(("if", "z", "<", self.random.choice(self.samples), (last,), (stopped,)))
        else:
            used.append(("show", "z"))
        found: list[Statement] = [("sum", "total", terms)] if self.random.random() < 0.8 else []
        found.append(("draw", "y", center, Fraction(1), self.sites - 3))
        found.append(("if", "y", "<", border, (first,), (*used, ("return",))))
        return found if found[0][0] == "sum" else [*found, ("sum", "total", terms)]

    def turn(self) -> list[Statement]:
        """A turn of the loop: a draw, and a test after which it may end."""
        center = self.random.choice(["query", "query", *self.sources])
        found: list[Statement] = []
        if self.kind == "registers" and self.random.random() < 0.4:
            found.append(("sum", "total", (("query", 1), (self.random.choice(self.sources or ["query"]), 1))))
            center = self.random.choice(("query", "total"))
        rate = Fraction(self.random.choice((1, 2)), 2)
        found.append(("draw", "y", center, rate, self.sites))
        self.sites += 1
        right = self.random.choice(self.samples if self.kind != "borders" else ["0", "2", *self.samples])
        shown: list[Statement] = [("show", "y")] if self.random.random() < 0.15 else []
        ended: tuple[Statement, ...] = (self.letter(), *shown)
        if self.random.random() < 0.8:
            ended = (*ended, ("return",))
        found.append(("if", "y", self.random.choice(("<", ">=")), right, (self.letter(),), ended))
        return found


def function(kind: str, seed: int) -> Function:
    """The function of a kind with this number."""
    return Maker(kind, Random(f"{kind} {seed}")).function()
