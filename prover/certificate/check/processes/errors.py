"""Trade-off functions against every attacker: unrollings of processes at several α, and what the attackers
who are best there err (*Attackers*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ..accounts.tradeoff import Vertex, gaussian_rule, is_blind, lines_of, read_vertices
from ..budget import bits_of
from ..chains import Pair, claimed_pairs, orders
from ..reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    RuleBroken,
    ascending,
    at,
    at_most,
    demand,
    items,
    rational,
    record,
    typed,
)
from ..relations import read_blocks
from ..unrollings import Ray, read_value
from .model import Process, quotient_of
from .unrolling import Node, gain_of_stopping, over_one_denominator, unrolled

Masses = tuple[
    Fraction, Fraction
]  # of an event, at least under the first and at most under the second secret


def errors_against_attackers(process: Process, fields: Mapping[str, Json], evidence: Json) -> None:
    """F through the vertices is the largest convex function that is not above the errors of any attacker; or,
    with a second function ``above``, this largest one is between the two."""
    with at("claim"):
        vertices = read_vertices(fields["vertices"], process.budget)
        attained = vertices
        if "above" in fields:
            attained = read_vertices(fields["above"], process.budget)
            demand("gaussian" not in fields, Malformed, "a claim on mu needs one function")
        symmetric, pairs = claimed_pairs(fields, process.index, process.relation)
        demand(symmetric, BadClaim, "against attackers both directions count")
    with at("evidence"):
        sides = record(evidence, "unrollings", "classes gaussian")
        demand(("gaussian" in fields) == ("gaussian" in sides), Malformed, "a claim on mu, or a proof, alone")
        place: Sequence[int] = range(len(process.labels))
        if "classes" in sides:
            with at("classes"):
                process, place = quotient_of(process, read_blocks(process, sides["classes"]))
        images = sorted({(place[s], place[t]) for pair in pairs for s, t in orders(pair, symmetric)})
        apart = any(process.labels[s] != process.labels[t] for s, t in images)
        points = [(Fraction(0), Fraction(0))] if apart else []
        most = dict[Fraction, Fraction]()
        for number, listed in enumerate(typed(sides["unrollings"], list)):
            with at("unrolling", number):
                alpha, upper, errors = unrolling_rule(process, images, listed)
                points += errors
                most[alpha] = upper
    long = bits_of(
        n for point in (*vertices, *attained, *points) for x in point for n in x.as_integer_ratio()
    )
    process.budget.spend(16 * max(len(vertices), len(attained)) * (len(points) + 1), long, long)
    for alpha, room in lines_of(vertices):
        demand(most.get(alpha, Fraction(1)) <= room, ClaimOpen, "a test may have smaller errors")
    for x, y in attained:
        seen = is_blind((x, y)) or any((u <= x and v <= y) or (u <= y and v <= x) for u, v in points)
        demand(seen, ClaimOpen, "no attacker is seen to have the errors of a vertex")
    if "gaussian" in fields:
        gaussian_rule(fields["gaussian"], vertices, sides["gaussian"], process.budget)


def unrolling_rule(
    process: Process, images: Sequence[Pair], value: Json
) -> tuple[Fraction, Fraction, Sequence[Vertex]]:
    """α, the largest δ that any attacker may reach there, and the errors of the attackers that are listed."""
    fields = record(value, "alpha attackers nodes roots")
    alpha = rational(fields["alpha"])
    demand(at_most((1, 1), alpha), BadEvidence, "alpha is below 1")
    with at("roots"):
        roots = {process.alike_pair(root): q for q, root in enumerate(typed(fields["roots"], list))}
        demand(len(roots) == len(fields["roots"]), BadEvidence, "a root is repeated")
    nodes, rays = unrolled(process, alpha, list(roots), typed(fields["nodes"], list))
    bounds = [nodes[roots[pair]].upper if pair in roots else Fraction(pair[0] != pair[1]) for pair in images]
    attackers = [items(row, 2) for row in typed(fields["attackers"], list)]
    started = [typed(number, int) for number, _ in attackers]
    ascending(started, BadEvidence, "attackers")
    known = {roots[pair] for pair in images if pair in roots}
    demand(known.issuperset(started), BadEvidence, "an attacker begins at no root that the claim is about")
    errors = []
    for number, listed in attackers:
        with at("attacker", number):
            p, q = masses_rule(process, alpha, nodes, rays, number, typed(listed, list))
            errors.append((1 - p, q))
    return Fraction(*alpha), max(bounds, default=Fraction(0)), errors


def masses_rule(
    process: Process,
    alpha: tuple[int, int],
    nodes: Sequence[Node],
    rays: Mapping[int, Ray],
    root: int,
    listed: Sequence[Json],
) -> Masses:
    """The masses of the event that the attacker stops with something to gain, from a root on. They are listed
    at all nodes on the way where an action is taken."""
    rows = [items(row, 3) for row in listed]
    ascending([typed(number, int) for number, _, _ in rows], BadEvidence, "nodes")
    masses = {number: (read_value(p), read_value(q)) for number, p, q in rows}

    def found(number: int) -> Masses:
        if number in masses:
            return masses[number]
        demand(nodes[number].taken is None, BadEvidence, f"node {number} is on the way, and not listed")
        ray = rays[number]
        process.budget.spend(len(ray.x) + len(ray.y) + 4, ray.bits, ray.bits)
        if gain_of_stopping(alpha, ray) == 0:
            return Fraction(0), Fraction(0)
        return Fraction(sum(ray.x.values())), Fraction(sum(ray.y.values()))

    for number, (p, q) in masses.items():
        demand(0 <= number < len(nodes), Malformed, "unknown node")
        taken = nodes[number].taken
        demand(taken is not None, BadEvidence, f"no action is taken at node {number}")
        after = [(c, found(target)) for target, c in nodes[number].entries[taken or ""]]
        first, second = ([(c, both[side]) for c, both in after] for side in (0, 1))
        right = over_one_denominator(process, p, first) <= 0 <= over_one_denominator(process, q, second)
        demand(right, RuleBroken, f"the masses of node {number} are too good")
    return found(root)
