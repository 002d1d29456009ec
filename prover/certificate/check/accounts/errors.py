"""Claims about the errors of tests of one run: functions below and above the trade-off function of all pairs,
by laws that are enclosed (*Errors of tests*)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil

from ..budget import Budget, bits_of
from ..moments import read_bound
from ..reading import BadClaim, BadModel, ClaimOpen, Json, Malformed, at, demand, rational, record, typed
from .endings import Law, mass_of
from .parts import read_parts
from .tradeoff import Vertex, lower_rule, read_vertices, upper_rule

POINT_BITS = 128  # to which masses and gains are rounded up


def errors(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """lower ≤ F ≤ upper for the largest convex F that is not above the f of any pair, both ways round."""
    with at("claim"):
        ends = record(fields["errors"], "lower upper")
        lower, upper = (read_vertices(ends[name], budget) for name in ("lower", "upper"))
    with at("evidence"):
        proof = record(evidence, "parts", "gaussian")
        parts = read_parts(model, proof["parts"], budget)
        demand(len(parts) == 1 and parts[0].times == 1, BadModel, "errors are those of one run of one part")
        laws = [both for own in (*parts[0].forward, *parts[0].backward) for both in own]
        for above in {id(law): law for _, law in laws}.values():
            below_rule(lower, above, budget)
        above_rule(upper, [*{id(law): law for law, _ in laws}.values()], budget)
        demand(("gaussian" in fields) == ("gaussian" in proof), Malformed, "a claim on mu, or a proof, alone")
    if "gaussian" in fields:
        mu_rule(fields["gaussian"], lower, upper, proof["gaussian"], budget)


def below_rule(vertices: Sequence[Vertex], law: Law, budget: Budget) -> None:
    """Every line of the function is one that δ at its slope, or at the inverse of that, allows."""
    long = bits_of(n for atom in law for x in atom for n in x.as_integer_ratio())
    budget.denominator([mass.denominator for _, mass in law])
    unit = 2**POINT_BITS
    rest = ceil((1 - mass_of(law)) * unit)
    for (x, y), (a, b) in pairwise(vertices):
        fall = (y - b) / (a - x)
        if fall == 0:
            continue
        alpha, most = (fall, 1 - y - fall * x) if fall >= 1 else (1 / fall, 1 - x - y / fall)
        bits = 2 * long + bits_of(alpha.as_integer_ratio()) + POINT_BITS
        budget.spend(8 * (len(law) + 1), bits, bits)
        gains = (ceil(mass * (1 - alpha / ratio) * unit) for ratio, mass in law if ratio > alpha)
        demand(rest + sum(gains) <= most * unit, ClaimOpen, "a test may have smaller errors")


def above_rule(vertices: Sequence[Vertex], laws: Sequence[Law], budget: Budget) -> None:
    """For every vertex some test has no larger errors, in either order."""
    long = bits_of(n for vertex in vertices for x in vertex for n in x.as_integer_ratio())
    tests = []
    for law in laws:
        tests.append(errors_of(law, budget))
        bits = bits_of(n for point in tests[-1] for x in point for n in x.as_integer_ratio())
        budget.spend(64 * len(vertices), bits, long)
    for x, y in vertices:
        blind = x == 1 or (x, y) == (Fraction(0), Fraction(1))
        seen = blind or any(
            smallest(points, one) <= other for points in tests for one, other in ((x, y), (y, x))
        )
        demand(seen, ClaimOpen, "no test is seen to have errors as small as those of a vertex")


def errors_of(law: Law, budget: Budget) -> list[Vertex]:
    """The errors of the likelihood ratio tests of a law, the first error ascending."""
    listed = sorted(law)
    (masses, whole), (others, size) = (
        budget.common([number.as_integer_ratio() for number in side])
        for side in ([mass for _, mass in listed], [mass / ratio for ratio, mass in listed])
    )
    bits = max(whole.bit_length(), size.bit_length())
    budget.spend(16 * (len(law) + 1), bits, bits)
    passed, left = accumulate(masses, initial=0), [*accumulate(others[::-1], initial=0)][::-1]
    return [(Fraction(x, whole), Fraction(y, size)) for x, y in zip(passed, left, strict=True)]


def smallest(points: Sequence[Vertex], x: Fraction) -> Fraction:
    """The least second error of the tests whose first one is at most x."""
    return points[bisect_right(points, x, key=lambda point: point[0]) - 1][1]


def mu_rule(
    claim: Json, lower: Sequence[Vertex], upper: Sequence[Vertex], evidence: Json, budget: Budget
) -> None:
    """The least μ is at least that of one vertex of the function above, and at most that of the one below."""
    with at("claim"):
        ends = record(claim, "lower upper")
        least, most = Fraction(*rational(ends["lower"])), read_bound(ends["upper"])
        demand(least >= 0 and (most is None or least <= most), BadClaim, "not 0 <= lower <= upper")
    with at("gaussian"):
        proof = dict(record(evidence, "bits", "lower upper"))
        bits = typed(proof["bits"], int)
        if most is not None:
            upper_rule(most, lower, proof.pop("upper", None), bits, budget)
        if least > 0:
            lower_rule(least, upper, proof.pop("lower", None), bits, budget)
        demand(proof.keys() == {"bits"}, Malformed, "a proof of no bound of mu")
