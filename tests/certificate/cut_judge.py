"""Models in which numbers that are only output are seen by whether they are below 0, from
docs/certificates.md, 4.8. Keys and types must be right."""

from __future__ import annotations

from typing import Any

from tests.certificate.judge import rule

Json = Any
NEW = "\0"


def as_seen(model: Json, evidence: Json) -> Json:
    """The model that the evidence is about."""
    if "cut" not in evidence:
        return model
    rule(evidence["cut"] is True and "inputs" not in model)
    cases = [t for own in model["states"].values() for t in own["transitions"]]
    tested = {test[1] for t in cases for test in t["guard"]}
    gaps = {o["gap"] for t in cases for o in listed(t["output"]) if not isinstance(o, str)}
    rule(all(test[0] in ("<", ">=") for t in cases for test in t["guard"]))
    rule(not any("sensitivity" in own for own in model["states"].values()))
    named = {*model["states"], *(t["to"] for t in cases)}
    rule(NEW not in named | tested | gaps | {x for t in cases for x in t["assign"]})
    states, some = {}, False
    for name, own in model["states"].items():
        (t, *others) = own["transitions"]
        only = not others and not t["guard"] and not (tested | gaps) & set(t["assign"])
        if only and "insample" in listed(t["output"]):
            some, own = True, own | {"transitions": [halved(t, relation) for relation in ("<", ">=")]}
        states[name] = own
    rule(some)
    first = {"assign": [NEW], "guard": [], "output": "unseen", "to": model["initial"]}
    shape = {"input": False, "mean": "0", "mean_prime": None, "rate": None, "rate_prime": None}
    states[NEW] = shape | {"rate_left": "inf", "rate_right": "inf", "transitions": [first]}
    return model | {"initial": NEW, "states": states}


def listed(output: Json) -> list[Json]:
    return output if isinstance(output, list) else [output]


def halved(t: Json, relation: str) -> Json:
    """The transition for one side of 0."""
    outputs = listed(t["output"])
    letters = [o for o in outputs if isinstance(o, str) and o not in ("insample", "insampleprime")]
    rest = [o for o in outputs if o != "insample" and o not in letters]
    letter = " ".join([*letters, f"insample {relation} 0"])
    return t | {"assign": [], "guard": [[relation, NEW]], "output": [letter, *rest] if rest else letter}
