"""Privacy loss distributions that are known between two others, on a grid.

One dominates the truth and one is dominated by it, for all α ≥ 0; so both sides compose. Reference:
docs/accounting.md, *Domination* and *On a grid*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any

from prover.accounting.distribution import LossDistribution, given_times
from prover.accounting.errors import BadGrid
from prover.accounting.grid import MOST_DIGITS, MOST_STEPS, Grid, Lines, SideAbove, SideBelow, after_square
from prover.accounting.least_epsilon import LeastEpsilon
from prover.accounting.power import power
from prover.errors import must_be
from prover.exact.given import Given, given_rational
from prover.exact.readable import upper_text
from prover.progress import Progress, silent
from prover.views import Paged, drawing_of

MOST_WINDOW = 4_000_000
"""Cells of a composition for which a grid is chosen."""

_FIRST_STEPS = 50
_HARDLY = Fraction(4, 5)  # of a width is no progress
_LITTLE = Fraction(1, 1000)  # of a width is not worth another grid, or a finer one


@dataclass(frozen=True, repr=False)
class EnclosedLossDistribution(Paged):
    """The privacy loss distribution of two secrets between one that dominates it and one that it dominates.

    Make it with ``of``; it answers with intervals.

        >>> EnclosedLossDistribution.of(LossDistribution.approximate(2, "1/10"), Grid(1000))
        <EnclosedLossDistribution: between two distributions on the ratios (1 + 1/1,000)^k, δ(∞) ≤ 1/10>

    Reference: docs/accounting.md, *Domination*.
    """

    above: SideAbove
    below: SideBelow

    @property
    def headline(self) -> str:
        """The distribution in a line."""
        ratios = f"(1 + 1/{self.grid.steps:,})^k"
        return f"between two distributions on the ratios {ratios}, δ(∞) ≤ {upper_text(self.infinite)}"

    @staticmethod
    def of(
        loss: LossDistribution, grid: Grid, upper: LossDistribution | None = None
    ) -> EnclosedLossDistribution:
        """A distribution put on a grid; or, with ``upper``, what is between ``loss`` and ``upper``, which
        dominates it. Raises BadValue.

            >>> coin = LossDistribution.randomised_response("1/2")
            >>> low, high = EnclosedLossDistribution.of(coin, Grid(100)).repeat(50).delta("1000")
            >>> low < coin.repeat(50).delta("1000") < high
            True
        """
        must_be(LossDistribution, loss=loss)
        must_be(Grid, grid=grid)
        return EnclosedLossDistribution(SideAbove.of(upper or loss, grid), SideBelow.of(loss, grid))

    @property
    def grid(self) -> Grid:
        """The grid of both sides."""
        return self.above.grid

    def delta(self, alpha: Given) -> tuple[Fraction, Fraction]:
        """Two numbers between which δ(α) is, for α ≥ 1. Raises BadValue."""
        at = given_rational(alpha, "alpha", "bad-question", at_least=1)
        return self._lines[0].value(at), min(Fraction(1), self._lines[1].value(at))

    def epsilon(self, delta: Given) -> LeastEpsilon:
        """The least ε with δ at most ``delta``, between two. Raises BadValue."""
        bound = given_rational(delta, "delta", "bad-question", at_least=0, at_most=1)
        if bound not in self._least:
            below, above = (lines.first_at_most(bound) for lines in self._lines)
            self._least[bound] = LeastEpsilon(bound, below, above)
        return self._least[bound]

    @property
    def infinite(self) -> Fraction:
        """An upper bound of P[outputs impossible under the second secret | first secret]."""
        return Fraction(self.above.infinite, self.grid.unit)

    def compose(self, other: EnclosedLossDistribution) -> EnclosedLossDistribution:
        """Both mechanisms, independent and seen together; on one grid. Raises BadValue."""
        must_be(EnclosedLossDistribution, other=other)
        if self.grid != other.grid:
            raise BadGrid("distributions on different grids are not composed")
        return EnclosedLossDistribution(self.above * other.above, self.below * other.below)

    def repeat(self, times: int, *, progress: Progress = silent) -> EnclosedLossDistribution:
        """``times`` independent runs from the same secret, seen together. Raises BadValue."""
        times = given_times(times)
        return EnclosedLossDistribution(
            power(self.above, times, progress, after_square),
            power(self.below, times, progress, after_square),
        )

    def plot(self) -> Any:
        """δ as ε grows, as a picture; ``str`` of it is SVG, ``write`` makes a file of it (docs/pages.md)."""
        return drawing_of(self)

    @cached_property
    def _least(self) -> dict[Fraction, LeastEpsilon]:
        return {}

    @property
    def _lines(self) -> tuple[Lines, Lines]:
        return self.below.lines, self.above.lines


Parts = Sequence[tuple[tuple[LossDistribution, LossDistribution], int]]
"""Distributions, each between one that it dominates and one that dominates it, and how often it is drawn."""


def enclosed_composition(parts: Parts, grid: Grid, progress: Progress = silent) -> EnclosedLossDistribution:
    """Independent mechanisms, each so many times, all seen together. Raises BadValue."""
    first, *others = (
        EnclosedLossDistribution.of(lower, grid, upper).repeat(times, progress=progress)
        for (lower, upper), times in parts
    )
    for other in others:
        first = first.compose(other)
    return first


def refined_compositions(
    choices: Sequence[Parts],
    width_of: Callable[[Sequence[EnclosedLossDistribution]], Fraction | None],
    width: Fraction,
    largest_alpha: Callable[[Sequence[EnclosedLossDistribution]], Fraction],
    progress: Progress = silent,
    finer_by: Callable[[Sequence[EnclosedLossDistribution]], Fraction | None] = lambda _: None,
) -> Iterator[tuple[EnclosedLossDistribution, ...]]:
    """Several compositions on finer and finer grids, one for all, until what is asked is known up to a width.

    ``width_of`` measures it; None is as wide as can be. It goes down with the square of the cells', of which
    there are never more than ``MOST_WINDOW``. After every second square the grid is halved: what was on the
    finer one then counts for fewer factors. Where parts are only enclosed, it ends when a finer grid hardly
    helps. ``largest_alpha`` is the largest α that counts: masses under the second secret are multiplied by
    it, and have as many more digits. ``finer_by`` says by which factor a grid may be finer.
    """
    runs = max(sum(times for _, times in parts) for parts in choices)
    most = max(times for parts in choices for _, times in parts)
    halvings = tuple(number % 2 for number in range(most.bit_length() - 1))
    least = 8 + len(str(runs)) + len(str(width.denominator // max(1, width.numerator)))
    only_enclosed = any(lower != upper for parts in choices for (lower, upper), _ in parts)
    before: Fraction | None = None
    coarser = _FIRST_STEPS
    steps, digits = _FIRST_STEPS, least + len(str(int(largest_alpha(()))))
    while True:
        enough = min(digits, MOST_DIGITS)
        grid = Grid(steps, enough, 10 ** max(0, enough - least + 4), halvings)
        try:
            found = tuple(enclosed_composition(parts, grid, progress) for parts in choices)
        except BadGrid:
            if steps == _FIRST_STEPS:
                raise
            return
        yield found
        digits = least + len(str(int(largest_alpha(found))))
        reached, most_finer = width_of(found), finer_by(found)
        if (reached is not None and reached <= width) or digits > MOST_DIGITS:
            return
        if most_finer is not None and most_finer < 1:
            return
        if reached is None and digits > enough:  # α is larger than there are digits for
            digits = max(digits, min(2 * enough, MOST_DIGITS))
            continue
        useful = Fraction(128)
        if only_enclosed and before is not None and reached is not None:
            left = (before - reached) / (steps // coarser) ** 2  # about what finer grids gain in all
            if reached > before * _HARDLY or (reached - left > width and left < reached * _LITTLE):
                return
            useful = _root(left / (reached * _LITTLE))
        before, coarser = reached, steps
        wanted = Fraction(4) if reached is None or width == 0 else _root(reached / width) * Fraction(6, 5)
        factor: Fraction = max(Fraction(2), min(Fraction(128), wanted, useful))
        cells = max(1, *(one.above.p.degree() for one in found))
        finer = min(MOST_STEPS, int(steps * factor), steps * MOST_WINDOW // cells)
        if most_finer is not None:
            finer = min(finer, int(steps * most_finer))
        if finer <= steps:
            return
        steps = finer


def _root(number: Fraction) -> Fraction:
    """About the square root."""
    return Fraction(isqrt(int(number * 10**6)), 1000)
