"""Privacy loss distributions for other programs and from them: for ``dp_accounting``, and as the curve that
OpenDP calls a privacy profile.

What is written errs on the safe side: losses and masses are rounded up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from prover.accounting.distribution import LossDistribution
from prover.accounting.rounded import RoundedLosses
from prover.chain.arguments import given_slope
from prover.errors import NotInstalled
from prover.exact.exponential import enclosed_logarithm
from prover.exact.given import Given, given_rational
from prover.exact.rational import decimal_above, decimal_text

_DIGITS = 15


def privacy_profile(loss: LossDistribution, epsilons: Iterable[Given]) -> dict[str, list[str]]:
    """δ at these ε, the larger of both directions, as decimals rounded up: {"epsilon": […], "delta": […]}.

    Raises BadValue.
    """
    found: dict[str, list[str]] = {"epsilon": [], "delta": []}
    for epsilon in epsilons:
        slope = given_slope("delta", None, epsilon)
        delta = max(one.delta(slope.upper) for one in (loss, loss.reverse))
        found["epsilon"].append(str(epsilon))
        found["delta"].append(decimal_text(decimal_above(delta, _DIGITS), _DIGITS))
    return found


def to_dp_accounting(loss: LossDistribution, interval: Given = "1/10000") -> Any:
    """A ``PrivacyLossDistribution`` of ``dp_accounting``, pessimistic, on a grid of this interval.

    Every loss ln r is rounded up to a multiple of the interval, and every mass to a float. Raises
    NotInstalled where the package is not installed, and BadValue.
    """
    try:
        from dp_accounting.pld import pld_pmf
        from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution
    except ImportError:
        raise NotInstalled(
            "this needs dp-accounting: install the extra, privacy-prover[accounting]", code="no-dp-accounting"
        ) from None
    width = given_rational(interval, "the interval", "bad-question", more_than=0)

    def one_way(direction: LossDistribution) -> Any:
        masses: dict[int, Fraction] = defaultdict(Fraction)
        for atom in direction.atoms:
            above = enclosed_logarithm(atom.ratio, _DIGITS)[1] / width
            masses[-(-above.numerator // above.denominator)] += atom.p
        rounded = {place: _up(mass) for place, mass in masses.items()}
        return pld_pmf.create_pmf(rounded, float(width), _up(direction.infinite), True)

    return PrivacyLossDistribution(one_way(loss), one_way(loss.reverse))


def document_of(pld: Any) -> dict[str, Any]:
    """What ``json.dump`` makes a file of that ``prover account`` reads, of a ``PrivacyLossDistribution`` of
    ``dp_accounting``: arguments of its ``create_from_rounded_probability``.

    Of the two directions it has that of removing a person; the other one is its reverse.
    """
    pmf = pld._pmf_remove.to_dense_pmf()
    masses = {str(pmf._lower_loss + k): float(mass) for k, mass in enumerate(pmf._probs) if mass}
    return {
        "rounded_probability_mass_function": masses,
        "infinity_mass": float(pmf._infinity_mass),
        "value_discretization_interval": float(pmf._discretization),
        "pessimistic_estimate": bool(pmf._pessimistic_estimate),
    }


def from_dp_accounting(pld: Any) -> RoundedLosses:
    """What the floats of a ``PrivacyLossDistribution`` of ``dp_accounting`` say. Raises BadValue."""
    found = document_of(pld)
    masses = {int(k): Fraction(mass) for k, mass in found["rounded_probability_mass_function"].items()}
    infinite, interval = (Fraction(found[key]) for key in ("infinity_mass", "value_discretization_interval"))
    return RoundedLosses(masses, infinite, interval, found["pessimistic_estimate"])


def _up(mass: Fraction) -> float:
    """A float that is at least the mass."""
    near = float(mass)
    return near if Fraction(near) >= mass else nextafter(near, inf)
