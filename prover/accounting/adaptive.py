"""Runs each of which may be of another mechanism, chosen after the outputs before it.

The largest δ over all ways to choose follows from the last run to the first. Reference: docs/accounting.md,
*One of several mechanisms*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from flint import fmpq, fmpz

from prover.accounting.distribution import LossDistribution
from prover.accounting.least_epsilon import LeastEpsilon
from prover.accounting.pairs import PairLoss
from prover.errors import BeyondLimit, NotSupported
from prover.exact.fmpq import fmpq_of
from prover.exact.given import Given, given_rational
from prover.progress import Progress, silent

MOST_PLACES = 200_000

MechanismLaws = tuple[LossDistribution, ...]


@dataclass(frozen=True, slots=True)
class Menu:
    """Options over common denominators, ``whole`` and ``other``: of each the mass at ∞, and at ratios, by
    their numbers in ``ratios``, the masses under either secret.
    """

    ratios: Sequence[fmpq]
    laws: Sequence[tuple[fmpz, Sequence[tuple[int, fmpz, fmpz]]]]
    whole: int
    other: int

    @staticmethod
    def of(options: MechanismLaws) -> Menu:
        atoms = [atom for loss in options for atom in loss.atoms]
        ratios = sorted({atom.ratio for atom in atoms})
        place = {ratio: k for k, ratio in enumerate(ratios)}
        whole, other = lcm(*(atom.p.denominator for atom in atoms)), lcm(*(a.q.denominator for a in atoms))
        laws = [
            (
                fmpz(int(loss.infinite * whole)),
                [
                    (place[atom.ratio], fmpz(int(atom.p * whole)), fmpz(int(atom.q * other)))
                    for atom in loss.atoms
                ],
            )
            for loss in options
        ]
        return Menu([fmpq_of(ratio) for ratio in ratios], laws, whole, other)


@dataclass(frozen=True, slots=True)
class AdaptiveRun:
    """A run of a part: the ratios of what may be seen before it, and where its own lead from there."""

    part: Menu
    before: Sequence[fmpq]
    links: Sequence[Sequence[int]]


@dataclass(frozen=True, repr=False)
class AdaptiveComposition:
    """The largest δ of runs one after the other, each of one of its options, which is chosen after what was
    seen.

    ``last`` are the ratios of what may be seen of all runs.

        >>> coin, other = (LossDistribution.randomised_response(q) for q in ("1/2", "2/3"))
        >>> leaky = LossDistribution.approximate(1, "1/10")
        >>> str(AdaptiveComposition.of([((coin,), 1), ((other, leaky), 1)]).delta("2"))
        '1/6'
    """

    runs: Sequence[AdaptiveRun]
    last: Sequence[fmpq]

    @staticmethod
    def of(steps: Sequence[tuple[MechanismLaws, int]], progress: Progress = silent) -> AdaptiveComposition:
        """Options, and how many runs choose among them, in this order. Raises BeyondLimit."""
        before: Sequence[fmpq] = [fmpq(1)]
        runs: list[AdaptiveRun] = []
        places, total = 1, sum(times for _, times in steps)
        for options, times in steps:
            part = Menu.of(options)
            for _ in range(times):
                progress("runs", len(runs), total)
                after: dict[fmpq, int] = {}
                links = [
                    [after.setdefault(seen * ratio, len(after)) for ratio in part.ratios] for seen in before
                ]
                runs.append(AdaptiveRun(part, before, links))
                before, places = [*after], places + len(after)
                if places > MOST_PLACES or len(runs) > MOST_PLACES:
                    raise BeyondLimit(
                        "what was seen before the runs may have more than "
                        f"{MOST_PLACES:,} likelihood ratios together; compose fewer runs, or fewer options",
                        code="too-many-ratios",
                    )
        return AdaptiveComposition(runs, before)

    def delta(self, alpha: Given) -> Fraction:
        """δ(α), for any α ≥ 0. Raises BadValue."""
        at = given_rational(alpha, "alpha", "bad-question", at_least=0)
        p, q = self._best(at)
        return p - at * q

    def epsilon(self, delta: Given) -> LeastEpsilon:
        """The least ε = ln α ≥ 0 with δ(α) at most ``delta``: by Newton's method, which is exact for a convex
        function that is linear between finitely many places.

        Raises BadValue.
        """
        bound = given_rational(delta, "delta", "bad-question", at_least=0, at_most=1)
        if bound not in self._least:
            self._least[bound] = LeastEpsilon(bound, *[self._least_alpha(bound)] * 2)
        return self._least[bound]

    def _least_alpha(self, bound: Fraction) -> Fraction | None:
        alpha = Fraction(1)
        while True:
            p, q = self._best(alpha)
            if p - alpha * q <= bound:
                return alpha
            if q == 0:  # δ is constant from here on
                return None
            alpha = (p - bound) / q

    def _best(self, alpha: Fraction) -> tuple[Fraction, Fraction]:
        """The probabilities under either secret of the best event, for the best choices."""
        slope = fmpq_of(alpha)
        values = [(fmpz(1), fmpz(1)) if seen > slope else (fmpz(0), fmpz(0)) for seen in self.last]
        whole = other = fmpz(1)
        for run in reversed(self.runs):
            part = run.part
            rest, whole, other = whole, whole * part.whole, other * part.other
            found = []
            for seen, links in zip(run.before, run.links, strict=True):
                x = other * slope.q * seen.p
                y = whole * slope.p * seen.q
                events = []
                for infinite, atoms in part.laws:
                    p, q = infinite * rest, fmpz(0)
                    for k, mass, second in atoms:
                        after = values[links[k]]
                        p, q = p + mass * after[0], q + second * after[1]
                    events.append((p, q))
                found.append(max(events, key=lambda e: e[0] * x - e[1] * y) if len(events) > 1 else events[0])
            values = found
        ((p, q),) = values
        return Fraction(int(p), int(whole)), Fraction(int(q), int(other))

    @cached_property
    def _least(self) -> dict[Fraction, LeastEpsilon]:
        return {}


def adaptive_composition(
    row: Sequence[PairLoss], times: Sequence[int], progress: Progress
) -> AdaptiveComposition:
    """Of a pair of each mechanism, some of them chosen after what was seen, which those before them show.

    Raises NotSupported where one of them is only enclosed.
    """
    if any(one.upper is not None and not one.options for one in row):
        raise NotSupported(
            "beside mechanisms that are chosen, all distributions have to be known exactly",
            code="only-enclosed",
        )
    steps = [(one.options or (one.loss,), n) for one, n in zip(row, times, strict=True)]
    return AdaptiveComposition.of(steps, progress)
