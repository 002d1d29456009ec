#!/usr/bin/env python3
"""Chains for which the operator of bd has more than one fixed point that vanishes on its kernel.

    python examples/two_fixed_points.py --seconds 60 --seed 1 --states 5

*Bisimilarity Distances for Approximate Differential Privacy* (ATVA 2018) ends with a conjecture: bd_alpha,
the least fixed point of an operator, is the only fixed point of a similar one. A natural candidate is the
same operator with 0 on its kernel, the pairs with bd_alpha = 0. `counterexample()` is a chain of five states
for which this candidate has a fixed point for every value of an interval; alpha is 4/3.

The script proves this in exact arithmetic and searches for more such chains. A second fixed point needs pairs
of equal label that support each other: for one direction of each, there is a coupling on these pairs that
leaves nothing behind and has total weight exactly 1 (docs/theory.md, *Many fixed points*). Random chains
almost never satisfy such equations. So the script takes corners of the polytope of all chains in which the
neighbours on a path of states support each other, along random routes.
"""

from __future__ import annotations

import argparse
import itertools
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

import prover
from prover.chain.ld.optimality import Judge
from prover.chain.ld.policy_evaluation import UselessPolicy, evaluate_policy
from prover.chain.ld.problem import Pair, Problem, explore
from prover.chain.ld.symmetric import orient
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Basis, Coupling, Couplings
from prover.chain.model import LabelledMarkovChain
from prover.exact.linear import SingularSystem
from prover.formats.convert import write_json

ALPHAS = [Fraction(text) for text in ("101/100", "11/10", "6/5", "5/4", "4/3", "7/5", "3/2", "2", "3", "4")]
MOST_ROUNDS = 30
TRIES = 6
NOTHING = Basis((), frozenset(), frozenset())


# One chain: is there a second fixed point? ---------------------------------------------------------------


@dataclass(frozen=True)
class Second:
    """A fixed point of the operator above bd, with the value ``raised`` on the supporting pairs."""

    raised: Fraction
    supporting: Fraction
    values: Mapping[Pair, Fraction]
    gap: Fraction


def second_fixed_point(
    chain: LabelledMarkovChain, alpha: Fraction, supporting: Sequence[Pair]
) -> Second | None:
    """A fixed point that is larger than bd on the given pairs, equal on all of them, and 0 where bd is.

    Everything here is exact: bd has a verified certificate, and the new table is a fixed point.
    """
    least = prover.distances(chain, alpha, kind="bd")
    prover.verify(least.certificate)
    directed = explore(chain, alpha, [(i, j) for i in range(len(chain)) for j in range(i)], both_ways=True)
    bd = {p: least.lower[chain.states[p[0]], chain.states[p[1]]] for p in directed.parts if p[0] < p[1]}
    keys = [(min(pair), max(pair)) for pair in supporting]
    value = bd[keys[0]]
    if value == 0 or any(bd[key] != value for key in keys):
        return None
    for k in range(1, TRIES):
        raised = _simplest_between(value, value * (1 + Fraction(1, 2**k)))
        found = _raise_to(directed, bd, keys, raised)
        if found is not None:
            return Second(raised, value, found, max(found[p] - bd[p] for p in bd))
    return None


