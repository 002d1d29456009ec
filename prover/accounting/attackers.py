"""The trade-off function of a process: the least errors of tests of all attackers, who choose actions.

Reference: docs/theory_divergences.md, *Trade-off functions*, "Attackers".
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from prover.accounting.tradeoff import TradeOff, least
from prover.certificate.schema import Json
from prover.chain.secrets import Secrets
from prover.chain.unrolling.certificates import unrolling_evidence
from prover.chain.unrolling.graph import Node
from prover.chain.unrolling.intervals import Goal, Intervals
from prover.chain.unrolling.refinement import Limits, Refinement, enclose
from prover.chain.unrolling.values import attacker_masses
from prover.errors import NotSupported
from prover.exact.fmpq import fraction_of
from prover.exact.rational import format_rational
from prover.progress import Progress, silent
from prover.records import dataclass

_MOST_SLOPES = 200
_GOAL = Goal(Fraction(1, 10**12), each=True)
_BLIND = (Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))
_OPEN = (
    "the trade-off function of this process is not found exactly; prover delta and prover renyi answer for "
    "every attacker"
)

Masses = Mapping[int, tuple[Fraction, Fraction]]
"""How likely an event is under both secrets from nodes on, up to the factor of their vectors."""


@dataclass(frozen=True, slots=True)
class AttackersTradeOff:
    """The function of all attackers. For each α at which they were asked about, ``found`` has the unrolling
    that shows how much they gain, and how likely the events of the best ones are.
    """

    function: TradeOff
    found: Mapping[Fraction, tuple[Intervals, Mapping[int, Masses]]]

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


def attackers_tradeoff(secrets: Secrets, progress: Progress = silent) -> AttackersTradeOff:
    """The largest convex function that is not above the errors of any test of any attacker, for secrets in
    both directions: from the largest δ at the slopes of its pieces. Raises NotSupported where that is not
    exact, or there are too many pieces.
    """
    labels = secrets.merged.system.labels
    points = [*_BLIND]
    if any(labels[s] != labels[t] for s, t in map(secrets.merged.pair, secrets.directions)):
        points.append((Fraction(0), Fraction(0)))
    found: dict[Fraction, tuple[Intervals, Mapping[int, Masses]]] = {}
    deltas: dict[Fraction, Fraction] = {}
    while True:
        function = least([TradeOff(tuple(points))])
        falls = [(y - b) / (a - x) for (x, y), (a, b) in pairwise(function.vertices)]
        slopes = {max(fall, 1 / fall) for fall in falls if fall}
        if slopes <= found.keys():
            break
        for alpha in sorted(slopes - found.keys()):
            progress("slopes", len(found), None)
            if len(found) == _MOST_SLOPES:
                raise NotSupported(_OPEN)
            conditions = Refinement(Limits(), progress)
            one = enclose(secrets.merged, secrets.directions, alpha, _GOAL, conditions)
            attackers = {root: _masses(one, root) for root in range(len(one.roots))}
            for root, masses in attackers.items():
                p, q = masses[root]
                points += [(1 - p, q), (q, 1 - p)]
            found[alpha] = one, attackers
            deltas[alpha] = max(one.upper.values())
    if any(max(1 - x - alpha * y for x, y in function.vertices) != deltas[alpha] for alpha in slopes):
        raise NotSupported(_OPEN)
    return AttackersTradeOff(function, {alpha: found[alpha] for alpha in found})


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
