"""Claims about every count once more: the programs of some counts are written out, and so is their evidence.

A certificate that holds proves, for each count, a claim `epsilon` whose table and run follow from it
(docs/certificates.md, 4.14). These are made here, and judged as such.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.certificate.program_judge import accepts_program, reached_states

Json = Any
ONE_WAY = ("decreasing", "increasing")


def accepts_counted(certificate: Json, counts: int = 4) -> bool:
    """Whether the claims of the first counts follow."""
    claim, model = certificate["claim"], certificate["model"]
    first = claim["first"]
    return first >= model["least"] and all(
        accepts_program(at_count(certificate, count)) for count in range(first, first + counts)
    )


def at_count(certificate: Json, count: int) -> Json:
    """The claim, the program and the evidence at a count."""
    claim, model, evidence = (certificate[key] for key in ("claim", "model", "evidence"))
    copies, each = count - model["least"], Fraction(claim["each"])
    value = str(Fraction(claim["constant"]) + each * count)
    kept = {key: claim[key] for key in ("adjacency", "loss") if key in claim}
    tables = evidence["table"]
    if claim["adjacency"] == "monotonic":
        table = {way: raised(model, tables[way], each, copies) for way in ONE_WAY}
    else:
        table = raised(model, tables, each, copies)
    whole = expanded(model, copies)
    return {
        "claim": {**kept, "kind": "epsilon", "lower": value, "upper": value},
        "evidence": {"blocks": [{"kind": "once", "steps": run(certificate, whole, copies)}], "table": table},
        "model": whole,
    }


def copy_of(name: str, number: int) -> str:
    return f"{name}#{number}"


def expanded(model: Json, copies: int) -> Json:
    """The program with copies of the block."""
    block, program = model["block"], model["program"]

    def begin(number: int) -> str:
        return copy_of(block["entry"], number) if number < copies else block["after"]

    def moved(state: Json, number: int | None) -> Json:
        cases = []
        for t in state["transitions"]:
            to = t["to"]
            if to in block["states"]:
                to = begin(0) if number is None else copy_of(to, number)
            elif to == block["after"] and number is not None:
                to = begin(number + 1)
            cases.append({**t, "to": to})
        return {**state, "transitions": cases}

    states: dict[str, Any] = {}
    for name, state in program["states"].items():
        if name in block["states"]:
            states |= {copy_of(name, k): moved(state, k) for k in range(copies)}
        else:
            states[name] = moved(state, None)
    return {**program, "states": states}


def raised(model: Json, table: Json, each: Fraction, copies: int) -> Json:
    """The table of the program with copies: what more copies can follow is so much larger."""
    block, program = model["block"], model["program"]
    out = {t["to"] for s in block["states"] for t in program["states"][s]["transitions"]}
    later = set(out - set(block["states"])) | {block["after"]}
    for start in list(later & set(program["states"])):
        later |= reached_states({**program, "initial": start})

    def plus(entry: Json, number: Fraction) -> Json:
        if isinstance(entry, dict):
            return {mode: plus(own, number) for mode, own in entry.items()}
        zero = [["0"] * 3] if number else []
        more = [[x if x == "inf" else str(Fraction(x) + number) for x in f] for f in [*zero, *entry]]
        return sorted(more, key=lambda f: [(x == "inf", 0 if x == "inf" else Fraction(x)) for x in f])

    found = {}
    for name in program["states"]:
        entry = table.get(name, {"unused": [], "used": []} if "unused" in str(table) else [])
        if name in block["states"]:
            for k in range(copies):
                found[copy_of(name, k)] = plus(entry, each * (copies - 1 - k))
        else:
            found[name] = entry if name in later else plus(entry, each * copies)
    return found


def run(certificate: Json, whole: Json, copies: int) -> list[Json]:
    """The run with so many copies, whose steps are transitions of the program with copies."""
    model, blocks = certificate["model"], certificate["evidence"]["blocks"]
    program, block = model["program"], model["block"]
    own = [(s, k) for s in sorted(program["states"]) for k in range(len(program["states"][s]["transitions"]))]
    begun = [(s, k) for s, k in own if s == block["entry"]]
    every = [*own, *begun, *((s, k) for s, k in own if s == block["after"])]
    once = [step["transition"] for part in blocks if part["kind"] == "once" for step in part["steps"]]
    turns = copies - sum(len(own) <= number < len(own) + len(begun) for number in once)
    numbers: dict[tuple[str, int], int] = {}
    for name in sorted(whole["states"]):
        for k in range(len(whole["states"][name]["transitions"])):
            numbers[name, k] = len(numbers)
    steps, number = [], -1
    for part in blocks:
        for step in part["steps"] * (turns if part["kind"] == "repeat" else 1):
            state, k = every[step["transition"]]
            number += len(own) <= step["transition"] < len(own) + len(begun)
            name = copy_of(state, number) if state in block["states"] else state
            multiplier = Fraction(step["multiplier"]) + turns * Fraction(step.get("slope", "0"))
            place = numbers.get((name, k), -1)
            steps.append({"delta": step["delta"], "multiplier": str(multiplier), "transition": place})
    return steps
