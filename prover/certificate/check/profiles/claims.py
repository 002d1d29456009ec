"""Claims about δ of a threshold program: at one α, or at several."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..chains import epsilon_rule
from ..programs import Program
from ..reading import BadClaim, Json, Malformed, at, at_most, demand, items, rational, record, typed

BOUNDS = {"profile-table": "upper", "inputs": "lower"}  # of δ, by kinds of claims that may be about several α
MOST_STEPS = 1_000_000  # inputs that a claim may limit


def points_of(claim: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """The claim for each α: those that are listed, or its only one."""
    if "points" not in claim:
        return [claim]
    points = typed(claim["points"], list)
    demand(len(points) > 0, Malformed, "no point")
    bound = BOUNDS[claim["kind"]]
    return [{**claim, **record(point, f"alpha {bound}", "epsilon")} for point in points]


def points_rule(program: Program, claim: Mapping[str, Json], evidence: Json) -> None:
    """What is claimed for each α has a meaning, and each is on its side of e^ε."""
    del evidence
    steps_rule(claim)
    bound = BOUNDS.get(claim["kind"], "upper" if "upper" in claim else "lower")
    for point in points_of(claim):
        alpha, number = rational(point["alpha"]), rational(point[bound])
        demand(at_most((1, 1), alpha), BadClaim, "alpha is below 1")
        demand(0 <= number[0] <= number[1], BadClaim, "a number is not between 0 and 1")
        if "epsilon" in point:
            epsilon_rule(alpha, point["epsilon"], program.budget)


def steps_rule(fields: Mapping[str, Json]) -> None:
    """How many inputs there are at most, if that is limited."""
    steps = typed(fields.get("steps", 1), int)
    demand(0 < steps <= MOST_STEPS, BadClaim, f"not from 1 to {MOST_STEPS} steps")


def at_each_point(
    rule: Callable[[Program, Mapping[str, Json], Json], None],
    program: Program,
    claim: Mapping[str, Json],
    evidence: Json,
) -> None:
    """A rule about one α and its evidence, for each."""
    if "points" not in claim:
        rule(program, claim, evidence)
        return
    points = points_of(claim)
    listed = items(record(evidence, "pairs")["pairs"], len(points))
    program.budget.spend(len(points) * len(program.transitions))
    for index, (point, own) in enumerate(zip(points, listed, strict=True)):
        with at("point", index):
            rule(program, point, own)
