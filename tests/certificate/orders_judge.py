"""The rules about nodes of programs of several variables, word by word, from docs/certificates.md, 4.4."""

from __future__ import annotations

from collections.abc import Collection
from itertools import product
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.program_judge import ProgramJudge, bounds, lower, upper

Json = Any
Order = frozenset[tuple[str, str]]
STAR = None
"""The new sample; no variable has this name."""


class OrdersJudge(ProgramJudge):
    """The program and the claim, spelt out, where two or more variables are named."""

    fewest = 2

    def one_variable(self) -> None:
        self.variables = {v for _, t in self.transitions for v in [*bounds(t), *t["assign"]]}
        rule(len(self.variables) >= self.fewest)
        for _, t in self.transitions:
            tested = [name for _, name in t["guard"]]
            rule(len(set(tested)) == len(tested) and len(set(t["assign"])) == len(t["assign"]))
        self.live: dict[str, set[str]] = {name: set() for name in self.states}
        assigned = {name: set(self.variables) for name in self.states}
        assigned[self.initial] = set()
        reached = {self.initial}
        for _ in range(len(self.states) * (len(self.variables) + 1)):
            for q, t in self.transitions:
                needed = set(bounds(t))
                self.live[q] |= needed | (self.live.get(t["to"], set()) - set(t["assign"]))
                if q in reached and t["to"] in self.states:
                    reached.add(t["to"])
                    assigned[t["to"]] &= assigned[q] | set(t["assign"])
        for q, t in self.transitions:
            rule(q not in reached or set(bounds(t)) <= assigned[q])

    # Nodes and orders

    def nodes(self, nodes: Json, keys: set[str]) -> list[Order]:
        orders = []
        for node in nodes:
            rule(isinstance(node, dict) and set(node) == {"state", "order", "targets", *keys})
            rule(node["state"] in self.states or any(t["to"] == node["state"] for _, t in self.transitions))
            orders.append(self.order(node["order"]))
            rule(len(node["targets"]) == len(self.cases(node)))
        rule(len(nodes) > 0 and nodes[0]["state"] == self.initial and not orders[0])
        for node, order in zip(nodes, orders, strict=True):
            for t, target in zip(self.cases(node), node["targets"], strict=True):
                blocked = self.blocked(t, order)
                if target is None:
                    rule(blocked)
                    continue
                rule(0 <= target < len(nodes) and nodes[target]["state"] == t["to"])
                rule(blocked or orders[target] <= self.follows(t, order, self.variables))
        return orders

    def order(self, listed: Json) -> Order:
        rule(listed == sorted(listed))
        pairs = [tuple(pair) for pair in listed]
        rule(all(len(pair) == 2 and pair[0] != pair[1] for pair in pairs))
        rule(len(set(pairs)) == len(pairs))
        rule({name for pair in pairs for name in pair} <= self.variables)
        known = set(pairs)
        rule(all((a, d) in known for a, b in known for c, d in known if b == c and a != d))
        return frozenset(known)

    def cases(self, node: Json) -> Json:
        return self.states[node["state"]]["transitions"] if node["state"] in self.states else []

    def blocked(self, t: Json, order: Collection[tuple[str, str]]) -> bool:
        above = [u for relation, u in t["guard"] if relation == "<"]
        below = [v for relation, v in t["guard"] if relation == ">="]
        return any(u == v or (u, v) in order for v in below for u in above)

    def follows(self, t: Json, order: Order, names: Collection[str], links: bool = False) -> Order:
        """The pairs of different variables, among these, that hold after a transition; or ``links``."""
        below = lower(t) if links else {v for relation, v in t["guard"] if relation == ">="}
        above = upper(t) if links else {v for relation, v in t["guard"] if relation == "<"}
        points: list[str | None] = [STAR, *self.variables]
        known: set[tuple[str | None, str | None]] = {(p, p) for p in points} | set(order)
        known |= {(v, STAR) for v in below} | {(STAR, u) for u in above}
        for via, a, b in product(points, points, points):
            if (a, via) in known and (via, b) in known:
                known.add((a, b))
        old = {name: STAR if name in t["assign"] else name for name in names}
        return frozenset((a, b) for a, b in product(names, names) if a != b and (old[a], old[b]) in known)
