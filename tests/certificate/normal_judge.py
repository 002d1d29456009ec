"""Whether claims about moments and ρ of compositions with Gaussian noise are true: by sums over places, from
docs/certificates.md, 3.8 and 3.14. It looks at nothing of the evidence."""

from __future__ import annotations

from fractions import Fraction
from math import exp, inf, log
from typing import Any

from tests.certificate.accounts_judge import options
from tests.certificate.rho_judge import rho_holds

Json = Any
F = Fraction
ROOM = 1e-9
STEP = 1 / 8  # of integrals, of functions that are smooth, and all of whose derivatives vanish far out


def is_true_of_noise(certificate: Json) -> bool:
    """Whether what is claimed holds, up to what floats tell."""
    claim, parts = certificate["claim"], certificate["model"]["parts"]

    def largest(order: float) -> float:
        found = []
        for backward in (False, True):
            product = 1.0
            for part in parts:
                product *= moment(part, order, backward) ** part["times"]
            found.append(product)
        return max(found)

    for order, lower, upper in claim["moments"]:
        best = inf if order == "inf" else largest(float(F(order)))
        if lower == "inf" and best < inf:
            return False
        if lower != "inf" and float(F(lower)) > best * (1 + ROOM):
            return False
        if upper != "inf" and best * (1 - ROOM) > float(F(upper)):
            return False
    return "rho" not in claim or rho_holds(claim["rho"], largest, [])


def moment(part: Json, order: float, backward: bool) -> float:
    """The largest of the part, one way round."""
    if part.get("known") == "discrete-gaussian" or "program" in part:
        return moment_of_noise(part, 1 - order if backward else order)
    found: float = max(
        sum(float(p) ** order * float(q) ** (1 - order) for p, q in law) for law in options(part, backward)
    )
    return found


def moment_of_noise(part: Json, power: float) -> float:
    """The mean of so high a power of the ratio under the second secret, on the integers or in small steps."""
    if "program" in part:
        model = part["program"]
        state = model["states"][model["initial"]]
        sigma = float(F(state["sigma"]))
        far, step = float(F(state.get("sensitivity", model.get("sensitivity", "1")))), sigma * STEP
    else:
        sigma, far, step = float(F(part["sigma"])), float(part["sensitivity"]), 1.0
    reach = int((12 * sigma + (abs(power) + 1) * far) / step) + 1
    rate = float(F(part["sampling"]["rate"])) if "sampling" in part else 1.0
    whole = total = 0.0
    for k in range(-reach, reach + 1):
        x = k * step
        loss = (2 * far * x - far * far) / (2 * sigma * sigma)
        mixed = loss if rate == 1 else log(1 - rate + rate * exp(loss))
        whole += exp(-((x / sigma) ** 2) / 2)
        total += exp(-((x / sigma) ** 2) / 2 + power * mixed)
    return total / whole
