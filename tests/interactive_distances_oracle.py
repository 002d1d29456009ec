"""Distances of decision processes, slowly: from below, choice by choice, and by what least means.

Reference: docs/theory_interactive.md. Nothing here shares a line with the prover.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from prover.chain.process import LabelledMarkovDecisionProcess
from tests import oracle
from tests.oracle_linear import lp_max

Pair = tuple[int, int]
Table = list[list[Fraction]]
ZERO, ONE = Fraction(0), Fraction(1)
GRAIN = 2**60


def lift(
    process: LabelledMarkovDecisionProcess, alpha: Fraction, d: Table, pair: Pair, action: str
) -> Fraction:
    """K(d) of the rows of one action."""
    return oracle.Operator(process.under[action], alpha).lift(d, pair).value


def options(process: LabelledMarkovDecisionProcess, pair: Pair, symmetric: bool) -> list[tuple[Pair, str]]:
    """What the attacker chooses from at a pair: an action, and for bd a direction."""
    ways = (pair, pair[::-1]) if symmetric else (pair,)
    return [(way, action) for action in process.menu(pair[0]) for way in ways]


def step(process: LabelledMarkovDecisionProcess, alpha: Fraction, d: Table, symmetric: bool = False) -> Table:
    """D(d): of every pair the largest lifting over all options."""
    return oracle.table(
        process.skeleton,
        {
            pair: max(lift(process, alpha, d, way, a) for way, a in options(process, pair, symmetric))
            for pair in oracle.alike_pairs(process.skeleton)
        },
    )


def value_iteration(
    process: LabelledMarkovDecisionProcess, alpha: Fraction, rounds: int, symmetric: bool = False
) -> Table:
    """Bounds from below: so many steps from 0, rounded down."""
    d = oracle.table(process.skeleton, {})
    for _ in range(rounds):
        stepped = step(process, alpha, d, symmetric)
        after = [[Fraction(entry * GRAIN // 1, GRAIN) for entry in row] for row in stepped]
        if after == d:
            break
        d = after
    return d


@dataclass(frozen=True)
class UnderChoice(oracle.Operator):
    """D_π: every pair moves by its own action."""

    process: LabelledMarkovDecisionProcess | None = None
    choice: Mapping[Pair, str] | None = None

    def lift(self, d: Table, pair: Pair) -> oracle.Lifted:
        assert self.process is not None
        assert self.choice is not None
        return oracle.Operator(self.process.under[self.choice[pair]], self.alpha).lift(d, pair)


def choices(process: LabelledMarkovDecisionProcess) -> Iterator[dict[Pair, str]]:
    """All memoryless choices of an action a pair."""
    alike = oracle.alike_pairs(process.skeleton)
    for chosen in product(*(process.menu(pair[0]) for pair in alike)):
        yield dict(zip(alike, chosen, strict=True))


def under(process: LabelledMarkovDecisionProcess, alpha: Fraction, choice: Mapping[Pair, str]) -> Table:
    """The least fixed point of D_π."""
    return oracle.least_fixed_point(UnderChoice(process.skeleton, alpha, None, False, process, choice))


def best_of_all_choices(process: LabelledMarkovDecisionProcess, alpha: Fraction) -> Table:
    """Entry by entry the largest of the least fixed points of all choices."""
    tables = [under(process, alpha, choice) for choice in choices(process)]
    states = range(len(process))
    return [[max(table[s][t] for table in tables) for t in states] for s in states]


def supports_itself(
    process: LabelledMarkovDecisionProcess,
    alpha: Fraction,
    pair: Pair,
    action: str,
    left: set[Pair],
    direct: bool = False,
) -> bool:
    """Whether the pair has a coupling on what is left that leaves nothing behind and has weights of sum 1; if
    `direct`, one of arcs from states with b > 0 to states with b < 0.
    """
    x, y = (process.row(state, action) for state in pair)
    b_of = [x.get(k, ZERO) - alpha * y.get(k, ZERO) for k in range(len(process))]
    arcs = [(i, j) for i, j in sorted(left) if not direct or b_of[i] > 0 > b_of[j]]
    if not arcs:
        return False
    a, b = [[ONE] * len(arcs)], [ONE]
    for k in range(len(process)):
        a.append([alpha * (j == k) - (i == k) for i, j in arcs])
        b.append(-b_of[k])
    return feasible(a, b)


def feasible(a: list[list[Fraction]], b: list[Fraction]) -> bool:
    """Whether a w = b in the first row, a w <= b in the others, for some w >= 0 (b may be negative)."""
    size = len(a[0])
    # The least v with a w − v ≤ b, w's sum at most 1 and as near to 1 as v says: 0 if and only if feasible.
    rows = [[*a[0], ZERO], [*(-x for x in a[0]), -ONE], *([*row, -ONE] for row in a[1:])]
    shifted = [b[0], -b[0], *b[1:]]
    return _least_violation(rows, shifted, size) == 0


def _least_violation(a: list[list[Fraction]], b: list[Fraction], size: int) -> Fraction:
    """min v over w, v ≥ 0: with v = M − z, z in [0, M], the right sides are non-negative where v enters."""
    most = max([ONE, *(-x for x in b)])
    rows = [[*row[:size], -row[size]] for row in a]
    right = [x - row[size] * most for x, row in zip(b, a, strict=True)]
    rows.append([ZERO] * size + [ONE])
    right.append(most)
    best, _ = lp_max([ZERO] * size + [ONE], rows, right)
    return most - best


def is_least(process: LabelledMarkovDecisionProcess, alpha: Fraction, d: Table) -> bool:
    """Whether a fixed point is the least one: removal empties every class of equal values."""
    alike = oracle.alike_pairs(process.skeleton)
    attaining = {
        pair: [a for a in process.menu(pair[0]) if lift(process, alpha, d, pair, a) == d[pair[0]][pair[1]]]
        for pair in alike
    }
    for value in {d[s][t] for s, t in alike} - {ZERO}:
        left = {pair for pair in alike if d[pair[0]][pair[1]] == value}
        while left:
            gone = {
                pair
                for pair in left
                if not all(supports_itself(process, alpha, pair, a, left) for a in attaining[pair])
            }
            if not gone:
                return False
            left -= gone
    return True


def below_by_choice(
    process: LabelledMarkovDecisionProcess, alpha: Fraction, choice: Mapping[Pair, str], grid: int
) -> Table:
    """The greatest table d of multiples of 1/grid with d <= D_π(d)."""
    alike = oracle.alike_pairs(process.skeleton)
    values = dict.fromkeys(alike, ONE)
    while True:
        d = oracle.table(process.skeleton, values)
        after = {
            pair: min(values[pair], Fraction(lift(process, alpha, d, pair, choice[pair]) * grid // 1, grid))
            for pair in alike
        }
        if after == values:
            return d
        values = after


def is_proved(
    process: LabelledMarkovDecisionProcess, alpha: Fraction, d: Table, choice: Mapping[Pair, str]
) -> bool:
    """Whether d <= D_π(d), and no pairs of equal distance with d = D_π(d) support each other by π; at α = 1
    by direct couplings.
    """
    made = {
        pair: lift(process, alpha, d, pair, choice[pair]) for pair in oracle.alike_pairs(process.skeleton)
    }
    if any(d[s][t] > value for (s, t), value in made.items()):
        return False
    for value in {d[s][t] for s, t in made} - {ZERO}:
        left = {(s, t) for (s, t), lifted in made.items() if d[s][t] == value == lifted}
        while left:
            stays = {
                pair
                for pair in left
                if supports_itself(process, alpha, pair, choice[pair], left, direct=alpha == 1)
            }
            if stays == left:
                return False
            left = stays
    return True
