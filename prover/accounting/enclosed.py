"""Privacy loss distributions that are known between two others, on a grid.

One dominates the truth and one is dominated by it, for all α ≥ 0; so both sides compose. Reference:
docs/accounting.md, *Domination* and *On a grid*.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from prover.accounting.distribution import LossDistribution, given_times
from prover.accounting.errors import BadGrid
from prover.accounting.grid import Grid, Lines, SideAbove, SideBelow, after_square
from prover.accounting.least_epsilon import LeastEpsilon
from prover.accounting.power import power
from prover.errors import must_be
from prover.exact.given import Given, given_rational
from prover.exact.readable import upper_text
from prover.progress import Progress, silent
from prover.views import Paged, drawing_of


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
    work: tuple[int, int] | None = field(default=None, compare=False)
    """The units that checkers spend on the side below and on the side above, as far as they are counted."""

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
