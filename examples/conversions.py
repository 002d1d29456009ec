"""What conversions between currencies of privacy lose: the table of docs/theory_divergences.md.

python examples/conversions.py
"""

from __future__ import annotations

from fractions import Fraction

from prover.accounting.conversions import epsilon_of_gaussian, epsilon_of_renyi, epsilon_of_zcdp
from prover.accounting.distribution import LossDistribution
from prover.exact.divergence import RenyiDivergence
from prover.exact.exponential import enclosed_logarithm
from prover.exact.rational import decimal_above, decimal_text

DELTA = Fraction(1, 10**6)
ORDERS = ("3/2", 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)

MECHANISMS = (
    ("randomised response, q = 1/2", LossDistribution.randomised_response("1/2"), 1),
    ("the same, 50 runs", LossDistribution.randomised_response("1/2"), 50),
    ("randomised response, q = 9/10, 200 runs", LossDistribution.randomised_response("9/10"), 200),
    ("discrete Laplace, q = 9/10, 20 runs", LossDistribution.discrete_laplace("9/10"), 20),
    ("truncated noise, q = 1/2, bound 30", LossDistribution.discrete_laplace("1/2", bound=30), 1),
)


def older(divergence: RenyiDivergence) -> Fraction | None:
    """D + ln(1/δ)/(a − 1)."""
    if divergence.upper is None or divergence.order is None:
        return None
    return divergence.upper + enclosed_logarithm(1 / DELTA)[1] / (divergence.order - 1)


def row(name: str, loss: LossDistribution, times: int) -> list[str]:
    """The least ε, and what each conversion proves."""
    together = loss.repeat(times)
    divergences = [together.renyi(order) for order in ORDERS]
    best = [epsilon for one in divergences if (epsilon := epsilon_of_renyi(one, DELTA)) is not None]
    worse = [epsilon for one in divergences if (epsilon := older(one)) is not None]
    rho, shift = loss.zcdp().upper, together.tradeoff().symmetric.gaussian()
    pure = loss.renyi("inf").upper
    found = [
        together.epsilon(DELTA).upper,
        min(best, default=None),
        min(worse, default=None),
        None if rho is None else epsilon_of_zcdp(times * rho, DELTA),
        None if shift is None else epsilon_of_gaussian(shift[1], DELTA),
        None if pure is None else times * pure,
    ]
    return [name, *("none" if x is None else decimal_text(decimal_above(x, 4), 4) for x in found)]


def table() -> list[str]:
    """The lines of the table, in Markdown."""
    heading = ["mechanism", "exact", "from D_a", "older", "from ρ", "from μ", "n·ε"]
    rows = ["| " + " | ".join(cells) + " |" for cells in (heading, *(row(*one) for one in MECHANISMS))]
    return [rows[0], "|---" * len(heading) + "|", *rows[1:]]


if __name__ == "__main__":
    print("\n".join(table()))
