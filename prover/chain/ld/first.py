"""What one step says of pairs of states, before anything else is known, and intervals that keep its ends.

Reference: docs/theory.md, *Certified intervals*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from prover.chain.ld.certificates import interval_evidence
from prover.chain.ld.found import TRIVIAL, Bound, DistanceQuestion, FoundBounds, largest
from prover.chain.ld.interval import first_enclosure
from prover.chain.ld.options.certificates import interval_evidence as evidence_of_options
from prover.chain.ld.options.interval import first_enclosure as first_of_options
from prover.chain.ld.options.problem import alone as options_alone
from prover.chain.ld.problem import alone
from prover.chain.ld.symmetric import first_symmetric
from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.process import LabelledMarkovDecisionProcess, System
from prover.chain.symmetry import Orbits
from prover.exact.rational import total

MOST_AT_ONCE = 100_000
"""Of so many queried pairs, the first ones, it is said at once what one step says, which takes seconds."""


def narrowing(
    system: System,
    budget: DistanceQuestion,
    alpha: Fraction,
    queries: Sequence[Pair],
    on_interval: Callable[[FoundBounds], None],
) -> Callable[[FoundBounds], None]:
    """Report what one step says of the queried pairs, each by itself, if it says anything.

    Where they are more than MOST_AT_ONCE it is said of the first of them only.

    What is returned reports later intervals, with the ends of this one where theirs are no better.
    """
    pairs, symmetric = alike(system, queries), budget.kind == "bd"
    first = after_one_step(system, alpha, pairs, symmetric=symmetric)
    if first is None:
        return on_interval
    on_interval(first)
    return keeping(first, system, budget, pairs, on_interval)


def keeping(
    known: FoundBounds,
    system: System,
    budget: DistanceQuestion,
    queries: Sequence[Pair],
    on_interval: Callable[[FoundBounds], None],
) -> Callable[[FoundBounds], None]:
    """What reports later intervals with the ends that are known, where theirs are no better.

    That is said of the largest distance of the pairs, or, for all pairs, of the sum.
    """
    pairs, symmetric = alike(system, queries), budget.kind == "bd"

    def of_all(bound: Bound) -> Fraction:
        return total(map(bound, pairs)) if budget.all_pairs else largest(bound, pairs)

    lower, upper = of_all(known.lower), of_all(known.upper)

    def report(later: FoundBounds) -> None:
        below = lower > of_all(later.lower)
        above = upper < of_all(later.upper)
        on_interval(_with_sides(later, known, below=below, above=above, symmetric=symmetric))

    return report


def after_one_step(
    system: System, alpha: Fraction, queries: Sequence[Pair], *, symmetric: bool
) -> FoundBounds | None:
    """What one step says of pairs, of the first MOST_AT_ONCE of them; None if it says nothing."""
    pairs = alike(system, queries)
    some = pairs[:MOST_AT_ONCE]
    if isinstance(system, LabelledMarkovDecisionProcess):
        first = _of_process(system, alpha, some, symmetric=symmetric)
    else:
        first = _of_chain(system, alpha, some, symmetric=symmetric)
    if first is None or len(some) == len(pairs):
        return first
    return _of_some(first, [*some, *((t, s) for s, t in some if symmetric)])


def alike(system: System, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of two states of equal label."""
    return [(s, t) for s, t in pairs if s != t and system.labels[s] == system.labels[t]]


def _of_chain(
    chain: LabelledMarkovChain, alpha: Fraction, pairs: Sequence[Pair], *, symmetric: bool
) -> FoundBounds | None:
    """What one step says of pairs of a chain; None if it says nothing."""
    problem = alone(chain, alpha, {*pairs, *((t, s) for s, t in pairs if symmetric)})
    found, oriented = first_symmetric(problem) if symmetric else (first_enclosure(problem), None)
    if not found.lower.potentials and not found.upper.couplings:
        return None
    lower, upper = found.lower.table.value, found.upper.table.value
    return FoundBounds(lower, upper, "labels", lambda: interval_evidence(chain, found, oriented))


def _of_process(
    process: LabelledMarkovDecisionProcess, alpha: Fraction, pairs: Sequence[Pair], *, symmetric: bool
) -> FoundBounds | None:
    """The same of pairs of a process, whatever action is chosen."""
    found = first_of_options(options_alone(process, alpha, pairs, symmetric=symmetric))
    if not found.lower.potentials and not found.couplings:
        return None
    lower, upper = found.lower.table.value, found.upper.value
    return FoundBounds(lower, upper, "labels", lambda: evidence_of_options(process, found))


def _of_some(found: FoundBounds, pairs: Sequence[Pair]) -> FoundBounds:
    """Bounds of some pairs, and 0 and 1 of all others."""
    known = set(pairs)

    def within(bound: Bound, other: Bound) -> Bound:
        return lambda pair: (bound if pair in known else other)(pair)

    return replace(found, lower=within(found.lower, TRIVIAL.lower), upper=within(found.upper, TRIVIAL.upper))


def _with_sides(
    found: FoundBounds, other: FoundBounds, *, below: bool, above: bool, symmetric: bool
) -> FoundBounds:
    """The bounds found, with the lower or the upper ones of the other."""
    kept = [side for side, chosen in (("lower", below), ("upper", above)) if chosen]

    def evidence() -> Mapping[str, Any]:
        sides, known = found.evidence(), other.evidence() if kept else {}
        orbits = Orbits(sides.get("symmetries", ()))
        return {**sides, **{side: _of_orbits(known, side, orbits, symmetric=symmetric) for side in kept}}

    return replace(
        found,
        lower=other.lower if below else found.lower,
        upper=other.upper if above else found.upper,
        engine=other.engine if below and above else found.engine,
        evidence=evidence,
        from_delta=(other if below else found).from_delta,
    )


def _of_orbits(known: Mapping[str, Any], side: str, orbits: Orbits, *, symmetric: bool) -> Mapping[str, Any]:
    """A side with one row for all pairs that symmetries exchange, the one that says most of its pair.

    An unrolling has no rows, and stays as it is.
    """
    table = known[side]
    if "rows" not in table or not orbits.symmetries:
        return dict(table)
    sign = 1 if side == "upper" else -1
    rows: dict[Pair, Mapping[str, Any]] = {}
    for row in sorted(table["rows"], key=lambda row: sign * int(row["value"])):
        s, t = row["pair"]
        key = orbits.representative((s, t))
        rows.setdefault(min(key, orbits.representative((t, s))) if symmetric else key, row)
    return {**table, "rows": sorted(rows.values(), key=lambda row: row["pair"])}
