"""δ of a threshold program from above: by closed tables, and by an ε at which it is 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..budget import Budget
from ..programs import Program
from ..reading import ClaimOpen, Json, Ratio, at, demand, rational, record, typed
from .claims import points_of
from .functions import KNOT, VALUE, Function
from .scale import read_scale
from .table import closed_table


def profile_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """At each α `upper` is proved by the tables, or by the largest ratio."""
    fields, points = typed(evidence, dict), points_of(claim)
    tables = {key: own for key, own in fields.items() if key != "pure"}
    if "pure" in fields:
        from .pure import pure_rule  # with the rules about losses, which tables do not wait for

        with at("pure"):
            most = pure_rule(program, claim["adjacency"], read_scale(program, claim), fields["pure"])
        points = [point for point in points if not by_ratios(program.budget, most, point)]
        demand(len(tables) > 0 or not points, ClaimOpen, "the largest ratio does not prove upper")
    if tables or "pure" not in fields:
        tables_rule(program, claim, tables, points)


def by_ratios(budget: Budget, most: Fraction, point: Mapping[str, Json]) -> bool:
    """Whether ratios from 1/A to A prove `upper`."""
    alpha, upper = Fraction(*rational(point["alpha"])), Fraction(*rational(point["upper"]))
    long = sum(n.bit_length() for number in (most, alpha, upper) for n in number.as_integer_ratio())
    budget.spend(16, long, long)
    return most - alpha <= upper * (most + 1)


def tables_rule(
    program: Program, claim: Mapping[str, Json], evidence: Json, points: Sequence[Mapping[str, Json]]
) -> None:
    """The tables are closed, and their bounds at these points are no more than `upper`."""
    adjacency = claim["adjacency"]
    sides = record(evidence, "decreasing increasing") if adjacency == "monotonic" else {adjacency: evidence}
    for side, own in sides.items():
        with at("table"):
            starts = closed_table(program, side, claim, own)
            for point in points:
                claim_rule(program.budget, starts, rational(point["alpha"]), rational(point["upper"]))


def claim_rule(budget: Budget, starts: Sequence[Function], alpha: Ratio, upper: Ratio) -> None:
    n, d = alpha
    long = sum(number.bit_length() for number in (*alpha, *upper))
    budget.spend(8 * len(starts), long, long)
    least = min(function.perspective(d, n * KNOT) for function in starts)
    proved = min(least, d * VALUE) * upper[1] <= upper[0] * d * VALUE
    demand(proved, ClaimOpen, "the bound of the table is larger")
