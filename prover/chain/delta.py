"""δ itself, exactly or between two certified numbers: for two secrets, or the largest of a relation.

lv is undecidable in general ("Asymmetric Distances for Approximate Differential Privacy", CONCUR 2019,
Section 4), so the answer may be an interval; on chains whose behaviour ends it can be as narrow as one likes.
Reference: docs/theory.md, *Unrollings*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate
from prover.chain.answer import statement
from prover.chain.distance import checked_alpha, query_pairs
from prover.chain.ld.certificates import certify
from prover.chain.ld.problem import Pair
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.attack import Attack, attack
from prover.chain.unrolling.certificates import trace_evidence
from prover.chain.unrolling.refinement import Goal, Intervals, Limits, enclose
from prover.errors import BadInput, abbreviated, quoted
from prover.exact.exponential import exponential
from prover.exact.rational import format_rational, parse_rational
from prover.exact.readable import readable_alpha
from prover.progress import Progress, silent

DEFAULT_GAP = Fraction(1, 10**6)
_LARGEST_EPSILON = 1000
_BITS = 40  # to which e^ε is known at least

Bounds = tuple[Fraction, Fraction]
Given = Fraction | int | str


class AlphaOrEpsilon(BadInput):
    """Neither α nor ε is given, or both."""

    def __init__(self) -> None:
        super().__init__("give alpha = e^epsilon or epsilon, one of the two")


class BadEpsilon(BadInput):
    """ε is no rational number from 0 to 1000."""


class BadGap(BadInput):
    """The width that an interval may have is no rational number of at least 0."""


class BadThreshold(BadInput):
    """The number that δ is compared with is no rational number of at least 0."""


class UnknownDelta(BadInput):
    """There is no δ of the given kind."""

    def __init__(self, kind: str) -> None:
        super().__init__(
            f"there is no delta of kind {quoted(kind)}; ask for tv (both directions) or lv (one)"
        )


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an upper end comes from: ``kind`` is "labels", "exact", "ld" or "unrolling"; and how large the
    unrolling is.
    """

    kind: str
    depth: int
    nodes: int


@dataclass(frozen=True, slots=True)
class Delta:
    """lower ≤ δ ≤ upper for two secrets, or for the largest δ of a relation.

    ``kind`` is "tv" (the larger of both directions) or "lv" (from source to target). With ε the upper end
    holds at ``alpha_upper`` ≤ e^ε and the lower end at ``alpha_lower`` ≥ e^ε, and ``alpha`` is None; without,
    all three are equal. Over a relation (source, target) is a pair that attains ``lower``. ``directions`` are
    the bounds of lv from source to target ("forward") and back ("backward"). ``met``: the interval is no
    wider than asked for, or what was asked is decided.
    """

    kind: str
    alpha: Fraction | None
    epsilon: Fraction | None
    alpha_upper: Fraction
    alpha_lower: Fraction
    source: str
    target: str
    lower: Fraction
    upper: Fraction
    directions: Mapping[str, Bounds]
    attack: Attack | None
    origin: Origin
    over_relation: bool
    met: bool
    make_certificate: Callable[[], Certificate] = field(repr=False, compare=False)
    make_lower_certificate: Callable[[], Certificate] = field(repr=False, compare=False)

    @property
    def value(self) -> Fraction | None:
        """δ, if it is known exactly."""
        return self.lower if self.lower == self.upper else None

    @property
    def certificate(self) -> Certificate:
        """The evidence for the upper end; for the lower one, too, unless ε was given."""
        return self.make_certificate()

    @property
    def lower_certificate(self) -> Certificate:
        """The evidence for the lower end: the same certificate, unless ε was given."""
        return self.make_lower_certificate()

    @property
    def factor(self) -> str:
        """α for people: a rational, or e to the power of one."""
        if self.alpha is not None:
            return readable_alpha(self.alpha)
        exponent = abbreviated(format_rational(self.epsilon or Fraction(0)))
        return f"e^{f'({exponent})' if '/' in exponent else exponent}"

    def is_at_most(self, threshold: Fraction) -> bool | None:
        """Whether δ is at most a number; None if the bounds do not tell."""
        if self.upper <= threshold:
            return True
        return False if self.lower > threshold else None

    def __str__(self) -> str:
        name = f"{'delta' if self.kind == 'tv' else 'lv'}_{self.factor}"
        bounds = self.lower, self.upper
        return statement(name, (self.source, self.target), bounds, over_relation=self.over_relation)


