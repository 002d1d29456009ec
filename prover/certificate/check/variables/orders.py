"""Threshold programs of several variables: the known order of the stored values of a run.

A *node* is a state with an order: pairs (a, b) of variables such that the value in a is at most the one
in b. Every run goes from node to node along the transitions that the order does not block.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..programs import Program, Transition
from ..reading import BadEvidence, BadModel, Json, Malformed, RuleBroken, ascending, at, demand, items, typed

Order = frozenset[tuple[str, str]]

SAMPLE = None  # stands for the new sample among the names of variables

Known = frozenset[tuple[str | None, str | None]]


@dataclass(frozen=True, slots=True)
class Node:
    """A state, its order, and for each of its transitions the node after it (None where no run takes it)."""

    state: str
    order: Order
    targets: Sequence[int | None]


def known_after(order: Order, t: Transition) -> Known | None:
    """All pairs, those of the sample included, that hold just after the tests; None if they contradict it.

    Names stand for the values before the step. The order is transitive, so the closure has pairs through the
    sample in addition, and no others.
    """
    least = {name for relation, name in t.tests if relation == ">="}
    most = {name for relation, name in t.tests if relation == "<"}
    if least & most or any(a in most and b in least for a, b in order):
        return None
    return known_between(order, least, most)


def known_links(links: Order, t: Transition) -> Known:
    """All pairs whose shifts are known to be so ordered just after a transition, by tests and by gaps."""
    least = {name for relation, name in t.bounds if relation != "<"}
    most = {name for relation, name in t.bounds if relation != ">="}
    return known_between(links, least, most)


def known_between(order: Order, least: set[str], most: set[str]) -> Known:
    """The closure of an order with a sample above some variables and below others."""
    lower = least | {a for a, b in order if b in least}
    upper = most | {b for a, b in order if a in most}
    pairs: set[tuple[str | None, str | None]] = {(a, b) for a in lower for b in upper}
    return frozenset(pairs.union(order, ((a, SAMPLE) for a in lower), ((SAMPLE, b) for b in upper)))


def orders_cost(program: Program, order: Order) -> int:
    """The operations by which the order after a transition is found: pairs of variables, and of the order."""
    return 4 * len(program.variables) ** 2 + len(order)


def known_order(order: Order, t: Transition, live: Collection[str]) -> Order:
    """The order of live variables after a transition that a run may take."""
    known = known_after(order, t)
    if known is None:
        raise RuleBroken(f"transition {t.number} is blocked here")
    return among(known, t, live)


def among(known: Known, t: Transition, live: Collection[str]) -> Order:
    """All pairs of live variables that follow after a transition, in which the stored ones are the sample."""
    stored = set(t.stored).intersection(live)
    kept = set(live) - stored
    pairs = {(a, b) for a, b in known if a is not None and b is not None and a in kept and b in kept}
    pairs.update((a, s) for a, b in known if a is not None and a in kept and b is SAMPLE for s in stored)
    pairs.update((s, b) for a, b in known if b is not None and b in kept and a is SAMPLE for s in stored)
    pairs.update((s, other) for s in stored for other in stored)
    return frozenset((a, b) for a, b in pairs if a != b)


def follows(known: Known, t: Transition, pair: tuple[str, str]) -> bool:
    """Whether a pair of variables after the transition is known."""
    a, b = (SAMPLE if name in t.stored else name for name in pair)
    return a == b or (a, b) in known


def read_nodes(program: Program, entries: Sequence[Mapping[str, Json]]) -> list[Node]:
    """The nodes; the first one is the initial state, of which nothing is known."""
    nodes = []
    for entry in entries:
        state = typed(entry["state"], str)
        order = read_order(program, entry["order"])
        targets = typed(entry.get("targets", []), list)
        demand(all(k is None or type(k) is int for k in targets), Malformed, "a target is not a node number")
        nodes.append(Node(state, order, targets))
    demand(len(nodes) > 0, BadEvidence, "there are no nodes")
    demand(
        nodes[0].state == program.initial and not nodes[0].order,
        BadEvidence,
        "node 0 does not have the initial state and the empty order",
    )
    for number, node in enumerate(nodes):
        with at("node", number):
            leaving = program.leaving(node.state)
            demand(len(node.targets) == len(leaving), BadEvidence, "not one target for each transition")
            program.budget.spend(len(leaving) * orders_cost(program, node.order))
            for t, target in zip(leaving, node.targets, strict=True):
                followed(node, t, target, nodes)
    return nodes


def read_order(program: Program, value: Json) -> Order:
    """Pairs of different variables, transitive."""
    pairs = [items(pair, 2) for pair in typed(value, list)]
    ascending([tuple(typed(name, str) for name in pair) for pair in pairs], BadEvidence, "pairs of an order")
    order = frozenset((a, b) for a, b in pairs)
    demand(all(a != b for a, b in order), Malformed, "a pair has the same variable twice")
    named = {name for pair in order for name in pair}
    demand(named <= set(program.variables), BadEvidence, "an order names something that is not a variable")
    program.budget.spend(len(order) * len(program.variables))
    demand(transitive(order), RuleBroken, "an order is not transitive")
    return order


def transitive(order: Order) -> bool:
    larger: dict[str, list[str]] = {}
    for a, b in order:
        larger.setdefault(a, []).append(b)
    return all(a == c or (a, c) in order for a, b in order for c in larger.get(b, ()))


def followed(node: Node, t: Transition, target: int | None, nodes: Sequence[Node]) -> None:
    """A transition is contradicted by the order, or leads to a node of its target that claims no more."""
    known = known_after(node.order, t)
    if target is None:
        demand(known is None, RuleBroken, "a transition that is not blocked has no target")
        return
    demand(0 <= target < len(nodes) and nodes[target].state == t.to, BadEvidence, "a target of another state")
    # What contradicts itself implies all, so an order after a transition that no run takes may be any.
    demand(
        known is None or all(follows(known, t, pair) for pair in nodes[target].order),
        RuleBroken,
        "a pair of the target's order does not follow",
    )


def defined(program: Program) -> None:
    """Every test is of a variable that has been assigned on every way to it."""
    program.budget.spend(len(program.transitions) * (len(program.variables) + 1) ** 2)
    before: dict[str, frozenset[str]] = {program.initial: frozenset()}
    waiting = [program.initial]
    while waiting:
        state = waiting.pop()
        for t in program.leaving(state):
            after = before[state].union(t.stored)
            known = before.get(t.to)
            if known is None or not known <= after:
                before[t.to] = after if known is None else known & after
                waiting.append(t.to)
    for state, names in before.items():
        for t in program.leaving(state):
            demand(
                all(name in names for _, name in t.bounds),
                BadModel,
                "a test uses a variable that is not assigned on every path to it",
            )


def live_variables(program: Program) -> dict[str, set[str]]:
    """The variables that some way from a state that runs come to tests before it assigns them."""
    program.budget.spend(2 * len(program.transitions) * (len(program.variables) + 1))
    arriving: dict[str, list[Transition]] = {}
    live: dict[str, set[str]] = {}
    for t in program.transitions:
        if t.source not in program.reached:
            continue
        arriving.setdefault(t.to, []).append(t)
        live.setdefault(t.source, set()).update(name for _, name in t.bounds)
    waiting = [(state, name) for state, names in live.items() for name in names]
    while waiting:
        state, name = waiting.pop()
        for t in arriving.get(state, ()):
            if name not in t.stored and name not in live[t.source]:
                live[t.source].add(name)
                waiting.append((t.source, name))
    return live