def _simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of least denominator strictly between the two."""
    return next(Fraction(int(low * q) + 1, q) for q in itertools.count(1) if int(low * q) + 1 < high * q)


def _raise_to(
    directed: Problem, bd: Mapping[Pair, Fraction], keys: Sequence[Pair], raised: Fraction
) -> Mapping[Pair, Fraction] | None:
    """The fixed point with the value ``raised`` on the keys, if strategy improvement from bd finds one."""
    values = dict(bd) | dict.fromkeys(keys, raised)
    for _ in range(MOST_ROUNDS):
        lifted = {pair: _best_direction(directed, values, pair) for pair in values}
        if all(cost == values[pair] for pair, (cost, _, _) in lifted.items()):
            return values
        open_pairs = {pair for pair in values if bd[pair] > 0}
        forward = {pair: ahead for pair, (_, ahead, _) in lifted.items()}
        couplings = {pair: lifted[pair][2] for pair in sorted(open_pairs)}
        couplings |= {pair: Coupling({}, fmpq(raised.numerator, raised.denominator)) for pair in keys}
        try:
            solution, _ = evaluate_policy(orient(directed, forward).problem, couplings)
        except (SingularSystem, UselessPolicy):
            return None
        values |= {pair: solution.value(pair) for pair in solution.numerators}
    return None


def _best_direction(
    directed: Problem, values: Mapping[Pair, Fraction], pair: Pair
) -> tuple[Fraction, bool, Coupling]:
    """The operator at a pair: its value, whether the forward direction attains it, and a best coupling."""
    both = {order: v for (i, j), v in values.items() for order in ((i, j), (j, i))}
    judge = Judge.of(
        directed, DistanceValues.of({p: fmpq(v.numerator, v.denominator) for p, v in both.items()})
    )
    found = []
    for ahead, direction in ((True, pair), (False, (pair[1], pair[0]))):
        parts = directed.parts[direction]
        coupling = Couplings(directed.alpha).of(parts, judge.improve(parts, [NOTHING] * len(parts)))
        if coupling is None:
            raise prover.Fault(f"the best coupling of pair {direction} is infeasible")
        cost = judge.table.cost(coupling) / judge.table.denominator
        found.append((Fraction(int(cost.p), int(cost.q)), ahead, coupling))
    return max(found, key=lambda entry: entry[0])


def counterexample() -> tuple[LabelledMarkovChain, Fraction, list[Pair]]:
    """The smallest chain found, with α and the pairs that support each other: A–B, B–C and C–D."""
    chain = LabelledMarkovChain.of(
        {
            "A": ("a", {"D": "127/148", "end": "21/148"}),
            "B": ("a", {"A": "9/37", "D": "21/37", "end": "7/37"}),
            "C": ("a", {"A": "445/1036", "C": "3/7", "end": "21/148"}),
            "D": ("a", {"A": "529/592", "end": "63/592"}),
            "end": ("end", {"end": 1}),
        }
    )
    return chain, Fraction(4, 3), [(1, 0), (1, 2), (2, 3)]


# Chains with pairs that support each other ---------------------------------------------------------------


@dataclass(frozen=True)
class Design:
    """States 0 … size−1 of one label and an end; neighbours k, k+1 support each other.

    ``directions[k]`` is the direction of this pair that is to be supported, and its coupling is on the arcs
    ``routes[k]`` between neighbours.
    """

    alpha: Fraction
    size: int
    directions: tuple[Pair, ...]
    routes: tuple[tuple[Pair, ...], ...]

    @classmethod
    def sample(cls, size: int, dice: random.Random) -> Design:
        """A random design."""
        arcs = [(k, k + 1) for k in range(size - 1)]
        turned = [arc[::-1] for arc in arcs]
        directions = tuple(dice.choice(both) for both in zip(arcs, turned, strict=True))
        # Routes that all lead the same way let mass take several arcs in a row.
        routes = tuple(tuple(dice.choice([arcs, turned])) for _ in arcs)
        return cls(dice.choice(ALPHAS), size, directions, routes)

    def equations(self) -> tuple[list[list[Fraction]], list[Fraction]]:
        """A x = h for x = (rows of the states, weights of the couplings), all between 0 and 1.

        Rows sum to 1, weights of a coupling sum to 1, and μ_s(k) − α μ_t(k) = Σ_j w(k,j) − α Σ_i w(i,k).
        """
        ends, arcs = self.size + 1, self.size - 1
        width = self.size * ends + arcs * arcs
        matrix: list[list[Fraction]] = []
        right: list[Fraction] = []

        def add(entries: Sequence[tuple[int, Fraction]], value: int) -> None:
            row = [Fraction(0)] * width
            for column, entry in entries:
                row[column] += entry
            matrix.append(row)
            right.append(Fraction(value))

        one = Fraction(1)
        for s in range(self.size):
            add([(s * ends + k, one) for k in range(ends)], 1)
        for n, (s, t) in enumerate(self.directions):
            first = self.size * ends + n * arcs
            add([(first + place, one) for place in range(arcs)], 1)
            for k in range(ends):
                entries = [(s * ends + k, one), (t * ends + k, -self.alpha)]
                entries += [(first + place, -one) for place, (i, _) in enumerate(self.routes[n]) if i == k]
                entries += [
                    (first + place, self.alpha) for place, (_, j) in enumerate(self.routes[n]) if j == k
                ]
                add(entries, 0)
        return matrix, right

    def corners(self, count: int, dice: np.random.Generator) -> list[LabelledMarkovChain]:
        """Chains at corners of the polytope, in random directions; none if it is empty."""
        from scipy.optimize import linprog

        matrix, right = self.equations()
        a, h = np.array(matrix, dtype=float), np.array(right, dtype=float)
        found = []
        for _ in range(count):
            goal: Any = dice.normal(size=a.shape[1])
            goal[self.size * (self.size + 1) :] *= dice.integers(2)
            for first in range(0, self.size * (self.size + 1), self.size + 1):
                goal[first : first + self.size] += dice.choice([0, 1, 2, 4])  # mass to the end: bd > 0
            best = linprog(goal, A_eq=a, b_eq=h, bounds=(0, 1), method="highs")
            if best.status != 0:
                break
            exact = _exactly(matrix, right, [k for k, x in enumerate(best.x) if x > 1e-9])
            if exact is not None:
                found.append(self.chain(exact))
        return found

    def chain(self, point: Mapping[int, Fraction]) -> LabelledMarkovChain:
        """The chain of a point of the polytope."""
        names = [chr(ord("A") + s) for s in range(self.size)] + ["end"]
        states: dict[str, tuple[str, dict[str, Fraction]]] = {"end": ("end", {"end": Fraction(1)})}
        for s in range(self.size):
            places = enumerate(names, start=s * len(names))
            states[names[s]] = ("a", {name: point[k] for k, name in places if k in point})
        return LabelledMarkovChain.of(states)


def _exactly(
    matrix: list[list[Fraction]], right: list[Fraction], support: Sequence[int]
) -> dict[int, Fraction] | None:
    """The only solution that is 0 outside the support, if there is exactly one and it is positive there."""
    rows: list[list[Any]] = [[row[k] for k in support] + [h] for row, h in zip(matrix, right, strict=True)]
    reduced, rank = fmpq_mat([[fmpq(q.numerator, q.denominator) for q in row] for row in rows]).rref()
    last = len(support)
    if rank != last or any(reduced[r, r] != 1 for r in range(last)):
        return None
    solution = {k: Fraction(int(reduced[r, last].p), int(reduced[r, last].q)) for r, k in enumerate(support)}
    return solution if all(x > 0 for x in solution.values()) else None


# The search ----------------------------------------------------------------------------------------------


def search(seconds: float, seed: int, states: int) -> None:
    """Searches for the given time and prints what it finds."""
    dice, numbers = random.Random(seed), np.random.default_rng(seed)
    deadline = time.monotonic() + seconds
    designs = pairs = hits = 0
    seen: set[tuple[Fraction, LabelledMarkovChain]] = set()
    widest = Fraction(0)
    while time.monotonic() < deadline:
        design = Design.sample(states - 1, dice)
        designs += 1
        for chain in design.corners(4, numbers):
            if (design.alpha, chain) in seen or time.monotonic() > deadline:
                continue
            seen.add((design.alpha, chain))
            pairs += design.size * (design.size - 1) // 2
            second = second_fixed_point(chain, design.alpha, design.directions)
            if second is not None:
                hits += 1
                widest = max(widest, second.gap)
                print(f"\nAnother one at alpha = {design.alpha}: {describe(second)}")
                print(write_json(chain), end="", flush=True)
    print(
        f"\nSearched {designs} designs of {states} states: {len(seen)} chains, {pairs} unordered pairs;"
        f" {hits} chains with a second fixed point; largest gap {float(widest):.6f}."
    )


def describe(second: Second) -> str:
    """The two values of the supporting pairs, in one line."""
    return (
        f"on the supporting pairs bd is {second.supporting} = {float(second.supporting):.6f},"
        f" a second fixed point is {second.raised}"
    )


def main() -> None:
    """Reads the options, proves the counterexample, searches for more."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--seconds", type=float, default=60.0, help="how long to search")
    options.add_argument("--seed", type=int, default=1, help="seed of the random choices")
    options.add_argument("--states", type=int, default=5, choices=range(4, 10), help="states of the chains")
    chosen = options.parse_args()
    chain, alpha, supporting = counterexample()
    known = second_fixed_point(chain, alpha, supporting)
    if known is None:
        raise SystemExit("the counterexample fails: its proof or this program is wrong")
    print(f"Counterexample at alpha = {alpha}, confirmed exactly: {describe(known)}.")
    for (i, j), value in known.values.items():
        print(f"  {chain.states[i]}, {chain.states[j]}: {value}")
    search(chosen.seconds, chosen.seed, chosen.states)


if __name__ == "__main__":
    main()
