"""The rules about programs of several variables once more, word by word, from docs/certificates.md, 4.4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

from tests.certificate.judge import ZERO, Unsound, rule
from tests.certificate.noise_judge import cost
from tests.certificate.orders_judge import Order
from tests.certificate.program_judge import (
    DIFFERENCES,
    SHIFTS,
    Load,
    bounds,
    lower,
    names_of,
    texts,
    upper,
)
from tests.certificate.tokens_judge import TokensJudge

Json = Any


class VariablesJudge(TokensJudge):
    """Claims about programs in which two or more variables are named."""

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
            rule(part["upper"] != "inf" and Fraction(part["upper"]) >= 0)
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
        for k, (node, order, mine) in enumerate(zip(nodes, orders, lists, strict=True)):
            by = iter(node["by"])
            for t, target, ends in self.ways(k, node):
                for delta, mode, then in self.in_order(self.states[node["state"]]["input"]):
                    later = [] if target is None else lists[target][then]
                    for after in [*later, zero] if ends else later:
                        number = next(by, -2)
                        rule(self.lowest <= number < len(mine[mode]))
                        above = zero if number == -1 else mine[mode][number]
                        self.bounded(node["state"], t, delta, after, above, order)
            rule(next(by, None) is None)
        for function in lists[0][modes[0]]:
            rule(len(function["points"]) > 0)
            least = min(Fraction(value) for _, value in function["points"])
            rule(self.claim["upper"] == "inf" or least <= Fraction(self.claim["upper"]))

    numbers: Sequence[int] = SHIFTS
    """The numbers that stand for shifts in points."""

    lowest = -1
    """The least number that ``by`` may have."""

    def ways(self, _k: int, node: Json) -> Iterator[tuple[Json, int | None, bool]]:
        """The steps of a node with their targets, and whether a run may end with them."""
        for t, target in zip(self.cases(node), node["targets"], strict=True):
            if target is not None:
                yield t, target, True

    def is_function(self, function: Json) -> None:
        rule(set(function) == {"names", "points"})
        names, points = function["names"], function["points"]
        rule(names == sorted(set(names)) and set(names) <= self.variables)
        rule(all(len(p) == 2 and isinstance(p[0], list) and len(p[0]) == len(names) for p in points))
        vectors = [point[0] for point in points]
        rule(all(a < b for a, b in pairwise(vectors)))
        rule(all(x in self.numbers for vector in vectors for x in vector))
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
