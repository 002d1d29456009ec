"""Rényi divergences: moments of the likelihood ratio, by unrollings in which both vectors have a factor of
their own (*renyi*)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from .budget import Budget, bits_of
from .chains import Chain, Pair, claimed_pairs, orders
from .processes.model import ONLY, Moves, Process, quotient_of
from .processes.unrolling import read_links
from .reading import (
    BadClaim,
    BadEvidence,
    ClaimOpen,
    Json,
    RuleBroken,
    ascending,
    at,
    demand,
    items,
    rational,
    record,
    typed,
)
from .relations import read_blocks
from .unrollings import ONE, Links, Ray, leaves_rule, next_rays, read_value

MOST_ORDER, MOST_PARTS = 1_000, 20  # the largest finite order, and the largest denominator of one
ROOT_BITS = 128

Bound = Fraction | None  # None is ∞
Entry = tuple[int, Fraction, Fraction]  # a node, and its factor rounded down and up


@dataclass(frozen=True, slots=True)
class Order:
    """m/n in lowest terms; n = 0 is ∞."""

    m: int
    n: int

    def power(self, budget: Budget, c: Fraction, d: Fraction) -> tuple[Fraction, Fraction]:
        """c^a d^(1 − a), rounded down and up; c/d for ∞."""
        bits = bits_of((*c.as_integer_ratio(), *d.as_integer_ratio()))
        if self.n == 0:
            budget.spend(4, bits, bits)
            return c / d, c / d
        longest = 2 * self.m * bits + 200 * self.n
        budget.spend(40, longest, longest)
        base = c**self.m / d ** (self.m - self.n)
        return (base, base) if self.n == 1 else roots(base, self.n)

    def added(self, budget: Budget, terms: Sequence[Fraction]) -> Fraction:
        """The sum; for ∞ the largest."""
        budget.denominator([term.denominator for term in terms])
        return sum(terms, Fraction(0)) if self.n else max(terms, default=Fraction(0))


@dataclass(frozen=True, slots=True)
class Node:
    """A node: what follows its actions (none for a leaf), v and u, the action taken, and S rounded down and
    up, ∞ if y is 0."""

    entries: Mapping[str, Sequence[Entry]]
    lower: Bound
    upper: Bound
    taken: str | None
    stop: tuple[Bound, Bound]

    @property
    def grows(self) -> bool:
        """Whether v is above 0, which leaves have only if the nodes are not to prove ∞."""
        return len(self.entries) > 0 and self.lower != 0


def of_chain(chain: Chain) -> Process:
    """A chain as a process with one action."""
    wholes, rows = dict(enumerate(chain.wholes)), dict(enumerate(chain.rows))
    moves = {ONLY: Moves(chain.labels, rows, wholes, chain.budget)}
    menus = {label: [ONLY] for label in chain.labels}
    return Process(chain.index, chain.labels, menus, moves, chain.relation, chain.budget)


def renyi(process: Process, fields: Mapping[str, Json], evidence: Json) -> None:
    """lower ≤ the largest moment ≤ upper, at every order that is claimed."""
    with at("claim"):
        moments = read_moments(fields["moments"])
        symmetric, pairs = claimed_pairs(fields, process.index, process.relation)
    with at("evidence"):
        sides = record(evidence, "orders", "classes")
        place: Sequence[int] = range(len(process.labels))
        if "classes" in sides:
            with at("classes"):
                process, place = quotient_of(process, read_blocks(process, sides["classes"]))
        images = sorted({(place[s], place[t]) for pair in pairs for s, t in orders(pair, symmetric)})
        for number, graph in enumerate(items(sides["orders"], len(moments))):
            with at("order", number):
                moment_rule(process, *moments[number], images, graph)


def read_moments(value: Json) -> list[tuple[Order, tuple[Bound, Bound]]]:
    """Orders, which increase, each with the bounds of its moment."""
    rows = [items(row, 3) for row in typed(value, list)]
    powers = [read_order(order) for order, _, _ in rows]
    demand(len(powers) > 0, BadClaim, "there is no order")
    places = [(power.n == 0, Fraction(power.m, power.n or 1)) for power in powers]
    ascending(places, BadClaim, "orders")
    bounds = [(read_bound(low), read_bound(high)) for _, low, high in rows]
    for low, high in bounds:
        right = (low is None or low >= 1) and at_least(high, low)
        demand(right, BadClaim, "the bounds do not satisfy 1 <= lower <= upper")
    return list(zip(powers, bounds, strict=True))


def read_order(value: Json) -> Order:
    if value == "inf":
        return Order(1, 0)
    m, n = rational(value)
    right = n <= MOST_PARTS and n < m <= MOST_ORDER * n
    demand(right, BadClaim, "an order is not above 1, above 1,000, or has a denominator above 20")
    return Order(m, n)


def read_bound(value: Json) -> Bound:
    return None if value == "inf" else Fraction(*rational(value))


def at_least(high: Bound, low: Bound) -> bool:
    return high is None or (low is not None and low <= high)


def moment_rule(
    process: Process, order: Order, bounds: tuple[Bound, Bound], pairs: Sequence[Pair], graph: Json
) -> None:
    """lower ≤ the largest moment of the pairs ≤ upper, at one order."""
    lower, upper = bounds
    fields = record(graph, "nodes roots")
    with at("roots"):
        roots = {process.alike_pair(root): q for q, root in enumerate(typed(fields["roots"], list))}
        demand(len(roots) == len(fields["roots"]), BadEvidence, "a root is repeated")
    nodes = read_nodes(process, order, list(roots), typed(fields["nodes"], list))
    links = list[Links]()
    for q, node in enumerate(nodes):
        with at("node", q):
            inner = len(node.entries) > 0
            if inner:
                upper_rule(process.budget, order, nodes, node)
            links.append(lower_rule(process.budget, order, nodes, node, grows=lower is None) if inner else [])
    leaves_rule(links)
    apart = any(process.labels[s] != process.labels[t] for s, t in pairs)
    asked = [roots[pair] for pair in pairs if pair in roots]
    if lower is None:
        reached = reachable(nodes, asked)
        many = any(nodes[q].stop[0] is None or nodes[q].grows for q in reached)
        demand(apart or many, ClaimOpen, "the nodes do not prove that it is infinite")
    elif lower > 1:
        known = any(at_least(nodes[q].lower, lower) for q in asked)
        demand(apart or known, ClaimOpen, "the nodes do not prove lower")
    if upper is not None:

        def is_above(pair: Pair) -> bool:
            return pair in roots and at_least(upper, nodes[roots[pair]].upper)

        above = all(s == t or is_above((s, t)) for s, t in pairs)
        demand(not apart and above, ClaimOpen, "the nodes do not prove upper")


def read_nodes(process: Process, order: Order, roots: Sequence[Pair], listed: Sequence[Json]) -> list[Node]:
    """All nodes. A node is defined by the first entry that leads to it, of a node before it."""
    rays = {q: Ray({s: 1}, {t: 1}) for q, (s, t) in enumerate(roots)}
    demand(len(roots) <= len(listed), BadEvidence, "there are more roots than nodes")
    nodes = list[Node]()
    for q, value in enumerate(listed):
        with at("node", q):
            demand(q in rays, BadEvidence, "no entry of an earlier node defines it")
            nodes.append(read_node(process, order, rays, rays[q], value, len(listed)))
    return nodes


def read_node(
    process: Process, order: Order, rays: dict[int, Ray], ray: Ray, value: Json, count: int
) -> Node:
    budget, stop = process.budget, stops(process.budget, order, ray)
    if not typed(value, dict):
        return Node({}, stop[0], told(budget, order, ray), None, stop)
    fields = record(value, "actions lower upper", "taken")
    menu = process.menus[process.labels[min(ray.x)]]
    actions = typed(fields["actions"], dict)
    demand(sorted(actions) == list(menu), BadEvidence, "the actions are not exactly those of the menu")
    entries = dict[str, Sequence[Entry]]()
    for number, action in enumerate(menu):
        with at("action", number):
            following = next_rays(process.moves[action], ray)
            links = read_links(actions[action], count)
            labels = [label for label, _ in links]
            demand(labels == sorted(following), BadEvidence, "the labels are not exactly the possible ones")
            entries[action] = [entry(budget, order, rays, following[label], p) for label, p in links]
    taken = typed(fields["taken"], str) if "taken" in fields else None
    demand(taken is None or taken in entries, BadEvidence, "the taken action is not in the menu")
    upper = None if fields["upper"] == "inf" else read_value(fields["upper"])
    return Node(entries, read_value(fields["lower"]), upper, taken, stop)


def entry(budget: Budget, order: Order, rays: dict[int, Ray], after: Ray, p: int) -> Entry:
    """The next vectors are c x and d y of node p, which this defines if nothing did."""
    c, d = gcd(*after.x.values()), gcd(*after.y.values()) or 1
    budget.spend(2 * (len(after.x) + len(after.y)), after.bits, after.bits)
    x, y = ({k: n // g for k, n in z.items()} for z, g in ((after.x, c), (after.y, d)))
    ray = rays.setdefault(p, Ray(x, y, bits=after.bits))
    demand(ray.x == x and ray.y == y, RuleBroken, f"the next vectors are not multiples of node {p}")
    if not y:
        return p, Fraction(1), Fraction(1)
    return p, *order.power(budget, c * after.scale, d * after.scale)


def stops(budget: Budget, order: Order, ray: Ray) -> tuple[Bound, Bound]:
    """S: what an observer learns who stops."""
    budget.spend(len(ray.x) + len(ray.y), ray.bits, ray.bits)
    if not ray.y:
        return None, None
    return order.power(budget, *(Fraction(sum(z.values())) for z in (ray.x, ray.y)))


def told(budget: Budget, order: Order, ray: Ray) -> Bound:
    """T: what an observer learns who is told the state."""
    if not ray.x.keys() <= ray.y.keys():
        return None
    powers = [order.power(budget, Fraction(n), Fraction(ray.y[k]))[1] for k, n in ray.x.items()]
    return order.added(budget, powers)


def upper_rule(budget: Budget, order: Order, nodes: Sequence[Node], node: Node) -> None:
    """u ≥ S, and u ≥ Σ w u_p for every action."""
    if node.upper is None:
        return
    demand(at_least(node.upper, node.stop[1]), RuleBroken, "upper is below what stopping shows")
    for entries in node.entries.values():
        terms = list[Fraction]()
        for p, _, w in entries:
            u = nodes[p].upper
            if u is None:
                raise RuleBroken("upper is finite before a node whose upper is not")
            terms.append(times(budget, w, u))
        demand(order.added(budget, terms) <= node.upper, RuleBroken, "upper is below an action's moment")


def lower_rule(budget: Budget, order: Order, nodes: Sequence[Node], node: Node, *, grows: bool) -> Links:
    """v ≤ Σ w v_p over the entries of the action taken; without one v ≤ S, or v = 0 if the nodes are to prove
    ∞. The entries that a path may follow; none where it has arrived."""
    v = node.lower or Fraction(0)
    if node.taken is None:
        kept = v == 0 if grows else at_least(node.stop[0], v)
        demand(kept, RuleBroken, "lower is above what stopping shows")
        return []
    terms = list[tuple[int, Bound]]()
    for p, w, _ in node.entries[node.taken]:
        value = nodes[p].lower if nodes[p].entries or not grows else Fraction(0)
        terms.append((p, None if value is None else times(budget, w, value)))
    finite = [term for _, term in terms if term is not None]
    total = order.added(budget, finite) if len(finite) == len(terms) else None
    demand(at_least(total, v), RuleBroken, "lower is above what the taken action shows")
    if grows and (v == 0 or total != v):
        return []
    return [(p, ONE) for p, term in terms if order.n or term == total]


def times(budget: Budget, w: Fraction, value: Fraction) -> Fraction:
    budget.spend(4, bits_of(w.as_integer_ratio()), bits_of(value.as_integer_ratio()))
    return w * value


def reachable(nodes: Sequence[Node], starts: Sequence[int]) -> set[int]:
    """The nodes that entries lead to, of any action."""
    found, waiting = set(starts), [*starts]
    for q in waiting:  # which grows
        new = {p for entries in nodes[q].entries.values() for p, _, _ in entries} - found
        found |= new
        waiting += new
    return found


def roots(base: Fraction, degree: int) -> tuple[Fraction, Fraction]:
    """The root of this degree, rounded down and up to multiples of a power of 2."""
    top, bottom = base.as_integer_ratio()
    shift = ROOT_BITS + max(0, -((top.bit_length() - 1 - bottom.bit_length()) // degree))
    scaled, rest = divmod(top << degree * shift, bottom)
    root = floor_root(scaled, degree)
    exact = rest == 0 and root**degree == scaled
    return Fraction(root, 1 << shift), Fraction(root + (not exact), 1 << shift)


def floor_root(number: int, degree: int) -> int:
    """By Newton's method, from above."""
    root = 1 << -(-number.bit_length() // degree)
    while True:
        lower = ((degree - 1) * root + number // root ** (degree - 1)) // degree
        if lower >= root:
            return root
        root = lower
