"""The rules for Rényi divergences once more, from Section 3.11 of docs/certificates.md.

It has full vectors and exact roots as inequalities, decides files whose *form* is right, and takes its time.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from math import gcd, inf, isinf, lcm
from typing import Any

from tests.certificate.accounts_judge import largest_of, words
from tests.certificate.judge import ONE, ZERO, Unsound, rule
from tests.certificate.rho_judge import rho_holds

Json = Any
Number = Fraction | float  # the float is ∞ only


def accepts_moments(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    claim, evidence = certificate["claim"], certificate["evidence"]
    try:
        rows = claim["moments"]
        rule(len(rows) == len(evidence["orders"]) > 0)
        for number, (order, lower, upper) in enumerate(rows):
            rule(order == "inf" or 1 < Fraction(order) <= 1000)
            rule(1 <= _number(lower) <= _number(upper))
            rule(number == 0 or _number(rows[number - 1][0]) < _number(order))
            Graph(certificate, evidence["orders"][number], order).decide(_number(lower), _number(upper))
        if "rho" in claim:
            pairs = [(claim["from"], claim["to"])] if "from" in claim else certificate["model"]["relation"]
            laws = [words(certificate["model"], s, t) for pair in pairs for s, t in (pair, pair[::-1])]
            rule(rho_holds(claim["rho"], partial(largest_of, laws), laws))
    except Unsound:
        return False
    return True


def _number(text: str) -> Number:
    return inf if text == "inf" else Fraction(text)


class Graph:
    """The nodes of one order."""

    def __init__(self, certificate: Json, graph: Json, order: str) -> None:
        self.claim, self.order = certificate["claim"], order
        states = certificate["model"]["states"]
        self.names = sorted(states)
        self.labels = [states[name]["label"] for name in self.names]
        self.rows = [
            {a: {t: Fraction(p) for t, p in row.items()} for a, row in self.given(states[name]).items()}
            for name in self.names
        ]
        self.relation = certificate["model"].get("relation", [])
        self.nodes, self.roots = graph["nodes"], graph["roots"]
        rule("classes" not in certificate["evidence"])

    @staticmethod
    def given(state: Json) -> Json:
        return state["actions"] if "actions" in state else {"": state["next"]}

    def power(self, c: Fraction, d: Fraction, *, up: bool) -> Fraction:
        """c^a d^(1 − a) as the page rounds it."""
        if self.order == "inf":
            return c / d
        a = Fraction(self.order)
        m, n = a.numerator, a.denominator
        base = c**m * d ** (n - m)
        if n == 1:
            return base
        u, v = base.numerator, base.denominator
        bits = 128 + max(0, -((u.bit_length() - v.bit_length() - 1) // n))
        low, high = 0, 1 << (bits + u.bit_length())
        while high - low > 1:  # halving
            middle = (low + high) // 2
            low, high = (middle, high) if Fraction(middle, 2**bits) ** n <= base else (low, middle)
        exact = Fraction(low, 2**bits) ** n == base
        return Fraction(low + (up and not exact), 2**bits)

    def added(self, terms: Iterable[Number]) -> Number:
        listed = list(terms)
        return max(listed, default=ZERO) if self.order == "inf" else sum(listed, ZERO)

    def follow(self) -> None:
        """The vectors of all nodes, each with sum 1 unless it is 0, and the factors of entries."""
        count = len(self.names)
        self.vectors: dict[int, tuple[tuple[Fraction, ...], ...]] = {}
        for q, (s, t) in enumerate(self.roots):
            rule(s != t and self.labels[s] == self.labels[t])
            self.vectors[q] = tuple(tuple(Fraction(int(k == i)) for k in range(count)) for i in (s, t))
        rule(len({tuple(root) for root in self.roots}) == len(self.roots) <= len(self.nodes))
        self.links: list[dict[str, list[tuple[int, Fraction, Fraction, bool]]]] = []
        for q, node in enumerate(self.nodes):
            rule(q in self.vectors)
            self.links.append({})
            if not node:
                continue
            state = next(k for k, n in enumerate(self.vectors[q][0]) if n)
            rule(set(node["actions"]) == set(self.rows[state]))
            for action in sorted(node["actions"]):
                moved = [self.moved(z, action) for z in self.vectors[q]]
                seen = sorted({self.labels[k] for k, n in enumerate(moved[0]) if n})
                rule([label for label, _ in node["actions"][action]] == seen)
                self.links[q][action] = [
                    self.entry(q, p, [self.part(z, label) for z in moved])
                    for label, p in node["actions"][action]
                ]

    def moved(self, z: tuple[Fraction, ...], action: str) -> list[Fraction]:
        after = [ZERO] * len(z)
        for k, n in enumerate(z):
            for name, p in self.rows[k].get(action, {}).items() if n else ():
                after[self.names.index(name)] += n * p
        return after

    def part(self, z: list[Fraction], label: str) -> list[Fraction]:
        return [n if self.labels[k] == label else ZERO for k, n in enumerate(z)]

    def entry(self, q: int, p: int, parts: list[list[Fraction]]) -> tuple[int, Fraction, Fraction, bool]:
        rule(0 <= p < len(self.nodes))
        factors = [self.content(z) for z in parts]
        scaled = tuple(tuple(n / (f or ONE) for n in z) for z, f in zip(parts, factors, strict=True))
        rule(p in self.vectors or p > q)
        rule(self.vectors.setdefault(p, scaled) == scaled)
        return p, factors[0], factors[1], factors[1] != 0

    @staticmethod
    def content(z: list[Fraction]) -> Fraction:
        """What z is divided by to be integers without a common factor; 0 of zeros."""
        below = lcm(*(n.denominator for n in z))
        return Fraction(gcd(*(int(n * below) for n in z)), below)

    def w(self, link: tuple[int, Fraction, Fraction, bool], *, up: bool) -> Fraction:
        _, c, d, known = link
        return self.power(c, d, up=up) if known else ONE

    def stop(self, q: int, *, up: bool) -> Number:
        x, y = (sum(z, ZERO) for z in self.vectors[q])
        return self.power(x, y, up=up) if y else inf

    def told(self, q: int) -> Number:
        x, y = self.vectors[q]
        if any(n and not m for n, m in zip(x, y, strict=True)):
            return inf
        return self.added(self.power(n, m, up=True) for n, m in zip(x, y, strict=True) if n)

    def decide(self, lower: Number, upper: Number) -> None:
        self.follow()
        grows = isinf(lower)
        above = [_number(node["upper"]) if node else self.told(q) for q, node in enumerate(self.nodes)]
        below: list[Number] = [
            Fraction(node["lower"]) if node and node["lower"] != "inf" else ZERO if grows else inf
            for node in self.nodes
        ]
        for q, node in enumerate(self.nodes):
            rule(not node or (node["lower"] != "inf" and Fraction(node["lower"]) >= 0))
            if not node and not grows:
                below[q] = self.stop(q, up=False)
        ends, ways = set[int](), dict[int, list[int]]()
        for q, node in enumerate(self.nodes):
            if not node:
                ends.add(q)
                continue
            rule(above[q] >= self.stop(q, up=True))
            for links in self.links[q].values():
                rule(above[q] >= self.added(self.w(link, up=True) * above[link[0]] for link in links))
            if "taken" not in node:
                rule(below[q] == 0 if grows else below[q] <= self.stop(q, up=False))
                ends.add(q)
                continue
            rule(node["taken"] in self.links[q])
            terms = [
                (link[0], self.w(link, up=False) * below[link[0]]) for link in self.links[q][node["taken"]]
            ]
            total = self.added(term for _, term in terms)
            rule(below[q] <= total)
            if grows and (below[q] == 0 or below[q] < total):
                ends.add(q)
            ways[q] = [p for p, term in terms if self.order != "inf" or term == total]
        while more := {q for q, after in ways.items() if q not in ends and ends & set(after)}:
            ends |= more
        rule(ends == set(range(len(self.nodes))))
        self.claimed(lower, upper, below, above)

    def claimed(self, lower: Number, upper: Number, below: list[Number], above: list[Number]) -> None:
        named = [[self.claim["from"], self.claim["to"]]] if "from" in self.claim else self.relation
        pairs = [(self.names.index(s), self.names.index(t)) for s, t in named]
        pairs += [(t, s) for s, t in pairs if self.claim["of"] == "tv"]
        rule(len(pairs) > 0)
        apart = any(self.labels[s] != self.labels[t] for s, t in pairs)
        place = {tuple(root): q for q, root in enumerate(self.roots)}
        asked = [place[pair] for pair in pairs if pair in place]
        if not isinf(upper):
            rule(not apart)
            rule(all(s == t or ((s, t) in place and above[place[s, t]] <= upper) for s, t in pairs))
        if not isinf(lower):
            rule(lower <= 1 or apart or any(lower <= below[q] for q in asked))
            return
        found = list(asked)
        for q in found:
            found += [p for links in self.links[q].values() for p, *_ in links if p not in found]
        rule(apart or any(below[q] > 0 or not any(self.vectors[q][1]) for q in found))
