"""Small files that ask for much work: each is quick to check, or its work is counted before it is begun."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificate.samples import certificate, model, pair_claim

Json = Any
States = dict[str, tuple[str, dict[str, str]]]


def name(k: int) -> str:
    return f"s{k:05}"


def pair(kind: str = "ld", alpha: str = "6/5") -> Json:
    return pair_claim(kind, name(0), name(1), "0", "1", alpha)


def dense_row(states: int, rows: int) -> Json:
    """State 1 goes everywhere; rows of value 0 of the pairs (i,1), which need no potentials."""
    even = str(Fraction(1, states))
    chain: States = {name(k): ("a", {name(k): "1"}) for k in range(states)}
    chain[name(1)] = "a", {name(k): even for k in range(states)}
    listed = [{"pair": [i, 1], "potentials": [], "value": "0"} for i in range(states) if i != 1][:rows]
    return certificate(pair(), model(chain), {"lower": {"denominator": "1", "rows": listed}})


def dense_row_with_potentials(states: int, rows: int) -> Json:
    """The same, and one potential a row that is above 0, of a state that is alone with its label."""
    heavy = dense_row(states, rows)
    heavy["model"]["states"][name(0)]["label"] = "alone"
    listed = [row for row in heavy["evidence"]["lower"]["rows"] if row["pair"][0] != 0]
    heavy["evidence"]["lower"]["rows"] = [{**row, "potentials": [[0, "1/2"]]} for row in listed]
    for k in range(2, states):
        heavy["model"]["states"][name(k)]["next"] = {name(0): "1"}
    return heavy


def long_rows(halves: int, digits: int, rows: int) -> Json:
    """State 1 has probabilities over long denominators, no two equal; rows of the pairs (i,1) share it."""
    chain: States = {name(k): ("a", {name(k): "1"}) for k in range(max(2 * halves, rows) + 3)}
    shared: dict[str, Fraction] = {}
    for k in range(halves):
        whole = halves * (10**digits + 2 * k + 1)
        shared |= {name(2 * k): Fraction(1, whole), name(2 * k + 1): Fraction(1, halves) - Fraction(1, whole)}
    chain[name(1)] = "a", {successor: f"{x.numerator}/{x.denominator}" for successor, x in shared.items()}
    listed = [{"coupling": [], "pair": [i, 1], "value": "1"} for i in range(rows + 2) if i != 1]
    return certificate(pair(), model(chain), {"upper": {"denominator": "1", "rows": listed}})


def splitters(states: int, repeated: int, *, same: bool) -> Json:
    """All states go to the first, which has a label of its own, as have others; unions of these."""
    chain: States = {name(k): ("a", {name(0): "1"}) for k in range(states)}
    alone = 1 if same else max(2, int(repeated**0.5) + 2)
    for k in range(alone):
        chain[name(k)] = f"own {k}", {name(0): "1"}
    unions = [[0]] * repeated if same else [[0, i, j] for i in range(1, alone) for j in range(i + 1, alone)]
    claim = {"from": name(0), "kind": "bisimilarity", "scope": "pair", "to": name(1), "value": "1"}
    claim |= {} if not same else {"to": name(2)}
    return certificate(claim, model(chain), {"splitters": unions[:repeated]})


def flat_potentials(states: int, rows: int) -> Json:
    """Unrelated rows whose potentials are 1 on the whole label."""
    chain: States = {name(k): ("a", {name(k): "1"}) for k in range(states)}
    chain["end"] = "end", {"end": "1"}
    chain[name(1)] = "a", {"end": "1"}
    ones = [[k + 1, "1"] for k in range(states)]
    listed = [{"pair": [i + 1, 2], "potentials": ones, "rank": 1} for i in range(states) if i != 1][:rows]
    claim = {"alpha": "6/5", "from": name(0), "kind": "kernel", "scope": "pair", "to": name(1), "value": "1"}
    return certificate(claim, model(chain), {"related": [], "unrelated": listed})


def detours(states: int) -> Json:
    """One label whose states are at distance 0: all ways of two arcs cost nothing, and none is a detour."""
    chain: States = {name(k): ("a", {name(k): "1"}) for k in range(states)}
    return certificate(pair(), model(chain), {"lower": {"denominator": "1", "detours": ["a"], "rows": []}})


def separators(states: int, repeated: int, *, ranks: int = 1) -> Json:
    """A ring, one state of which also goes elsewhere, and the same separator again and again."""
    chain: States = {name(k): ("a", {name((k + 1) % states): "1"}) for k in range(states)}
    chain[name(1)] = "a", {name(2): "1/2", "end": "1/2"}
    chain["end"] = "end", {"end": "1"}
    listed: list[Json] = [{"potentials": [[0, "1"]], "rank": 1}]
    listed += [
        {"potentials": [[k % states + 1, "1"]], "rank": 1 + k * ranks // repeated} for k in range(repeated)
    ]
    claim = {"alpha": "6/5", "from": name(1), "kind": "kernel", "scope": "pair", "to": name(2), "value": "1"}
    return certificate(claim, model(chain), {"related": [], "separators": listed})


def closed_table(transitions: int, functions: int) -> Json:
    """Many states lead to one that has many functions, none of which is above another."""

    def state(number: int, *cases: Json) -> Json:
        rates = {"mean": "0", "mean_prime": None, "rate": str(Fraction(number, 97)), "rate_prime": None}
        return {"input": True, "transitions": list(cases), **rates}

    def case(to: str, guard: Json, assign: Json) -> Json:
        return {"assign": assign, "guard": guard, "output": "o", "to": to}

    names = [f"q{k:05}" for k in range(transitions)]
    states = {
        q: state(k + 1, case("r", [["<", "x"]], []), case(after, [[">=", "x"]], []))
        for k, (q, after) in enumerate(zip(names, [*names[1:], "end"], strict=True))
    }
    states["p"] = state(1, case(names[0], [], ["x"]))
    states["r"] = state(1, case("end", [["<", "x"]], []))
    chain = {"initial": "p", "states": states, "type": "threshold-program", "version": 1}
    front = [["1", str(k + 2), str(10 * functions - k)] for k in range(functions)]
    table: Json = {"r": sorted(front, key=lambda triple: [int(x) for x in triple])}
    top = str(20 * functions + transitions)
    table |= {q: [[top, top, top]] for q in ["p", *names]}
    claim = {"adjacency": "all-differ", "kind": "epsilon", "lower": "0", "upper": top}
    return certificate(claim, chain, {"table": table})
