"""Certificates of lv and tv made by hand: circles, merged nodes, a quotient, a table of distances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.samples import WALK_STATES, States, certificate, model, pair_claim

Json = Any


def inner(lower: str, upper: str, *entries: Json) -> Json:
    return {"lower": lower, "next": list(entries), "upper": upper}


def leaf(*coupling: Json) -> Json:
    return {"coupling": list(coupling)}


def balanced(*entries: Json) -> Json:
    return {"balanced": list(entries)}


def unrolling(roots: Json, *nodes: Json) -> Json:
    return {"unrolling": {"nodes": list(nodes), "roots": roots}}


# A checker of PINs, which after two right digits is where it was. Indices: 0, 1, 2, 3, end 4.
PIN_STATES: States = {
    "0": ("a", {"2": "47/100", "end": "53/100"}),
    "1": ("a", {"3": "53/100", "end": "47/100"}),
    "2": ("b", {"0": "53/100", "end": "47/100"}),
    "3": ("b", {"1": "47/100", "end": "53/100"}),
    "end": ("end", {"end": "1"}),
}


def pin_nodes(root: int, first: int, outer: str, within: str) -> list[Json]:
    """Root, the node after b, and its end; the root's end is that of the caller."""
    return [
        inner(outer, outer, ["b", first], ["end", first + 1]),
        inner(within, within, ["a", root, "2491/10000"], ["end", first + 2]),
        leaf(),
        leaf(),
    ]


# v_0 = 6/100 + v_1 and v_1 = 2491/10000 v_0: after b, the end has 2209 < 2809.
PIN: Json = certificate(
    pair_claim("lv", "0", "1", "200/2503", "200/2503", "1"),
    model(PIN_STATES),
    unrolling([[0, 1]], *pin_nodes(0, 1, "200/2503", "2491/125150")),
)

# At 11/10, forwards 53 - 11/10 47 = 13/10 is gained at the first end, backwards 2809 - 11/10 2209 after b.
FORWARD, FORWARD_WITHIN = "130/7509", "32383/7509000"
BACKWARD = "3791/75090"
PIN_BOTH: Json = certificate(
    pair_claim("tv", "0", "1", BACKWARD, BACKWARD, "11/10") | {"scope": "relation"},
    model(PIN_STATES, [["0", "1"], ["1", "0"]]),
    unrolling(
        [[0, 1], [1, 0]],
        pin_nodes(0, 2, FORWARD, FORWARD_WITHIN)[0],
        pin_nodes(1, 5, BACKWARD, BACKWARD)[0],
        *pin_nodes(0, 2, FORWARD, FORWARD_WITHIN)[1:],
        *pin_nodes(1, 5, BACKWARD, BACKWARD)[1:],
    ),
)

# After U the measures on E are 1/4 and 1/8, after V 1/6 and 1/12: 3/2 of a node that comes later.
# Indices: E 0, F 1, s 2, t 3, u 4, v 5, w 6, z 7.
MERGED: Json = certificate(
    pair_claim("lv", "s", "t", "5/24", "5/24", "1"),
    model(
        {
            "E": ("E", {"E": "1"}),
            "F": ("F", {"F": "1"}),
            "s": ("S", {"u": "1/2", "v": "1/2"}),
            "t": ("S", {"w": "1/2", "z": "1/2"}),
            "u": ("U", {"E": "1/2", "F": "1/2"}),
            "v": ("V", {"E": "1/3", "F": "2/3"}),
            "w": ("U", {"E": "1/4", "F": "3/4"}),
            "z": ("V", {"E": "1/6", "F": "5/6"}),
        }
    ),
    unrolling(
        [[2, 3]],
        inner("5/24", "5/24", ["U", 1], ["V", 2]),
        inner("1/8", "1/8", ["E", 4, "3/2"], ["F", 3]),
        inner("1/12", "1/12", ["E", 4], ["F", 5]),
        leaf(),
        leaf(),
        leaf(),
    ),
)

# From m a run is lost with probability 1/16, from t with 3/64. The chain itself gains 1/2 - 1/4.
# Indices: e 0, f 1, lost 2, m 3, s 4, t 5.
LOST: Json = certificate(
    pair_claim("lv", "s", "t", "5/32", "19/64", "1") | {"lost": "lost"},
    model(
        {
            "e": ("E", {"e": "1"}),
            "f": ("F", {"f": "1"}),
            "lost": ("lost", {"lost": "1"}),
            "m": ("M", {"f": "15/16", "lost": "1/16"}),
            "s": ("S", {"e": "1/2", "m": "1/2"}),
            "t": ("S", {"e": "1/4", "m": "3/4"}),
        }
    ),
    unrolling([[4, 5]], inner("1/4", "1/4", ["E", 1], ["M", 2]), leaf(), leaf())
    | {"lost": [[2, "1"], [3, "1/16"], [4, "1/32"], [5, "3/64"]]},
)

