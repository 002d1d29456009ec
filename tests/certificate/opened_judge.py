"""The rules about an open parameter once more, word by word, from docs/certificates.md, Section 4.13."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from tests.certificate.judge import ZERO, Unsound, rule
from tests.certificate.noise_judge import cost
from tests.certificate.orders_judge import Order
from tests.certificate.program_judge import (
    SHIFTS,
    ProgramJudge,
    bounds,
    lower,
    names_in,
    reached_states,
    texts,
    upper,
)
from tests.certificate.variables_judge import VariablesJudge

Json = Any
RATES = ("rate", "rate_prime", "rate_left", "rate_right")


def accepts_open(certificate: Json) -> bool:
    """Whether the rules hold; the certificate must have the keys and types that the specification lists."""
    try:
        _decide(certificate["model"], certificate["claim"], certificate["evidence"])
    except Unsound:
        return False
    return True


def _decide(model: Json, claim: Json, evidence: Json) -> None:
    rule("open" in model and set(model["open"]) == {"from", "name", "to"} and model["open"]["name"] != "")
    ends = [Fraction(model["open"][end]) for end in ("from", "to")]
    rule(ends[0] < ends[1])
    usual, own = model.get("sensitivity"), own_sensitivities(model)
    rule(usual != "1" and (usual or "1") not in own)
    states = model["states"].values()
    pairs = [state[key] for state in states for key in RATES if is_pair(state, key)]
    sensitive = [number for number in (usual, *own) if isinstance(number, list)]
    rule(all(len(pair) == 2 and pair[0] != pair[1] for pair in (*pairs, *sensitive)))
    rule(not (pairs and sensitive) and not ("noise" in model and sensitive))
    for state in states:
        sides = [state.get("rate_left"), state.get("rate_right")]
        rule(sides == [None, None] or sides[0] != sides[1] or sides[0] == "inf")
        rule((state["input"] or "sensitivity" not in state) and "center" not in state)
        rule(not any("registers" in t for t in state["transitions"]))
    programs = [made(model, at_value(model, end)) for end in ends]
    if claim["kind"] != "epsilon-function":
        rule(claim["kind"] in ("private", "not-private") and "words" not in evidence)
        one = len(names_in(programs[0], reached_states(programs[0]))) == 1
        judge: type[ProgramJudge] = ProgramJudge if one else VariablesJudge
        judge(made(model, lambda first, last: min(first, last)), claim).decide(evidence)
        return
    pieces = claim["pieces"]
    rule(set(evidence) == {"pieces"} and len(evidence["pieces"]) == len(pieces))
    place = ends[0]
    for piece, proof in zip(pieces, evidence["pieces"], strict=True):
        rule(Fraction(piece["from"]) == place < Fraction(piece["to"]))
        place = Fraction(piece["to"])
        _piece(
            bool(own and sensitive),
            [made(model, at_value(model, Fraction(piece[end]))) for end in ("from", "to")],
            claim,
            piece,
            proof,
        )
    rule(place == ends[1])


def is_pair(state: Json, key: str) -> bool:
    return isinstance(state.get(key), list)


def at_value(model: Json, value: Fraction) -> Callable[[Fraction, Fraction], Fraction]:
    low, high = (Fraction(model["open"][end]) for end in ("from", "to"))
    return lambda first, last: first + (last - first) * (value - low) / (high - low)


def own_sensitivities(model: Json) -> list[Json]:
    return [state["sensitivity"] for state in model["states"].values() if "sensitivity" in state]


def made(model: Json, blend: Callable[[Fraction, Fraction], Fraction]) -> Json:
    """The program whose open numbers are made of those at both ends; if some state has a sensitivity of its
    own, all that read inputs have."""

    def number(value: Json) -> str:
        return str(blend(*map(Fraction, value if isinstance(value, list) else [value, value])))

    usual = number(model.get("sensitivity", "1"))
    whole = {key: value for key, value in model.items() if key not in ("open", "sensitivity")}
    every = (model.get("sensitivity"), *own_sensitivities(model))
    spread = own_sensitivities(model) and any(isinstance(value, list) for value in every)
    if not spread and usual != "1":
        whole["sensitivity"] = usual
    states = {}
    for name, state in model["states"].items():
        found = {
            key: number(value) if key in RATES and is_pair(state, key) else value
            for key, value in state.items()
            if key != "sensitivity" or not spread
        }
        if spread and state["input"]:
            found["sensitivity"] = number(state.get("sensitivity", model.get("sensitivity", "1")))
            if found["sensitivity"] == "1":
                del found["sensitivity"]
        if "rate_left" in found and found["rate_left"] == found["rate_right"] != "inf":
            found["rate"] = found.pop("rate_left")
            del found["rate_right"]
        states[name] = found
    return whole | {"states": states}


def _piece(convex: bool, programs: list[Json], claim: Json, piece: Json, proof: Json) -> None:
    above = "tables" if convex else "nodes"
    rule(set(proof) <= {"blocks", above})
    rule(above in proof or piece["upper"] == "inf")
    judges = list[EndJudge]()
    for end, program in enumerate(programs):
        most = piece["upper"] if piece["upper"] == "inf" else piece["upper"][end]
        least = piece["lower"][end]
        rule(most == "inf" or Fraction(least) <= Fraction(most))
        rule(Fraction(least) >= 0)
        some = "0" if piece["lower"] == ["0", "0"] else "1"
        told = {"adjacency": claim["adjacency"], "loss": claim.get("loss", "runs"), "kind": "epsilon"}
        EndJudge(program, told | {"lower": some, "upper": "inf"})  # the rule about outputs
        kind = ProgramJudge if convex else EndJudge
        judge = kind(program, told | {"loss": "runs", "lower": least, "upper": most})
        constant, growth = ZERO, ZERO
        if "blocks" in proof:
            rule(all(block["kind"] == "once" for block in proof["blocks"]))
            constant, growth = judge.family(blocks_at(proof["blocks"], end))
        rule(Fraction(least) <= constant and Fraction(least) <= constant + growth)
        if "tables" in proof:
            judge.each_way(judge.table, proof["tables"][end])
        if "nodes" in proof and isinstance(judge, EndJudge):
            judge.each_way(judge.functions, nodes_at(proof["nodes"], end))
            judges.append(judge)
    if convex:
        blocks = proof.get("blocks", [])
        rule(blocks_at(blocks, 0) == blocks_at(blocks, 1) and len(proof.get("tables", [0, 0])) == 2)
        return
    rule(
        not judges or all(first & last for first, last in zip(judges[0].right, judges[1].right, strict=True))
    )
    if "nodes" in proof and piece["upper"] != "inf":
        for nodes in [proof["nodes"]] if isinstance(proof["nodes"], list) else proof["nodes"].values():
            listed = nodes[0]["functions"]
            for function in listed if isinstance(listed, list) else listed["unused"]:
                rule(any(below(values, piece["upper"]) for _, values in function["points"]))


def below(values: Json, uppers: Json) -> bool:
    return all(Fraction(value) <= Fraction(most) for value, most in zip(values, uppers, strict=True))


def blocks_at(blocks: Json, end: int) -> Json:
    found = []
    for block in blocks:
        steps = []
        for step in block["steps"]:
            rule("slope" not in step and "slopes" not in step)
            one = {"multiplier": step["multiplier"][end]} if "multiplier" in step else {}
            many = (
                {"multipliers": [pair[end] for pair in step["multipliers"]]} if "multipliers" in step else {}
            )
            steps.append(step | one | many)
        found.append(block | {"steps": steps})
    return found


def nodes_at(nodes: Json, end: int) -> Json:
    if isinstance(nodes, dict) and "points" in nodes:
        return nodes | {"points": [[vector, values[end]] for vector, values in nodes["points"]]}
    if isinstance(nodes, dict):
        return {key: nodes_at(value, end) for key, value in nodes.items()}
    return [nodes_at(value, end) for value in nodes] if isinstance(nodes, list) else nodes


class EndJudge(VariablesJudge):
    """The program at an end; for every inequality that has to hold there, the shifts for which it does."""

    fewest = 1

    def __init__(self, model: Json, claim: Json) -> None:
        self.right: list[set[int]] = []
        super().__init__(model, claim)
        self.numbers = SHIFTS if len(self.shifts) == 3 else range(len(self.shifts))

    def bounded(self, q: str, t: Json, delta: int, after: Json, above: Json, order: Order) -> None:
        depends = set(bounds(t)) | (set(after["names"]) - set(t["assign"]))
        free = sorted(depends - set(above["names"]))
        finite = {tuple(vector): Fraction(value) for vector, value in after["points"]}
        state = self.states[q]
        second = ZERO
        if "insampleprime" in texts(t):
            second = Fraction(state["rate_prime"]) * abs(delta) * state["reach"]
        for vector, value in above["points"]:
            for more in product(self.numbers, repeat=len(free)):
                x = dict(zip(above["names"], vector, strict=True)) | dict(zip(free, more, strict=True))
                if any(a in x and b in x and x[a] > x[b] for a, b in order):
                    continue
                found = set()
                for shift, size in zip(self.numbers, self.shifts, strict=True):
                    if "insample" in texts(t) and size:
                        continue
                    allowed = all(shift <= x[u] for u in upper(t)) and all(shift >= x[v] for v in lower(t))
                    later = x | dict.fromkeys(t["assign"], shift)
                    end, own = (
                        finite.get(tuple(later[name] for name in after["names"])),
                        cost(state, delta, size),
                    )
                    if (
                        allowed
                        and end is not None
                        and own is not None
                        and own + second + end <= Fraction(value)
                    ):
                        found.add(shift)
                self.right.append(found)
