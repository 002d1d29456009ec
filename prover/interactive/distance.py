"""Distances of a system in which an attacker chooses: they bound δ against all attackers, from its steps.

Reference: docs/theory_interactive.md, *Distances*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

from prover.chain.answer import Distance, DistanceTable
from prover.chain.arguments import Slope
from prover.chain.dispatch import LONGEST, Budget, Found, of_states
from prover.chain.distance import checked_slope, over_all, over_pairs, query_pairs, unfit_merge, unknown_kind
from prover.chain.kinds import KINDS, known_name
from prover.chain.ld.certificates import bisimilarity_evidence, no_evidence
from prover.chain.model import Pair
from prover.errors import NotSupported, must_be
from prover.exact.given import Given
from prover.exact.linear import TooLong
from prover.interactive.collapsing.collapse import begun_anywhere, begun_at, secrets
from prover.interactive.ld.certificates import certify_process, exact_evidence
from prover.interactive.ld.improvement import improve
from prover.interactive.ld.problem import explore
from prover.interactive.merging import bisimilarity_of
from prover.interactive.model import LabelledMarkovDecisionProcess, quotient_of
from prover.progress import Progress, silent


@dataclass(frozen=True, slots=True, repr=False)
class InteractiveDistance(Distance):
    """lower ≤ distance ≤ upper for one pair of states of a process, or for the largest of its relation."""

    process: LabelledMarkovDecisionProcess | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, repr=False)
class InteractiveDistanceTable(DistanceTable):
    """lower ≤ distance ≤ upper for all ordered pairs of states of a process, by their names."""

    process: LabelledMarkovDecisionProcess | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, pair: tuple[str, str]) -> InteractiveDistance:
        """The distance from one state to another one; raises WrongArgument, UnknownName."""
        return InteractiveDistance(**_parts(DistanceTable.__getitem__(self, pair)), process=self.process)


def distance(
    process: LabelledMarkovDecisionProcess,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    kind: str = "ld",
    merge: bool = False,
    progress: Progress = silent,
    on_interval: Callable[[Distance], None] | None = None,
) -> InteractiveDistance:
    """The distance from state ``source`` to state ``target``; without them, the largest over the relation.

    It is the least table that no action of any pair exceeds, when it is lifted to where that leads; δ against
    every attacker is at most that. ``kind`` is "ld" or "bd" (the same, symmetric), or "bisimilarity" (0 if no
    attacker tells the two apart, as no action does; else 1). With ``merge`` states that are bisimilar under
    all actions count as one: ld and bd are those of the quotient. The other arguments are those of
    ``prover.distance`` for chains.

        >>> from prover.zoo.interactive import doors, wait
        >>> distance(wait(), "t", "s", "6/5").value
        Fraction(2, 5)
        >>> print(distance(doors(), alpha=2))
        max ld_2 = ld_2(s, t) = 1/4 (0.25)

    Raises UnknownName, NotSupported, BadValue, BadOptions.
    """
    must_be(LabelledMarkovDecisionProcess, process=process)
    slope, budget = _asked(kind, alpha, epsilon, merge=merge)
    process = begun_at(process, source, target)
    _, queries = query_pairs(process.outline, source, target)
    named = source is not None
    exponent = None if slope is None else slope.epsilon

    def answer(found: Found) -> InteractiveDistance:
        prove = partial(certify_process, process)
        made = over_pairs(process.outline, budget, found, queries, slope, named=named, prove=prove)
        made = replace(made, epsilon=exponent, chain=None)
        return InteractiveDistance(**_parts(made), process=process)

    if on_interval is not None and slope is not None:
        on_interval(answer(_trivial(process, budget)))
    return answer(_found(process, budget, queries, progress))


def distances(
    process: LabelledMarkovDecisionProcess,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    kind: str = "ld",
    merge: bool = False,
    progress: Progress = silent,
    on_interval: Callable[[DistanceTable], None] | None = None,
) -> InteractiveDistanceTable:
    """The distances of all ordered pairs of states; arguments and errors as for ``distance``.

    >>> from prover.zoo.interactive import wait
    >>> table = distances(wait(), "6/5")
    >>> table.exact, table.lower["s", "t"], table.lower["t", "s"]
    (True, Fraction(1, 2), Fraction(2, 5))
    """
    must_be(LabelledMarkovDecisionProcess, process=process)
    slope, budget = _asked(kind, alpha, epsilon, merge=merge)
    process = begun_anywhere(process)
    states = range(len(process))
    everything = [(s, t) for s in states for t in states]
    exponent = None if slope is None else slope.epsilon

    def answer(found: Found) -> InteractiveDistanceTable:
        prove = partial(certify_process, process)
        made = over_all(process.outline, budget, found, secrets(process), slope, prove)
        made = replace(made, epsilon=exponent, chain=None)
        return InteractiveDistanceTable(**_parts(made), process=process)

    if on_interval is not None and slope is not None:
        on_interval(answer(_trivial(process, budget)))
    return answer(_found(process, budget, everything, progress))


def largest(
    process: LabelledMarkovDecisionProcess,
    pairs: Iterable[Pair],
    alpha: Fraction,
    kind: str,
    progress: Progress,
) -> Fraction:
    """The largest distance of some pairs of states, or 1 where exact numbers are too long."""
    labels = process.labels
    asked = [(s, t) for s, t in pairs if s != t]
    if any(labels[s] != labels[t] for s, t in asked):
        return Fraction(1)
    _, budget = _asked(kind, alpha, None, merge=False)
    found = _found(process, budget, asked, progress)
    return max(map(found.upper, asked), default=Fraction(0))


def _asked(
    kind: str, alpha: Given | None, epsilon: Given | None, *, merge: bool
) -> tuple[Slope | None, Budget]:
    """Where a distance is asked for, of a kind that there is where an attacker chooses."""
    known = known_name(kind, KINDS)
    if known is None:
        raise unknown_kind(kind)
    if known == "lgd":
        raise NotSupported(
            "kind lgd is for chains: where an attacker chooses, the greatest fixed point is another number; "
            "ask for ld",
            code="not-interactive",
        )
    if known == "kernel":
        raise NotSupported(
            "kind kernel is for chains; where an attacker chooses, ask whether ld is 0",
            code="not-interactive",
        )
    must_be(bool, merge=merge)
    if merge and known == "bisimilarity":
        raise unfit_merge(kind)
    slope = checked_slope(kind, alpha, epsilon)
    return slope, Budget(known, None if slope is None else slope.upper, False, None, merge=merge)


def _found(
    process: LabelledMarkovDecisionProcess, budget: Budget, queries: Sequence[Pair], progress: Progress
) -> Found:
    """The distances of the queried pairs, exact; nothing where numbers would be too long for certificates."""
    progress("pairs", 0, None)
    if budget.alpha is None:
        alike = bisimilarity_of(process)
        class_of = alike.class_of()

        def value(pair: Pair) -> Fraction:
            return Fraction(class_of[pair[0]] != class_of[pair[1]])

        return Found(value, value, "refinement", lambda: bisimilarity_evidence(alike))
    if budget.merge:
        return _merged(process, budget, queries, progress)
    problem = explore(process, budget.alpha, queries, symmetric=budget.kind == "bd")
    try:
        found = improve(problem, progress, max_bits=LONGEST)
    except TooLong:
        return _trivial(process, budget)
    if int(found.table.denominator).bit_length() > LONGEST:
        return _trivial(process, budget)
    exact = found.table.value
    return Found(exact, exact, "strategies", lambda: exact_evidence(process, found), found.effort)


def _merged(
    process: LabelledMarkovDecisionProcess, budget: Budget, queries: Sequence[Pair], progress: Progress
) -> Found:
    """Bounds for the classes that the queried states are in, where bisimilar states are one."""
    alike = bisimilarity_of(process)
    class_of = alike.class_of()
    asked = sorted({(class_of[s], class_of[t]) for s, t in queries})
    whole = replace(budget, merge=False)
    return of_states(_found(quotient_of(process, alike.classes), whole, asked, progress), alike)


def _trivial(process: LabelledMarkovDecisionProcess, budget: Budget) -> Found:
    """That distances are from 0 to 1."""
    nothing = Found(lambda _: Fraction(0), lambda _: Fraction(1), "trivial", no_evidence)
    return of_states(nothing, bisimilarity_of(process)) if budget.merge else nothing


def _parts(answer: Distance | DistanceTable) -> dict[str, Any]:
    return {part.name: getattr(answer, part.name) for part in fields(answer)}
