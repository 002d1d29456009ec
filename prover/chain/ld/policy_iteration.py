"""Exact distances of all pairs of a problem, with the evidence from both sides.

Policy iteration in floating point proposes couplings. Exact arithmetic solves the linear system they lead
to, component by component along the graph of pairs, and decides whether they are optimal; where they are
not (a tie that floating point cannot see, say) an exact pivot replaces them and the round is repeated.
Where the proposal is useless the iteration starts anew, exactly, from the couplings that are best for
d = 1. Every round is a step of policy iteration, so the loop ends: docs/theory.md, *Policy iteration*.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from flint import fmpq, fmpz

from prover.chain.ld.float_policy import Guide, clipped, guide
from prover.chain.ld.optimality import Judge
from prover.chain.ld.policy_evaluation import UselessPolicy, evaluate_policy
from prover.chain.ld.potentials import Potential
from prover.chain.ld.problem import Problem
from prover.chain.ld.skew_bisimulation import Kernel, removal_rounds, separating_potentials
from prover.chain.ld.table import DistanceValues
from prover.chain.ld.transport import Basis, Coupling, Couplings, nothing_moves, supply
from prover.chain.model import Pair
from prover.errors import Fault
from prover.exact.linear import SingularSystem
from prover.graphs import search
from prover.progress import Progress, silent

_ZERO, _ONE = fmpz(0), fmpz(1)

Bases = dict[Pair, tuple[Basis, ...]]


@dataclass(frozen=True, slots=True)
class Draft:
    """A problem with its kernel and what floating point says about the rest."""

    problem: Problem
    kernel: Kernel
    guide: Guide
    couplings: Couplings

    def judge(self, values: DistanceValues) -> Judge:
        """The judge of the values of the open pairs, with 0 on the kernel, under both orders if symmetric."""
        everything = {**values.numerators, **dict.fromkeys(self.kernel.related, _ZERO)}
        numerators = {arc: n for pair, n in everything.items() for arc in self.problem.orders(pair)}
        return Judge.of(self.problem, DistanceValues(values.denominator, numerators))


@dataclass(frozen=True, slots=True)
class RankEvidence:
    """The round in which a pair leaves its class of equal values, and the potentials that remove it."""

    rank: int
    potentials: Mapping[int, fmpq]


@dataclass(frozen=True, slots=True)
class Effort:
    """What the solution took: rounds of float and of exact policy iteration, and the largest component."""

    guide_rounds: int
    exact_rounds: int
    largest_component: int


@dataclass(frozen=True, slots=True)
class Solution:
    """The distance of every pair of the problem, an optimal coupling each, and optimal potentials where it
    is positive. For a problem without outside states it bounds ld from above, and there are no potentials.
    Those of some labels, ``detoured`` (as their first states), had to keep the detours of these.
    """

    problem: Problem
    table: DistanceValues
    bases: Mapping[Pair, tuple[Basis, ...]]
    couplings: Mapping[Pair, Coupling]
    potentials: Mapping[Pair, tuple[Potential, ...]]
    detoured: tuple[int, ...]
    effort: Effort


def draft(
    problem: Problem,
    progress: Progress = silent,
    start: Mapping[Pair, float] | None = None,
    on_kernel: Callable[[Kernel], None] | None = None,
) -> Draft:
    """The kernel of a problem, exactly, and its distances in floating point.

    The pairs at distance 0 and 1 are found first; only what is left takes part in the iteration.
    ``on_kernel`` hears of those at distance 0 as soon as they are known.
    """
    kernel = removal_rounds(
        problem.parts, problem.alpha, problem.orders, direct=problem.direct, jobs=problem.jobs
    )
    if on_kernel is not None:
        on_kernel(kernel)
    ones = distance_one(problem, kernel.related)
    fixed = dict.fromkeys(kernel.related, 0.0) | dict.fromkeys(ones, 1.0)
    found = guide(problem, fixed, start=start, progress=progress)
    still = cache(nothing_moves)
    bases = {**found.bases, **{p: tuple(map(still, problem.parts[p])) for p in ones}}
    values = {**found.values, **dict.fromkeys(ones, 1.0)}
    return Draft(problem, kernel, Guide(bases, values, found.rounds), Couplings(problem.alpha))


def distance_one(problem: Problem, kernel: Container[Pair]) -> set[Pair]:
    """The pairs at distance 1, for every α: docs/theory.md, *Distance one*.

    They are the largest set of pairs off the kernel with disjoint supports and with all pairs across the
    supports in the set.
    """
    ones = {pair for pair, parts in problem.parts.items() if pair not in kernel and supply(parts) == 1}
    users: dict[Pair, list[Pair]] = {}
    for pair in ones:
        for part in problem.parts[pair]:
            for arc in product(part.sources, part.sinks):
                users.setdefault(problem.key(arc), []).append(pair)
    outside = [arc for arc in users if arc not in ones]
    return ones - search(outside, lambda arc: users.get(arc, ())).keys()


def solve_exactly(
    sketch: Draft, progress: Progress = silent, *, max_bits: int | None = None, guided: bool = True
) -> Solution:
    """The distances of all pairs of the problem; without ``guided`` in exact arithmetic from the start.

    Raises TooLong if a numerator or denominator would have more than ``max_bits`` bits.
    """
    if guided:
        try:
            return _iterate(sketch, feasible_bases(sketch), progress, max_bits)
        except (SingularSystem, UselessPolicy):
            pass  # floating point led astray: start anew without it
    parts = sketch.problem.parts
    judge = sketch.judge(DistanceValues(_ONE, dict.fromkeys(sketch.guide.bases, _ONE)))
    nothing = Basis((), frozenset(), frozenset())
    start = {p: judge.improve(parts[p], [nothing] * len(parts[p])) for p in sketch.guide.bases}
    return _iterate(sketch, start, progress, max_bits)


def guided_judge(sketch: Draft) -> Judge:
    """The judge of the values that floating point proposes."""
    values = {p: clipped(v) for p, v in sketch.guide.values.items()}
    return sketch.judge(DistanceValues.of({p: fmpq(*v.as_integer_ratio()) for p, v in values.items()}))


def feasible_bases(sketch: Draft) -> Bases:
    """The proposed bases, those that are infeasible in exact arithmetic replaced by exact ones."""
    problem = sketch.problem
    bases = dict(sketch.guide.bases)
    infeasible = [p for p in bases if sketch.couplings.of(problem.parts[p], bases[p]) is None]
    if infeasible:
        judge = guided_judge(sketch)
        for pair in infeasible:
            bases[pair] = judge.improve(problem.parts[pair], bases[pair])
    return bases


def _iterate(sketch: Draft, start: Bases, progress: Progress, max_bits: int | None) -> Solution:
    problem, bases = sketch.problem, dict(start)
    exact_rounds = 0
    while True:
        exact_rounds += 1
        couplings: dict[Pair, Coupling] = {}
        for pair in bases:
            coupling = sketch.couplings.of(problem.parts[pair], bases[pair])
            if coupling is None:
                raise UselessPolicy(f"the couplings of pair {pair} are infeasible")
            couplings[pair] = coupling
        values, largest = evaluate_policy(problem, couplings, progress, max_bits)
        judge = sketch.judge(values)
        potentials, better = _judge_all(judge, sketch.couplings, bases, couplings, progress)
        if not better:
            effort = Effort(sketch.guide.rounds, exact_rounds, largest)
            everything = {**couplings, **sketch.kernel.related}
            return Solution(problem, judge.table, bases, everything, potentials, judge.detoured(), effort)
        bases.update(better)


def _judge_all(
    judge: Judge, known: Couplings, bases: Bases, couplings: Mapping[Pair, Coupling], progress: Progress
) -> tuple[dict[Pair, tuple[Potential, ...]], Bases]:
    """The potentials of the pairs whose bases are optimal, and better bases of the others."""
    problem = judge.problem
    potentials: dict[Pair, tuple[Potential, ...]] = {}
    better: Bases = {}
    for done, (pair, proposed) in enumerate(bases.items()):
        if done % 256 == 0:
            progress("optimality (pairs)", done, len(bases))
        parts = problem.parts[pair]
        if problem.outside:
            found = judge.potentials(parts, proposed)
            if found is None:
                better[pair] = judge.improve(parts, proposed)
            else:
                potentials[pair] = found
            continue
        improved = judge.improve(parts, proposed)
        coupling = known.of(parts, improved)
        if coupling is not None and judge.table.cost(coupling) < judge.table.cost(couplings[pair]):
            better[pair] = improved
    return potentials, better


def rank_evidence(
    problem: Problem, table: DistanceValues, apart: Container[Pair] = frozenset()
) -> dict[Pair, RankEvidence]:
    """Evidence that the pairs of positive distance are not skew bisimilar, except for those ``apart``, which
    are at distance 1 and not bisimilar.

    If some were, those of the largest distance would support each other by couplings of total mass 1, so it
    is enough to remove each class of pairs of equal distance in rounds (docs/theory.md, Theorem A').
    """
    evidence: dict[Pair, RankEvidence] = {}
    for members in table.positive_classes(pair for pair in problem.parts if pair not in apart):
        rounds = removal_rounds({p: problem.parts[p] for p in members}, problem.alpha, problem.orders)
        if rounds.related:
            raise Fault(f"pairs {sorted(rounds.related)} have a positive distance")
        allowed = {rank: rounds.allowed_in_round(rank) for rank in set(rounds.ranks.values())}
        for pair, rank in rounds.ranks.items():
            potentials = separating_potentials(rounds.blocked[pair], allowed[rank], problem.alpha)
            evidence[pair] = RankEvidence(rank, potentials)
    return evidence
