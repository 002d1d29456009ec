"""The rules for lv and tv of decision processes once more, from Section 3.9 of docs/certificates.md.

It has full vectors, decides files whose *form* is right, and takes its time.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificate.judge import ONE, ZERO, Unsound, rule

Json = Any
Vector = tuple[Fraction, ...]


def accepts_interactive(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    try:
        Unrolled(certificate).decide()
    except Unsound:
        return False
    return True


class Unrolled:
    """The states and actions, the classes, and the nodes with their vectors."""

    def __init__(self, certificate: Json) -> None:
        self.model, self.claim = certificate["model"], certificate["claim"]
        self.names = sorted(self.model["states"])
        self.labels = [self.model["states"][name]["label"] for name in self.names]
        self.rows = [self.of_state(self.model["states"][name]) for name in self.names]
        self.alpha = Fraction(self.claim["alpha"])
        rule(self.alpha >= 1)
        for s, label in enumerate(self.labels):
            rule(all(set(self.rows[s]) == set(self.rows[t]) for t in self.of_label(label)))
        for state in self.model["states"].values():
            rule("actions" not in state or ("" not in state["actions"] and len(state["actions"]) > 0))
        self.nature = set(self.claim.get("nature", ()))
        if "nature" in self.claim:
            rule(self.claim["nature"] == sorted(self.nature) != [])
            rule(self.nature <= {action for rows in self.rows for action in rows if action})
            rule(all(set(rows) <= self.nature or not self.nature & set(rows) for rows in self.rows))
        evidence = certificate["evidence"]
        self.classes = evidence.get("classes", [[s] for s in range(len(self.names))])
        self.nodes, self.roots = evidence["unrolling"]["nodes"], evidence["unrolling"]["roots"]

    def of_label(self, label: str) -> list[int]:
        return [s for s, other in enumerate(self.labels) if other == label]

    def of_state(self, state: Json) -> dict[str, dict[int, Fraction]]:
        given = state["actions"] if "actions" in state else {"": state["next"]}
        rows = {}
        for action, row in given.items():
            rows[action] = {self.names.index(t): Fraction(p) for t, p in row.items() if t in self.names}
            rule(len(rows[action]) == len(row) and min(rows[action].values(), default=ZERO) > 0)
            rule(sum(rows[action].values()) == 1)
        return rows

    def mass(self, s: int, action: str, block: list[int]) -> Fraction:
        return sum((self.rows[s][action].get(t, ZERO) for t in block), ZERO)

    def decide(self) -> None:
        blocks = self.classes
        rule(blocks == sorted(blocks) and all(block == sorted(set(block)) and block for block in blocks))
        rule(sorted(s for block in blocks for s in block) == list(range(len(self.names))))
        for block in blocks:
            for s in block:
                rule(self.labels[s] == self.labels[block[0]])
                for action in self.rows[s]:
                    for other in blocks:
                        rule(self.mass(s, action, other) == self.mass(block[0], action, other))
        self.place = {s: c for c, block in enumerate(blocks) for s in block}
        self.shown = [self.labels[block[0]] for block in blocks]
        self.follow()
        self.compare()
        self.settle()

    def follow(self) -> None:
        """The vectors of all nodes, in any multiple: the sum of both is 1."""
        for s, t in self.roots:
            rule(
                s != t and max(s, t) < len(self.classes) and min(s, t) >= 0 and self.shown[s] == self.shown[t]
            )
        rule(len({tuple(root) for root in self.roots}) == len(self.roots) <= len(self.nodes))
        unit = [
            tuple(Fraction(int(i == k)) for i in range(len(self.classes))) for k in range(len(self.classes))
        ]
        self.vectors: dict[int, tuple[Vector, Vector]] = {
            q: self.scaled(unit[s], unit[t])[:2] for q, (s, t) in enumerate(self.roots)
        }
        self.after: list[dict[str, list[tuple[int, Fraction]]]] = []
        for q, node in enumerate(self.nodes):
            rule(q in self.vectors)
            self.after.append({})
            if not node:
                continue
            x, y = self.vectors[q]
            state = next(k for k, amount in enumerate(x) if amount)
            rule(set(node["actions"]) == set(self.rows[self.classes[state][0]]))
            for action in sorted(node["actions"]):
                entries = node["actions"][action]
                moved = self.moved(x, action), self.moved(y, action)
                seen = sorted({self.shown[k] for k, amount in enumerate(moved[0]) if amount})
                rule([entry[0] for entry in entries] == seen)
                links = []
                for label, p in entries:
                    rule(0 <= p < len(self.nodes))
                    parts = [
                        tuple(n if self.shown[k] == label else ZERO for k, n in enumerate(z)) for z in moved
                    ]
                    first, second, factor = self.scaled(*parts)
                    rule(p in self.vectors or p > q)
                    rule(self.vectors.setdefault(p, (first, second)) == (first, second))
                    links.append((p, factor))
                self.after[q][action] = links

    def moved(self, vector: Vector, action: str) -> Vector:
        after = [ZERO] * len(vector)
        for c, amount in enumerate(vector):
            if amount:
                for k, block in enumerate(self.classes):
                    after[k] += amount * self.mass(self.classes[c][0], action, block)
        return tuple(after)

    def scaled(self, x: Vector, y: Vector) -> tuple[Vector, Vector, Fraction]:
        """The multiple of two vectors whose numbers are integers without a common factor, and its part."""
        numbers = [n for n in (*x, *y) if n]
        factor = ONE
        bottom = 1
        for n in numbers:
            bottom = bottom * n.denominator // _gcd(bottom, n.denominator)
        top = 0
        for n in numbers:
            top = _gcd(top, int(n * bottom))
        factor = Fraction(top, bottom)
        return tuple(n / factor for n in x), tuple(n / factor for n in y), factor

    def compare(self) -> None:
        self.values = []
        for q, node in enumerate(self.nodes):
            if node:
                self.values.append((Fraction(node["lower"]), Fraction(node["upper"])))
                rule(min(self.values[q]) >= 0)
            else:
                x, y = self.vectors[q]
                most = sum((max(ZERO, a - self.alpha * b) for a, b in zip(x, y, strict=True)), ZERO)
                self.values.append((self.stop(q), most))
        for q, node in enumerate(self.nodes):
            if not node:
                continue
            lower, upper = self.values[q]
            rule(upper >= self.stop(q))
            if self.is_natures(q):
                self.compare_nature(q, lower, upper)
                continue
            for links in self.after[q].values():
                rule(upper >= sum((c * self.values[p][1] for p, c in links), ZERO))
            if "taken" in node:
                rule(node["taken"] in self.after[q])
                rule(lower <= sum((c * self.values[p][0] for p, c in self.after[q][node["taken"]]), ZERO))
            else:
                rule(lower <= self.stop(q))
        # The nodes at which one never has to stop: they shrink until nature, and the plan, can stay in them.
        going = {q for q, node in enumerate(self.nodes) if node and not self.is_stop(q)}
        while True:
            stay = {
                q
                for q in going
                if any(
                    all(p in going for p, _ in links)
                    for action, links in self.after[q].items()
                    if self.is_natures(q) or action == self.nodes[q]["taken"]
                )
            }
            if stay == going:
                break
            going = stay
        rule(not going)

    def is_natures(self, q: int) -> bool:
        return bool(self.nodes[q]) and not self.nature.isdisjoint(self.nodes[q]["actions"])

    def is_stop(self, q: int) -> bool:
        if self.is_natures(q):
            return self.values[q][0] <= self.stop(q)
        return "taken" not in self.nodes[q]

    def compare_nature(self, q: int, lower: Fraction, upper: Fraction) -> None:
        rule(self.nodes[q].get("taken") in self.after[q])
        rule(upper >= sum((c * self.values[p][1] for p, c in self.after[q][self.nodes[q]["taken"]]), ZERO))
        if lower <= self.stop(q):
            return
        x, y = self.vectors[q]
        shown = list[set[str]]()
        for action, links in self.after[q].items():
            rule(lower <= sum((c * self.values[p][0] for p, c in links), ZERO))
            both = [a + b for a, b in zip(self.moved(x, action), self.moved(y, action), strict=True)]
            shown.append({self.shown[k] for k, amount in enumerate(both) if amount})
        rule(all(one.isdisjoint(other) for k, one in enumerate(shown) for other in shown[:k]))

    def stop(self, q: int) -> Fraction:
        x, y = self.vectors[q]
        return max(ZERO, sum(x, ZERO) - self.alpha * sum(y, ZERO))

    def bounds(self, s: str, t: str) -> tuple[Fraction, Fraction]:
        pair = [self.place[self.names.index(name)] for name in (s, t)]
        if pair[0] == pair[1]:
            return ZERO, ZERO
        if self.shown[pair[0]] != self.shown[pair[1]]:
            return ONE, ONE
        if pair in self.roots:
            lower, upper = self.values[self.roots.index(pair)]
            return lower, min(ONE, upper)
        return ZERO, ONE

    def settle(self) -> None:
        lower, upper = Fraction(self.claim["lower"]), Fraction(self.claim["upper"])
        rule(0 <= lower <= upper <= 1)
        pair = self.claim["from"], self.claim["to"]
        rule(all(name in self.names for name in pair))
        relation = [tuple(entry) for entry in self.model.get("relation", [])]
        rule(relation == sorted(set(relation)) and all((t, s) in relation for s, t in relation))
        rule(all(name in self.names for entry in relation for name in entry))
        rule(self.claim["scope"] == "pair" or pair in relation)
        asked = [pair] if self.claim["scope"] == "pair" else relation
        ends = [pair]
        if self.claim["kind"] == "tv":
            ends, asked = [pair, pair[::-1]], [*asked, *((t, s) for s, t in asked)]
        rule(any(lower <= self.bounds(*end)[0] for end in ends))
        rule(all(self.bounds(*one)[1] <= upper for one in asked))


def _gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
