"""Claims about the trade-off function: the least errors of tests of one secret against another, by laws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from ..budget import Budget, bits_of
from ..chains import Chain, claimed_pairs, orders
from ..profiles.normal import distribution
from ..reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    ascending,
    at,
    demand,
    items,
    rational,
    record,
    typed,
)
from .endings import Law, laws_of_chain

Vertex = tuple[Fraction, Fraction]


def tradeoff(fields: Mapping[str, Json], chain: Chain, evidence: Json) -> None:
    """F through the vertices is the largest convex function that is not above the f of any directed pair."""
    with at("claim"):
        vertices = read_vertices(fields["vertices"], chain.budget)
        symmetric, pairs = claimed_pairs(fields, chain.index, chain.relation)
    with at("evidence"):
        directed = sorted({order for pair in pairs for order in orders(pair, symmetric)})
        proof = record(evidence, "laws", "gaussian")
        found = laws_of_chain(chain, directed, proof["laws"])
        laws = list({id(both): both for both in found.values()}.values())
        demand(all(lower is upper for lower, upper in laws), BadEvidence, "open nodes are not allowed")
    errors = [errors_of(law, chain.budget) for law, _ in laws]
    for points in errors:
        spend(chain.budget, [*points, *vertices], len(points) + len(vertices))
        demand(is_below(vertices, points), ClaimOpen, "a test has smaller errors")
    attained = {point for points in errors for point in points}
    demand(attained.issuperset(vertices), ClaimOpen, "no test has the errors of a vertex")
    demand(("gaussian" in fields) == ("gaussian" in proof), Malformed, "a claim about mu, or a proof, alone")
    if "gaussian" in fields:
        gaussian_rule(fields["gaussian"], vertices, proof["gaussian"], chain.budget)


def gaussian_rule(claim: Json, vertices: Sequence[Vertex], evidence: Json, budget: Budget) -> None:
    """The trade-off function of N(0, 1) and N(upper, 1) is not above any vertex, and that of N(lower, 1) is
    not below one of them."""
    with at("claim"):
        ends = record(claim, "lower upper")
        lower, upper = (Fraction(*rational(ends[name])) for name in ("lower", "upper"))
        demand(0 <= lower <= upper, BadClaim, "not 0 <= lower <= upper")
    with at("gaussian"):
        proof = record(evidence, "bits upper", "lower")
        bits = typed(proof["bits"], int)
        upper_rule(upper, vertices, proof["upper"], bits, budget)
        if lower or "lower" in proof:
            lower_rule(lower, vertices, proof.get("lower"), bits, budget)


def upper_rule(
    upper: Fraction, vertices: Sequence[Vertex], evidence: Json, bits: int, budget: Budget
) -> None:
    """At each vertex this is seen near one t, where Φ(t) is about 1 − x."""
    first, *inner, _ = vertices
    demand(first[1] == 1, ClaimOpen, "a test is certain of a secret")
    for (x, y), given in zip(inner, items(evidence, len(inner)), strict=True):
        t = Fraction(*rational(given))
        near, far = distribution(t, bits, budget)[0], distribution(t - upper, bits, budget)[1]
        spend(budget, [(x, y), (t, upper)], 1)
        right = near >= (1 - x) * 2**bits and far <= y * 2**bits
        demand(right, ClaimOpen, "the curve of upper is not seen to be below a vertex")


def lower_rule(
    lower: Fraction, vertices: Sequence[Vertex], evidence: Json, bits: int, budget: Budget
) -> None:
    """The same at one vertex, the other way round."""
    (_, *inner, _), (number, given) = vertices, items(evidence, 2)
    demand(0 <= typed(number, int) < len(inner), BadEvidence, "no such vertex")
    (x, y), t = inner[number], Fraction(*rational(given))
    near, far = distribution(t, bits, budget)[1], distribution(t - lower, bits, budget)[0]
    right = near <= (1 - x) * 2**bits and far >= y * 2**bits
    demand(right, ClaimOpen, "the curve of lower is not seen to be above the vertex")


def lines_of(vertices: Sequence[Vertex]) -> list[tuple[Fraction, Fraction]]:
    """What δ has to be at most, at an α ≥ 1, so that no error is below the line through two neighbours; and
    so for every two. Where the function is 0 there is nothing to show."""
    found = []
    for (x, y), (a, b) in pairwise(vertices):
        fall = (y - b) / (a - x)
        if fall > 0:
            found.append((fall, 1 - y - fall * x) if fall >= 1 else (1 / fall, 1 - x - y / fall))
    return found


def is_blind(vertex: Vertex) -> bool:
    """Whether guesses that ignore the output have these errors, or smaller ones."""
    return vertex[0] == 1 or vertex == (Fraction(0), Fraction(1))


def read_vertices(value: Json, budget: Budget) -> list[Vertex]:
    """Of a convex function on [0, 1] that is 0 at 1."""
    vertices = [read_vertex(row) for row in typed(value, list)]
    spend(budget, vertices, len(vertices))
    ends = len(vertices) > 1 and vertices[0][0] == 0 and vertices[-1] == (Fraction(1), Fraction(0))
    demand(ends, BadClaim, "the vertices do not go from x = 0 to (1, 0)")
    ascending([x for x, _ in vertices], BadClaim, "vertices")
    slopes = [(d - b) / (c - a) for (a, b), (c, d) in pairwise(vertices)]
    ascending(slopes, BadClaim, "slopes")
    return vertices


def read_vertex(row: Json) -> Vertex:
    x, y = (Fraction(*rational(number)) for number in items(row, 2))
    demand(0 <= x <= 1 and 0 <= y <= 1, BadClaim, "an error is not between 0 and 1")
    return x, y


def spend(budget: Budget, points: Sequence[Vertex], count: int) -> None:
    bits = 2 * bits_of(n for point in points for x in point for n in x.as_integer_ratio())
    budget.spend(16 * count, bits, bits)


def errors_of(law: Law, budget: Budget) -> Sequence[Vertex]:
    """The errors of the likelihood ratio tests, from x = 0 on, and (1, 0)."""
    longest = bits_of(n for atom in law for x in atom for n in x.as_integer_ratio())
    bits = (len(law) + 2) * 2 * longest
    budget.spend(16 * (len(law) + 1), bits, bits)
    listed = sorted(law)
    x, y = Fraction(0), sum((mass / ratio for ratio, mass in listed), Fraction(0))
    points = [(x, y)]
    for ratio, mass in listed:
        x, y = x + mass, y - mass / ratio
        points.append((x, y))
    return [*points, (Fraction(1), Fraction(0))]


def is_below(vertices: Sequence[Vertex], points: Sequence[Vertex]) -> bool:
    """Whether no point is below the function; both are in order of x."""
    k = 0
    for x, y in points:
        while k < len(vertices) - 2 and vertices[k + 1][0] < x:
            k += 1
        (a, b), (c, d) = vertices[k : k + 2]
        if (y - b) * (c - a) < (d - b) * (x - a):
            return False
    return True
