"""Certificates made by hand, small enough to be checked on paper, and ways to write and edit certificates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Json = Any
States = Mapping[str, tuple[str, Mapping[str, str]]]
Path = tuple[str | int, ...]


def encode(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode("ascii")


def model(states: States, relation: Sequence[Sequence[str]] | None = None) -> Json:
    listed = {name: {"label": label, "next": dict(row)} for name, (label, row) in states.items()}
    related = {} if relation is None else {"relation": [list(pair) for pair in relation]}
    return {"states": listed, "type": "labelled-markov-chain", "version": 1} | related


def certificate(claim: Json, chain: Json, evidence: Json) -> Json:
    return {
        "claim": claim,
        "evidence": evidence,
        "format": "prover-certificate",
        "model": chain,
        "version": 1,
    }


def replaced(tree: Json, path: Path, value: Json) -> Json:
    """A copy of the tree with another value at the path, which may also be a new key."""
    if not path:
        return value
    copy: Json = tree.copy()
    copy[path[0]] = replaced(copy[path[0]], path[1:], value) if path[1:] else value
    return copy


def dropped(tree: Json, path: Path) -> Json:
    """A copy of the tree without what is at the path."""
    copy: Json = tree.copy()
    if path[1:]:
        copy[path[0]] = dropped(copy[path[0]], path[1:])
    else:
        del copy[path[0]]
    return copy


def found(tree: Json, path: Path) -> Json:
    for step in path:
        tree = tree[step]
    return tree


# i, k and j reach A with probability 9/20, 3/10, 1/5. Mass may go from i to j by k, which nothing enters.
# Indices: A 0, B 1, i 2, j 3, k 4, s 5, t 6, z 7.
WALK_STATES: States = {
    "A": ("A", {"A": "1"}),
    "B": ("B", {"B": "1"}),
    "i": ("mid", {"A": "9/20", "B": "11/20"}),
    "j": ("mid", {"A": "1/5", "B": "4/5"}),
    "k": ("mid", {"A": "3/10", "B": "7/10"}),
    "s": ("start", {"i": "2/5", "z": "3/5"}),
    "t": ("start", {"j": "3/5", "z": "2/5"}),
    "z": ("z", {"z": "1"}),
}
WALK_ROWS: Json = [
    # b_A = 9/20 - 8/5 1/5 = 13/100, b_B = 11/20 - 8/5 4/5 < 0
    {
        "coupling": [],
        "pair": [2, 3],
        "potentials": [[0, "1"]],
        "rank": 1,
        "rank_potentials": [[0, "1"]],
        "value": "195",
    },
    {"coupling": [], "pair": [2, 4], "potentials": [], "value": "0"},
    {"coupling": [], "pair": [3, 2], "potentials": [], "value": "0"},
    {"coupling": [], "pair": [4, 3], "potentials": [], "value": "0"},
    # b_i = 2/5, b_j = -24/25, b_z = -1/25; f_j = 13/96, f_k = 13/60, f_i = 26/75
    {
        "coupling": [[2, 3, "1/15"], [2, 4, "1/3"], [4, 3, "8/15"]],
        "pair": [5, 6],
        "potentials": [[3, "13/96"], [2, "to", 3], [4, "from", 2]],
        "rank": 1,
        "rank_potentials": [[2, "1"]],
        "value": "13",
    },
    # b_j = 3/5, b_i = -16/25; f_j = 1, f_i = f_k = 5/8
    {
        "coupling": [[3, 2, "2/5"]],
        "pair": [6, 5],
        "potentials": [[3, "1"], [2, "from", 3], [4, "from", 3]],
        "rank": 1,
        "rank_potentials": [[3, "1"]],
        "value": "300",
    },
]
WALK_EVIDENCE: Json = {"exact": {"denominator": "1500", "rows": WALK_ROWS}}


def pair_claim(kind: str, start: str, end: str, lower: str, upper: str, alpha: str = "8/5") -> Json:
    numbers = {"alpha": alpha, "lower": lower, "upper": upper}
    return {"from": start, "kind": kind, "scope": "pair", "to": end} | numbers


WALK: Json = certificate(pair_claim("ld", "s", "t", "13/1500", "13/1500"), model(WALK_STATES), WALK_EVIDENCE)

# The same without potentials of k: from i to j it costs nothing by way of k, where α² f_j arrives.
DETOURS: Json = replaced(
    WALK,
    ("evidence", "exact"),
    {
        "denominator": "1500",
        "detours": ["mid"],
        "rows": [{**row, "potentials": [f for f in row["potentials"] if f[0] != 4]} for row in WALK_ROWS],
    },
)

# The relation holds (s,t) and (t,s), whose distances are 13/1500 and 1/5.
RELATION: Json = certificate(
    pair_claim("lgd", "t", "s", "1/5", "1/5") | {"scope": "relation"},
    model(WALK_STATES, [["s", "t"], ["t", "s"]]),
    WALK_EVIDENCE,
)

# The same with a table for each side, and slack: nothing is known of (t,s) from above.
INTERVAL: Json = certificate(
    pair_claim("ld", "s", "t", "1/500", "1/100"),
    model(WALK_STATES),
    {
        "lower": {
            "denominator": "1500",
            "rows": [
                {key: row[key] for key in row if key != "coupling"}
                for row in WALK_ROWS
                if row["pair"] in ([2, 3], [5, 6])
            ],
        },
        "upper": {
            "denominator": "100",
            "rows": [
                {"coupling": [], "pair": [2, 3], "value": "14"},
                {"coupling": [], "pair": [2, 4], "value": "0"},
                {"coupling": [], "pair": [4, 3], "value": "0"},
                {"coupling": WALK_ROWS[4]["coupling"], "pair": [5, 6], "value": "1"},
            ],
        },
    },
)

# The symmetric distance: d(i,j) = 13/100 in both orders, and (t,s) costs 63/250, more than (s,t) does.
SYMMETRIC_ROWS: Json = [
    {
        "backward": [],
        "direction": "forward",
        "forward": [],
        "pair": [2, 3],
        "potentials": [[0, "1"]],
        "rank": 1,
        "rank_potentials": [[0, "1"]],
        "value": "195",
    },
    {"backward": [], "direction": "forward", "forward": [], "pair": [2, 4], "potentials": [], "value": "0"},
    {"backward": [], "direction": "backward", "forward": [], "pair": [3, 4], "potentials": [], "value": "0"},
    # b_j = 3/5, b_i = -16/25; f_j = 1, f_i = 87/160; k is free
    {
        "backward": [[3, 2, "2/5"]],
        "direction": "backward",
        "forward": [[2, 3, "1/15"], [2, 4, "1/3"], [4, 3, "8/15"]],
        "pair": [5, 6],
        "potentials": [[3, "1"], [2, "from", 3]],
        "rank": 1,
        "rank_potentials": [[3, "1"]],
        "value": "378",
    },
]
SYMMETRIC: Json = certificate(
    pair_claim("bd", "s", "t", "63/250", "63/250") | {"scope": "relation"},
    model(WALK_STATES, [["s", "t"], ["t", "s"]]),
    {"exact": {"denominator": "1500", "rows": SYMMETRIC_ROWS}},
)

# s and t go to u and v, which go to A and B: all distances of pairs are 1, and (s,t) must outrank (u,v).
# Indices: A 0, B 1, s 2, t 3, u 4, v 5.
LADDER_STATES: dict[str, tuple[str, Mapping[str, str]]] = {
    "A": ("A", {"A": "1"}),
    "B": ("B", {"B": "1"}),
    "s": ("one", {"u": "1"}),
    "t": ("one", {"v": "1"}),
    "u": ("two", {"A": "1"}),
    "v": ("two", {"B": "1"}),
}


def ladder_row(pair: list[int], state: int, rank: int, coupling: Json) -> Json:
    common = {"coupling": coupling, "pair": pair, "value": "1"}
    return common | {"potentials": [[state, "1"]], "rank": rank, "rank_potentials": [[state, "1"]]}


LADDER: Json = certificate(
    {"alpha": "2", "kind": "ld", "scope": "all-pairs", "width": "0"},
    model(LADDER_STATES),
    {
        "exact": {
            "denominator": "1",
            "rows": [
                ladder_row([2, 3], 4, 2, [[4, 5, "1"]]),
                ladder_row([3, 2], 5, 2, [[5, 4, "1"]]),
                ladder_row([4, 5], 0, 1, []),
                ladder_row([5, 4], 1, 1, []),
            ],
        }
    },
)

# Either half of the ladder is the mirror image of the other: two rows say it all.
MIRROR: Json = [[1, 0, 3, 2, 5, 4]]
MIRRORED: Json = certificate(
    LADDER["claim"],
    LADDER["model"],
    {
        "exact": {
            "denominator": "1",
            "rows": [ladder_row([2, 3], 4, 2, [[4, 5, "1"]]), ladder_row([4, 5], 0, 1, [])],
        },
        "symmetries": MIRROR,
    },
)
MIRRORED_BD: Json = certificate(
    {"alpha": "2", "from": "s", "kind": "bd", "lower": "1", "scope": "pair", "to": "t", "upper": "1"},
    LADDER["model"],
    {
        "lower": {
            "denominator": "2",
            "rows": [
                {key: row[key] for key in row if key != "coupling"} | {"direction": "backward", "value": "2"}
                for row in (ladder_row([2, 3], 5, 2, []), ladder_row([4, 5], 1, 1, []))
            ],
        },
        "symmetries": MIRROR,
    },
)
MIRRORED_KERNEL: Json = certificate(
    {"alpha": "2", "kind": "kernel", "scope": "all-pairs"},
    LADDER["model"],
    {
        "related": [],
        "symmetries": MIRROR,
        "unrelated": [
            {"pair": [2, 3], "potentials": [[4, "1"]], "rank": 2},
            {"pair": [4, 5], "potentials": [[0, "1"]], "rank": 1},
        ],
    },
)

# The walk at 3/2, where s and t are related by way of k; only (i,j) and (t,s) are unrelated.
KERNEL_EVIDENCE: Json = {
    "related": [
        {"coupling": [], "pair": [2, 4]},
        {"coupling": [], "pair": [3, 2]},
        {"coupling": [], "pair": [3, 4]},
        {"coupling": [], "pair": [4, 2]},
        {"coupling": [], "pair": [4, 3]},
        {"coupling": [[2, 4, "2/5"], [4, 3, "3/5"]], "pair": [5, 6]},
    ],
    "unrelated": [
        {"pair": [2, 3], "potentials": [[0, "1"]], "rank": 1},
        {"pair": [6, 5], "potentials": [[2, "2"], [3, "3"], [4, "2"]], "rank": 1},
    ],
}
KERNEL: Json = certificate(
    {"alpha": "3/2", "kind": "kernel", "scope": "all-pairs"}, model(WALK_STATES), KERNEL_EVIDENCE
)
# j gives 3, and i and k 3 divided by α, which is 2; (i,k) and (k,j) just keep α.
SEPARATORS_EVIDENCE: Json = {
    "related": KERNEL_EVIDENCE["related"],
    "separators": [{"potentials": [[0, "1"]], "rank": 1}, {"potentials": [[3, "3"]], "rank": 1}],
}
SEPARATORS: Json = replaced(KERNEL, ("evidence",), SEPARATORS_EVIDENCE)
SEPARATORS_PAIR: Json = certificate(
    {"alpha": "3/2", "from": "t", "kind": "kernel", "scope": "pair", "to": "s", "value": "1"},
    model(WALK_STATES),
    {"related": [], "separators": [{"potentials": [[3, "1/7"]], "rank": 4}]},
)
MIRRORED_SEPARATORS: Json = replaced(
    MIRRORED_KERNEL,
    ("evidence",),
    {
        "related": [],
        "separators": [{"potentials": [[0, "1"]], "rank": 1}, {"potentials": [[4, "1"]], "rank": 2}],
        "symmetries": MIRROR,
    },
)
KERNEL_PAIR: Json = certificate(
    {"alpha": "3/2", "from": "s", "kind": "kernel", "scope": "pair", "to": "t", "value": "0"},
    model(WALK_STATES),
    KERNEL_EVIDENCE,
)
KERNEL_RELATION: Json = certificate(
    {"alpha": "3/2", "from": "t", "kind": "kernel", "scope": "relation", "to": "s", "value": "1"},
    model(WALK_STATES, [["s", "t"], ["t", "s"]]),
    KERNEL_EVIDENCE,
)

# s and t are bisimilar, u is not. Indices: s 0, t 1, u 2, x 3, x' 4, y 5.
BISIMILARITY_STATES: States = {
    "s": ("S", {"x": "1/3", "y": "2/3"}),
    "t": ("S", {"x'": "1/3", "y": "2/3"}),
    "u": ("S", {"x": "1/4", "x'": "1/4", "y": "1/2"}),
    "x": ("X", {"x": "1"}),
    "x'": ("X", {"x'": "1"}),
    "y": ("Y", {"y": "1"}),
}
BISIMILARITY_EVIDENCE: Json = {"classes": [[0, 1], [2], [3, 4], [5]], "splitters": [[3, 4]]}
BISIMILARITY: Json = certificate(
    {"kind": "bisimilarity", "scope": "all-pairs"}, model(BISIMILARITY_STATES), BISIMILARITY_EVIDENCE
)
BISIMILARITY_PAIR: Json = certificate(
    {"from": "s", "kind": "bisimilarity", "scope": "pair", "to": "u", "value": "1"},
    model(BISIMILARITY_STATES),
    {"splitters": [[3, 4]]},
)
BISIMILARITY_RELATION: Json = certificate(
    {"from": "s", "kind": "bisimilarity", "scope": "relation", "to": "t", "value": "0"},
    model(BISIMILARITY_STATES, [["s", "t"], ["t", "s"]]),
    {"classes": BISIMILARITY_EVIDENCE["classes"]},
)

# s and t go to e and f, which are bisimilar: the quotient loses 3/5 − 11/10 · 1/2, and the chain twice that.
# Indices: e 0, f 1, g 2, s 3, t 4; classes: 0 of e and f, 1 of g, 2 of s, 3 of t.
QUOTIENT_STATES: States = {
    "e": ("e", {"e": "1"}),
    "f": ("e", {"f": "1"}),
    "g": ("g", {"g": "1"}),
    "s": ("S", {"e": "3/5", "g": "2/5"}),
    "t": ("S", {"f": "1/2", "g": "1/2"}),
}
QUOTIENT_EVIDENCE: Json = {
    "exact": {
        "denominator": "100",
        "rows": [
            {
                "coupling": [],
                "pair": [2, 3],
                "potentials": [[0, "1"]],
                "rank": 1,
                "rank_potentials": [[0, "1"]],
                "value": "5",
            },
            {
                "coupling": [],
                "pair": [3, 2],
                "potentials": [[1, "1"]],
                "rank": 1,
                "rank_potentials": [[1, "1"]],
                "value": "6",
            },
        ],
    },
    "quotient": {"classes": [[0, 1], [2], [3], [4]], "splitters": [[2]]},
}
QUOTIENT: Json = certificate(
    pair_claim("ld", "s", "t", "1/20", "1/20", "11/10") | {"quotient": "bisimilarity"},
    model(QUOTIENT_STATES),
    QUOTIENT_EVIDENCE,
)
QUOTIENT_ALL: Json = certificate(
    {"alpha": "11/10", "kind": "lgd", "quotient": "bisimilarity", "scope": "all-pairs", "width": "0"},
    model(QUOTIENT_STATES),
    QUOTIENT_EVIDENCE,
)
QUOTIENT_RELATION: Json = certificate(
    pair_claim("ld", "t", "s", "3/50", "3/50", "11/10") | {"quotient": "bisimilarity", "scope": "relation"},
    model(QUOTIENT_STATES, [["e", "f"], ["f", "e"], ["s", "t"], ["t", "s"]]),
    QUOTIENT_EVIDENCE,
)

SAMPLES: Mapping[str, Json] = {
    "walk": WALK,
    "detours": DETOURS,
    "relation": RELATION,
    "interval": INTERVAL,
    "ladder": LADDER,
    "symmetric": SYMMETRIC,
    "mirrored": MIRRORED,
    "quotient": QUOTIENT,
    "mirrored-bd": MIRRORED_BD,
    "mirrored-kernel": MIRRORED_KERNEL,
    "kernel": KERNEL,
    "separators": SEPARATORS,
    "separators-pair": SEPARATORS_PAIR,
    "mirrored-separators": MIRRORED_SEPARATORS,
    "kernel-pair": KERNEL_PAIR,
    "kernel-relation": KERNEL_RELATION,
    "bisimilarity": BISIMILARITY,
    "bisimilarity-pair": BISIMILARITY_PAIR,
    "bisimilarity-relation": BISIMILARITY_RELATION,
}
