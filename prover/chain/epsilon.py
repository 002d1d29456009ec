"""The least ε for a given δ: δ falls as α = e^ε grows, so the question is where it comes down to the bound.

Where δ is known as an exact function of α, so is the answer. Otherwise events lead there from the left, by
Newton's method, which never overshoots, and certified upper bounds close in from the right.
Reference: docs/theory.md, *δ as a function of α*.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate
from prover.chain.breakpoints import TooManyWords, breakpoints
from prover.chain.delta import BadGap, BadThreshold, Delta, Given, checked_number
from prover.chain.delta import delta as delta_at
from prover.chain.distance import checked_alpha
from prover.chain.model import LabelledMarkovChain
from prover.chain.unrolling.refinement import Limits
from prover.errors import abbreviated
from prover.exact.exponential import enclosed_logarithm
from prover.exact.fraction import short_near
from prover.exact.rational import decimal_text, format_rational
from prover.exact.readable import readable_alpha
from prover.progress import Progress, silent

DEFAULT_WIDTH = Fraction(1, 10**6)
DEFAULT_LIMIT = Fraction(10**6)
DEFAULT_LIMITS = Limits(nodes=20_000)
DIGITS = 12
"""Decimals of ε."""

_MOST_ROUNDS = 60
_FINEST = Fraction(1, 2**64)  # the least step, relative to α
_FEW_NODES = 1_000  # of an unrolling, which often are enough
_SHORT = 256  # bits of an α that is used as it is found
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Epsilon:
    """The least ε = ln α with δ at most ``delta``, or what is known about it.

    δ > ``delta`` at every α from 1 up to ``alpha_lower``, that one excluded, and δ ≤ ``delta`` from
    ``alpha_upper`` on, which is None if no such α was found. ``lower`` ≤ ε ≤ ``upper`` are decimals.
    ``impossible``: it is proved that no α at all is large enough. ``limit`` is the largest α that was tried.
    Without a pair, ``source`` and ``target`` are None and δ is the maximum over the relation.
    """

    kind: str
    delta: Fraction
    source: str | None
    target: str | None
    alpha_lower: Fraction
    alpha_upper: Fraction | None
    impossible: bool
    limit: Fraction
    make_certificate: Callable[[], Certificate] | None = field(repr=False, compare=False)
    make_lower_certificate: Callable[[], Certificate | None] = field(repr=False, compare=False)

    @property
    def alpha(self) -> Fraction | None:
        """e^ε, if it is known exactly."""
        return self.alpha_upper if self.alpha_upper == self.alpha_lower else None

    @property
    def lower(self) -> Fraction:
        """A decimal of 12 digits that the least ε is not below."""
        return enclosed_logarithm(self.alpha_lower, DIGITS)[0]

    @property
    def upper(self) -> Fraction | None:
        """A decimal of 12 digits, ln ``alpha_upper`` rounded up: ε = ``upper`` has δ at most ``delta``."""
        return None if self.alpha_upper is None else enclosed_logarithm(self.alpha_upper, DIGITS)[1]

    @property
    def certificate(self) -> Certificate | None:
        """The evidence that δ is at most ``delta`` at ``alpha_upper``.

        None without such an α, and in the rare case that it is known by the breakpoints alone, as an
        unrolling would be larger than the limits.
        """
        return None if self.make_certificate is None else self.make_certificate()

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence that δ is above ``delta`` at an α just below ``alpha_lower``, if that is not 1."""
        return self.make_lower_certificate()

    def __str__(self) -> str:
        bound = f"delta <= {abbreviated(format_rational(self.delta))}"
        if self.impossible:
            return f"no epsilon has {bound}"
        low = decimal_text(self.lower, DIGITS)
        if self.upper is None:
            tried = f"alpha up to {readable_alpha(self.limit)}"
            return f"no epsilon with {bound} is found ({tried}); if there is one, it is at least {low}"
        high = decimal_text(self.upper, DIGITS)
        if self.alpha is not None:
            return f"the least epsilon with {bound} is ln({readable_alpha(self.alpha)}) <= {high}"
        return f"the least epsilon with {bound} is at least {low} and at most {high}"


