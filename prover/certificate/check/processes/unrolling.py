"""lv and tv against every attacker: unrollings of processes, with a value for each node from either side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ..budget import bits_of
from ..chains import Claim, Pair, orders
from ..reading import (
    BadEvidence,
    ClaimOpen,
    Json,
    Malformed,
    Ratio,
    RuleBroken,
    at,
    demand,
    items,
    record,
    typed,
)
from ..relations import read_blocks
from ..unrollings import ONE, Ray, leaves_rule, next_rays, read_value
from .model import Process, quotient_of


@dataclass(frozen=True, slots=True)
class Node:
    """The evidence about a node: the nodes that follow every action, with their factors (none for a leaf);
    v and u; the action that is taken, None if the attacker stops, and of nature if it is ``by_nature``."""

    entries: dict[str, Sequence[tuple[int, Fraction]]]
    lower: Fraction
    upper: Fraction
    taken: str | None
    by_nature: bool = False


def interactive_unrolling(process: Process, claim: Claim, evidence: Json, symmetric: bool = False) -> None:
    """lv, or tv, the larger of its two directions, of the best attacker (*Unrollings* of processes)."""
    sides = record(evidence, "unrolling", "classes")
    class_of: Sequence[int] = range(len(process.labels))
    if "classes" in sides:
        with at("classes"):
            process, class_of = quotient_of(process, read_blocks(process, sides["classes"]))
    fields = record(sides["unrolling"], "nodes roots")
    with at("roots"):
        roots = {process.alike_pair(root): q for q, root in enumerate(typed(fields["roots"], list))}
        demand(len(roots) == len(fields["roots"]), BadEvidence, "a root is repeated")
    nodes = nodes_rule(process, claim.alpha, list(roots), typed(fields["nodes"], list))
    lower, upper = Fraction(*claim.numbers["lower"]), Fraction(*claim.numbers["upper"])

    def images(pairs: Sequence[Pair]) -> set[Pair]:
        return {(class_of[s], class_of[t]) for pair in pairs for s, t in orders(pair, symmetric)}

    def is_below(pair: Pair) -> bool:
        least = nodes[roots[pair]].lower if pair in roots else 0
        return lower <= least or process.labels[pair[0]] != process.labels[pair[1]]

    def is_above(pair: Pair) -> bool:
        near = pair in roots and nodes[roots[pair]].upper <= upper
        return near or pair[0] == pair[1] or upper == 1

    demand(any(map(is_below, images(claim.below))), ClaimOpen, "the nodes do not prove lower")
    demand(all(map(is_above, images(claim.above))), ClaimOpen, "the nodes do not prove upper")


def nodes_rule(
    process: Process, alpha: Ratio, roots: Sequence[Pair], listed: Sequence[Json]
) -> Sequence[Node]:
    """All nodes."""
    return unrolled(process, alpha, roots, listed)[0]


def unrolled(
    process: Process, alpha: Ratio, roots: Sequence[Pair], listed: Sequence[Json]
) -> tuple[Sequence[Node], Mapping[int, Ray]]:
    """All nodes and their vectors. A node is defined by the first entry that leads to it, of a node before
    it."""
    rays = {q: Ray({s: 1}, {t: 1}) for q, (s, t) in enumerate(roots)}
    demand(len(roots) <= len(listed), BadEvidence, "there are more roots than nodes")
    nodes = list[Node]()
    for q, value in enumerate(listed):
        with at("node", q):
            demand(q in rays, BadEvidence, "no entry of an earlier node defines it")  # of a node before it
            nodes.append(read_node(process, alpha, rays, q, value, len(listed)))
    ends_rule(alpha, rays, nodes)
    for q, node in enumerate(nodes):
        if node.entries:
            with at("node", q):
                values_rule(process, alpha, rays[q], nodes, node)
    return nodes, rays


def read_node(process: Process, alpha: Ratio, rays: dict[int, Ray], q: int, value: Json, count: int) -> Node:
    ray = rays[q]
    if not typed(value, dict):
        return Node({}, *leaf_bounds(process, alpha, ray), None)
    fields = record(value, "actions lower upper", "taken")
    menu = process.menus[process.labels[min(ray.x)]]
    actions = typed(fields["actions"], dict)
    demand(sorted(actions) == list(menu), BadEvidence, "the actions are not exactly those of the menu")
    entries = dict[str, Sequence[tuple[int, Fraction]]]()
    for number, action in enumerate(menu):
        with at("action", number):
            following = next_rays(process.moves[action], ray)
            links = read_links(actions[action], count)
            labels = [label for label, _ in links]
            demand(labels == sorted(following), BadEvidence, "the labels are not exactly the possible ones")
            entries[action] = [(p, following[label].scale) for label, p in links]
            for label, p in links:
                after = following[label]._replace(factor=ONE)
                if p not in rays:
                    rays[p] = after
                same = rays[p].x == after.x and rays[p].y == after.y
                demand(same, RuleBroken, f"the next vectors are not a multiple of node {p}")
    taken = typed(fields["taken"], str) if "taken" in fields else None
    demand(taken is None or taken in entries, BadEvidence, "the taken action is not in the menu")
    by_nature = not process.nature.isdisjoint(menu)
    demand(not by_nature or taken is not None, BadEvidence, "no action of nature is taken")
    return Node(entries, read_value(fields["lower"]), read_value(fields["upper"]), taken, by_nature)


def ends_rule(alpha: Ratio, rays: Mapping[int, Ray], nodes: Sequence[Node]) -> None:
    """Whatever nature does, from every node some path leads to where the attacker stops."""
    if not any(node.by_nature for node in nodes):
        leaves_rule([node.entries[node.taken] if node.taken is not None else () for node in nodes])
        return
    before: list[list[tuple[int, str]]] = [[] for _ in nodes]
    left, ends = list[set[str]](), list[int]()  # the actions that have not yet been found to lead to an end
    for q, node in enumerate(nodes):
        stops = node.taken is None or (node.by_nature and stops_at(alpha, rays[q], node))
        taken = node.entries if node.by_nature else [node.taken]
        left.append(set() if stops else {action for action in taken if action is not None})
        ends += [q] if stops else []
        for action in left[q]:
            for p, _ in node.entries[action]:
                before[p].append((q, action))
    for p in ends:  # which grows
        for q, action in before[p]:
            if action in left[q]:
                left[q].remove(action)
                ends += [] if left[q] else [q]
    demand(len(ends) == len(nodes), BadEvidence, "nature can keep the attacker from ever stopping")


def stops_at(alpha: Ratio, ray: Ray, node: Node) -> bool:
    return node.lower <= gain_of_stopping(alpha, ray)


def shown_rule(process: Process, ray: Ray) -> None:
    """The next label shows which action nature took, under both secrets."""
    owner = dict[str, str]()
    for action in process.menus[process.labels[min(ray.x)]]:
        for s in {**ray.x, **ray.y}:
            row = process.moves[action].rows[s]
            process.budget.spend(len(row), 1, 1)
            for t in row:
                same = owner.setdefault(process.labels[t], action) == action
                demand(same, RuleBroken, "lower uses a choice of nature that the next label need not show")


def read_links(value: Json, count: int) -> list[tuple[str, int]]:
    """The entries of an action; the caller compares their labels."""
    links = list[tuple[str, int]]()
    for entry in typed(value, list):
        label, p = items(entry, 2)
        demand(0 <= typed(p, int) < count, Malformed, "unknown node")
        links.append((typed(label, str), p))
    return links


def leaf_bounds(process: Process, alpha: Ratio, ray: Ray) -> tuple[Fraction, Fraction]:
    """max(0, Σ_k b_k) and Σ_k max(0, b_k) for b = x − α y."""
    p, q = alpha
    bits = ray.bits + p.bit_length()
    process.budget.spend(len(ray.x) + len(ray.y) + 4, bits, bits)
    most = sum(max(0, q * n - p * ray.y.get(k, 0)) for k, n in ray.x.items())
    return gain_of_stopping(alpha, ray), Fraction(most, q)


def gain_of_stopping(alpha: Ratio, ray: Ray) -> Fraction:
    """max(0, Σ_k b_k) for b = x − α y."""
    p, q = alpha
    return Fraction(max(0, q * sum(ray.x.values()) - p * sum(ray.y.values())), q)


def values_rule(process: Process, alpha: Ratio, ray: Ray, nodes: Sequence[Node], node: Node) -> None:
    """u ≥ Σ c u_p for every action, and u ≥ the gain of stopping; v ≤ Σ c v_p for the action that is taken,
    or v ≤ the gain of stopping. Where nature chooses, the actions change places (*Nature*)."""
    bits = ray.bits + alpha[0].bit_length()
    process.budget.spend(len(ray.x) + len(ray.y) + 4, bits, bits)
    stop = gain_of_stopping(alpha, ray)
    demand(stop <= node.upper, RuleBroken, "upper is below the gain of stopping")
    counted = [node.taken] if node.by_nature and node.taken is not None else list(node.entries)
    for entries in map(node.entries.__getitem__, counted):
        demand(is_enough(process, nodes, node.upper, entries), RuleBroken, "upper is below an action's gain")
    if node.by_nature:
        if node.lower > stop:
            shown_rule(process, ray)
            for entries in node.entries.values():
                reached = is_reached(process, nodes, node.lower, entries)
                demand(reached, RuleBroken, "lower is above the gain after an action of nature")
        return
    if node.taken is None:
        demand(node.lower <= stop, RuleBroken, "lower is above the gain of stopping")
        return
    reached = is_reached(process, nodes, node.lower, node.entries[node.taken])
    demand(reached, RuleBroken, "lower is above the taken action's gain")


def is_enough(
    process: Process, nodes: Sequence[Node], own: Fraction, entries: Sequence[tuple[int, Fraction]]
) -> bool:
    return over_one_denominator(process, own, [(c, nodes[p].upper) for p, c in entries]) >= 0


def is_reached(
    process: Process, nodes: Sequence[Node], own: Fraction, entries: Sequence[tuple[int, Fraction]]
) -> bool:
    return over_one_denominator(process, own, [(c, nodes[p].lower) for p, c in entries]) <= 0


def over_one_denominator(process: Process, own: Fraction, terms: Sequence[tuple[Fraction, Fraction]]) -> int:
    """own − Σ c v, times a positive number."""
    for c, v in terms:
        process.budget.spend(4, bits_of(c.as_integer_ratio()), bits_of(v.as_integer_ratio()))
    numbers = [own, *(c * v for c, v in terms)]
    first, *others = process.budget.common([number.as_integer_ratio() for number in numbers])[0]
    return first - sum(others)