# e and e' are bisimilar: 3/5 - 11/10 1/2 = 1/20, where a coupling of the whole chain leaves 1/10 or more.
# Classes: e and e' 0, g 1, s 2, t 3.
QUOTIENT: Json = certificate(
    pair_claim("lv", "s", "t", "1/20", "1/20", "11/10"),
    model(
        {
            "e": ("E", {"e": "1"}),
            "e'": ("E", {"e'": "1"}),
            "g": ("G", {"g": "1"}),
            "s": ("S", {"e": "3/5", "g": "2/5"}),
            "t": ("S", {"e'": "1/2", "g": "1/2"}),
        }
    ),
    unrolling([[2, 3]], inner("1/20", "1/20", ["E", 1], ["G", 2]), leaf(), leaf())
    | {"classes": [[0, 1], [2], [3], [4]]},
)

WALK_DISTANCES: Json = [
    {"coupling": [], "pair": [2, 3], "value": "14"},
    {"coupling": [], "pair": [2, 4], "value": "0"},
    {"coupling": [], "pair": [3, 2], "value": "0"},
    {"coupling": [], "pair": [4, 3], "value": "0"},
]

# The walk: 2/5 at i and 3/5 at j are coupled by way of k, for 1/15 of the distance 14/100.
DISTANCE: Json = certificate(
    pair_claim("tv", "s", "t", "0", "1/5"),
    model(WALK_STATES),
    unrolling(
        [[5, 6], [6, 5]],
        inner("0", "7/750", ["mid", 2], ["z", 3]),
        inner("0", "1/5", ["mid", 4], ["z", 5]),
        leaf([2, 3, "1/15"], [2, 4, "1/3"], [4, 3, "8/15"]),
        leaf(),
        leaf([3, 2, "2/5"]),
        leaf(),
    )
    | {"distance": {"denominator": "100", "rows": WALK_DISTANCES}},
)

# After l, s draws a or b, and t has drawn it before: no states are bisimilar, but words are alike, for ever.
# Indices: m 0, na 1, nb 2, pa 3, pb 4, qa 5, qb 6, r 7, s 8, t 9, z 10. r is s but for a fifth of its runs.
EARLY_STATES: States = {
    "r": ("x", {"m": "4/5", "z": "1/5"}),
    "s": ("x", {"m": "1"}),
    "m": ("l", {"pa": "1/2", "pb": "1/2"}),
    "pa": ("a", {"s": "1"}),
    "pb": ("b", {"s": "1"}),
    "t": ("x", {"na": "1/2", "nb": "1/2"}),
    "na": ("l", {"qa": "1"}),
    "nb": ("l", {"qb": "1"}),
    "qa": ("a", {"t": "1"}),
    "qb": ("b", {"t": "1"}),
    "z": ("z", {"z": "1"}),
}
BALANCED: Json = certificate(
    pair_claim("lv", "t", "r", "1/5", "1/5", "1"),
    model(EARLY_STATES),
    unrolling(
        [[9, 7]],
        inner("1/5", "1/5", ["l", 1]),
        balanced(["a", 2], ["b", 3]),
        balanced(["x", 4]),
        balanced(["x", 4, "1"]),
        balanced(["l", 1, "1/2"]),
    ),
)

UNROLLING_SAMPLES: Mapping[str, Json] = {
    "pin": PIN,
    "balanced": BALANCED,
    "pin-both": PIN_BOTH,
    "merged": MERGED,
    "quotient": QUOTIENT,
    "walk-unrolled": DISTANCE,
    "lost": LOST,
}

# ld and bd of the checker of PINs are 6/53, as 6/53 = 6/100 + 47/100 6/53; the events above gain less.
PIN_ROWS: Json = [
    {"pair": [0, 1], "value": "6", "forward": [[2, 3, "47/100"]], "backward": [[3, 2, "47/100"]]},
    {"pair": [2, 3], "value": "6", "forward": [[0, 1, "47/100"]], "backward": [[1, 0, "47/100"]]},
]
PIN_EVENTS: Json = certificate(
    pair_claim("ld", "0", "1", "200/2503", "6/53", "1"),
    model(PIN_STATES),
    {
        "lower": PIN["evidence"],
        "upper": {
            "denominator": "53",
            "rows": [
                {"coupling": row["forward"], "pair": row["pair"], "value": row["value"]} for row in PIN_ROWS
            ],
        },
    },
)
PIN_EVENTS_BOTH: Json = certificate(
    pair_claim("bd", "0", "1", BACKWARD, "6/53", "11/10") | {"scope": "relation"},
    model(PIN_STATES, [["0", "1"], ["1", "0"]]),
    {"lower": PIN_BOTH["evidence"], "upper": {"denominator": "53", "rows": PIN_ROWS}},
)
QUOTIENT_EVENTS: Json = certificate(
    pair_claim("ld", "s", "t", "1/20", "1", "11/10"), QUOTIENT["model"], {"lower": QUOTIENT["evidence"]}
)

EVENTS_SAMPLES: Mapping[str, Json] = {
    "pin, events below": PIN_EVENTS,
    "pin, events below both": PIN_EVENTS_BOTH,
    "quotient, events below": QUOTIENT_EVENTS,
}
