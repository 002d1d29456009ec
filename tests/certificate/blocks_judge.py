"""The rules about hidden blocks once more, from docs/certificates.md, 4.5, on all orders of few samples."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from typing import Any

from tests.certificate.judge import rule
from tests.certificate.program_judge import ProgramJudge, outputs
from tests.certificate.words_judge import OneOrMore

Json = Any
MOST_SAMPLES = 4
MOST_ROWS = 6


def ordered_models(base: ProgramJudge, model: Json, claim: Json, block: Json) -> list[tuple[Json, Json]]:
    """The models in whose place the model stands, with the evidence of each."""
    rule(set(block) == {"bounds", "largest", "least", "states"})
    rows = [[row] if isinstance(row, str) else row for row in block["states"]]
    least, largest = block["least"], block["largest"]
    for row, given in zip(rows, block["states"], strict=True):
        rule(isinstance(given, str) or (len(row) >= 2 and sorted(row) == row))
    names = [name for row in rows for name in row]
    rule(
        len(rows) >= 2 and len(rows[0]) == 1 and len(set(names)) == len(names) and set(names) <= base.reached
    )
    rule(len(least) + len(largest) == len({*least, *largest}) > 0)
    rule("inputs" not in model)
    everything = [(q, t) for q, state in model["states"].items() for t in state["transitions"]]
    for _, t in everything:
        rule(all(sign in ("<", ">=") for sign, _ in t["guard"]))
        rule(not any(isinstance(part, dict) for part in outputs(t)))
    for place, row in enumerate(rows):
        states = [model["states"][q] for q in row]
        cases = [t for state in states for t in state["transitions"]]
        rule(all(not {"insample", "insampleprime"} & set(outputs(t)) for t in cases))
        rule(all([noise(state), state["mean"]] == [noise(states[0]), states[0]["mean"]] for state in states))
        if place < len(rows) - 1:
            rule(all(outputs(t) == outputs(cases[0]) and t["to"] in rows[place + 1] for t in cases))
        if place:
            rule(model["initial"] not in row)
            rule({p for p, t in everything if t["to"] in row} <= set(rows[place - 1]))
    ends = {t["to"] for q in rows[-1] for t in model["states"][q]["transitions"]}
    reached, waiting = set(ends), list(ends)
    while waiting:
        for p, t in everything:
            if p == waiting[0] and t["to"] not in reached:
                reached.add(t["to"])
                waiting.append(t["to"])
        waiting.pop(0)
    rule(rows[0][0] not in reached)
    (start,) = (model["states"][q]["transitions"] for q in rows[0])
    rule(len(start) == 1 and start[0]["guard"] == [] and {*least, *largest} <= set(start[0]["assign"]))
    known = {q: live(model, claim, q) for q in {*model["states"], *ends}}
    for place, row in enumerate(rows[1:], 1):
        for q in row:
            keep(model["states"][q], known, least, largest, begun=min(place, 2))
    stored = {v for q in names for t in model["states"][q]["transitions"] for v in t["assign"]}
    rule(all(known[to] & stored <= {*least, *largest} for to in ends))
    last = last_steps(model, rows, least, largest)
    found = []
    kinds: list[Json] = []
    for places in sorted(last):
        _, to = last[places]
        kind = [[noise(model["states"][rows[place][0]]) for place in places], model["states"].get(to) and to]
        if kind not in kinds:
            kinds.append(kind)
            order = [*places, *(place for place in range(len(rows)) if place not in places)]
            found.append(in_order(model, rows, least, largest, order, last[places]))
    rule(len(block["bounds"]) == len(found))
    return list(zip(found, block["bounds"], strict=True))


def keep(state: Json, known: dict[str, set[str]], least: Json, largest: Json, begun: int) -> None:
    """A state after one sample, or after two that may differ, keeps the extremes as far as they are live."""
    for samples in product(range(3), repeat=begun + 1):
        values = {v: min(samples[:-1]) for v in least} | {v: max(samples[:-1]) for v in largest}
        t = taken(state, values, samples[-1])
        values |= {v: samples[-1] for v in t["assign"] if v in values}
        later = known.get(t["to"], set())
        rule(all(values[v] == min(samples) for v in least if v in later))
        rule(all(values[v] == max(samples) for v in largest if v in later))


def taken(state: Json, values: Json, sample: int) -> Json:
    """The only transition for a sample."""
    cases = state["transitions"]
    rule(all(v in values for t in cases for _, v in t["guard"]))
    (t, *others) = [
        t for t in cases if all((sample < values[v]) == (sign == "<") for sign, v in t["guard"])
    ] or [None]
    rule(t is not None and not others)
    return t


def last_steps(model: Json, rows: Json, least: Json, largest: Json) -> dict[tuple[int, ...], Json]:
    """The last letter and target by the places of the extremes, on orders of all samples."""
    many = bool(least) + bool(largest)
    ends = [(outputs(t), t["to"]) for q in rows[-1] for t in model["states"][q]["transitions"]]
    if all(len(row) == 1 for row in rows) and all(end == ends[0] for end in ends):
        return dict.fromkeys(permutations(range(len(rows)), many), ends[0])
    rule(len(rows) <= MOST_ROWS)
    with_ties = product(range(len(rows)), repeat=len(rows)) if len(rows) <= MOST_SAMPLES else ()
    found: dict[tuple[int, ...], Json] = {}
    for samples in (*with_ties, *permutations(range(len(rows)))):
        state, end = rows[0][0], None
        for place, sample in enumerate(samples):
            before = samples[:place] or (sample,)
            values = {v: min(before) for v in least} | {v: max(before) for v in largest}
            t = model["states"][state]["transitions"][0] if place == 0 else None
            t = t or taken(model["states"][state], values, sample)
            state, end = t["to"], (outputs(t), t["to"])
        in_row = sorted(range(len(rows)), key=lambda place: (samples[place], place))
        places = (in_row[0],) * bool(least) + (in_row[-1],) * bool(largest)
        rule(found.setdefault(places, end) == end)
    return found


def live(model: Json, claim: Json, state: str) -> set[str]:
    """The variables that are tested later before they are assigned."""
    plain = {**claim, "kind": "epsilon", "lower": "0", "upper": "inf", "loss": "observer"}
    known = OneOrMore(model, plain).live
    return set(known.get(state, ()))


def noise(state: Json) -> Json:
    return [state["input"], *(state.get(key) for key in ("rate", "rate_left", "rate_right"))]


def in_order(model: Json, rows: Json, least: Json, largest: Json, order: list[int], end: Json) -> Json:
    """The model that draws the samples of the block in an order."""
    between = [[">=", least[0]]] if least else []
    between += [["<", largest[0]]] if largest else []
    steps: list[tuple[Json, Json]] = [([], least or largest)]
    steps += [(between[:1], largest)] if least and largest else []
    steps += [(between, [])] * (len(rows) - len(steps))
    states = {q: state for q, state in model["states"].items() if not any(q in row for row in rows)}
    following = [
        (model["states"][row[0]]["transitions"][0]["output"], then[0]) for row, then in pairwise(rows)
    ]
    following.append((end[0] if len(end[0]) > 1 else end[0][0], end[1]))
    for row, place, (guard, assign), (output, to) in zip(rows, order, steps, following, strict=True):
        only = {"assign": assign, "guard": guard, "output": output, "to": to}
        states[row[0]] = {**model["states"][rows[place][0]], "transitions": [only]}
    return {**model, "states": states}
