"""The work of certificates about what an observer of the outputs learns."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from prover.certificate.work.count import Count, denominator
from prover.certificate.work.several import (
    bounded,
    count_definitions,
    count_functions,
    rates_of,
    variables_of,
)

Json = Any


def count_groups(
    count: Count,
    claim: Json,
    model: Json,
    groups: Json,
    by_way: Callable[[str, Json], list[tuple[str, Json]]],
) -> None:
    """Runs in groups, linear extensions, and what bounds the loss of each group."""
    widest = _widest(model)
    count_definitions(count, model, len(variables_of(model)))
    for group in groups:
        runs, steps = len(group["runs"]), len(group["runs"][0])
        count.spend(runs * (steps + 8) * (steps + 8 * widest))
        if runs > 1:
            count.spend(runs * steps * (widest + len(group["order"])))
            count.spend((runs + 1) * steps * 2**steps, steps * steps.bit_length())
        single = _model_of(model, group)
        for adjacency, nodes in by_way(claim["adjacency"], group["nodes"]):
            count_functions(count, adjacency, single, nodes)


def count_word(count: Count, model: Json, word: Json) -> None:
    """The least cost of a word."""
    number = len(variables_of(model))
    count_definitions(count, model, number)
    rates = [rates_of(model, name) for name, _ in cases_of(model)]
    unit = int(count.common(denominator(rate) for own in rates for rate in own))
    steps = len(word["run"])
    cases = cases_of(model)
    count.spend(steps**2 + sum(len(bounded(cases[number][1])) for number in word["run"]))
    moved = [int(b) + d for b, d in zip(word["inputs"], word["delta"], strict=True)]
    width = max(0, *moved) - min(0, *moved)
    highest = max(sum(map(Fraction, own)) for own in rates)
    bits = int(highest * unit * steps * width).bit_length()
    count.spend(word["places"] * _widest(model) * (width + 9 + 5 * number**2), bits)


def count_words(count: Count, model: Json, words: Json) -> None:
    """A family of words, and the potentials of its places."""
    number, cases = len(variables_of(model)), cases_of(model)
    count_definitions(count, model, number)
    rates = [rates_of(model, name) for name, _ in cases]
    rows = [row for block in words["blocks"] for row in block.get("places", ())]
    written = [row[key] for row in rows for key in ("start", "end", "constant")]
    unit = int(count.common(denominator(x) for x in (*written, *(rate for own in rates for rate in own))))
    count.spend(sum(len(row["order"]) for row in rows) * number)
    steps = [step for block in words["blocks"] for step in block["steps"]]
    count.spend(len(steps) * (4 * number**2 + number**2))
    deltas = [step["delta"] for step in steps]
    width = max(0, *deltas) - min(0, *deltas)
    highest = max(sum(map(Fraction, own)) for own in rates) * unit * len(steps) * width
    largest = 2 * max((abs(Fraction(x)) for x in written), default=Fraction(0)) * unit
    bits = int(highest + largest).bit_length()
    count.spend(3 * words["places"] * _widest(model) * (width + 9 + 5 * number**2), bits)


def count_quotient(count: Count, model: Json, evidence: Json) -> Json:
    """The smaller program that states and transitions stand for."""
    small: Json = evidence["model"]
    for own in (model, small):
        count_definitions(count, own, len(variables_of(own)))
    count.spend(8 * len(cases_of(model)) * max(_widest(model), _widest(small)))
    return small


def merged_model(model: Json, pairs: Json) -> Json:
    """The model in which of each pair of transitions the first has no test and the second is missing."""
    first, second = {a for a, _ in pairs}, {b for _, b in pairs}
    states: dict[str, Json] = {name: model["states"][name] | {"transitions": []} for name in model["states"]}
    for number, (name, case) in enumerate(cases_of(model)):
        if number not in second:
            states[name]["transitions"].append(case | {"guard": []} if number in first else case)
    return model | {"states": states}


def cases_of(model: Json) -> list[tuple[str, Json]]:
    """The transitions in their order, each with the name of its state."""
    return [(name, case) for name in sorted(model["states"]) for case in model["states"][name]["transitions"]]


def _widest(model: Json) -> int:
    return max(len(state["transitions"]) for state in model["states"].values())


def _model_of(model: Json, group: Json) -> Json:
    """The program of one run that a group stands for."""
    cases, run = cases_of(model), group["runs"][0]
    place = {step: k for k, step in enumerate(group["sequence"])}
    guards: list[list[list[str]]] = [[] for _ in run]
    for a, b in group["order"]:
        if place[a] < place[b]:
            guards[place[b]].append([">=", f"x{place[a]}"])
        else:
            guards[place[a]].append(["<", f"x{place[b]}"])
    states = {}
    for k, step in enumerate(group["sequence"]):
        name, case = cases[run[step]]
        only = {"assign": [f"x{k}"], "guard": guards[k], "output": case["output"], "to": str(k + 1)}
        states[str(k)] = model["states"][name] | {"transitions": [only]}
    return model | {"initial": "0", "states": states}
