"""Rényi divergences of many mechanisms together, and the ρ of zCDP.

Reference: docs/theory_divergences.md, *Accounts*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from math import ceil, comb, isqrt

from flint import acb, arb, ctx

from prover.accounting.certificates import certificates_of_moments, is_bounded, obstacle_of_moments
from prover.accounting.discrete_gaussian import moment_share
from prover.accounting.distribution import LossDistribution
from prover.accounting.mechanism import Mechanism
from prover.accounting.moments import divergence, enclosed_divergence
from prover.accounting.pairs import PairLoss
from prover.accounting.programs import PROGRAM_SLACKS
from prover.accounting.renyi import DEFAULT_ORDERS, given_orders
from prover.accounting.sampling import fixed_size_sampled, poisson_sampled
from prover.accounting.zcdp import DIGITS, Concentration, OneWay, composed_concentration
from prover.certificate.schema import Certificate
from prover.errors import BadValue, BeyondLimit, must_be
from prover.exact.ball import ball_of, bounds
from prover.exact.divergence import RenyiDivergence
from prover.exact.given import Given
from prover.exact.rational import decimal_above, decimal_below, largest_or_none
from prover.progress import Progress, silent
from prover.views import Paged

LONGEST, ROUNDED = 16_384, 256
"""Products of more bits than the first number are rounded to so many significant bits as the second one."""

MOST_DOUBLINGS = 2**18
"""Moments are at most 2 to this power."""

Ends = tuple[Fraction | None, Fraction | None]
"""Bounds of a moment; None is ∞."""

_BITS, _INTEGRAL_BITS = 256, 128
_ROOM = Fraction(1, 2**128)  # part of moments, for checkers with fewer bits
_SLACK = Fraction(1, 10**15)  # of ρ, likewise
_MOST_EVALUATIONS = 50_000


@dataclass(frozen=True, slots=True, repr=False)
class AccountDivergences(Paged):
    """Rényi divergences of mechanisms together at some orders, in increasing order: each the largest over all
    secrets in both directions, and over all ways to choose mechanisms. ``rho`` is about zCDP.

        >>> coin = Mechanism.of_known("randomised-response", {"q": "1/2"}, times=7)
        >>> print(divergences([coin], [2]).orders[0])
        order 2: ln(2187/128) ≈ 2.838255756758, rounded up
    """

    mechanisms: tuple[Mechanism, ...]
    orders: tuple[RenyiDivergence, ...]
    rho: Concentration
    make_certificates: Callable[[], tuple[Certificate, Certificate | None]] = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[RenyiDivergence]:
        return iter(self.orders)

    @property
    def headline(self) -> str:
        """The answer in a line."""
        runs = sum(part.times for part in self.mechanisms)
        return f"{runs:,} run{'s' * (runs != 1)}: " + "; ".join(one.headline for one in self.orders)

    @property
    def has_programs(self) -> bool:
        """Whether some mechanisms have noise of which only bounds are known for all neighbouring inputs."""
        return any(part.losses is not None or part.discrete_gaussian for part in self.mechanisms)

    @property
    def has_two_proofs(self) -> bool:
        """Whether upper and lower ends have different proofs: there is noise without a closed form."""
        return any(part.losses is not None and part.squared_shift is None for part in self.mechanisms)

    @property
    def bounded(self) -> bool:
        """Whether certificates prove some upper end, or approximate zCDP."""
        return is_bounded(self.orders, self.rho)

    @property
    def reveals(self) -> bool:
        """Whether some lower end is above 0."""
        return self.rho.lower != 0 or any(one.moment_lower != 1 for one in self.orders)

    @property
    def obstacle(self) -> str | None:
        """Why there is no certificate, if so."""
        return obstacle_of_moments(self.mechanisms, [one.order for one in self.orders])

    @property
    def certificate(self) -> Certificate:
        """The evidence for the bounds of all orders and, where checkers can see it, of ρ; for the upper ends
        where these have a proof of their own. Raises TooMuchWork, and NotSupported with the ``obstacle``.
        """
        return self.make_certificates()[0]

    @property
    def lower_certificate(self) -> Certificate | None:
        """The evidence for the lower ends where they have a proof of their own; None if all are 0, or if the
        certificate proves both ends. Raises TooMuchWork, NotSupported.
        """
        return self.make_certificates()[1]


def divergences(
    mechanisms: Sequence[Mechanism],
    orders: Iterable[Given] = DEFAULT_ORDERS,
    *,
    progress: Progress = silent,
) -> AccountDivergences:
    """The Rényi divergences of all runs together, and the least ρ of zCDP.

    ``orders`` are rational numbers above 1, or "inf". Mechanisms that are chosen after what was seen
    (``one_of``) count with the largest moment of their options. Raises BadValue, BeyondLimit.
    """
    must_be(Sequence, mechanisms=mechanisms)
    parts, wanted = tuple(mechanisms), given_orders(orders)
    must_be(Mechanism, **{f"mechanism_{k}": part for k, part in enumerate(parts)})
    if not parts:
        raise BadValue("an account needs at least one mechanism", code="bad-mechanism")
    bounded = [_bounded(part) for part in parts]
    found = []
    for done, order in enumerate(wanted):
        progress("orders", done, len(wanted))
        ends = [_moment(bounded, order, forward=way) for way in (True, False)]
        low, high = (largest_or_none([end[side] for end in ends]) for side in (0, 1))
        if any(part.squared_shift is not None for part in bounded):
            low, high = None if low is None else max(Fraction(1), low * (1 - _ROOM)), _raised(high)
        found.append(RenyiDivergence(order, low, high))
    progress("rho", 0, None)
    listed, rho = tuple(found), _concentration(bounded)
    return AccountDivergences(parts, listed, rho, cache(lambda: certificates_of_moments(parts, listed, rho)))


def _bounded(part: Mechanism) -> Mechanism:
    """The mechanism with distributions from above that have no mass at ∞, where its runs have an exact ε."""
    if part.whole is not None and part.rate is not None:
        return (fixed_size_sampled if part.fixed else poisson_sampled)(_bounded(part.whole), part.rate)
    losses = part.losses
    if losses is None:
        return part
    sides = (
        tuple(replace(choice, upper=losses.dominating(choice.most)) for choice in side)
        for side in (part.forward, part.backward)
    )
    forward, backward = sides
    return replace(part, forward=forward, backward=backward)


def _moment(parts: Sequence[Mechanism], order: Fraction | None, *, forward: bool) -> Ends:
    """The largest moment of all runs, one way round: the product of those of the parts."""
    ends: list[Fraction | None] = [Fraction(1), Fraction(1)]
    for part in parts:
        own = _part_moment(part, order, forward=forward)
        for up, (before, end) in enumerate(zip(ends, own, strict=True)):
            if before is None or end is None:
                ends[up] = None
            else:
                ends[up] = rounded(before * rounded_power(end, part.times, up=bool(up)), up=bool(up))
    return ends[0], ends[1]


def _raised(moment: Fraction | None) -> Fraction | None:
    return None if moment is None else moment * (1 + _ROOM)


def _part_moment(part: Mechanism, order: Fraction | None, *, forward: bool) -> Ends:
    """The largest moment of one run."""
    shift = part.squared_shift
    if shift is not None and (part.rate in (None, 1) or order is None or order.denominator == 1):
        return _gaussian_moment(part, shift, order, forward=forward)
    ball = part.discrete_gaussian is not None
    below = enclosed_divergence if ball else divergence_ends
    loose = ball or (part.losses is not None and part.losses.pure is None)
    above = enclosed_divergence if loose else divergence_ends
    choices = part.forward if forward else part.backward
    found = [
        (below(one.law, one.infinite, order)[0], above(most.law, most.infinite, order)[1])
        for choice in choices
        for one, most in _ends_of(choice)
    ]
    low, high = (largest_or_none([ends[side] for ends in found]) for side in (0, 1))
    if shift is None or low is None or order is None:
        return low, high
    first, last = _between_orders(shift, part.rate or Fraction(1), order, discrete=part.losses is None)
    return (max(low, first) if forward else low), last


def divergence_ends(
    law: Sequence[tuple[Fraction, Fraction]], infinite: Fraction, order: Fraction | None
) -> Ends:
    """Bounds of the moment of a law, as certificates are about them."""
    found = divergence(law, infinite, order)
    return found.moment_lower, found.moment_upper


def _ends_of(choice: PairLoss) -> list[tuple[LossDistribution, LossDistribution]]:
    """What is dominated, and what dominates; of every mechanism that may be chosen."""
    return [(one, one) for one in choice.options] or [(choice.loss, choice.most)]


def _gaussian_moment(part: Mechanism, shift: Fraction, order: Fraction | None, *, forward: bool) -> Ends:
    """Of N(μ, 1) and N(0, 1) with μ² = ``shift``, or of discrete Gaussian noise; at integer orders also on
    Poisson samples, where that one way round is the largest (docs/theory_divergences.md, *Gaussian noise on
    samples*, and docs/accounting.md)."""
    if order is None:
        return None, None
    if part.rate not in (None, 1):
        low, high = _sampled_moment(shift, part.rate or Fraction(1), int(order))
        return (low if forward else Fraction(1)), high
    with ctx.workprec(_BITS):
        low, high = bounds(_power_of_e(order * (order - 1) * shift / 2))
    noise = part.discrete_gaussian
    least, most = (Fraction(1), Fraction(1)) if noise is None else moment_share(*noise, order)
    return max(Fraction(1), low * least), max(Fraction(1), high * most)


def _between_orders(
    shift: Fraction, rate: Fraction, order: Fraction, *, discrete: bool
) -> tuple[Fraction, Fraction]:
    """On Poisson samples, at an order that is not whole, one way round."""
    whole = order.numerator // order.denominator
    (low, first), (_, second) = (_sampled_moment(shift, rate, k) for k in (whole, whole + 1))
    with ctx.workprec(_BITS):
        part = ball_of(order - whole)
        high = bounds(((1 - part) * ball_of(first).log() + part * ball_of(second).log()).exp())[1]
        enclosed = None if discrete else _sampled_integral(shift, rate, order)
        if enclosed is None or not enclosed.is_finite():
            return low, high
        below, above = bounds(enclosed)
    return max(low, below), min(high, above)


def _sampled_integral(shift: Fraction, rate: Fraction, order: Fraction) -> arb:
    """The integral of (1 − γ + γ e^(μx − μ²/2))^a under N(0, 1), with what is outside of the window."""
    with ctx.workprec(_INTEGRAL_BITS):
        a, rest, gamma, mu = ball_of(order), ball_of(1 - rate), ball_of(rate), ball_of(shift).sqrt()
        # What is outside is below 2^-128 of the moment, which is at least γ^a e^(a(a − 1)μ²/2).
        window = 1 + isqrt(2 * (_INTEGRAL_BITS + ceil(order) * rate.denominator.bit_length()))

        def density(x: acb, analytic: bool) -> acb:
            ratio = (mu * x - mu * mu / 2).exp()
            return (a * (rest + gamma * ratio).log(analytic=analytic) - x * x / 2).exp()

        last = acb(a * mu + window)
        error = arb(2) ** -(_INTEGRAL_BITS // 2)
        inside = acb.integral(
            density, acb(-window), last, rel_tol=error, abs_tol=error, eval_limit=_MOST_EVALUATIONS
        ).real
        outside = ball_of(Fraction(-(window**2), 2)).exp() * (
            rest + gamma * _power_of_e(order * (order - 1) * shift / 2)
        )
        return inside / (2 * arb.pi()).sqrt() + outside.union(arb(0))


def _sampled_moment(shift: Fraction, rate: Fraction, order: int) -> tuple[Fraction, Fraction]:
    """Σ C(a, k) (1 − γ)^(a − k) γ^k e^(k (k − 1) μ²/2)."""
    with ctx.workprec(_BITS + 4 * order):
        weights = (ball_of(comb(order, k) * (1 - rate) ** (order - k) * rate**k) for k in range(order + 1))
        moments = (_power_of_e(k * (k - 1) * shift / 2) for k in range(order + 1))
        low, high = bounds(sum((w * m for w, m in zip(weights, moments, strict=True)), arb(0)))
    return max(Fraction(1), low), high


def _power_of_e(exponent: Fraction) -> arb:
    if exponent > MOST_DOUBLINGS:
        raise _too_large()
    return ball_of(exponent).exp()


def _too_large() -> BeyondLimit:
    return BeyondLimit(
        f"a moment is above 2^{MOST_DOUBLINGS:,}; ask for smaller orders, or compose fewer runs",
        code="too-large-moment",
    )


def rounded_power(base: Fraction, times: int, *, up: bool) -> Fraction:
    """A power of a number ≥ 1, by squares that are rounded where they are long."""
    result, square = Fraction(1), rounded(base, up=up)
    while times:
        if times & 1:
            result = rounded(result * square, up=up)
        times >>= 1
        if times:
            square = rounded(square * square, up=up)
    return result


def rounded(number: Fraction, *, up: bool) -> Fraction:
    """A number ≥ 1, rounded down or up if it is long. Raises BeyondLimit.

    >>> rounded(Fraction(3**20_000, 2**20_000), up=True) > Fraction(3**20_000, 2**20_000)
    True
    """
    top, bottom = number.numerator.bit_length(), number.denominator.bit_length()
    if top - bottom > MOST_DOUBLINGS:
        raise _too_large()
    if top + bottom <= LONGEST:
        return number
    shift = ROUNDED - (top - bottom)
    scaled = number * Fraction(2) ** shift
    whole = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    return whole / Fraction(2) ** shift


def _concentration(parts: Sequence[Mechanism]) -> Concentration:
    """The least ρ, the largest over secrets, directions, and ways to choose."""
    shifts = [(part.squared_shift, part) for part in parts]
    normal = [(shift / 2 * part.times, part) for shift, part in shifts if shift is not None]
    every = sum((rho for rho, _ in normal), Fraction(0))
    found = _rest_concentration([part for shift, part in shifts if shift is None])
    lower = found.lower
    if lower is not None:
        whole = [_at_order(rho, part, found.at) for rho, part in normal if part.rate in (None, 1)]
        lower = decimal_below(max(every, lower + sum(whole, Fraction(0))), DIGITS)
    upper, without = (
        None if end is None else decimal_above(end + every, DIGITS) for end in (found.upper, found.without)
    )
    return replace(found, lower=lower, upper=upper, without=without)


def _at_order(rho: Fraction, part: Mechanism, order: Fraction) -> Fraction:
    """What runs add to D_a/a at an order, at least: ρ itself, or less on the integers if it is not whole."""
    if part.discrete_gaussian is None or order.denominator == 1:
        return rho
    share = moment_share(*part.discrete_gaussian, order)[0]
    if share == 1:
        return rho
    with ctx.workprec(_BITS):
        return rho + part.times * bounds(ball_of(share).log())[0] / (order * (order - 1)) - _SLACK


def _rest_concentration(parts: Sequence[Mechanism]) -> Concentration:
    """Of mechanisms whose laws are at hand."""
    sides = (
        [(part.forward if way else part.backward, part.times) for part in parts] for way in (True, False)
    )
    ways = [[([ends for one in side for ends in _ends_of(one)], n) for side, n in own] for own in sides]
    below, above = ([[([ends[up] for ends in own], n) for own, n in way] for way in ways] for up in (0, 1))
    lacking = any(loss.infinite for way in below for own, _ in way for loss in own)
    if lacking and any(part.options for part in parts):
        return Concentration(None, None)
    if all(low is high for way in ways for own, _ in way for low, high in own):
        return composed_concentration(_laws(below))
    low = composed_concentration(_laws(below), ())
    if low.lower is None:
        return Concentration(None, None)
    if any(loss.infinite for way in above for own, _ in way for loss in own):
        above += [[([loss.reverse for loss in own], n) for own, n in way] for way in above]
    high = composed_concentration(_laws(above), PROGRAM_SLACKS)
    return replace(high, lower=low.lower, at=low.at)


def _laws(ways: Sequence[Sequence[tuple[Sequence[LossDistribution], int]]]) -> Sequence[OneWay]:
    return [[([(loss.law, loss.infinite) for loss in own], n) for own, n in way] for way in ways]
