"""Certificates about chains with real probabilities, made by hand."""

from __future__ import annotations

from typing import Any

from tests.certificate.samples import certificate, model, pair_claim
from tests.certificate.unrolling_samples import inner, leaf, unrolling

Json = Any


def real(above: Json, below: Json = (["0", "1"],)) -> Json:
    """Σ c·e^r over Σ c·e^r, by pairs of r and c."""
    return {"above": [list(pair) for pair in above], "below": [list(pair) for pair in below]}


LOGISTIC: Json = (["0", "1"], ["1", "1"])  # 1 + e

# s comes to u, which nobody sees, stays there with probability 1/e, and leaves for a or b. In 256ths, and one
# less than what is below: 1/e is 93, half of the rest 79, and 256 n <= 93 n + 79 256 for n = 124; 1/(1 + e)
# is 67, and e/(1 + e) 186. So 57 are gained at a, and 5 more where runs are lost; 8 are lost from s.
# Indices: a 0, b 1, s 2, t 3, u 4; in the rounded chain a, b, lost, s, t.
REAL: Json = certificate(
    pair_claim("lv", "s", "t", "23/128", "35/128", "1")
    | {"lost": "lost", "observer": {"sees": "labels", "silent": ["?"]}},
    model(
        {
            "a": ("A", {"a": "1"}),
            "b": ("B", {"b": "1"}),
            "s": ("S", {"u": "1"}),
            "t": ("S", {"a": real([["0", "1"]], LOGISTIC), "b": real([["1", "1"]], LOGISTIC)}),
            "u": (
                "?",
                {
                    "a": real([["-1", "-1/2"], ["0", "1/2"]]),
                    "b": real([["-1", "-1/2"], ["0", "1/2"]]),
                    "u": real([["-1", "1"]]),
                },
            ),
        }
    ),
    unrolling([[3, 4]], inner("31/128", "31/128", ["A", 1], ["B", 2], ["lost", 3]), leaf(), leaf(), leaf())
    | {
        "lost": [[2, "1"], [3, "1/32"], [4, "3/256"]],
        "rounding": {
            "bits": 8,
            "entered": [[0, 0], [1, 1], [3, 2], [4, 3]],
            "exits": [[4, [[0, "124"], [1, "124"]]]],
            "model": model(
                {
                    "a": ("A", {"a": "1"}),
                    "b": ("B", {"b": "1"}),
                    "lost": ("lost", {"lost": "1"}),
                    "s": ("S", {"a": "31/64", "b": "31/64", "lost": "1/32"}),
                    "t": ("S", {"a": "67/256", "b": "93/128", "lost": "3/256"}),
                }
            ),
        },
    },
)

# u stays with probability 1/2, so it leads to a and b as the row of t says the other way round: 256 n is at
# most 128 n + 34 256 for n = 68, and 186 with 93. Two 256ths are lost from s and from t; they could be of a,
# so k is (68 + 2)/68 = 35/34. The largest ratio in the rounded chain is 186/68; 35/34 times that is alpha.
GROWTH: Json = certificate(
    pair_claim("lv", "s", "t", "0", "0", "3255/1156")
    | {"lost": "lost", "observer": {"sees": "labels", "silent": ["?"]}},
    model(
        {
            "a": ("A", {"a": "1"}),
            "b": ("B", {"b": "1"}),
            "s": ("S", {"u": "1"}),
            "t": ("S", {"a": real([["1", "1"]], LOGISTIC), "b": real([["0", "1"]], LOGISTIC)}),
            "u": (
                "?",
                {
                    "a": real([["0", "1/2"]], LOGISTIC),
                    "b": real([["1", "1/2"]], LOGISTIC),
                    "u": "1/2",
                },
            ),
        }
    ),
    unrolling([[3, 4]], inner("0", "0", ["A", 1], ["B", 2], ["lost", 3]), leaf(), leaf(), leaf())
    | {
        "growth": [[0, "1"], [1, "1"], [3, "35/34"], [4, "35/34"]],
        "rounding": {
            "bits": 8,
            "entered": [[0, 0], [1, 1], [3, 2], [4, 3]],
            "exits": [[4, [[0, "68"], [1, "186"]]]],
            "model": model(
                {
                    "a": ("A", {"a": "1"}),
                    "b": ("B", {"b": "1"}),
                    "lost": ("lost", {"lost": "1"}),
                    "s": ("S", {"a": "17/64", "b": "93/128", "lost": "1/128"}),
                    "t": ("S", {"a": "93/128", "b": "17/64", "lost": "1/128"}),
                }
            ),
        },
    },
)
