"""The privacy profile of two secrets: δ as a function of α = e^ε, and what bounds it, at many values of α.

δ is convex and non-increasing in α, also as a supremum over attackers who choose; so what is proved at one α
says something at others: an event is a lower bound at every α, an upper bound holds at every larger α, and
two of them bound δ in between by the chord. Reference: docs/theory.md, *δ as a function of α*;
docs/theory_interactive.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

from prover.chain.arguments import Slope, alpha_or_epsilon, given_slope
from prover.chain.breakpoints import breakpoints_of, ending_bounds
from prover.chain.collapsing.collapse import queried_system
from prover.chain.delta import DEFAULT_GAP, delta_at, delta_question
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import System
from prover.chain.secrets import ROUGH, Secrets
from prover.chain.unrolling.answer import Delta, InteractiveDelta
from prover.chain.unrolling.beliefs import MergedSystem
from prover.chain.unrolling.refinement import Limits, UnrollingLimits, fitting_limits
from prover.chain.unrolling.word_graph import TooManyWords
from prover.errors import BadOptions, BadValue, NotSupported, abbreviated, must_be, quoted
from prover.exact.convex import Piecewise
from prover.exact.enclosed_curve import EnclosedCurve
from prover.exact.given import Given
from prover.exact.rational import format_rational, parse_rational
from prover.exact.readable import brief, readable_interval
from prover.parallel import each
from prover.progress import Progress, silent
from prover.views import Lined, Paged, drawing_of, frame

MOST_POINTS = 1_000

_DIGITS = 100  # of a number of points, which messages quote


@dataclass(frozen=True, slots=True, repr=False)
class CurvePoint(Lined):
    """What is known at one α: lower ≤ δ ≤ upper, and two distances that bound δ, or None if not asked for.

    Where ε was given and e^ε is irrational, the lower end holds at ``slope.lower`` just above e^ε, and all
    else at ``alpha`` just below. ``ld`` and ``bd`` are exact unless exact numbers are too long; then they
    are upper ends. ``ld_least`` is the least ``ld`` at this α and those of the curve below it, which bounds
    δ, too.
    """

    slope: Slope
    lower: Fraction
    upper: Fraction
    ld: Fraction | None
    ld_least: Fraction | None
    bd: Fraction | None

    @property
    def headline(self) -> str:
        """The answer in a line."""
        if self.lower == self.upper:
            return f"δ = {brief(self.upper)} at α = {brief(self.alpha)}"
        low, high = readable_interval(self.lower, self.upper)
        return f"{low} ≤ δ ≤ {high} at α = {brief(self.alpha)}"

    @property
    def alpha(self) -> Fraction:
        """α, or a rational number just below it."""
        return self.slope.upper


@dataclass(frozen=True, slots=True, repr=False)
class Curve(Paged):
    """δ at many values of α or ε, in increasing order. ``kind`` is "tv" or "lv".

    Without a pair, ``source`` and ``target`` are None and all numbers are maxima over the chain's relation.
    ``exact`` is δ as a function of all α ≥ 1, where that is known. ``width`` is how closely it was asked for,
    lost runs apart.

        >>> import prover
        >>> from prover.zoo import pin_checker
        >>> answer = prover.curve(pin_checker(), "0", "1", ["1", "11/10"])
        >>> [str(point.upper) for point in answer.points]
        ['200/2503', '3791/75090']
    """

    kind: str
    source: str | None
    target: str | None
    points: tuple[CurvePoint, ...]
    exact: Piecewise | None
    width: Fraction = Fraction(0)
    lost: Fraction = Fraction(0)
    """At most so likely is a run lost, where the chain is cut from a larger one: δ is that of the larger."""
    system: object = field(default=None, repr=False, compare=False)
    """The chain that it is about, or the decision process."""
    secrets: Secrets | None = field(default=None, repr=False, compare=False)  # with what was explored of them

    def __iter__(self) -> Iterator[CurvePoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, place: int) -> CurvePoint:
        return self.points[place]

    @property
    def name(self) -> str:
        """The name of what the curve is of: "delta", or "lv"."""
        return "delta" if self.kind == "tv" else self.kind

    @property
    def leaves_out_pairs(self) -> bool:
        """Whether pairs of secrets were left out, so far."""
        return self.secrets is not None and self.secrets.part is not None

    @property
    def headline(self) -> str:
        """The answer in a line."""
        whose = f"{self.name} of {self.source} and {self.target}"
        if self.source is None:
            whose = f"the largest {self.name} of a relation"
        known = "exact" if self.exact is not None else "each between two bounds"
        return f"{whose} at {len(self)} value{'s' * (len(self) != 1)} of alpha, {known}"

    def plot(self) -> Any:
        """The curve as a picture, as on its page; ``str`` of it is SVG."""
        return drawing_of(self)

    def to_pandas(self) -> Any:
        """The points as a table of pandas, a row for each, in exact numbers. Raises NotInstalled."""
        names = ("alpha", "lower", "upper", "ld", "ld_least", "bd")
        columns = {name: [getattr(point, name) for point in self.points] for name in names}
        return frame({"epsilon": [point.slope.epsilon for point in self.points]} | columns)


def grid(first: Fraction, last: Fraction, points: int) -> tuple[Fraction, ...]:
    """Evenly spaced values of α, both ends included; raises BadValue."""
    return _spaced("alpha", 1, first, last, points)


def epsilon_grid(first: Fraction, last: Fraction, points: int) -> tuple[Fraction, ...]:
    """Evenly spaced values of ε, both ends included; raises BadValue."""
    return _spaced("epsilon", 0, first, last, points)


def written_grid(text: str, name: str) -> tuple[Fraction, ...]:
    """The values of "alpha" or "epsilon" that A1:A2:POINTS writes. Raises BadValue."""
    spaced, example = (grid, "1:2:11") if name == "alpha" else (epsilon_grid, "0:2:11")
    first, last, points = parts if len(parts := text.split(":")) == 3 else ("", "", "")
    if not (points.isascii() and points.isdecimal() and len(points) <= _DIGITS):
        letter = name[0].upper()
        form = f"{letter}1:{letter}2:POINTS, such as {example}"
        raise BadValue(f"{quoted(text)} is not a grid; write {form}", code="bad-grid")
    return spaced(parse_rational(first), parse_rational(last), int(points))


def _spaced(name: str, least: int, first: Fraction, last: Fraction, points: int) -> tuple[Fraction, ...]:
    if not least <= first <= last:
        ends = f"{abbreviated(format_rational(first))} to {abbreviated(format_rational(last))}"
        message = f"{name} goes from a number of at least {least} to one that is not smaller, not from {ends}"
        raise BadValue(message, code="bad-grid")
    if not 1 <= points <= MOST_POINTS or (points == 1) != (first == last):
        raise BadValue(
            f"from 2 to {MOST_POINTS:,} points make a grid, or 1 if both ends are equal; not {points:,}",
            code="bad-grid",
        )
    step = (last - first) / max(1, points - 1)
    return tuple(first + step * k for k in range(points))


def curve(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    alphas: Iterable[Given] = (),
    *,
    epsilons: Iterable[Given] = (),
    kind: str = "tv",
    bounds: bool = True,
    provable: bool = False,
    gap: Given = DEFAULT_GAP,
    limits: UnrollingLimits | Limits | None = None,
    jobs: int = 1,
    progress: Progress = silent,
    on_curve: Callable[[Curve], None] | None = None,
) -> Curve:
    """δ between two states at the given values of α, or of ε; without states, its maximum over the relation.

    ``chain`` is a Markov chain or a decision process, and ε are rationals, or logarithms of them. ``kind``
    "tv" is δ in both directions, "lv" from ``source`` to ``target`` only; the same holds for the distances ld
    and bd beside it. These are left out with ``bounds=False``, and for a process with more than 2,000 ordered
    pairs of states of equal label. δ is exact where it has exact breakpoints, and otherwise in intervals of
    width ``gap``, if the ``limits`` at each point allow: UnrollingLimits for chains, Limits for processes.
    With ``provable``, for chains, the intervals follow from bounds for all α at once, which a certificate can
    hold. Of a chain that is cut from a larger one δ is that of the larger one, in intervals, without
    distances. ``jobs`` processes work at the same time and find the same. ``on_curve`` is called with the
    curve so far after δ at each point, or at once where all are known, and after the distances at each.

        >>> from prover.zoo import pin_checker
        >>> found = curve(pin_checker(), "0", "1", ["1", "6/5", "7/5"], bounds=False)
        >>> [str(point.upper) for point in found]
        ['200/2503', '791/37545', '0']
        >>> from prover.zoo.interactive import doors
        >>> [str(point.upper) for point in curve(doors(), "s", "t", ["1", "6/5", "2"])]
        ['1/2', '9/20', '1/4']

    Raises BadOptions, BadValue, UnknownName.
    """
    must_be(Iterable, alphas=alphas)
    system = queried_system(chain, source, target, cut=True)
    within = fitting_limits(system, limits)
    secrets = Secrets.of(system, source, target, kind)
    question = delta_question(secrets, gap)
    wanted = slopes_of(alphas, epsilons, question.bits)
    width = question.width_at(max(slope.lower for slope in wanted))
    exact = between = None
    rough = max(width, ROUGH)

    def of_part(one: Secrets) -> None:
        ends = _between(one, rough, silent)
        points = [
            CurvePoint(slope, ends(slope.lower)[0], ends(slope.upper)[1], None, None, None)
            for slope in wanted
        ]
        if on_curve is not None:
            on_curve(Curve(kind, source, target, tuple(points), None, rough, system=system, secrets=one))

    if on_curve is not None and not provable:
        on_curve = _below_clusters(secrets, wanted, rough, on_curve)
    progress = progress if on_curve is None else secrets.look_first(progress, of_part, coarsely=True)
    bounds = bounds and not secrets.lost
    if isinstance(system, LabelledMarkovChain):
        if not secrets.lost:
            with suppress(TooManyWords):
                exact = breakpoints_of(secrets, progress).delta
        if exact is None and provable:
            between = _between(secrets, width, progress)
    elif provable:
        raise NotSupported("provable is for curves of chains", code="not-interactive")
    else:
        from prover.chain.dispatch import MANY_PAIRS

        pairs = sum(many * (many - 1) for many in Counter(system.labels).values())
        bounds = bounds and pairs <= MANY_PAIRS
    known = EnclosedCurve()
    order = list(_spread(wanted))
    settled = exact is not None or between is not None
    distances: dict[Slope, tuple[Fraction | None, Fraction | None]] = {}
    distances |= dict.fromkeys(order if settled else (), (None, None))

    def ends(slope: Slope) -> tuple[Fraction, Fraction]:
        if exact is not None:
            return exact.value(slope.lower), exact.value(slope.upper)
        if between is not None:
            return between(slope.lower)[0], between(slope.upper)[1]
        return known.lower(slope.lower), known.upper(slope.upper)

    def found() -> Curve:
        points = tuple(_points_of(ends, distances))
        return Curve(kind, source, target, points, exact, width, secrets.lost, secrets.system, secrets)

    def is_open(slope: Slope) -> bool:
        return known.lower(slope.lower) < known.upper(slope.upper)

    reported = progress if jobs <= 1 else silent

    def at_one(query: tuple[Slope, bool, bool]) -> _AtOneAlpha:
        slope, of_delta, unknown = query
        if of_delta:
            there = delta_at(question, Slope.of_alpha(slope.upper), within, reported) if unknown else None
            return None if there is None else _learnt(there), (None, None)
        from prover.chain.distance import largest

        ld = largest(secrets.system, secrets.directions, slope.upper, "ld", reported)
        bd = largest(secrets.system, secrets.directions, slope.upper, "bd", reported)
        return None, (ld, bd)

    if settled and on_curve is not None:
        on_curve(found())
    steps = [*([] if settled else [True]), *([False] if bounds else [])]
    queries = [(slope, of_delta) for slope in order for of_delta in steps]
    answers = each(at_one, ((slope, of_delta, is_open(slope)) for slope, of_delta in queries), jobs)
    progress("values of alpha", 0, len(wanted))
    for done, ((slope, _), (there, own)) in enumerate(zip(queries, answers, strict=True), 1):
        # With several jobs it was asked before all before it was known: that must not tell more.
        if there is not None and is_open(slope):
            lower, upper, event = there
            known.add_upper(slope.upper, upper)
            known.add_lower(slope.upper, lower)
            if event is not None:
                known.add_line(*event)
        distances[slope] = own
        for distance_there in own:
            if distance_there is not None:
                known.add_upper(slope.upper, distance_there)
        progress("values of alpha", done // len(steps), len(wanted))
        if on_curve is not None:
            on_curve(found())
    return found()


def _below_clusters(
    secrets: Secrets, wanted: Sequence[Slope], width: Fraction, on_curve: Callable[[Curve], None]
) -> Callable[[Curve], None]:
    """Report what clusters of nearly bisimilar states say of many pairs, if they say anything. What is
    returned reports later curves, with no upper end above that.
    """
    most = secrets.most_of_clusters
    if most == 1:
        return on_curve

    def report(later: Curve) -> None:
        points = tuple(replace(point, upper=min(point.upper, most)) for point in later)
        on_curve(replace(later, points=points))

    points = tuple(CurvePoint(slope, Fraction(0), most, None, None, None) for slope in wanted)
    none = replace(secrets, part=MergedSystem.as_it_is(secrets.system, ()))
    report(Curve(secrets.kind, None, None, points, None, width, system=secrets.system, secrets=none))
    return report


_Learnt = tuple[Fraction, Fraction, tuple[Fraction, Fraction] | None]
"""What an unrolling tells of δ at one α: an interval, and an event with both its probabilities."""

_AtOneAlpha = tuple[_Learnt | None, tuple[Fraction | None, Fraction | None]]
"""What is found at one α: of δ, or the distances ld and bd, whichever is asked."""


def _learnt(answer: Delta | InteractiveDelta) -> _Learnt:
    event = answer.event
    gains = None if event is None else (event.from_probability, event.to_probability)
    return answer.lower, answer.upper, gains


def slopes_of(alphas: Iterable[Given], epsilons: Iterable[Given], bits: int) -> list[Slope]:
    """α, or ε, of what was given of the two: each value once, in increasing order.

    Raises BadOptions and BadValue where there are too many.
    """
    by_alpha = [given_slope("ld", alpha, None) for alpha in alphas]
    by_epsilon = [given_slope("ld", None, epsilon, bits) for epsilon in epsilons]
    if by_alpha and by_epsilon:
        raise alpha_or_epsilon('alphas=["1", "6/5"] or epsilons=["0", "1/2"]')
    if not by_alpha and not by_epsilon:
        raise BadOptions("a curve needs at least one value of alpha or epsilon", code="no-alphas")
    wanted = sorted({*by_alpha, *by_epsilon}, key=lambda slope: slope.upper)
    if len(wanted) > MOST_POINTS:
        raise BadValue(
            f"a curve has at most {MOST_POINTS:,} values of alpha, not {len(wanted):,}", code="bad-grid"
        )
    return wanted


def _points_of(
    ends: Callable[[Slope], tuple[Fraction, Fraction]],
    distances: Mapping[Slope, tuple[Fraction | None, Fraction | None]],
) -> Iterator[CurvePoint]:
    """The points at which there is a pair of distances, ld and bd, between the ends of δ there."""
    least: Fraction | None = None
    for slope in sorted(distances, key=lambda slope: slope.upper):
        ld, bd = distances[slope]
        least = ld if least is None or (ld is not None and ld < least) else least
        yield CurvePoint(slope, *ends(slope), ld, least, bd)


def _between(
    secrets: Secrets, width: Fraction, progress: Progress
) -> Callable[[Fraction], tuple[Fraction, Fraction]]:
    """Bounds of δ at any α ≥ 1, the largest of all directions."""
    pairs = sorted({secrets.merged.pair(pair) for pair in secrets.directions})
    found = [ending_bounds(secrets.merged, pair, width, progress) for pair in pairs]

    @cache
    def at(alpha: Fraction) -> tuple[Fraction, Fraction]:
        ends = [one.delta(alpha) for one in found]
        return secrets.uncut(max(low for low, _ in ends), max(high for _, high in ends), alpha)

    return at


def _spread(slopes: Sequence[Slope]) -> Iterator[Slope]:
    """The ends first, then the middle, and so on: chords between them may settle what comes later."""
    yield from dict.fromkeys((slopes[0], slopes[-1]))
    waiting = [(0, len(slopes) - 1)]
    for first, last in waiting:  # which grows
        middle = (first + last) // 2
        if first < middle:
            yield slopes[middle]
            waiting += [(first, middle), (middle, last)]
