"""The least ε for a given δ: δ falls as α = e^ε grows, so the question is where it comes down to the bound.

Where δ is known as an exact function of α, so is the answer. Otherwise events lead there from the left, by
Newton's method, which never overshoots, and certified upper bounds close in from the right. δ is a supremum
of lines in α, of events or of attackers who choose: the line of the best one found at one α says how large α
has to be at least.
Reference: docs/theory.md, *δ as a function of α*; docs/theory_interactive.md.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache

from prover.certificate.schema import Certificate
from prover.chain.arguments import Slope, rational_alpha
from prover.chain.breakpoints import breakpoints_of, least_profile
from prover.chain.collapsing.collapse import queried_system
from prover.chain.delta import DeltaQuestion, delta_at, delta_question
from prover.chain.model import LabelledMarkovChain
from prover.chain.process import System
from prover.chain.secrets import ROUGH, Secrets
from prover.chain.unrolling.answer import Delta, InteractiveDelta
from prover.chain.unrolling.refinement import Limits, UnrollingLimits, fitting_limits
from prover.chain.unrolling.word_graph import TooManyWords
from prover.errors import BadValue, abbreviated
from prover.exact.epsilon_bounds import DIGITS, EpsilonBounds
from prover.exact.fraction import short_near
from prover.exact.given import LARGEST_EPSILON, Given, given_rational
from prover.exact.rational import decimal_text, format_rational
from prover.exact.readable import readable_alpha
from prover.progress import Progress, silent

DEFAULT_WIDTH = Fraction(1, 10**6)
DEFAULT_LIMIT = Fraction(10**6)
DEFAULT_LIMITS = UnrollingLimits(nodes=20_000), Limits(nodes=10_000)
_MOST_ROUNDS = 60
_FINEST = Fraction(1, 2**64)  # the least step, relative to α
_NODES_OF_A_PAIR = 10  # of each direction of a relation, if there is no other limit
_FEW_NODES = 1_000  # of an unrolling, which often are enough
_SHORT = 256  # bits of an α that is used as it is found
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True, repr=False)
class Epsilon(EpsilonBounds):
    """The least ε = ln α with δ at most ``delta``, or bounds of it.

    δ > ``delta`` at every α from 1 up to ``alpha_lower``, that one excluded, and δ ≤ ``delta`` from
    ``alpha_upper`` on, which is None if no such α was found. ``lower`` ≤ ε ≤ ``upper`` are decimals.
    ``impossible``: it is proved that no α at all is large enough. ``limit`` is the largest α that was tried.
    δ is that of ``times`` independent runs from the same secret, seen together.
    Without a pair, ``source`` and ``target`` are None and δ is the maximum over the relation.

        >>> import prover
        >>> from prover.zoo import pin_checker
        >>> prover.epsilon_for(pin_checker(), "0", "1", delta="1/100")
        <Epsilon: the least epsilon with delta <= 1/100 is ln(273391/220900) ≈ 0.213192894522, rounded up>
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
    times: int = 1
    system: object = field(default=None, repr=False, compare=False)
    """The chain that it is about, or the decision process."""
    above: object = field(default=None, repr=False, compare=False)
    """The answer about δ at ``alpha_upper``, if that was asked for."""
    lost: Fraction = Fraction(0)
    """At most so likely is a run lost, where the chain is cut from a larger one: ε is that of the larger."""

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

    def is_at_most(self, threshold: Fraction) -> bool | None:
        """Whether the least ε is at most a number; None if the ends do not tell."""
        return False if self.impossible else EpsilonBounds.is_at_most(self, threshold)

    @property
    def headline(self) -> str:
        """The answer in a line."""
        bound = f"delta <= {abbreviated(format_rational(self.delta))}"
        if self.impossible:
            return f"no epsilon has {bound}"
        low = decimal_text(self.lower, DIGITS)
        if self.upper is None:
            tried = f"alpha up to {readable_alpha(self.limit)}"
            return f"no epsilon with {bound} was found ({tried}); any such epsilon is at least {low}"
        high = decimal_text(self.upper, DIGITS)
        if self.alpha is not None:
            if self.alpha == 1:
                return f"the least epsilon with {bound} is 0"
            return f"the least epsilon with {bound} is ln({readable_alpha(self.alpha)}) ≈ {high}, rounded up"
        return f"the least epsilon with {bound} is at least {low} and at most {high}, rounded outward"