def epsilon_for(
    chain: LabelledMarkovChain,
    source: str | None,
    target: str | None,
    delta: Given,
    *,
    kind: str = "tv",
    gap: Given = DEFAULT_WIDTH,
    limit: Given = DEFAULT_LIMIT,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = silent,
    on_interval: Callable[[Epsilon], None] | None = None,
) -> Epsilon:
    """The least ε at which δ between two states is at most ``delta``; None for both: over the relation.

    ``kind`` is as for ``prover.delta``. The answer is exact where δ has exact breakpoints; otherwise both
    ends are certified, and e^ε is enclosed up to a factor of 1 + ``gap``, if δ can be bounded well enough
    within ``limits``, which hold for every single α. No α above ``limit`` is tried. ``on_interval`` is called
    with what is known after each α.

    Raises BadThreshold, BadGap, BadAlpha, UnknownDelta, UnknownState, HalfAPair, EmptyRelation.
    """
    bound = checked_number(delta, BadThreshold, "delta")
    width = checked_number(gap, BadGap, "the gap")
    most = checked_alpha("the limit", limit) or _ONE

    def ask(alpha: Fraction, nodes: int) -> Delta:
        allowed = replace(limits, nodes=min(nodes, limits.nodes))
        return delta_at(
            chain, source, target, alpha, kind=kind, at_most=bound, gap=0, limits=allowed, progress=progress
        )

    def answer(low: Fraction, high: Fraction | None, above: Delta | None, impossible: bool) -> Epsilon:
        low = most if impossible else low
        proof = None if above is None else lambda: above.certificate
        back = Fraction(0) if impossible else width
        refutation = cache(lambda: _refutation(ask, limits.nodes, bound, low, back))
        return Epsilon(kind, bound, source, target, low, high, impossible, most, proof, refutation)

    try:
        exact = breakpoints(chain, source, target, kind=kind, progress=progress).delta.first_at_most(bound)
    except TooManyWords:
        pass
    else:
        if exact is None or exact > most:
            return answer(exact or most, None, None, exact is None)
        if on_interval is not None:
            on_interval(answer(exact, exact, None, False))
        above = ask(exact, limits.nodes)
        return answer(exact, exact, above if above.is_at_most(bound) else None, False)

    def found() -> Epsilon:
        high = None if search.above is None else search.above.alpha
        return answer(search.low, high, search.above, search.impossible)

    def report() -> None:
        if on_interval is not None:
            on_interval(found())

    search = _Search(ask, report, limits.nodes, bound, width, most)
    search.from_the_left()
    search.from_the_right()
    return found()


@dataclass(slots=True)
class _Search:
    """δ > ``bound`` below ``low``; nothing is known from there to ``open``; ``above`` proves δ ≤ ``bound``.

    ``low`` is proved by events. ``reach`` is where the upper end of an interval too wide to tell may come
    down to the bound: a guess.
    """

    ask: Callable[[Fraction, int], Delta]
    report: Callable[[], None]
    nodes: int
    bound: Fraction
    width: Fraction
    most: Fraction
    low: Fraction = _ONE
    open: Fraction = _ONE
    reach: Fraction = _ONE
    above: Delta | None = None
    impossible: bool = False

    def from_the_left(self) -> None:
        """Ask at the α that the events lead to, until one is large enough, and so ``above`` is found."""
        alpha, step = self.low, max(self.width, _FINEST) / 2
        for _ in range(_MOST_ROUNDS):
            if self._ask(alpha) or self.impossible or alpha == self.most:
                return
            if self.low > alpha * (1 + step):
                following = self.low
            else:  # nearly there, or δ is not known well enough here: beyond it, farther every time
                following, step = max(self.reach, alpha * (1 + step)), 2 * step
            alpha = min(self.most, max(_short(following, following * self.width / 16), self.low))

    def from_the_right(self) -> None:
        """Halve the interval that is left, as long as this helps."""
        for _ in range(_MOST_ROUNDS):
            if self.above is None or self.above.alpha is None:
                return
            high, bottom = self.above.alpha, max(self.low, self.open)
            if high <= bottom * (1 + self.width):
                return
            self._ask(_short((bottom + high) / 2, (high - bottom) / 8))

    def _ask(self, alpha: Fraction) -> bool:
        """Whether δ is at most the bound at α; takes note of what is learnt."""
        answer = self.ask(alpha, _FEW_NODES)
        if answer.is_at_most(self.bound) is None:
            self._learn(answer, alpha)
            if self.reach > alpha * (1 + self.width / 4):  # not known well enough
                answer = self.ask(alpha, self.nodes)
        self._learn(answer, alpha)
        self.report()
        return answer.is_at_most(self.bound) is True

    def _learn(self, answer: Delta, alpha: Fraction) -> None:
        verdict = answer.is_at_most(self.bound)
        slope = rest = Fraction(0)
        if answer.attack is not None:
            slope, rest = answer.attack.to_probability, answer.attack.from_probability - self.bound
        if verdict:
            self.above = answer
        elif verdict is None:
            self.open = max(self.open, alpha)
            self.reach = alpha + (answer.upper - self.bound) / slope if slope > 0 else 2 * alpha
        else:
            self.low = max(self.low, alpha, rest / slope if slope > 0 else alpha)
            self.impossible = slope == 0 and rest > 0


def _refutation(
    ask: Callable[[Fraction, int], Delta], nodes: int, bound: Fraction, low: Fraction, width: Fraction
) -> Certificate | None:
    """A certificate that δ is above the bound at an α as little below ``low`` as can be proved."""
    back = low * width / 2
    while low > 1:
        alpha = max(_ONE, _short(low - back, back / 4))
        found = ask(alpha, nodes)
        if found.lower > bound:
            return found.certificate
        if alpha == 1:
            break
        back = max(4 * back, low * _FINEST)
    return None


def _short(alpha: Fraction, error: Fraction) -> Fraction:
    """α itself if that is short, and otherwise a short rational that differs by at most ``error``."""
    if alpha.denominator.bit_length() <= _SHORT:
        return alpha
    return short_near(alpha, error)
