"""Claims about the errors of tests judged once more, from docs/certificates.md, 3.8, and what they claim.

The function below is compared with δ of all laws from above by its conjugate, in fractions; the one above
with the errors of tests of what is listed, in floats; and μ with the curves of Gaussian noise. Of several
runs laws are composed outcome by outcome, whatever the evidence does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from statistics import NormalDist
from typing import Any

from tests.certificate.accounts_judge import gain
from tests.certificate.judge import Unsound, rule
from tests.certificate.mechanisms_judge import Outcomes, bounds, composed

Json = Any
F = Fraction
ROOM = 1e-9


def accepts_errors(certificate: Json) -> bool:
    """Whether the evidence proves the function below, and what else is claimed is true."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    try:
        parts = list(zip(model["parts"], evidence["parts"], strict=True))
        composes = "grid" in evidence or "basis" in evidence
        rule(composes or (len(parts) == 1 and parts[0][0]["times"] == 1))
        rule(all("options" not in part for part, _ in parts))
        pairs = [pair for back in (False, True) for pair in of_all_runs(parts, back)]
        lower, upper = ([(F(x), F(y)) for x, y in claim["errors"][key]] for key in ("lower", "upper"))
        for listed in (lower, upper):
            rule(listed[0][0] == 0 and listed[-1] == (F(1), F(0)))
            slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(listed) if c > a]
            rule(len(slopes) == len(listed) - 1 and all(one < two for one, two in pairwise(slopes)))
        for _, above in pairs:
            rule(not is_above(lower, above))
        for x, y in upper:
            rule(y + F(ROOM) >= min(least_error(below, x) for own, _ in pairs for below in both(own)))
        if "gaussian" in claim:
            least, most = claim["gaussian"]["lower"], claim["gaussian"]["upper"]
            rule(float(F(least)) <= max(shifts(upper), default=0.0) + ROOM)
            rule(most == "inf" or lower[0][1] == 1)
            rule(most == "inf" or float(F(most)) >= max(shifts(lower), default=0.0) - ROOM)
    except Unsound:
        return False
    return True


def of_all_runs(parts: Sequence[tuple[Json, Json]], back: bool) -> Iterator[tuple[Outcomes, Outcomes]]:
    """What is dominated and what dominates, of every choice."""
    for row in product(*(list(bounds(part, proof, back)) for part, proof in parts)):
        below, above = (
            composed([(one[end], part["times"]) for one, (part, _) in zip(row, parts, strict=True)])
            for end in (0, 1)
        )
        yield below, above


def is_above(vertices: Sequence[tuple[Fraction, Fraction]], law: Outcomes) -> bool:
    """Whether δ of the law is somewhere larger than the function allows, one way round or the other."""
    falls = [(b - y) / (x - a) for (a, b), (x, y) in pairwise(vertices)]
    places = {F(1), *(k for k in falls if k > 1), *(1 / k for k in falls if 0 < k < 1)}
    places |= {p / q for p, q in law if q and p > q}
    places |= {2 * max(places)}
    return any(
        gain(list(law), alpha) > max(1 - x - alpha * y for x, y in way)
        for alpha in places
        for way in (vertices, [(y, x) for x, y in vertices])
    )


def both(law: Outcomes) -> tuple[Outcomes, Outcomes]:
    return law, [(q, p) for p, q in law]


def least_error(law: Outcomes, x: Fraction) -> float:
    """The least second error where the first one is at most x: outcomes in the order of their ratios."""
    left, found = float(x), float(sum(q for _, q in law))
    for p, q in sorted(((float(p), float(q)) for p, q in law), key=lambda one: one[0] / (one[1] or 1e-300)):
        part = 1.0 if p <= left else left / p
        left, found = left - part * p, found - part * q
        if part < 1:
            break
    return found


def shifts(vertices: Sequence[tuple[Fraction, Fraction]]) -> list[float]:
    normal = NormalDist()
    return [-normal.inv_cdf(float(x)) - normal.inv_cdf(float(y)) for x, y in vertices[1:-1] if y]
