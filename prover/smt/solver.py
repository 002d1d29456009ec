"""What Z3 says about a formula in SMT-LIB 2 text."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count

from prover.exact.rational import parse_rational

SAT, UNSAT, UNKNOWN = "sat", "unsat", "unknown"


@dataclass(frozen=True, slots=True)
class SolverResult:
    """``status`` is sat, unsat or unknown; ``reason`` says why it is unknown.

    ``model`` gives rational and Boolean constants their values. Constants whose value is algebraic but not
    rational are missing there and named in ``algebraic``. ``core`` are names of assertions that contradict
    each other, in no order and not the fewest; it is empty where assertions have no names.
    """

    status: str
    model: Mapping[str, Fraction | bool] = field(default_factory=dict)
    algebraic: tuple[str, ...] = ()
    reason: str = ""
    core: tuple[str, ...] = ()


def solve(script: str, timeout: float | None = None) -> SolverResult:
    """Z3's answer to a script with one check-sat, within ``timeout`` seconds if that is given.

    Non-linear formulas are tried in several ways, in turns that become longer: which of them decides a
    formula, and how soon, cannot be foreseen.
    """
    if "(set-logic QF_NRA)" not in script:
        return _attempt(script, "default", 0, timeout)
    deadline = None if timeout is None else time.monotonic() + timeout
    for turn in count():
        way, seed = _WAYS[turn % len(_WAYS)]
        seconds = _FIRST_TURN * 2.0 ** (turn // len(_WAYS))
        left = seconds if deadline is None else min(seconds, deadline - time.monotonic())
        if left <= 0:
            break
        found = _attempt(script, way, seed, left)
        if found.status != UNKNOWN:
            return found
    return SolverResult(UNKNOWN, reason="timeout")


_WAYS = (("smt", 0), ("simple", 0), ("smt", 7), ("default", 0), ("qfnra-nlsat", 0))
"""Ways to decide non-linear formulas: a tactic of Z3, "default" or "simple" for its solvers, and a seed."""

_FIRST_TURN = 0.25  # seconds


def _attempt(script: str, way: str, seed: int, timeout: float | None) -> SolverResult:
    import z3

    context = z3.Context()  # of its own: what was asked before must not tell how long this takes
    if way == "default":
        solver = z3.Solver(ctx=context)
    else:
        solver = z3.SimpleSolver(context) if way == "simple" else z3.Tactic(way, context).solver()
    if timeout is not None:
        solver.set("timeout", max(1, int(timeout * 1000)))
    if seed:
        solver.set("random_seed", seed)
    solver.from_string(script)
    found = solver.check()
    if found == z3.unsat:
        return SolverResult(UNSAT, core=tuple(str(name).strip("|") for name in solver.unsat_core()))
    if found == z3.unknown:
        return SolverResult(UNKNOWN, reason=solver.reason_unknown())
    model = solver.model()
    values: dict[str, Fraction | bool] = {}
    algebraic = []
    for declaration in model.decls():
        value = model[declaration]
        if z3.is_rational_value(value):
            values[declaration.name()] = parse_rational(value.as_string(), sys.maxsize)
        elif z3.is_bool(value):
            values[declaration.name()] = z3.is_true(value)
        elif z3.is_algebraic_value(value):
            algebraic.append(declaration.name())
    return SolverResult(SAT, values, tuple(algebraic))