def delta(
    chain: LabelledMarkovChain,
    source: str | None = None,
    target: str | None = None,
    alpha: Given | None = None,
    *,
    epsilon: Given | None = None,
    gap: Given = DEFAULT_GAP,
    kind: str = "tv",
    at_most: Given | None = None,
    limits: Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Delta], None] | None = None,
) -> Delta:
    """The least δ with P[E | source] ≤ α P[E | target] + δ for every event E, and with the two swapped.

    Without states it is the largest δ over the chain's relation; ``kind`` "lv" asks for the one direction
    only. α ≥ 1 is a rational; in its place ε = ln α can be given. The answer is an interval of at most the
    width ``gap``, exact where that is possible, unless the ``limits`` are reached before. With ``at_most``
    it is only refined until it is decided whether δ is at most that. ``on_interval`` is called with wider
    answers on the way.

    Raises AlphaOrEpsilon, BadAlpha, BadEpsilon, BadGap, BadThreshold, UnknownDelta, UnknownState, HalfAPair,
    EmptyRelation.
    """
    if kind not in ("tv", "lv"):
        raise UnknownDelta(kind)
    width = min(checked_number(gap, BadGap, "the gap"), Fraction(1))
    threshold = (
        None
        if at_most is None
        else min(checked_number(at_most, BadThreshold, "the bound on delta"), Fraction(1))
    )
    pairs = query_pairs(chain, source, target)
    if (alpha is None) == (epsilon is None):
        raise AlphaOrEpsilon
    exponent = None if epsilon is None else _epsilon(epsilon)
    question = _Question(chain, kind, source is not None, pairs, width, threshold)
    options = (limits or Limits(), progress)
    if exponent is None:
        slope = _Slope(None, *[checked_alpha(kind, alpha) or Fraction(1)] * 2)

        def whole(found: Intervals) -> Delta:
            return question.answer(slope, found, found)

        report = None if on_interval is None else lambda found: on_interval(whole(found))
        return whole(question.enclose(slope.upper, *options, report))
    bits = _BITS if width == 0 else max(_BITS, 8 + (width.denominator // width.numerator).bit_length())
    slope = _Slope(exponent, *exponential(exponent, bits))
    below = question.enclose(slope.lower, Limits(nodes=1, distances=False), progress, None)
    report = None if on_interval is None else lambda found: on_interval(question.answer(slope, found, below))
    above = question.enclose(slope.upper, *options, report)
    if threshold is None or question.largest(above.upper) > threshold:
        report = (
            None if on_interval is None else lambda found: on_interval(question.answer(slope, above, found))
        )
        below = question.enclose(slope.lower, *options, report)
    return question.answer(slope, above, below)


@dataclass(frozen=True, slots=True)
class _Slope:
    """α for the upper and for the lower end; they differ where only ε is rational."""

    epsilon: Fraction | None
    upper: Fraction
    lower: Fraction


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked about a chain, with any α."""

    chain: LabelledMarkovChain
    kind: str
    named: bool
    pairs: Sequence[Pair]
    width: Fraction
    threshold: Fraction | None

    def enclose(
        self,
        alpha: Fraction,
        limits: Limits,
        progress: Progress,
        report: Callable[[Intervals], None] | None,
    ) -> Intervals:
        """Intervals of lv for all directions that count; somewhat narrower than asked for, as α may be
        rounded.
        """
        backward = [(t, s) for s, t in self.pairs if self.kind == "tv"]
        everything = sorted({*self.pairs, *backward})
        goal = Goal(self.width * Fraction(63, 64), self.named, self.threshold)
        return enclose(self.chain, everything, alpha, goal, limits, progress, report)

    def largest(self, bounds: Mapping[Pair, Fraction]) -> Fraction:
        """The bound that counts."""
        return max(bounds.values())

    def answer(self, slope: _Slope, above: Intervals, below: Intervals) -> Delta:
        """The answer of which one unrolling proves the upper end and one, maybe the same, the lower end."""
        lower, upper = self.largest(below.lower), self.largest(above.upper)
        best = _maximiser(below.lower)
        asked = self.pairs[0] if self.named else best
        directions = {
            name: (below.lower[pair], above.upper[pair])
            for name, pair in (("forward", asked), ("backward", asked[::-1]))
            if pair in below.lower
        }
        names = self.chain.states
        proofs = [
            cache(lambda found=found, alpha=alpha: self._certificate(found, alpha))
            for found, alpha in ((above, slope.upper), (below, slope.lower))
        ]
        return Delta(
            kind=self.kind,
            alpha=slope.upper if slope.epsilon is None else None,
            epsilon=slope.epsilon,
            alpha_upper=slope.upper,
            alpha_lower=slope.lower,
            source=names[asked[0]],
            target=names[asked[1]],
            lower=lower,
            upper=upper,
            directions=directions,
            attack=attack(below, best, names),
            origin=_origin(above),
            over_relation=not self.named,
            met=self._met(lower, upper),
            make_certificate=proofs[0],
            make_lower_certificate=proofs[0] if above is below else proofs[1],
        )

    def _met(self, lower: Fraction, upper: Fraction) -> bool:
        if self.threshold is not None:
            return upper <= self.threshold or lower > self.threshold
        return upper - lower <= self.width

    def _certificate(self, found: Intervals, alpha: Fraction) -> Certificate:
        best = self.pairs[0] if self.named else _maximiser(found.lower)
        claim = {
            "alpha": format_rational(alpha),
            "kind": self.kind,
            "scope": "pair" if self.named else "relation",
            "from": self.chain.states[best[0]],
            "to": self.chain.states[best[1]],
            "lower": format_rational(self.largest(found.lower)),
            "upper": format_rational(self.largest(found.upper)),
        }
        return certify(self.chain, claim, trace_evidence(found))


def _maximiser(bounds: Mapping[Pair, Fraction]) -> Pair:
    """The first of the pairs with the largest bound."""
    return max(bounds, key=lambda pair: (bounds[pair], -pair[0], -pair[1]))


def _origin(found: Intervals) -> Origin:
    pair = _maximiser(found.upper)
    root = found.root(pair)
    depth, level, seen = 0, set(range(len(found.roots))), set(range(len(found.roots)))
    while (
        level := {
            e.target for number in level for e in found.nodes[number].entries or found.nodes[number].circle
        }
        - seen
    ):
        depth, seen = depth + 1, seen | level
    if root is None:
        kind = "labels"
    elif found.lower[pair] == found.upper[pair]:
        kind = "exact"
    else:
        twin = found.roots[root]
        known = found.bounds is not None and twin in found.bounds.couplings
        by_ld = known and found.bounds is not None and found.bounds.table.value(twin) == found.upper[pair]
        kind = "ld" if by_ld else "unrolling"
    return Origin(kind, depth, len(found.nodes))


def _epsilon(given: Given) -> Fraction:
    exponent = checked_number(given, BadEpsilon, "epsilon")
    if exponent > _LARGEST_EPSILON:
        raise BadEpsilon(
            f"epsilon is at most {_LARGEST_EPSILON}, not {abbreviated(format_rational(exponent))}"
        )
    return exponent


def checked_number(given: Given, error: type[BadInput], what: str) -> Fraction:
    """The number of at least 0 that was given."""
    if isinstance(given, bool) or not isinstance(given, int | Fraction | str):
        raise error(f'{what} is a rational number, given as text such as "1/100", not {given!r}')
    number = parse_rational(given) if isinstance(given, str) else Fraction(given)
    if number < 0:
        raise error(f"{what} is at least 0, not {abbreviated(format_rational(number))}")
    return number
