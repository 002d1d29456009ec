"""Pictures of privacy loss distributions: δ as ε grows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Protocol

from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.least_epsilon import LeastEpsilon
from prover.chain.arguments import Slope
from prover.exact.readable import upper_text
from prover.report.page.curves import delta_chart
from prover.report.page.document import Figure
from prover.report.picture.chart import Series, drawn_chart

_POINTS = 41
_LEAST_DELTA = Fraction(1, 10**9)


class Falling(Protocol):
    """What knows the least ε for a δ, and a bound of δ that no ε goes below."""

    def epsilon(self, delta: Fraction, /) -> LeastEpsilon: ...
    @property
    def infinite(self) -> Fraction: ...


def falling_slopes(found: Falling, bounds: Sequence[Fraction] = ()) -> list[Slope]:
    """The points of a curve where none are asked for: from ε = 0 to where δ is little, evenly spaced."""
    least = min([bound for bound in bounds if bound > 0], default=_LEAST_DELTA)
    end = found.epsilon(found.infinite + least).upper or Fraction(1)
    last = Fraction(max(1, ceil(end * Fraction(6, 5))))
    return [Slope.of_epsilon(last * k / (_POINTS - 1)) for k in range(_POINTS)]


def picture(loss: LossDistribution | EnclosedLossDistribution) -> Figure:
    """δ of a privacy loss distribution at many ε, as a line, and as a band where it is enclosed."""
    band, words = [], []
    for slope in falling_slopes(loss):
        ends = loss.delta(slope.lower), loss.delta(slope.upper)
        low, high = (end if isinstance(end, Fraction) else end[k] for k, end in enumerate(ends))
        epsilon = float(slope.epsilon or 0)
        band.append((epsilon, float(low), float(high)))
        words.append(f"At ε = {epsilon:.6g} δ is at most {upper_text(high)}.")
    name = "δ" if isinstance(loss, LossDistribution) else "δ is in the band"
    line = Series(name, [(x, high) for x, _, high in band])
    title = "δ as ε grows, from the first secret against the second"
    return Figure(drawn_chart(delta_chart([line], title, band)), title, words)
