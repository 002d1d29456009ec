"""Large certificates of chains whose distances are known: how long does the checker take?"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from tests.certificate.samples import certificate, model, pair_claim
from tests.certificate.unrolling_samples import inner, leaf, unrolling

Json = Any
LEAVES = "ABCDE"


def large(pairs: int, factor: int, denominator: int = 997) -> Json:
    """All distances at α = 1: 2 pairs (pairs − 1) rows, whose numbers are all multiples of the factor.

    s_i goes to the leaves, u_i to s_i; both distances (i,j) are the total variation of the rows of s_i, s_j.
    The triangle inequality makes f_k = max(0, d(i,j) − d(i,k)) potentials that no outside state spoils.
    """
    random = Random(1)
    weights = []
    for _ in range(pairs):
        cuts = sorted(random.sample(range(1, denominator), len(LEAVES) - 1))
        weights.append([high - low for low, high in zip([0, *cuts], [*cuts, denominator], strict=True)])
    s, u = ([f"{letter}{i:03}" for i in range(pairs)] for letter in "su")
    states: dict[str, tuple[str, dict[str, str]]] = {leaf: (leaf, {leaf: "1"}) for leaf in LEAVES}
    for i, row in enumerate(weights):
        states[s[i]] = (
            "s",
            {leaf: str(Fraction(w, denominator)) for leaf, w in zip(LEAVES, row, strict=True)},
        )
        states[u[i]] = ("u", {s[i]: "1"})
    d = [[sum(max(0, x - y) for x, y in zip(v, w, strict=True)) for w in weights] for v in weights]
    first, second = len(LEAVES), len(LEAVES) + pairs
    lower_layer, upper_layer = [], []
    for i in range(pairs):
        for j in range(pairs):
            if i == j:
                continue
            value = str(d[i][j] * factor)
            ahead = [[k, "1"] for k in range(len(LEAVES)) if weights[i][k] > weights[j][k]]
            low = {"coupling": [], "pair": [first + i, first + j], "potentials": ahead, "value": value}
            lower_layer.append(low | {"rank": 1, "rank_potentials": ahead})
            near = [[first + k, "from", first + i] for k in range(pairs) if k != i and d[i][k] < d[i][j]]
            high = {
                "coupling": [[first + i, first + j, "1"]],
                "pair": [second + i, second + j],
                "potentials": [[first + j, "0"], [first + i, "to", first + j], *near],
                "value": value,
            }
            upper_layer.append(high | {"rank": 2, "rank_potentials": [[first + i, "1"]]})
    table = {"denominator": str(denominator * factor), "rows": [*lower_layer, *upper_layer]}
    claim = {"alpha": "1", "kind": "ld", "scope": "all-pairs", "width": "0"}
    return certificate(claim, model(states), {"exact": table})


def deep(width: int, depth: int, denominator: int = 997) -> Json:
    """Two layers of `width` states that any of them goes to, and `depth` turns from one layer to the other.

    s and t enter the first in the same way, but for 1/denominator. Each turn, half of the mass leaves: the
    nodes have vectors over all states of a layer, whose numbers grow longer and longer.
    """
    random = Random(2)
    states: dict[str, tuple[str, dict[str, str]]] = {end: (end, {end: "1"}) for end in "AB"}
    for layer, other in ("ab", "ba"):
        for k in range(width):
            cuts = sorted(random.sample(range(1, denominator), 2))
            parts = [cuts[0], cuts[1] - cuts[0], denominator - cuts[1]]
            targets = [f"{other}{n:03}" for n in random.sample(range(width), 3)]
            row = {t: str(Fraction(n, 2 * denominator)) for t, n in zip(targets, parts, strict=True)}
            states[f"{layer}{k:03}"] = (layer, {"A": "1/2", **row})
    weights = [random.randint(1, 9) for _ in range(width)]
    whole = sum(weights) * denominator
    for name, sink in (("s", "A"), ("t", "B")):
        row = {f"a{k:03}": str(Fraction(w * (denominator - 1), whole)) for k, w in enumerate(weights)}
        states[name] = ("start", {sink: str(Fraction(1, denominator)), **row})
    first, value = 2 + 2 * width, str(Fraction(1, denominator))
    nodes = [inner(value, value, ["A", 1], ["a", 2]), leaf()]
    for n in range(depth):
        nodes += [inner("0", "0", ["A", 2 * n + 3], ["ab"[(n + 1) % 2], 2 * n + 4]), leaf()]
    claim = pair_claim("lv", "s", "t", value, value, "1")
    return certificate(claim, model(states), unrolling([[first, first + 1]], *nodes, leaf()))