def epsilon_for(
    chain: System,
    source: str | None = None,
    target: str | None = None,
    delta: Given | None = None,
    *,
    kind: str = "tv",
    gap: Given = DEFAULT_WIDTH,
    at_most: Given | None = None,
    limit: Given = DEFAULT_LIMIT,
    limits: UnrollingLimits | Limits | None = None,
    progress: Progress = silent,
    on_interval: Callable[[Epsilon], None] | None = None,
) -> Epsilon:
    """The least ε at which δ between two states is at most ``delta``; without names, over the relation.

    ``chain`` is a Markov chain or a decision process, and ``kind`` as for ``prover.delta``. The answer is
    exact where δ has exact breakpoints. Otherwise it is an interval with two certificates, and e^ε is known
    up to a factor of 1 + ``gap``, if the ``limits`` allow: they hold for every single α, UnrollingLimits for
    chains and Limits for processes. Of a chain that is cut from a larger one the answer is an interval, too,
    and without an upper end if runs are lost with probability ``delta`` or more. With ``at_most``, a
    rational, a search that is not exact ends when it is decided whether the least ε is at most that. No α
    above ``limit`` is tried. ``on_interval`` is called with the answer so far after each α.

        >>> from prover.zoo import pin_checker
        >>> found = epsilon_for(pin_checker(), "0", "1", "1/100")
        >>> str(found.alpha), float(found.upper)
        ('273391/220900', 0.213192894522)
        >>> from prover.zoo.interactive import wait
        >>> found = epsilon_for(wait(), "t", "s", "2/5", kind="lv")
        >>> found.alpha_lower <= Fraction(6, 5) <= found.alpha_upper
        True

    Raises BadValue, also without ``delta``, UnknownName, BadOptions, WrongArgument.

    Reference: docs/theory.md, *δ as a function of α*.
    """
    system = queried_system(chain, source, target, cut=True)
    within = fitting_limits(system, limits, DEFAULT_LIMITS)
    secrets = Secrets.of(system, source, target, kind)
    if limits is None:
        within = replace(within, nodes=max(within.nodes, _NODES_OF_A_PAIR * len(secrets.directions)))
    bound = given_delta(delta)
    width = given_rational(gap, "the gap", "bad-gap", at_least=0)
    most = rational_alpha("the limit", limit)
    inquiry = _Inquiry(delta_question(secrets, 0, bound), bound, width, most, within, progress)
    if on_interval is not None:
        known = _Known(on_interval)
        progress = secrets.look_first(
            progress, lambda one: known.begin(_of_part(inquiry, one)), coarsely=True
        )
        inquiry, on_interval = replace(inquiry, progress=progress), known.hear
    threshold = None if at_most is None else given_rational(at_most, "the bound", "bad-threshold", at_least=0)
    if isinstance(system, LabelledMarkovChain) and not secrets.lost:
        with suppress(TooManyWords):
            exact = breakpoints_of(secrets, progress).delta
            return _at_breakpoint(inquiry, exact.first_at_most(bound), on_interval)
    grown = None
    if bound < secrets.lost:
        from prover.chain.growth import growth_bound

        grown = growth_bound(secrets, bound, within, progress)
    if grown is None or grown.alpha > most:
        return _searched(inquiry, threshold, on_interval)
    found = _searched(replace(inquiry, most=grown.alpha), threshold, on_interval)
    return replace(found, alpha_upper=grown.alpha, make_certificate=cache(grown.make_certificate), limit=most)


