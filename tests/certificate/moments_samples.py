"""Certificates about Rényi divergences and trade-off functions, by hand.

From s a loop goes on with probability 1/2 and from t with 1/3. At order 2 its factor is (1/2)²/(1/3) = 3/4,
and the end adds (1/2)²/(2/3) = 3/8, so the moment is (3/8)/(1 − 3/4) = 3/2. The ratios have no bound.
"""

from __future__ import annotations

from typing import Any

from tests.certificate.samples import certificate

Json = Any

LOOP_MODEL: Json = {
    "relation": [["s", "t"], ["t", "s"]],
    "states": {
        "e": {"label": "e", "next": {"e": "1"}},
        "s": {"label": "a", "next": {"e": "1/2", "s": "1/2"}},
        "t": {"label": "a", "next": {"e": "2/3", "t": "1/3"}},
    },
    "type": "labelled-markov-chain",
    "version": 1,
}


def inner(lower: str, upper: str, taken: str | None = "") -> Json:
    """The loop, with its end."""
    node = {"actions": {"": [["a", 0], ["e", 1]]}, "lower": lower, "upper": upper}
    return node if taken is None else {**node, "taken": taken}


def graph(*nodes: Json) -> Json:
    return {"nodes": list(nodes), "roots": [[1, 2]]}


LOOP: Json = certificate(
    {
        "from": "s",
        "kind": "renyi",
        "moments": [["2", "3/2", "3/2"], ["5/2", "3", "4"], ["inf", "inf", "inf"]],
        "of": "lv",
        "scope": "pair",
        "to": "t",
    },
    LOOP_MODEL,
    {"orders": [graph(inner("3/2", "3/2"), {}), graph(inner("3", "4"), {}), graph(inner("1", "inf"), {})]},
)

# The attacker looks, which shows w under s with probability 1/2 and under t with 1/4, or waits.
DOORS: Json = certificate(
    {
        "from": "s",
        "kind": "renyi",
        "moments": [["2", "5/4", "3/2"]],
        "of": "lv",
        "scope": "pair",
        "to": "t",
    },
    {
        "relation": [["s", "t"], ["t", "s"]],
        "states": {
            "l": {"label": "l", "next": {"l": "1"}},
            "s": {"actions": {"look": {"l": "1/2", "w": "1/2"}, "wait": {"s": "1"}}, "label": "a"},
            "t": {"actions": {"look": {"l": "3/4", "w": "1/4"}, "wait": {"t": "1"}}, "label": "a"},
            "w": {"label": "w", "next": {"w": "1"}},
        },
        "type": "labelled-markov-decision-process",
        "version": 1,
    },
    {
        "orders": [
            {
                "nodes": [
                    {
                        "actions": {"look": [["l", 1], ["w", 2]], "wait": [["a", 0]]},
                        "lower": "4/3",
                        "taken": "look",
                        "upper": "4/3",
                    },
                    {},
                    {},
                ],
                "roots": [[1, 2]],
            }
        ]
    },
)

COIN_MODEL: Json = {
    "relation": [["s", "t"], ["t", "s"]],
    "states": {
        "h": {"label": "h", "next": {"h": "1"}},
        "s": {"label": "a", "next": {"h": "2/3", "z": "1/3"}},
        "t": {"label": "a", "next": {"h": "1/3", "z": "2/3"}},
        "z": {"label": "z", "next": {"z": "1"}},
    },
    "type": "labelled-markov-chain",
    "version": 1,
}

_GRAPHS: Json = [
    {
        "nodes": [{"next": [["h", 1], ["z", 2]], "visits": "1"}, {"visits": "1"}, {"visits": "1"}],
        "pair": list(pair),
    }
    for pair in ((1, 2), (2, 1))
]

COIN: Json = certificate(
    {
        "from": "s",
        "kind": "tradeoff",
        "of": "tv",
        "scope": "pair",
        "to": "t",
        "vertices": [["0", "1"], ["1/3", "1/3"], ["1", "0"]],
    },
    COIN_MODEL,
    {"laws": {"graphs": _GRAPHS}},
)
