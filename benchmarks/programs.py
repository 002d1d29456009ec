#!/usr/bin/env python3
"""The exact ε of threshold programs: how long finding and checking take, and where the budget ends.

    python benchmarks/programs.py

Every program of the zoo; 200 copies of the sparse vector technique under every adjacency; random programs of
some 1,000 transitions, of which few or many store values; and partition programs, whose cost is NP-hard, with
more and more large weights until the budget leaves an interval. Every certificate is checked.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from fractions import Fraction

from prover.certificate.check import check
from prover.program.adjacency import ADJACENCIES
from prover.program.cost import Cost, measure
from prover.program.cost_evidence import cost_certificate
from prover.program.model import Program, State, Transition
from prover.zoo import NAMES, build, lyu_1, partition

MOST_WEIGHTS = 40


def random_program(seed: int, storing: float, looping: float, states: int = 560) -> Program:
    """States in a line; each compares, and goes on by up to four states, or to itself."""
    draw = random.Random(seed)
    made = {
        "q0000": State(True, Fraction(1), Fraction(0), None, None, (Transition((), ("x",), "o", "q0001"),))
    }
    for k in range(1, states):
        takes_input = draw.random() < 0.8
        transitions = []
        for relation, output in (("<", "obot"), (">=", "otop"))[: 1 + takes_input]:
            loops = draw.random() < looping
            target = k if loops else min(states, k + draw.randint(1, 4))
            assign = ("x",) if draw.random() < storing and not loops else ()
            guard = ((relation, "x"),) if takes_input else ()
            transitions.append(Transition(guard, assign, output, f"q{target:04d}"))
        rate = Fraction(draw.randint(1, 20), draw.choice([1, 2, 4, 5]))
        made[f"q{k:04d}"] = State(takes_input, rate, Fraction(0), None, None, tuple(transitions))
    return Program("q0000", made)


def programs() -> Iterator[tuple[str, Program, str]]:
    for name in NAMES:
        model = build(name)
        if isinstance(model, Program):
            yield name, model, ADJACENCIES[0]
    for adjacency in ADJACENCIES:
        yield "lyu-1 c=200", lyu_1(200), adjacency
    for storing, looping in ((0.6, 0), (0.3, 0.01), (0.1, 0)):
        for adjacency in ADJACENCIES:
            yield f"random, {storing:.0%} store", random_program(1, storing, looping), adjacency


def line_of(name: str, model: Program, adjacency: str) -> tuple[str, Cost]:
    began = time.perf_counter()
    cost = measure(model, adjacency)
    found = time.perf_counter()
    certificate = cost_certificate(model, cost)
    if certificate is None:
        raise SystemExit(f"{name}: no certificate")
    written = time.perf_counter()
    check(certificate.data)
    checked = time.perf_counter()
    value = (
        "inf" if cost.is_infinite else str(cost.upper) if cost.is_exact else f"[{cost.lower}, {cost.upper}]"
    )
    steps = cost.witness.length if cost.witness else 0
    line = (
        f"{name:<20} {adjacency:<11} {len(model.edges):>6}  {found - began:7.2f}  {checked - written:7.2f}"
        f"  {cost.statistics.values:>8}  {steps:>6}  {len(certificate.data) / 1000:>8.1f}  {value}"
    )
    return line, cost


def main() -> None:
    print("program              adjacency    edges   find s   check s   values   steps        kB  cost")
    for name, model, adjacency in programs():
        print(line_of(name, model, adjacency)[0], flush=True)
    draw = random.Random(1)
    weights: list[str] = []
    while len(weights) < MOST_WEIGHTS:
        weights += [str(draw.randint(10**9, 10**10)) for _ in range(4)]
        line, cost = line_of(f"partition of {len(weights)}", partition(",".join(weights)), ADJACENCIES[0])
        print(line, flush=True)
        if not cost.is_exact:
            return


if __name__ == "__main__":
    main()
