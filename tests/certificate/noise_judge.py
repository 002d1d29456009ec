"""The rules about noise, grids and sensitivities once more, word by word, from docs/certificates.md."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.certificate.judge import rule

Json = Any
Side = Fraction | None
"""A rate of noise on one side; None is infinite."""

READ_AS = {"<": "<", "<=": "<", ">=": ">=", ">": ">=", "=": "="}


def spelt_out(model: Json, several: bool, reached: Collection[str]) -> dict[str, Json]:
    """The states with rates ``left`` and ``right``, all rates times the sensitivity, and tests <, >= and =.

    ``several``: whether reached states name two or more variables.
    """
    rule(model.get("noise", "discrete-laplace") == "discrete-laplace")
    rule(model.get("inputs", "unrounded") == "unrounded")
    discrete = "noise" in model
    rule(discrete or not {"grid", "inputs"} & set(model))
    sizes = {key: Fraction(model.get(key, "1")) for key in ("grid", "sensitivity")}
    rule(all(size > 0 and (key not in model or size != 1) for key, size in sizes.items()))
    rule(not discrete or (sizes["sensitivity"] / sizes["grid"]).denominator == 1)
    for q, state in model["states"].items():
        for t in state["transitions"]:
            rule(all(test[0] in (list(READ_AS) if discrete else ["<", ">="]) for test in t["guard"]))
            relations = [test[0] for test in t["guard"]]
            clear = "=" not in relations and not ("<=" in relations and ">=" in relations)
            rule(clear or not several or q not in reached)
    means_of_ties(model, sizes["grid"])
    if "inputs" in model:
        unrounded(model, several)
    for state in model["states"].values():
        rule(not {"sigma", "sigma_prime"} & set(state))
        own = Fraction(state.get("sensitivity", sizes["sensitivity"]))
        rule("sensitivity" not in state or (state["input"] and own > 0 and own != sizes["sensitivity"]))
        rule(not discrete or own % sizes["grid"] == 0)
        rule(not several or "sensitivity" not in state)
    return {name: scaled(state, sizes["sensitivity"]) for name, state in model["states"].items()}


def counted_shifts(states: Json, reached: Collection[str]) -> list[Fraction]:
    """0 and ±s for the sensitivities s of reached states that read an input, in units of the program's."""
    if all(state["reach"] == 1 for state in states.values()):
        return [Fraction(s) for s in (-1, 0, 1)]
    sizes = {states[q]["reach"] for q in reached if states[q]["input"]} or {Fraction(1)}
    return sorted({Fraction(0), *sizes, *(-s for s in sizes)})


def means_of_ties(model: Json, grid: Fraction) -> None:
    """Samples that are to be equal can be."""
    cases = [(Fraction(s["mean"]), t) for s in model["states"].values() for t in s["transitions"]]
    for name in {name for _, t in cases for relation, name in t["guard"] if relation == "="}:
        means = [mean for mean, t in cases if name in t["assign"] or ["=", name] in t["guard"]]
        rule(all((b - a) % grid == 0 for a, b in pairwise(means)))


def unrounded(model: Json, several: bool) -> None:
    rule(not several)
    for state in model["states"].values():
        for t in state["transitions"]:
            rule(all(relation != "=" for relation, _ in t["guard"]))
            parts = t["output"] if isinstance(t["output"], list) else [t["output"]]
            letters = all(isinstance(p, str) and p not in ("insample", "insampleprime") for p in parts)
            rule(not state["input"] or (letters and not t["assign"]))


def scaled(state: Json, sensitivity: Fraction) -> Json:
    sides = {"rate_left", "rate_right"} & set(state)
    rule(len(sides) in (0, 2))
    rule(not sides or state["rate"] is None)
    given = [state[key] for key in sorted(sides)] or [state["rate"]] * 2
    rule(not sides or given[0] != given[1] or given[0] == "inf")
    left, right = (None if sides and x == "inf" else Fraction(x) * sensitivity for x in given)
    rule(all(rate is None or rate > 0 for rate in (left, right)))
    prime = state["rate_prime"]
    return state | {
        "left": left,
        "right": right,
        "rate": None if sides else str(left),
        "rate_prime": None if prime is None else str(Fraction(prime) * sensitivity),
        "reach": Fraction(state.get("sensitivity", sensitivity)) / sensitivity,
        "transitions": [
            t | {"guard": [[READ_AS[relation], name] for relation, name in t["guard"]]}
            for t in state["transitions"]
        ],
    }


def cost(state: Json, delta: int, shift: Fraction | int) -> Side:
    """What a shift costs, without the second sample; None is infinite."""
    apart = shift - delta * state["reach"]
    if apart == 0:
        return Fraction(0)
    rate = state["right"] if apart > 0 else state["left"]
    return None if rate is None else rate * abs(apart)


def possible_for_sure(states: Json, reached: Collection[str], several: bool, model: Json) -> bool:
    """Whether some inputs make every run possible, as far as the rules know."""
    used = [q for q in reached if any(t["guard"] or t["assign"] for t in states[q]["transitions"])]
    fixed = [q for q in used if not states[q]["input"] and None in (states[q]["left"], states[q]["right"])]
    if not several and not any(t["guard"] for q in fixed for t in states[q]["transitions"]):
        return True
    if any(all(states[q][side] is not None for q in fixed) for side in ("left", "right")):
        return True
    later = {q: {t["to"] for t in states[q]["transitions"]} for q in states}
    for _ in states:
        for q in states:
            later[q] |= {goal for way in later[q] for goal in later.get(way, set())}
    if not any(other in later[q] for q in fixed for other in fixed):
        return True
    return "noise" not in model and increasing(states, model["initial"], set(fixed))


def increasing(states: Json, initial: str, fixed: set[str]) -> bool:
    """Whether every run begins with the fixed states, which store larger and larger numbers and say so."""
    goals = [t["to"] for q in states for t in states[q]["transitions"]]
    if initial in goals or len([goal for goal in goals if goal in fixed]) != len(fixed) - 1:
        return False
    chain = [initial]
    while len(chain) < len(fixed) and len(states[chain[-1]]["transitions"]) == 1:
        chain.append(states[chain[-1]]["transitions"][0]["to"])
    if set(chain) != fixed or any(len(states[q]["transitions"]) != 1 for q in chain):
        return False
    steps = [(states[q], states[q]["transitions"][0]) for q in chain]
    if any(state["left"] is not None or state["right"] is not None or not t["assign"] for state, t in steps):
        return False
    means = [Fraction(state["mean"]) for state, _ in steps]
    rises = all(one < other for one, other in pairwise(means))
    says = [[], *([[">=", v] for v in sorted(t["assign"])] for _, t in steps[:-1])]
    said = [sorted(map(list, t["guard"])) for _, t in steps]
    return rises and said == says
