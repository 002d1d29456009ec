"""Samples that tell a run from all others, judged once more: paths of the program, one by one.

Written from docs/certificates.md, Sections 2, 4.12 and 4.16; nothing of the checker or of the prover is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

Json = Any
Case = tuple[str, Json]
"""The state and the transition of a step."""
NEW = {"all-differ": (-1, 1), "one-differ": (-1, 0, 1), "increasing": (0, 1), "decreasing": (-1, 0)}


def tells(certificate: Json, turns: int) -> bool:
    """Whether numbers close to those of the samples come from no other run, with so many turns of blocks."""
    model, evidence = certificate["model"], certificate["evidence"]
    cases = numbered(model, certificate["claim"]["adjacency"])
    left = iter(map(Fraction, evidence["samples"]))
    steps: list[tuple[Case, Fraction]] = []
    for block in evidence["blocks"]:
        own = [(cases[step["transition"]], next(left)) for step in block["steps"]]
        steps += own * (turns if block["kind"] == "repeat" else 1)
    tokens, stored = list[str | Fraction](), dict[str, Fraction]()
    for (_, case), sample in steps:
        for relation, name in case["guard"]:
            if not (sample < stored[name] if relation == "<" else sample > stored[name]):
                return False
        output = case["output"]
        if output == "insample" or isinstance(output, dict):
            gap = sample - (stored[output["gap"]] if isinstance(output, dict) else 0)
            tokens.append(gap + Fraction(*case.get("seen", [0])))
        elif "seen" not in case:
            tokens.append(output)
        stored.update(dict.fromkeys(case["assign"], sample))
    if "seen" in steps[-1][0][1] and not steps[-1][0][1]["seen"]:
        return False
    return len(list(paths(model, model["initial"], tokens))) == 1


def paths(model: Json, state: str, tokens: Sequence[str | Fraction]) -> Iterator[list[Json]]:
    """The ways from a state that may show the tokens, each up to where the last of them is seen."""
    if not tokens:
        yield []
        return
    for case in model["states"][state]["transitions"] if state in model["states"] else ():
        if case.get("seen") == []:
            yield from ([case, *more] for more in paths(model, case["to"], tokens))
        elif may_be(case, tokens[0]):
            yield from ([case, *more] for more in paths(model, case["to"], tokens[1:]))


def may_be(case: Json, token: str | Fraction) -> bool:
    """Whether a transition may show a token."""
    output = case["output"]
    if output != "insample" and isinstance(output, str):
        return bool(token == output)
    if isinstance(token, str):
        return False
    least = Fraction(*case.get("seen", [0]))
    for relation, name in case["guard"]:
        outside = token > least if relation == "<" else token < least
        if isinstance(output, dict) and output["gap"] == name and outside:
            return False
    return True


def numbered(model: Json, adjacency: str) -> list[Case]:
    """The transitions of the program that unfolds this one, in order."""
    found: dict[str, list[Case]] = {}
    waiting: list[tuple[str, Mapping[str, int]]] = [(model["initial"], {})]
    while waiting:
        name, before = waiting.pop()
        state, spent = model["states"][name], adjacency == "one-differ" and bool(before)
        title = named(name, before)
        if title in found:
            continue
        found[title] = []
        for case in state["transitions"]:
            fixed = "center" in state or "registers" in case or (state["input"] and spent)
            new = NEW[adjacency] if fixed and state["input"] and not spent else (0,)
            for own in new:
                known = {**before, "input": own}
                after = {
                    r: total
                    for r, terms in sorted(case.get("registers", {}).items())
                    if (total := sum(sign * known.get(x, 0) for x, sign in terms.items()))
                }
                found[title].append((name, case))
                if case["to"] in model["states"]:
                    waiting.append((case["to"], after))
    return [case for title in sorted(found) for case in found[title]]


def named(name: str, registers: Mapping[str, int]) -> str:
    known = ",".join(f"{r}{n:+}" for r, n in registers.items())
    return f"{known}: {name}" if known else name
