"""The trade-off function of a process: the least errors of tests of all attackers, who choose actions.

Reference: docs/theory_divergences.md, *Trade-off functions*, "Attackers".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise

from prover.accounting.distribution import rounded_up
from prover.accounting.tradeoff import TradeOff, least
from prover.certificate.schema import Json
from prover.chain.secrets import Secrets
from prover.chain.unrolling.certificates import unrolling_evidence
from prover.chain.unrolling.graph import Node
from prover.chain.unrolling.intervals import Goal, Intervals
from prover.chain.unrolling.refinement import Limits, Refinement, enclose
from prover.chain.unrolling.values import attacker_masses
from prover.exact.fmpq import fraction_of
from prover.exact.rational import format_rational
from prover.exact.refinement import TooLong
from prover.progress import Progress, silent

_MOST_SLOPES, _FEW_SLOPES = 200, 8
_LARGE = 64  # nodes of an unrolling from which on bounds are reported
_GOAL = Goal(Fraction(1, 10**12), each=True)
_BLIND = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))
Masses = Mapping[int, tuple[Fraction, Fraction]]
"""How likely an event is under both secrets from nodes on, up to the factor of their vectors."""

AttackersAt = tuple[Intervals, Mapping[int, Masses]]
"""An unrolling, and how likely the events of the best attackers from its roots on are."""


@dataclass(frozen=True, slots=True)
class AttackersTradeOff:
    """The function of all attackers; or, with ``most``, one that is not above it, and that is not below it.
    For each α at which they were asked about, ``found`` has the unrolling that shows how much they gain, and
    how likely the events of the best ones are.
    """

    function: TradeOff
    most: TradeOff | None
    found: Mapping[Fraction, AttackersAt]

    @property
    def evidence(self) -> Json:
        """The unrollings, as certificates hold them."""
        listed: list[Json] = []
        shared: Json = {}
        for alpha, (intervals, attackers) in sorted(self.found.items()):
            made = unrolling_evidence(intervals)
            shared = {key: value for key, value in made.items() if key == "classes"}
            rows = [
                [
                    root,
                    [
                        [q, *map(format_rational, own)]
                        for q, own in sorted(masses.items())
                        if _acts(intervals, q)
                    ],
                ]
                for root, masses in sorted(attackers.items())
            ]
            listed.append({"alpha": format_rational(alpha), "attackers": rows, **made["unrolling"]})
        return {"unrollings": listed, **shared}


def attackers_tradeoff(
    secrets: Secrets,
    progress: Progress = silent,
    on_bounds: Callable[[AttackersTradeOff], None] | None = None,
) -> AttackersTradeOff:
    """The largest convex function that is not above the errors of any test of any attacker, for secrets in
    both directions: from the largest δ at the slopes of its pieces. Where that is not exact, or there are too
    many pieces, two functions between which it is. ``on_bounds`` is called with wider ones on the way where
    unrollings are large.
    """
    rough: dict[Fraction, AttackersAt] = {}
    found: dict[Fraction, AttackersAt] = {}

    def report(alpha: Fraction, one: Intervals) -> None:
        if on_bounds is None or len(one.nodes) < _LARGE:
            return
        if not rough:
            _ask_at_slopes(replace(secrets), rough, _Limited(Limits(nodes=_LARGE), _FEW_SLOPES))
        with suppress(TooLong):
            on_bounds(_between(secrets, {**rough, **found, alpha: _attacked(one)}))

    _ask_at_slopes(secrets, found, _Limited(Limits(), _MOST_SLOPES), progress, report)
    function = _attained(secrets, found)
    slopes = _slopes(function)
    if slopes <= found.keys() and all(
        max(1 - x - alpha * y for x, y in function.vertices) == _most(found[alpha]) for alpha in slopes
    ):
        return AttackersTradeOff(function, None, found)
    return _between(secrets, found)


@dataclass(frozen=True, slots=True)
class _Limited:
    """How large an unrolling may become, and at how many slopes there is one."""

    unrolling: Limits
    slopes: int


def _ask_at_slopes(
    secrets: Secrets,
    found: dict[Fraction, AttackersAt],
    limited: _Limited,
    progress: Progress = silent,
    report: Callable[[Fraction, Intervals], None] | None = None,
) -> None:
    """Put the best attackers at the slopes of the function through the errors that are known into ``found``,
    until none of them has smaller errors; at few slopes only where δ is not known exactly.
    """
    while slopes := sorted(_slopes(_attained(secrets, found)) - found.keys()):
        for alpha in slopes:
            progress("slopes", len(found), None)
            exact = all(max(one.lower.values()) == max(one.upper.values()) for one, _ in found.values())
            if len(found) >= (limited.slopes if exact else _FEW_SLOPES):
                return
            heard = None if report is None else partial(report, alpha)
            conditions = Refinement(limited.unrolling, progress, heard)
            one = enclose(secrets.merged, secrets.directions, alpha, _GOAL, conditions)
            found[alpha] = _attacked(one)
            if heard is not None:
                heard(one)


def _attacked(one: Intervals) -> AttackersAt:
    return one, {root: _masses(one, root) for root in range(len(one.roots))}


def _most(attacked: AttackersAt) -> Fraction:
    """At most so large is δ at the α of an unrolling."""
    return max(attacked[0].upper.values())


def _attained(secrets: Secrets, found: Mapping[Fraction, AttackersAt]) -> TradeOff:
    """The largest convex function that is not above the errors of the attackers, either way round."""
    merged, points = secrets.merged, [*_BLIND]
    labels = merged.system.labels
    if any(labels[s] != labels[t] for s, t in map(merged.pair, secrets.directions)):
        points.append((Fraction(0), Fraction(0)))
    for one, attackers in found.values():
        for root in range(len(one.roots)):
            p, q = attackers[root][root]
            points += [(1 - p, q), (q, 1 - p)]
    return least([TradeOff(tuple(points))])


def _slopes(function: TradeOff) -> set[Fraction]:
    """The α at which an attacker may be below a piece of the function."""
    falls = [(y - b) / (a - x) for (x, y), (a, b) in pairwise(function.vertices)]
    return {max(fall, 1 / fall) for fall in falls if fall}


def _between(secrets: Secrets, found: Mapping[Fraction, AttackersAt]) -> AttackersTradeOff:
    """What δ at some α proves from below, and what attackers attain, with numbers that are not long."""
    fewest = TradeOff.above({alpha: rounded_up(_most(one)) for alpha, one in found.items()})
    short = [(rounded_up(x), rounded_up(y)) for x, y in _attained(secrets, found).vertices]
    return AttackersTradeOff(fewest, least([TradeOff(tuple(short))]), dict(found))


def _masses(found: Intervals, root: int) -> Masses:
    """Of the event that the attacker who gains most stops with something to gain."""

    def first(node: Node) -> int:
        return node.belief.mass

    def second(node: Node) -> int:
        return node.belief.other_mass

    p, q = (
        attacker_masses(found.nodes, found.taken, root, mass, below=below)
        for mass, below in ((first, True), (second, False))
    )
    return {number: (fraction_of(p[number]), fraction_of(q[number])) for number in p}


def _acts(found: Intervals, number: int) -> bool:
    return found.action(number) is not None
