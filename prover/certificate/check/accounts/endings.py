"""The law of the likelihood ratio of a pair of secrets of a chain, from a graph of the vectors that words
lead to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from ..budget import Budget, bits_of
from ..chains import Chain, Pair
from ..reading import (
    BadEvidence,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    ascending,
    at,
    demand,
    items,
    rational,
    record,
    typed,
    written,
)
from ..relations import quotient, read_blocks
from ..unrollings import ONE, Ray, balance_rule, leaves_rule, multiple_rule, next_rays, read_entries

Atom = tuple[Fraction, Fraction]  # a ratio 0 < r < ∞, and a mass under the first secret
Law = Sequence[Atom]  # no ratio occurs twice
# A law that the true one dominates, and one that dominates it; one object if it is known.
Laws = tuple[Law, Law]

Key = Sequence[frozenset[str]]


def key_of(laws: Laws) -> Key:
    """The same for laws that are equal, and for no others."""
    return tuple(
        frozenset(written(*ratio.as_integer_ratio(), *mass.as_integer_ratio()) for ratio, mass in law)
        for law in laws
    )


def mass_of(law: Law) -> Fraction:
    return sum((mass for _, mass in law), Fraction(0))


def laws_of_chain(chain: Chain, pairs: Sequence[Pair], evidence: Json) -> dict[Pair, Laws]:
    """The laws of each of the pairs. Pairs of the same classes have the same law."""
    sides = record(evidence, "graphs", "classes")
    place: Sequence[int] = range(len(chain.rows))
    if "classes" in sides:
        with at("classes"):
            chain, place = quotient(chain, read_blocks(chain, sides["classes"]))
    laws: dict[Pair, Laws] = {}
    roots = []
    for number, listed in enumerate(typed(sides["graphs"], list)):
        with at("graph", number):
            graph = record(listed, "nodes pair")
            roots.append(chain.alike_pair(graph["pair"]))
            laws[roots[-1]] = law_of_graph(chain, roots[-1], typed(graph["nodes"], list))
    ascending(roots, BadEvidence, "graphs")
    return {(s, t): law_of_pair(chain, laws, (place[s], place[t])) for s, t in pairs}


def law_of_pair(chain: Chain, laws: Mapping[Pair, Laws], pair: Pair) -> Laws:
    s, t = pair
    if s == t:
        return exactly([(Fraction(1), Fraction(1))])
    if chain.labels[s] != chain.labels[t]:
        return exactly([])
    demand(pair in laws, BadEvidence, f"no graph for the pair {list(pair)}")
    return laws[pair]


def exactly(law: Law) -> Laws:
    return law, law


def reverse(law: Law) -> Law:
    return [(1 / ratio, mass / ratio) for ratio, mass in law]


def law_of_graph(chain: Chain, root: Pair, nodes: Sequence[Json]) -> Laws:
    """Nodes are those of unrollings; the first one is the root. Mass that is in no inner node stays there. At
    an open node one law takes all states together, and the other one distinguishes the states."""
    budget = chain.budget
    rays = {0: Ray({root[0]: 1}, {root[1]: 1})}
    links, visits = list[list[tuple[int, Fraction]]](), list[Fraction]()
    even, ends, opened = dict[int, list[int]](), list[int](), list[int]()
    forward = list[tuple[int, int, Ratio, Ray]]()
    demand(len(nodes) > 0, BadEvidence, "the graph has no nodes")
    for q, node in enumerate(nodes):
        with at("node", q):
            demand(q in rays, BadEvidence, "no entry of an earlier node defines it")
            links.append([])
            is_open = "open" in typed(node, dict)
            kind = next((key for key in ("balanced", "next") if key in node and not is_open), None)
            fields = record(node, "open" if is_open else f"{kind} visits" if kind else "visits")
            n, d = rational(fields["open" if is_open else "visits"])
            demand(n >= 0, Malformed, "a number is negative")
            visits.append(Fraction(n, d))
            if is_open:
                opened.append(q)
                continue
            if kind is None:
                decided_rule(budget, rays[q])
                ends.append(q)
                continue
            entries = read_entries(fields[kind], len(nodes))
            following = next_rays(chain, rays[q])
            same = [label for label, _, _ in entries] == sorted(following)
            demand(same, BadEvidence, "the labels are not exactly the possible ones")
            if kind == "balanced":
                even[q] = [p for _, p, _ in entries]
            for label, p, c in entries:
                if kind == "next":
                    links[q].append((p, Fraction(*(c or ONE))))
                if c is None:
                    demand(p not in rays, BadEvidence, f"node {p} is defined already")
                    rays[p] = following[label]
                elif p in rays:
                    multiple_rule(budget, following[label], c, rays[p], p)
                else:
                    forward.append((q, p, c, following[label]))
    for q, p, c, ray in forward:
        with at("node", q):
            multiple_rule(budget, ray, c, rays[p], p)
    balance_rule(even, rays)
    leaves_rule(links)
    visits_rule(budget, visits, links)
    atoms: list[Atom] = []
    for q in (*ends, *even):
        x, y = sum(rays[q].x.values()), sum(rays[q].y.values())
        if visits[q] and y:
            size = max(rays[q].bits, bits_of(visits[q].as_integer_ratio()))
            budget.spend(8, size, size)
            atoms.append((Fraction(x, y), visits[q] * rays[q].scale * x))
    if opened:
        return open_rule(budget, atoms, [(rays[q], visits[q]) for q in opened])
    return exactly(law_of(budget, atoms))


def law_of(budget: Budget, atoms: Sequence[Atom]) -> Law:
    """The masses at equal ratios added. Every sum of masses is over a divisor of their common denominator."""
    budget.denominator([mass.denominator for _, mass in atoms])
    return added(atoms)


def added(atoms: Iterable[Atom]) -> Law:
    law: dict[str, Atom] = {}
    for ratio, mass in atoms:
        key = written(*ratio.as_integer_ratio())
        law[key] = ratio, law[key][1] + mass if key in law else mass
    return list(law.values())


def open_rule(budget: Budget, atoms: Sequence[Atom], opened: Sequence[tuple[Ray, Fraction]]) -> Laws:
    lower, upper = [*atoms], [*atoms]
    for ray, visits in opened:
        size = max(ray.bits, bits_of(visits.as_integer_ratio()))
        budget.spend(8 * (len(ray.x) + 1), size, size)
        weight, (x, y) = visits * ray.scale, (sum(z.values()) for z in (ray.x, ray.y))
        if weight and y:
            lower.append((Fraction(x, y), weight * x))
            upper += [(Fraction(n, ray.y[k]), weight * n) for k, n in ray.x.items() if k in ray.y]
    return law_of(budget, lower), law_of(budget, upper)


def decided_rule(budget: Budget, ray: Ray) -> None:
    """y is a multiple of x, so later labels reveal nothing. Both are over the same states, or y is 0."""
    budget.spend(2 * len(ray.x) + 2, ray.bits, ray.bits)
    if not ray.y:
        return
    demand(ray.x.keys() == ray.y.keys(), RuleBroken, "x and y of an end are not multiples")
    (x, y), *others = ((ray.x[k], ray.y[k]) for k in ray.x)
    demand(all(n * y == m * x for n, m in others), RuleBroken, "x and y of an end are not multiples")


def visits_rule(
    budget: Budget, visits: Sequence[Fraction], links: Sequence[Sequence[tuple[int, Fraction]]]
) -> None:
    """w_q = [q is the root] + Σ c w_p over the entries of inner nodes p that lead to q."""
    arriving: list[list[Fraction]] = [[Fraction(1)], *([] for _ in links[1:])]
    for q, entries in enumerate(links):
        for p, c in entries:
            budget.spend(4, bits_of(c.as_integer_ratio()), bits_of(visits[q].as_integer_ratio()))
            arriving[p].append(c * visits[q])
    for q, terms in enumerate(arriving):
        own, *others = budget.common([term.as_integer_ratio() for term in (visits[q], *terms)])[0]
        demand(own == sum(others), RuleBroken, f"node {q}: the rule of visits does not hold")


def read_laws(value: Json, budget: Budget) -> Law:
    """[[p, q], …]: the probabilities of outcomes under either secret."""
    rows = [[rational(x) for x in items(row, 2)] for row in typed(value, list)]
    atoms: list[Atom] = []
    for side in (0, 1):
        numerators, whole = budget.common([row[side] for row in rows])
        demand(all(n >= 0 for n in numerators), Malformed, "a probability is negative")
        demand(sum(numerators) == whole, Malformed, "the probabilities do not sum to 1")
    for p, q in rows:
        if p[0] and q[0]:
            size = bits_of((*p, *q))
            budget.spend(8, size, size)
            atoms.append((Fraction(*p) / Fraction(*q), Fraction(*p)))
    return added(atoms)


Corner = tuple[Fraction, Fraction]


def corners_below(points: Iterable[Corner]) -> list[Corner]:
    """Of the largest convex function on [0, ∞) that is at most 1, and not above any of these points."""
    corners = [(Fraction(0), Fraction(1))]
    for knot, value in points:
        new = knot, min(value, Fraction(1))
        while len(corners) > 1 and falls(corners[-1], new) >= falls(corners[-2], corners[-1]):
            corners.pop()
        corners.append(new)
    return corners


def falls(one: Corner, two: Corner) -> Fraction:
    return (one[1] - two[1]) / (two[0] - one[0])


def law_of_corners(corners: Sequence[Corner]) -> Law:
    """The law of a pair whose δ is linear between these corners."""
    slopes = [falls(one, two) for one, two in pairwise(corners)] + [Fraction(0)]
    turns = zip(corners[1:], pairwise(slopes), strict=True)
    return [(knot, knot * (before - after)) for (knot, _), (before, after) in turns if before != after]
