"""Privacy loss distributions with finitely many atoms: how likely outputs are under one secret and the other.

Let P and Q be the laws of the outputs under one secret and under the other. Outputs are grouped by their
likelihood ratio r = P/Q; to distinguish the secrets nothing else counts:

    δ(α)  =  max over events E of P(E) − α Q(E)  =  Σ_r max(0, p_r − α q_r),     p_r = r q_r.

Reference: docs/accounting.md, *Privacy loss distributions*.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil
from typing import Any, TypeVar

from prover.accounting import known_laws
from prover.accounting.lattice import composed
from prover.accounting.least_epsilon import LeastEpsilon
from prover.accounting.moments import divergence
from prover.accounting.tradeoff import TradeOff, least
from prover.accounting.zcdp import Concentration, concentration
from prover.chain.breakpoints import endings
from prover.chain.model import LabelledMarkovChain
from prover.chain.secrets import Secrets
from prover.errors import BadValue, must_be
from prover.exact.convex import Piecewise, positive_parts
from prover.exact.divergence import RenyiDivergence, given_order
from prover.exact.given import Given, given_integer, given_rational
from prover.exact.readable import readable
from prover.progress import Progress, silent
from prover.views import Paged, drawing_of

T = TypeVar("T")

MOST_TIMES = 1_000_000

_ZERO, _ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, slots=True)
class Atom:
    """What has this likelihood ratio, 0 < ratio < ∞, has the probability ``p`` from the first secret and
    ``q`` from the second; p = ratio · q > 0.
    """

    ratio: Fraction
    p: Fraction
    q: Fraction


@dataclass(frozen=True, repr=False)
class LossDistribution(Paged):
    """The privacy loss distribution of an ordered pair of secrets, exactly.

    ``atoms`` are in increasing order of their ratios. ``infinite`` is the probability, under the first
    secret, of the outputs that are impossible under the second; ``zero`` is the probability, under the
    second, of those that are impossible under the first. Make them with ``of``, ``of_laws``, and the known
    mechanisms below these.

        >>> coin = LossDistribution.randomised_response("1/2")
        >>> coin
        <LossDistribution: 2 likelihood ratios, δ(∞) = 0>
        >>> str(coin.repeat(3).delta("2"))
        '2/9'

    Reference: docs/accounting.md, *Privacy loss distributions*.
    """

    atoms: tuple[Atom, ...]

    @property
    def headline(self) -> str:
        """The distribution in a line."""
        count = len(self.atoms)
        return f"{count:,} likelihood ratio{'s' * (count != 1)}, δ(∞) = {readable(self.infinite)}"

    @staticmethod
    def of(
        chain: LabelledMarkovChain, source: str, target: str, *, progress: Progress = silent
    ) -> LossDistribution:
        """The outputs of a chain under ``source``, against ``target``; outputs are the labels of all steps.

            >>> from prover.zoo import randomised_response
            >>> loss = LossDistribution.of(randomised_response(), "a", "b")
            >>> [(str(atom.ratio), str(atom.p)) for atom in loss.atoms]
            [('1/2', '1/3'), ('2', '2/3')]

        Raises UnknownName, and TooManyWords where words may lead to infinitely many belief pairs.
        """
        must_be(LabelledMarkovChain, chain=chain)
        must_be(str, source=source, target=target)
        secrets = Secrets.of(chain, source, target, "lv")
        (pair,) = secrets.pairs
        return LossDistribution.of_endings(endings(secrets.merged, secrets.merged.pair(pair), progress))

    @staticmethod
    def of_endings(found: Iterable[tuple[Fraction, Fraction]]) -> LossDistribution:
        """Different outcomes, each with its probability under either secret."""
        return _of_masses((x / y, x) for x, y in found if y)

    @staticmethod
    def of_laws(
        p: Mapping[T, Fraction] | Mapping[T, Given], q: Mapping[T, Fraction] | Mapping[T, Given]
    ) -> LossDistribution:
        """Two laws on finitely many outcomes: from outcomes to probabilities. Raises BadValue.

        >>> loss = LossDistribution.of_laws({"yes": "3/4", "no": "1/4"}, {"yes": "1/2", "no": "1/2"})
        >>> str(loss.delta("5/4"))
        '1/8'
        """
        must_be(Mapping, p=p, q=q)
        laws = [
            {
                outcome: given_rational(x, "a probability", "bad-distribution", at_least=0)
                for outcome, x in law.items()
            }
            for law in (p, q)
        ]
        if any(sum(law.values()) != 1 for law in laws):
            raise BadValue("the probabilities of each of the two laws sum to 1", code="bad-distribution")
        return _of_laws(*laws)

    @staticmethod
    def of_profile(points: Iterable[tuple[Fraction, Fraction]]) -> LossDistribution:
        """The pair whose δ is the largest convex function that is at most 1, and at most the numbers given at
        some α: at rising ones from 0 on, where they do not rise. It dominates every pair whose δ is at most
        those numbers (docs/theory_profiles.md, Theorem 4).

            >>> points = [(Fraction(k), Fraction(n, 4)) for k, n in ((0, 4), (1, 1), (2, 0))]
            >>> [(str(atom.ratio), str(atom.p)) for atom in LossDistribution.of_profile(points).atoms]
            [('1', '1/2'), ('2', '1/2')]
        """
        corners: list[tuple[Fraction, Fraction]] = []
        for alpha, bound in points:
            value = min(bound, _ONE) if alpha else _ONE
            while len(corners) > 1 and _slope(corners[-2], corners[-1]) >= _slope(
                corners[-1], (alpha, value)
            ):
                corners.pop()
            corners.append((alpha, value))
        slopes = [*(_slope(one, two) for one, two in pairwise(corners)), _ZERO]
        turns = zip(corners[1:], pairwise(slopes), strict=True)
        return _of_masses(
            (alpha, alpha * (after - before)) for (alpha, _), (before, after) in turns if after > before
        )

    @staticmethod
    def randomised_response(q: Given, values: int = 2) -> LossDistribution:
        """The truth, one of so many values, with probability 1 / (1 + (values − 1) q), and each other value
        with q times that; q = e^−ε, 0 < q ≤ 1.

            >>> [str(atom.ratio) for atom in LossDistribution.randomised_response("1/3", 4).atoms]
            ['1/3', '1', '3']

        Raises BadValue.
        """
        return _of_laws(*known_laws.randomised_response(q, values))

    @staticmethod
    def discrete_laplace(q: Given, sensitivity: int = 1, bound: int | None = None) -> LossDistribution:
        """An integer plus noise x with probability proportional to q^|x|; inputs differ by ``sensitivity``.

        q = e^−ε of one unit, 0 < q < 1. With a ``bound`` the noise is one of −bound, …, bound, with
        probabilities in the same proportions (truncated noise); outputs near the ends then distinguish the
        inputs with certainty.

            >>> loss = LossDistribution.discrete_laplace("1/2", bound=3)
            >>> [str(atom.ratio) for atom in loss.atoms], str(loss.infinite)
            (['1/2', '2'], '1/22')

        Raises BadValue.
        """
        return _of_laws(*known_laws.discrete_laplace(q, sensitivity, bound))

    @staticmethod
    def approximate(alpha: Given, delta: Given) -> LossDistribution:
        """The pair that dominates all (ε, δ)-differentially private mechanisms; α = e^ε ≥ 1, 0 ≤ δ ≤ 1.

        It publishes the input with probability δ, and is randomised response with two values otherwise. What
        holds of it, as an upper bound, holds of every mechanism of which no more is known.

            >>> str(LossDistribution.approximate("2", "1/10").repeat(2).infinite)
            '19/100'

        Raises BadValue.
        """
        return _of_laws(*known_laws.approximate(alpha, delta))

    @cached_property
    def law(self) -> Sequence[tuple[Fraction, Fraction]]:
        """The likelihood ratios, each with its probability from the first secret."""
        return [(atom.ratio, atom.p) for atom in self.atoms]

    @cached_property
    def infinite(self) -> Fraction:
        """The probability, from the first secret, of what cannot be seen from the second."""
        return 1 - sum((atom.p for atom in self.atoms), _ZERO)

    @cached_property
    def zero(self) -> Fraction:
        """The probability, from the second secret, of what cannot be seen from the first."""
        return 1 - sum((atom.q for atom in self.atoms), _ZERO)

    @cached_property
    def reverse(self) -> LossDistribution:
        """The distribution of the same two secrets the other way round."""
        return _of_masses((1 / atom.ratio, atom.q) for atom in self.atoms)

    def delta(self, alpha: Given) -> Fraction:
        """δ(α), exactly, for any α ≥ 0: below 1 it is what domination is about. Raises BadValue."""
        at = given_rational(alpha, "alpha", "bad-question", at_least=0)
        ratios, p, q = self._tails
        place = bisect_right(ratios, at)
        return self.infinite + p[place] - at * q[place]

    def epsilon(self, delta: Given) -> LeastEpsilon:
        """The least ε = ln α ≥ 0 with δ(α) at most ``delta``. Raises BadValue."""
        bound = given_rational(delta, "delta", "bad-question", at_least=0, at_most=1)
        alpha = self.profile().first_at_most(bound)
        return LeastEpsilon(bound, alpha, alpha)

    def profile(self) -> Piecewise:
        """δ as a function of α ≥ 1: convex, and linear between the ratios above 1."""
        return self._profile

    def renyi(self, order: Given) -> RenyiDivergence:
        """The Rényi divergence of an order, a rational number above 1 or "inf", from the first secret.

            >>> count = LossDistribution.discrete_laplace("1/2")
            >>> str(count.renyi(3).moment), str(count.renyi("inf").moment)
            ('11/4', '2')

        Raises BadValue. Reference: docs/theory_divergences.md, *Moments*.
        """
        return divergence(self.law, self.infinite, given_order(order))

    def zcdp(self) -> Concentration:
        """The least ρ of zero-concentrated differential privacy, in both directions.

            >>> LossDistribution.approximate("2", "1/100").zcdp().headline
            'rho is infinite; approximate zCDP with rho at most 0.231049060418 and delta = 1/100'

        Reference: docs/theory_divergences.md, *zCDP*.
        """
        return concentration([(one.law, one.infinite) for one in (self, self.reverse)])

    def tradeoff(self) -> TradeOff:
        """The least type II error of a test of the first secret against the second, for each type I error.

            >>> LossDistribution.discrete_laplace("1/2", bound=1).tradeoff()
            <TradeOff: linear between (0, 3/4), (1/4, 1/4), (3/4, 0), (1, 0)>

        Reference: docs/theory_divergences.md, *Trade-off functions*.
        """
        return TradeOff.of_law((atom.p, atom.q) for atom in self.atoms)

    def compose(self, other: LossDistribution, *, progress: Progress = silent) -> LossDistribution:
        """Both mechanisms, independent of each other, seen together. Raises TooManyAtoms.

        >>> coin, other = map(LossDistribution.randomised_response, ("1/2", "1/3"))
        >>> [str(atom.ratio) for atom in coin.compose(other).atoms]
        ['1/6', '2/3', '3/2', '6']
        """
        must_be(LossDistribution, other=other)
        return composition([(self, 1), (other, 1)], progress)

    def repeat(self, times: int, *, progress: Progress = silent) -> LossDistribution:
        """So many independent runs from the same secret, all seen. Raises BadValue, TooManyAtoms."""
        return composition([(self, times)], progress)

    def poisson_sampled(self, rate: Given) -> LossDistribution:
        """The mechanism on a sample in which each person is with probability ``rate``, 0 < rate ≤ 1.

        The first secret is the one with a person's data, the second one the one without; the other way round
        it is the ``reverse`` of this. The larger δ of both, after composition, counts.

            >>> sampled = LossDistribution.randomised_response("1/3").poisson_sampled("1/2")
            >>> [str(atom.ratio) for atom in sampled.atoms], [str(a.ratio) for a in sampled.reverse.atoms]
            (['2/3', '2'], ['1/2', '3/2'])

        Raises BadValue. Reference: docs/accounting.md, *Samples*.
        """
        share = given_rational(rate, "rate", "bad-mechanism", more_than=0, at_most=1)
        rest = 1 - share
        ratios = ((rest + share * atom.ratio, atom.q) for atom in self.atoms)
        alone = [(rest, rest * self.zero)] if rest and self.zero else []
        return _of_masses([*((ratio, ratio * q) for ratio, q in ratios), *alone])

    def fixed_size_sampled(self, rate: Given) -> LossDistribution:
        """The mechanism on random samples of a fixed size, a part ``rate`` of all people, from above: if this
        distribution dominates all neighbours of which one person's data are replaced, in both directions.

            >>> sampled = LossDistribution.randomised_response("1/3").fixed_size_sampled("1/2")
            >>> [str(atom.ratio) for atom in sampled.atoms]
            ['1/2', '1', '2']

        Raises BadValue. Reference: docs/accounting.md, *Samples of a fixed size*.
        """
        share = given_rational(rate, "rate", "bad-mechanism", more_than=0, at_most=1)
        knots = [_ONE, *(1 - share + share * atom.ratio for atom in self.atoms if atom.ratio > 1)]
        above = [(knot, share * self.delta(1 + (knot - 1) / share)) for knot in knots]
        below = [(1 / knot, 1 - 1 / knot + value / knot) for knot, value in reversed(above[1:])]
        return LossDistribution.of_profile([(_ZERO, _ONE), *below, *above])

    def plot(self) -> Any:
        """δ as ε grows, as a picture; ``str`` of it is SVG, ``write`` makes a file of it (docs/pages.md)."""
        return drawing_of(self)

    @cached_property
    def _profile(self) -> Piecewise:
        masses = [(atom.p, atom.q) for atom in self.atoms]
        return positive_parts([*masses, (self.infinite, _ZERO)])

    @cached_property
    def _tails(self) -> tuple[Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]]:
        """The ratios; and for each place the p, and the q, of all atoms from there on."""
        p = [*accumulate((atom.p for atom in reversed(self.atoms)), initial=_ZERO)][::-1]
        q = [*accumulate((atom.q for atom in reversed(self.atoms)), initial=_ZERO)][::-1]
        return [atom.ratio for atom in self.atoms], p, q


def composition(
    parts: Iterable[tuple[LossDistribution, int]], progress: Progress = silent
) -> LossDistribution:
    """Independent mechanisms, each so many times, all seen together. Raises BadValue, TooManyAtoms."""
    listed = [(part, given_times(times)) for part, times in parts]
    laws = [({atom.ratio: atom.p for atom in part.atoms}, times) for part, times in listed]
    return _of_masses(composed(laws, progress).items())


def given_times(given: int) -> int:
    """The number of runs that was given; raises BadValue, WrongArgument."""
    times = given_integer(given, "times")
    if not 1 <= times <= MOST_TIMES:
        raise BadValue(
            f"the number of runs is an integer from 1 to {MOST_TIMES:,}, not {times:,}", code="bad-times"
        )
    return times


def _slope(one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> Fraction:
    return (two[1] - one[1]) / (two[0] - one[0])


def _of_laws(first: Mapping[T, Fraction], second: Mapping[T, Fraction]) -> LossDistribution:
    both = [outcome for outcome, p in first.items() if p and second.get(outcome)]
    return _of_masses((first[outcome] / second[outcome], first[outcome]) for outcome in both)


def _of_masses(masses: Iterable[tuple[Fraction, Fraction]]) -> LossDistribution:
    """The distribution with these (ratio, p); equal ratios merge."""
    law: dict[Fraction, Fraction] = {}
    for ratio, p in masses:
        law[ratio] = law.get(ratio, _ZERO) + p
    return LossDistribution(tuple(Atom(ratio, law[ratio], law[ratio] / ratio) for ratio in sorted(law)))


def tradeoffs_between(
    lower: Sequence[LossDistribution], upper: Sequence[LossDistribution]
) -> tuple[TradeOff, TradeOff]:
    """Two functions between which the trade-off function of all pairs of secrets is, in both directions, from
    distributions that dominate them, ``upper``, and from some that are dominated, rounded outward.

    Reference: docs/theory_divergences.md, *Trade-off functions*, "Errors from bounds".
    """
    ratios = sorted({Fraction(1), *(_short(atom.ratio) for one in upper for atom in one.atoms)})
    places = ratios[bisect_right(ratios, 1) - 1 :]
    step = 1 + len(places) * sum(len(one.atoms) for one in upper) // _MOST_LINES
    deltas = {alpha: max(one.delta(alpha) for one in upper) for alpha in {*places[::step], places[-1]}}
    rounded = {
        alpha: rounded_up(delta) + (Fraction(1, _UNIT) if delta else 0) for alpha, delta in deltas.items()
    }
    errors = least([one.tradeoff().symmetric for one in lower]).vertices
    outward = [(rounded_up(x), rounded_up(y)) for x, y in errors]
    return TradeOff.above(rounded), least([TradeOff((*outward, (Fraction(1), Fraction(0))))])


_UNIT, _MOST_LINES, _LONG = 10**16, 1_000_000, 64


def rounded_up(number: Fraction) -> Fraction:
    """A number with the digits that errors of tests have."""
    return Fraction(ceil(number * _UNIT), _UNIT)


def _short(ratio: Fraction) -> Fraction:
    """A ratio, or a short number just above it."""
    return ratio if ratio.denominator.bit_length() <= _LONG else Fraction(ceil(ratio * 2**_LONG), 2**_LONG)
