"""Certificates of random programs: those of the decision, and tables closed by brute force."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from prover.program.decision.boundedness import decide
from prover.program.decision.certificates import boundedness_certificate
from tests.certificate.program_judge import DIFFERENCES, INFINITE, ProgramJudge
from tests.certificate.samples import certificate
from tests.program.automata import bound, random_program

Json = Any
Function = tuple[Fraction, ...]
ZERO: Function = (Fraction(0),) * 3


def program_certificates() -> SearchStrategy[Json]:
    """Valid certificates of all kinds; hypothesis draws seeds."""
    return st.integers(0, 2**32 - 1).map(made_program)


def made_program(seed: int) -> Json:
    random = Random(seed)
    program = random_program(seed, 4)
    decided = json.loads(boundedness_certificate(program, decide(program)).data)
    if random.random() < 0.5:
        return decided
    claim = {"adjacency": random.choice(sorted(DIFFERENCES)), "kind": "epsilon", "lower": "0", "upper": "inf"}
    judge = ProgramJudge(decided["model"], claim)
    functions = closed_table(judge, bound(program))
    start = [
        min(function)
        for (state, mode), kept in functions.items()
        for function in kept
        if starts(judge, state, mode)
    ]
    table: Json = {}
    for (name, mode), kept in sorted(functions.items()):
        triples = [
            ["inf" if x >= INFINITE else str(x) for x in function] for function in sorted(kept - {ZERO})
        ]
        if mode:
            table.setdefault(name, {})[mode] = triples
        elif triples:
            table[name] = triples
    claim["upper"] = "inf" if max(start) >= INFINITE else str(max(start))
    return certificate(claim, decided["model"], {"table": table})


def starts(judge: ProgramJudge, name: str, mode: str) -> bool:
    return name == judge.initial and mode != "used"


def closed_table(judge: ProgramJudge, cap: Fraction) -> dict[tuple[str, str], set[Function]]:
    """The functions of every state, from below; what reaches the cap is infinite."""
    modes = ("unused", "used") if judge.adjacency == "one-differ" else ("",)
    table: dict[tuple[str, str], set[Function]] = {
        (name, mode): {ZERO} for name in judge.states for mode in modes
    }
    changed = True
    while changed:
        changed = False
        for q, t in judge.transitions:
            for delta, mode, then in judge.moves(judge.states[q]["input"]):
                for after in list(table.get((t["to"], then), {ZERO})):
                    losses = (judge.before(q, t, delta, list(after), x) for x in judge.shifts)
                    new = tuple(INFINITE if x >= cap else x for x in losses)
                    if not any(dominated(new, old) for old in table[q, mode]):
                        table[q, mode] = {old for old in table[q, mode] if not dominated(old, new)} | {new}
                        changed = True
    return table


def dominated(low: Function, high: Function) -> bool:
    return all(x <= y for x, y in zip(low, high, strict=True))
