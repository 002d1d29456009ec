"""What composition theorems prove beside an account, to compare with: as text, and as JSON."""

from __future__ import annotations

from fractions import Fraction

from prover.accounting.account import Account
from prover.accounting.least_epsilon import DIGITS
from prover.accounting.theorems import advanced, basic, of_exact_epsilons
from prover.chain.arguments import Slope
from prover.exact.rational import decimal_above, decimal_text
from prover.exact.readable import upper_text


def theorems_json(account: Account, bound: Fraction, *, last: bool) -> dict[str, str | None]:
    """The ε that they prove for a δ; only of the ``last`` account what takes long to find."""
    epsilon, rest = basic(account.mechanisms)
    promised, alone = advanced(account.mechanisms, bound), of_exact_epsilons(account, bound) if last else None
    return {
        "basic": _up(epsilon) if rest <= bound else None,
        "advanced": None if promised is None else _up(promised),
        **({} if alone is None else {"exact_epsilons": _up(alone)}),
    }


def theorems_of_epsilon(account: Account, bound: Fraction, *, last: bool) -> list[str]:
    """The same in lines of text."""
    epsilon, rest = basic(account.mechanisms)
    found = [
        ("basic composition", epsilon if rest <= bound else None),
        ("advanced composition", advanced(account.mechanisms, bound)),
    ]
    alone = of_exact_epsilons(account, bound) if last else None
    if alone is not None:
        found.append((_whose(account), alone))
    return [f"  {name} proves {_at_most(proved)}" for name, proved in found]


def theorem_of_delta(account: Account, slope: Slope) -> str:
    """The δ that basic composition proves at an ε, in a line."""
    epsilon, rest = basic(account.mechanisms)
    proved = rest if _enough(epsilon, slope) else Fraction(1)
    bound = "no bound below 1" if proved >= 1 else f"delta <= {upper_text(proved)}"
    return f"  basic composition proves {bound}"


def _enough(epsilon: Fraction, slope: Slope) -> bool:
    """Whether ε, rounded up, is at most the one that is asked about."""
    from prover.exact.exponential import enclosed_logarithm

    given = enclosed_logarithm(slope.upper, DIGITS)[1] if slope.epsilon is None else slope.epsilon
    return epsilon <= given


def _up(number: Fraction) -> str:
    return decimal_text(decimal_above(number, DIGITS), DIGITS)


def _whose(account: Account) -> str:
    """Of which runs no more than the exact ε is used: Gaussian noise has none, and chains have laws."""
    every = all(part.losses is not None and part.losses.pure is not None for part in account.mechanisms)
    return f"the exact epsilon {'of each run alone' if every else 'alone of the mechanisms that have one'}"


def _at_most(epsilon: Fraction | None) -> str:
    return "no bound" if epsilon is None else f"epsilon <= {decimal_text(decimal_above(epsilon, 6), 6)}"
