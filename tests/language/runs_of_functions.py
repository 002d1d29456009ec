"""The runs of random functions, and what they lose, by going through all of them.

The trees of functions are followed (functions_of_kinds.py), and nothing is known of programs and states. A
run is a list of draws with demands between them. It is possible if these can be met (shortest paths), and it
costs what its cheapest shifts cost, for the worst difference of its inputs (docs/theory_registers.md, Theorem
R1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product

from tests.language.functions_of_kinds import Statements

ZERO = -1
"""The place of 0 among samples: that of public borders, which do not move."""

Word = tuple[str, ...]
Sum = dict[int, int]
"""Of inputs, by their places."""


@dataclass
class Run:
    """What a run has done so far; ``word`` has "#" for numbers, ``shown`` the pairs (x, y) of x − y."""

    draws: list[tuple[Sum, Fraction]] = field(default_factory=list)
    demands: list[tuple[int, int, Fraction, bool]] = field(default_factory=list)
    shown: list[tuple[int, int]] = field(default_factory=list)
    word: Word = ()
    sums: dict[str, Sum] = field(default_factory=dict)
    samples: dict[str, int] = field(default_factory=dict)
    reads: int = 0
    turns: int = 0
    waits: bool = False
    """Whether nothing was seen since the last query was read."""

    def copy(self) -> Run:
        return Run(
            [*self.draws], [*self.demands], [*self.shown], self.word, {**self.sums}, {**self.samples},
            self.reads, self.turns, self.waits,
        )  # fmt: skip

    def sees(self, letter: str) -> None:
        self.word, self.waits = (*self.word, letter), False

    def ends(self) -> None:
        """Observers count queries, also those after which nothing was seen."""
        if self.waits:
            self.sees("_")

    def reads_query(self, name: str) -> None:
        self.ends()
        self.sums[name], self.waits = {self.reads: 1}, True
        self.reads += 1

    def home(self, name: str) -> tuple[int, Fraction]:
        """The sample of a name, or 0 and a border."""
        return (self.samples[name], Fraction(0)) if name in self.samples else (ZERO, Fraction(name))

    def tests(self, left: str, relation: str, right: str) -> None:
        (a, p), (b, q) = self.home(left), self.home(right)
        if a == b:  # a number and itself
            self.demands += [] if "=" in relation else [(a, a, Fraction(-1), False)]
        elif relation in ("<", "<="):
            self.demands.append((a, b, q - p, relation == "<"))
        else:
            self.demands.append((b, a, p - q, relation == ">"))


OTHER = {"<": ">=", ">=": "<", "<=": ">", ">": "<="}


def runs(body: Statements, run: Run, turns: int, on_grid: bool) -> Iterator[Run]:
    """All possible runs that begin so, up to so many turns of the loop."""
    for place, (kind, *rest) in enumerate(body):
        if kind == "if":
            left, relation, right, then, other = rest
            for sign, side in ((relation, then), (OTHER[relation], other)):
                longer = run.copy()
                longer.tests(left, sign, right)
                if is_possible(longer, on_grid):
                    yield from runs((*side, *body[place + 1 :]), longer, turns, on_grid)
            return
        if kind == "for":
            if run.turns < turns:
                run.reads_query("query")
                run.turns += 1
                yield from runs((*rest[0], body[place]), run, turns, on_grid)
                return
            break
        if kind == "return":
            break
        does(run, kind, rest)
    run.ends()
    yield run


def does(run: Run, kind: str, rest: Sequence[object]) -> None:
    """A statement that is no test."""
    match kind, *rest:
        case "query", str(name):
            run.reads_query(name)
        case "sum", str(name), tuple(terms):
            total: Sum = {}
            for source, sign in terms:
                for place, times in run.sums[source].items():
                    total[place] = total.get(place, 0) + sign * times
            run.sums[name] = total
        case "draw", str(name), center, Fraction() as rate, _:
            run.samples[name] = len(run.draws)
            run.draws.append((run.sums[center] if isinstance(center, str) else {}, rate))
        case "same", str(name), str(old):
            run.samples[name] = run.samples[old]
        case "see", str(letter):
            run.sees(letter)
        case "show", str(name):
            run.shown.append((run.samples[name], ZERO))
            run.sees("#")
        case "gap", str(one), str(other):
            run.shown.append((run.samples[one], run.samples[other]))
            run.sees("#")


def is_possible(run: Run, on_grid: bool) -> bool:
    """Whether samples meet all tests, on the line with some room; differences along a cycle add up to 0."""
    size = len(run.draws) + 1
    far: list[list[Fraction | None]] = [[None] * size for _ in range(size)]
    for low, high, most, strict in run.demands:
        bound = most - (1 if on_grid and strict else 0)
        own = far[high][low]
        far[high][low] = bound if own is None else min(own, bound)
    for k, i, j in product(range(size), repeat=3):
        one, two, own = far[i][k], far[k][j], far[i][j]
        if one is not None and two is not None and (own is None or one + two < own):
            far[i][j] = one + two
    cycles = [own for k in range(size) if (own := far[k][k]) is not None]
    return all(total >= 0 if on_grid else total > 0 for total in cycles)


def differences(reads: int, adjacency: str) -> Iterator[tuple[int, ...]]:
    """The extreme differences of so many inputs."""
    if adjacency == "one-differ":
        for place in range(reads):
            for sign in (-1, 1):
                yield tuple(sign * (k == place) for k in range(reads))
        return
    both = {"all-differ": (-1, 1), "increasing": (0, 1), "decreasing": (-1, 0)}[adjacency]
    yield from product(both, repeat=reads)


def cost(run: Run, delta: Sequence[int]) -> Fraction:
    """The least cost of shifts, each of them 0 or what some center moves by."""
    moved = [sum(times * delta[place] for place, times in center.items()) for center, _ in run.draws]
    values = sorted({0, *moved})
    asked: list[list[tuple[int, int]]] = [[] for _ in run.draws]  # what each may not be below, and what above
    for low, high, *_ in run.demands:
        if low != high:
            asked[max(low, high)].append((low, high))
    for one, other in run.shown:
        if one != other:
            asked[max(one, other)] += [(one, other), (other, one)]
    best = sum((rate * abs(own) for own, (_, rate) in zip(moved, run.draws, strict=True)), Fraction(0))
    shifts = [0] * (len(moved) + 1)  # the last one is that of 0

    def go(place: int, spent: Fraction) -> None:
        nonlocal best
        if place == len(moved):
            best = min(best, spent)
            return
        for shift in sorted(values, key=lambda value: abs(value - moved[place])):
            total = spent + run.draws[place][1] * abs(shift - moved[place])
            if total >= best:
                return
            shifts[place] = shift
            if all(shifts[low] <= shifts[high] for low, high in asked[place]):
                go(place + 1, total)

    go(0, Fraction(0))
    return best


def worst(run: Run, adjacency: str) -> Fraction:
    """What a run loses."""
    return max((cost(run, delta) for delta in differences(run.reads, adjacency)), default=Fraction(0))


def is_told(found: Sequence[Run]) -> bool:
    """Whether letters tell all runs apart, also before they have ended."""
    words = sorted(run.word for run in found)
    return all(later[: len(word)] != word for word, later in pairwise(words))


def least_of_classes(found: Sequence[Run], adjacency: str) -> Fraction:
    """What some word loses at least: all of its runs have one difference, and some run of them is cheapest.

    The probability of a word is a sum over its runs, so as inputs move it falls at least as fast as that of
    the cheapest one (docs/theory_observer.md). Words that go on from others are left out, and these too.
    """
    words: dict[Word, list[Run]] = {}
    for run in found:
        words.setdefault(run.word, []).append(run)
    most = Fraction(0)
    for word, own in words.items():
        if not any(
            other != word and all(a == b for a, b in zip(other, word, strict=False)) for other in words
        ):
            reads = max(run.reads for run in own)
            every = differences(reads, adjacency)
            most = max([most, *(min(cost(run, delta) for run in own) for delta in every)])
    return most
