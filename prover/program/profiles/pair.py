"""δ of a threshold program for one pair of inputs, over all events: both ends, as near as asked.

Reference: docs/theory_profiles.md, *All events of one pair*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, log2, prod
from typing import Any, TypeVar

from flint import arb

from prover.errors import BadValue, NotSupported
from prover.exact.ball import ball_of, bounds, refined
from prover.exact.piecewise import TooManyTerms
from prover.exact.rational import format_rational
from prover.program.adjacency import Adjacency
from prover.program.attack.probability import program_unit
from prover.program.model import Program
from prover.program.profiles.followable import Followable, followable
from prover.program.profiles.nodes import NodeGrid
from prover.program.profiles.pair_answer import Ends, PairAttack, PairDelta, both_ends
from prover.program.profiles.runs import Ended, Runs
from prover.program.profiles.segments import SegmentChances, nodes_for
from prover.progress import Progress, silent

T = TypeVar("T")

WIDTH = Fraction(1, 10**12)
"""Largest distance of the two ends."""
_PARTS = 10**13  # that the ends are rounded to
_FEWEST_BITS = 128
_GAUSSIAN_BITS = 72
_ROUNDED = 14  # bits that sums over nodes may lose
_EXACT_BITS = 10_000  # of rational probabilities at most
_EXACT_WORK = 20_000_000  # bits of all of them


def delta_of_pair(
    program: Program,
    adjacency: Adjacency,
    at_epsilon: Fraction,
    alphas: tuple[Fraction, Fraction],
    inputs: Sequence[Fraction],
    neighbour: Sequence[Fraction],
    *,
    epsilon: Fraction | None = None,
    q: Fraction | None = None,
    progress: Progress = silent,
) -> PairDelta:
    """δ of two inputs: its upper end at the first α, and its lower end at the second.

    On a grid ``q`` may be e^(−ε·unit), and then ``at_epsilon`` is that ε, rounded up; both ends are the same
    then, unless they have very many digits.

    Raises NotSupported where the program is none of those whose runs can be followed, or has too many of
    them on these inputs, and BadValue where the inputs are no neighbours.
    """
    _demand_neighbours(adjacency, inputs, neighbour)
    both = adjacency.is_symmetric
    found, evidence = followed(
        followable(program, at_epsilon), alphas, inputs, neighbour, q=q, both_ways=both, progress=progress
    )
    return both_ends(
        program, adjacency, at_epsilon, alphas, (inputs, neighbour), found, evidence, epsilon=epsilon, q=q
    )


def followed(
    program: Followable,
    alphas: Sequence[Fraction],
    inputs: Sequence[Fraction],
    neighbour: Sequence[Fraction],
    *,
    q: Fraction | None = None,
    both_ways: bool,
    progress: Progress = silent,
) -> tuple[Sequence[Ends], Mapping[str, Any]]:
    """δ of two inputs at each α, in this order or in both, and what checkers have to know of it.

    Raises NotSupported, and BadValue where the inputs are farther apart than neighbours.
    """

    def ends(runs: Runs, both: Sequence[Sequence[Any]], room: Fraction) -> Sequence[Ends] | None:
        found = [_gained(runs, both, alpha, room, both_ways=both_ways) for alpha in alphas]
        return None if any(upper - lower > WIDTH for lower, upper, _ in found) else found

    return followed_by(ends, program, alphas, inputs, neighbour, q=q, progress=progress)


def followed_by(
    attempt: Callable[[Runs, Sequence[Sequence[Any]], Fraction], T | None],
    program: Followable,
    alphas: Sequence[Fraction],
    inputs: Sequence[Fraction],
    neighbour: Sequence[Fraction],
    *,
    q: Fraction | None = None,
    progress: Progress = silent,
) -> tuple[T, Mapping[str, Any]]:
    """What is made of all runs and the chances of their segments on either input, with room for the errors of
    checkers for each run, 0 if they are rational, as soon as it is not None; and what checkers have to know.

    Raises what ``followed`` raises.
    """
    progress("following the runs", 0, None)
    runs = Runs(program, list(zip(inputs, neighbour, strict=True)))
    progress("integrating", len(runs.segments), None)
    bits, room, nodes, size = precision(runs, alphas)
    digits = 0 if q is None else size * q.denominator.bit_length()
    exact = q is not None and digits <= _EXACT_BITS and digits * len(runs.segments) <= _EXACT_WORK
    chances = SegmentChances(runs, program.at_epsilon, q, nodes, exact)
    margin = Fraction(0) if exact else room
    try:
        found, bits = refined(lambda: attempt(runs, [chances.of(world) for world in (0, 1)], margin), bits)
    except TooManyTerms:
        raise NotSupported("the runs on these inputs take too much work; take shorter inputs") from None
    return found, {} if exact else known_to(bits, nodes)


def precision(runs: Runs, alphas: Sequence[Fraction]) -> tuple[int, Fraction, NodeGrid | None, int]:
    """The bits to begin with, the room for the errors of checkers for each run, nodes if there is Gaussian
    noise, and on a grid the largest exponent of q.
    """
    counted = sum(run.count * times for run in runs.ended for _, times in run.groups) * ceil(max(alphas))
    longest = max(len(run.path) for run in runs.ended)
    size = longest + counted.bit_length()
    fine, exponent = _fineness(runs)
    bits, room = _FEWEST_BITS + 4 * size + fine, Fraction(1, 2 ** (64 + 2 * size))
    nodes = nodes_for(runs, _GAUSSIAN_BITS + counted.bit_length())
    if nodes is not None:
        room = Fraction(1, 2 ** (nodes.bits - _ROUNDED))
    return bits, room, nodes, longest * exponent


def known_to(bits: int, nodes: NodeGrid | None) -> Mapping[str, Any]:
    """What checkers have to know of it."""
    if nodes is None:
        return {"bits": bits}
    return {"bits": nodes.bits, "step": format_rational(nodes.step), "strip": format_rational(nodes.strip)}


def _fineness(runs: Runs) -> tuple[int, int]:
    """Bits that checkers may lose where they sum up functions of samples again and again; and, on a grid, the
    largest exponent of q.
    """
    at_epsilon = runs.followable.at_epsilon
    numbers = [abs(c) for drawn in runs.drawn for c in drawn.centers]
    rates = [r for drawn in runs.drawn for r in (drawn.left, drawn.right) if r is not None]
    farthest = max([Fraction(1), *numbers])
    levels, depth = 0, list[int]()
    tests = list(runs.tests)
    for segment in runs.segments:  # of which all are after those of their tests
        depth.append(1 + max((depth[tests[test][1]] for test in segment.tests), default=0))
        levels = max(levels, depth[-1])
    grid = runs.program.noise.grid or Fraction(1)
    if runs.program.noise.is_discrete:
        places = 2 * ceil(farthest / grid) + 3
        unit = program_unit(runs.program)
        lost = log2(places) + 2 * max(0.0, -log2(unit * at_epsilon)) + 4
        return ceil((levels + 1) * lost), int(places * max(rates, default=unit) * grid / unit) + 1
    if levels < 3:  # all segments are products of chances
        return 0, 0
    whole = prod({rate.denominator for rate in rates})
    return len(depth) * 2 * ceil(max(0.0, log2(whole / at_epsilon)) + log2(farthest) + 4), 0


def _gained(
    runs: Runs, chances: Sequence[Sequence[Any]], alpha: Fraction, room: Fraction, *, both_ways: bool
) -> Ends:
    """Both ends, with ``room`` for the errors of checkers for each run; exact ones where it is 0."""
    lower = upper = Fraction(0)
    attack = None
    for swapped in (False, True)[: 1 + both_ways]:
        both = chances[::-1] if swapped else chances
        low = high = more = less = Fraction(0)
        event = []
        for ended in runs.ended:
            p, q = (chance_of(ended, own) for own in both)
            least, most = ends_of(p - (alpha if room == 0 else ball_of(alpha)) * q)
            spare = room * ended.count * sum(times for _, times in ended.groups)
            high += max(Fraction(0), most + spare)
            if least - spare > 0:
                low += least - spare
                event.append(ended)
                more, less = more + ends_of(p)[0], less + ends_of(q)[1]
        upper = max(upper, high)
        if low > lower:
            lower, attack = low, PairAttack(tuple(event), swapped, (more, less))
    if room == 0:
        return lower, upper, attack
    return *rounded_out(lower, upper), attack


def rounded_out(lower: Fraction, upper: Fraction) -> tuple[Fraction, Fraction]:
    """Both ends of an interval in [0, 1], as answers have them."""
    return Fraction(floor(lower * _PARTS), _PARTS), min(Fraction(ceil(upper * _PARTS), _PARTS), Fraction(1))


def chance_of(ended: Ended, chances: Sequence[Any]) -> Any:
    """The probability of all these words, a ball or a rational."""
    return ended.count * sum(times * prod(chances[k] for k in group) for group, times in ended.groups)


def ends_of(number: Any) -> tuple[Fraction, Fraction]:
    """Between which numbers a ball or a rational is."""
    return bounds(number) if isinstance(number, arb) else (Fraction(number), Fraction(number))


def _demand_neighbours(
    adjacency: Adjacency, inputs: Sequence[Fraction], neighbour: Sequence[Fraction]
) -> None:
    """Raises BadValue where the lists differ in ways that the adjacency does not allow, however much."""
    if len(inputs) != len(neighbour):
        raise BadValue(
            f"{len(inputs)} inputs, but {len(neighbour)} of the neighbour; neighbours have equally many",
            code="not-neighbours",
        )
    moved = [y - x for x, y in zip(inputs, neighbour, strict=True)]
    up, down = any(d > 0 for d in moved), any(d < 0 for d in moved)
    wrong = {
        Adjacency.ONE_DIFFER: sum(d != 0 for d in moved) > 1,
        Adjacency.INCREASING: down,
        Adjacency.DECREASING: up,
        Adjacency.MONOTONIC: up and down,
    }
    if wrong.get(adjacency):
        raise BadValue(f"these inputs are no neighbours by the adjacency {adjacency}", code="not-neighbours")
