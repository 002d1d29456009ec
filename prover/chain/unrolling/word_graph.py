"""What words lead to, as a graph of belief pairs: all of them, or those that weigh most; and how often each
is met.

Where infinitely many belief pairs can arise, or too many, the graph ends in *open* ones, of which it says no
more. An observer who stops looking there learns less, and an observer who is told the state of the run there
learns more; so δ is between their δ. Reference: docs/theory.md, *δ as a function of
α*, and docs/accounting.md, *Between two distributions*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import gcd

from flint import fmpq

from prover.chain.model import Pair
from prover.chain.unrolling.beliefs import BeliefPair, BeliefPairs, MergedSystem
from prover.errors import BeyondLimit, quoted
from prover.graphs import strong_components
from prover.progress import Progress, silent

MOST_NODES, MOST_BITS = 50_000, 2**28
MOST_CYCLIC_NODES, MOST_CYCLIC_BITS = 2_000, 2**23
"""How many belief pairs are tried, and how many bits of numbers in all of them; less where runs can return to
a state, as there may then be no end of either.

"""
MOST_OPENED = 1_000
"""How many belief pairs are looked into where not all can be."""

_SHARE_BITS = 60
_ZERO, _ONE = fmpq(0), fmpq(1)


class TooManyWords(BeyondLimit):
    """Exact breakpoints are asked for, and words lead to more belief pairs than the limits allow."""

    def __init__(self, tried: int, returning: str | None) -> None:
        message = (
            f"no exact breakpoints: words lead to more than {tried:,} belief pairs, maybe infinitely many"
        )
        if returning is not None:
            message += f", as runs can return to state {quoted(returning)}"
        super().__init__(f"{message}; ask for δ at single values of alpha")


@dataclass(frozen=True, slots=True)
class Met:
    """A belief pair with the numbers of those after the next label, and the probabilities from the first
    secret; none where everything is decided, or where it is open what follows.
    """

    belief: BeliefPair
    following: Mapping[int, fmpq]
    is_open: bool = False


def explored(beliefs: BeliefPairs, pair: Pair, progress: Progress) -> list[Met]:
    """All belief pairs; number 0 is the beginning. Raises TooManyWords."""
    waiting = [beliefs.of_pair(pair)]
    numbers = {waiting[0]: 0}
    returning: int | None = None
    found: list[Met] = []
    bits = 0
    for belief in waiting:  # which grows
        following: dict[int, fmpq] = {}
        if not belief.is_decided:
            if returning is None:
                returning = min(beliefs.cyclic & {s for s, _ in (*belief.x, *belief.y)}, default=None)
            before = len(waiting)
            following = _following(beliefs, belief, waiting, numbers)
            bits += sum(map(_bits, waiting[before:]))
            nodes, size = (
                (MOST_NODES, MOST_BITS) if returning is None else (MOST_CYCLIC_NODES, MOST_CYCLIC_BITS)
            )
            if len(waiting) > nodes or bits > size:
                state = None if returning is None else beliefs.system.states[returning]
                raise TooManyWords(min(nodes, len(waiting) - 1), state)
        found.append(Met(belief, following))
        progress("words (belief pairs)", len(found), None)
    return found


def explored_within(
    merged: MergedSystem, pair: Pair, width: Fraction, progress: Progress = silent
) -> list[Met]:
    """All belief pairs where that can be; or else, of those that weigh most, as many as it takes to know δ up
    to ``width`` at every α, if that is not more than the limits. Number 0 is the beginning, alone if the pair
    is not looked into.
    """
    beliefs = merged.beliefs
    if not merged.is_looked_into(pair):
        return [Met(beliefs.of_pair(pair), {}, is_open=True)]
    if pair not in beliefs.endless and merged.opened is None:
        try:
            return explored(beliefs, pair, progress)
        except TooManyWords:
            beliefs.endless.add(pair)
    most = MOST_OPENED if merged.opened is None else merged.opened
    wanted = pair, width, most
    if wanted not in beliefs.heaviest:
        beliefs.heaviest[wanted] = frozenset(_heaviest(beliefs, *wanted, progress))
    opened = beliefs.heaviest[wanted]
    waiting = [beliefs.of_pair(pair)]
    numbers = {waiting[0]: 0}
    found: list[Met] = []
    for belief in waiting:  # which grows
        following = _following(beliefs, belief, waiting, numbers) if belief in opened else {}
        found.append(Met(belief, following, not (following or belief.is_decided)))
    return found


def _following(
    beliefs: BeliefPairs, belief: BeliefPair, waiting: list[BeliefPair], numbers: dict[BeliefPair, int]
) -> dict[int, fmpq]:
    """The numbers of what may follow, with probabilities; new belief pairs get numbers, and wait."""
    following: dict[int, fmpq] = {}
    for after in beliefs.expansion(belief).successors:
        if after.belief not in numbers:
            numbers[after.belief] = len(waiting)
            waiting.append(after.belief)
        following[numbers[after.belief]] = after.factor * after.belief.mass / belief.mass
    return following


def _heaviest(
    beliefs: BeliefPairs, pair: Pair, width: Fraction, most: int, progress: Progress
) -> set[BeliefPair]:
    """The belief pairs to look into, at most so many: always that at which what is open says least about δ.

    Floats are a guide: what comes of the choice is computed exactly.
    """
    root = beliefs.of_pair(pair)
    arrived = {root: 1.0}  # with which probability, what was passed on already left out
    gaps = {root: _gap(root)}
    heap = [(-gaps[root], 0, root)]
    left, pushed, bits = gaps[root], 1, 0
    opened: set[BeliefPair] = set()
    while heap and left > width and len(opened) < most and bits <= MOST_CYCLIC_BITS:
        one = heappop(heap)[2]
        chance = arrived.pop(one, 0.0)
        if chance == 0 or pushed > 20 * MOST_OPENED:
            continue
        left -= chance * gaps[one]
        if one not in opened:
            opened.add(one)
            bits += _bits(one)
            progress("words (belief pairs)", len(opened), None)
        for after in beliefs.expansion(one).successors:
            to = after.belief
            if to.is_decided:
                continue
            if to not in gaps:
                gaps[to] = _gap(to)
            arrived[to] = arrived.get(to, 0.0) + chance * after.chance
            left += chance * after.chance * gaps[to]
            heappush(heap, (-arrived[to] * gaps[to], pushed, to))
            pushed += 1
    return opened


def _gap(belief: BeliefPair) -> float:
    """How far apart the bounds of δ are at most, at any α, given that a run came to this: Σ max(0, x − y)
    over the states, where x and y are probabilities.
    """
    y = dict(belief.y)
    shares = (
        (amount << _SHARE_BITS) // belief.mass - (y.get(state, 0) << _SHARE_BITS) // max(1, belief.other_mass)
        for state, amount in belief.x
    )
    return float(Fraction(sum(max(0, share) for share in shares), 2**_SHARE_BITS))


def expected_visits(met: Sequence[Met]) -> tuple[dict[int, fmpq], list[list[int]]]:
    """How often belief pairs are met, on average, from the first secret; and the sets that are never left.

    In those it is the probability to enter the set there.
    """
    entering: dict[int, fmpq] = {0: _ONE}
    found: dict[int, fmpq] = {}
    settled: list[list[int]] = []
    parts = strong_components([0], lambda number: met[number].following)
    for part in reversed(parts):  # what leads to others comes before them
        members = sorted(part)
        inside = set(part)
        arriving = {number: entering.pop(number) for number in members if number in entering}
        if all(after in inside for number in members for after in met[number].following):
            found |= arriving
            settled.append(members)
            continue
        own = _visits(met, members, arriving)
        found |= own
        for number, visits in own.items():
            for after, chance in met[number].following.items():
                if after not in inside:
                    entering[after] = entering.get(after, _ZERO) + visits * chance
    return found, settled


def _visits(met: Sequence[Met], members: Sequence[int], arriving: Mapping[int, fmpq]) -> dict[int, fmpq]:
    """How often the belief pairs of a component are visited, on average, before it is left."""
    if len(members) == 1 and members[0] not in met[members[0]].following:
        return dict(arriving)
    place = {number: k for k, number in enumerate(members)}
    rows = [{k: _ONE} for k in range(len(members))]
    for number in members:
        for after, chance in met[number].following.items():
            if after in place:
                row = rows[place[after]]
                row[place[number]] = row.get(place[number], _ZERO) - chance
    from prover.exact.linear import solve

    return dict(zip(members, solve(rows, [arriving.get(number, _ZERO) for number in members]), strict=True))


def _bits(belief: BeliefPair) -> int:
    """The bits of the probabilities, given the word from the first secret."""
    whole = belief.mass
    found = 0
    for _, amount in (*belief.x, *belief.y):
        shared = gcd(amount, whole)
        found += (amount // shared).bit_length() + (whole // shared).bit_length()
    return found
