"""Claims of δ of all lists of some values judged once more, in floats: every pair of lists, one by one, by
the other judge of pairs, which follows the paths of the program. What neighbours are is decided here."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from tests.certificate import inputs_judge, pair_judge
from tests.certificate.judge import Unsound, rule

Json = Any


def is_true(certificate: Json, margin: float = 1e-9) -> bool:
    """Whether the largest δ is where it is claimed."""
    try:
        found, claim = delta(certificate), certificate["claim"]
        return float(Fraction(claim["lower"])) - margin <= found <= float(Fraction(claim["upper"])) + margin
    except Unsound:
        return False


def delta(certificate: Json) -> float:
    """The largest P[E | x] − α P[E | y] of neighbouring lists x, y, in this order."""
    claim, model = certificate["claim"], certificate["model"]
    values = [Fraction(x) for x in claim["values"]]
    rule(len(values) > 1 and sorted(set(values)) == values)
    rule(all(_readers(model, k) for k in range(claim["steps"])))
    lists = list(product(values, repeat=claim["steps"]))
    one_way = claim["adjacency"] in inputs_judge.SIGNS
    found = 0.0
    for x, y in product(lists, lists):
        if not _near(model, x, y) or (not one_way and y < x):  # both orders are judged at once
            continue
        both = {"inputs": list(map(str, x)), "neighbour": list(map(str, y))}
        try:
            pair_judge.ways_of(claim["adjacency"], [b - a for a, b in zip(x, y, strict=True)])
        except Unsound:
            continue
        found = max(found, *pair_judge.gains(certificate, both))
    return found


def _near(model: Json, x: tuple[Fraction, ...], y: tuple[Fraction, ...]) -> bool:
    """Whether no number differs by more than a state allows that may read it."""
    most = Fraction(model.get("sensitivity", "1"))
    return all(
        abs(a - b) <= Fraction(model["states"][name].get("sensitivity", most))
        for k, (a, b) in enumerate(zip(x, y, strict=True))
        for name in _readers(model, k)
    )


def _readers(model: Json, k: int) -> set[str]:
    """The states that some path comes to after so many states that read."""
    seen, waiting = set[tuple[str, int]](), [(model["initial"], 0)]
    while waiting:
        name, read = waiting.pop()
        if name not in model["states"] or read > k or (name, read) in seen:
            continue
        seen.add((name, read))
        state = model["states"][name]
        waiting += [(t["to"], read + state["input"]) for t in state["transitions"]]
    return {name for name, read in seen if read == k and model["states"][name]["input"]}
