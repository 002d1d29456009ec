"""δ and its bounds for many values of α at once.

δ is convex and non-increasing in α, so what is proved at one α says something at others: an event is a lower
bound at every α, an upper bound holds at every larger α, and two of them bound δ in between by the chord.
Reference: docs/theory.md, *δ as a function of α*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from prover.chain.breakpoints import TooManyWords, breakpoints
from prover.chain.delta import DEFAULT_GAP, BadGap, Given, checked_number, delta
from prover.chain.distance import checked_alpha, distance, query_pairs
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.refinement import Limits
from prover.errors import BadInput, abbreviated
from prover.exact.convex import Piecewise
from prover.exact.enclosed_curve import EnclosedCurve
from prover.exact.rational import format_rational
from prover.progress import Progress, silent

MOST_POINTS = 1_000


class BadGrid(BadInput):
    """Values of α from one number to another are asked for that do not make a grid."""


class NoAlphas(BadInput):
    """A curve without any value of α is asked for."""

    def __init__(self) -> None:
        super().__init__("a curve needs at least one value of alpha")


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What is known at one α: lower ≤ δ ≤ upper, and two distances that bound δ, or None if not asked for.

    ``ld`` and ``bd`` are exact unless exact numbers are too long; then they are upper ends. ``ld_least`` is
    the least ``ld`` at this α and those of the curve below it, which bounds δ, too.
    """

    alpha: Fraction
    lower: Fraction
    upper: Fraction
    ld: Fraction | None
    ld_least: Fraction | None
    bd: Fraction | None


@dataclass(frozen=True, slots=True)
class Curve:
    """δ at many values of α, in increasing order. ``kind`` is "tv" or "lv".

    Without a pair, ``source`` and ``target`` are None and all numbers are maxima over the chain's relation.
    ``exact`` is δ as a function of all α ≥ 1, where that is known.
    """

    kind: str
    source: str | None
    target: str | None
    points: tuple[CurvePoint, ...]
    exact: Piecewise | None

    def __iter__(self) -> Iterator[CurvePoint]:
        return iter(self.points)


def grid(first: Fraction, last: Fraction, points: int) -> tuple[Fraction, ...]:
    """Evenly spaced values of α, both ends included; raises BadGrid."""
    if not 1 <= first <= last:
        ends = f"{abbreviated(format_rational(first))} to {abbreviated(format_rational(last))}"
        raise BadGrid(f"alpha goes from a number of at least 1 to one that is not smaller, not from {ends}")
    if not 1 <= points <= MOST_POINTS or (points == 1) != (first == last):
        raise BadGrid(
            f"from 2 to {MOST_POINTS:,} points make a grid, or 1 if both ends are equal; not {points}"
        )
    step = (last - first) / max(1, points - 1)
    return tuple(first + step * k for k in range(points))


def curve(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    alphas: Iterable[Given] = (),
    *,
    kind: str = "tv",
    bounds: bool = True,
    gap: Given = DEFAULT_GAP,
    limits: Limits | None = None,
    progress: Progress = silent,
    on_curve: Callable[[Curve], None] | None = None,
) -> Curve:
    """δ between two states at the given values of α; without states, its maximum over the relation.

    ``kind`` "tv" is δ both ways round, "lv" from ``source`` to ``target`` only; so are the distances ld and
    bd beside it, which ``bounds=False`` leaves out. Where exact breakpoints are to be had, δ is exact, and
    otherwise in intervals of width ``gap``, if the ``limits`` for each allow that. ``on_curve`` is
    called with the curve so far, whenever there is another point.

    Raises NoAlphas, BadAlpha, BadGap, BadGrid, UnknownDelta, UnknownState, HalfAPair, EmptyRelation.
    """
    width = checked_number(gap, BadGap, "the gap")
    wanted = sorted({_alpha(alpha) for alpha in alphas})
    if not wanted:
        raise NoAlphas
    if len(wanted) > MOST_POINTS:
        raise BadGrid(f"a curve has at most {MOST_POINTS:,} values of alpha, not {len(wanted):,}")
    question = _Question(chain, source, target, kind, width, limits, progress)
    exact = question.exact_delta()
    known = EnclosedCurve()
    distances: dict[Fraction, tuple[Fraction | None, Fraction | None]] = {}

    def found() -> Curve:
        return Curve(kind, source, target, tuple(_points(known, exact, distances)), exact)

    for done, alpha in enumerate(_spread(wanted)):
        progress("values of alpha", done, len(wanted))
        if exact is None and known.lower(alpha) < known.upper(alpha):
            question.learn(known, alpha)
        distances[alpha] = question.distances(alpha) if bounds else (None, None)
        for distance_there in distances[alpha]:
            if distance_there is not None:
                known.add_upper(alpha, distance_there)
        if on_curve is not None:
            on_curve(found())
    return found()


def _points(
    known: EnclosedCurve,
    exact: Piecewise | None,
    distances: Mapping[Fraction, tuple[Fraction | None, Fraction | None]],
) -> Iterator[CurvePoint]:
    least: Fraction | None = None
    for alpha in sorted(distances):
        ld, bd = distances[alpha]
        least = ld if least is None or (ld is not None and ld < least) else least
        lower, upper = known.lower(alpha), known.upper(alpha)
        if exact is not None:
            lower = upper = exact.value(alpha)
        yield CurvePoint(alpha, lower, upper, ld, least, bd)


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked for at every α."""

    chain: LabelledMarkovChain
    source: str | None
    target: str | None
    kind: str
    gap: Fraction
    limits: Limits | None
    progress: Progress

    def exact_delta(self) -> Piecewise | None:
        """δ as a function of α, if breakpoints are to be had."""
        try:
            found = breakpoints(self.chain, self.source, self.target, kind=self.kind, progress=self.progress)
        except TooManyWords:
            return None
        return found.delta

    def learn(self, known: EnclosedCurve, alpha: Fraction) -> None:
        """Take note of what can be found out about δ at an α."""
        answer = delta(
            self.chain, self.source, self.target, alpha,
            kind=self.kind, gap=self.gap, limits=self.limits, progress=self.progress,
        )  # fmt: skip
        known.add_upper(alpha, answer.upper)
        known.add_lower(alpha, answer.lower)
        if answer.attack is not None:
            known.add_line(answer.attack.from_probability, answer.attack.to_probability)

    def distances(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """ld and bd, or upper bounds where exact numbers are too long."""
        chain, source, target = self.chain, self.source, self.target
        if self.kind == "tv" and source is not None:
            # A relation of this pair alone: the maximum of both directions, from one computation.
            pairs = query_pairs(chain, source, target)
            chain = replace(chain, relation=tuple(sorted({*pairs, *((t, s) for s, t in pairs)})))
            source = target = None
        ld, bd = (
            distance(chain, source, target, alpha, kind=kind, progress=self.progress).upper
            for kind in ("ld", "bd")
        )
        return ld, bd


def _alpha(given: Given) -> Fraction:
    alpha = checked_alpha("ld", given)
    return Fraction(1) if alpha is None else alpha


def _spread(alphas: Sequence[Fraction]) -> Iterator[Fraction]:
    """The ends first, then the middle, and so on: chords between them may settle what comes later."""
    yield from dict.fromkeys((alphas[0], alphas[-1]))
    waiting = [(0, len(alphas) - 1)]
    for first, last in waiting:  # which grows
        middle = (first + last) // 2
        if first < middle:
            yield alphas[middle]
            waiting += [(first, middle), (middle, last)]
