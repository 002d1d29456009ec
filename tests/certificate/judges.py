"""All samples, and the second opinion on a certificate of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from tests.certificate.clusters_samples import CLUSTERS_SAMPLES
from tests.certificate.judge import Unsound, accepts
from tests.certificate.noise_samples import NOISE_SAMPLES
from tests.certificate.observer_judge import KEYS, accepts_observer
from tests.certificate.observer_samples import OBSERVER_SAMPLES
from tests.certificate.program_judge import ProgramJudge, accepts_program, names_in, reached_states
from tests.certificate.program_samples import PROGRAM_SAMPLES
from tests.certificate.samples import SAMPLES, WALK, replaced
from tests.certificate.unrolling_judge import accepts_events_below, accepts_unrolling
from tests.certificate.unrolling_samples import EVENTS_SAMPLES, PIN_BOTH, UNROLLING_SAMPLES
from tests.certificate.variables_judge import VariablesJudge
from tests.certificate.variables_samples import VARIABLES_SAMPLES

Json = Any
# ln 8/5 is 0.47000362924…
BELOW: Json = replaced(WALK, ("claim", "epsilon"), {"alpha": "at-most", "value": "12/25"})
ABOVE: Json = replaced(PIN_BOTH, ("claim", "epsilon"), {"alpha": "at-least", "value": "9/100"})
ALL_SAMPLES: Mapping[str, Json] = {
    **SAMPLES,
    **CLUSTERS_SAMPLES,
    **UNROLLING_SAMPLES,
    **EVENTS_SAMPLES,
    **PROGRAM_SAMPLES,
    **NOISE_SAMPLES,
    **VARIABLES_SAMPLES,
    **OBSERVER_SAMPLES,
    "epsilon-at-most": BELOW,
    "epsilon-at-least": ABOVE,
}


def judged(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    claim = certificate["claim"]
    if "adjacency" in claim:
        try:
            judge = VariablesJudge if of_several(certificate) else ProgramJudge
        except Unsound:  # outputs that no program may have
            return False
        if KEYS & certificate["evidence"].keys():
            return accepts_observer(certificate, judge)
        return accepts_program(certificate, judge)
    if "epsilon" in claim and not epsilon_holds(claim):
        return False
    if claim["kind"] in ("ld", "lgd", "bd") and "unrolling" in certificate["evidence"].get("lower", ()):
        return accepts_events_below(certificate)
    return accepts_unrolling(certificate) if claim["kind"] in ("lv", "tv") else accepts(certificate)


def of_several(certificate: Json) -> bool:
    """Whether the guards and assignments of reached states name two or more variables."""
    model = certificate["model"]
    return len(names_in(model, reached_states(model))) > 1


def epsilon_holds(claim: Json) -> bool:
    """Whether α is on its side of e^ε, by decimals that are far more than enough for the samples."""
    with localcontext(prec=100, Emax=10**9):
        exponent, alpha = Fraction(claim["epsilon"]["value"]), Fraction(claim["alpha"])
        if exponent <= 0:
            return False
        power = (Decimal(exponent.numerator) / exponent.denominator).exp()
        exceeds = Decimal(alpha.numerator) / alpha.denominator > power
    return bool(exceeds == (claim["epsilon"]["alpha"] == "at-least"))
