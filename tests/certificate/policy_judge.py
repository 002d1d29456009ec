"""Claims about policies judged once more, in floats, from the meaning of programs: all ways through the
questions are followed from the first on, with what is stored on each of them. Nothing of the checker or of
the prover is used. The keys and types of the certificate must be right.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificate.inputs_judge import EXCLUSIVE, SIGNS, Noise, scale, seen
from tests.certificate.judge import Unsound, rule

Json = Any
Way = tuple[str, tuple[tuple[str, str], ...], int, int]
"""A state, the states where variables were stored, how many inputs were read, and how many differed."""


def is_true(certificate: Json, margin: float = 1e-9) -> bool:
    """Whether the policy gains what is claimed, and is one of neighbours."""
    try:
        return gain(certificate) >= float(Fraction(certificate["claim"]["lower"])) - margin
    except Unsound:
        return False


def gain(certificate: Json) -> float:
    """P[event] − α P′[event]."""
    claim, model, nodes = (certificate[key] for key in ("claim", "model", "evidence"))
    nodes = nodes["nodes"]
    grid = Fraction(model.get("grid", "1")) if "noise" in model else None
    epsilon = scale(model, claim, grid)
    layer: dict[int, dict[Way, tuple[float, float]]] = {0: {(model["initial"], (), 0, 0): (1.0, 1.0)}}
    event = [0.0, 0.0]
    signs: set[int] = set()
    for place, entry in enumerate(nodes):
        for way, chances in layer.pop(place, {}).items():
            after, outcomes = _asked(model, claim, way, entry, (epsilon, grid), signs)
            rule(len(entry["after"]) == len(outcomes))
            for follows, (target, p, q) in zip(entry["after"], outcomes, strict=True):
                here = chances[0] * p, chances[1] * q
                if isinstance(follows, bool):
                    event = [event[0] + follows * here[0], event[1] + follows * here[1]]
                    continue
                rule(target is not None and place < follows < len(nodes))
                ways = layer.setdefault(follows, {})
                then = (target, *after)
                one, other = ways.get(then, (0.0, 0.0))
                ways[then] = one + here[0], other + here[1]
    allowed = [SIGNS[claim["adjacency"]]] if claim["adjacency"] in SIGNS else [(-1, 1)]
    allowed = list(SIGNS.values()) if claim["adjacency"] == "monotonic" else allowed
    rule(any(all(low <= sign <= high for sign in signs) for low, high in allowed))
    return event[0] - float(Fraction(claim["alpha"])) * event[1]


def _asked(
    model: Json, claim: Json, way: Way, entry: Json, noise: tuple[float, Fraction | None], signs: set[int]
) -> tuple[Any, list[tuple[str | None, float, float]]]:
    """What is known after a question, and each answer: its state and its probability on either input."""
    name, held, read, differed = way
    rule(name in model["states"])
    state = model["states"][name]
    cases, (epsilon, grid) = state["transitions"], noise
    letters = [seen(case) for case in cases]
    rule(len(set(letters)) == len(letters) and all(numbers == 0 for _, numbers in letters))
    rule(state["input"] == ("inputs" in entry))
    x, y = (Fraction(number) for number in entry.get("inputs", ("0", "0")))
    if state["input"]:
        rule(abs(x - y) <= Fraction(state.get("sensitivity", model.get("sensitivity", "1"))))
        rule(grid is None or "inputs" in model or (x / grid).denominator == (y / grid).denominator == 1)
        signs |= {(y > x) - (y < x)} - {0}
        read, differed = read + 1, differed + (x != y)
        rule(read <= claim.get("steps", read))
        rule(claim["adjacency"] != "one-differ" or differed < 2)
    guards = [test for case in cases for test in case["guard"]]
    if not guards:
        rule(len(cases) == 1)
        if cases[0]["assign"]:
            rule(not state["input"] and state["rate"] is None and "sigma" not in state)
            rule(state["rate_left"] == state["rate_right"] == "inf")
            held = tuple(sorted({**dict(held), **dict.fromkeys(cases[0]["assign"], name)}.items()))
        return (held, read, differed), [(cases[0]["to"], 1.0, 1.0)]
    relations = sorted(relation for relation, _ in guards)
    rule(len(guards) == len(cases) and len({variable for _, variable in guards}) == 1)
    rule(len(cases) == 1 or relations in EXCLUSIVE[:2])
    rule(not any(case["assign"] for case in cases) and "=" not in relations)
    rule(guards[0][1] in dict(held))
    level = Fraction(model["states"][dict(held)[guards[0][1]]]["mean"])
    shares = []
    for given in (x, y):
        sample = Noise(state, given, epsilon)
        if grid is None:
            at_least = float(sample.at_least(float(level)))
        else:
            apart = (level - sample.exact) / grid
            first = apart.__floor__() + 1 if relations[0] in ("<=", ">") else apart.__ceil__()
            at_least = float(sample.at_least_on(grid, first))
        shares.append([at_least if relation in (">=", ">") else 1 - at_least for relation, _ in guards])
    outcomes = [(case["to"], p, q) for case, p, q in zip(cases, *shares, strict=True)]
    if len(cases) == 1:
        outcomes.append((None, 1 - shares[0][0], 1 - shares[1][0]))
    return (held, read, differed), outcomes