@dataclass(slots=True)
class _Known:
    """Who hears of intervals: later ones have a lower end that is at least that of the first."""

    on_interval: Callable[[Epsilon], None]
    first: Epsilon | None = None

    def begin(self, found: Epsilon) -> None:
        """Keep the first interval, if it says something."""
        if found.alpha_lower > 1:
            self.first = found
            self.on_interval(found)

    def hear(self, found: Epsilon) -> None:
        """Pass a later interval on."""
        first = self.first
        if first is not None and first.alpha_lower > found.alpha_lower and not found.impossible:
            found = replace(
                found,
                alpha_lower=first.alpha_lower,
                impossible=first.impossible,
                make_lower_certificate=first.make_lower_certificate,
            )
        self.on_interval(found)


def _of_part(inquiry: _Inquiry, part: Secrets) -> Epsilon:
    """What one of the pairs proves of the least ε of all: a lower end."""
    few = UnrollingLimits(nodes=part.few(_FEW_NODES), distances=False)
    question = replace(inquiry.question, secrets=part)
    about = replace(inquiry, question=question, width=max(inquiry.width, ROUGH), limits=few, progress=silent)
    first = least_profile(part, ROUGH).first_at_most(inquiry.bound)
    return about.answer(first or inquiry.most, None, None, impossible=first is None)


def given_delta(given: Given | None) -> Fraction:
    """The δ that is allowed: a number from 0 to 1. Raises BadValue."""
    if given is None:
        raise BadValue("give the delta that is allowed, such as 1/100", code="bad-threshold")
    return given_rational(given, "delta", "bad-threshold", at_least=0, at_most=1)


@dataclass(frozen=True, slots=True)
class _Inquiry:
    """Where δ comes down to ``bound``: α is wanted up to a factor of 1 + ``width``, none above ``most``. At
    one α an unrolling may be as large as the ``limits``.
    """

    question: DeltaQuestion
    bound: Fraction
    width: Fraction
    most: Fraction
    limits: UnrollingLimits | Limits
    progress: Progress

    def ask(self, alpha: Fraction, nodes: int | None = None) -> Delta | InteractiveDelta:
        """Whether δ is at most the bound at α, if an unrolling of so many nodes, or of the limits, tells."""
        few = self.limits.nodes if nodes is None else min(nodes, self.limits.nodes)
        # Of a chain that is cut, the rest of the interval is to be about as wide as what lost runs add to it.
        question = replace(self.question, width=(3 + alpha) * self.question.secrets.lost)
        return delta_at(question, Slope.of_alpha(alpha), replace(self.limits, nodes=few), self.progress)

    def answer(
        self,
        low: Fraction,
        high: Fraction | None,
        above: Delta | InteractiveDelta | None,
        *,
        impossible: bool = False,
    ) -> Epsilon:
        """What is known if δ > ``bound`` below ``low`` and, by ``above``, δ ≤ ``bound`` from ``high`` on."""
        secrets, low = self.question.secrets, self.most if impossible else low
        back = Fraction(0) if impossible else self.width
        return Epsilon(
            kind=secrets.kind,
            delta=self.bound,
            source=secrets.source,
            target=secrets.target,
            alpha_lower=low,
            alpha_upper=high,
            impossible=impossible,
            limit=self.most,
            make_certificate=None if above is None else lambda: above.certificate,
            make_lower_certificate=cache(lambda: _refutation(self, low, back)),
            system=secrets.system,
            above=above,
            lost=secrets.lost,
        )


def _at_breakpoint(
    inquiry: _Inquiry, first: Fraction | None, on_interval: Callable[[Epsilon], None] | None
) -> Epsilon:
    """The answer where ``first`` is known to be the least α, None if there is none."""
    if first is None or first > inquiry.most:
        return inquiry.answer(first or inquiry.most, None, None, impossible=first is None)
    if on_interval is not None:
        on_interval(inquiry.answer(first, first, None))
    above = inquiry.ask(first)
    return inquiry.answer(first, first, above if above.is_at_most(inquiry.bound) else None)


