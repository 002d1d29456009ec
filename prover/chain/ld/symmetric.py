"""The symmetric distance bd by strategy improvement over orientations (docs/theory.md, Theorem B).

An orientation keeps one direction of every unordered pair. The distances of an orientation are a problem like
that of ld; where the direction that was left out is larger for them, it is taken instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from prover.chain.ld.float_policy import float_liftings
from prover.chain.ld.interval import Enclosure, first_enclosure
from prover.chain.ld.optimality import Judge
from prover.chain.ld.policy_iteration import Draft, Solution, draft, guided_judge, solve_exactly
from prover.chain.ld.problem import Problem
from prover.chain.ld.transport import Basis, Coupling, gain
from prover.chain.model import Pair
from prover.errors import Fault
from prover.progress import Progress, silent

_LARGER = 1e-9  # in floating point a direction must be larger by this much to be taken


@dataclass(frozen=True, slots=True)
class Oriented:
    """The problem of one orientation: of every unordered pair {i,j}, i < j, the direction that counts."""

    problem: Problem
    forward: Mapping[Pair, bool]

    def direction(self, pair: Pair) -> Pair:
        """The ordered pair that stands for the unordered one."""
        return pair if self.forward[pair] else (pair[1], pair[0])

    def opposite(self, pair: Pair) -> Pair:
        """The direction that is left out."""
        return (pair[1], pair[0]) if self.forward[pair] else pair


@dataclass(frozen=True, slots=True)
class SymmetricSolution:
    """bd of every unordered pair, with the orientation that attains it.

    ``opposite`` are couplings for the directions that the orientation leaves out; they cost no more.
    """

    oriented: Oriented
    solution: Solution
    opposite: Mapping[Pair, Coupling]
    rounds: int


def orient(directed: Problem, forward: Mapping[Pair, bool]) -> Oriented:
    """The orientation of a problem that has both directions of every pair."""
    parts = {(i, j): directed.parts[(i, j) if ahead else (j, i)] for (i, j), ahead in sorted(forward.items())}
    return Oriented(replace(directed, parts=parts, symmetric=True), dict(forward))


def first_symmetric(directed: Problem) -> tuple[Enclosure, Oriented]:
    """What one step says of every pair of a problem that has both directions, the larger one from below."""
    gains = {pair: gain(parts) for pair, parts in directed.parts.items()}
    forward = {pair: gains[pair] >= gains[pair[::-1]] for pair in directed.parts if pair[0] < pair[1]}
    oriented = orient(directed, forward)
    opposite = orient(directed, {pair: not ahead for pair, ahead in forward.items()})
    return first_enclosure(oriented.problem, opposite.problem), oriented


def draft_symmetric(directed: Problem, progress: Progress = silent) -> tuple[Oriented, Draft]:
    """An orientation that nothing improves as far as floating point can see, and its draft.

    The problem must have both directions of every pair.
    """
    forward = {pair: True for pair in directed.parts if pair[0] < pair[1]}
    seen: set[tuple[bool, ...]] = set()
    while True:
        oriented = orient(directed, forward)
        sketch = draft(oriented.problem, progress)
        values = _values(sketch)
        opposite = _opposite_liftings(directed, oriented, values)
        switched = [p for p in forward if opposite[p][0] > values[p] + _LARGER]
        seen.add(tuple(forward.values()))
        forward.update({p: not forward[p] for p in switched})
        if tuple(forward.values()) in seen:  # nothing switched, or rounding errors lead in a circle
            return oriented, sketch


def opposite_couplings(directed: Problem, oriented: Oriented, sketch: Draft) -> dict[Pair, Coupling]:
    """Nearly optimal couplings of the directions that an orientation leaves out."""
    found: dict[Pair, Coupling] = {}
    judge: Judge | None = None
    for pair, (_, bases) in _opposite_liftings(directed, oriented, _values(sketch)).items():
        parts = directed.parts[oriented.opposite(pair)]
        coupling = sketch.couplings.of(parts, bases)
        if coupling is None:  # infeasible in exact arithmetic
            judge = judge or guided_judge(sketch)
            coupling = sketch.couplings.of(parts, judge.improve(parts, bases))
        if coupling is not None:
            found[pair] = coupling
    return found


def _values(sketch: Draft) -> dict[Pair, float]:
    return dict.fromkeys(sketch.kernel.related, 0.0) | dict(sketch.guide.values)


def _opposite_liftings(
    directed: Problem, oriented: Oriented, values: Mapping[Pair, float]
) -> dict[Pair, tuple[float, tuple[Basis, ...]]]:
    """The liftings of the directions that an orientation leaves out, and the bases that attain them."""
    wanted = {pair: directed.parts[oriented.opposite(pair)] for pair in oriented.forward}
    return float_liftings(oriented.problem, values, wanted)


def solve_symmetrically(
    directed: Problem,
    start: tuple[Oriented, Draft],
    progress: Progress = silent,
    *,
    max_bits: int | None = None,
) -> SymmetricSolution:
    """bd of all pairs of a problem that has both directions of every pair.

    Raises TooLong if a number would have more than ``max_bits`` bits.
    """
    oriented, sketch = start
    rounds = 0
    while True:
        rounds += 1
        solution = solve_exactly(sketch, progress, max_bits=max_bits)
        opposite, switched = _best_opposites(directed, oriented, sketch, solution)
        if not switched:
            return SymmetricSolution(oriented, solution, opposite, rounds)
        forward = {p: ahead != (p in switched) for p, ahead in oriented.forward.items()}
        oriented = orient(directed, forward)
        sketch = draft(oriented.problem, progress)


def _best_opposites(
    directed: Problem, oriented: Oriented, sketch: Draft, solution: Solution
) -> tuple[dict[Pair, Coupling], set[Pair]]:
    """Optimal couplings of the directions left out, and the pairs for which these are larger."""
    judge = Judge.of(oriented.problem, solution.table)
    proposed = _opposite_liftings(directed, oriented, _values(sketch))
    opposite: dict[Pair, Coupling] = {}
    switched: set[Pair] = set()
    for pair in oriented.forward:
        parts, bases = directed.parts[oriented.opposite(pair)], proposed[pair][1]
        value = solution.table.numerators[pair]
        coupling = sketch.couplings.of(parts, bases)
        if coupling is None or judge.table.cost(coupling) > value:
            coupling = sketch.couplings.of(parts, judge.improve(parts, bases))
        if coupling is None:
            raise Fault(f"the coupling of pair {oriented.opposite(pair)} is infeasible")
        opposite[pair] = coupling
        if judge.table.cost(coupling) > value:
            switched.add(pair)
    return opposite, switched
