#!/usr/bin/env python3
"""How long it takes to decide the privacy of large threshold programs, and to write and check certificates.

    python benchmarks/decision.py 10000 100000

The programs have the given numbers of transitions: a row of states with loops, public states and assignments;
once as it is (private), and once with a step at its end that outputs what all loops before it were compared
with (a privacy violating path through the whole program). Everything happens in one process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from prover.certificate.verification import verify
from prover.program.decision import decide
from prover.program.evidence import verdict_certificate
from prover.program.model import INSAMPLE, Program, State, Transition

Result = TypeVar("Result")
BELOW, ABOVE = (("<", "x"),), ((">=", "x"),)


def row(transitions: int, private: bool) -> Program:
    """States in a row: every tenth assigns where insample >= x, every seventh takes no input."""
    count = transitions // 2
    names = [f"q{k:07}" for k in range(count + 1)]
    states = {names[0]: state(True, [Transition((), ("x",), "start", names[1])])}
    for k in range(1, count):
        onward = names[k + 1]
        if k % 7 == 0:
            cases = [Transition((), (), "same", names[k]), Transition((), (), "on", onward)]
        else:
            assign = ("x",) if k % 10 == 0 else ()
            cases = [Transition(BELOW, (), "below", names[k]), Transition(ABOVE, assign, "above", onward)]
        states[names[k]] = state(k % 7 != 0, cases)
    output = "last" if private else INSAMPLE
    states[names[count]] = state(True, [Transition(ABOVE, (), output, "end")])
    return Program(names[0], states)


def state(takes_input: bool, transitions: list[Transition]) -> State:
    return State(takes_input, Fraction(1, 4), Fraction(0), None, None, tuple(transitions))


def timed(work: Callable[..., Result], *arguments: object) -> tuple[float, Result]:
    began = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - began, result


def main(sizes: list[str]) -> None:
    print("transitions  private  model s  decide s  certificate s  check s  certificate MB")
    for size in sizes:
        for private in (True, False):
            modelling, program = timed(row, int(size), private)
            deciding, verdict = timed(decide, program)
            writing, certificate = timed(verdict_certificate, program, verdict)
            checking, _ = timed(verify, certificate)
            print(
                f"{len(program.edges):>11}  {verdict.private!s:>7}  {modelling:7.2f}  {deciding:8.2f}"
                f"  {writing:13.2f}  {checking:7.2f}  {len(certificate.data) / 1e6:14.1f}"
            )


if __name__ == "__main__":
    main(sys.argv[1:] or ["1000", "10000", "100000"])
