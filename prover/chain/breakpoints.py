"""δ as an exact function of α, where what can be seen leads to finitely many situations.

After a word w the situation (unrolling/situations.py) is the pair of measures x_w, y_w on states, from either
secret, up to one common scalar. It is *decided* if one is a multiple of the other: later labels tell nothing.
Where finitely many situations can arise, lv_α(s,t) = Σ p max(0, 1 − α r) over the decided ones and those that
are never left, with the probability p to end there and the ratio r = |y| / |x|, which is constant there. As a
function of α this is convex, non-increasing and piecewise linear, with a breakpoint wherever α r = 1.
Reference: docs/theory.md, *δ as a function of α*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.secrets import Secrets
from prover.chain.unrolling.situations import MergedChain, Situation, Situations
from prover.errors import BadInput, Fault, abbreviated, quoted
from prover.exact.convex import Piecewise, maximum, positive_parts
from prover.exact.fmpq import fraction_of
from prover.exact.linear import solve
from prover.exact.rational import format_rational
from prover.graphs import strong_components
from prover.progress import Progress, silent

MOST_NODES, MOST_BITS = 50_000, 2**28
MOST_CYCLIC_NODES, MOST_CYCLIC_BITS = 2_000, 2**23
"""How many situations are tried, and how many bits of numbers in all of them; less where runs can return to a
state, as there may then be no end of either.
"""

_ZERO, _ONE = fmpq(0), fmpq(1)


class TooManyWords(BadInput):
    """Exact breakpoints are asked for, and words lead to more situations than the limits allow."""

    def __init__(self, tried: int, returning: str | None) -> None:
        message = f"no exact breakpoints: words lead to more than {tried:,} situations, maybe infinitely many"
        if returning is not None:
            message += f", as runs can return to state {quoted(returning)}"
        super().__init__(f"{message}; ask for δ at single values of alpha")


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """δ from α = 1 on, exactly.

    ``kind`` is "lv" or "tv". Without a pair, ``source`` and ``target`` are None and ``delta`` is the maximum
    over the chain's relation.
    """

    kind: str
    source: str | None
    target: str | None
    delta: Piecewise

    def __str__(self) -> str:
        names = [abbreviated(name) for name in (self.source, self.target) if name is not None]
        pair = f"({', '.join(names)})" if names else " of the relation"
        corners = ", ".join(f"({format_rational(a)}, {format_rational(d)})" for a, d in self.delta.corners)
        return f"{self.kind}{pair} is linear between the breakpoints (alpha, delta): {corners}"


def breakpoints(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    *,
    kind: str = "tv",
    progress: Progress = silent,
) -> Breakpoints:
    """δ between two states as an exact function of α ≥ 1; without states, its maximum over the relation.

    ``kind`` "tv" is δ both ways round, "lv" from ``source`` to ``target`` only. Chains whose runs are all
    absorbed within a bounded number of steps have exact breakpoints, and so have some others.

        >>> from prover.zoo import pin_checker
        >>> print(breakpoints(pin_checker(), "0", "1"))
        tv(0, 1) is linear between the breakpoints (alpha, delta): (1, 200/2503), (2809/2209, 0)

    Raises UnknownDelta, UnknownState, HalfAPair, EmptyRelation, TooManyWords.
    """
    return breakpoints_of(Secrets.of(chain, source, target, kind), progress)


def breakpoints_of(secrets: Secrets, progress: Progress = silent) -> Breakpoints:
    """δ of the secrets as an exact function of α ≥ 1. Raises TooManyWords."""
    queries = sorted({secrets.merged.twin(pair) for pair in secrets.directions})
    functions = [positive_parts(endings(secrets.merged, pair, progress)) for pair in queries]
    return Breakpoints(secrets.kind, secrets.source, secrets.target, maximum(functions))


def endings(
    merged: MergedChain, pair: Pair, progress: Progress = silent
) -> Iterator[tuple[Fraction, Fraction]]:
    """With what probability the situations where runs end are seen, from the first and the second state.

    Only those that the first one can lead to; the rest of the second one's probability is seen from it alone.
    ``pair`` is one of the merged chain. Raises TooManyWords.
    """
    s, t = pair
    if merged.chain.labels[s] != merged.chain.labels[t]:
        yield Fraction(1), Fraction(0)
        return
    met = explored(merged.situations, pair, progress)
    for members, arriving in _settled(met):
        x = sum(arriving.values(), _ZERO)
        ratios = {met[number].situation.ratio for number in members}
        if len(ratios) > 1:
            raise Fault("situations that are never left differ in their ratio")
        yield fraction_of(x), fraction_of(x * ratios.pop())


@dataclass(frozen=True, slots=True)
class Met:
    """A situation with the numbers of those after the next label, and the probabilities from the first
    secret; none where everything is decided.
    """

    situation: Situation
    following: Mapping[int, fmpq]


def explored(situations: Situations, pair: Pair, progress: Progress) -> list[Met]:
    """All situations; number 0 is the beginning. Raises TooManyWords."""
    cyclic = _cyclic(situations.chain)
    waiting = [situations.of_pair(pair)]
    numbers = {waiting[0]: 0}
    returning: int | None = None
    found: list[Met] = []
    bits = 0
    for situation in waiting:  # which grows
        following: dict[int, fmpq] = {}
        if not situation.is_decided:
            if returning is None:
                returning = min(cyclic & {s for s, _ in (*situation.x, *situation.y)}, default=None)
            for after in situations.expansion(situation).successors:
                if after.situation not in numbers:
                    numbers[after.situation] = len(waiting)
                    waiting.append(after.situation)
                    bits += _bits(after.situation)
                chance = after.factor * after.situation.mass / situation.mass
                following[numbers[after.situation]] = chance
            nodes, size = (
                (MOST_NODES, MOST_BITS) if returning is None else (MOST_CYCLIC_NODES, MOST_CYCLIC_BITS)
            )
            if len(waiting) > nodes or bits > size:
                state = None if returning is None else situations.chain.states[returning]
                raise TooManyWords(min(nodes, len(waiting) - 1), state)
        found.append(Met(situation, following))
        progress("words (situations)", len(found), None)
    return found


def _settled(met: Sequence[Met]) -> Iterator[tuple[list[int], dict[int, fmpq]]]:
    """The sets of situations that are not left any more, with the probabilities to enter them."""
    visits, settled = expected_visits(met)
    for members in settled:
        yield members, {number: visits[number] for number in members if number in visits}


def expected_visits(met: Sequence[Met]) -> tuple[dict[int, fmpq], list[list[int]]]:
    """How often situations are met, on average, from the first secret; and the sets that are never left.

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
    """How often the situations of a component are visited, on average, before it is left."""
    if len(members) == 1 and members[0] not in met[members[0]].following:
        return dict(arriving)
    place = {number: k for k, number in enumerate(members)}
    rows = [{k: _ONE} for k in range(len(members))]
    for number in members:
        for after, chance in met[number].following.items():
            if after in place:
                row = rows[place[after]]
                row[place[number]] = row.get(place[number], _ZERO) - chance
    return dict(zip(members, solve(rows, [arriving.get(number, _ZERO) for number in members]), strict=True))


def _cyclic(chain: LabelledMarkovChain) -> frozenset[int]:
    """The states with a way back to themselves, except absorbing ones."""
    parts = strong_components(range(len(chain)), chain.rows.__getitem__)
    found = {s for part in parts if len(part) > 1 for s in part}
    return frozenset(found | {s for s, row in enumerate(chain.rows) if s in row and len(row) > 1})


def _bits(situation: Situation) -> int:
    """The bits of the probabilities, given the word from the first secret."""
    amounts = (fmpq(amount, situation.mass) for _, amount in (*situation.x, *situation.y))
    return sum(int(p.p).bit_length() + int(p.q).bit_length() for p in amounts)