def _searched(
    inquiry: _Inquiry, threshold: Fraction | None, on_interval: Callable[[Epsilon], None] | None
) -> Epsilon:
    """The answer from δ at one α after the other; ``threshold`` is an ε that it is compared with."""
    search = _EpsilonSearch(inquiry, on_interval)
    if threshold is not None and threshold <= LARGEST_EPSILON:
        search.at_threshold(Slope.of_epsilon(threshold))
        if search.found().is_at_most(threshold) is not None:
            return search.found()
    search.from_the_left()
    search.from_the_right()
    return search.found()


@dataclass(slots=True)
class _EpsilonSearch:
    """δ > bound below ``low``; nothing is known from there to ``open``; ``above`` proves δ ≤ bound.

    ``low`` is proved by events. ``reach`` is where the upper end of an interval too wide to tell may come
    down to the bound: a guess.
    """

    inquiry: _Inquiry
    on_interval: Callable[[Epsilon], None] | None
    low: Fraction = _ONE
    open: Fraction = _ONE
    reach: Fraction = _ONE
    above: Delta | InteractiveDelta | None = None
    impossible: bool = False

    def found(self) -> Epsilon:
        """What is known by now."""
        high = None if self.above is None else self.above.alpha
        return self.inquiry.answer(self.low, high, self.above, impossible=self.impossible)

    def at_threshold(self, slope: Slope) -> None:
        """Ask on both sides of an ε, which often tells on which of them the least one is."""
        if not self._ask(min(slope.upper, self.inquiry.most)) and slope.lower <= self.inquiry.most:
            self._ask(slope.lower)

    def from_the_left(self) -> None:
        """Ask at the α that the events lead to, until one is large enough, and so ``above`` is found."""
        width, most = self.inquiry.width, self.inquiry.most
        alpha, step = self.low, max(width, _FINEST) / 2
        for _ in range(_MOST_ROUNDS):
            if self._ask(alpha) or self.impossible or alpha == most:
                return
            if self.low > alpha * (1 + step):
                following = self.low
            else:  # nearly there, or δ is not known well enough here: beyond it, farther every time
                following, step = max(self.reach, alpha * (1 + step)), 2 * step
            alpha = min(most, max(_short(following, following * width / 16), self.low))

    def from_the_right(self) -> None:
        """Halve the interval that is left, as long as this helps."""
        for _ in range(_MOST_ROUNDS):
            if self.above is None or self.above.alpha is None:
                return
            high, bottom = self.above.alpha, max(self.low, self.open)
            if high <= bottom * (1 + self.inquiry.width):
                return
            self._ask(_short((bottom + high) / 2, (high - bottom) / 8))

    def _ask(self, alpha: Fraction) -> bool:
        """Whether δ is at most the bound at α; takes note of what is learnt."""
        answer = self.inquiry.ask(alpha, _FEW_NODES)
        if answer.is_at_most(self.inquiry.bound) is None:
            self._learn(answer, alpha)
            if self.reach > alpha * (1 + self.inquiry.width / 4):  # not known well enough
                answer = self.inquiry.ask(alpha)
        self._learn(answer, alpha)
        if self.on_interval is not None:
            self.on_interval(self.found())
        return answer.is_at_most(self.inquiry.bound) is True

    def _learn(self, answer: Delta | InteractiveDelta, alpha: Fraction) -> None:
        bound = self.inquiry.bound
        verdict = answer.is_at_most(bound)
        slope = rest = Fraction(0)
        if answer.event is not None:
            slope, rest = answer.event.to_probability, answer.event.from_probability - bound
        if verdict:
            self.above = answer
        elif verdict is None:
            self.open = max(self.open, alpha)
            self.reach = alpha + (answer.upper - bound) / slope if slope > 0 else 2 * alpha
        else:
            self.low = max(self.low, alpha, rest / slope if slope > 0 else alpha)
            self.impossible = slope == 0 and rest > 0


def _refutation(inquiry: _Inquiry, low: Fraction, width: Fraction) -> Certificate | None:
    """A certificate that δ is above the bound at an α as little below ``low`` as can be proved."""
    back = low * width / 2
    while low > 1:
        alpha = max(_ONE, _short(low - back, back / 4))
        found = inquiry.ask(alpha)
        if found.lower > inquiry.bound:
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
