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
    "δ goes from the first secret to the second, in this direction only.",
    "The observer knows the probabilities under both secrets, and has unlimited time and computing power.",
)
_UNPROVED = (
    "A distribution alone has no certificate. `prover account` writes one for a composition of mechanisms, "
    "and `prover curve` one for a model and all ε at once."
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

    name = "δ" if isinstance(loss, LossDistribution) else "δ, in the band"
    title = "δ as ε grows, from the first secret against the second"
    return falling_figure(bounds, falling_slopes(loss), title, name, title)


def document(loss: Losses) -> Document:
    """A distribution, which is about one direction and no model."""
    first, lasting = _delta(loss, Fraction(1)), _lasting(loss)
    return Document(
        lines=lambda: [loss.headline],
        title="How well can two secrets be distinguished?",
        question="How much likelier can an event be under the first secret than under the second?",
        answer=_answer(loss, first, lasting),
        meaning=[
            "For every event E and every ε:  P[E | first secret]  ≤  e^ε · P[E | second secret]  +  δ",
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
        return f"δ is {first} at ε = 0, and its limit is at most {upper_text(loss.infinite)} as ε grows"
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
        return ["Every output that is possible under the first secret is possible under the second, too."]
    if not isinstance(loss, LossDistribution):
        return []
    outputs = "Outputs that are impossible under the second secret"
    return [f"{outputs} have probability {lasting} under the first, so δ is at least that at every ε."]


def _least_epsilons(loss: Losses) -> PageTable:
    rows = [(brief(delta), _least(loss, delta)) for delta in _ASKED]
    caption = "The least ε with at most this δ, decimals rounded up"
    if isinstance(loss, EnclosedLossDistribution):
        caption = "An ε with at most this δ; the least one may be smaller"
    return PageTable(caption, ("δ", "ε"), rows, (0, 1))


def _least(loss: Losses, delta: Fraction) -> str:
    least = loss.epsilon(delta)
    if least.impossible:
        return "none"
    return "not known" if least.upper is None else decimal_text(least.upper, DIGITS)


def _distribution(loss: Losses) -> Sequence[PageBlock]:
    if isinstance(loss, EnclosedLossDistribution):
        return [Text(f"The distribution is not known exactly: it lies {loss.headline}.")]
    rows = []
    for atom in loss.atoms[:MOST_ROWS]:
        low, high = (decimal_text(end, 6) for end in enclosed_logarithm(atom.ratio, 6))
        between = low if low == high else f"{low} .. {high}"
        rows.append((brief(atom.ratio), between, lower_text(atom.p), lower_text(atom.q)))
    heading = ("likelihood ratio r", "ln r", "P under the first", "P under the second")
    left = len(loss.atoms) - len(rows)
    more = f"; {left:,} larger ratios are left out" if left else ""
    caption = f"The probability of each likelihood ratio, decimals rounded down{more}"
    table = PageTable(caption, heading, rows, (0, 1, 2, 3), hidden=len(rows) > 8)
    ends = [("first", loss.infinite), ("second", loss.zero)]
    only = "Outputs that are possible under the {} secret only have probability {} under it."
    return [table, *(Text(only.format(which, brief(p))) for which, p in ends if p)]
