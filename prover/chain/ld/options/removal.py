"""Why distances are not above the least fixed point: for every pair an option, its potentials, and its rank.

Of every class of equal positive distance those pairs are removed, round by round, of which some option that
attains the distance has no coupling on what is left. A table is the least fixed point if and only if nothing
stays. Reference: docs/theory_interactive.md, *A test for the least fixed point*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from flint import fmpq

from prover.chain.ld.optimality import Judge
from prover.chain.ld.options.improvement import Improved
from prover.chain.ld.options.problem import InteractiveProblem, Option
from prover.chain.ld.policy_iteration import RankEvidence
from prover.chain.ld.potentials import Potential
from prover.chain.ld.skew_bisimulation import (
    Allowed,
    Blocked,
    free_coupling,
    separating_potentials,
    source_potentials,
)
from prover.chain.model import Pair
from prover.errors import Fault

_ZERO = fmpq(0)


@dataclass(frozen=True, slots=True)
class LowerEvidence:
    """For every pair of positive distance the option by which it was removed, the round with what removes it
    there, and potentials that attain the distance. Those of some labels, ``detoured`` (as their first
    states), had to keep the detours of these.
    """

    options: Mapping[Pair, Option]
    ranks: Mapping[Pair, RankEvidence]
    potentials: Mapping[Pair, tuple[Potential, ...]]
    detoured: tuple[int, ...]


def lower_evidence(found: Improved) -> LowerEvidence:
    """The evidence from below for the distances of a process.

    Raises Fault where these are no least fixed point.
    """
    problem, table = found.problem, found.table
    options: dict[Pair, Option] = {}
    ranks: dict[Pair, RankEvidence] = {}
    for members in table.positive_classes(problem.options):
        for pair, option, evidence in _removed(found, members):
            options[pair], ranks[pair] = option, evidence
    first = {pair: next(iter(given)) for pair, given in problem.options.items()}
    judge = Judge.of(problem.under({**first, **options}), table)
    potentials = {}
    for pair, option in options.items():
        parts, bases = problem.options[pair][option], found.moved[pair][option].bases
        kept = judge.potentials(parts, bases) or judge.potentials(parts, judge.improve(parts, bases))
        if kept is None:
            raise Fault(f"pair {pair} has no potentials")
        potentials[pair] = kept
    return LowerEvidence(options, ranks, potentials, judge.detoured())


def _removed(found: Improved, members: list[Pair]) -> Iterator[tuple[Pair, Option, RankEvidence]]:
    """The pairs of a class in the order in which they are removed."""
    problem = found.problem
    attaining = {
        pair: [o for o, moved in found.moved[pair].items() if moved.cost == found.table.numerators[pair]]
        for pair in members
    }
    direct = problem.alpha == 1
    left = Allowed((arc for pair in members for arc in problem.orders(pair)), direct=direct)
    rank = 0
    while attaining:
        rank += 1
        gone = dict(_blocked(problem, attaining, left))
        if not gone:
            raise Fault(f"pairs {sorted(attaining)} have a positive distance")
        for pair, (option, blocked) in gone.items():
            separate = _direct_potentials if direct else separating_potentials
            yield pair, option, RankEvidence(rank, separate(blocked, left, problem.alpha))
            del attaining[pair]
        left.remove(arc for pair in gone for arc in problem.orders(pair))


def _blocked(
    problem: InteractiveProblem, attaining: Mapping[Pair, list[Option]], left: Allowed
) -> Iterator[tuple[Pair, tuple[Option, Blocked]]]:
    """The pairs that some option removes, with the first such option."""
    for pair, options in attaining.items():
        for option in options:
            outcome = free_coupling(problem.options[pair][option], left, problem.alpha)
            if isinstance(outcome, Blocked):
                yield pair, (option, outcome)
                break


def _direct_potentials(blocked: Blocked, allowed: Allowed, alpha: fmpq) -> dict[int, fmpq]:
    """Potentials g ≥ 0 with g_i ≤ α g_j on the allowed arcs from sources to sinks, and Σ g_k b_k > 0."""
    given = source_potentials(blocked, alpha)
    forced = {
        sink: max((g / alpha for source, g in given.items() if (source, sink) in allowed), default=_ZERO)
        for sink in blocked.part.sinks
    }
    return given | {sink: g for sink, g in forced.items() if g > 0}
