"""The rules about hidden blocks once more, from docs/certificates.md, 4.5, on all orders of few samples."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.program_judge import ProgramJudge, outputs
from tests.certificate.words_judge import OneOrMore

Json = Any
MOST_SAMPLES = 4


def ordered_models(base: ProgramJudge, model: Json, claim: Json, block: Json) -> list[tuple[Json, Json]]:
    """The models in whose place the model stands, with the evidence of each."""
    rule(set(block) == {"bounds", "largest", "least", "states"})
    names, least, largest = block["states"], block["least"], block["largest"]
    rule(len(names) >= 2 and len(set(names)) == len(names) and set(names) <= base.reached)
    rule(len(least) + len(largest) == len({*least, *largest}) > 0)
    rule("inputs" not in model)
    everything = [(q, t) for q, state in model["states"].items() for t in state["transitions"]]
    for _, t in everything:
        rule(all(sign in ("<", ">=") for sign, _ in t["guard"]))
        rule(not any(isinstance(part, dict) for part in outputs(t)))
    states = [model["states"][q] for q in names]
    end = states[-1]["transitions"][0]["to"]
    for state, to in zip(states, [*names[1:], end], strict=True):
        shown = [outputs(t) for t in state["transitions"]]
        rule(all(own == shown[0] for own in shown) and all(t["to"] == to for t in state["transitions"]))
        rule(not {"insample", "insampleprime"} & set(shown[0]))
        rule(all(state.get(side) != "inf" for side in ("rate", "rate_left", "rate_right")))
    for q, before in zip(names[1:], names, strict=False):
        rule(q != model["initial"] and {p for p, t in everything if t["to"] == q} == {before})
    reached, waiting = {end}, [end]
    while waiting:
        for p, t in everything:
            if p == waiting[0] and t["to"] not in reached:
                reached.add(t["to"])
                waiting.append(t["to"])
        waiting.pop(0)
    rule(names[0] not in reached)
    rule(len(states[0]["transitions"]) == 1 and states[0]["transitions"][0]["guard"] == [])
    rule({*least, *largest} <= set(states[0]["transitions"][0]["assign"]))
    for count in range(2, min(len(states), MOST_SAMPLES) + 1):
        for samples in product(range(count), repeat=count):
            follow(states[:count], samples, least, largest)
    for extra in states[MOST_SAMPLES:]:
        for samples in product(range(3), repeat=3):
            follow([states[0], states[2], extra], samples, least, largest, begun=2)
    rule(
        live(model, claim, end) & {v for s in states for t in s["transitions"] for v in t["assign"]}
        <= {*least, *largest}
    )
    found = []
    kinds: list[Json] = []
    for first in permutations(range(len(states)), 1 + bool(least and largest)):
        kind = [noise(states[place]) for place in first]
        if kind not in kinds:
            kinds.append(kind)
            order = [*first, *(place for place in range(len(states)) if place not in first)]
            found.append(in_order(model, names, least, largest, order))
    rule(len(block["bounds"]) == len(found))
    return list(zip(found, block["bounds"], strict=True))


def follow(states: list[Json], samples: tuple[int, ...], least: Json, largest: Json, begun: int = 1) -> None:
    """The block on some samples, of which the first ``begun`` are stored as they should be."""
    values = {v: min(samples[:begun]) for v in least} | {v: max(samples[:begun]) for v in largest}
    done = samples[:begun]
    for state, sample in zip(states[1:] if begun == 1 else states[2:], samples[begun:], strict=True):
        taken = []
        for t in state["transitions"]:
            rule(all(v in values for _, v in t["guard"]))
            if all((sample < values[v]) == (sign == "<") for sign, v in t["guard"]):
                taken.append(t)
        rule(len(taken) == 1)
        values |= {v: sample for v in taken[0]["assign"] if v in values}
        done = (*done, sample)
        rule(all(values[v] == min(done) for v in least) and all(values[v] == max(done) for v in largest))


def live(model: Json, claim: Json, state: str) -> set[str]:
    """The variables that are tested later before they are assigned."""
    plain = {**claim, "kind": "epsilon", "lower": "0", "upper": "inf", "loss": "observer"}
    known = OneOrMore(model, plain).live
    return set(known.get(state, ()))


def noise(state: Json) -> Json:
    return [state["input"], *(state.get(key) for key in ("rate", "rate_left", "rate_right"))]


def in_order(model: Json, names: Json, least: Json, largest: Json, order: list[int]) -> Json:
    """The model that draws the samples of the block in an order."""
    between = [[">=", least[0]]] if least else []
    between += [["<", largest[0]]] if largest else []
    steps: list[tuple[Json, Json]] = [([], least or largest)]
    steps += [(between[:1], largest)] if least and largest else []
    steps += [(between, [])] * (len(names) - len(steps))
    states = dict(model["states"])
    for name, place, (guard, assign) in zip(names, order, steps, strict=True):
        own = model["states"][name]["transitions"][0]
        only = {"assign": assign, "guard": guard, "output": own["output"], "to": own["to"]}
        states[name] = {**model["states"][names[place]], "transitions": [only]}
    return {**model, "states": states}
