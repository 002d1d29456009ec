"""lv and tv: unrollings, the vectors of their nodes, and the values of nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import gcd
from typing import NamedTuple, Protocol

from .budget import STEP, Budget, bits_of, words
from .chains import Chain, Claim, Pair, Skew, blended, excess, orders, read_coupling
from .distances import distance, upper_rules
from .reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    ascending,
    at,
    at_most,
    demand,
    items,
    nonnegative,
    positive,
    record,
    typed,
)
from .relations import Rows, quotient, read_blocks
from .symmetry.orbits import Orbits
from .tables import NO_ROWS, Table, read_table

ONE: Ratio = (1, 1)


class Ray(NamedTuple):
    """Two vectors over the states, factor · x and factor · y, without their zeros. The integers of x and y
    have no common divisor, so that multiples of one another differ in nothing but the factor, which is in
    lowest terms. None of them has more than so many bits."""

    x: Mapping[int, int]
    y: Mapping[int, int]
    factor: Ratio = ONE
    bits: int = 1

    @property
    def scale(self) -> Fraction:
        return Fraction(*self.factor)


Bounds = tuple[Ratio, Ratio]  # v_q and u_q of a node

Vectors = tuple[dict[int, int], dict[int, int]]  # x and y

Links = Sequence[tuple[int, Ratio]]  # p and c of a node's entries


def unrolling(chain: Chain, claim: Claim, evidence: Json, symmetric: bool = False) -> None:
    """lv, or tv, the larger of its two directions. A node stands for the possible states after some labels,
    and its values bound the gain of events about the labels from then on (*Unrollings*)."""
    sides = record(evidence, "unrolling", "classes distance")
    place: Sequence[int] = range(len(chain.rows))
    if "classes" in sides:
        with at("classes"):
            chain, place = quotient(chain, read_blocks(chain, sides["classes"]))
    with at("distance"):
        table = sides.get("distance", NO_ROWS)
        u = read_table(chain, table, Orbits(chain), "coupling pair value", clusters="clusters")
        u = replace(u, default=u.denominator)
        upper_rules(claim.alpha, u, ("coupling",))
    fields = record(sides["unrolling"], "nodes roots")
    with at("roots"):
        roots = {chain.alike_pair(root): q for q, root in enumerate(typed(fields["roots"], list))}
        demand(len(roots) == len(fields["roots"]), BadEvidence, "a root is repeated")
    bounds = nodes_rule(claim.alpha, u, list(roots), typed(fields["nodes"], list))
    lower, upper = claim.numbers["lower"], claim.numbers["upper"]

    def images(pairs: Sequence[Pair]) -> set[Pair]:
        return {(place[s], place[t]) for pair in pairs for s, t in orders(pair, symmetric)}

    def is_below(pair: Pair) -> bool:
        least = bounds[roots[pair]][0] if pair in roots else (0, 1)
        return at_most(lower, least) or chain.labels[pair[0]] != chain.labels[pair[1]]

    def is_above(pair: Pair) -> bool:
        near = pair in roots and at_most(bounds[roots[pair]][1], upper)
        return near or at_most(u.ratio(pair), upper)

    demand(any(map(is_below, images(claim.below))), ClaimOpen, "the nodes do not prove lower")
    demand(all(map(is_above, images(claim.above))), ClaimOpen, "the nodes and distances do not prove upper")


def bounded(chain: Chain, claim: Claim, evidence: Json, symmetric: bool = False) -> Json:
    """ld, lgd or bd, whose lower evidence may be an unrolling, as lv ≤ ld and tv ≤ bd (*Events below
    distances*): that of a claim with the same lower bound, while the table proves the upper bound."""
    sides = typed(evidence, dict)
    if not claim.below or "unrolling" not in typed(sides.get("lower", {}), dict):
        return distance(chain, claim, evidence, symmetric)
    above = record(sides, "lower", "symmetries upper")
    with at("lower"):
        below = record(above["lower"], "unrolling", "classes")
        unrolling(chain, replace(claim, numbers={**claim.numbers, "upper": (1, 1)}), below, symmetric)
    numbers = {**claim.numbers, "lower": (0, 1)}
    table = {"upper": NO_ROWS, **{key: above[key] for key in above if key != "lower"}}
    return distance(chain, replace(claim, numbers=numbers), table, symmetric)


def uncut(chain: Chain, claim: Claim, fields: Mapping[str, Json], evidence: Json) -> tuple[Claim, Json]:
    """What a claim about all systems that the chain is cut from says about the chain itself, if runs from the
    states of its pairs are lost with at most the probability L (*Lost runs*): lower + (1 + α) L and
    upper − L, other than at 0 and 1."""
    loss, sides = most_lost(chain, fields, evidence, (*claim.above, *claim.below))
    lower, upper = less_lost(claim.alpha, claim.numbers["lower"], claim.numbers["upper"], loss, chain.budget)
    return replace(claim, numbers={**claim.numbers, "lower": lower, "upper": upper}), sides


def most_lost(
    chain: Chain, fields: Mapping[str, Json], evidence: Json, pairs: Iterable[Pair]
) -> tuple[Ratio, Json]:
    """L, for the states of these pairs, not in lowest terms, and the rest of the evidence."""
    sides = dict(typed(evidence, dict))
    demand("lost" in sides, Malformed, "the evidence has no probabilities of lost runs")
    with at("evidence"), at("lost"):
        f, unit = losing(chain, typed(fields["lost"], str), sides.pop("lost"))
    return (max(f.get(s, 0) for pair in pairs for s in pair), unit), sides


def less_lost(alpha: Ratio, lower: Ratio, upper: Ratio, loss: Ratio, budget: Budget) -> tuple[Ratio, Ratio]:
    """The bounds that must hold where lost runs are as the chain has them, so that these hold."""
    bits = loss[1].bit_length() + sum(map(bits_of, (alpha, lower, upper)))
    budget.spend(16, bits, bits)
    most, low, high = (Fraction(*number) for number in (loss, lower, upper))
    low += (1 + Fraction(*alpha)) * most if low > 0 else 0
    high -= most if high < 1 else 0
    demand(low <= 1 and high >= 0, ClaimOpen, "too many runs are lost")
    return low.as_integer_ratio(), high.as_integer_ratio()


def losing(chain: Chain, label: str, value: Json) -> tuple[Mapping[int, int], int]:
    """Numbers f, of states left out 0, as integers over a denominator: at least 1 where runs are lost, at
    least Σ_t μ_s(t) f_t at others. So a run from s comes to the label with at most the probability f_s."""
    entries = [items(entry, 2) for entry in typed(value, list)]
    states = [chain.state(k) for k, _ in entries]
    ascending(states, BadEvidence, "states")
    numerators, unit = chain.budget.common([positive(x) for _, x in entries])
    f, bits = dict(zip(states, numerators, strict=True)), bits_of([*numerators, unit])
    chain.budget.keep(len(f), bits)
    for s, row in enumerate(chain.rows):
        whole = chain.wholes[s]
        chain.budget.spend(len(row) + 2, bits, whole.bit_length())
        least = unit * whole if chain.labels[s] == label else sum(w * f.get(t, 0) for t, w in row.items())
        demand(f.get(s, 0) * whole >= least, RuleBroken, f"state {s} is lost more often")
    return f, unit


def nodes_rule(alpha: Ratio, u: Table, roots: Sequence[Pair], nodes: Sequence[Json]) -> Sequence[Bounds]:
    """The values of all nodes. A node is defined by one before it: at its turn its ray is known, or never."""
    rays = {q: Ray({s: 1}, {t: 1}) for q, (s, t) in enumerate(roots)}
    demand(len(roots) <= len(nodes), BadEvidence, "there are more roots than nodes")
    bounds, links = list[Bounds](), list[list[tuple[int, Ratio]]]()
    even = dict[int, list[int]]()  # where the entries of balanced nodes lead
    forward = list[tuple[int, int, Ratio, Ray]]()  # q, p, c, and what node p multiplied by c must be
    here = at()
    with here:
        for q, node in enumerate(nodes):
            here.place = "node", q
            if q not in rays:
                raise BadEvidence("no entry of an earlier node defines it")
            if "coupling" in typed(node, dict):
                coupling = record(node, "coupling")["coupling"]
                bounds.append(leaf_bounds(alpha, u, rays[q], coupling))
                links.append([])
                continue
            balanced = "balanced" in node
            fields = record(node, "balanced" if balanced else "lower next upper")
            entries = read_entries(fields["balanced" if balanced else "next"], len(nodes))
            if balanced:
                bounds.append(balanced_bounds(alpha, rays[q], u.chain.budget))
                even[q] = [p for _, p, _ in entries]
            else:
                bounds.append((nonnegative(fields["lower"]), nonnegative(fields["upper"])))
            links.append([] if balanced else [(p, c or ONE) for _, p, c in entries])
            following = next_rays(u.chain, rays[q])
            if [label for label, _, _ in entries] != sorted(following):
                raise BadEvidence("the labels are not exactly the possible ones")
            for label, p, c in entries:
                if c is None:
                    if p in rays:  # as all up to q are
                        raise BadEvidence(f"node {p} is defined already")
                    rays[p] = following[label]
                elif p in rays:
                    multiple_rule(u.chain.budget, following[label], c, rays[p], p)
                else:
                    forward.append((q, p, c, following[label]))
        for q, p, c, ray in forward:
            here.place = "node", q
            multiple_rule(u.chain.budget, ray, c, rays[p], p)
    balance_rule(even, rays)
    leaves_rule(links)
    wide = [words(max(v).bit_length()) + words(max(u).bit_length()) for v, u in bounds]
    with here:
        for q, link in enumerate(links):
            if link:
                here.place = "node", q
                sums_rule(u.chain.budget, bounds, wide, q, link)
    return bounds


def read_value(value: Json) -> Fraction:
    return Fraction(*nonnegative(value))


def read_entries(value: Json, nodes: int) -> list[tuple[str, int, Ratio | None]]:
    """`next`: sorted by label, no label twice."""
    entries: list[tuple[str, int, Ratio | None]] = []
    for entry in typed(value, list):
        size = len(typed(entry, list))
        label, p = (entry[0], entry[1]) if size in (2, 3) else items(entry, 2)
        if not 0 <= typed(p, int) < nodes:
            raise Malformed("unknown node")
        entries.append((typed(label, str), p, positive(entry[2]) if size == 3 else None))
    ascending([label for label, _, _ in entries], BadEvidence, "labels")
    return entries


class Wholes(Protocol):
    """The denominators of rows."""

    def __getitem__(self, s: int, /) -> int: ...


class Steps(Protocol):
    """The steps of runs."""

    @property
    def labels(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Rows: ...
    @property
    def wholes(self) -> Wholes: ...
    @property
    def budget(self) -> Budget: ...


def next_rays(chain: Steps, ray: Ray) -> dict[str, Ray]:
    """x' and y' on the states of each label a with x'_a ≠ 0."""
    rows, wholes, labels, before = chain.rows, chain.wholes, chain.labels, [*ray.x, *ray.y]
    parts: dict[str, Vectors] = {}
    below = chain.budget.denominator([wholes[i] for i in before])
    bits = ray.bits + below.bit_length()
    chain.budget.spend(2 * sum([len(rows[i]) for i in before]), bits, bits)
    for side, z in enumerate((ray.x, ray.y)):
        together: dict[int, int] = {}
        for i, n in z.items():
            n *= below // wholes[i]
            for k, w in rows[i].items():
                together[k] = together[k] + n * w if k in together else n * w
        for k, n in together.items():
            label = labels[k]
            if label not in parts:
                parts[label] = {}, {}
            parts[label][side][k] = n
    chain.budget.keep(sum([len(x) + len(y) for x, y in parts.values()]), bits)
    rays, (above, under) = {}, ray.factor
    for label, (x, y) in parts.items():
        if x:
            g = gcd(*x.values(), *y.values())
            if g > 1:
                x, y = {k: n // g for k, n in x.items()}, {k: n // g for k, n in y.items()}
            rays[label] = Ray(x, y, ray.factor if g == below else lowest(above * g, under * below), bits)
    return rays


def multiple_rule(budget: Budget, ray: Ray, c: Ratio, other: Ray, p: int) -> None:
    budget.spend(4, max(c).bit_length(), other.bits)
    (n, d), (m, e) = ray.factor, other.factor
    if n * e * c[1] != m * d * c[0] or ray.x != other.x or ray.y != other.y:
        raise RuleBroken(f"the next vectors are not c times node {p}")


def leaf_bounds(alpha: Ratio, u: Table, ray: Ray, coupling: Json) -> Bounds:
    """max(0, Σ_k b_k) and Σ w(i,j) u(i,j) + Σ_k max(0, b_k − …) for b = x − α y."""
    w, budget = read_coupling(coupling, u.chain), u.chain.budget
    (p, q), (n, m) = alpha, ray.factor
    bits = ray.bits + p.bit_length()
    budget.spend(len(ray.x) + len(ray.y) + 4, bits, ray.bits)
    gain = n * (q * sum(ray.x.values()) - p * sum(ray.y.values()))
    b = Skew(blended(ray.x, n * q * w.whole, ray.y, n * p * w.whole), q * m, bits)
    lost = excess(budget, alpha, b, len(ray.x), w)
    unit, bits = b.unit * w.whole * u.denominator, bits + w.bits
    budget.spend(len(w.weights) + 2, u.denominator.bit_length(), bits)
    cost = sum([x * u[ij] for ij, x in w.weights.items()])
    budget.spend(4, bits + u.denominator.bit_length(), bits + u.denominator.bit_length())
    return lowest(max(0, gain), b.unit), lowest(cost * b.unit + lost * u.denominator, unit)


def balanced_bounds(alpha: Ratio, ray: Ray, budget: Budget) -> Bounds:
    """max(0, Σ_k b_k) for b = x − α y, twice."""
    p, q = alpha
    budget.spend(len(ray.x) + len(ray.y) + 4, ray.bits + p.bit_length(), ray.bits + p.bit_length())
    gain = max(0, q * sum(ray.x.values()) - p * sum(ray.y.values())) * ray.scale / q
    return (gain.as_integer_ratio(),) * 2


def balance_rule(even: Mapping[int, Sequence[int]], rays: Mapping[int, Ray]) -> None:
    """Balanced nodes lead to balanced nodes, whose x and y have masses in the same proportion."""
    ratios = {q: Fraction(sum(rays[q].y.values()), sum(rays[q].x.values())) for q in even}
    for q, targets in even.items():
        with at("node", q):
            for p in targets:
                demand(p in even, BadEvidence, f"node {p} is not balanced")
                demand(ratios[p] == ratios[q], RuleBroken, f"the proportion differs from that of node {p}")


def leaves_rule(links: Sequence[Sequence[tuple[int, object]]]) -> None:
    """From every node some path leads to a leaf or to a balanced node, which has no links either: else values
    in a circle would prove themselves."""
    before: list[list[int]] = [[] for _ in links]
    for q, entries in enumerate(links):
        for p, _ in entries:
            before[p].append(q)
    found = [q for q, entries in enumerate(links) if not entries]
    ends = set(found)
    for p in found:  # which grows
        new = [q for q in before[p] if q not in ends]
        ends.update(new)
        found += new
    demand(len(ends) == len(links), BadEvidence, "from some node no path leads to a leaf")


def sums_rule(budget: Budget, bounds: Sequence[Bounds], wide: Sequence[int], q: int, entries: Links) -> None:
    """v_q ≤ Σ c v_p and u_q ≥ Σ c u_p; the bounds of a node have so many words together."""
    budget.spend_units(sum([8 * STEP + 4 * words(max(c).bit_length()) * wide[p] for p, c in entries]))
    for side, name in enumerate(("lower", "upper")):
        of_next = [bounds[p][side] if c is ONE else times(bounds[p][side], c) for p, c in entries]
        (own, *others), _ = budget.common([bounds[q][side], *of_next])
        if own < sum(others) if side else own > sum(others):
            raise RuleBroken(f"{name} does not follow from the next nodes")


def times(x: Ratio, c: Ratio) -> Ratio:
    return lowest(x[0] * c[0], x[1] * c[1])


def lowest(n: int, d: int) -> Ratio:
    """In lowest terms."""
    g = gcd(n, d)
    return n // g, d // g
