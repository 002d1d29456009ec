"""Claims about the errors of tests: functions below and above the trade-off function of all pairs, by laws
and their products, which may be enclosed (*Errors of tests*)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil

from ..budget import Budget, bits_of
from ..moments import read_bound
from ..reading import (
    BadClaim,
    BadModel,
    ClaimOpen,
    Json,
    Malformed,
    at,
    demand,
    rational,
    record,
    typed,
)
from .composition import alone, basis_of, choices, known_rule
from .endings import Law, Laws, mass_of
from .grids import Grid, not_attained, products, read_grid, values_above
from .parts import Part, read_parts
from .sums import summed_law
from .tally import Tally
from .tradeoff import Vertex, is_below, is_blind, lines_of, lower_rule, read_vertices, spend, upper_rule

POINT_BITS = 128  # to which masses and gains are rounded up


def errors(fields: Mapping[str, Json], model: Json, evidence: Json, budget: Budget) -> None:
    """lower ≤ F ≤ upper for the largest convex F that is not above the f of any pair, both ways round."""
    with at("claim"):
        ends = record(fields["errors"], "lower upper")
        lower, upper = (read_vertices(ends[name], budget) for name in ("lower", "upper"))
    with at("evidence"):
        method = next((key for key in ("basis", "grid") if key in typed(evidence, dict)), None)
        names = {"basis": "basis parts sums", "grid": "grid parts", None: "parts"}[method]
        proof = record(evidence, names, "gaussian")
        parts = read_parts(model, proof["parts"], budget)
        if method == "basis":
            tally = Tally(budget, typed(proof["sums"], int))
            exact_rule(lower, upper, parts, proof["basis"], tally)
        elif method == "grid":
            grid_rule(lower, upper, parts, read_grid(proof["grid"], budget))
        else:
            once_rule(lower, upper, parts, budget)
        demand(("gaussian" in fields) == ("gaussian" in proof), Malformed, "a claim on mu, or a proof, alone")
    if "gaussian" in fields:
        mu_rule(fields["gaussian"], lower, upper, proof["gaussian"], budget)


def once_rule(
    lower: Sequence[Vertex], upper: Sequence[Vertex], parts: Sequence[Part], budget: Budget
) -> None:
    """Of one run of one part, by its laws as they are."""
    demand(len(parts) == 1 and parts[0].times == 1, BadModel, "errors of several runs need a product")
    laws = [both for own in (*parts[0].forward, *parts[0].backward) for both, _ in alone([own], [1])]
    lines = lines_of(lower)
    for above in {id(law): law for _, law in laws}.values():
        below_rule(lines, above, budget)
    below = {id(law): law for law, _ in laws}.values()
    above_rule(upper, [errors_of(law, budget) for law in below], budget)


def exact_rule(
    lower: Sequence[Vertex], upper: Sequence[Vertex], parts: Sequence[Part], basis: Json, tally: Tally
) -> None:
    """No point of an exact product from above is below the function; and points of those from below are at
    the vertices of the other one."""
    numbers, rows = basis_of(basis), list(choices(parts))
    known = known_rule(rows, parts)
    tests = []
    for row in rows:
        own, points = alone(row, [part.times for part in parts]), list[Vertex]()

        def points_of(up: bool, own: Sequence[tuple[Laws, int]] = own) -> list[Vertex]:
            law = summed_law([(laws[up], n) for laws, n in own], numbers, tally)
            return [*errors_of(law, tally.budget), (Fraction(1), Fraction(0))]

        if known or lines_of(lower):
            points = points_of(True)
            spend(tally.budget, [*points, *lower], len(points) + len(lower))
            demand(is_below(lower, points), ClaimOpen, "a test may have smaller errors")
        if not known:
            points = [] if all(map(is_blind, upper)) else points_of(False)
        tests.append(points)
    above_rule(upper, tests, tally.budget)


def grid_rule(lower: Sequence[Vertex], upper: Sequence[Vertex], parts: Sequence[Part], grid: Grid) -> None:
    """The lines of the function by products from above, the vertices of the other one by those from below."""
    rows = [alone(row, [part.times for part in parts]) for row in choices(parts)]
    lines = lines_of(lower)
    for side in products(grid, rows, True) if lines else ():
        most = values_above(grid, side, [alpha for alpha, _ in lines])
        right = all(own <= given for own, (_, given) in zip(most, lines, strict=True))
        demand(right, ClaimOpen, "a test may have smaller errors")
    wanted = [vertex for vertex in upper if not is_blind(vertex)]
    for side in products(grid, rows, False) if wanted else ():
        wanted = not_attained(grid, side, wanted)
    demand(not wanted, ClaimOpen, "no test is seen to have errors as small as those of a vertex")


def below_rule(lines: Sequence[tuple[Fraction, Fraction]], law: Law, budget: Budget) -> None:
    """δ of a law at every α is at most what is given."""
    long = bits_of(n for atom in law for x in atom for n in x.as_integer_ratio())
    budget.denominator([mass.denominator for _, mass in law])
    unit = 2**POINT_BITS
    rest = ceil((1 - mass_of(law)) * unit)
    for alpha, most in lines:
        bits = 2 * long + bits_of(alpha.as_integer_ratio()) + POINT_BITS
        budget.spend(8 * (len(law) + 1), bits, bits)
        gains = (ceil(mass * (1 - alpha / ratio) * unit) for ratio, mass in law if ratio > alpha)
        demand(rest + sum(gains) <= most * unit, ClaimOpen, "a test may have smaller errors")


def above_rule(vertices: Sequence[Vertex], tests: Sequence[Sequence[Vertex]], budget: Budget) -> None:
    """For every vertex some test has no larger errors, in either order."""
    long = bits_of(n for vertex in vertices for x in vertex for n in x.as_integer_ratio())
    for points in tests:
        bits = bits_of(n for point in points for x in point for n in x.as_integer_ratio())
        budget.spend(64 * len(vertices), bits, long)
    for x, y in vertices:
        seen = is_blind((x, y)) or any(
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
