"""The rules of docs/certificates.md once more, word by word: `Fraction`s and walks over all states and pairs.

A second opinion for the checker's tests, on files whose *form* is right: it decides rules and claims, while
canonical form, keys and limits are the business of tests that know what they break. Slow on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

Json = Any
Pair = tuple[int, int]
ZERO, ONE = Fraction(0), Fraction(1)


class Unsound(Exception):
    """A rule of the specification does not hold."""


def rule(holds: bool) -> None:
    if not holds:
        raise Unsound


def accepts(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    try:
        if "quotient" in certificate["claim"]:
            certificate = of_classes(certificate)
        Judge(certificate["model"], certificate["claim"]).decide(certificate["evidence"])
    except Unsound:
        return False
    return True


def rising(keys: list[Any]) -> bool:
    return keys == sorted(keys) and len({str(key) for key in keys}) == len(keys)


def of_classes(certificate: Json) -> Json:
    """The same about a chain that is written down: the quotient by bisimilarity, as the evidence has it."""
    model, claim, evidence = (certificate[key] for key in ("model", "claim", "evidence"))
    rule(claim["quotient"] == "bisimilarity" and claim["kind"] in ("ld", "lgd", "bd"))
    whole = Judge(model, {"kind": "bisimilarity", "scope": "all-pairs"})
    whole.classes(evidence["quotient"])
    blocks = evidence["quotient"]["classes"]
    names = [f"{n:09}" for n in range(len(blocks))]
    name_of = {whole.names[s]: names[n] for n, block in enumerate(blocks) for s in block}
    states = {
        names[n]: {
            "label": whole.labels[block[0]],
            "next": {names[m]: str(x) for m, to in enumerate(blocks) if (x := whole.mass(block[0], to))},
        }
        for n, block in enumerate(blocks)
    }
    related = sorted({(name_of[s], name_of[t]) for s, t in model.get("relation", [])})
    ends = {key: name_of[claim[key]] for key in ("from", "to") if key in claim}
    return {
        "claim": {key: value for key, value in claim.items() if key != "quotient"} | ends,
        "evidence": {key: value for key, value in evidence.items() if key != "quotient"},
        "model": {"states": states, "relation": [list(pair) for pair in related]},
    }


class Judge:
    """The chain and the claim, spelt out."""

    def __init__(self, model: Json, claim: Json) -> None:
        self.names = sorted(model["states"])
        rule(len(self.names) > 0)
        states = [model["states"][name] for name in self.names]
        self.labels = [state["label"] for state in states]
        self.mu = [{self.index(t): Fraction(x) for t, x in state["next"].items()} for state in states]
        for row in self.mu:
            rule(all(x > 0 for x in row.values()) and sum(row.values()) == 1)
        names = model.get("relation", [])
        rule(rising(names) and all([t, s] in names for s, t in names))
        self.relation = [(self.index(s), self.index(t)) for s, t in names]
        self.states = range(len(states))
        self.alike_pairs = [(i, j) for i in self.states for j in self.states if self.are_alike(i, j)]
        self.claim = claim
        self.alpha = Fraction(claim.get("alpha", "1"))
        rule(self.alpha >= 1)
        self.every = claim["scope"] == "all-pairs"
        self.pair = (0, 0) if self.every else (self.index(claim["from"]), self.index(claim["to"]))
        rule(claim["scope"] != "relation" or self.pair in self.relation)
        self.asked = self.relation if claim["scope"] == "relation" else [self.pair]
        self.ways: dict[str, list[dict[Pair, Fraction]]] = {}

    def index(self, name: str) -> int:
        rule(name in self.names)
        return self.names.index(name)

    def are_alike(self, i: int, j: int) -> bool:
        return i != j and self.labels[i] == self.labels[j]

    def b(self, pair: Pair, k: int) -> Fraction:
        return self.mu[pair[0]].get(k, ZERO) - self.alpha * self.mu[pair[1]].get(k, ZERO)

    def gain(self, pair: Pair, f: Mapping[int, Fraction]) -> Fraction:
        return sum((f.get(k, ZERO) * self.b(pair, k) for k in self.states), ZERO)

    def decide(self, evidence: Json) -> None:
        if "symmetries" in evidence:
            evidence = self.written_out(evidence)
        kinds = {"kernel": self.kernel, "bisimilarity": self.classes}
        kinds.get(self.claim["kind"], self.distance)(evidence)

    def pairs(self, rows: Json) -> list[Pair]:
        pairs: list[Pair] = [(row["pair"][0], row["pair"][1]) for row in rows]
        rule(rising(pairs) and all(pair in self.alike_pairs for pair in pairs))
        rule(self.claim["kind"] != "bd" or all(i < j for i, j in pairs))
        return pairs

    # Symmetries: every row is followed by all its images, each with evidence of its own

    def written_out(self, evidence: Json) -> Json:
        group = self.group(evidence["symmetries"])
        plain = {key: value for key, value in evidence.items() if key != "symmetries"}
        if self.claim["kind"] == "kernel":
            walls = plain.pop("separators", None)
            unrelated = plain.get("unrelated", [])
            rule(not {str(row["pair"]) for row in plain["related"]} & self.shadow(group, unrelated))
            written = {key: self.images(group, rows) for key, rows in plain.items()}
            return written if walls is None else written | {"separators": self.moved(group, walls)}
        spread = len(group) > 1 or evidence["symmetries"]
        rule(not any(spread and side.get("clusters") and side["rows"] for side in plain.values()))
        return {key: side | {"rows": self.images(group, side["rows"])} for key, side in plain.items()}

    def group(self, symmetries: Json) -> list[list[int]]:
        for pi in symmetries:
            rule(sorted(pi) == list(self.states))
            for s, t in product(self.states, repeat=2):
                rule(self.mu[pi[s]].get(pi[t], ZERO) == self.mu[s].get(t, ZERO))
                rule((self.labels[pi[s]] == self.labels[pi[t]]) == (self.labels[s] == self.labels[t]))
        group = [list(self.states)]
        for pi in group:
            group += [made for other in symmetries if (made := [other[k] for k in pi]) not in group]
        return group

    def shadow(self, group: list[list[int]], rows: Json) -> set[str]:
        return {str([pi[k] for k in row["pair"]]) for row in rows for pi in group}

    def images(self, group: list[list[int]], rows: Json) -> Json:
        found: dict[Pair, Json] = {}
        for row in rows:
            own: dict[Pair, Json] = {}
            for pi in group:
                image = self.image(pi, row)
                own.setdefault((image["pair"][0], image["pair"][1]), image)
            rule(not own.keys() & found.keys())
            found |= own
        self.pairs(rows)
        return [found[pair] for pair in sorted(found)]

    def moved(self, group: list[list[int]], walls: Json) -> Json:
        for row in walls:
            self.positive(row["potentials"])
        return [
            row | {"potentials": sorted([pi[k], x] for k, x in row["potentials"])}
            for row in walls
            for pi in group
        ]

    def image(self, pi: list[int], row: Json) -> Json:
        image = row | {"pair": [pi[k] for k in row["pair"]]}
        for key in row.keys() & {"coupling", "forward", "backward"}:
            self.weights(row[key])
            image[key] = sorted([pi[i], pi[j], w] for i, j, w in row[key])
        for key in row.keys() & {"potentials", "rank_potentials"}:
            rule(all(k in self.states for entry in row[key] for k in (entry[0], *entry[2:])))
            entries = [[pi[k], how, *(pi[i] for i in other)] for k, how, *other in row[key]]
            listed = key == "rank_potentials" or self.claim["kind"] == "kernel"
            rule(not listed or rising([entry[0] for entry in row[key]]))
            image[key] = sorted(entries) if listed else entries
        if self.claim["kind"] == "bd" and image["pair"][0] > image["pair"][1]:
            turned = {"forward": "backward", "backward": "forward"}
            image["pair"] = image["pair"][::-1]
            image |= {key: image[other] for key, other in turned.items() if other in row}
            image |= {"direction": turned[row["direction"]]} if "direction" in row else {}
        return image

    # ld, lgd, bd

    def distance(self, evidence: Json) -> None:
        lower = evidence.get("exact", evidence.get("lower", {"denominator": "1", "rows": []}))
        upper = evidence.get("exact", evidence.get("upper", {"denominator": "1", "rows": []}))
        d, u = self.table(lower, ZERO), self.table(upper, ONE)
        rule(not (self.every and upper.get("clusters")))
        for table in (lower, upper):
            self.separated(table.get("splitters", []))
        listed = lower.get("detours", [])
        rule(rising(listed) and set(listed) <= set(self.labels))
        self.ways = {label: self.walks(d, label) for label in listed}
        for pair, row in zip(self.pairs(lower["rows"]), lower["rows"], strict=True):
            self.below(d, pair, row, lower)
        for pair, row in zip(self.pairs(upper["rows"]), upper["rows"], strict=True):
            self.above(u, pair, row)
        if self.every:
            width = Fraction(self.claim["width"])
            rule(0 <= width <= 1 and all(u[pair] - d[pair] <= width for pair in self.alike_pairs))
        else:
            least, most = Fraction(self.claim["lower"]), Fraction(self.claim["upper"])
            rule(0 <= least <= most <= 1)
            rule(least <= d[self.pair] and all(u[pair] <= most for pair in self.asked))

    def below(self, d: Mapping[Pair, Fraction], pair: Pair, row: Json, side: Json) -> None:
        self.lower(d, pair if row.get("direction") != "backward" else pair[::-1], row, side)

    def above(self, u: Mapping[Pair, Fraction], pair: Pair, row: Json) -> None:
        if self.claim["kind"] == "bd":
            self.upper(u, pair, row["forward"])
            self.upper(u, pair[::-1], row["backward"])
        else:
            self.upper(u, pair, row["coupling"])

    def both(self, pair: Pair) -> list[Pair]:
        return [pair, pair[::-1]] if self.claim["kind"] == "bd" else [pair]

    def table(self, side: Json, unlisted: Fraction) -> dict[Pair, Fraction]:
        rule(int(side["denominator"]) > 0)
        listed: dict[Pair, Fraction] = {
            order: Fraction(int(row["value"]), int(side["denominator"]))
            for pair, row in zip(self.pairs(side["rows"]), side["rows"], strict=True)
            for order in self.both(pair)
        }
        rule(all(0 <= value <= 1 for value in listed.values()))
        default = {
            (i, j): unlisted if self.are_alike(i, j) else ONE for i in self.states for j in self.states
        }
        near = self.clustered(side)
        rule(all(listed[pair] <= near[pair] for pair in listed.keys() & near.keys()))
        return default | near | {(k, k): ZERO for k in self.states} | listed

    def clustered(self, side: Json) -> dict[Pair, Fraction]:
        """The cluster rule, and what it says of pairs."""
        listed = side.get("clusters", [])
        members = [states for states, _ in listed]
        rule(rising(members) and all(rising(states) and len(states) > 1 for states in members))
        inside = [s for states in members for s in states]
        rule(len(set(inside)) == len(inside) and set(inside) <= {*self.states})
        numbers = [Fraction(int(n), int(side["denominator"])) for _, n in listed]
        cells = [*members, *([s] for s in self.states if s not in inside)]
        missed = [1 - c for c in numbers] + [ONE] * (len(cells) - len(members))
        for states, c in zip(members, numbers, strict=True):
            rule(0 <= c <= 1 and len({self.labels[s] for s in states}) == 1)
            common = (min(self.mass(s, cell) for s in states) for cell in cells)
            rule(sum((m * x for m, x in zip(common, missed, strict=True)), ZERO) >= 1 - c)
        return {
            (i, j): c
            for states, c in zip(members, numbers, strict=True)
            for i, j in product(states, repeat=2)
            if i != j
        }

    def weights(self, coupling: Json) -> dict[Pair, Fraction]:
        rule(rising([(i, j) for i, j, _ in coupling]))
        rule(all(i in self.states and j in self.states for i, j, _ in coupling))
        w = {(i, j): Fraction(x) for i, j, x in coupling}
        rule(all(x > 0 and i != j for (i, j), x in w.items()))
        return w

    def left(self, pair: Pair, w: Mapping[Pair, Fraction], k: int) -> Fraction:
        out = sum((x for (i, _), x in w.items() if i == k), ZERO)
        into = sum((x for (_, j), x in w.items() if j == k), ZERO)
        return max(ZERO, self.b(pair, k) - out + self.alpha * into)

    def upper(self, u: Mapping[Pair, Fraction], pair: Pair, coupling: Json) -> None:
        w = self.weights(coupling)
        cost = sum((x * u[step] for step, x in w.items()), ZERO)
        rule(cost + sum((self.left(pair, w, k) for k in self.states), ZERO) <= u[pair])

    def potentials(self, d: Mapping[Pair, Fraction], pair: Pair, entries: Json) -> dict[int, Fraction]:
        """f on F, the states with an entry and those with b < 0."""
        f: dict[int, Fraction] = {}
        for k, how, *source in entries:
            rule(k in self.states and k not in f)
            if not source:
                f[k] = Fraction(how)
                continue
            i = source[0]
            rule(i in self.states)
            if how == "to" and i not in f and self.b(pair, i) < 0:
                f[i] = ZERO  # for good: it may have no entry below
            rule(i in f and self.are_alike(i, k))
            f[k] = (f[i] - d[i, k]) / self.alpha if how == "from" else d[k, i] + self.alpha * f[i]
        return {k: ZERO for k in self.states if self.b(pair, k) < 0} | f

    def walks(self, d: Mapping[Pair, Fraction], label: str) -> list[dict[Pair, Fraction]]:
        """The costs of the cheapest ways of 1, 2, … arcs between states of a label, detours or not."""
        members = [k for k in self.states if self.labels[k] == label]
        costs = [{(i, j): d[i, j] for i in members for j in members if i != j}]
        while len(costs) < len(members) - 1:
            costs.append(
                {
                    (i, j): min(d[i, k] + self.alpha * costs[-1][k, j] for k in members if k not in (i, j))
                    for i, j in costs[-1]
                }
            )
        return costs

    def smooth(self, d: Mapping[Pair, Fraction], f: Mapping[int, Fraction]) -> None:
        """0 ≤ f ≤ 1 on F, and f extends from F to the free states."""
        rule(all(0 <= x <= 1 for x in f.values()))
        for i, j in self.alike_pairs:
            if i in f and j in f:
                rule(f[i] <= d[i, j] + self.alpha * f[j])
                if self.labels[i] in self.ways:
                    for h, cost in enumerate(self.ways[self.labels[i]], 1):
                        rule(f[i] <= cost[i, j] + self.alpha**h * f[j])
                    continue
                free = [u for u in self.states if u not in f and self.labels[u] == self.labels[i]]
                if free:
                    near, far = min(d[i, u] for u in free), min(d[u, j] for u in free)
                    rule(f[i] <= near + self.alpha * far + self.alpha**2 * f[j])

    def lower(self, d: Mapping[Pair, Fraction], pair: Pair, row: Json, side: Json) -> None:
        f = self.potentials(d, pair, row["potentials"])
        self.smooth(d, f)
        gain = self.gain(pair, f)
        rule(gain >= d[pair])
        if "rank" not in row:
            split = d[pair] == 1 and pair in self.separated(side.get("splitters", []))
            rule(d[pair] == 0 or gain > d[pair] or split)
            return
        rule(d[pair] > 0 and row["rank"] >= 1)
        g = self.positive(row["rank_potentials"])
        for other in side["rows"]:
            for i, j in self.both((other["pair"][0], other["pair"][1])):
                if d[i, j] == d[pair] and other.get("rank", 0) >= row["rank"] and (i, j) in self.ties(pair):
                    rule(g.get(i, ZERO) <= self.alpha * g.get(j, ZERO))
        rule(self.gain(pair, g) > 0)

    def ties(self, pair: Pair) -> list[Pair]:
        """The pairs of equal label that rank potentials of the pair may have to respect."""
        return self.alike_pairs if pair in self.alike_pairs else []

    def positive(self, entries: Json) -> dict[int, Fraction]:
        rule(rising([k for k, _ in entries]) and all(k in self.states for k, _ in entries))
        g = {k: Fraction(x) for k, x in entries}
        rule(all(x > 0 for x in g.values()))
        return g

    # Kernel and bisimilarity

    def kernel(self, evidence: Json) -> None:
        related, rows = self.pairs(evidence["related"]), evidence.get("unrelated", [])
        ranks = {pair: row["rank"] for pair, row in zip(self.pairs(rows), rows, strict=True)}
        rule(not ranks.keys() & set(related))
        for row in evidence["related"]:
            w = self.weights(row["coupling"])
            pair = (row["pair"][0], row["pair"][1])
            rule(all(step in related for step in w) and not any(self.left(pair, w, k) for k in self.states))
        for row in rows:
            g = self.positive(row["potentials"])
            rule(row["rank"] >= 1)
            for i, j in self.alike_pairs:
                if ranks.get((i, j), row["rank"]) >= row["rank"]:
                    rule(g.get(i, ZERO) <= self.alpha * g.get(j, ZERO))
            rule(self.gain((row["pair"][0], row["pair"][1]), g) > 0)
        parted = self.parted(evidence.get("separators", [])) | set(ranks)
        rule(not parted & set(related))
        apart = {(i, j) for i, j in product(self.states, repeat=2) if self.labels[i] != self.labels[j]}
        self.settle({(k, k) for k in self.states} | set(related), apart | parted)
        rule(not self.every or all(pair in related or pair in parted for pair in self.alike_pairs))

    def parted(self, walls: Json) -> set[Pair]:
        """The pairs that separators separate, potentials being raised arc by arc until nothing rises."""
        ranks = [row["rank"] for row in walls]
        rule(ranks == sorted(ranks) and all(rank >= 1 for rank in ranks))
        found: list[tuple[int, Pair]] = []
        for row in walls:
            g = self.positive(row["potentials"])
            gone = {pair for rank, pair in found if rank < row["rank"]}
            rising = True
            while rising:
                rising = False
                for i, j in self.alike_pairs:
                    if (i, j) not in gone and g.get(i, ZERO) / self.alpha > g.get(j, ZERO):
                        g[j], rising = g[i] / self.alpha, True
            found += [(row["rank"], pair) for pair in self.alike_pairs if self.gain(pair, g) > 0]
        return {pair for _, pair in found}

    def classes(self, evidence: Json) -> None:
        n = len(self.states)
        zeros = {(k, k) for k in self.states}
        ones: set[Pair] = set()
        rule(len(evidence) > 0)
        if "classes" in evidence:
            blocks = evidence["classes"]
            rule(all(rising(block) and block for block in blocks) and rising([block[0] for block in blocks]))
            rule(sorted(s for block in blocks for s in block) == list(range(n)))
            for block in blocks:
                rule(len({self.labels[s] for s in block}) == 1)
                rule(all(len({self.mass(s, other) for s in block}) == 1 for other in blocks))
                zeros |= set(product(block, repeat=2))
        if "splitters" in evidence:
            ones = self.separated(evidence["splitters"])
        self.settle(zeros, ones)
        rule(not self.every or len(evidence) == 2)
        rule(not self.every or zeros | ones == set(product(self.states, repeat=2)))

    def separated(self, splitters: Json) -> set[Pair]:
        """The pairs that the last partition separates."""
        labels = sorted(set(self.labels))
        partition = [[s for s in self.states if self.labels[s] == label] for label in labels]
        for splitter in splitters:
            rule(rising(splitter) and len(splitter) > 0 and all(s in self.states for s in splitter))
            rule(all(set(part) <= set(splitter) or not set(part) & set(splitter) for part in partition))
            partition = [
                [s for s in part if self.mass(s, splitter) == mass]
                for part in partition
                for mass in sorted({self.mass(s, splitter) for s in part})
            ]
        block = {s: n for n, part in enumerate(partition) for s in part}
        return {(s, t) for s, t in product(self.states, repeat=2) if block[s] != block[t]}

    def mass(self, s: int, block: Json) -> Fraction:
        return sum((self.mu[s].get(t, ZERO) for t in block), ZERO)

    def settle(self, zeros: set[Pair], ones: set[Pair]) -> None:
        if not self.every:
            rule(
                self.pair in ones if self.claim["value"] == "1" else all(pair in zeros for pair in self.asked)
            )
