"""Certificates made by hand in which clusters of nearly bisimilar states bound distances, and δ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.certificate.samples import States, certificate, model, pair_claim

Json = Any

# m and n have 3/8 + 1/2 in common; s and t go to them with 3/5 at least, and to e with 1/4 at least. So the
# numbers 1/8 and 9/40 will do: 3/5 · 7/8 + 1/4 = 31/40. Indices: e 0, f 1, m 2, n 3, s 4, t 5.
STATES: States = {
    "e": ("E", {"e": "1"}),
    "f": ("F", {"f": "1"}),
    "m": ("M", {"e": "1/2", "f": "1/2"}),
    "n": ("M", {"e": "3/8", "f": "5/8"}),
    "s": ("S", {"e": "1/4", "m": "1/2", "n": "1/4"}),
    "t": ("S", {"e": "2/5", "n": "3/5"}),
}
TABLE: Json = {"clusters": [[[2, 3], "5"], [[4, 5], "9"]], "denominator": "40", "rows": []}
ALPHA, MOST = "6/5", "9/40"


def about(kind: str, scope: str = "pair") -> Json:
    return pair_claim(kind, "s", "t", "0", MOST, ALPHA) | {"scope": scope}


CLUSTERS: Json = certificate(about("ld"), model(STATES), {"upper": TABLE})
CLUSTERS_RELATION: Json = certificate(
    about("bd", "relation"), model(STATES, [["m", "n"], ["n", "m"], ["s", "t"], ["t", "s"]]), {"upper": TABLE}
)
CLUSTERS_UNROLLED: Json = certificate(
    about("tv"), model(STATES), {"distance": TABLE, "unrolling": {"nodes": [], "roots": []}}
)

# At α = 6/5 the b of m is 1/2, and that of n −47/100: so 47/120 goes to n for 1/8 each, and 13/120 stays.
# No step leads from m or n to m, n, s or t, and so the row (n, m) has no use: it is a row in a cluster.
CLUSTERS_AND_ROWS: Json = certificate(
    pair_claim("ld", "s", "t", "0", "151/960", ALPHA),
    model(STATES),
    {
        "upper": {
            "clusters": [[[2, 3], "120"], [[4, 5], "216"]],
            "denominator": "960",
            "rows": [
                {"coupling": [], "pair": [3, 2], "value": "120"},
                {"coupling": [[2, 3, "47/120"]], "pair": [4, 5], "value": "151"},
            ],
        }
    },
)

CLUSTERS_SAMPLES: Mapping[str, Json] = {
    "clusters": CLUSTERS,
    "clusters-relation": CLUSTERS_RELATION,
    "clusters-unrolled": CLUSTERS_UNROLLED,
    "clusters-and-rows": CLUSTERS_AND_ROWS,
}
