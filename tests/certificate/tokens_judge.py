"""The rules about tokens once more, word by word, from docs/certificates.md, 4.4."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.orders_judge import Order, OrdersJudge
from tests.certificate.program_judge import NUMBERS, bounds, lower, texts, upper

Json = Any


class TokensJudge(OrdersJudge):
    """Whether the loss of a program of several variables is bounded, by its tokens."""

    def tokens(self, kept: Json, nodes: Json, single: bool) -> None:
        plain = [{key: node[key] for key in node if key != "links"} for node in nodes]
        orders = self.nodes(plain, {"component", "tokens"})
        links = [self.order(node["links"] if "links" in node else node["order"]) for node in nodes]
        rule(set(kept) <= self.variables and all(len(kept[v]) == len(nodes) for v in kept))
        rule(all(number >= 0 for v in kept for number in kept[v]))
        rule(all(node["component"] >= 0 for node in nodes))
        moves = [
            (n, t, target)
            for n, node in enumerate(nodes)
            for t, target in zip(self.cases(node), node["targets"], strict=True)
            if target is not None
        ]
        component = [node["component"] for node in nodes]
        for n, t, target in moves:
            if not self.blocked(t, orders[n]):
                rule(links[target] >= self.follows(t, links[n], self.live.get(t["to"], set()), links=True))
            rule(component[n] <= component[target])
            for v in kept:
                rule(v in t["assign"] or kept[v][n] <= kept[v][target])
            state = self.states[nodes[n]["state"]]
            if state["input"] and None in (state["left"], state["right"]):
                rule("insample" not in texts(t))
            if component[n] == component[target]:
                rule(not (texts(t) & set(NUMBERS) and state["input"]))
                for m, other, goal in moves:
                    if component[m] == component[goal] == component[n]:
                        rule(not set(bounds(t)) & set(other["assign"]))
        listed = [self.pairs(node["tokens"], single) for node in nodes]
        for n, order in enumerate(links):
            self.alone(listed[n], single)
            for low, high in listed[n]:
                for a, b in order:
                    if low is not None and low[1] == a:
                        self.arrives(((low[0], b), high), listed[n], single)
                    if high is not None and high[1] == b:
                        self.arrives((low, (high[0], a)), listed[n], single)
        for n, t, target in moves:
            inside = component[n] == component[target]
            size = 1 if self.states[nodes[n]["state"]]["input"] else 0
            own = self.demands(nodes[n]["state"], t)
            self.meetings(listed[n], t, single, own)
            for low, high in listed[n]:
                held = {token[1] for token in (low, high) if token is not None}
                same = all(kept[v][n] == kept[v][target] for v in held if v in kept)
                if inside and same and not held & set(t["assign"]):
                    for u in upper(t) if low is None else ():
                        self.arrives(((size, u), high), listed[n], single)
                    for v in lower(t) if high is None else ():
                        self.arrives((low, (size, v)), listed[n], single)
                for pair in self.after(low, high, t, links[n], own):
                    self.arrives(pair, listed[target], single)

    def pairs(self, tokens: Json, single: bool) -> list[Any]:
        """The pairs of a node, that of nulls too."""
        found = []
        for pair in tokens:
            rule(len(pair) == 2 and pair != [None, None])
            for token in pair:
                rule(token is None or (len(token) == 2 and token[0] in (0, 1) and type(token[0]) is int))
                rule(token is None or token[1] in self.variables)
            rule(not single or None in pair)
            found.append(tuple(None if token is None else tuple(token) for token in pair))
        places = [tuple((-1, "") if token is None else token for token in pair) for pair in found]
        rule(all(a < b for a, b in pairwise(places)))
        return [(None, None), *found]

    def arrives(self, pair: Any, listed: list[Any], single: bool) -> None:
        rule(pair in listed or (single and None not in pair))

    def alone(self, listed: list[Any], single: bool) -> None:
        """No tokens that clash are on one variable."""
        for low, high in together(listed, single):
            rule(not (clash(low, high) and low[1] == high[1]))

    def demands(self, q: str, t: Json) -> tuple[int | None, int | None]:
        """The sizes of the low and the high demand that the sample has of its own."""
        state = self.states[q]
        sizes: list[int | None] = []
        for rate in (state["left"], state["right"]):
            if rate is None:
                sizes.append(1 if state["input"] else 0)
            else:
                sizes.append(0 if "insample" in texts(t) else None)
        return sizes[0], sizes[1]

    def meetings(self, listed: list[Any], t: Json, single: bool, own: tuple[int | None, int | None]) -> None:
        for low, high in together(listed, single):
            meets = [low is not None and low[1] in lower(t), high is not None and high[1] in upper(t)]
            rule(not (clash(low, high) and all(meets)))
            rule(not (meets[0] and own[1] is not None and 1 in (low[0], own[1])))
            rule(not (meets[1] and own[0] is not None and 1 in (high[0], own[0])))

    def after(
        self, low: Any, high: Any, t: Json, order: Order, own: tuple[int | None, int | None]
    ) -> Iterator[Any]:
        live = self.live.get(t["to"], set())
        above = {b for b in live if b in upper(t) or any((u, b) in order for u in upper(t))}
        below = {a for a in live if a in lower(t) or any((a, v) in order for v in lower(t))}
        places = []
        for token, met, beyond, starts in ((low, lower(t), above, own[0]), (high, upper(t), below, own[1])):
            new = (live & set(t["assign"])) | (beyond - set(t["assign"]))
            if token is None:
                places.append({None} | (set() if starts is None else {(starts, v) for v in new}))
                continue
            size, name = token
            goals = {(size, v) for v in new} if name in met else set()
            places.append(goals | ({token} if name in live and name not in t["assign"] else set()))
        for pair in product(*places):
            fresh = low is None and high is None and None not in pair
            if not (fresh and 1 in own):
                yield pair


def clash(low: Any, high: Any) -> bool:
    return low is not None and high is not None and 1 in (low[0], high[0])


def together(listed: list[Any], single: bool) -> list[Any]:
    """The pairs, and where all are single each low token with each high one."""
    if not single:
        return listed
    return list(product({low for low, _ in listed}, {high for _, high in listed}))
