"""δ as an exact function of α, where what can be seen leads to finitely many belief pairs.

After a word w the belief pair (unrolling/beliefs.py) is the pair of measures x_w, y_w on states, from either
secret, up to one common scalar. It is *decided* if one is a multiple of the other: later labels tell nothing.
Where finitely many belief pairs can arise, lv_α(s,t) = Σ p max(0, 1 − α r) over the decided ones and those
that are never left, with the probability p to end there and the ratio r = |y| / |x|, which is constant there.
As a function of α this is convex, non-increasing and piecewise linear, with a breakpoint wherever α r = 1.
Reference: docs/theory.md, *δ as a function of α*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import fmpq

from prover.chain.model import LabelledMarkovChain, Pair
from prover.chain.secrets import Secrets
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.word_graph import Met, expected_visits, explored, explored_within
from prover.errors import Fault, abbreviated
from prover.exact.convex import Piecewise, maximum, positive_parts
from prover.exact.fmpq import fraction_of
from prover.exact.rational import format_rational
from prover.progress import Progress, silent
from prover.views import Lined

POINT_BITS = 128
"""Bounds of δ at one α are rounded outward to so many bits after the point, so that they stay short."""

_UNIT = 2**POINT_BITS


@dataclass(frozen=True, slots=True, repr=False)
class Breakpoints(Lined):
    """δ from α = 1 on, exactly.

    ``kind`` is "lv" or "tv". Without a pair, ``source`` and ``target`` are None and ``delta`` is the maximum
    over the chain's relation.

        >>> from prover.zoo import pin_checker
        >>> answer = breakpoints(pin_checker(), "0", "1")
        >>> str(answer.delta.value(Fraction(11, 10)))
        '3791/75090'
    """

    kind: str
    source: str | None
    target: str | None
    delta: Piecewise

    @property
    def headline(self) -> str:
        """The answer in a line."""
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

    Raises UnknownName, BadOptions, TooManyWords.

    Reference: docs/theory.md, *δ as a function of α*.
    """
    return breakpoints_of(Secrets.of(chain, source, target, kind), progress)


def breakpoints_of(secrets: Secrets, progress: Progress = silent) -> Breakpoints:
    """δ of the secrets as an exact function of α ≥ 1. Raises TooManyWords."""
    queries = sorted({secrets.merged.pair(pair) for pair in secrets.directions})
    functions = [positive_parts(endings(secrets.merged, pair, progress)) for pair in queries]
    return Breakpoints(secrets.kind, secrets.source, secrets.target, maximum(functions))


def least_profile(secrets: Secrets, width: Fraction) -> Piecewise:
    """A function of α ≥ 1 that δ of the secrets is not below; ``width`` is as for ``ending_bounds``."""
    queries = sorted({secrets.merged.pair(pair) for pair in secrets.directions})
    different = dict.fromkeys(ending_bounds(secrets.merged, pair, width).lower for pair in queries)
    return maximum([positive_parts(ends) for ends in different])


def endings(
    merged: MergedSystem, pair: Pair, progress: Progress = silent
) -> Iterator[tuple[Fraction, Fraction]]:
    """With what probability the belief pairs where runs end are seen, from the first and the second state.

    Only those that the first one can lead to; the rest of the second one's probability is seen from it alone.
    ``pair`` is one of the merged chain. Raises TooManyWords.
    """
    if not _same_label(merged, pair):
        return iter([(Fraction(1), Fraction(0))])
    return (both for _, both in _ends(explored(merged.beliefs, pair, progress)))


@dataclass(frozen=True, slots=True)
class EndingBounds:
    """What runs end in, as ``endings`` says it, between two: δ is at least that of ``lower`` and at most that
    of ``upper``, at every α ≥ 0. They are the same where it is known exactly.
    """

    lower: tuple[tuple[Fraction, Fraction], ...]
    upper: tuple[tuple[Fraction, Fraction], ...]

    def delta(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """Bounds of δ at α, every term rounded outward."""
        return _rounded(self.lower, alpha, up=False), min(Fraction(1), _rounded(self.upper, alpha, up=True))


def ending_bounds(
    merged: MergedSystem, pair: Pair, width: Fraction, progress: Progress = silent
) -> EndingBounds:
    """What runs end in, so that δ is known up to ``width`` if that does not take too long.

    Where it is open what follows, less is learnt by not looking on, and more by being told the state.
    """
    if not _same_label(merged, pair):
        apart = ((Fraction(1), Fraction(0)),)
        return EndingBounds(apart, apart)
    lower: list[tuple[Fraction, Fraction]] = []
    upper: list[tuple[Fraction, Fraction]] = []
    for one, (x, y) in _ends(explored_within(merged, pair, width, progress)):
        lower.append((x, y))
        if not one.is_open:
            upper.append((x, y))
            continue
        from_other = dict(one.belief.y)
        unit = x / one.belief.mass
        upper += [(unit * amount, unit * from_other.get(s, 0)) for s, amount in one.belief.x]
    return EndingBounds(tuple(lower), tuple(upper))


def _same_label(merged: MergedSystem, pair: Pair) -> bool:
    labels = merged.system.labels
    return labels[pair[0]] == labels[pair[1]]


def _ends(met: list[Met]) -> Iterator[tuple[Met, tuple[Fraction, Fraction]]]:
    """A belief pair of each set that is not left any more, with the probabilities to enter the set."""
    visits, settled = expected_visits(met)
    for members in settled:
        x = sum((visits[number] for number in members if number in visits), fmpq(0))
        ratios = {met[number].belief.ratio for number in members}
        if len(ratios) > 1:
            raise Fault("belief pairs that are never left differ in their ratio")
        yield met[members[0]], (fraction_of(x), fraction_of(x * ratios.pop()))


def _rounded(ends: Iterable[tuple[Fraction, Fraction]], alpha: Fraction, *, up: bool) -> Fraction:
    """1 − Σ x + Σ max(0, x − α y) over the ratios x/y < ∞, where every term is rounded to a multiple of
    2^−128.
    """
    rounded = ceil if up else floor
    law: dict[Fraction, Fraction] = {}
    for x, y in ends:
        if y:
            law[x / y] = law.get(x / y, Fraction(0)) + x
    rest = _UNIT + sum(rounded(-x * _UNIT) for x in law.values())
    gains = (rounded(x * (1 - alpha / ratio) * _UNIT) for ratio, x in law.items() if ratio > alpha)
    return Fraction(max(0, rest + sum(gains)), _UNIT)
