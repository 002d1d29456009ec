"""What the tests of the engine share: problems of whole chains, and their numbers as `Fraction`s."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from flint import fmpq
from hypothesis import strategies as st

from prover.chain.ld.certificates import certify, exact_evidence, interval_evidence
from prover.chain.ld.interval import Enclosure
from prover.chain.ld.policy_iteration import Solution, draft, solve_exactly
from prover.chain.ld.problem import Problem, explore
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Basis, Coupling, Part
from prover.chain.model import LabelledMarkovChain, Pair
from prover.exact.rational import format_rational
from tests import oracle
from tests.certified import proved

F = Fraction
NOTHING = Basis((), frozenset(), frozenset())
CYCLE = Part((0, 1), (fmpq(1, 2), fmpq(2, 3)), (2, 3), (fmpq(1), fmpq(3, 2)))
"""Two sources and two sinks."""


def fraction(q: Any) -> Fraction:
    """The same number as the oracle has it."""
    return Fraction(int(q.p), int(q.q))


def flint(q: Fraction) -> fmpq:
    """The same number as the engine has it."""
    return fmpq(q.numerator, q.denominator)


def whole(chain: LabelledMarkovChain, alpha: Fraction, *, outside: bool = True) -> Problem:
    """The problem of all pairs of a chain."""
    everything = product(range(len(chain)), range(len(chain)))
    return explore(chain, alpha, everything, outside=outside)


def solved(chain: LabelledMarkovChain, alpha: Fraction, *, guided: bool = True) -> Solution:
    """The exact solution of all pairs, whose evidence the checker accepts."""
    solution = solve_exactly(draft(whole(chain, alpha)), guided=guided)
    claim = {"alpha": format_rational(alpha), "kind": "ld", "scope": "all-pairs", "width": "0"}
    proved(certify(chain, claim, exact_evidence(chain, solution)))
    return solution


def width_of(found: Enclosure) -> Fraction:
    """The largest width of an interval."""
    gaps = [found.upper.table.value(p) - found.lower.table.value(p) for p in found.problem.parts]
    return max(gaps, default=F(0))


def prove_enclosure(chain: LabelledMarkovChain, alpha: Fraction, found: Enclosure) -> None:
    """The checker accepts the evidence of an enclosure of all pairs."""
    width = format_rational(width_of(found))
    claim = {"alpha": format_rational(alpha), "kind": "ld", "scope": "all-pairs", "width": width}
    proved(certify(chain, claim, interval_evidence(chain, found)))


def full(chain: LabelledMarkovChain, table: DistanceValues) -> oracle.Table:
    """A table of the engine in the form of the oracle's."""
    return oracle.table(chain, {pair: table.value(pair) for pair in table.numerators})


def engine_table(chain: LabelledMarkovChain, d: oracle.Table) -> DistanceValues:
    """A table of the oracle in the form of the engine's."""
    return DistanceValues.of({(s, t): flint(d[s][t]) for s, t in oracle.alike_pairs(chain)})


def below(left: oracle.Table, right: oracle.Table) -> bool:
    """Whether one table is nowhere above the other."""
    return all(p <= q for rows in zip(left, right, strict=True) for p, q in zip(*rows, strict=True))


def balance(chain: LabelledMarkovChain, alpha: Fraction, pair: Pair) -> dict[int, Fraction]:
    """b = μ_s − α μ_t, for all states."""
    x, y = (chain.rows[state] for state in pair)
    return {k: x.get(k, F(0)) - alpha * y.get(k, F(0)) for k in range(len(chain))}


def behind(b: Mapping[int, Fraction], coupling: Coupling, alpha: Fraction) -> dict[int, Fraction]:
    """What a coupling leaves behind at every state, negative where capacity is left."""
    left = dict(b)
    for (i, j), weight in coupling.weights.items():
        left[i] -= fraction(weight)
        left[j] += alpha * fraction(weight)
    return left


def amounts_of(parts: tuple[Part, ...]) -> dict[int, Fraction]:
    """b as the parts have it."""
    b: dict[int, Fraction] = {}
    for part in parts:
        b |= {k: fraction(x) for k, x in zip(part.sources, part.supplies, strict=True)}
        b |= {k: -fraction(x) for k, x in zip(part.sinks, part.capacities, strict=True)}
    return b


def pairing(part: Part, paths: tuple[tuple[int, ...], ...], *opened: int) -> Basis:
    """The basis of these paths in which the given states are open."""
    return Basis(paths, frozenset(part.sources) & set(opened), frozenset(part.sinks) & set(opened))


@st.composite
def tables(draw: st.DrawFn, chain: LabelledMarkovChain) -> oracle.Table:
    """Any numbers at all: mostly 0 and 1, which violates every triangle inequality, or one of a few."""
    random = Random(draw(st.integers(0, 2**32)))
    palette = random.choice(
        [[F(0), F(1)], [F(0), F(0), F(1, 100), F(1)], [F(k, 7) for k in range(8)], [F(1, 9), F(1, 3), F(1)]]
    )
    return oracle.table(chain, {pair: random.choice(palette) for pair in oracle.alike_pairs(chain)})
