"""Certificates about observers who do not see every step, made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.samples import certificate, model, pair_claim
from tests.certificate.unrolling_samples import inner, leaf, unrolling

Json = Any


def exits(state: int, denominator: str, *numbers: Json) -> Json:
    return {"denominator": denominator, "exits": list(numbers), "state": state}


def seen(claim: Json, chain: Json, collapsing: Json, evidence: Json, sees: str, *silent: str) -> Json:
    observed = claim | {"observer": {"sees": sees, "silent": list(silent)}}
    return certificate(observed, chain, evidence | {"collapsing": collapsing})


# s and t circle in states of label a, and may stay there for ever, in d and e.
# Indices: d 0, e 1, s 2, t 3, u 4, z 5.
# u leaves to z with 1/2, to e with 1/4, else it waits: h_u(z) = 2/3. s: 1/3 + 1/3 h_u(z), t: h_u(z).
DELAY_MODEL: Json = model(
    {
        "d": ("a", {"e": "1"}),
        "e": ("a", {"d": "1"}),
        "s": ("a", {"d": "1/3", "u": "1/3", "z": "1/3"}),
        "t": ("a", {"u": "1"}),
        "u": ("a", {"e": "1/4", "u": "1/4", "z": "1/2"}),
        "z": ("z", {"z": "1"}),
    },
    [["s", "t"], ["t", "s"]],
)
# The collapsed chain. Indices: ever 0, s 1, t 2, z 3.
DELAY_SEEN: Json = model(
    {
        "ever": ("a", {"ever": "1"}),
        "s": ("a", {"ever": "4/9", "z": "5/9"}),
        "t": ("a", {"ever": "1/3", "z": "2/3"}),
        "z": ("z", {"z": "1"}),
    }
)
DELAY: Json = seen(
    pair_claim("lv", "t", "s", "1/9", "1/9", "1"),
    DELAY_MODEL,
    {
        "entered": [[1, 2], [2, 3], [3, 5]],
        "erased": [],
        "merged": [exits(4, "3", [5, "2"])],
        "model": DELAY_SEEN,
    },
    unrolling([[2, 1]], inner("1/9", "1/9", ["a", 1], ["z", 2]), leaf(), leaf()),
    "changes",
)
DELAY_RELATED: Json = DELAY | {
    "claim": DELAY["claim"] | {"scope": "relation", "kind": "tv"},
    "evidence": DELAY["evidence"]
    | unrolling(
        [[1, 2], [2, 1]],
        inner("1/9", "1/9", ["a", 2], ["z", 3]),
        inner("1/9", "1/9", ["a", 4], ["z", 5]),
        leaf(),
        leaf(),
        leaf(),
        leaf(),
    ),
}

# A silent circle q, r, which x and y are seen after, or nothing: w is silent for ever.
# h_q(x) = 1/2 + 1/4 h_r(x), h_q(y) = 1/4 h_r(y), h_r(x) = 1/2 h_q(x), h_r(y) = 1/4 + 1/2 h_q(y), w the rest.
# Indices: q 0, r 1, s 2, t 3, w 4, x 5, y 6.
SILENT_MODEL: Json = model(
    {
        "q": ("tau", {"r": "1/4", "w": "1/4", "x": "1/2"}),
        "r": ("tau", {"q": "1/2", "w": "1/4", "y": "1/4"}),
        "s": ("a", {"q": "1"}),
        "t": ("a", {"r": "1"}),
        "w": ("tau", {"w": "1"}),
        "x": ("b", {"x": "1"}),
        "y": ("c", {"s": "1/2", "w": "1/2"}),
    }
)
SILENT_EXITS: Json = [exits(0, "14", [5, "8"], [6, "1"]), exits(1, "7", [5, "2"], [6, "2"])]
# Indices of the collapsed chain: s 0, silence 1, t 2, x 3, y 4.
SILENT: Json = seen(
    pair_claim("tv", "s", "t", "2/7", "2/7", "1"),
    SILENT_MODEL,
    {
        "entered": [[0, 2], [2, 3], [3, 5], [4, 6]],
        "erased": SILENT_EXITS,
        "merged": [],
        "model": model(
            {
                "s": ("a", {"silence": "5/14", "x": "4/7", "y": "1/14"}),
                "silence": ("no", {"silence": "1"}),
                "t": ("a", {"silence": "3/7", "x": "2/7", "y": "2/7"}),
                "x": ("b", {"x": "1"}),
                "y": ("c", {"s": "1/2", "silence": "1/2"}),
            }
        ),
        "silence": "no",
    },
    unrolling(
        [[0, 2], [2, 0]],
        inner("2/7", "2/7", ["b", 2], ["c", 3], ["no", 4]),
        inner("2/7", "2/7", ["b", 5], ["c", 6], ["no", 7]),
        *[leaf() for _ in range(6)],
    ),
    "labels",
    "tau",
)


# The secrets are q, which is silent, and t, which shows a at once: both have a state in front of them.
# Indices of the collapsed chain: a ever 0, begin ever 1, c ever 2, q 3, s 4, t 5, t seen 6, x 7, y 8.
START: Json = seen(
    pair_claim("lv", "q", "t", "1", "1", "1"),
    SILENT_MODEL,
    {
        "entered": [[4, 2], [6, 3], [7, 5], [8, 6]],
        "erased": SILENT_EXITS,
        "merged": [],
        "model": model(
            {
                "a ever": ("a", {"a ever": "1"}),
                "begin ever": ("begin", {"begin ever": "1"}),
                "c ever": ("c", {"c ever": "1"}),
                "q": ("begin", {"begin ever": "5/14", "x": "4/7", "y": "1/14"}),
                "s": ("a", {"a ever": "5/14", "x": "4/7", "y": "1/14"}),
                "t": ("begin", {"t seen": "1"}),
                "t seen": ("a", {"a ever": "3/7", "x": "2/7", "y": "2/7"}),
                "x": ("b", {"x": "1"}),
                "y": ("c", {"c ever": "1/2", "s": "1/2"}),
            }
        ),
        "start": "begin",
    },
    unrolling([[3, 5]], inner("1", "1", ["b", 1], ["begin", 2], ["c", 3]), leaf(), leaf(), leaf()),
    "changes",
    "tau",
)

COLLAPSING_SAMPLES: Mapping[str, Json] = {
    "delay": DELAY,
    "delay related": DELAY_RELATED,
    "silent": SILENT,
    "start": START,
}
