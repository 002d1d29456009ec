"""The rules for lv and tv once more, from section 3.5 of docs/certificates.md: `Fraction`s, full vectors.

Like the judge of the other claims about chains, whose tables and couplings it shares, it decides files whose
*form* is right, and takes its time.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificate.judge import ONE, ZERO, Judge, Pair, Unsound, accepts, of_classes, rule
from tests.certificate.samples import model

Json = Any
Vector = list[Fraction]
NO_DISTANCE: Json = {"denominator": "1", "rows": []}


def accepts_unrolling(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    try:
        Unrolling(of_cut(certificate) if "lost" in certificate["claim"] else certificate).decide()
    except Unsound:
        return False
    return True


def of_cut(certificate: Json) -> Json:
    """What the chain itself must obey if a claim is about all systems that it is cut from."""
    claim, evidence = dict(certificate["claim"]), dict(certificate["evidence"])
    states = certificate["model"]["states"]
    names, label, listed = sorted(states), claim.pop("lost"), evidence.pop("lost")
    rule([s for s, _ in listed] == sorted({s for s, _ in listed} & {*range(len(names))}))
    rule(all(Fraction(value) > 0 for _, value in listed))
    f = dict.fromkeys(names, ZERO) | {names[s]: Fraction(value) for s, value in listed}
    for name, state in states.items():
        rule(state["label"] != label or f[name] >= 1)
        mean = sum((Fraction(p) * f[t] for t, p in state["next"].items()), ZERO)
        rule(state["label"] == label or f[name] >= mean)
    ends = [claim["from"], claim["to"]]
    if claim["scope"] == "relation":
        rule("relation" in certificate["model"])
        ends += [s for pair in certificate["model"]["relation"] for s in pair]
    most, alpha = max(f[s] for s in ends), Fraction(claim.get("alpha", "1"))
    if Fraction(claim["lower"]) > 0:
        claim["lower"] = str(Fraction(claim["lower"]) + most + alpha * most)
    if Fraction(claim["upper"]) < 1:
        claim["upper"] = str(Fraction(claim["upper"]) - most)
    rule(Fraction(claim["lower"]) <= 1 and Fraction(claim["upper"]) >= 0)
    return {**certificate, "claim": claim, "evidence": evidence}


def accepts_events_below(certificate: Json) -> bool:
    """The same for ld, lgd and bd whose lower end an unrolling proves: word by word as Section 3.1 has it."""
    try:
        if "quotient" in certificate["claim"]:
            certificate = of_classes(certificate)
        claim, evidence = certificate["claim"], certificate["evidence"]
        rule(claim["scope"] in ("pair", "relation"))
        rule(Fraction(claim["lower"]) <= Fraction(claim["upper"]) <= 1)
        kind = "tv" if claim["kind"] == "bd" else "lv"
        Unrolling(
            {**certificate, "claim": {**claim, "kind": kind, "upper": "1"}, "evidence": evidence["lower"]}
        ).decide()
    except Unsound:
        return False
    above = {"upper": NO_DISTANCE, **{key: rows for key, rows in evidence.items() if key != "lower"}}
    return accepts({**certificate, "claim": {**claim, "lower": "0"}, "evidence": above})


class Unrolling:
    """The quotient, its distances, and the nodes with their vectors."""

    def __init__(self, certificate: Json) -> None:
        self.claim, evidence = certificate["claim"], certificate["evidence"]
        self.whole = Judge(certificate["model"], self.claim)
        self.classes = evidence.get("classes", [[s] for s in self.whole.states])
        self.part()
        self.chain = self.quotient()
        self.alpha, self.states = self.chain.alpha, self.chain.states
        distance = evidence.get("distance", NO_DISTANCE)
        self.u = self.chain.table(distance, ONE)
        for row in distance["rows"]:
            self.chain.upper(self.u, (row["pair"][0], row["pair"][1]), row["coupling"])
        self.nodes, self.roots = evidence["unrolling"]["nodes"], evidence["unrolling"]["roots"]
        rule(len({tuple(root) for root in self.roots}) == len(self.roots))
        rule(all((s, t) in self.chain.alike_pairs for s, t in self.roots))
        rule(len(self.roots) <= len(self.nodes))

    def part(self) -> None:
        """The classes rule."""
        rule(all(block and block == sorted(set(block)) for block in self.classes))
        rule(self.classes == sorted(self.classes))
        rule(sorted(s for block in self.classes for s in block) == list(self.whole.states))
        for block in self.classes:
            for s in block[1:]:
                rule(self.whole.labels[s] == self.whole.labels[block[0]])
                rule(all(self.whole.mass(s, c) == self.whole.mass(block[0], c) for c in self.classes))

    def quotient(self) -> Judge:
        """A chain of its own, whose states are named by the places of the classes."""
        names = [f"{place:06}" for place in range(len(self.classes))]
        first = [block[0] for block in self.classes]
        rows = {
            name: (
                self.whole.labels[s],
                {
                    other: str(self.whole.mass(s, block))
                    for other, block in zip(names, self.classes, strict=True)
                    if self.whole.mass(s, block) > 0
                },
            )
            for name, s in zip(names, first, strict=True)
        }
        return Judge(model(rows), {"alpha": self.claim["alpha"], "kind": "ld", "scope": "all-pairs"})

    def decide(self) -> None:
        self.follow()
        self.end()
        by_form = {"coupling": self.leaf, "balanced": self.balanced, "next": self.inner}
        self.values = [
            next(value(q) for form, value in by_form.items() if form in node)
            for q, node in enumerate(self.nodes)
        ]
        for q, node in enumerate(self.nodes):
            for side, sign in ((0, 1), (1, -1)):
                if "next" in node:
                    total = sum(
                        (self.factor(entry) * self.values[entry[1]][side] for entry in node["next"]), ZERO
                    )
                    rule(sign * self.values[q][side] <= sign * total)
        self.settle()

    def after(self, vector: Vector, label: str) -> Vector:
        """(z μ)_a as a full vector."""
        return [
            sum((vector[i] * self.chain.mu[i].get(k, ZERO) for i in self.states), ZERO)
            if self.chain.labels[k] == label
            else ZERO
            for k in self.states
        ]

    def unit(self, s: int) -> Vector:
        return [ONE if k == s else ZERO for k in self.states]

    def follow(self) -> None:
        """The vectors of all nodes by the entries of the first form, then those of the second."""
        self.vectors = {q: (self.unit(s), self.unit(t)) for q, (s, t) in enumerate(self.roots)}
        again = []
        for q, node in enumerate(self.nodes):
            rule(q in self.vectors)
            if "coupling" in node:
                continue
            x, y = self.vectors[q]
            followers = {a: (self.after(x, a), self.after(y, a)) for a in set(self.chain.labels)}
            entries = node["balanced"] if "balanced" in node else node["next"]
            labels = [entry[0] for entry in entries]
            rule(labels == sorted(a for a, (after, _) in followers.items() if any(after)))
            for entry in entries:
                rule(0 <= entry[1] < len(self.nodes))
                if len(entry) == 3:
                    again.append((followers[entry[0]], entry))
                    continue
                rule(entry[1] > q and entry[1] >= len(self.roots) and entry[1] not in self.vectors)
                self.vectors[entry[1]] = followers[entry[0]]
        for (after_x, after_y), entry in again:
            x, y = self.vectors[entry[1]]
            c = self.factor(entry)
            rule(c > 0)
            rule(after_x == [c * n for n in x] and after_y == [c * n for n in y])

    def factor(self, entry: Json) -> Fraction:
        return Fraction(entry[2]) if len(entry) == 3 else ONE

    def end(self) -> None:
        """Every node reaches a leaf: round by round, those that do by one step more."""
        good = {q for q, node in enumerate(self.nodes) if "next" not in node}
        for _ in self.nodes:
            good |= {
                q
                for q, node in enumerate(self.nodes)
                if any(entry[1] in good for entry in node.get("next", []))
            }
        rule(len(good) == len(self.nodes))

    def inner(self, q: int) -> tuple[Fraction, Fraction]:
        values = Fraction(self.nodes[q]["lower"]), Fraction(self.nodes[q]["upper"])
        rule(min(values) >= 0)
        return values

    def balanced(self, q: int) -> tuple[Fraction, Fraction]:
        x, y = map(sum, self.vectors[q])
        for _, p, *_ in self.nodes[q]["balanced"]:
            rule("balanced" in self.nodes[p])
            next_x, next_y = map(sum, self.vectors[p])
            rule(x * next_y == y * next_x)
        gain = max(ZERO, x - self.alpha * y)
        return gain, gain

    def leaf(self, q: int) -> tuple[Fraction, Fraction]:
        x, y = self.vectors[q]
        w = self.chain.weights(self.nodes[q]["coupling"])
        u = sum((weight * self.u[pair] for pair, weight in w.items()), ZERO)
        for k in self.states:
            out = sum((weight for (i, _), weight in w.items() if i == k), ZERO)
            into = sum((weight for (_, j), weight in w.items() if j == k), ZERO)
            u += max(ZERO, x[k] - self.alpha * y[k] - out + self.alpha * into)
        return max(ZERO, sum(x) - self.alpha * sum(y)), u

    def bounds(self, pair: Pair) -> tuple[Fraction, Fraction]:
        """v(s,t) and u(s,t) of a pair of states of the whole chain."""
        place = {s: c for c, block in enumerate(self.classes) for s in block}
        s, t = place[pair[0]], place[pair[1]]
        if s == t:
            return ZERO, ZERO
        if self.chain.labels[s] != self.chain.labels[t]:
            return ONE, ONE
        if [s, t] in self.roots:
            v, u = self.values[self.roots.index([s, t])]
            return v, min(ONE, u, self.u[s, t])
        return ZERO, self.u[s, t]

    def settle(self) -> None:
        lower, upper = Fraction(self.claim["lower"]), Fraction(self.claim["upper"])
        rule(0 <= lower <= upper <= 1)
        pair, asked = self.whole.pair, list(self.whole.asked)
        ends = [pair]
        if self.claim["kind"] == "tv":
            ends, asked = [pair, pair[::-1]], asked + [(t, s) for s, t in asked]
        rule(any(lower <= self.bounds(end)[0] for end in ends))
        rule(all(self.bounds(one)[1] <= upper for one in asked))
