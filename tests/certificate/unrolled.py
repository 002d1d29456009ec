"""Certificates of lv and tv for random chains, by expanding nodes to some depth: every claim is true."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from prover.chain.model import LabelledMarkovChain
from prover.chain.model import quotient as quotient_of
from tests import oracle
from tests.certificate.made import coupled, model_of, random_chain
from tests.certificate.samples import certificate
from tests.oracle_linear import solve_linear
from tests.strategies import planted

Json = Any
Pair = tuple[int, int]
Vector = dict[int, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


def unrolled_certificates() -> SearchStrategy[Json]:
    """Valid certificates of lv and tv, with and without circles, quotients and distances."""
    return st.integers(0, 2**32 - 1).map(unrolled)


def events_below(seed: int) -> Json:
    """A valid certificate of ld or bd with an unrolling of that kind as its lower side, and no upper one."""
    while "distance" in (made := unrolled(seed))["evidence"]:
        seed += 1
    kind = {"lv": "ld", "tv": "bd"}[made["claim"]["kind"]]
    claim = {**made["claim"], "kind": kind, "upper": "1"}
    return {**made, "claim": claim, "evidence": {"lower": made["evidence"]}}


@dataclass
class Expansion:
    """Nodes by breadth, merged where a node is a multiple of one that is known already."""

    chain: LabelledMarkovChain
    u: oracle.Table
    alpha: Fraction
    most: int
    merging: float
    random: Random
    vectors: list[tuple[Vector, Vector]] = field(default_factory=list)
    entries: dict[int, list[list[Any]]] = field(default_factory=dict)  # of the inner nodes
    leaves: dict[int, oracle.Lifted] = field(default_factory=dict)
    balanced: dict[int, list[list[Any]]] = field(default_factory=dict)  # entries, again

    def expand(self, roots: list[Pair]) -> None:
        self.vectors = [({s: ONE}, {t: ONE}) for s, t in roots]
        waiting = deque(range(len(roots)))
        while waiting:
            q = waiting.popleft()
            x, y = self.vectors[q]
            label = self.chain.labels[min(x)]
            states = [k for k in range(len(self.chain)) if self.chain.labels[k] == label]
            lifted = oracle.lift(self.u, x, y, self.alpha, states)
            settled = lifted.value == max(ZERO, sum(x.values()) - self.alpha * sum(y.values()))
            if len(self.vectors) >= self.most or (settled and self.random.random() < 0.9):
                self.leaves[q] = lifted
                continue
            self.entries[q] = []
            for a, (after_x, after_y) in sorted(self.following(x, y).items()):
                again = self.known(after_x, after_y)
                if again is None:
                    waiting.append(len(self.vectors))
                    self.entries[q].append([a, len(self.vectors)])
                    self.vectors.append((after_x, after_y))
                else:
                    self.entries[q].append([a, *again])

    def following(self, x: Vector, y: Vector) -> dict[str, tuple[Vector, Vector]]:
        parts: dict[str, tuple[Vector, Vector]] = {}
        for side, z in enumerate((x, y)):
            for i, mass in z.items():
                for k, weight in self.chain.rows[i].items():
                    part = parts.setdefault(self.chain.labels[k], ({}, {}))[side]
                    part[k] = part.get(k, ZERO) + mass * weight
        return {a: part for a, part in parts.items() if part[0]}

    def known(self, x: Vector, y: Vector) -> tuple[int, str] | None:
        """A node of which the vectors are a multiple, and the factor."""
        for p, (other_x, other_y) in enumerate(self.vectors):
            if self.random.random() < self.merging and x.keys() == other_x.keys():
                c = x[min(x)] / other_x[min(x)]
                if all((z == {k: c * n for k, n in w.items()}) for z, w in ((x, other_x), (y, other_y))):
                    return p, str(c)
        return None

    def open_up(self) -> None:
        """Balance some circles that cannot be left, and make one node of each other one a leaf."""
        if self.random.random() < 0.7:
            self.balance()
        while True:
            closed = set(self.entries) - self.ending()
            # Only where nothing is defined by it may a node become a leaf.
            free = [q for q in closed if all(len(entry) == 3 for entry in self.entries[q])]
            if not closed:
                return
            q = min(free)
            x, y = self.vectors[q]
            del self.entries[q]
            self.leaves[q] = oracle.lift(self.u, x, y, self.alpha, range(len(self.chain)))

    def ending(self) -> set[int]:
        """The nodes that reach a leaf or a balanced node, round by round."""
        good = {*self.leaves, *self.balanced}
        for _ in self.vectors:
            good |= {q for q, entries in self.entries.items() if any(e[1] in good for e in entries)}
        return good

    def balance(self) -> None:
        """Make the nodes balanced that reach no leaf, and no |y| / |x| but their own."""
        ratios = [sum(y.values(), ZERO) / sum(x.values(), ZERO) for x, y in self.vectors]
        even = set(self.entries) - self.ending()
        for _ in self.vectors:
            even = {
                q for q in even if all(p in even and ratios[p] == ratios[q] for _, p, *_ in self.entries[q])
            }
        self.balanced = {q: self.entries.pop(q) for q in sorted(even)}

    def values(self) -> tuple[list[Fraction], list[Fraction]]:
        """v and u of all nodes, as large and as small as they can be."""
        size = range(len(self.vectors))
        matrix = [[ONE if p == q else ZERO for p in size] for q in size]
        for q, entries in self.entries.items():
            for entry in entries:
                matrix[q][entry[1]] -= Fraction(entry[2]) if len(entry) == 3 else ONE
        least, most = [ZERO] * len(size), [ZERO] * len(size)
        for q, (x, y) in enumerate(self.vectors):
            if q not in self.entries:
                least[q] = max(ZERO, sum(x.values()) - self.alpha * sum(y.values()))
                most[q] = self.leaves[q].value if q in self.leaves else least[q]
        return solve_linear(matrix, least), solve_linear(matrix, most)


def unrolled(seed: int) -> Json:
    """A valid certificate. Hypothesis draws a seed and not a chain: it likes small chains too much."""
    random = Random(seed)
    whole = random_chain(random)
    endless = random.random() < 0.3
    whole = planted(whole, random) if endless else whole  # makes circles that can be balanced
    related, pairs = random.random() < 0.5, chosen(random, whole)
    whole = replace(whole, relation=tuple(sorted({*pairs, *((t, s) for s, t in pairs)})) if related else ())
    classes = oracle.bisimilarity(whole) if random.random() < 0.6 else [[s] for s in range(len(whole))]
    chain = quotient_of(whole, classes)
    place = {s: c for c, states in enumerate(classes) for s in states}
    alpha = random.choice([ONE, Fraction(101, 100), Fraction(6, 5), Fraction(2)])
    evidence, u = distances(random, chain, alpha)
    symmetric, pairs = random.random() < 0.5, list(whole.relation) if related else pairs[:1]
    asked = pairs + [(t, s) for s, t in pairs if symmetric]
    places = {(place[s], place[t]) for s, t in asked}
    roots = [pair for pair in oracle.alike_pairs(chain) if pair in places or random.random() < 0.1]
    random.shuffle(roots)
    most, merging = random.choice([0, 4, 10, 25]), random.choice([0.0, 0.5, 1.0])
    most, merging = (40, 1.0) if endless and random.random() < 0.7 else (most, merging)
    expansion = Expansion(chain, u, alpha, most, merging, random)
    expansion.expand(roots)
    expansion.open_up()
    v, w = expansion.values()
    slack = random.choice([ZERO, ZERO, Fraction(1, 9)])
    inner = expansion.entries
    v, w = (
        [n * (1 + sign * slack) if q in inner else n for q, n in enumerate(z)]
        for z, sign in ((v, -1), (w, 1))
    )
    evidence |= {"unrolling": {"nodes": nodes(expansion, v, w), "roots": [list(root) for root in roots]}}
    if len(classes) < len(whole) or random.random() < 0.5:
        evidence |= {"classes": classes}

    def bounds(pair: Pair) -> tuple[Fraction, Fraction]:
        s, t = place[pair[0]], place[pair[1]]
        if (s, t) in roots:
            q = roots.index((s, t))
            return v[q], min(u[s][t], w[q])
        return (ZERO if chain.labels[s] == chain.labels[t] else ONE), u[s][t]

    s, t = max(pairs, key=lambda pair: bounds(pair)[0])
    lower = max(bounds(end)[0] for end in ((s, t), (t, s))[: 1 + symmetric])
    upper = max(bounds(pair)[1] for pair in asked)
    claim = {"alpha": str(alpha), "from": whole.states[s], "kind": "tv" if symmetric else "lv"}
    claim |= {"lower": str(lower), "scope": "relation" if related else "pair"}
    return certificate(claim | {"to": whole.states[t], "upper": str(upper)}, model_of(whole), evidence)


def chosen(random: Random, chain: LabelledMarkovChain) -> list[Pair]:
    """Two pairs of states, mostly pairs that are not bisimilar, as the others have nothing to unroll."""
    block = {s: c for c, states in enumerate(oracle.bisimilarity(chain)) for s in states}
    alike = [(s, t) for s, t in oracle.alike_pairs(chain) if block[s] != block[t]]
    everything = [(s, t) for s in block for t in block]
    return [random.choice(alike if alike and random.random() < 0.8 else everything) for _ in range(2)]


def distances(random: Random, chain: LabelledMarkovChain, alpha: Fraction) -> tuple[Json, oracle.Table]:
    """ld with a coupling for every pair of a small chain; or nothing, and then all pairs are at 1."""
    if len(chain) > 10 or random.random() < 0.3:
        return {}, oracle.table(chain, dict.fromkeys(oracle.alike_pairs(chain), ONE))
    u, operator = oracle.ld(chain, alpha), oracle.Operator(chain, alpha)
    denominator = lcm(*(value.denominator for row in u for value in row))
    rows = [
        {
            "coupling": coupled(operator.lift(u, (s, t))),
            "pair": [s, t],
            "value": str(int(u[s][t] * denominator)),
        }
        for s, t in oracle.alike_pairs(chain)
    ]
    return {"distance": {"denominator": str(denominator), "rows": rows}}, u


def nodes(expansion: Expansion, v: list[Fraction], w: list[Fraction]) -> Json:
    made: dict[int, Json] = {q: {"coupling": coupled(lifted)} for q, lifted in expansion.leaves.items()}
    made |= {q: {"balanced": entries} for q, entries in expansion.balanced.items()}
    for q, entries in expansion.entries.items():
        made[q] = {"lower": str(v[q]), "next": entries, "upper": str(w[q])}
    return [made[q] for q in range(len(expansion.vectors))]
