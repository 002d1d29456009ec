"""Privacy loss distributions: their picture, δ as ε grows, and their page."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Protocol

from prover.accounting.distribution import LossDistribution
from prover.accounting.enclosed import EnclosedLossDistribution
from prover.accounting.least_epsilon import DIGITS, LeastEpsilon
from prover.chain.arguments import Slope
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import decimal_text
from prover.exact.readable import brief, lower_text, upper_text
from prover.report.certificate import proof_section
from prover.report.document import Document, Figure, Listing, PageBlock, PageTable, Section, Text
from prover.report.profiles import falling_figure

Losses = LossDistribution | EnclosedLossDistribution

_POINTS = 41
_LEAST_DELTA = Fraction(1, 10**9)

MOST_ROWS = 20
"""Likelihood ratios that a table has."""

_ASKED = tuple(Fraction(1, 10**k) for k in (2, 3, 6, 9))
"""The δ for which the least ε is shown."""

_ASSUMED = (
    "What is seen is compared under the first secret and under the second, in this direction only.",
    "Who observes knows both laws, and has any amount of time and computing power.",
)
_UNPROVED = (
    "There is no certificate of a distribution by itself. One of a model, or of many mechanisms together, is "
    "written by prover account, and by prover curve for all ε at once."
)


class Falling(Protocol):
    """What knows the least ε for a δ, and a bound of δ that no ε goes below."""

    def epsilon(self, delta: Fraction, /) -> LeastEpsilon: ...
    @property
    def infinite(self) -> Fraction: ...


def falling_slopes(falling: Falling, bounds: Sequence[Fraction] = ()) -> list[Slope]:
    """The points of a curve where none are asked for: from ε = 0 to where δ is little, evenly spaced."""
    least = min([bound for bound in bounds if bound > 0], default=_LEAST_DELTA)
    end = falling.epsilon(min(Fraction(1), falling.infinite + least)).upper or Fraction(1)
    last = Fraction(max(1, ceil(end * Fraction(6, 5))))
    return [Slope.of_epsilon(last * k / (_POINTS - 1)) for k in range(_POINTS)]


def picture(loss: Losses) -> Figure:
    """δ of a privacy loss distribution at many ε, as a line, and as a band where it is enclosed."""

    def bounds(slope: Slope) -> tuple[Fraction, Fraction]:
        low, high = loss.delta(slope.lower), loss.delta(slope.upper)
        return low if isinstance(low, Fraction) else low[0], high if isinstance(high, Fraction) else high[1]

    name = "δ" if isinstance(loss, LossDistribution) else "δ is in the band"
    title = "δ as ε grows, from the first secret against the second"
    return falling_figure(bounds, falling_slopes(loss), title, name, title)


def document(loss: Losses) -> Document:
    """A distribution, which is about one direction and no model."""
    first, lasting = _delta(loss, Fraction(1)), _lasting(loss)
    return Document(
        lines=lambda: [loss.headline],
        title="What does seeing it tell about two secrets?",
        question="How much does what is seen tell the first of two secrets from the second?",
        answer=_answer(loss, first, lasting),
        meaning=[
            "For every event E, and at every ε:  P[E | the first]  ≤  e^ε · P[E | the second]  +  δ.",
            *_never_seen(loss, lasting),
        ],
        opening=lambda: [Section("The curve", [picture(loss)])],
        after=lambda: [
            Section("The least ε", [_least_epsilons(loss)]),
            Section("The distribution", _distribution(loss)),
            Section("What is assumed", [Listing(_ASSUMED)]),
            proof_section([], _UNPROVED),
        ],
    )


def _answer(loss: Losses, first: str, lasting: str) -> str:
    if isinstance(loss, EnclosedLossDistribution):
        return f"δ is {first} at ε = 0, and falls below every number above {brief(loss.infinite)} as ε grows"
    if first == lasting:
        return f"δ is {first} at every ε"
    return f"δ falls from {first} at ε = 0 to {lasting} as ε grows"


def _delta(loss: Losses, alpha: Fraction) -> str:
    bounds = loss.delta(alpha)
    return brief(bounds) if isinstance(bounds, Fraction) else f"at most {upper_text(bounds[1])}"


def _lasting(loss: Losses) -> str:
    exact = isinstance(loss, LossDistribution)
    return brief(loss.infinite) if exact else f"at most {upper_text(loss.infinite)}"


def _never_seen(loss: Losses, lasting: str) -> list[str]:
    if loss.infinite == 0:
        return ["Whatever is seen from the first secret can be seen from the second, too."]
    said = f"With a probability of {lasting} something is seen from the first secret that cannot be seen"
    return [f"{said} from the second; no ε makes δ smaller."] if isinstance(loss, LossDistribution) else []


def _least_epsilons(loss: Losses) -> PageTable:
    rows = [(brief(delta), _least(loss, delta)) for delta in _ASKED]
    caption = "The least ε at which δ is so small, decimals rounded up"
    if isinstance(loss, EnclosedLossDistribution):
        caption = "An ε at which δ is so small; the least one may be smaller"
    return PageTable(caption, ("δ", "ε"), rows, (0, 1))


def _least(loss: Losses, delta: Fraction) -> str:
    least = loss.epsilon(delta)
    if least.impossible:
        return "none"
    return "not known" if least.upper is None else decimal_text(least.upper, DIGITS)


def _distribution(loss: Losses) -> Sequence[PageBlock]:
    if isinstance(loss, EnclosedLossDistribution):
        return [Text(f"It is enclosed: {loss.headline}.")]
    rows = []
    for atom in loss.atoms[:MOST_ROWS]:
        low, high = (decimal_text(end, 6) for end in enclosed_logarithm(atom.ratio, 6))
        between = low if low == high else f"{low} .. {high}"
        rows.append((brief(atom.ratio), between, lower_text(atom.p), lower_text(atom.q)))
    heading = ("likelihood ratio r", "ln r", "from the first", "from the second")
    left = len(loss.atoms) - len(rows)
    more = f"; {left:,} larger ratios are left out" if left else ""
    caption = f"How likely what has a likelihood ratio is, decimals rounded down{more}"
    table = PageTable(caption, heading, rows, (0, 1, 2, 3), hidden=len(rows) > 8)
    ends = [("seen from the first only", loss.infinite), ("seen from the second only", loss.zero)]
    return [table, *(Text(f"What is {what} has a probability of {brief(p)}.") for what, p in ends if p)]
