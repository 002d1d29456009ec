"""The rules about programs of several variables once more, word by word, from docs/certificates.md, 4.4."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from tests.certificate.judge import ZERO, Unsound, rule
from tests.certificate.noise_judge import cost
from tests.certificate.program_judge import (
    DIFFERENCES,
    NUMBERS,
    SHIFTS,
    Load,
    ProgramJudge,
    bounds,
    lower,
    names_of,
    texts,
    upper,
)

Json = Any
Order = frozenset[tuple[str, str]]
STAR = None
"""The new sample; no variable has this name."""


class VariablesJudge(ProgramJudge):
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

    def decide(self, evidence: Json) -> None:
        kind = self.claim["kind"]
        if kind == "private":
            rule(set(evidence) == {"kept", "nodes", "single"} and self.adjacency == "all-differ")
            self.tokens(evidence["kept"], evidence["nodes"], evidence["single"])
        elif kind == "not-private":
            rule(set(evidence) == {"blocks"})
            super().decide(evidence)
        else:
            rule(set(evidence) <= {"blocks", "nodes", "parts"} and len(evidence) > 0)
            rule(not {"nodes", "parts"} <= set(evidence))
            super().decide(
                {key: value for key, value in evidence.items() if key == "blocks"} | {"table": None}
            )
            rule(not {"nodes", "parts"}.isdisjoint(evidence) or self.claim["upper"] == "inf")
            if "parts" in evidence:
                self.each_way(self.parts, evidence["parts"])
            if "nodes" in evidence:
                self.each_way(self.functions, evidence["nodes"])

    def table(self, table: Json) -> None:
        """Nodes stand in its place."""

    # Parts of the variables

    def parts(self, parts: Json) -> None:
        rule(isinstance(parts, list) and len(parts) > 0)
        sums = []
        for number, part in enumerate(parts):
            rule(set(part) == {"nodes", "upper", "variables"})
            rule(part["variables"] == sorted(set(part["variables"])))
            rule(all(isinstance(name, str) for name in part["variables"]))
            rule(not any(set(part["variables"]) & set(other["variables"]) for other in parts[:number]))
            rule(part["upper"] != "inf")
            sums.append(Fraction(part["upper"]))
            rule(sums[-1] >= 0)
        for _, t in self.transitions:
            rule(any(names_of(t) <= set(part["variables"]) for part in parts))
        whole = self.claim, self.states, self.transitions, self.variables
        for number, part in enumerate(parts):
            self.claim = whole[0] | {"upper": part["upper"]}
            self.states = {
                name: state
                | {
                    "transitions": [
                        t
                        if names_of(t) & set(part["variables"]) or (number == 0 and not names_of(t))
                        else t | {"guard": [], "assign": [], "output": "a letter"}
                        for t in state["transitions"]
                    ]
                }
                for name, state in whole[1].items()
            }
            self.transitions = [(q, t) for q in sorted(self.states) for t in self.states[q]["transitions"]]
            self.variables = {v for v in whole[3] if v in part["variables"]}
            self.functions(part["nodes"])
        self.claim, self.states, self.transitions, self.variables = whole
        total = max(sums) if self.adjacency == "one-differ" else sum(sums, ZERO)
        rule(self.claim["upper"] == "inf" or total <= Fraction(self.claim["upper"]))

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

    # Functions

    def functions(self, nodes: Json) -> None:
        rule(isinstance(nodes, list))
        orders = self.nodes(nodes, {"functions", "by"})
        modes = ("unused", "used") if self.adjacency == "one-differ" else ("",)
        lists: list[dict[str, list[Json]]] = []
        for node in nodes:
            if modes != ("",):
                rule(isinstance(node["functions"], dict) and set(node["functions"]) == set(modes))
            else:
                rule(isinstance(node["functions"], list))
            lists.append({mode: node["functions"][mode] if mode else node["functions"] for mode in modes})
            for function in [f for listed in lists[-1].values() for f in listed]:
                self.is_function(function)
        zero = {"names": [], "points": [[[], "0"]]}
        for node, order, mine in zip(nodes, orders, lists, strict=True):
            by = iter(node["by"])
            for t, target in zip(self.cases(node), node["targets"], strict=True):
                if target is None:
                    continue
                for delta, mode, then in self.in_order(self.states[node["state"]]["input"]):
                    for after in [*lists[target][then], zero]:
                        number = next(by, -2)
                        rule(-1 <= number < len(mine[mode]))
                        above = zero if number == -1 else mine[mode][number]
                        self.bounded(node["state"], t, delta, after, above, order)
            rule(next(by, None) is None)
        for function in lists[0][modes[0]]:
            rule(len(function["points"]) > 0)
            least = min(Fraction(value) for _, value in function["points"])
            rule(self.claim["upper"] == "inf" or least <= Fraction(self.claim["upper"]))

    def is_function(self, function: Json) -> None:
        rule(set(function) == {"names", "points"})
        names, points = function["names"], function["points"]
        rule(names == sorted(set(names)) and set(names) <= self.variables)
        rule(all(len(p) == 2 and isinstance(p[0], list) and len(p[0]) == len(names) for p in points))
        vectors = [point[0] for point in points]
        rule(all(a < b for a, b in pairwise(vectors)))
        rule(all(x in SHIFTS for vector in vectors for x in vector))
        rule(all(Fraction(value) >= 0 for _, value in points))

    def in_order(self, takes_input: bool) -> Iterator[tuple[int, str, str]]:
        for delta in SHIFTS if takes_input else (0,):
            if self.adjacency != "one-differ":
                corner = delta or not takes_input or self.adjacency != "all-differ"
                if corner and delta in DIFFERENCES[self.adjacency]:
                    yield delta, "", ""
            elif delta:
                yield delta, "unused", "used"
            else:
                yield from ((0, "unused", "unused"), (0, "used", "used"))

    def bounded(self, q: str, t: Json, delta: int, after: Json, above: Json, order: Order) -> None:
        """What the transition makes of ``after`` is at most ``above``, wherever that is finite."""
        depends = set(bounds(t)) | (set(after["names"]) - set(t["assign"]))
        free = sorted(depends - set(above["names"]))
        finite = {tuple(vector): Fraction(value) for vector, value in after["points"]}
        for vector, value in above["points"]:
            for more in product(SHIFTS, repeat=len(free)):
                x = dict(zip(above["names"], vector, strict=True)) | dict(zip(free, more, strict=True))
                if any(a in x and b in x and x[a] > x[b] for a, b in order):
                    continue
                costs = []
                for shift in SHIFTS:
                    if any(shift > x[u] for u in upper(t)) or any(shift < x[v] for v in lower(t)):
                        continue
                    if "insample" in texts(t) and shift:
                        continue
                    later = x | dict.fromkeys(t["assign"], shift)
                    end = finite.get(tuple(later[name] for name in after["names"]))
                    if end is not None:
                        state = self.states[q]
                        own = cost(state, delta, shift)
                        second = Fraction(state["rate_prime"]) if "insampleprime" in texts(t) else ZERO
                        if own is not None:
                            costs.append(own + second * abs(delta) + end)
                rule(len(costs) > 0 and min(costs) <= Fraction(value))

    # Tokens

    def tokens(self, kept: Json, nodes: Json, single: bool) -> None:
        rule(all(None not in (self.states[q]["left"], self.states[q]["right"]) for q in self.reached))
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
            if component[n] == component[target]:
                rule(not (texts(t) & set(NUMBERS) and self.states[nodes[n]["state"]]["input"]))
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
            self.meetings(listed[n], t, single)
            for low, high in listed[n]:
                held = {token[1] for token in (low, high) if token is not None}
                same = all(kept[v][n] == kept[v][target] for v in held if v in kept)
                if inside and same and not held & set(t["assign"]):
                    for u in upper(t) if low is None else ():
                        self.arrives(((size, u), high), listed[n], single)
                    for v in lower(t) if high is None else ():
                        self.arrives((low, (size, v)), listed[n], single)
                for pair in self.after(low, high, t, links[n]):
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

    def meetings(self, listed: list[Any], t: Json, single: bool) -> None:
        for low, high in together(listed, single):
            meets = [low is not None and low[1] in lower(t), high is not None and high[1] in upper(t)]
            rule(not (clash(low, high) and all(meets)))
            for token, met in zip((low, high), meets, strict=True):
                rule(not (met and token[0] == 1 and "insample" in texts(t)))

    def after(self, low: Any, high: Any, t: Json, order: Order) -> Iterator[Any]:
        live = self.live.get(t["to"], set())
        above = {b for b in live if b in upper(t) or any((u, b) in order for u in upper(t))}
        below = {a for a in live if a in lower(t) or any((a, v) in order for v in lower(t))}
        places = []
        for token, met, beyond in ((low, lower(t), above), (high, upper(t), below)):
            new = (live & set(t["assign"])) | (beyond - set(t["assign"]))
            if token is None:
                places.append({None} | ({(0, v) for v in new} if "insample" in texts(t) else set()))
                continue
            size, name = token
            goals = {(size, v) for v in new} if name in met else set()
            places.append(goals | ({token} if name in live and name not in t["assign"] else set()))
        yield from product(*places)

    # Families of runs

    def total(self, blocks: Json, n: int) -> tuple[Fraction, list[Load]]:
        """Runs the family with N = n; as with one variable, with one multiplier for each test."""
        runs = self.run(blocks, n)
        y = [ZERO] * len(runs)
        stored: dict[str, int] = {}
        order: Order = frozenset()
        before_turn: dict[int, Order] = {}
        for k, (q, t, step, (b, _)) in enumerate(runs):
            rule(q == (runs[k - 1][1]["to"] if k else self.initial))
            rule(not self.blocked(t, order))
            last = k + 1 == len(runs) or runs[k + 1][3] != runs[k][3]
            if k == 0 or runs[k - 1][3] != runs[k][3]:
                before_turn[b] = order
            order = self.follows(t, order, self.live.get(t["to"], set()))
            rule(not (last and blocks[b]["kind"] == "repeat") or order == before_turn[b])
            several = len(bounds(t)) > 1
            many, slopes = ("multipliers", "slopes") if several else ("multiplier", "slope")
            rule(set(step) - {slopes} == {"delta", "transition", many})
            rule(slopes not in step or blocks[b]["kind"] == "once")
            constants = step[many] if several else [step[many]]
            growth = step.get(slopes, ["0"] * len(constants)) if several else [step.get(slopes, "0")]
            rule(len(constants) == len(growth) == max(1, len(bounds(t))))
            asked: list[tuple[str | None, str]] = [*bounds(t).items()] or [(None, "")]
            for (name, relation), c, s in zip(asked, constants, growth, strict=True):
                rule(relation == "=" or (Fraction(s) >= 0 and Fraction(c) + Fraction(s) >= 0))
                if Fraction(c) == Fraction(s) == 0:
                    continue
                if name not in stored:
                    raise Unsound
                at = stored[name]
                self.same_turn_of(runs, at, k, blocks, name)
                load = (Fraction(c) + n * Fraction(s)) * (-1 if relation == ">=" else 1)
                y[k] += load
                y[at] -= load
            stored.update(dict.fromkeys(t["assign"], k))
        return self.added_up(runs, y, blocks, n)

    def same_turn_of(self, runs: Any, at: int, k: int, blocks: Json, name: str) -> None:
        home, here = runs[at][3], runs[k][3]
        if home == here:
            return
        rule(blocks[home[0]]["kind"] == "once")
        block = blocks[here[0]]
        if block["kind"] == "repeat":
            steps = [self.transitions[step["transition"]][1] for step in block["steps"]]
            rule(all(name not in t["assign"] for t in steps))


def clash(low: Any, high: Any) -> bool:
    return low is not None and high is not None and 1 in (low[0], high[0])


def together(listed: list[Any], single: bool) -> list[Any]:
    """The pairs, and where all are single each low token with each high one."""
    if not single:
        return listed
    return list(product({low for low, _ in listed}, {high for _, high in listed}))
